"""The file of `engine serve --players`: players by name, checked before any model is loaded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TypeVar

from msgspec import Meta, Struct

from fiedler.engine.roster.roster import CHOICE, Named, Roster, WrongPlayerError
from fiedler.games import Game
from fiedler.players import (
    MODEL_OPTION,
    THREADS_OPTION,
    Factory,
    Value,
    about,
    chosen,
    complete,
    create,
    loaded_mb,
    player_kind,
)
from fiedler.players.option import find
from fiedler.protocol import LocalProtocolError
from fiedler.protocol import Option as ProtocolOption
from fiedler.protocol.ugi.option import option_line
from fiedler.support.errors import UsageError
from fiedler.support.player_table import PlayerTable, wrong_ways
from fiedler.support.toml import Refuse, TomlFile

Checked = TypeVar("Checked")
WAYS = ("player", "model")
"""The keys that name a player."""


class NamedTable(PlayerTable, frozen=True, kw_only=True):
    """`[[players]]`: a player with its name; its model is relative to the folder of the file."""

    name: Annotated[str, Meta(min_length=1, max_length=64)]
    """Unique, in words."""


class PlayersFile(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The whole file."""

    players: Annotated[tuple[NamedTable, ...], Meta(min_length=1)]


def read_roster(path: Path, game: Game, models_mb: int, *, refuses: bool = True) -> Roster:
    """Return the players of a file, none of whose models is loaded. `refuses`: as for `Roster`.

    Raises:
        WrongPlayerError: A player, an option or a model is wrong: `FILE: players 'NAME'.KEY: expected …, got …`.
        UsageError: The file or a name is wrong.
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
        try:
            named = players[table.name] = _Entry(table, key, game, path.parent, file.refuse).named()
            if refuses and named.megabytes > models_mb:
                got = f"got a model of {named.megabytes:.1f} MiB in memory"
                file.refuse(key, f"expected at most {models_mb} MiB (--models-mb), {got}")
        except UsageError as error:
            raise WrongPlayerError(table.name, str(error)) from error
    return Roster(list(players.values()), models_mb, refuses=refuses)


def _check_name(name: str, key: str, refuse: Refuse) -> None:
    """Refuse a name that a client could not choose."""
    try:
        option_line(ProtocolOption(CHOICE, "combo", name, choices=(name,)))
    except LocalProtocolError as error:
        refuse(f"{key}.name", str(error).removeprefix(f"option {CHOICE!r}: "))


class _Entry:
    """One table of the file."""

    def __init__(self, table: NamedTable, key: str, game: Game, folder: Path, refuse: Refuse) -> None:
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
        for wrong in wrong_ways(self._table, self._key, WAYS):
            self._refuse(*wrong)
        spec = self._table.spec.within(self._folder)
        if spec.kind is not None:
            self._checked(".player", lambda: player_kind(spec.kind or ""))
        key = f".options.{MODEL_OPTION}" if self._table.model is None else ".model"
        player, texts = self._checked(key, lambda: chosen(spec))
        if spec.model is not None and player is not None:
            self._check_model(Path(spec.model), key, player)
        return complete(self._game, player, texts)

    def _check_model(self, model: Path, key: str, player: str) -> None:
        """Refuse a model of another game or for another player."""
        made_for = self._checked(key, lambda: about(model))
        if made_for["game"] != self._game.id:
            self._refuse(self._key + key, f"expected a model of {self._game.id}, got one of {made_for['game']!r}")
        if not player_kind(player).takes(made_for["player"]):
            self._refuse(self._key + key, f"expected a model of player {player}, got one of {made_for['player']!r}")

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
