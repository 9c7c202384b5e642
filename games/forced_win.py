"""The proof that the side to move wins against every reply."""

from __future__ import annotations

from fiedler import native
from fiedler.games.position import ForcedWin, Position, is_solvable


def forced_win(position: Position, nodes: int) -> ForcedWin | None:
    """Return a win by force of the side to move, found in a search of this many positions.

    None if no win was found, or the game has no such search.
    """
    if isinstance(position, native.Position):
        return native.forced_win(position, nodes)
    return position.forced_win(nodes) if is_solvable(position) else None
