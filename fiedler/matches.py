"""A match of two engines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice

from fiedler.board import Board
from fiedler.client import Engine, EngineError, open_engine
from fiedler.games import game as game_of
from fiedler.games.openings import Opening, candidates
from fiedler.games.result import Result
from fiedler.games.score import interval, score_text
from fiedler.protocol import Limit
from fiedler.support.errors import UsageError
from fiedler.support.text import counted

Opponent = Engine | Sequence[str] | str
"""An open engine, the words of a command, or HOST:PORT."""


@dataclass(frozen=True, slots=True)
class MatchGame:
    """One game of a match."""

    white: str
    """The name of the engine that moved first."""
    black: str
    result: Result
    """1-0, 1/2-1/2 or 0-1."""
    reason: str
    """The end of the game, such as `X wins by three in a row`, or the failure of the loser, after `X loses: `."""
    board: Board
    """The last position, with the moves; those of the opening come first."""


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The games of a match, and the score of the first engine."""

    names: tuple[str, str]
    games: tuple[MatchGame, ...]

    @property
    def points(self) -> list[float]:
        """The points of the first engine in each game: 1, 0.5 or 0."""
        return [game.result.points[game.white != self.names[0]] for game in self.games]

    @property
    def score(self) -> float:
        """The points of the first engine per game, 0 to 1."""
        return sum(self.points) / len(self.games)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the score."""
        return interval(sum(self.points), sum(one * one for one in self.points), len(self.games))

    @property
    def table(self) -> dict[str, list[str]]:
        """The columns `white`, `black` and `result`, for `rate` or `pandas.DataFrame`."""
        return {
            "white": [game.white for game in self.games],
            "black": [game.black for game in self.games],
            "result": [game.result.value for game in self.games],
        }

    def __str__(self) -> str:
        won, drawn, lost = (self.points.count(points) for points in (1.0, 0.5, 0.0))
        score = score_text(self.score, self.interval)
        games = counted(len(self.games), "game")
        return f"{self.names[0]} against {self.names[1]}: {score} (+{won} ={drawn} -{lost}) in {games}"


def match(
    first: Opponent,
    second: Opponent,
    game: str,
    *,
    games: int = 2,
    limit: Limit | float = 0.1,
    plies: int = 2,
    seed: int = 0,
) -> MatchResult:
    """Play a match: openings distinct up to symmetry, each played twice with colours reversed.

    An engine that fails in a game, by an illegal move, a crash or silence, has lost this game, and the error is the
    reason of the result. It is opened again for the next game; so is an engine that was open. `tournament run` plays
    larger matches, several games at a time, with clocks.

    Args:
        first: An open engine, the words of a command whose program speaks UGI on its pipes, or HOST:PORT.
        second: Its opponent.
        game: The id of a game.
        games: The number of games, even, at least 2.
        limit: The end of each search, or its time in seconds.
        plies: Random moves of an opening, at least 0. If there are fewer openings than pairs of games, they repeat.
        seed: The seed of the openings.

    Raises:
        UsageError: An argument is wrong.
        EngineError: An engine cannot be opened, at the start or after a failure.
    """
    if games < 2 or games % 2:
        raise UsageError(f"games: expected an even number from 2, got {games}")
    if not isinstance(limit, (Limit, int, float)):
        raise UsageError(f"limit: expected a Limit or seconds, got {limit!r}")
    if plies < 0 or not (openings := [*islice(candidates(game_of(game), plies, seed), games // 2)]):
        raise UsageError(f"plies: expected a number of moves after which {game} is not over, got {plies}")
    with ExitStack() as stack:
        engines = [
            one if isinstance(one, Engine) else stack.enter_context(open_engine(one, game)) for one in (first, second)
        ]
        names = _names(engines)
        played = [
            _game(_ready(engines, first), (names[first], names[1 - first]), game, opening, limit)
            for opening in _each(openings, games // 2)
            for first in (0, 1)
        ]
    return MatchResult(names, tuple(played))


def _ready(engines: Sequence[Engine], first: int) -> tuple[Engine, Engine]:
    """Return the engines in the order of a game, after a failure opened again."""
    for engine in engines:
        if not engine.is_open:
            engine.reopen()
    return engines[first], engines[1 - first]


def _each(openings: Sequence[Opening], count: int) -> Iterator[Opening]:
    return (openings[number % len(openings)] for number in range(count))


def _names(engines: Sequence[Engine]) -> tuple[str, str]:
    """Return different names of two engines."""
    first, second = (engine.name for engine in engines)
    return (first, second) if first != second else (f"{first} (1)", f"{second} (2)")


def _game(
    engines: tuple[Engine, Engine], names: tuple[str, str], game: str, opening: Opening, limit: Limit | float
) -> MatchGame:
    """Play one game."""
    board = Board(game, moves=opening.moves)
    begun = {0: False, 1: False}
    while board.result is None:
        side = board.side_to_move
        loser = board.game.sides[side]
        try:
            move = engines[side].play(board, limit, new_game=not begun[side]).move
        except EngineError as error:
            return MatchGame(*names, Result.won_by(1 - side), f"{loser} loses: {error}", board)
        begun[side] = True
        if move is None:
            return MatchGame(*names, Result.won_by(1 - side), f"{loser} resigns", board)
        board.play(move)
    return MatchGame(*names, Result.of(board.result), board.game.result_text(board.position), board)
