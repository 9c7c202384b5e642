"""A person plays in the browser: `engine play --web` starts the server of pages, which knows this one player."""

from __future__ import annotations

import importlib.util
import shlex
import signal
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from fiedler.engine.person.foreign import ForeignEngine
from fiedler.engine.port.port_access import PortAccess
from fiedler.engine.roster.choice import Choice
from fiedler.games import Game
from fiedler.support.companion import Companion
from fiedler.support.errors import UsageError, WorkError
from fiedler.support.player_spec import toml_value
from fiedler.support.player_table import PlayerTable
from fiedler.support.programs import PYTHON

PROGRAM = (*PYTHON, "-m", "fiedler.web")
RESULTS = "results"
"""The folder of the server, in which people's ratings are kept."""
SHIPPED = "shipped"
"""The word for all players that ship."""
MOST_NAME = 64
"""The most characters of a player's name."""
LOOK_S = 0.05
WAIT_S = 10.0
"""Seconds for the end of the server; then it is killed."""


def offered_by(game: Game, foreign: ForeignEngine | None, choice: Choice) -> str | None:
    """Return the file that offers the player of the command line; None: it names none.

    Raises:
        UsageError: An option is wrong.
    """
    if foreign is not None:
        return _foreign(game, foreign)
    if choice.player is None and choice.model is None:
        if choice.settings or choice.device is not None:
            raise UsageError("--web: --set and --device need --player or --model")
        return None
    choice.factory(game).close()  # which reports what is wrong
    spec = choice.spec().within(Path.cwd())
    name = choice.level or spec.kind or Path(str(spec.model)).name
    return f"{PlayerTable.of(name[:MOST_NAME], spec).toml}\ngames = {toml_value([game.id])}\n"


def _foreign(game: Game, engine: ForeignEngine) -> str:
    if engine.access != PortAccess():
        raise UsageError("--web: takes no --token-file, --tls and --ca")
    if isinstance(engine.place, str):
        return _offer(game, engine.place, {"address": engine.place, "protocol": engine.dialect})
    ways = {"command": [*engine.place], "folder": str(Path.cwd()), "protocol": engine.dialect}
    return _offer(game, shlex.join(engine.place), ways)


def _offer(game: Game, name: str, ways: Mapping[str, object]) -> str:
    """Return the file that offers one engine of somebody else."""
    keys = {"name": name[:MOST_NAME], **ways, "games": [game.id]}
    return "\n".join(["[[players]]", *(f"{key} = {toml_value(value)}" for key, value in keys.items()), ""])


def play_in_browser(game: Game, offered: str | None, side: int, say: Callable[[str], None]) -> None:
    """Serve the page of a game until SIGINT or SIGTERM; `say` gets its address.

    `offered` is the file of the players; None: those that ship. The page offers the person the `side`, 0 or 1, first.

    Raises:
        UsageError: The extra is missing.
        WorkError: The server fails.
    """
    if importlib.util.find_spec("uvicorn") is None:
        raise UsageError("--web: the pages need the extra web: pip install 'fiedler[web]'")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "players.toml"
        file.write_text(offered or "", encoding="utf-8")
        _serve(f"{game.id}{'?side=second' if side else ''}", SHIPPED if offered is None else str(file), say)


def _serve(page: str, players: str, say: Callable[[str], None]) -> None:
    lines: list[str] = []
    listening = threading.Event()

    def take(line: str) -> None:
        lines.append(line)
        if line.startswith("listening on "):
            listening.set()

    companion = Companion([*PROGRAM, RESULTS, "--port", "0", "--play", players, "--child"], take)
    try:
        while not listening.wait(LOOK_S) and companion.is_running:
            pass
        if listening.is_set():
            try:
                say(f"play at {lines[-1].rsplit(maxsplit=1)[-1]}play/{page} (Ctrl-C ends the server)")
                companion.wait()
            except KeyboardInterrupt:  # the way to end it, from the moment the address is known
                return
        raise WorkError(f"the server of the pages has ended: {lines[-1].removeprefix('error: ') if lines else ''}")
    finally:
        companion.close(WAIT_S)
