"""Which node plays a game again, and whose failure is excused."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace

from fiedler.games.result import Result
from fiedler.tournament.cluster.node_tables import VOIDS_IN_A_ROW, NodeTables
from fiedler.tournament.cluster.venue import ClusterVenue
from fiedler.tournament.dispute import Dispute
from fiedler.tournament.game import GameRecord, PlannedGame, now
from fiedler.tournament.run.lease import FinishedLease, Lease, VoidedLease
from fiedler.tournament.run.live import Boards
from fiedler.tournament.run.nodes import NodeStatus
from fiedler.tournament.run.table_messages import ProcessSetup
from fiedler.tournament.schedule.schedule import LimitSection, PlayerEntry, Schedule, Tournament
from fiedler.tournament.termination import Termination

PLAYERS = tuple(PlayerEntry(name=name, player="random") for name in "ab")
SCHEDULE = Schedule(
    tournament=Tournament(name="t", game="tictactoe"), limit=LimitSection(nodes=1), players=PLAYERS, folder="/"
)


def company(number: int) -> list[NodeTables]:
    """Return the tables of so many nodes, without a line to them."""
    nodes: list[NodeTables] = []
    excused: set[str] = set()
    venue = cast("ClusterVenue", SimpleNamespace(open=nodes))

    def elsewhere(game: PlannedGame, node: NodeTables) -> bool:
        return ClusterVenue.elsewhere(venue, game, node)

    for place in range(1, number + 1):
        status = NodeStatus(f"n{place}", "")
        setup = ProcessSetup(SCHEDULE, {1: None}, 1, None, 0.0, 1)
        line: Any = None
        nodes.append(NodeTables(status.name, line, setup, Boards(), 10.0, elsewhere, status, excused))
    return nodes


def lease(opening: tuple[str, ...] = ()) -> Lease:
    return Lease(PlannedGame("g", 1, "a", "b", opening), 1, 1, 1)


def test_a_void_game_goes_to_another_node_and_after_that_to_any() -> None:
    one, other = company(2)
    one.judged(VoidedLease(lease(), "chance"))
    assert (one.may_play(lease().game), other.may_play(lease().game)) == (False, True)
    other.judged(VoidedLease(lease(), "chance"))
    assert (one.may_play(lease().game), other.may_play(lease().game)) == (True, True)


def test_a_dispute_is_no_fault_of_a_node() -> None:
    one, _ = company(2)
    dispute = Dispute(now(), 1, "g", "a", "b", (), "gameover", ("says yes", "says no"))
    for _ in range(VOIDS_IN_A_ROW):
        one.judged(VoidedLease(lease(), dispute.text, dispute=dispute))
    assert one.may_play(lease().game)
    for answer in (*[VoidedLease(lease(), "chance")] * (VOIDS_IN_A_ROW - 1), VoidedLease(lease(), "", dispute=dispute)):
        one.judged(answer)
    one.judged(VoidedLease(lease(), "chance"))
    assert not one.hopeless.is_set(), "the void games are not in a row"


@pytest.mark.parametrize(
    ("plies", "moves", "loser", "excused"),
    [
        (0, 0, "a", True),
        (0, 1, "b", True),
        (0, 2, "a", False),
        (1, 0, "b", True),
        (1, 1, "b", False),
        (1, 1, "a", True),
        (1, 2, "a", False),
    ],
)
def test_a_failure_before_the_first_own_move_is_excused(plies: int, moves: int, loser: str, excused: bool) -> None:
    """With an opening of odd length the second player has the first move after it."""
    opening = ("a1",) * plies
    one, _ = company(2)
    crashed = crash_of(loser, opening, moves)
    assert isinstance(one.judged(FinishedLease(lease(opening), crashed)), VoidedLease) is excused


@pytest.mark.parametrize(("moves", "excused"), [(0, True), (1, False)])
def test_only_a_win_with_a_move_of_its_own_proves_a_player_at_a_node(moves: int, excused: bool) -> None:
    """`b` crashes twice in one game, which counts the second time, and `a` wins it."""
    one, _ = company(2)
    for answer in (VoidedLease, FinishedLease):
        assert isinstance(one.judged(FinishedLease(lease(), crash_of("b", (), moves))), answer)
    again = replace(lease(), game=PlannedGame("h", 2, "a", "b", ()))
    assert isinstance(one.judged(FinishedLease(again, crash_of("a", (), 0))), VoidedLease) is excused


def crash_of(loser: str, opening: tuple[str, ...], moves: int) -> GameRecord:
    """Return a game that a player loses by a crash after so many moves."""
    return GameRecord(
        id="g",
        number=1,
        first="a",
        second="b",
        opening=opening,
        moves=opening + ("b1",) * moves,
        result=Result.SECOND_WIN if loser == "a" else Result.FIRST_WIN,
        termination=Termination.CRASH,
        detail="it crashed",
        started="",
        finished="",
        seconds_first=0.0,
        seconds_second=0.0,
    )
