"""The measured Elo of a strength test, and its verdict as Markdown."""

from __future__ import annotations

import math
import re

import pytest

from fiedler.tournament.comparison.comparison import Comparison, command_of
from fiedler.tournament.comparison.markdown import markdown
from fiedler.tournament.comparison.verdict import ComparisonVerdict, MeasuredElo
from fiedler.tournament.schedule.schedule import LimitSection, Pairing, PlayerEntry, Schedule, Sprt, Tournament


def test_elo_is_that_of_the_mean_score() -> None:
    found = MeasuredElo.of((0, 10, 20, 30, 40))
    assert found.elo == pytest.approx(-400 * math.log10(1 / 0.75 - 1))
    assert found.low is not None
    assert found.high is not None
    assert found.elo is not None
    assert found.low < found.elo < found.high


def test_equal_counts_are_no_difference_and_more_pairs_a_smaller_error() -> None:
    few, many = MeasuredElo.of((1, 2, 5, 2, 1)), MeasuredElo.of((100, 200, 500, 200, 100))
    assert (few.elo, many.elo) == (0, 0)
    assert few.high is not None
    assert many.high is not None
    assert few.high / many.high == pytest.approx(10, rel=0.2)


@pytest.mark.parametrize(
    ("pairs", "text"), [((0, 0, 0, 0, 9), r"more than \+"), ((9, 0, 0, 0, 0), "less than -"), ((0,) * 5, "unknown Elo")]
)
def test_what_has_no_bound_is_one_sided(pairs: tuple[int, ...], text: str) -> None:
    assert re.match(text, MeasuredElo.of(pairs).text)


def schedule() -> Schedule:
    players = (PlayerEntry(name="candidate", command=("./a|b", "x`y")), PlayerEntry(name="base", command=("./b",)))
    return Schedule(
        tournament=Tournament(name="test", game="uttt"),
        limit=LimitSection(movetime_ms=20),
        pairing=Pairing(method="sprt", games=10),
        players=players,
    )


def verdict(**changes: object) -> ComparisonVerdict:
    values: dict[str, object] = {
        "outcome": "undecided",
        "why": "neither | nor",
        "accepted": "",
        "elo": MeasuredElo.of((1, 1, 1, 1, 1)),
        "games": 10,
        "played": 11,
        "won": 4,
        "drawn": 2,
        "lost": 4,
        "pentanomial": (1, 1, 1, 1, 1),
        "llr": 0.5,
        "low": -2.94,
        "high": 2.94,
        "test": Sprt(),
        "failures": {"candidate": {"crash": 2, "time": 1}, "base": {}},
    }
    return ComparisonVerdict(**{**values, **changes})  # type: ignore[arg-type]


def test_texts_stay_in_their_cells_and_commands_in_their_block() -> None:
    text = markdown(verdict(), schedule())
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert "| Verdict | neither \\| nor |" in rows
    assert "| Failures | candidate: 2 × crash, 1 × time; base: none |" in rows
    assert "| Games | 10: 4 won, 2 drawn, 4 lost; 1 later game does not count |" in rows
    assert "\n    tournament compare --base ./b --candidate " in text


@pytest.mark.parametrize(("outcome", "code"), [("passed", 0), ("failed", 1), ("undecided", 3)])
def test_the_exit_codes(outcome: str, code: int) -> None:
    assert verdict(outcome=outcome).exit_code == code


def test_a_game_without_a_bound_has_a_longest_one(tmp_path_factory: pytest.TempPathFactory) -> None:
    base, candidate = (PlayerEntry(name=name, command=("./x",)) for name in ("base", "candidate"))
    for game, expected in (("chess", 400), ("uttt", None)):
        folder = tmp_path_factory.mktemp(game)
        test = Comparison(base=base, candidate=candidate, game=game, movetime_ms=20)
        made = test.schedule("test", folder / "test.toml", folder)
        assert made.adjudication.max_plies == expected
        assert ("--max-plies" in command_of(made)) == (expected is not None)
