"""The evaluations of a game: one line of text, comments of PGN, scores of the first player."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from fiedler.games.result import Result
from fiedler.protocol import Info
from fiedler.tournament.evaluation import MoveEvaluation, evaluation, from_text, scores, to_text
from fiedler.tournament.game import GameRecord
from fiedler.tournament.termination import Termination

WHOLE = some.integers(-(10**9), 10**9)


@given(
    some.lists(
        some.one_of(
            some.builds(MoveEvaluation, some.integers(0, 10**9), WHOLE, some.none(), some.integers(0, 10**6)),
            some.builds(MoveEvaluation, some.integers(0, 10**9), some.none(), WHOLE),
            some.builds(MoveEvaluation, some.integers(0, 10**9)),
        )
    )
)
def test_a_line_is_read_as_written(found: list[MoveEvaluation]) -> None:
    assert from_text(to_text(found)) == found


@pytest.mark.parametrize("text", ["31", "31/9", "31/9/", "a/9/5", "31/9/5/1", "31#2/9/5", "/-1/5"])
def test_another_form_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected SCORE/DEPTH/MS"):
        from_text(text)


@pytest.mark.parametrize(
    ("info", "seconds", "word", "comment"),
    [
        (Info(score_cp=31, depth=9), 0.5, "31/9/500", "+0.31/9 0.5s"),
        (Info(score_cp=-120), 0.0101, "-120//10", "-1.20/0 0.01s"),
        (Info(score_cp=0, depth=1), 12.3456, "0/1/12346", "0.00/1 12.346s"),
        (Info(score_cp=9999, mate=3, depth=7), 1.0, "#3/7/1000", "+M3/7 1s"),
        (Info(mate=-4, depth=7), 0.0, "#-4/7/0", "-M4/7 0s"),
        (None, 0.25, "//250", "0.25s"),
    ],
)
def test_reports_in_words(info: Info | None, seconds: float, word: str, comment: str) -> None:
    found = evaluation(info, seconds)
    assert (str(found), found.comment) == (word, comment)


def test_scores_are_those_of_the_first_player() -> None:
    line = "#-2/4/10 0/3/10 //10 #1/2/10"
    rest = (Result.SECOND_WIN, Termination.RULES, "", "", "", 0.0, 0.0, line)
    record = GameRecord("id", 1, "a", "b", ("a1",), ("a1", "a2", "a3", "b1", "b2"), *rest)
    assert scores(record) == [(2, 1, 1.0), (3, 0, 0.5), (5, 0, 1.0)]


def test_a_player_that_does_not_search_has_no_scores() -> None:
    rest = (Result.SECOND_WIN, Termination.RULES, "", "", "", 0.0, 0.0)
    both = GameRecord("id", 1, "hsp", "b", (), ("a1", "a2", "a3", "b1"), *rest, "0/1/0 0/1/9 0/1/0 31/2/9")
    assert scores(both) == [(2, 1, 0.5), (4, 1, pytest.approx(0.4555, abs=1e-3))]
