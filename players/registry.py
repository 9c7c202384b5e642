"""The registry of all players. To add one: a module, an entry here."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path

from fiedler.games import AnyGame, Game
from fiedler.games.openspiel import SpielGame
from fiedler.players.entries import NETWORK, missing_entry
from fiedler.players.player import MODEL_OPTION, Factory, Player
from fiedler.players.shipped import best, default_model
from fiedler.support.errors import UsageError, nearest, quoted_input
from fiedler.support.player_spec import PlayerSpec

PLAYERS: dict[str, tuple[str, str]] = {
    "random": ("fiedler.players.bots", "RandomPlayer"),
    "osp": ("fiedler.players.bots", "OspPlayer"),
    "hsp": ("fiedler.players.bots", "HspPlayer"),
    "negamax": ("fiedler.players.negamax", "NegamaxPlayer"),
    "mcts": ("fiedler.players.mcts", "MctsPlayer"),
    "checkpoint": ("fiedler.players.checkpoint", "CheckpointPlayer"),
    "descent": ("fiedler.players.descent", "DescentPlayer"),
    "td": ("fiedler.players.td", "TdPlayer"),
    "td-net": ("fiedler.players.td_net", "TdNetPlayer"),
    "policy": ("fiedler.players.policy", "PolicyPlayer"),
    "dqn": ("fiedler.players.dqn", "DqnPlayer"),
    "table": ("fiedler.players.table", "TablePlayer"),
}
"""Name -> module and class; a module is loaded with the first use of its player."""
WITHOUT_CORE: dict[str, tuple[str, str]] = {"random": PLAYERS["random"]}
"""The players of a game without a core."""
OPENSPIEL: dict[str, tuple[str, str]] = {**WITHOUT_CORE, "mcts": ("fiedler.players.openspiel", "SpielMctsPlayer")}
"""The players of OpenSpiel's games."""
FORMATS: dict[str, tuple[str, str]] = {
    ".onnx": ("fiedler.players.model_file", "metadata"),
    ".table": ("fiedler.players.table_file", "metadata"),
}
"""Ending of a model file -> module and function that read its metadata."""
FACTOR, FIXED_MB = 3.0, 1.0
"""The memory of a loaded model: this factor times its file, and these MiB. 0.7 MB of a network take 1.6 MiB."""
OWN = "python:"
"""The beginning of the name of a player of one's own in OpenSpiel's games: `python:MODULE.CLASS`."""
FALLBACK = "mcts"
"""The player of a game whose players are not measured."""


def player_kind(name: str, known: Mapping[str, tuple[str, str]] = PLAYERS, where: str = "") -> type[Player]:
    """Return the class of the player of this name among the `known` ones, those of the place `where`.

    Raises:
        UsageError: The name is unknown; the text gives the nearest known one.
    """
    if name not in known:
        raise UsageError(f"unknown player {name!r}{where}{nearest(name, known)} (known: {', '.join(known)})")
    module, kind = known[name]
    found: type[Player] = getattr(importlib.import_module(module), kind)
    return found


def about(model: Path) -> Mapping[str, str]:
    """Return the metadata of a model file: its `game`, its `player` and more.

    Raises:
        UsageError: The file is missing or damaged, does not name both, or names an unknown player.
    """
    if model.suffix not in FORMATS:
        raise UsageError(f"model {model}: expected a file *{' or *'.join(FORMATS)}")
    module, reader = FORMATS[model.suffix]
    entries: Mapping[str, str] = getattr(importlib.import_module(module), reader)(model)
    for needed in ("game", "player"):
        if needed not in entries:
            raise missing_entry(str(model), needed)
    if entries["player"] not in PLAYERS:
        raise UsageError(
            f"model {model}: made for player {quoted_input(entries['player'])}, known: {', '.join(PLAYERS)}"
        )
    return entries


def loaded_mb(model: Path, game: Game) -> float:
    """Return the memory of a loaded model of the game, in MiB, by estimate.

    Raises:
        UsageError: It cannot be read, or is damaged.
    """
    found = FIXED_MB + FACTOR * model.stat().st_size / 2**20
    if model.suffix == NETWORK:
        from fiedler.players.incremental import has_rows, rows_bytes
        from fiedler.players.model_file import metadata, read_model

        if has_rows(entries := metadata(model)):
            found += rows_bytes(read_model(model), entries, game.id, str(model)) / 2**20
    return found


def complete(
    game: Game, name: str | None = None, options: Mapping[str, str] | None = None
) -> tuple[str, dict[str, str]]:
    """Return the player that `create` makes, and its options.

    None as the name: the strongest player of the game that the installed extras allow, by measured rating, with its
    options and its model. The strongest model that ships for a player is its default.
    """
    values = dict(options or {})
    if name is None:
        found = best(game.id)
        name = found.player if found else FALLBACK
        if found and found.model:
            values.setdefault(MODEL_OPTION, str(found.model))
        values = {**found.options, **values} if found else values
    if (model := default_model(game.id, name)) is not None:
        values.setdefault(MODEL_OPTION, str(model))
    return name, values


def chosen(spec: PlayerSpec) -> tuple[str | None, dict[str, str]]:
    """Return the name and the options of a player for `create`. A model without a kind names its player.

    Raises:
        UsageError: The kind is unknown or takes no model, or the model is missing, damaged or of an unknown player.
    """
    if spec.model is None:
        return spec.kind, spec.settings
    kind = about(Path(spec.model))["player"] if spec.kind is None else spec.kind
    if all(option.name != MODEL_OPTION for option in player_kind(kind).options()):
        raise UsageError(f"player {kind} takes no model, got {spec.model!r}")
    return kind, spec.settings


def create_player(game: AnyGame, spec: PlayerSpec) -> Factory:
    """Return the factory of a player as people write it; raises as `chosen` and `create`."""
    if not isinstance(game, Game):
        return _without_core(game, spec)
    return create(game, *chosen(spec))


def kinds_of(game: AnyGame) -> Mapping[str, tuple[str, str]]:
    """Return the players of a game by name, in the form of PLAYERS."""
    if isinstance(game, Game):
        return PLAYERS
    return OPENSPIEL if isinstance(game, SpielGame) else WITHOUT_CORE


def _without_core(game: AnyGame, spec: PlayerSpec) -> Factory:
    """Return the factory of a player of a game that is not in the core; raises UsageError."""
    if spec.model is not None:
        raise UsageError(f"no player of {game.id} takes a model, got {spec.model!r}")
    known = kinds_of(game)
    name = spec.kind or list(known)[-1]
    if name.startswith(OWN) and isinstance(game, SpielGame):
        from fiedler.players.own_bot import OwnBotFactory

        return OwnBotFactory(game, name.removeprefix(OWN), spec.options)
    return Factory(player_kind(name, known, f" of {game.id}"), game, spec.options)


def create(game: Game, name: str | None = None, options: Mapping[str, str] | None = None) -> Factory:
    """Return the factory of players of this name with these options (values as text), one player for each session.

    A name of None and a model that is not given are those of `complete`.

    Raises:
        UsageError: The player, an option or a value is wrong, or the model is missing, damaged or of another game.
    """
    name, values = complete(game, name, options)
    return player_kind(name).factory(game, values)
