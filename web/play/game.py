"""One game under way: its moves, its end, what the engines reported. No engine, no clock, no browser."""

from __future__ import annotations

from dataclasses import dataclass, field

from fiedler.games import Game
from fiedler.games.position import Position
from fiedler.games.refusal import refusal
from fiedler.games.replay import Replay, replay
from fiedler.games.result import UNFINISHED, Result
from fiedler.protocol import Info
from fiedler.protocol.info import expected_score
from fiedler.support.errors import UsageError
from fiedler.web.game_documents import PlyScore

PV_SHOWN = 12
"""The most moves of a principal variation that are shown."""


@dataclass(frozen=True, slots=True)
class Report:
    """What an engine reported about a move, as the first player sees it."""

    ply: int
    """The ply of the move, from 1."""
    side: int
    """The side that the engine moved for: 0 or 1."""
    value: float | None
    """The expected score of the first player, from 0 to 1; None: the engine gives no evaluation."""
    mate: int | None
    """Moves to the forced win of the first player; negative: to its forced loss."""
    depth: int | None
    nodes: int | None
    nps: int | None
    pv: tuple[str, ...]
    """The moves that the engine expects, its own first."""


@dataclass
class PlayedGame:
    """The state of a game; each side is a person or an engine."""

    game: Game
    names: tuple[str, str]
    moves: list[str] = field(default_factory=list)
    resigned: int | None = None
    """The side that resigned."""
    person: int | None = None
    """The side of the only person; None: there is none, or two."""
    level: str = ""
    """The limit of the person's opponent in words, such as `0.1 s a move`."""
    reports: dict[int, Report] = field(default_factory=dict)
    """By ply."""

    @property
    def position(self) -> Position:
        """The position after all moves."""
        return self.game.position(moves=self.moves)

    @property
    def result(self) -> str:
        """The result in the words of PGN; `*` while the game runs."""
        if self.resigned is not None:
            return Result.won_by(1 - self.resigned)
        native = self.position.result
        return UNFINISHED if native is None else Result.of(native)

    @property
    def is_over(self) -> bool:
        """Whether it has ended, by the rules or by resignation."""
        return self.result != UNFINISHED

    @property
    def side_to_move(self) -> int:
        """The side to move: 0 or 1."""
        return self.position.side_to_move

    @property
    def sides(self) -> list[int]:
        """The side of each move."""
        position, found = self.game.position(), list[int]()
        for move in self.moves:
            found.append(position.side_to_move)
            position.play(position.parse_move(move))
        return found

    def play(self, move: str) -> None:
        """Add a move.

        Raises:
            UsageError: The game is over, or the move is not legal.
        """
        if self.is_over:
            raise UsageError("the game is over")
        if why := refusal(self.game, self.position, move):
            raise UsageError(why)
        self.moves.append(self.position.move_text(self.game.read_move(self.position, move)))

    def note(self, info: Info) -> None:
        """Keep what the engine reported that made the last move."""
        ply = len(self.moves)
        self.reports[ply] = report_of(info, ply, self.sides[-1])

    def take_back(self, plies: int) -> None:
        """Remove the last moves, and a resignation."""
        self.resigned = None
        del self.moves[len(self.moves) - plies :]
        for ply in [ply for ply in self.reports if ply > len(self.moves)]:
            del self.reports[ply]

    def replay(self) -> Replay:
        """Return its positions; a resignation is in the text and the result, the opponent's level in the text."""
        shown = replay(self.game, self.moves)
        if self.resigned is not None:
            shown.legal = ()
            shown.result = self.result
        if self.person is not None and self.is_over:
            shown.text = self._end_for(self.person, shown.text)
        elif self.resigned is not None:
            shown.text = f"{self.names[self.resigned]} resigned: {self.names[1 - self.resigned]} wins"
        return shown

    def _end_for(self, person: int, text: str) -> str:
        """Return the result for the only person, with the opponent and its level; `text` is that by the rules."""
        against = f"against {self.names[1 - person]} at {self.level}"
        result = Result(self.result)
        if result is Result.DRAW:
            return f"draw {against}"
        why = text if self.resigned is None else f"{self.names[self.resigned]} resigned"
        return f"{self.names[person]} {'won' if result is Result.won_by(person) else 'lost'} {against}: {why}"

    def scores(self) -> list[PlyScore]:
        """Return the scores by ply, for the graph."""
        return [
            {"ply": one.ply, "side": one.side, "value": one.value}
            for one in sorted(self.reports.values(), key=lambda one: one.ply)
            if one.value is not None
        ]


def report_of(info: Info, ply: int, side: int) -> Report:
    """Return the report of an engine that moved for a `side`, as the first player sees it."""
    if info.is_unsearched:
        return Report(ply, side, None, None, None, None, None, info.pv[:PV_SHOWN])
    value = None
    if info.mate is not None:
        value = 1.0 if info.mate > 0 else 0.0
    elif info.score_cp is not None:
        value = expected_score(info.score_cp)
    sign = -1 if side else 1
    return Report(
        ply,
        side,
        None if value is None else 1.0 - value if side else value,
        None if info.mate is None else sign * info.mate,
        info.depth,
        info.nodes,
        info.nps,
        info.pv[:PV_SHOWN],
    )
