"""A player's analysis of a position and of each move in it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from fiedler.engine.host.evaluation import DRAW, LOSS, WIN, Evaluation, at_most, before_the_move, evaluation_of, words
from fiedler.engine.host.thinking import think
from fiedler.native import Limits, Position, SearchInfo
from fiedler.players import Factory, Player
from fiedler.protocol import MoveScore

OnProgress = Callable[[int, int], None]
"""Receives the number of searched moves and the number of moves; a further round begins at 0 again."""

MIN_SECONDS = 0.001
"""The shortest search of a move, in seconds. If the limit allows less for each move, the last ones are not searched."""
MIN_NODES = 200
"""The smallest search of a move, in nodes. Every move is searched, so a large board may exceed the limit."""
USED = 0.9
"""A search that spent this share of its limit was ended by it: a longer one would find more."""


@dataclass(frozen=True, slots=True)
class EvaluatedMove:
    """A move, and its value for the side that plays it."""

    move: str
    evaluation: Evaluation | None
    """None: there was no time to search the move."""
    pv: tuple[str, ...]
    """The move and its expected continuation."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """The findings, from the side to move."""

    game: str
    player: str
    position: str
    side_to_move: str
    evaluation: Evaluation
    pv: tuple[str, ...]
    depth: int
    """The depth of the search of the position, in plies."""
    nodes: int
    """The nodes of that search and of those of the moves together."""
    seconds: float
    """The time of all searches."""
    moves: tuple[EvaluatedMove, ...]
    """Every legal move, the best first: it begins `pv` and has the evaluation of the position."""


def analyze_position(
    factory: Factory, position: Position, limits: Limits, on_progress: OnProgress | None = None
) -> Analysis:
    """Search a running position within `limits`, then its other moves, which share the same limits once more.

    The results are combined: the search of the position is the deeper one, so it bounds the unproven moves from above;
    proofs of moves count for the position.
    """
    started = time.monotonic()
    player = factory.player()
    try:
        found = think(player, position, limits)
        evaluator = MoveEvaluator(player, position, found)
        evaluator.search(limits, on_progress or (lambda _done, _of: None))
    finally:
        player.close()
    moves = evaluator.ranked_moves()
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


def move_scores(player: Player, position: Position, limits: Limits) -> list[MoveScore]:
    """Return the score of each move of a running position that was searched within `limits`, the best first."""
    half = Limits(limits.depth, limits.nodes // 2, limits.seconds / 2)
    evaluator = MoveEvaluator(player, position, think(player, position, half))
    evaluator.search(half, lambda _done, _of: None)
    return [
        MoveScore(one.move, one.evaluation.score, one.evaluation.mate, one.evaluation.proven)
        for one in evaluator.ranked_moves()
        if one.evaluation is not None
    ]


class RemainingLimits:
    """The rest of the limits that the moves share."""

    def __init__(self, limits: Limits) -> None:
        self._depth = max(limits.depth - 1, 1) if limits.depth else 0  # the move itself is one ply
        self._counts, self._times = limits.nodes > 0, limits.seconds > 0
        self._nodes, self._seconds = limits.nodes, limits.seconds

    @property
    def out_of_time(self) -> bool:
        """Whether the time for searches is over."""
        return self._times and self._seconds <= 0

    def share(self, moves: int) -> Limits:
        """Return the limits of one of `moves` moves: an equal part, but never less than the minimum."""
        return Limits(
            self._depth,
            max(self._nodes // moves, MIN_NODES) if self._counts else 0,
            max(self._seconds / moves, MIN_SECONDS) if self._times else 0.0,
        )

    def spend(self, nodes: int, seconds: float) -> None:
        """Subtract the cost of a search."""
        self._nodes -= nodes
        self._seconds -= seconds

    def affords(self, share: Limits, moves: int) -> bool:
        """Return whether each of `moves` moves can have at least twice the last `share`."""
        enough_nodes = not self._counts or self._nodes >= 2 * share.nodes * moves
        return enough_nodes and (not self._times or self._seconds >= 2 * share.seconds * moves)


class MoveEvaluator:
    """Evaluates every move of a searched position."""

    def __init__(self, player: Player, position: Position, found: SearchInfo) -> None:
        """`found` is the result of that search, which also evaluates the best move."""
        self._player = player
        self._position = position
        self._root = evaluation_of(found)
        self._best = found.best
        self._evaluated: dict[int, Evaluation] = {}
        self._lines: dict[int, tuple[str, ...]] = {}
        self.nodes = 0
        """The nodes of the searches of moves so far."""
        self._open: list[int] = []
        """The moves of which a longer search would find more."""
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

    def search(self, limits: Limits, on_progress: OnProgress) -> None:
        """Spend the limits on the open moves, evenly; the unused part of proven moves goes to the others."""
        remaining = RemainingLimits(limits)
        while self._open:
            share = remaining.share(len(self._open))
            self._open = self._round(self._open, remaining, share, on_progress)
            if remaining.out_of_time or not remaining.affords(share, len(self._open)):
                return

    def _round(self, moves: list[int], remaining: RemainingLimits, share: Limits, on_progress: OnProgress) -> list[int]:
        """Search each move within `share`, as long as there is time; return those that a longer search would change."""
        still_open = []
        for done, move in enumerate(moves):
            if remaining.out_of_time:
                break
            on_progress(done, len(moves))
            own = remaining.share(len(moves) - done)  # less than `share` if searches exceeded theirs
            given = Limits(share.depth, share.nodes, min(share.seconds, own.seconds))
            started = time.monotonic()
            found = self._searched(move, given)
            remaining.spend(found.nodes, max(found.seconds, time.monotonic() - started))
            if self._is_open(move, found, given):
                still_open.append(move)
        on_progress(len(moves), len(moves))
        return still_open

    def ranked_moves(self) -> tuple[EvaluatedMove, ...]:
        """Return every move, the best first; no unproven move is above the position."""
        for move, evaluation in self._evaluated.items():
            if move != self._best and evaluation.proven is None:
                self._evaluated[move] = at_most(evaluation, self._root)
        if self._root.proven == "loss":  # then no move needs a search
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

    def _is_open(self, move: int, found: SearchInfo, share: Limits) -> bool:
        """Return whether a longer search of this move would find more: it is unproven, and the limit ended it."""
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
    """Return the evaluation of the position by its best move.

    A draw proven for this move alone is only a lower bound of the position.
    """
    best = moves[0].evaluation
    assert best is not None  # its search was the position's
    all_proven = all(one.evaluation is not None and one.evaluation.proven for one in moves)
    if best.proven != "draw" or found.proven == "draw" or all_proven:
        return best
    return replace(best, proven=None)


def analysis_document(analysis: Analysis) -> dict[str, Any]:
    """Return the analysis for JSON: the entries of an evaluation are in the object of its move.

    They are null for a move that was not searched.
    """
    document = asdict(analysis)
    document |= document.pop("evaluation")
    document["moves"] = [{"move": one.move, **_entries(one.evaluation), "pv": one.pv} for one in analysis.moves]
    return document


def _entries(evaluation: Evaluation | None) -> dict[str, Any]:
    return dict.fromkeys(one.name for one in fields(Evaluation)) if evaluation is None else asdict(evaluation)


def analysis_table(analysis: Analysis) -> str:
    """Return the analysis as readable lines."""
    lines = [
        f"{analysis.game} {analysis.position}",
        f"{analysis.side_to_move} to move: {words(analysis.evaluation)}",
        f"{analysis.player}: depth {analysis.depth}, {analysis.nodes} nodes, {analysis.seconds:.2f} s",
        f"best line: {' '.join(analysis.pv)}",
        *(f"{one.move:>6}  {words(one.evaluation)}" for one in analysis.moves),
    ]
    return "\n".join(lines)
