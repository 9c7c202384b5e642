"""The library OpenSpiel: its games by name, loaded without a word of it on standard error."""

from __future__ import annotations

import os
import random
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from types import ModuleType
from typing import Any

from fiedler.support.errors import UsageError, nearest, quoted_input, reason

PREFIX = "openspiel:"
"""The beginning of the names of its games here."""
EXTRA = "pip install 'fiedler[openspiel]'"
MOST, MOST_DIMENSIONS, MOST_PLIES = 100, 3, 4096
"""The highest whole numbers: of a parameter, of `dims`, of one that begins with `max_`. The library allocates all."""
MOST_ACTIONS = 100_000
LEAST_SIMULATIONS = 2
"""Of a search of the library's UCT: the root of a tree has children from the second one on."""
TRIED_PLIES = 300
"""The plies of a random game after loading: some parameters fail later than that."""
_OWN = ("OpenSpiel exception:", "Spiel Fatal Error:", "Warning! The implementation of")
"""The beginnings of the library's lines on standard error."""
_CAUTION = "has known issues"
_capturing = threading.Lock()


def load(name: str) -> tuple[Any, str]:
    """Return the `pyspiel.Game` of a name behind the prefix, such as `hex(board_size=9)`, and the library's warning.

    The warning is empty for most games.

    Raises:
        UsageError: The library is not installed, the name or a parameter is wrong, or the game is none of two players
            who take turns with complete information, without chance, and with a sum of zero.
    """
    pyspiel = library(name)
    kind, parameters = _kind(name)
    if not kind.is_concrete:  # made from another game, whose parameters are not looked at, or from a file
        raise _refused(name, "expected a game with rules of its own")
    if wrong := _wrong_kind(pyspiel, kind):
        raise _refused(name, wrong)
    if unknown := next((key for key in parameters if key not in kind.parameter_specification), None):
        known = ", ".join(sorted(kind.parameter_specification))
        near = nearest(unknown, kind.parameter_specification)
        raise _refused(name, f"unknown parameter {quoted_input(unknown)}{near} (known: {known or 'none'})")
    _check_numbers(name, kind.parameter_specification, parameters)
    with _captured() as said:
        try:
            game = pyspiel.load_game(name)
            wrong = _wrong_kind(pyspiel, game.get_type()) or _wrong_game(game) or _wrong_play(game)
        except (pyspiel.SpielError, ValueError, MemoryError) as error:  # a name on too large a board is not UTF-8
            raise _refused(name, f"a parameter is wrong: {_first_line(error)}") from None
    if wrong:
        raise _refused(name, wrong)
    caution = next((line for line in said if _CAUTION in line), "")
    return game, f"OpenSpiel's {kind.short_name} {_CAUTION}" if caution else ""


def library(name: str) -> ModuleType:
    """Return the module `pyspiel`; raises UsageError, with the game that needs it, if it is not installed."""
    try:
        import pyspiel
    except ImportError:
        raise UsageError(f"{PREFIX}{name}: the games of OpenSpiel need the extra openspiel: {EXTRA}") from None
    found: ModuleType = pyspiel
    return found


@cache
def playable_names() -> tuple[str, ...]:
    """Return the names of the games that can be played here without a parameter; raises as `library`."""
    pyspiel = library("")
    return tuple(
        kind.short_name
        for kind in pyspiel.registered_games()
        if kind.default_loadable and not _wrong_kind(pyspiel, kind)
    )


def _kind(name: str) -> tuple[Any, dict[str, Any]]:
    """Return the `pyspiel.GameType` of a name, and the parameters in it; raises UsageError."""
    pyspiel = library(name)
    word = name.partition("(")[0]
    if not name.isprintable() or name != "".join(name.split()):
        wanted = f"expected {PREFIX}NAME or {PREFIX}NAME(KEY=VALUE,…), without blanks"
        raise UsageError(f"{wanted}, got {quoted_input(PREFIX + name)}")
    kinds = {kind.short_name: kind for kind in pyspiel.registered_games()}
    if word not in kinds:
        near = nearest(word, playable_names())
        raise UsageError(f"unknown game {quoted_input(PREFIX + name)}{near} (known: `engine games --openspiel`)")
    if wrong := _wrong_form(name):
        raise _refused(name, f"expected NAME(KEY=VALUE,…): {wrong}")
    with _captured():
        try:
            parameters = dict(pyspiel.game_parameters_from_string(name))
        except pyspiel.SpielError as error:
            raise _refused(name, f"expected NAME(KEY=VALUE,…): {_first_line(error)}") from None
    parameters.pop("name", None)
    return kinds[word], parameters


def _wrong_form(name: str) -> str:
    """Return the error in the parameters of a name, which the library would read somehow; empty without one."""
    _, bracket, inside = name.partition("(")
    parts, depth = [""], 1
    for place, sign in enumerate(inside if bracket else "", 1):
        depth += (sign == "(") - (sign == ")")
        if not depth:
            behind = inside[place:]
            return f"nothing behind the parenthesis, got {quoted_input(behind)}" if behind else _wrong_parameters(parts)
        parts = [*parts, ""] if sign == "," and depth == 1 else [*parts[:-1], parts[-1] + sign]
    return ""  # the library names a missing parenthesis


def _wrong_parameters(parts: list[str]) -> str:
    keys = [part.partition("=")[0] for part in parts]
    for part, key in zip(parts, keys, strict=True):
        value = part.partition("=")[2]
        if parts != [""] and not (key and value and not value.startswith("=")):
            return f"got {quoted_input(part)} without a value" if key else f"got {quoted_input(part)} without a name"
        if keys.count(key) > 1:
            return f"got {key} twice"
    return ""


def _wrong_kind(pyspiel: ModuleType, kind: Any) -> str:  # noqa: ANN401 - the library has no types
    """Return the property by which a game cannot be played here; empty if it can be."""
    types = pyspiel.GameType
    if not kind.min_num_players <= 2 <= kind.max_num_players:
        return f"expected a game of two players, got one of {_players(kind.min_num_players, kind.max_num_players)}"
    if kind.chance_mode != types.ChanceMode.DETERMINISTIC:
        return "expected a game without chance"
    if kind.dynamics != types.Dynamics.SEQUENTIAL:
        return "expected a game in which one player moves at a time, got simultaneous moves"
    if kind.information != types.Information.PERFECT_INFORMATION:
        return "expected a game of complete information, got hidden information"
    if kind.utility != types.Utility.ZERO_SUM:
        return "expected a game whose results have a sum of zero"
    return ""


def _check_numbers(name: str, defaults: Mapping[str, object], parameters: Mapping[str, object]) -> None:
    """Raise UsageError for a number with which the library may crash; 0 is allowed where it is the default."""
    for key, value in parameters.items():
        least = 0 if defaults[key] == 0 else 1
        most = MOST_PLIES if key.startswith("max_") else MOST_DIMENSIONS if key == "dims" else MOST
        if type(value) is int and not least <= value <= most:
            raise _refused(name, f"{key}: expected {least} to {most}, got {value}")


def _wrong_game(game: Any) -> str:  # noqa: ANN401
    """Return the property by which a loaded game cannot be played here: parameters change the number of players."""
    if game.num_players() != 2:
        return f"expected a game of two players, got one of {game.num_players()}"
    if game.num_distinct_actions() > MOST_ACTIONS:
        return f"expected at most {MOST_ACTIONS} different moves, got {game.num_distinct_actions()}"
    return "expected a game without chance" if game.new_initial_state().is_chance_node() else ""


def _wrong_play(game: Any) -> str:  # noqa: ANN401
    """Return why a random game fails; empty if it ends by the rules, or is still running. Raises as the library."""
    state, rng = game.new_initial_state(), random.Random(0)
    for ply in range(TRIED_PLIES):
        if state.is_terminal():
            break
        actions = state.legal_actions()
        if not actions:
            return f"a parameter is wrong: the game has no move {ply + 1}, and no result"
        player = state.current_player()
        for action in actions if ply == 0 else (actions[-1],):
            state.action_to_string(player, action)
        state.apply_action(rng.choice(actions))
    return "" if state.history() else "a parameter is wrong: the game has no first move"


def _players(least: int, most: int) -> str:
    return str(least) if least == most else f"{least} to {most}"


def _refused(name: str, why: str) -> UsageError:
    return UsageError(f"{PREFIX}{name}: {why}")


def _first_line(error: Exception) -> str:
    """Return the library's reason, without the place in its source."""
    line = str(error).strip().partition("\n")[0]
    return reason(line.partition(".cc:")[2].partition(" ")[2] or line.partition(".h:")[2].partition(" ")[2] or line)


@contextmanager
def _captured() -> Iterator[list[str]]:
    """Hold back what is written on standard error; at the end the list has the library's lines, the others come out.

    The library writes to the descriptor of the process, so this is short and one thread's at a time.
    """
    said: list[str] = []
    with _capturing, tempfile.TemporaryFile() as file:
        sys.stderr.flush()
        true = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            yield said
        finally:
            sys.stderr.flush()
            os.dup2(true, 2)
            os.close(true)
            file.seek(0)
            _sort_lines(file.read(), said)


def _sort_lines(written: bytes, said: list[str]) -> None:
    """Put the library's lines into a list, and write those of other threads to standard error."""
    text = written.decode(errors="replace")
    if not text.startswith(_OWN) and text:
        os.write(2, written)
        return
    said.extend(text.splitlines())
