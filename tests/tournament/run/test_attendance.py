"""Players that dial in and are away: their games wait, the present ones play, and everybody learns who is awaited."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fiedler.support.address import Address
from fiedler.support.errors import UsageError
from fiedler.tournament.cli import tournament
from fiedler.tournament.game import GameRecord
from fiedler.tournament.play.admission import Listening
from fiedler.tournament.play.dialler import Dialler
from fiedler.tournament.run import attendance, manager
from fiedler.tournament.run.event_text import event_text
from fiedler.tournament.run.events import Awaiting, Away, Back, Benched, Ended, Event, Finished, Voided, Waiting, Warned
from fiedler.tournament.run.status import status
from fiedler.tournament.schedule.validation import load
from tests.patience import PATIENCE, wait_until
from tests.tournament.line import free_port, line_to
from tests.tournament.run.test_dial_in import dialling
from tests.tournament.schedules import Bench, Tables, player

FAR: Tables = {"name": "far", "dial_in": True}
LATE: Tables = {**FAR, "required": False}
LIMIT: Tables = {"nodes": 1, "startup_s": 8, "away_s": PATIENCE}


class Club:
    """A run at a port of this machine, and the players that dial in there."""

    def __init__(self, bench: Bench, stack: ExitStack) -> None:
        self.bench = bench
        self.port = free_port()
        self._stack = stack

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def come(self, name: str = "far", address: str = "") -> None:
        """Let a player dial in."""
        self._stack.enter_context(dialling(address or self.address, name, "-"))

    def play(self, players: list[Tables], when: Callable[[Event], None] = lambda _: None, **more: Tables) -> Path:
        """Play a schedule; `when` sees each event."""
        self.bench.write(players, **more)
        listening = Listening.read(Address("127.0.0.1", self.port), None, None, None)
        subscribers = [self.bench.events.append, when]
        return manager.run(self.bench.path, results=self.bench.results, subscribers=subscribers, listening=listening)

    def events(self, *kinds: type[Event]) -> list[Any]:
        return [event for event in self.bench.events if isinstance(event, kinds)]

    def texts(self, *kinds: type[Event]) -> list[str]:
        schedule = load(self.bench.path)
        return [event_text(event, schedule.pairing) for event in self.events(*kinds)]

    def games(self) -> list[GameRecord]:
        return self.bench.games()


@pytest.fixture
def impatient(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for players before the first game."""
    monkeypatch.setattr(Dialler, "_patience_s", 0.2)


@pytest.fixture
def club(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Iterator[Club]:
    monkeypatch.setattr(attendance, "NOTICED_S", 0.0)
    patience = property(lambda self: 0.2 if self._was_there else PATIENCE)
    monkeypatch.setattr(Dialler, "_patience_s", patience)
    with ExitStack() as stack:
        yield Club(bench, stack)


PAIRINGS: list[Tables] = [
    {"method": "round-robin"},
    {"method": "gauntlet", "challengers": ["a"]},
    {"method": "swiss", "rounds": 2},
    {"method": "ladder"},
    {"method": "adaptive", "games": 24, "batches": 2},
    {"method": "meeting-graph", "degree": 2},
]


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("pairing", PAIRINGS, ids=lambda pairing: str(pairing["method"]))
def test_the_games_of_a_player_that_is_away_wait_and_the_others_play(club: Club, pairing: Tables) -> None:
    """The player comes only once nothing else is left to play."""
    told: list[str] = []

    def when(event: Event) -> None:
        if isinstance(event, Waiting):
            told.append(status(club.bench.results / "test")["time_left"])
            club.come()

    club.play([player("a"), player("b"), LATE, player("c")], when, limit=LIMIT, pairing=pairing)
    games = club.games()
    assert {game.termination for game in games} == {"rules"}
    assert any("far" in (game.first, game.second) for game in games)
    kinds = [type(event) for event in club.events(Finished, Waiting, Back)]
    assert kinds[0] is Finished
    assert [type(event) for event in club.events(Away, Waiting)] == [Away, Waiting], "who is away, then the wait for it"
    (waiting,) = club.events(Waiting)
    assert waiting.players == ("far",)
    last = [event for event in club.events(Finished) if event.at <= waiting.at][-1]
    assert last.waits_for == ("far",) or pairing["method"] == "ladder", "whose games are planned later"
    assert all(event.waits_for == () for event in club.events(Finished) if event is not last)
    assert told == ["waiting for far"], "no time left is foretold"
    assert kinds.count(Waiting) == 1
    assert club.events(Ended)[0].state == "finished"
    assert club.events(Voided, Benched) == []
    document = status(club.bench.results / "test")
    assert (document["state"], document["absent"], document["away"]) == ("finished", {}, {})


PAIRS_OF_TWO: list[Tables] = [{"method": "knockout"}, {"method": "sprt", "games": 8}, {"method": "round-robin"}]


@pytest.mark.parametrize("pairing", PAIRS_OF_TWO, ids=lambda pairing: str(pairing["method"]))
def test_a_new_game_is_not_lost_by_a_line_that_is_lost_before_it(club: Club, pairing: Tables) -> None:
    with line_to(club.address, (b"uginewgame", 2), closed_s=3600) as line:

        def when(event: Event) -> None:
            if isinstance(event, Voided):
                line.open()

        club.come(address=line.address)
        table = {"games_per_pair": 4, "bench_after": 1}
        club.play([FAR, player("near")], when, limit=LIMIT, pairing=pairing, tournament=table)
        assert line.cuts_left == 0
    assert {game.termination for game in club.games()} == {"rules"}
    assert [event.why for event in club.events(Voided)] == ["far did not dial in again within 0.2 s"]
    assert club.events(Ended)[0].state == "finished"


def test_who_is_away_for_long_is_set_aside_and_the_same_command_resumes(club: Club) -> None:
    limit = {**LIMIT, "away_s": 0.5}
    players = [FAR, player("near"), player("other")]
    with line_to(club.address, (b"go nodes", 1), closed_s=3600) as line:
        club.come(address=line.address)
        folder = club.play(players, limit=limit, tournament={"bench_after": 1})
    assert Counter(game.termination for game in club.games()) == {"disconnect": 1, "rules": 2}
    assert club.events(Benched) == []
    (waiting,) = club.texts(Waiting)
    assert waiting.startswith("Waiting for far for 0 s at most: 3 games left")
    why = "far has been away for 0.5 s"
    assert [text for text in club.texts(Warned) if "away" in text] == [
        f"warning: {why}: its games are set aside until it is back",
        f"warning: {why}: 3 games not played; the same command tries again",
    ]
    assert (status(folder)["state"], status(folder)["absent"]) == ("interrupted", {"far": why.removeprefix("far ")})
    club.come()
    club.play(players, limit=LIMIT)
    assert Counter(game.termination for game in club.games()) == {"disconnect": 1, "rules": 5}
    assert (status(folder)["state"], status(folder)["absent"]) == ("finished", {})


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("pairing", PAIRINGS[2:5], ids=lambda pairing: str(pairing["method"]))
def test_later_steps_leave_out_who_is_set_aside(club: Club, pairing: Tables) -> None:
    players = [player("a"), LATE, player("b"), player("c")]
    folder = club.play(players, limit={**LIMIT, "away_s": 0.1}, pairing=pairing)
    assert {game.termination for game in club.games()} == {"rules"}
    assert not [game for game in club.games() if "far" in (game.first, game.second)]
    assert max(step["number"] for step in status(folder)["steps"]) > 1
    assert status(folder)["state"] == "interrupted"


def test_a_run_that_exists_begins_without_its_players(club: Club) -> None:
    """As after a restart of the machine: all of them come one after the other."""
    limit = {**LIMIT, "away_s": 0.1}
    players = [FAR, {"name": "away", "dial_in": True}, player("near")]
    with line_to(club.address, (b"bestmove", 1), closed_s=3600) as line:
        club.come(address=line.address)
        club.come("away")
        club.play(players, limit=limit)
    before = club.games()
    assert len(before) < 6
    club.bench.events.clear()
    club.port = free_port()  # nobody dials there by itself

    def when(event: Event) -> None:
        if isinstance(event, Waiting):
            club.come(event.players[0])

    club.play(players, when, limit=LIMIT)
    assert club.events(Awaiting) == [], "the start waits for nobody"
    assert [game for game in club.games() if game.id in {one.id for one in before}] == before
    assert len(club.games()) == 6


def test_the_start_says_who_is_here_and_who_is_awaited(club: Club) -> None:
    club.come("early")

    def when(event: Event) -> None:
        if isinstance(event, Awaiting) and event.here == ("early",):
            club.come()

    club.play([FAR, {"name": "early", "dial_in": True}], when, limit=LIMIT)
    texts = club.texts(Awaiting)
    assert f"Waiting for far to dial in at {club.address}, 8 s at most; here: early" in texts
    assert texts[-1] == "All players that dial in are here: far, early"


@pytest.mark.usefixtures("impatient")
def test_a_new_run_without_them_names_the_way_to_begin(club: Club) -> None:
    with pytest.raises(UsageError) as caught:
        club.play([FAR, player("a"), player("b")], limit=LIMIT)
    advice = "a player with required = false may come later, and its games wait"
    assert str(caught.value) == f"player 'far': did not dial in within 0.2 s at {club.address}; {advice}"


@pytest.mark.usefixtures("impatient")
def test_a_player_that_may_come_later_gets_no_advice_to_be_one(club: Club) -> None:
    early = {"name": "early", "dial_in": True}
    with pytest.raises(UsageError) as caught:
        club.play([LATE, early, player("a"), player("b")], limit=LIMIT)
    reason = f"did not dial in within 0.2 s at {club.address}"
    advice = "a player with required = false may come later, and its games wait"
    assert str(caught.value).splitlines() == [f"player 'far': {reason}", f"player 'early': {reason}; {advice}"]


def test_the_display_and_the_log_name_who_leaves_and_who_is_back(club: Club) -> None:
    players = [FAR, player("near", "held", 1), player("other")]
    told: list[str] = []
    with line_to(club.address, (b"uginewgame", 2), closed_s=3600) as line:

        def when(event: Event) -> None:
            if isinstance(event, Away):
                wait_until(lambda: status(club.bench.results / "test")["away"])
                told.append(CliRunner().invoke(tournament, ["status", str(club.bench.results / "test")]).stdout)
                line.open()
            if isinstance(event, Back):
                (club.bench.folder / "released").touch()

        club.come(address=line.address)
        (club.bench.folder / "released").touch()
        club.play(players, when, limit=LIMIT)
    assert {game.termination for game in club.games()} == {"rules"}
    assert club.texts(Away)[0].startswith("far is away: ")
    assert re.search(r"far: .*; away since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$", told[0], re.MULTILINE)
    assert club.texts(Back)[0].startswith("far is back: ")
    log = (club.bench.results / "test" / "events.jsonl").read_text("utf-8")
    assert '"event":"away"' in log
    assert '"event":"back"' in log
