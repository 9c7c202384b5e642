"""Draw the example of every game's page: `python docs/draw_boards.py` writes docs/images/board-*.svg."""

from __future__ import annotations

from pathlib import Path

from fiedler.games import GAMES, Game
from fiedler.games.picture import board_svg

IMAGES = Path(__file__).parent / "images"


def picture(game: Game) -> str:
    """Return the SVG of a game's example, its last move marked."""
    before, move = game.example.rsplit(maxsplit=1)
    return board_svg(game, game.parse_position(game.example), game.parse_position(before).parse_move(move))


def pictures() -> dict[str, str]:
    """Return the SVG of every game's example by file name."""
    return {f"board-{game.id}.svg": picture(game) for game in GAMES.values()}


def main() -> None:
    """Write the pictures."""
    for name, svg in pictures().items():
        (IMAGES / name).write_text(svg)


if __name__ == "__main__":
    main()
