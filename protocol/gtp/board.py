"""The board as GoGui shows it: `gogui-rules_*`, and a drawing for terminals."""

from collections.abc import Iterable

from fiedler.protocol.gtp.command import NAMES
from fiedler.protocol.host import GameState

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
"""The columns: no I."""
PLAIN, NO_POINT = ".", "?"
COLORS = {
    "+": "#a0e0a0",
    "!": "#e08080",
    "*": "#f0d060",
    "X": "#4060c0",
    "O": "#ffffff",
    "#": "#808080",
    NO_POINT: "#505050",
}
"""The color of a point with this background: the board that must be played in, a forbidden point, a line that won, a
local board that Black or White won, a full one; and of a place without a point, which GoGui would draw as one."""


def rows(picture: Iterable[str]) -> str:
    """Return a board with a blank between the points of a row."""
    return "\n".join(" ".join(row) for row in picture)


def drawing(state: GameState) -> str:
    """Return the board for a terminal, under the side to move or the result."""
    if state.has_cells:
        return _drawing(state.picture, status(state))
    return "\n".join([status(state), *state.drawing])


def _drawing(picture: tuple[str, ...], title: str) -> str:
    """Return a board with the names of columns and rows, under a title."""
    size = len(picture)
    letters = "   " + " ".join(LETTERS[:size])
    numbered = [f"{size - place:>2} {' '.join(row)}".replace(NO_POINT, " ") for place, row in enumerate(picture)]
    return "\n".join([title, *numbered, letters])


def graphics(state: GameState, last: str) -> str:
    """Return the commands that draw what the stones do not show; `last` is the point of the last move."""
    size = len(state.background)
    points: dict[str, list[str]] = {}
    for place, row in enumerate(state.background):
        for column, sign in enumerate(row):
            if sign in COLORS:
                points.setdefault(sign, []).append(f"{LETTERS[column]}{size - place}")
    lines = [f"COLOR {COLORS[sign]} {' '.join(named)}" for sign, named in points.items()]
    if last:
        lines.append(f"CIRCLE {last}")
    return "\n".join([*lines, f"TEXT {status(state)}"])


def status(state: GameState) -> str:
    """Return the side to move or the end of the game, in words."""
    if state.result is None:
        return f"{NAMES[state.side_to_move].capitalize()} to move"
    if state.result == 0:
        return "Draw"
    return f"{NAMES[state.result < 0].capitalize()} wins by {state.won_by}"


def score(result: int, lead: float | None) -> str:
    """Return a result as `final_score` gives it: with the points, or 1 in a game without."""
    return f"{'B' if result > 0 else 'W'}+{1 if lead is None else abs(lead):g}" if result else "0"
