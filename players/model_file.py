"""The file of a network: ONNX whose metadata names game, planes and player; its entries, its checksum, its probe."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fiedler.games import Game
from fiedler.native import Position
from fiedler.players.entries import PROBE, SEAL, missing_entry
from fiedler.players.onnx_file import other_files, read_metadata
from fiedler.support.errors import UsageError, quoted_input, system_reason
from fiedler.support.files import regular

Heads = Mapping[str, int]
"""The width of each output of a network, by name. In the graph they are (n, width), and (n,) where the width is 1."""
FORMAT = "1"
"""The format of the metadata: the entry `fiedler` of a file."""
MAX_NAME = 80
"""The longest name of a network, in characters."""
BLANK = "0" * 64
"""The entry SEAL of a file whose checksum is computed."""
PROBES = 8
"""The number of probe positions."""
PROBE_PLIES = 5
"""The plies between two of them."""


@dataclass(frozen=True, slots=True)
class Purpose:
    """The use of a network; a file for another one is refused."""

    game: Game
    player: str
    """The kind of player."""
    heads: Heads
    """The heads that this player needs; a file may have more."""


def read_model(path: Path) -> bytes:
    """Return the content of a file.

    Raises:
        UsageError: It cannot be read.
    """
    try:
        with regular(path) as file:
            return file.read()
    except OSError as error:
        raise UsageError(f"model {path}: {system_reason(error)}") from None


def checked_metadata(data: bytes, purpose: Purpose, name: str) -> dict[str, str]:
    """Return the metadata of a file's content; `name` is its name in messages.

    Raises:
        UsageError: The file is damaged or not for this purpose.
    """
    about = read_entries(data, name)
    if SEAL not in about:  # mostly a file of another program
        _check_metadata(about, purpose, name)
    _check_whole(data, name)  # a file that was saved in two has its old checksum
    _check_seal(data, about, name)
    _check_metadata(about, purpose, name)
    return about


def metadata(path: Path) -> dict[str, str]:
    """Return the unchecked metadata of a file, whose network is not loaded.

    Raises:
        UsageError: The file is missing or damaged.
    """
    return read_entries(read_model(path), str(path))


def probe_positions(game: Game) -> list[Position]:
    """Return fixed positions, spread over a game, for which a file records the answers of its network."""
    found: list[Position] = []
    position = game.position()
    while len(found) < PROBES:
        found.append(position.copy())
        for _ in range(PROBE_PLIES):
            moves = position.legal_moves()
            position.play(moves[(5 * position.ply + 3 * len(found)) % len(moves)])
            if position.result is not None:
                position = game.position()
    return found


def recorded_probe(about: Mapping[str, str], name: str) -> list[float]:
    """Return the numbers that a file records of its answers.

    Raises:
        UsageError: There are none.
    """
    if PROBE not in about:
        raise missing_entry(name, PROBE)
    try:
        return [float(x) for x in about[PROBE].split()]
    except ValueError:
        raise UsageError(
            f"model {name}: expected numbers in its entry {PROBE!r}, got {quoted_input(about[PROBE])}"
        ) from None


def check_probe_length(recorded: Sequence[float], expected: int, name: str) -> None:
    """Compare the number of recorded answers with that of the network of the model file `name`.

    Raises:
        UsageError: They differ.
    """
    if len(recorded) != expected:
        raise UsageError(f"model {name}: expected {expected} numbers in its entry {PROBE!r}, got {len(recorded)}")


def sealed(data: bytes) -> bytes:
    """Return the content of a file with its checksum, in place of the one BLANK in it."""
    assert data.count(BLANK.encode()) == 1
    return data.replace(BLANK.encode(), hashlib.sha256(data).hexdigest().encode())


def read_entries(data: bytes, name: str) -> dict[str, str]:
    """Return the unchecked metadata of a file's content; `name` is its name in messages.

    Raises:
        UsageError: The file is damaged.
    """
    try:
        return read_metadata(data)
    except UnicodeDecodeError as error:
        raise UsageError(f"model {name}: damaged, its metadata is not UTF-8 ({error.reason})") from None
    except ValueError as error:
        raise UsageError(f"model {name}: not an ONNX network, or damaged ({error})") from None


def one_line(text: str) -> str:
    """Return a name on one line of at most MAX_NAME characters, without control characters."""
    words = "".join(one if one.isprintable() else " " for one in text[: 2 * MAX_NAME]).split()
    return " ".join(words)[:MAX_NAME]


def _check_metadata(about: Mapping[str, str], purpose: Purpose, name: str) -> None:
    position = purpose.game.position()
    expected = {
        "fiedler": FORMAT,
        "game": purpose.game.id,
        "player": purpose.player,
        "planes": shape_text(position.planes_shape),
        "actions": str(position.num_actions),
    }
    check_entries(about, expected, name)


def check_entries(about: Mapping[str, str], expected: Mapping[str, str], name: str) -> None:
    """Compare the metadata of the model file `name` with the expected entries.

    Raises:
        UsageError: An entry is missing or has another value.
    """
    for key, value in expected.items():
        if key not in about:
            raise missing_entry(name, key)
        if about[key] != value:
            what = "format" if key == "fiedler" else key
            raise UsageError(f"model {name}: made for {what} {quoted_input(about[key])}, expected {value!r}")


def _check_seal(data: bytes, about: Mapping[str, str], name: str) -> None:
    """Refuse a file of which any byte has changed."""
    if SEAL not in about:
        raise missing_entry(name, SEAL)
    found = about[SEAL]
    if hashlib.sha256(data.replace(found.encode() or b"-", BLANK.encode(), 1)).hexdigest() != found:
        raise UsageError(f"model {name}: damaged, its checksum does not fit")


def _check_whole(data: bytes, name: str) -> None:
    """Refuse a file whose weights are elsewhere: its checksum says nothing about those."""
    try:
        files = other_files(data)
    except ValueError as error:
        raise UsageError(f"model {name}: not an ONNX network, or damaged ({error})") from None
    if files:
        raise UsageError(
            f"model {name}: its weights are in another file ({quoted_input(files[0])[1:-1]}); "
            "save the model as one file, or let `train seal` do it"
        )


def shape_text(shape: tuple[int, int, int]) -> str:
    """Return the shape in the form of the metadata, such as `6x9x9`."""
    return "x".join(map(str, shape))
