"""The sides of a match: the player of a model file, and opponents by their names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path

from games import Game
from players import Factory, Player, about, create, player_kind
from players.option import find
from support.errors import UsageError


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


def opponent(name: str, played: Game, simulations: int, options: Mapping[str, str]) -> Factory:
    """Return the factory of an opponent: a player by its name, or that of a model file.

    Raises:
        UsageError: The name, the file or an option is wrong.
    """
    path = Path(name)
    return model_player(path, played, simulations, options) if path.suffix else create(played, name, options)


def kind_of(name: str) -> type[Player]:
    """Return the kind of player of an opponent.

    Raises:
        UsageError: The name or the file is wrong.
    """
    path = Path(name)
    return player_kind(about(path)["player"] if path.suffix else name)


def reference(text: str, played: Game, simulations: int) -> Factory:
    """Return the factory of a reference of a recipe: the name of an opponent, then its options.

    Raises:
        UsageError: The text is wrong.
    """
    name, *words = text.split() or [""]
    return ending(opponent(name, played, simulations, settings(words, f"against {text!r}")), text)


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


def settings(words: Iterable[str], place: str) -> dict[str, str]:
    """Return words `KEY=VALUE` as options; `place` names them in the error.

    Raises:
        UsageError: A word has no sign `=`.
    """
    found = {}
    for word in words:
        key, sign, value = word.partition("=")
        if not sign:
            raise UsageError(f"{place}: expected KEY=VALUE, got {word!r}")
        found[key] = value
    return found
