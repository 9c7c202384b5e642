"""The scores of programs after a game of Go: notes beside the result, for any answer."""

from __future__ import annotations

import signal
import sys
from contextlib import closing

import pytest

from fiedler.tournament.play import final_scores
from fiedler.tournament.play.final_scores import points_of, points_text, scored_otherwise
from fiedler.tournament.run.events import Warned
from fiedler.tournament.run.store import Store
from tests.patience import PATIENCE, wait_until
from tests.tournament.manager_process import Manager
from tests.tournament.run.test_gtp import saying
from tests.tournament.schedules import Bench, Tables

GO: Tables = {"game": "go9"}
LISTS = {"list_commands": "= final_score\nkomi", "genmove": "= PASS"}


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for each score as long as a test waits for anything."""
    monkeypatch.setattr(final_scores, "SCORE_S", PATIENCE)


def test_scores_are_read() -> None:
    assert [points_of(text) for text in ("B+3.5", "w+10", "0", "Draw", " B+0.5 ")] == [3.5, -10, 0, 0, 0.5]
    assert [points_of(text) for text in ("B+R", "", "3.5", "B+", "B+99999999", "+1", "B+-1")] == [None] * 7
    assert [points_text(points) for points in (3.5, -10.0, 0.0)] == ["B+3.5", "W+10", "0"]


def played(bench: Bench, first: list[str], second: list[str]) -> list[tuple[str, str]]:
    """Return the results and the details of two games that begin with passes, which White wins by 7.5 points."""
    both: list[Tables] = [
        {"name": name, "command": command, "protocol": "gtp"} for name, command in (("a", first), ("b", second))
    ]
    return [(one.result.value, one.detail) for one in bench.play(both, tournament=GO)]


@pytest.mark.programs
def test_both_players_are_asked_after_two_passes(bench: Bench) -> None:
    games = played(bench, saying(final_score="= W+7.5", **LISTS), saying(final_score="= B+3", **LISTS))
    assert [result for result, _ in games] == ["0-1", "0-1"]
    assert {"; ".join(sorted(detail.split("; "))) for _, detail in games} == {
        "7.5 points; a scores alike; b scores otherwise: B+3"
    }
    wrong = "b scores otherwise: B+3, expected W+7.5; the rules here have no dead stones; later ones are not reported"
    assert [one.text for one in bench.events if isinstance(one, Warned)] == [wrong]


@pytest.mark.programs
def test_rubbish_is_quoted_and_a_refusal_or_another_program_gives_no_score(bench: Bench) -> None:
    games = played(bench, saying(final_score="= I do not know", **LISTS), saying(genmove="= PASS"))
    assert {detail for _, detail in games} == {"7.5 points; a scores otherwise: 'I do not know'"}
    bench.results = bench.folder / "other"
    games = played(bench, saying(final_score="? cannot score", **LISTS), saying(genmove="= PASS"))
    assert {detail for _, detail in games} == {"7.5 points"}


SILENT = """
import sys
for line in sys.stdin:
    word = line.split()[0]
    if word == "final_score":
        open("ASKED", "w").close()
        if END:
            sys.exit(3)
        continue
    print({"list_commands": "= final_score", "genmove": "= PASS"}.get(word, "="), end="\\n\\n", flush=True)
"""


def silent(bench: Bench, *, end: bool = False) -> list[str]:
    """Return the command of a bot that never answers `final_score`, or ends there; it makes the file `asked` first."""
    code = SILENT.replace("END", str(end)).replace("ASKED", str(bench.folder / "asked"))
    return [sys.executable, "-S", "-E", "-c", code]


@pytest.mark.programs
@pytest.mark.parametrize("end", [False, True])
def test_a_program_that_never_answers_or_ends_loses_no_game(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, end: bool
) -> None:
    if not end:
        monkeypatch.setattr(final_scores, "SCORE_S", 0.5)
    other = saying(final_score="= W+7.5", **LISTS) if end else saying(genmove="= PASS")
    games = played(bench, silent(bench, end=end), other)
    assert games == [("0-1", "7.5 points; b scores alike" if end else "7.5 points")] * 2
    found = [one.text for one in bench.events if isinstance(one, Warned)]
    late = "a did not answer final_score within 0.5 s: it is not asked again"
    assert (found[:1] == [late]) == (not end)


@pytest.mark.programs
def test_an_interrupt_while_a_score_is_awaited_keeps_the_finished_game(bench: Bench) -> None:
    names: list[Tables] = [{"name": name, "command": silent(bench), "protocol": "gtp"} for name in ("a", "b")]
    bench.write(names, tournament={**GO, "concurrency": 1})
    run = Manager(bench, first=f"from fiedler.tournament.play import final_scores; final_scores.SCORE_S = {PATIENCE}")
    wait_until((bench.folder / "asked").exists)
    run.process.send_signal(signal.SIGINT)
    assert run.end()[0] == 130
    assert [(one.result.value, one.detail) for one in bench.games()] == [("0-1", "7.5 points")]
    with closing(Store.open(bench.results / "test")) as store:
        assert (store.counts.finished, store.counts.void, store.counts.begun) == (1, 0, 0)


def test_a_detail_shows_whether_a_player_scored_otherwise() -> None:
    assert scored_otherwise("7.5 points") is None
    assert scored_otherwise("7.5 points; a scores alike") is False
    assert scored_otherwise("7.5 points; a scores alike; b scores otherwise: B+3") is True
