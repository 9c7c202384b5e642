"""The options that choose a game and a player, shared by the commands."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar, overload

import click

from fiedler.games import GAMES, AnyGame, Game, named_game
from fiedler.games import game as find_game
from fiedler.games.game import MOVES
from fiedler.games.openspiel_library import PREFIX
from fiedler.games.rule_keys import parsed_rules
from fiedler.protocol import DIALECTS
from fiedler.support.errors import UsageError, nearest, quoted_input
from fiedler.support.option_type import OptionType
from fiedler.support.player_spec import PlayerSpec, make_spec, read_options

if TYPE_CHECKING:
    from fiedler import native
    from fiedler.games.position import Position
    from fiedler.players import Factory

Result = TypeVar("Result")
Command = Callable[..., Result]


class GameType(OptionType[Game]):
    """The id of a game."""

    name = "game"

    def convert(self, value: str | Game, param: click.Parameter | None, ctx: click.Context | None) -> Game:  # noqa: ARG002
        """Return the game.

        Raises:
            UsageError: The game is unknown; the text gives the nearest known one.
        """
        if isinstance(value, str) and value.startswith(PREFIX):
            raise UsageError(f"--game: expected one of our games ({', '.join(GAMES)}), got {quoted_input(value)}")
        return value if isinstance(value, Game) else find_game(value)


class AnyGameType(OptionType[AnyGame]):
    """The id of a game, in the core or not, or the place of its rules; without rules only if it may have none."""

    name = "game"

    def __init__(self, *, without_rules: bool = False) -> None:
        self._without_rules = without_rules

    def convert(self, value: str | AnyGame, param: click.Parameter | None, ctx: click.Context | None) -> AnyGame:  # noqa: ARG002
        """Return the game.

        Raises:
            UsageError: The game is unknown, with the nearest known one, or cannot be used.
        """
        game = value if isinstance(value, AnyGame) else named_game(value)
        if not game.has_rules and not self._without_rules:
            raise UsageError(f"--game: expected a game whose rules are known here, got {game.id!r}")
        return game


@dataclass(frozen=True, slots=True)
class Choice:
    """The player that the command line chooses; None: not given."""

    player: str | None
    model: str | None
    settings: tuple[str, ...]
    """KEY=VALUE each."""
    device: str | None
    level: str = ""
    """The level that chose it; empty: none did."""

    def factory(self, game: AnyGame) -> Factory:
        """Return the factory of the player. A model file without --player chooses the player in its metadata.

        Raises:
            UsageError: The player, the model file or an option is wrong.
        """
        from fiedler.players import create_player

        return create_player(game, self.spec())

    def spec(self) -> PlayerSpec:
        """Return the player.

        Raises:
            UsageError: One of --set is not KEY=VALUE, or a second model.
        """
        device = {} if self.device is None else {"device": self.device}
        try:
            return make_spec(self.player, self.model, {**read_options(self.settings), **device})
        except UsageError as error:
            raise UsageError(f"--set: {error}") from None


NOBODY = Choice(None, None, (), None)
"""No player is chosen."""


class LevelType(OptionType[Choice]):
    """The name of a level of play."""

    name = "level"

    def convert(self, value: str | Choice, param: click.Parameter | None, ctx: click.Context | None) -> Choice:
        """Return the player of the level; fails for an unknown name."""
        from fiedler.players.levels import level, level_names

        if isinstance(value, Choice):
            return value
        if value not in (known := level_names()):
            self.fail(f"expected one of {', '.join(known)}, got {value!r}{nearest(value, known)}", param, ctx)
        player, options = level(value)
        return Choice(player, None, tuple(f"{key}={setting}" for key, setting in options.items()), None, value)


def strongest() -> Choice:
    """Return the default player of a game, which is the strongest level."""
    from fiedler.players.levels import STRONGEST

    return Choice(None, None, (), None, STRONGEST)


def asked_game(ask: Callable[[str], str | None]) -> Game | None:
    """Ask the person at a terminal for a game; None at the end of the input. `ask` reads a line.

    Raises:
        UsageError: There is no terminal.
    """
    known = list(GAMES.values())
    if not sys.stdin.isatty():
        raise UsageError(f"--game: expected one of {', '.join(GAMES)}")
    for number, one in enumerate(known, start=1):
        click.echo(f"{number:>3}  {one.id:<14} {one.name}")
    while (typed := ask("Which game: ")) is not None:
        if typed.isdecimal() and 0 < int(typed) <= len(known):
            return known[int(typed) - 1]
        try:
            return find_game(typed)
        except UsageError as error:
            click.echo(str(error))
    click.echo()  # below the prompt
    return None


def game_option(command: Command[Result]) -> Command[Result]:
    """Add --game."""
    return click.option("--game", "game", type=GameType(), required=True, help="The game; see `engine games`.")(command)


game_optional = click.option(
    "--game",
    "game",
    type=AnyGameType(without_rules=True),
    help="The game; by default the engine reports it. generic: any game, of an engine that answers its queries.",
)
"""Add --game, which may be left out, and may be a game without a core."""


def foreign_options(command: Command[Result]) -> Command[Result]:
    """Add --address, --command and --protocol, as `address`, `command` and `dialect`."""
    for option in (
        click.option(
            "--protocol", "dialect", type=click.Choice(list(DIALECTS)), help="The protocol there; default ugi."
        ),
        click.option("--command", metavar="'CMD …'", help="The engine is a program on its pipes."),
        click.option("--address", metavar="HOST:PORT", help="The engine is behind a port."),
    ):
        command = option(command)
    return command


position_option = click.option(
    "--position",
    default="startpos",
    show_default=True,
    help="`startpos` or a notation, then [moves M …]; or moves alone.",
)
"""Add --position, whose text `position_of` reads."""


rules_option = click.option(
    "--rules", default="", metavar="KEY=VALUE,…", help="Rules of the game, such as komi=6.5,suicide=true in Go."
)
"""Add --rules, whose text `by_rules` reads."""


def by_rules(game: AnyGame, text: str, rules: str) -> str:
    """Return the text of --position with the rules of --rules.

    Raises:
        UsageError: The rules are wrong, or not those of the position.
    """
    if not rules:
        return text
    start, moves = game.start_and_moves(text)
    try:
        start = game.with_rules(start, parsed_rules(game.rule_keys, rules.replace(",", " ").split()))
    except UsageError as error:
        raise UsageError(f"--rules: {error}") from None
    return " ".join([start, MOVES, *moves] if moves else [start])


@overload
def position_of(game: Game, text: str, *, over: bool = ...) -> native.Position: ...
@overload
def position_of(game: AnyGame, text: str, *, over: bool = ...) -> Position: ...
def position_of(game: AnyGame, text: str, *, over: bool = False) -> Position:
    """Return the position of --position.

    Raises:
        UsageError: The text is wrong, or the game is over there and `over` is False.
    """
    try:
        position = game.parse_position(text)
    except UsageError as error:
        raise UsageError(f"--position: {str(error).removeprefix('position: ')}") from None
    if position.result is not None and not over:
        raise UsageError(f"--position: expected a running game, got one that is over ({game.result_text(position)})")
    return position


def player_options(command: Command[Result]) -> Command[Result]:
    """Add --player, --model, --set and --device; the command gets them as one `choice`."""

    @functools.wraps(command)
    def gathered(
        player: str | None, model: str | None, settings: tuple[str, ...], device: str | None, **others: object
    ) -> Result:
        return command(choice=Choice(player, model, settings, device), **others)

    added: Command[Result] = gathered
    for option in (
        click.option("--device", type=click.Choice(("auto", "cpu", "cuda")), help="Where a network runs."),
        click.option("--set", "settings", metavar="KEY=VALUE", multiple=True, help="An option of the player; repeat."),
        click.option("--model", metavar="FILE", help="A model file; it names its player."),
        click.option("--player", metavar="P", help="The player; see `engine players`."),
    ):
        added = option(added)
    return added
