"""The games that are given up: benched players come back, disputes stay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from fiedler.games.openings import Opening
from fiedler.games.result import Result
from fiedler.tournament.dispute import Dispute
from fiedler.tournament.game import GameRecord, PlannedGame
from fiedler.tournament.pairing.plan import Decision, History, plan
from fiedler.tournament.run.annulment import annul
from fiedler.tournament.run.given_up import BENCHED, DECIDED, DISPUTED
from fiedler.tournament.run.journal import Attempt, Journal
from fiedler.tournament.schedule.schedule import LimitSection, PlayerEntry, Schedule, Tournament
from fiedler.tournament.termination import Termination
from tests.tournament.schedules import write_finished

NAMES = ('a "1"', "b'", "ç")
A, B, C = NAMES
PAIRS = [(A, B), (B, C), (A, C)]
GAMES = list(plan(PAIRS * 3, lambda _: Opening(()), 1, History(), 1))
"""Six games of each pair."""
OF_AB = [game for game in GAMES if {game.first, game.second} == {A, B}]
AT = "2026-01-01T00:00:00.000+00:00"


def schedule(disputes: str = "continue") -> Schedule:
    return Schedule(
        tournament=Tournament(name="run", game="generic", disputes=disputes),
        limit=LimitSection(nodes=1),
        players=tuple(PlayerEntry(name=name, command=("x",)) for name in NAMES),
    )


def journal_of(folder: Path, made: Schedule) -> Journal:
    journal = Journal.open(folder)
    meta = {"name": "run", "game": "generic", "schedule": msgspec.to_builtins(made), "starts": [{"commit": None}]}
    journal.record_start(meta, {name: {} for name in NAMES})
    journal.record_step("2026-01-01", "all", dict.fromkeys(PAIRS, 3), [Opening(())], GAMES)
    return journal


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with journal_of(tmp_path, schedule()) as opened:
        yield opened


def disputed(journal: Journal, games: Sequence[PlannedGame], number: int = 1) -> None:
    """Write the end of this attempt at each of the games."""
    for game in games:
        dispute = Dispute(AT, game.number, game.id, game.first, game.second, (), "gameover", ("yes", "no"))
        attempt = Attempt(game.id, number, 1)
        assert journal.write([attempt], [], [], disputed=[(dispute, attempt)]) == set()


def finished(journal: Journal, game: PlannedGame) -> GameRecord:
    record = GameRecord(
        *(game.id, game.number, game.first, game.second, (), ("x",), Result.DRAW, Termination.RULES),
        *("both players agree", AT, AT, 0.5, 0.5),
    )
    write_finished(journal, record)
    return record


def left(journal: Journal) -> set[frozenset[str]]:
    """Return the pairs that have games left."""
    return {frozenset((game.first, game.second)) for game in journal.unplayed()}


def reasons(journal: Journal, pair: tuple[str, str]) -> set[int]:
    rows = journal.rows("games", "first, second, given_up", "result IS NULL")
    return {reason for first, second, reason in rows if {first, second} == {*pair}}


@pytest.mark.parametrize("benched_after", [0, 3], ids=["before the disputes", "after the disputes"])
def test_a_stopped_pair_stays_stopped_when_its_benched_player_is_readmitted(
    journal: Journal, benched_after: int
) -> None:
    disputed(journal, OF_AB[:benched_after])
    journal.bench(B, "by hand")
    disputed(journal, OF_AB[benched_after:3])  # they were under way
    assert (reasons(journal, (A, B)), reasons(journal, (B, C))) == ({DISPUTED}, {BENCHED})
    journal.readmit(B)
    assert left(journal) == {frozenset((B, C)), frozenset((A, C))}


def test_a_game_of_a_stopped_pair_that_is_annulled_is_not_played_again(journal: Journal) -> None:
    record = finished(journal, OF_AB[0])
    disputed(journal, OF_AB[1:4])
    journal.annul(record, AT, "the line was down")
    assert reasons(journal, (A, B)) == {DISPUTED}
    assert left(journal) == {frozenset((B, C)), frozenset((A, C))}


def test_the_organiser_learns_that_an_annulled_game_is_not_played_again(tmp_path: Path) -> None:
    with journal_of(tmp_path, schedule()) as journal:
        record = finished(journal, OF_AB[0])
        disputed(journal, OF_AB[1:4])
    done = annul(tmp_path, record.id, "the line was down")
    why = f"{A} and {B} meet no more: they did not agree on the rules in 3 games"
    text = f"annulled game {record.number} ({record.first} vs {record.second}); it is not played again: {why}"
    assert (done.text, done.games) == (text, 0)


def test_a_game_of_others_that_is_annulled_revives_no_stopped_pair(journal: Journal) -> None:
    other = next(game for game in GAMES if {game.first, game.second} == {B, C})
    record = finished(journal, other)
    disputed(journal, OF_AB[:3])
    journal.annul(record, AT, "the line was down")
    assert reasons(journal, (A, B)) == {DISPUTED}
    assert other.id in {game.id for game in journal.unplayed()}


def test_a_run_that_a_dispute_ended_stays_ended(tmp_path: Path) -> None:
    with journal_of(tmp_path, schedule("stop")) as journal:
        record = finished(journal, OF_AB[0])
        journal.bench(C, "by hand")
        disputed(journal, OF_AB[1:2])
        journal.readmit(C)
        journal.annul(record, AT, "the line was down")
        assert journal.unplayed() == []
        assert journal.counts.given_up == len(GAMES)


def test_a_running_game_of_a_benched_player_is_still_awaited(journal: Journal) -> None:
    running, ended = OF_AB[:2]
    finished(journal, ended)
    journal.bench(A, "by hand")
    assert [game.turn for game in journal.history().settled] == [ended.turn]
    history = journal.history(playing=[running.id])
    assert (history.settled, history.given_up) == ([], journal.counts.given_up - 1)
    assert journal.scheduled_with([running.id, ended.id]) == journal.scheduled + 1


def test_a_game_of_a_stopped_pair_that_a_killed_manager_played_is_void(journal: Journal) -> None:
    running, *ended = OF_AB[:4]
    journal.write([Attempt(running.id, 1, 1)], [], [])
    disputed(journal, ended)
    journal.record_start({"starts": [{"commit": None}] * 2}, {})
    assert (journal.counts.begun, journal.counts.void) == (0, 1)
    journal.withdraw(journal.disputes[0], AT, "mended")
    assert (journal.counts.begun, journal.counts.void) == (0, 2)


def test_a_decided_run_that_is_open_again_keeps_its_stopped_pair_apart(journal: Journal) -> None:
    disputed(journal, OF_AB[:2])
    journal.decide(Decision("enough", 0))
    assert reasons(journal, (A, B)) == {DISPUTED, DECIDED}
    disputed(journal, OF_AB[2:3])  # it was under way
    journal.reopen()
    assert reasons(journal, (A, B)) == {DISPUTED}
    assert left(journal) == {frozenset((B, C)), frozenset((A, C))}


def test_a_game_comes_back_once_both_of_its_players_are_readmitted(journal: Journal) -> None:
    journal.bench(A, "by hand")
    journal.bench(B, "by hand")
    journal.readmit(A)
    assert left(journal) == {frozenset((A, C))}
    journal.readmit(B)
    assert len(journal.unplayed()) == len(GAMES)


def test_a_withdrawn_dispute_brings_back_its_game_and_those_that_it_ended(journal: Journal) -> None:
    disputed(journal, OF_AB[:3])
    dispute = journal.disputes[1]
    journal.withdraw(dispute, AT, "mended")
    assert [one.number for one in journal.disputes] == [OF_AB[0].number, OF_AB[2].number]
    assert [(one.dispute, one.why) for one in journal.withdrawn] == [(dispute, "mended")]
    back = {game.id for game in journal.unplayed()} & {game.id for game in OF_AB}
    assert back == {game.id for game in OF_AB} - {OF_AB[0].id, OF_AB[2].id}
    assert (journal.counts.begun, journal.counts.void) == (0, 1)
    disputed(journal, OF_AB[1:2], number=2)
    assert reasons(journal, (A, B)) == {DISPUTED}, "the pair is counted anew"


def test_a_withdrawn_dispute_of_a_benched_player_waits(journal: Journal) -> None:
    disputed(journal, OF_AB[:1])
    journal.bench(A, "by hand")
    journal.withdraw(journal.disputes[0], AT, "mended")
    assert reasons(journal, (A, B)) == {BENCHED}
    journal.readmit(A)
    assert len(journal.unplayed()) == len(GAMES)


def test_a_run_that_two_disputes_ended_begins_again_after_both_are_withdrawn(tmp_path: Path) -> None:
    with journal_of(tmp_path, schedule("stop")) as journal:
        disputed(journal, OF_AB[:2])
        first, second = journal.disputes
        for dispute, unplayed in ((first, 0), (second, len(GAMES))):
            journal.withdraw(dispute, AT, "mended")
            assert len(journal.unplayed()) == unplayed
        assert journal.over == ""
