"""A player's analysis of a position and of each move in it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from engine.evaluation import DRAW, LOSS, WIN, Evaluation, at_most, before_the_move, evaluation_of, words
from engine.thinking import think
from native import Limits, Position, SearchInfo
from players import Factory, Player

Tell = Callable[[int, int], None]
"""Hears how many moves of how many have been searched; a further round begins at 0 again."""

MIN_SECONDS = 0.001
"""The least that a move is searched. Where a limit of time gives each move less, the last moves are not searched."""
MIN_NODES = 200
"""So too by nodes, but then every move is searched: on a large board that may be more than the limit."""
USED = 0.9
"""A search that spent this share of its limit was ended by it, and would find out more."""


@dataclass(frozen=True, slots=True)
class EvaluatedMove:
    """A move, and what it is worth to the side that plays it."""

    move: str
    evaluation: Evaluation | None
    """None: there was no time to search it, and nothing is known of it."""
    pv: tuple[str, ...]
    """The move and what is expected to follow."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """What was found, from the side to move."""

    game: str
    player: str
    position: str
    side_to_move: str
    evaluation: Evaluation
    pv: tuple[str, ...]
    depth: int
    """That the search of the position reached."""
    nodes: int
    """Of that search and those of the moves together."""
    seconds: float
    """That all of it took."""
    moves: tuple[EvaluatedMove, ...]
    """Every legal move, the best first: it begins `pv` and is worth what the position is."""


def analyze_position(factory: Factory, position: Position, limits: Limits, tell: Tell | None = None) -> Analysis:
    """Search a running position within `limits`, then its other moves, which share as much again and no more time.

    The two searches are brought together: that of the position looked deeper, so an unproven move is worth no more than
    it says; what is proven of the moves counts for the position.
    """
    started = time.monotonic()
    player = factory.player()
    try:
        found = think(player, position, limits)
        evaluator = MoveEvaluator(player, position, found)
        evaluator.search(limits, tell or (lambda _done, _of: None))
    finally:
        player.close()
    moves = evaluator.verdict()
    return Analysis(
        game=factory.game.id,
        player=player.title,
        position=str(position),
        side_to_move=factory.game.sides[position.side_to_move],
        evaluation=_of_the_position(moves, evaluation_of(found)),
        pv=moves[0].pv,
        depth=found.depth,
        nodes=found.nodes + evaluator.nodes,
        seconds=time.monotonic() - started,
        moves=moves,
    )


class Purse:
    """What is left of the limits that the moves share."""

    def __init__(self, limits: Limits) -> None:
        self._depth = max(limits.depth - 1, 1) if limits.depth else 0  # the move itself is one ply
        self._counts, self._times = limits.nodes > 0, limits.seconds > 0
        self._nodes, self._seconds = limits.nodes, limits.seconds

    @property
    def out_of_time(self) -> bool:
        """Tell whether no move may be searched any more."""
        return self._times and self._seconds <= 0

    def share(self, moves: int) -> Limits:
        """Return what one of so many moves may spend: an equal part, but a little at least."""
        return Limits(
            self._depth,
            max(self._nodes // moves, MIN_NODES) if self._counts else 0,
            max(self._seconds / moves, MIN_SECONDS) if self._times else 0.0,
        )

    def spend(self, nodes: int, seconds: float) -> None:
        """Take away what a search has cost."""
        self._nodes -= nodes
        self._seconds -= seconds

    def affords(self, share: Limits, moves: int) -> bool:
        """Tell whether so many moves may have much more than the `share` that they have had."""
        enough_nodes = not self._counts or self._nodes >= 2 * share.nodes * moves
        return enough_nodes and (not self._times or self._seconds >= 2 * share.seconds * moves)


class MoveEvaluator:
    """Judges every move of a position that has been searched."""

    def __init__(self, player: Player, position: Position, found: SearchInfo) -> None:
        """`found` is what that search says: of the position, and so of its best move."""
        self._player = player
        self._position = position
        self._root = evaluation_of(found)
        self._best = found.best
        self._evaluated: dict[int, Evaluation] = {}
        self._lines: dict[int, tuple[str, ...]] = {}
        self.nodes = 0
        """Of the searches of moves so far."""
        self._open: list[int] = []
        """The moves of which a longer search would find out more."""
        for move in position.legal_moves():
            self._begin(move, found)

    def _begin(self, move: int, found: SearchInfo) -> None:
        after = self._after(move)
        self._lines[move] = self._line(move)
        if after.result is not None:
            self._evaluated[move] = DRAW if after.result == 0 else WIN
        elif move == self._best:
            self._evaluated[move] = self._root
            self._lines[move] = self._line(*found.pv) if found.pv[:1] == [move] else self._line(move)
        else:
            self._open.append(move)

    def search(self, limits: Limits, tell: Tell) -> None:
        """Spend the limits on the open moves, evenly; what proven moves do not need goes to the others."""
        purse = Purse(limits)
        while self._open:
            share = purse.share(len(self._open))
            self._open = self._round(self._open, purse, share, tell)
            if purse.out_of_time or not purse.affords(share, len(self._open)):
                return

    def _round(self, moves: list[int], purse: Purse, share: Limits, tell: Tell) -> list[int]:
        """Search each move within `share`, as long as there is time; return those that a longer search would change."""
        going_on = []
        for done, move in enumerate(moves):
            if purse.out_of_time:
                break
            tell(done, len(moves))
            own = purse.share(len(moves) - done)  # less than `share` where searches took longer than they were given
            given = Limits(share.depth, share.nodes, min(share.seconds, own.seconds))
            started = time.monotonic()
            found = self._searched(move, given)
            purse.spend(found.nodes, max(found.seconds, time.monotonic() - started))
            if self._goes_on(move, found, given):
                going_on.append(move)
        tell(len(moves), len(moves))
        return going_on

    def verdict(self) -> tuple[EvaluatedMove, ...]:
        """Return every move, the best first; none that is unproven is worth more than the position."""
        for move, evaluation in self._evaluated.items():
            if move != self._best and evaluation.proven is None:
                self._evaluated[move] = at_most(evaluation, self._root)
        if self._root.proven == "loss":  # then there is no need to search a move
            self._evaluated = dict.fromkeys(self._lines, LOSS) | self._evaluated
        ranked = sorted(self._evaluated, key=self._rank, reverse=True)
        ranked += [move for move in self._lines if move not in self._evaluated]
        name = self._position.move_text
        return tuple(EvaluatedMove(name(move), self._evaluated.get(move), self._lines[move]) for move in ranked)

    def _rank(self, move: int) -> tuple[tuple[int, float, float], bool, bool]:
        evaluation = self._evaluated[move]
        return evaluation.worth, move == self._best, evaluation.proven is not None

    def _searched(self, move: int, share: Limits) -> SearchInfo:
        found = think(self._player, self._after(move), share)
        self.nodes += found.nodes
        self._evaluated[move] = before_the_move(evaluation_of(found))
        self._lines[move] = self._line(move, *found.pv)
        return found

    def _goes_on(self, move: int, found: SearchInfo, share: Limits) -> bool:
        """Tell whether a longer search of this move would find out more: nothing is proven, and the limit ended it."""
        ended = found.nodes >= USED * share.nodes if share.nodes else False
        ended |= found.seconds >= USED * share.seconds if share.seconds else False
        return ended and self._evaluated[move].proven is None

    def _after(self, move: int) -> Position:
        after = self._position.copy()
        after.play(move)
        return after

    def _line(self, *moves: int) -> tuple[str, ...]:
        return tuple(map(self._position.move_text, moves))


def _of_the_position(moves: tuple[EvaluatedMove, ...], found: Evaluation) -> Evaluation:
    """Return what the best move says of the position.

    A draw that is proven of this move alone is the least that the position is worth.
    """
    best = moves[0].evaluation
    assert best is not None  # its search was the position's
    all_proven = all(one.evaluation is not None and one.evaluation.proven for one in moves)
    if best.proven != "draw" or found.proven == "draw" or all_proven:
        return best
    return replace(best, proven=None)


def analysis_document(analysis: Analysis) -> dict[str, Any]:
    """Return the analysis for JSON: an evaluation's entries stand beside its move.

    Of a move that has not been searched they are null.
    """
    document = asdict(analysis)
    document |= document.pop("evaluation")
    document["moves"] = [{"move": one.move, **_entries(one.evaluation), "pv": one.pv} for one in analysis.moves]
    return document


def _entries(evaluation: Evaluation | None) -> dict[str, Any]:
    return dict.fromkeys(one.name for one in fields(Evaluation)) if evaluation is None else asdict(evaluation)


def analysis_table(analysis: Analysis) -> str:
    """Return the analysis as lines for people."""
    lines = [
        f"{analysis.game} {analysis.position}",
        f"{analysis.side_to_move} to move: {words(analysis.evaluation)}",
        f"{analysis.player}: depth {analysis.depth}, {analysis.nodes} nodes, {analysis.seconds:.2f} s",
        f"best line: {' '.join(analysis.pv)}",
        *(f"{one.move:>6}  {words(one.evaluation)}" for one in analysis.moves),
    ]
    return "\n".join(lines)
