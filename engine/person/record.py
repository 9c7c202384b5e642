"""The saved record of a game: PGN, or the line that resumes it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from fiedler.games import AnyGame, any_game
from fiedler.games.game import MOVES, START
from fiedler.games.pgn import end_tags, pgn_of, start_tags
from fiedler.games.position import Position
from fiedler.games.result import UNFINISHED, Result
from fiedler.support.errors import WorkError, system_reason


def position_argument(start: Position, moves: Sequence[str]) -> str:
    """Return the text for --position: the start of the game, and its moves."""
    word = str(start)
    if word == str(any_game(start.game).position()):
        word = START
    return " ".join([word, MOVES, *moves] if moves else [word])


def game_pgn(
    game: AnyGame,
    names: tuple[str, str],
    start: Position,
    moves: Sequence[str],
    sides: str,
    result: int | None,
    *,
    resigned: bool,
    level: str = "",
) -> str:
    """Return the game as PGN; `names` are those of the first and the second player, `level` is the engine's.

    `sides` are those of the moves: `games/sides.py`.
    """
    ended = UNFINISHED if result is None else Result.of(result)
    tags = {
        "Event": "engine play",
        "Site": "?",
        "Date": datetime.now().astimezone().strftime("%Y.%m.%d"),
        "Round": "-",
        "White": names[0],
        "Black": names[1],
        "Result": ended,
        **end_tags(ended, resigned=resigned),
        **({"Level": level} if level else {}),
        "Game": game.id,
        **game.pgn_tags(),
    }
    if str(start) != str(game.position()):
        tags |= start_tags(game.written_start(str(start)))
    return pgn_of(tags, game.pgn_moves(moves, str(start)), ended, sides=sides)


def save(name: str, text: str) -> None:
    """Write a new file.

    Raises:
        WorkError: it is not written; the message is a sentence for the person.

    """
    path = Path(os.path.expanduser(name))  # noqa: PTH111 - Path.expanduser raises for an unknown user
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise WorkError(f"{name} exists; name another file") from None
    except OSError as error:
        raise WorkError(f"cannot write {name}: {system_reason(error)}") from None
    except ValueError as error:  # a null byte in the name
        raise WorkError(f"cannot write {name}: {error}") from None
