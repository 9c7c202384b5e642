"""The opinion of a player about a position of a game whose rules its players alone know: its answers to questions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from fiedler.games.result import Result
from fiedler.protocol.mistake import quoted_line
from fiedler.protocol.ugi.queries import ENDS, GAMEOVER, LEGAL_MOVES, P1TURN, RESULT, TRUTH

RESULTS = {word: Result.of(end) for word, end in ENDS.items()}


class WrongAnswerError(Exception):
    """An answer is missing, or not one of the known words; the text is a phrase about the player."""


class DisputeError(Exception):
    """Two players do not agree: `opinions` are those of the first and the second one about the `question`."""

    def __init__(self, question: str, opinions: tuple[str, str]) -> None:
        super().__init__(question)
        self.question = question
        self.opinions = opinions


class Opinion(NamedTuple):
    """The answers of one player about one position."""

    over: bool
    first_to_move: bool
    """Whether the player that moves first in the game is to move; it means nothing once the game is over."""
    legal: frozenset[str] | None
    """The legal moves; None if the player does not list them."""


def opinion(answers: Mapping[str, str]) -> Opinion:
    """Return the opinion of a player from its answers, by question.

    Raises:
        WrongAnswerError: one of them is missing or wrong.

    """
    over = TRUTH[_known(answers, GAMEOVER, TRUTH)]
    first_to_move = False if over else TRUTH[_known(answers, P1TURN, TRUTH)]
    legal = answers.get(LEGAL_MOVES)
    return Opinion(over, first_to_move, None if legal is None else frozenset(legal.split()))


def result_of(answers: Mapping[str, str]) -> Result:
    """Return the result of a game that is over, as a player answers it; raises as `opinion`."""
    return RESULTS[_known(answers, RESULT, RESULTS)]


def _known(answers: Mapping[str, str], question: str, known: Mapping[str, object]) -> str:
    words = " or ".join(map(repr, known))
    if question not in answers:
        raise WrongAnswerError(f"did not answer query {question}, expected {words}")
    answer = answers[question]
    if answer not in known:
        raise WrongAnswerError(f"answered {quoted_line(answer)} to query {question}, expected {words}")
    return answer


def refuse_difference(question: str, first: object, second: object) -> None:
    """Check that the answers of two players to a question are the same.

    Raises:
        DisputeError: they are not.

    """
    if first != second:
        raise DisputeError(question, (_answered(question, first), _answered(question, second)))


def _answered(question: str, answer: object) -> str:
    word = next(word for word, meaning in (*TRUTH.items(), *RESULTS.items()) if meaning is answer)
    return f"answers {word!r} to query {question}"
