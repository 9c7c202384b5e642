"""Games that are small enough to list every position, with its value under exact play."""

from __future__ import annotations

from dataclasses import dataclass, field

from fiedler.games import Game
from fiedler.native import Position
from fiedler.support.errors import UsageError

MOST_POSITIONS = 20_000


@dataclass(slots=True, eq=False)
class Node:
    """A position that play can reach."""

    position: Position
    side: int
    """The side to move: 0 first player, 1 second player."""
    result: int | None
    """For the first player: 1, 0 or -1; None while the game is running."""
    moves: list[int] = field(default_factory=list)
    children: list[Node] = field(default_factory=list)
    """The position after each of the moves."""
    value: int = 0
    """The result of exact play, for the first player."""

    def value_for(self, side: int) -> int:
        """Return the result of exact play for a side."""
        return self.value * (1 - 2 * side)

    def preserves(self, child: Node) -> bool:
        """Return whether the move to `child` keeps the value of this position."""
        return child.value == self.value


@dataclass(frozen=True, slots=True)
class SmallGame:
    """All positions of a game."""

    nodes: list[Node]
    """By the number of plies: a position comes before those after it, the start of the game first."""
    by_position: dict[Position, Node]

    @property
    def running(self) -> list[Node]:
        """The positions in which the game is not over."""
        return [node for node in self.nodes if node.result is None]


def small_game(game: Game) -> SmallGame:
    """Return all positions of a game.

    Raises:
        UsageError: The game has too many.
    """
    found = SmallGame([], {})
    _node(found, game.position())
    for node in found.nodes:  # grows
        for move in node.position.legal_moves():
            child = node.position.copy()
            child.play(move)
            node.moves.append(move)
            node.children.append(found.by_position.get(child) or _node(found, child))
        if len(found.nodes) > MOST_POSITIONS:
            raise UsageError(f"{game.id}: expected a game of at most {MOST_POSITIONS:,} positions, such as tictactoe")
    for node in reversed(found.nodes):
        _evaluate(node)
    return found


def _node(found: SmallGame, position: Position) -> Node:
    node = Node(position, position.side_to_move, position.result)
    found.nodes.append(node)
    found.by_position[position] = node
    return node


def _evaluate(node: Node) -> None:
    """Set the value of a position whose children have theirs."""
    if node.result is not None:
        node.value = node.result
    else:
        best = min if node.side else max
        node.value = best(child.value for child in node.children)
