"""The file of `engine serve --players`: players by name, checked before any model is loaded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TypeVar

from msgspec import Meta, Struct

from engine.roster.roster import CHOICE, Named, Roster
from games import Game
from players import MODEL_OPTION, THREADS_OPTION, Factory, Value, about, complete, create, loaded_mb, player_kind
from players.option import find
from protocol import LocalProtocolError
from protocol import Option as ProtocolOption
from protocol.ugi.option import option_line
from support.errors import UsageError
from support.toml import Refuse, TomlFile

Checked = TypeVar("Checked")


class PlayerTable(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[[players]]`: a player with its name."""

    name: Annotated[str, Meta(min_length=1, max_length=64)]
    """Unique, in words."""
    player: str | None = None
    """A player of `engine players`."""
    model: str | None = None
    """Instead: a model file, which names its player; relative to the folder of this file."""
    options: dict[str, str | int | float | bool] = {}
    """Settings of the player."""


class PlayersFile(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The whole file."""

    players: Annotated[tuple[PlayerTable, ...], Meta(min_length=1)]


def read_roster(path: Path, game: Game, models_mb: int) -> Roster:
    """Return the players of a file, none of whose models is loaded.

    Raises:
        UsageError: The file, a name, a player, an option or a model is wrong: `FILE: KEY: expected …, got …`.
    """
    file = TomlFile(path)
    raw = file.parse()
    file.refuse_unknown(raw, PlayersFile)
    players: dict[str, Named] = {}
    for table in file.convert(raw, PlayersFile).players:
        key = f"players {table.name!r}"
        if table.name in players:
            file.refuse(f"{key}.name", "expected a name of its own, got it twice")
        _check_name(table.name, key, file.refuse)
        named = players[table.name] = _Entry(table, key, game, path.parent, file.refuse).named()
        if named.megabytes > models_mb:
            wrong = (
                f"expected at most {models_mb} MiB (--models-mb), got a model of {named.megabytes:.1f} MiB in memory"
            )
            file.refuse(key, wrong)
    return Roster(list(players.values()), models_mb)


def _check_name(name: str, key: str, refuse: Refuse) -> None:
    """Refuse a name that a client could not choose."""
    try:
        option_line(ProtocolOption(CHOICE, "combo", name, choices=(name,)))
    except LocalProtocolError as error:
        refuse(f"{key}.name", str(error).removeprefix(f"option {CHOICE!r}: "))


class _Entry:
    """One table of the file."""

    def __init__(self, table: PlayerTable, key: str, game: Game, folder: Path, refuse: Refuse) -> None:
        self._table = table
        self._key = key
        self._game = game
        self._folder = folder
        self._refuse = refuse

    def named(self) -> Named:
        """Return the player; a wrong table is refused."""
        player, texts = self._chosen()
        values = {name: self._read(player, name, text) for name, text in texts.items()}
        threads, model = values.get(THREADS_OPTION, 1), values.get(MODEL_OPTION)
        assert isinstance(threads, int)

        def make() -> Factory:
            return create(self._game, player, texts)

        if not model:
            self._checked("", lambda: make().close())
        megabytes = self._checked("", lambda: loaded_mb(Path(str(model)), self._game)) if model else 0.0
        return Named(self._table.name, make, megabytes, threads, str(model or ""))

    def _chosen(self) -> tuple[str, dict[str, str]]:
        """Return the player, and its options as text."""
        table = self._table
        if (table.player is None) == (table.model is None):
            got = "none" if table.player is None else "both"
            self._refuse(self._key, f"expected one of player and model, got {got}")
        texts = {name: _text(value) for name, value in table.options.items()}
        model = texts.get(MODEL_OPTION) if table.model is None else table.model
        player = table.player
        if player is not None:
            self._checked(".player", lambda: player_kind(player or ""))
        if model is not None:
            texts[MODEL_OPTION] = str(self._folder / model)
            key = ".model" if table.model is not None else f".options.{MODEL_OPTION}"
            player = self._player_of(self._folder / model, key, player)
        return complete(self._game, player, texts)

    def _player_of(self, model: Path, key: str, player: str | None) -> str:
        """Return the player of a model file, which is `player`, if one is named; a model for another one is refused."""
        made_for = self._checked(key, lambda: about(model))
        if made_for["game"] != self._game.id:
            self._refuse(self._key + key, f"expected a model of {self._game.id}, got one of {made_for['game']!r}")
        if player is None:
            return made_for["player"]
        kind = player_kind(player)
        if any(option.name == MODEL_OPTION for option in kind.options()) and not kind.takes(made_for["player"]):
            self._refuse(self._key + key, f"expected a model of player {player}, got one of {made_for['player']!r}")
        return player

    def _read(self, player: str, name: str, text: str) -> Value:
        key = f".options.{name}"
        option = self._checked(key, lambda: find(player_kind(player).options(), name, player))
        return self._checked(key, lambda: option.read(text))

    def _checked(self, key: str, job: Callable[[], Checked]) -> Checked:
        """Return the result of a job; its error is that of a key."""
        try:
            return job()
        except UsageError as error:
            self._refuse(self._key + key, str(error))


def _text(value: str | float | bool) -> str:
    """Return the value of an option as a client writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
