"""The players that a server offers to people, by game. They are named at the start, and no request names another."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from fiedler import games
from fiedler.protocol import DEFAULT, DIALECTS
from fiedler.support.address import parse_address
from fiedler.support.complaints import usage_error
from fiedler.support.errors import UsageError, nearest
from fiedler.support.files import not_a_file
from fiedler.support.player_table import PlayerTable, wrong_ways
from fiedler.support.toml import TomlFile
from fiedler.tournament.run.known_options import unknown_parts
from fiedler.tournament.schedule.schedule import PlayerEntry

SHIPPED = "shipped"
"""In place of a file: the players that ship with the project."""
MODELS = Path(games.__file__).parent.parent / "models"
BOTS = ("hsp", "osp", "random")
"""Players of every game that answer at once."""
WAYS = ("player", "model", "command", "address")
START_S = 30.0
"""The time for the names of the players that we have."""


class OfferedPlayer(PlayerTable, frozen=True, kw_only=True):
    """`[[players]]` of a file: a player, with exactly one of `player`, `model`, `command` and `address`.

    A model is relative to the folder of the file; `player` may name the kind beside it.
    """

    name: Annotated[str, Meta(min_length=1, max_length=64)]
    """Unique."""
    command: Annotated[tuple[str, ...], Meta(min_length=1)] | None = None
    """A program and its arguments, connected by pipes."""
    folder: str = "."
    """Where the program runs, relative to the folder of this file."""
    address: str | None = None
    """`HOST:PORT` of an engine."""
    protocol: str = DEFAULT
    """The dialect of a `command` or an `address`."""
    games: tuple[str, ...] = ()
    """The games that it plays; needed, except with `player` alone, where none means all."""


class OfferFile(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The whole file."""

    players: Annotated[tuple[OfferedPlayer, ...], Meta(min_length=1)]


@dataclass(frozen=True)
class OfferedEngine:
    """A player of one game."""

    name: str
    game: str
    """The id of the game."""
    entry: PlayerEntry
    folder: Path
    """Of relative paths, and of a command."""
    elo: float | None = None
    """Its measured rating, at 100 ms a move; None: not measured."""
    error: float | None = None
    """Half of the 95 % interval of that."""


class Offers:
    """The players of every game."""

    def __init__(self, offers: Iterable[OfferedEngine] = ()) -> None:
        self._games: dict[str, dict[str, OfferedEngine]] = {}
        for offer in offers:
            self._games.setdefault(offer.game, {})[offer.name] = offer

    def of(self, game: str) -> list[OfferedEngine]:
        """Return the players of a game."""
        return list(self._games.get(game, {}).values())

    def find(self, game: str, name: str) -> OfferedEngine | None:
        """Return the player of this name; None if none is offered."""
        return self._games.get(game, {}).get(name)


def read_offers(source: str | None) -> Offers:
    """Return the players of a file, of SHIPPED, or none.

    Raises:
        UsageError: The file or a player is wrong.
    """
    if source is None:
        return Offers()
    return Offers(_shipped()) if source == SHIPPED else Offers(_read(TomlFile(Path(source))))


def _shipped(folder: Path = MODELS) -> Iterator[OfferedEngine]:
    """Yield the measured players of each game, the strongest first, then the levels, then those that answer at once."""
    measured = json.loads((folder / "strengths.json").read_text("utf-8"))
    levels = json.loads((folder / "levels.json").read_text("utf-8"))
    for game in games.GAMES:
        known: set[str] = set()
        for one in measured.get(game, []):
            options = {**one["options"], **({"model": str(folder / one["model"])} if "model" in one else {})}
            name = _unlike(known, _label(one))
            known.add(name)
            entry = PlayerEntry(name=name, player=one["player"], options=options)
            yield OfferedEngine(name, game, entry, folder, one["elo"], one["error"])
        for one in reversed(levels):
            entry = PlayerEntry(name=one["level"], player=one["player"], options=one["options"])
            yield OfferedEngine(one["level"], game, entry, folder)
        for bot in BOTS:
            yield OfferedEngine(bot, game, PlayerEntry(name=bot, player=bot), folder)


def _label(one: dict[str, Any]) -> str:
    words = [Path(str(value)).name if key == "model" else f"{key} {value}" for key, value in one["options"].items()]
    return ", ".join([one["player"], *([one["model"]] if "model" in one else []), *words])


def _unlike(known: set[str], name: str) -> str:
    return name if name not in known else _unlike(known, f"{name}'")


def _read(file: TomlFile) -> list[OfferedEngine]:
    raw = file.parse()
    file.refuse_unknown(raw, OfferFile)
    folder = file.path.parent.absolute()
    found: dict[str, tuple[OfferedPlayer, PlayerEntry]] = {}
    for player in file.convert(raw, OfferFile).players:
        key = f"players {player.name!r}"
        if player.name in found:
            file.refuse(f"{key}.name", "expected a name of its own, got it twice")
        _check(player, key, file)
        _check_reach(player, key, file)
        found[player.name] = player, _entry(player, folder)
    if wrong := unknown_parts((entry for _, entry in found.values()), START_S):
        raise usage_error(file.line(*one) for one in wrong)
    return [
        OfferedEngine(player.name, game, entry, folder / player.folder)
        for player, entry in found.values()
        for game in map(games.game_id, player.games or games.GAMES)
    ]


def _entry(player: OfferedPlayer, folder: Path) -> PlayerEntry:
    found = PlayerEntry(
        name=player.name,
        command=player.command,
        address=player.address,
        protocol=player.protocol,
        options=player.options,
    )
    if player.command or player.address:
        return found
    spec = player.spec.within(folder)
    return msgspec.structs.replace(found, player=spec.kind, model=spec.model, options=dict(spec.options))


def _check(player: OfferedPlayer, key: str, file: TomlFile) -> None:
    for wrong in wrong_ways(player, key, WAYS):
        file.refuse(*wrong)
    if not player.games and (player.player is None or player.model is not None):
        file.refuse(f"{key}.games", "expected the games that it plays, got none")
    if player.protocol not in DIALECTS:
        file.refuse(f"{key}.protocol", f"expected one of {', '.join(DIALECTS)}, got {player.protocol!r}")
    for game in player.games:
        if games.game_id(game) in games.GAMES:
            continue
        if games.known_game(game) is not None:
            file.refuse(f"{key}.games", f"{game!r} is not played by clicks")
        else:
            file.refuse(f"{key}.games", f"unknown game {game!r}{nearest(game, games.GAMES)}")


def _check_reach(player: OfferedPlayer, key: str, file: TomlFile) -> None:
    """Refuse what would only fail in a game."""
    if player.command is not None and not all(player.command):
        file.refuse(f"{key}.command", 'expected a program and its arguments, as ["program", "argument"]')
    if player.model is not None and not (path := file.path.parent / player.model).is_file():
        file.refuse(f"{key}.model", not_a_file(path))
    if player.address is not None:
        try:
            parse_address(player.address)
        except UsageError as error:
            file.refuse(f"{key}.address", str(error))
