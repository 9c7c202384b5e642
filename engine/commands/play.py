"""The command `engine play`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fiedler.engine.commands.duration import Duration
from fiedler.engine.commands.elsewhere import engine_elsewhere
from fiedler.engine.port.port_access import PortAccess, access_options
from fiedler.engine.roster.choice import (
    NOBODY,
    AnyGameType,
    Choice,
    LevelType,
    asked_game,
    by_rules,
    foreign_options,
    player_options,
    position_of,
    position_option,
    rules_option,
    strongest,
)
from fiedler.games import AnyGame, Game
from fiedler.support.errors import UsageError
from fiedler.support.interrupt import INTERRUPTED

if TYPE_CHECKING:
    from fiedler.engine.person.foreign import ForeignEngine
    from fiedler.engine.person.opponent import Opponent


@click.command()
@click.option("--game", type=AnyGameType(), help="The game; see `engine games`. Without it a terminal asks.")
@click.option(
    "--level", type=LevelType(), metavar="LEVEL", help="The opponent: beginner, easy, medium, hard, strongest."
)
@player_options
@foreign_options
@access_options
@click.option("--side", type=click.Choice(("first", "second")), default="first", show_default=True, help="Your side.")
@click.option(
    "--movetime",
    type=Duration(),
    default="1s",
    show_default=True,
    help="Time of the opponent for a move: 200ms, 0.2s; a bare number is seconds.",
)
@position_option
@rules_option
@click.option("--web", is_flag=True, help="Play in a browser; the page has its own level and position.")
def play(
    game: AnyGame | None,
    level: Choice | None,
    address: str | None,
    command: str | None,
    dialect: str | None,
    side: str,
    movetime: float,
    position: str,
    rules: str,
    choice: Choice,
    access: PortAccess,
    *,
    web: bool,
) -> int:
    """Play in the terminal, where `help` lists the commands, or with --web in a browser."""
    if level is not None:
        if choice != NOBODY or address or command:
            raise UsageError("--level: it names the opponent; leave out the other options that do")
        choice = level
    try:
        return _play(
            game,
            choice,
            engine_elsewhere(address, command, dialect, access, choice),
            side,
            movetime,
            position,
            rules,
            web=web,
        )
    except KeyboardInterrupt as leaving:
        click.echo("\n" + "; ".join(["interrupted", *getattr(leaving, "__notes__", ())]), err=True)
        return INTERRUPTED


def _play(
    game: AnyGame | None,
    choice: Choice,
    foreign: ForeignEngine | None,
    side: str,
    seconds: float,
    position: str,
    rules: str,
    *,
    web: bool,
) -> int:
    """Play until the person leaves; return the exit code."""
    from fiedler.engine.person.play import Terminal, ask

    if game is None and (game := asked_game(ask)) is None:
        return 0
    if not isinstance(game, Game) and (choice.level or web):
        option = "--level" if choice.level else "--web"
        raise UsageError(f"{option}: expected one of our games, got {game.id!r}")
    if choice == NOBODY and foreign is None and isinstance(game, Game):
        choice = strongest()
    own = 0 if side == "first" else 1
    if web and rules:
        raise UsageError("--rules: expected none with --web, whose page begins games by the rules that are usual")
    if web:
        assert isinstance(game, Game), "other games are refused"
        from fiedler.engine.person.pages import offered_by, play_in_browser

        play_in_browser(game, offered_by(game, foreign, choice), own, click.echo)
        return 0
    start = position_of(game, by_rules(game, position, rules))
    opponent = _opponent(game, foreign, choice, seconds)
    try:
        terminal = Terminal(game, opponent, own, start, level=choice.level)
        return 0 if terminal.play() else 1
    finally:
        opponent.close()


def _opponent(game: AnyGame, foreign: ForeignEngine | None, choice: Choice, seconds: float) -> Opponent:
    """Return who plays against the person; raises UsageError."""
    from fiedler.engine.person.opponent import LocalOpponent, RemoteOpponent

    if foreign is None:
        return LocalOpponent(choice.factory(game).player(), seconds)
    try:
        return RemoteOpponent(foreign.place, game.id, seconds, foreign.dialect, foreign.access)
    except UsageError as error:
        raise UsageError(f"{foreign.option}: {error}" if foreign.option == "--command" else str(error)) from None
