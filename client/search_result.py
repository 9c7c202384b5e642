"""The result of a search: a legal move, and the reports before it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fiedler.client.errors import EngineRulesError
from fiedler.games.errors import IllegalMoveError
from fiedler.games.game import AnyGame
from fiedler.games.position import Position
from fiedler.games.refusal import reason
from fiedler.games.spelling import meant
from fiedler.protocol import RESIGN, ClientEvent, Info, Move
from fiedler.support.errors import printable


@dataclass(frozen=True, slots=True)
class PlayResult:
    """The answer of an engine to a position."""

    move: str | None
    """A legal move in the notation of the game; None: the engine resigns."""
    info: Info
    """The last report of its search with a score, or else the last one; empty if there is none."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer to a search."""

    move: str | None
    """A legal move; None: the engine resigns."""
    info: Info
    """See PlayResult."""
    reports: list[Info]
    """Every report of the search, in their order."""


def search_result(
    events: Iterable[ClientEvent], last_info: Info | None, game: AnyGame, position: Position, engine: str, wrong: str
) -> SearchResult:
    """Read the events of a search of `position` of `game` by `engine`, of which a Move is the last one.

    `last_info` is the information of a dialect without reports, `wrong` the output in place of a move.

    Raises:
        EngineRulesError: There is no move, or it is not legal.
    """
    *_, answer = events
    assert isinstance(answer, Move)
    reports = [event for event in events if isinstance(event, Info)]
    scored = [one for one in reports if one.score_cp is not None or one.mate is not None]
    info = (scored or reports or [last_info or Info()])[-1]
    move = None if answer.move == RESIGN else _legal(game, position, answer.move, engine, wrong)
    return SearchResult(move, info, reports)


def _legal(game: AnyGame, position: Position, move: str | None, engine: str, wrong: str) -> str:
    if move is None:
        raise EngineRulesError(f"{engine} sent no move, but legal moves exist{wrong}")
    try:
        return position.move_text(position.parse_move(move))
    except IllegalMoveError as error:
        hint, why = meant(position, move), reason(game, position, move)
        spelled = f"; did you mean {hint!r}?" if hint else f"; {why}" if why else ""
        raise EngineRulesError(f"{engine} broke the rules: {printable(str(error))}{spelled}") from None
