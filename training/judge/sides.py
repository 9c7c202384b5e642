"""The sides of a match: the player of a model file, and opponents by their names."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from fiedler.games import Game
from fiedler.players import Factory, Player, about, chosen, create, create_player, player_kind
from fiedler.players.option import find
from fiedler.support.errors import UsageError
from fiedler.support.player_spec import PlayerSpec, read_player
from fiedler.training.judge.match import naming


def model_player(
    model: Path, played: Game, simulations: int, options: Mapping[str, str] | None = None, device: str = "cpu"
) -> Factory:
    """Return the factory of the players that a model file names; they take `simulations` a move if they search.

    Raises:
        UsageError: The file is missing, damaged or of another game, or an option is wrong.
    """
    kind = player_kind(about(model)["player"])
    values = {"model": str(model), "device": device, kind.budget: str(simulations)}
    known = {option.name for option in kind.options()}
    own = {name: text for name, text in values.items() if name in known}
    return create(played, kind.name, {**own, **(options or {})})


def opponent(spec: PlayerSpec, played: Game, simulations: int) -> Factory:
    """Return the factory of an opponent; the player of a model file takes `simulations` a move if it searches.

    Raises:
        UsageError: The kind, the model or an option is wrong.
    """
    if spec.kind is None and spec.model is not None:
        return model_player(Path(spec.model), played, simulations, spec.options)
    return create_player(played, spec)


def kind_of(spec: PlayerSpec) -> type[Player]:
    """Return the kind of player of an opponent.

    Raises:
        UsageError: The kind or the model is wrong.
    """
    return player_kind(chosen(spec)[0] or "")


def read_reference(text: str) -> PlayerSpec:
    """Read a reference of a recipe, `NAME KEY=VALUE …`.

    Raises:
        UsageError: The text is wrong.
    """
    with naming(f"against {text!r}"):
        return read_player(text)


def reference(text: str, played: Game, simulations: int) -> Factory:
    """Return the factory of a reference of a recipe.

    Raises:
        UsageError: The text is wrong.
    """
    return ending(opponent(read_reference(text), played, simulations), text)


def ending(found: Factory, text: str) -> Factory:
    """Return the factory of an opponent, `text` in messages, whose players end their searches by themselves.

    Raises:
        UsageError: They do not; the factory is closed.
    """
    with closing(found.player()) as one:
        if one.bounded or one.instant:
            return found
    found.close()
    limit = found.kind.budget or ("depth" if found.kind.deepens else "limit")
    raise UsageError(f"against {text!r}: its search has no end; set its {limit}=N")


def check_options(player: str, options: Mapping[str, str]) -> None:
    """Refuse wrong options of a kind of player.

    Raises:
        UsageError: A name or a value is wrong.
    """
    known = player_kind(player).options()
    for name, text in options.items():
        find(known, name, player).read(text)
