"""Games of others: installed with an entry point, or named by a file or a module and an object in it.

An installed package names its game in the group `fiedler.games`; the name of the entry point is the id of the game.
A game that is not installed is `FILE.py:OBJECT` or `MODULE:OBJECT`, in a schedule, on a command line, or, for every
command, in the environment variable FIEDLER_GAMES.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from fiedler.games.game import AnyGame
from fiedler.games.openspiel_library import PREFIX
from fiedler.games.rules import failure, game_of
from fiedler.support.errors import UsageError, quoted_input
from fiedler.support.files import not_a_file

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "fiedler.games"
"""The group of the entry points."""
VARIABLE = "FIEDLER_GAMES"
"""The environment variable with places of games, between commas."""
FILE_END = ".py"


def is_place(name: str) -> bool:
    """Return whether a name is `FILE.py:OBJECT` or `MODULE:OBJECT`, not an id, nor a game of OpenSpiel."""
    module, colon, item = name.rpartition(":")
    is_module = module.endswith(FILE_END) or _is_dotted(module)
    return bool(colon) and item.isidentifier() and is_module and not name.startswith(PREFIX)


def advice(name: str) -> str:
    """Return how to name the rules in a file if a name means one, for the end of a message; else nothing."""
    file = name if name.endswith(FILE_END) else f"{name}{FILE_END}"
    is_meant = name.endswith(FILE_END) or (_is_dotted(name) and Path(file).is_file())
    return f"; the rules in a file are {file}:OBJECT, with the name of their object" if is_meant else ""


def absolute(place: str, folder: Path) -> str:
    """Return a place with the whole path of its file, which starts from `folder`."""
    module, _, item = place.rpartition(":")
    return f"{(folder / module).resolve()}:{item}" if module.endswith(FILE_END) else place


def load(place: str) -> AnyGame:
    """Return the game at a place; a path starts from the present folder.

    Raises:
        UsageError: There is none, or it cannot be used.
    """
    module, _, item = place.rpartition(":")
    is_file = module.endswith(FILE_END)
    if is_file and not Path(module).is_file():
        raise UsageError(not_a_file(Path(module)))
    found = _loaded(place, lambda: _of_file(Path(module)) if is_file else _of_module(module, item))
    if not hasattr(found, item):
        raise UsageError(f"{place}: there is no {item} in {Path(module).name}")
    return game_of(getattr(found, item), place)


def ids() -> list[str]:
    """Return the ids of the installed games, sorted."""
    return sorted({entry.name for entry in _entries()})


def installed(name: str) -> AnyGame | None:
    """Return the installed game with this id; None if there is none.

    Raises:
        UsageError: It cannot be used, or two packages have one.
    """
    entries = [entry for entry in _entries() if entry.name == name]
    if not entries:
        return None
    if len({entry.value for entry in entries}) > 1:
        raise UsageError(f"two packages have a game {name!r}: {' and '.join(map(_place, entries))}")
    place = _place(entries[0])
    found = game_of(_loaded(place, entries[0].load), place)
    if found.id != name:
        raise UsageError(f"{place}: expected the id {name!r}, which is its name, got {quoted_input(found.id)}")
    return found


def from_environment() -> list[str]:
    """Return the places in FIEDLER_GAMES.

    Raises:
        UsageError: One of them is none.
    """
    places, rest = _places()
    if rest:
        raise UsageError(f"{VARIABLE}: expected FILE.py:OBJECT or MODULE:OBJECT, got {quoted_input(rest)}")
    return places


def environment(place: str) -> dict[str, str]:
    """Return the environment of a child process that needs the game at a place, too."""
    known, rest = _places()
    return {**os.environ, VARIABLE: ",".join(dict.fromkeys([place, *known, *([rest] if rest else [])]))}


def _places() -> tuple[list[str], str]:
    """Return the places in FIEDLER_GAMES, and the rest, which is none. A path may have commas: a place ends a part."""
    found, part = list[str](), ""
    for piece in os.environ.get(VARIABLE, "").split(","):
        part = f"{part},{piece}" if part else piece.strip()
        if is_place(part.strip()):
            found.append(part.strip())
            part = ""
    return found, part


def _is_dotted(module: str) -> bool:
    return all(part.isidentifier() for part in module.split("."))


def _loaded(place: str, load: Callable[[], object]) -> object:
    try:
        return load()
    except UsageError:
        raise
    except (Exception, SystemExit) as error:
        raise UsageError(f"{place}: cannot be loaded: {failure(error)}") from error


def _of_module(module: str, item: str) -> object:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name not in {module, module.partition(".")[0]}:  # one that the module needs
            raise
        file = f"{module.replace('.', '/')}{FILE_END}:{item}"
        raise UsageError(f"there is no module {module}; the rules in a file are {file}") from None


def _of_file(path: Path) -> object:
    """Return the module in a file; the other files in its folder can be imported there."""
    name = path.stem
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None, "a file of Python"
    assert spec.loader is not None, "a file of Python"
    module = importlib.util.module_from_spec(spec)
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)
    is_new = sys.modules.setdefault(name, module) is module  # dataclasses look for their module there
    try:
        spec.loader.exec_module(module)
    except BaseException:
        if is_new:
            del sys.modules[name]
        raise
    return module


@functools.cache
def _entries() -> tuple[EntryPoint, ...]:
    from importlib.metadata import entry_points  # slow to import, and not needed for the games of the house

    return tuple(entry_points(group=GROUP))


def _place(entry: EntryPoint) -> str:
    package = "an unknown package" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"
    return f"entry point {entry.name} of {package} ({entry.value})"
