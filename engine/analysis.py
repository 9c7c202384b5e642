"""What a player thinks about a position, and about each move in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

from engine.judgement import DRAW, WIN, Judgement, at_most, before_the_move, judgement_of, words
from engine.thinking import think
from native import Limits, Position, SearchInfo
from players import Factory, Player

Tell = Callable[[int, int], None]
"""Hears how many moves of how many have been searched; a further round begins at 0 again."""

MIN_SECONDS = 0.02
MIN_NODES = 200
"""The least that a move is searched, however many there are: on a large board that may take longer than the limit."""
USED = 0.9
"""A search that spent this share of its limit was ended by it, and would find out more."""


@dataclass(frozen=True, slots=True)
class JudgedMove:
    """A move, and what it is worth to the side that plays it."""

    move: str
    judgement: Judgement
    pv: tuple[str, ...]
    """The move and what is expected to follow."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """What was found, from the side to move."""

    game: str
    player: str
    position: str
    side_to_move: str
    judgement: Judgement
    pv: tuple[str, ...]
    depth: int
    nodes: int
    seconds: float
    moves: tuple[JudgedMove, ...]
    """Every legal move, the best first: it begins `pv` and is worth what the position is."""


def analyze_position(factory: Factory, position: Position, limits: Limits, tell: Tell | None = None) -> Analysis:
    """Search a running position within `limits`, then its other moves, which share as much again.

    The two searches are brought together: that of the position looked deeper, so an unproven move is worth no more than
    it says; what is proven of the moves counts for the position.
    """
    player = factory.player()
    try:
        found = think(player, position, limits)
        judge = MoveJudge(player, position, found)
        judge.search(limits, tell or (lambda _done, _of: None))
    finally:
        player.close()
    moves = judge.verdict()
    return Analysis(
        game=factory.game.id,
        player=player.title,
        position=str(position),
        side_to_move=factory.game.sides[position.side_to_move],
        judgement=_of_the_position(moves, judgement_of(found)),
        pv=moves[0].pv,
        depth=found.depth,
        nodes=found.nodes,
        seconds=found.seconds,
        moves=moves,
    )


class MoveJudge:
    """Judges every move of a position that has been searched."""

    def __init__(self, player: Player, position: Position, found: SearchInfo) -> None:
        """`found` is what that search says: of the position, and so of its best move."""
        self._player = player
        self._position = position
        self._root = judgement_of(found)
        self._best = found.best
        self._judged: dict[int, Judgement] = {}
        self._lines: dict[int, tuple[str, ...]] = {}
        self._open: list[int] = []
        """The moves of which a longer search would find out more."""
        for move in position.legal_moves():
            self._begin(move, found)

    def _begin(self, move: int, found: SearchInfo) -> None:
        after = self._after(move)
        self._lines[move] = self._line(move)
        if after.result is not None:
            self._judged[move] = DRAW if after.result == 0 else WIN
        elif move == self._best:
            self._judged[move] = self._root
            self._lines[move] = self._line(*found.pv) if found.pv[:1] == [move] else self._line(move)
        else:
            self._open.append(move)

    def search(self, limits: Limits, tell: Tell) -> None:
        """Spend the limits on the open moves, evenly; what proven moves do not need goes to the others."""
        nodes, seconds = limits.nodes, limits.seconds
        least = Limits(0, MIN_NODES if nodes else 0, MIN_SECONDS if seconds else 0.0)
        while self._open:
            parts = len(self._open)
            share = Limits(
                max(limits.depth - 1, 1) if limits.depth else 0,  # the move itself is one ply
                max(nodes // parts, least.nodes),
                max(seconds / parts, least.seconds),
            )
            found = [self._searched(move, share, tell, (done, parts)) for done, move in enumerate(self._open)]
            tell(parts, parts)
            nodes -= sum(one.nodes for one in found)
            seconds -= sum(one.seconds for one in found)
            self._open = [move for move, one in zip(self._open, found, strict=True) if self._goes_on(move, one, share)]
            if _exhausted(share.nodes, nodes, len(self._open)) or _exhausted(share.seconds, seconds, len(self._open)):
                return

    def verdict(self) -> tuple[JudgedMove, ...]:
        """Return every move, the best first; none that is unproven is worth more than the position."""
        for move, judgement in self._judged.items():
            if move != self._best and judgement.proven is None:
                self._judged[move] = at_most(judgement, self._root)
        ranked = sorted(self._judged, key=self._rank, reverse=True)
        name = self._position.move_text
        return tuple(JudgedMove(name(move), self._judged[move], self._lines[move]) for move in ranked)

    def _rank(self, move: int) -> tuple[tuple[float, float], bool, bool]:
        judgement = self._judged[move]
        return judgement.worth, move == self._best, judgement.proven is not None

    def _searched(self, move: int, share: Limits, tell: Tell, progress: tuple[int, int]) -> SearchInfo:
        tell(*progress)
        after = self._after(move)
        found = think(self._player, after, share)
        self._judged[move] = before_the_move(judgement_of(found))
        self._lines[move] = self._line(move, *found.pv)
        return found

    def _goes_on(self, move: int, found: SearchInfo, share: Limits) -> bool:
        """Tell whether a longer search of this move would find out more: nothing is proven, and the limit ended it."""
        ended = found.nodes >= USED * share.nodes if share.nodes else False
        ended |= found.seconds >= USED * share.seconds if share.seconds else False
        return ended and self._judged[move].proven is None

    def _after(self, move: int) -> Position:
        after = self._position.copy()
        after.play(move)
        return after

    def _line(self, *moves: int) -> tuple[str, ...]:
        return tuple(map(self._position.move_text, moves))


def _exhausted(share: float, left: float, moves: int) -> bool:
    """Tell whether what is left of a limit gives so many moves hardly more than the share that they have had."""
    return share > 0 and left < 2 * share * moves


def _of_the_position(moves: tuple[JudgedMove, ...], found: Judgement) -> Judgement:
    """Return what the best move says of the position.

    A draw that is proven of this move alone is the least that the position is worth.
    """
    best = moves[0].judgement
    if best.proven != "draw" or found.proven == "draw" or all(one.judgement.proven for one in moves):
        return best
    return replace(best, proven=None)


def analysis_document(analysis: Analysis) -> dict[str, Any]:
    """Return the analysis for JSON: a judgement's entries stand beside what it judges."""
    document = asdict(analysis)
    document |= document.pop("judgement")
    document["moves"] = [{"move": one.move, **asdict(one.judgement), "pv": one.pv} for one in analysis.moves]
    return document


def analysis_table(analysis: Analysis) -> str:
    """Return the analysis as lines for people."""
    lines = [
        f"{analysis.game} {analysis.position}",
        f"{analysis.side_to_move} to move: {words(analysis.judgement)}",
        f"{analysis.player}: depth {analysis.depth}, {analysis.nodes} nodes, {analysis.seconds:.2f} s",
        f"best line: {' '.join(analysis.pv)}",
        *(f"{one.move:>6}  {words(one.judgement)}" for one in analysis.moves),
    ]
    return "\n".join(lines)
