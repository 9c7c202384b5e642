"""The command `engine`. Each command is a few lines that load a module and call it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from engine.commands.announce_options import AnnounceOptions, announce_options
from engine.commands.duration import Duration
from engine.commands.roster_options import RosterOptions, roster_options
from engine.commands.server_options import ServerOptions, server_options
from engine.port.reach import Reach, reach_options
from engine.roster.choice import (
    Choice,
    GameType,
    LevelType,
    asked_game,
    foreign_options,
    game_option,
    game_optional,
    player_options,
    position_of,
    position_option,
    strongest,
)
from games import Game
from protocol import DIALECTS, Limit
from support.console import command_line, print_json, version_option
from support.errors import UsageError
from support.interrupt import INTERRUPTED
from support.mqtt.broker import Broker
from support.mqtt.options import broker_options

if TYPE_CHECKING:
    from engine.person.foreign import ForeignEngine
    from engine.person.opponent import Opponent
    from engine.roster.lineup import Lineup
    from native import Position

NOBODY = Choice(None, None, (), None)
json_option = click.option("--json", "as_json", is_flag=True, help="One JSON document instead of text.")


@click.group(no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@version_option
def engine() -> None:
    """Serve a player behind a port; play, analyse and time it."""


@engine.command()
@click.option(
    "--game",
    type=GameType(),
    help="The game; see `engine games`. With --protocol gomocup optional: the client chooses.",
)
@player_options
@roster_options
@server_options
@announce_options
@click.option("--stdio", is_flag=True, help="Serve one session on standard input and output instead of a port.")
@click.option(
    "--protocol", "pinned", type=click.Choice(list(DIALECTS)), help="The protocol; by default the first line decides."
)
def serve(
    game: Game | None,
    pinned: str | None,
    server: ServerOptions,
    announced: AnnounceOptions,
    choice: Choice,
    named: RosterOptions,
    *,
    stdio: bool,
) -> int:
    """Serve a player in every protocol; prints `listening on HOST:PORT` on standard error."""
    server.refuse(pinned, stdio=stdio, announces=announced.announce is not None)
    listens = not stdio and server.dial is None
    announcement = announced.announcement(server.ca, tls=server.tls, listens=listens, chooses=game is None)
    server.set_up_logs()
    named.refuse(game, choice, NOBODY)
    lineup = _lineup(choice, pinned) if game is None else None
    if game is None:
        assert lineup is not None
        game = lineup.first
    _refuse_unnamed(game, pinned)
    roster = named.roster(game)
    if roster is not None:
        factory = roster.hold(roster.names[0])
    else:
        factory = choice.factory(game) if lineup is None else lineup.factory(game.id)
    if stdio:
        from engine.port.stdio import Stdio

        Stdio(game, factory, pinned, lineup=lineup, roster=roster).run()
        (roster or lineup or factory).close()
        return 0
    import asyncio

    from engine.port.dial import dial
    from engine.port.server import AccessRules, Server
    from engine.port.server import serve as serve_tcp

    manager = None if server.dial is None else server.manager(pinned)
    access, bounds = server.access() if manager is None else AccessRules(), server.bounds()

    async def run() -> int:
        made = Server(game, factory, bounds, pinned, lineup, access, roster)
        await server.publish(made)
        if manager is not None:
            return await dial(made, manager)
        return await serve_tcp(made, server.host, server.port, None if announcement is None else announcement.of)

    return asyncio.run(run())


def _lineup(choice: Choice, pinned: str | None) -> Lineup:
    """Return the players of every game that a client may choose in a protocol; raises UsageError if it cannot."""
    from engine.roster.lineup import Lineup
    from games import GAMES
    from games.coordinates import fits

    if pinned is None or not (dialect := DIALECTS[pinned]).chooses_game:
        choosing = " or ".join(name for name, dialect in DIALECTS.items() if dialect.chooses_game)
        raise UsageError(f"Missing option '--game': only with --protocol {choosing} the client chooses the game")
    return Lineup(choice.factory, [game for game in GAMES.values() if fits(game, dialect.coordinates)])


def _refuse_unnamed(game: Game, pinned: str | None) -> None:
    """Raise UsageError if a protocol has no names for the moves of a game."""
    from engine.host.session import spoken

    if pinned is not None and pinned not in (known := spoken(game)):
        raise UsageError(f"--protocol: expected one of {', '.join(known)} for {game.id}, got {pinned}")


@engine.command()
@click.argument("address", metavar="HOST:PORT")
@reach_options
def connect(address: str, reach: Reach) -> None:
    """Connect standard input and output with an engine port, for GUIs that start programs."""
    from engine.port.bridge import bridge
    from support.address import parse_address

    where = parse_address(address)
    reach.warn_in_clear(where)
    bridge(where, token=reach.token(), tls=reach.context())


@engine.command()
@click.option("--game", type=GameType(), help="The game; see `engine games`. Without it a terminal asks.")
@click.option(
    "--level", type=LevelType(), metavar="LEVEL", help="The opponent: beginner, easy, medium, hard, strongest."
)
@player_options
@foreign_options
@reach_options
@click.option("--side", type=click.Choice(("first", "second")), default="first", show_default=True, help="Your side.")
@click.option(
    "--movetime",
    type=Duration(),
    default="1s",
    show_default=True,
    help="Time of the opponent for a move: 200ms, 0.2s; a bare number is seconds.",
)
@position_option
@click.option("--web", is_flag=True, help="Play in a browser; the page has its own level and position.")
def play(
    game: Game | None,
    level: Choice | None,
    address: str | None,
    command: str | None,
    dialect: str | None,
    side: str,
    movetime: float,
    position: str,
    choice: Choice,
    reach: Reach,
    *,
    web: bool,
) -> int:
    """Play in the terminal, where `help` lists the commands, or with --web in a browser."""
    if level is not None:
        if choice != NOBODY or address or command:
            raise UsageError("--level: it names the opponent; leave out the other options that do")
        choice = level
    elif choice == NOBODY and not (address or command):
        choice = strongest()
    try:
        return _play(
            game, choice, _foreign(address, command, dialect, reach, choice), side, movetime, position, web=web
        )
    except KeyboardInterrupt as leaving:
        click.echo("\n" + "; ".join(["interrupted", *getattr(leaving, "__notes__", ())]), err=True)
        return INTERRUPTED


def _play(
    game: Game | None,
    choice: Choice,
    foreign: ForeignEngine | None,
    side: str,
    seconds: float,
    position: str,
    *,
    web: bool,
) -> int:
    """Play until the person leaves; return the exit code."""
    from engine.person.play import Terminal, ask

    if game is None and (game := asked_game(ask)) is None:
        return 0
    own = 0 if side == "first" else 1
    if web:
        from engine.person.pages import offered_by, play_in_browser

        play_in_browser(game, offered_by(game, foreign, choice), own, click.echo)
        return 0
    start = position_of(game, position)
    opponent = _opponent(game, foreign, choice, seconds)
    try:
        terminal = Terminal(game, opponent, own, start, level=choice.level)
        return 0 if terminal.play() else 1
    finally:
        opponent.close()


def _foreign(
    address: str | None, command: str | None, dialect: str | None, reach: Reach, choice: Choice
) -> ForeignEngine | None:
    """Return the engine that is not a player of this process, or None; raises UsageError."""
    from engine.person.foreign import foreign_engine

    found = foreign_engine(address, command, dialect, reach)
    if found is not None and choice != NOBODY:
        raise UsageError(f"{found.option}: that engine chooses its own player; leave out --player, --model and --set")
    return found


def _opponent(game: Game, foreign: ForeignEngine | None, choice: Choice, seconds: float) -> Opponent:
    """Return who plays against the person; raises UsageError."""
    from engine.person.opponent import LocalOpponent, RemoteOpponent

    if foreign is None:
        return LocalOpponent(choice.factory(game).player(), seconds)
    try:
        return RemoteOpponent(foreign.place, game.id, seconds, foreign.dialect, foreign.reach)
    except UsageError as error:
        raise UsageError(f"{foreign.option}: {error}" if foreign.option == "--command" else str(error)) from None


@engine.command()
@game_optional
@click.option(
    "--protocol", "dialect", type=click.Choice(list(DIALECTS)), default="ugi", show_default=True, help="Its protocol."
)
@click.option("--address", metavar="HOST:PORT", help="Check the engine behind a port.")
@click.option(
    "--timeout",
    type=Duration(),
    default="10s",
    show_default=True,
    help="Time for each answer; three times for the first.",
)
@reach_options
@json_option
@click.argument("command", nargs=-1)
def check(
    game: Game | None,
    dialect: str,
    address: str | None,
    timeout: float,
    command: tuple[str, ...],
    reach: Reach,
    *,
    as_json: bool,
) -> int:
    """Check whether an engine keeps the rules of its protocol.

    COMMAND, after `--`, is a program and its arguments; `{port}` in it is the port at which a player of makemove
    connects. The exit code is 1 if a step fails. A remark is a wrong answer by which no game is lost.
    """
    from engine.check.examination import examine
    from engine.check.report import report_text
    from engine.check.subject import subject_of
    from engine.commands.progress import StepProgress

    subject = subject_of(command, address, dialect, game, timeout, reach)
    with StepProgress("checking", names_steps=True) as progress:
        report = examine(subject, progress, progress.describe)
    _show(asdict(report), report_text(report), as_json=as_json)
    return 0 if report.passed else 1


@engine.command()
@json_option
def games(*, as_json: bool) -> None:
    """List the games."""
    from engine.commands.listing import game_table, listed_games

    _show({"games": listed_games()}, game_table(), as_json=as_json)


@engine.command()
@broker_options("--broker", "The MQTT broker.", required=True)
@click.option("--game", type=GameType(), help="Only engines of this game.")
@click.option(
    "--wait",
    type=click.FloatRange(0.1, 3600),
    default=2.0,
    show_default=True,
    metavar="S",
    help="Seconds to wait for the first one.",
)
@json_option
def engines(broker: Broker, game: Game | None, wait: float, *, as_json: bool) -> None:
    """List the engines that announce themselves at an MQTT broker."""
    from engine.port.announced import announced_engines, engine_table, listed_engines

    found = announced_engines(broker, None if game is None else game.id, wait)
    _show({"engines": listed_engines(found)}, engine_table(found), as_json=as_json)


@engine.command()
@json_option
def players(*, as_json: bool) -> None:
    """List the players and their options."""
    from engine.commands.listing import listed_players, player_table

    _show({"players": listed_players()}, player_table(), as_json=as_json)


@engine.command()
@game_option
@click.option("--depth", type=click.IntRange(1, 100), required=True, help="Plies.")
@position_option
@json_option
def perft(game: Game, depth: int, position: str, *, as_json: bool) -> None:
    """Count the move paths of 1 to DEPTH plies."""
    from engine.commands.listing import perft_document, perft_lines

    start = position_of(game, position, over=True)
    if as_json:
        print_json(perft_document(start, depth))
        return
    for line in perft_lines(start, depth):
        click.echo(line)  # which flushes


@engine.command()
@game_option
@player_options
@click.option(
    "--nodes",
    type=click.IntRange(1, 2**63 - 1),
    help="Nodes in each thread, shared equally by the positions; a position proven early needs fewer.",
)
@click.option(
    "--seconds",
    type=Duration(),
    help="Time in all: 500ms, 3s; a bare number is seconds. Gives no signature.",
)
@click.option("--threads", type=click.IntRange(1, 1024), default=1, show_default=True, help="Sessions side by side.")
@click.option("--position", help="Search only this position: `startpos` or a notation, then [moves M …].")
@json_option
def bench(
    game: Game,
    nodes: int | None,
    seconds: float | None,
    threads: int,
    position: str | None,
    choice: Choice,
    *,
    as_json: bool,
) -> None:
    """Time a player over fixed positions, or the rollouts alone (--player rollouts).

    The first limit to be reached ends it; without any, the player's own options or 20000 nodes a thread.
    """
    from engine.commands.speed import Budget, bench_player, bench_rollouts, bench_table

    budget = Budget(nodes or 0, seconds or 0.0)
    if choice.player == "rollouts":
        if choice.model or choice.device or position is not None:
            raise UsageError("--player rollouts: takes no --model, no --device and no --position")
        result = bench_rollouts(game, choice.values(), budget, threads)
    else:
        start = None if position is None else position_of(game, position)
        factory = choice.factory(game)
        result = bench_player(factory, budget, threads, start)
        factory.close()
    _show(asdict(result), bench_table(result), as_json=as_json)


@engine.command()
@game_option
@player_options
@foreign_options
@reach_options
@position_option
@click.option("--movetime", type=Duration(), help="Time: 200ms, 0.2s; a bare number is seconds.")
@click.option("--nodes", type=click.IntRange(1, 2**63 - 1), help="Nodes.")
@json_option
def analyze(
    game: Game,
    address: str | None,
    command: str | None,
    dialect: str | None,
    position: str,
    movetime: float | None,
    nodes: int | None,
    choice: Choice,
    reach: Reach,
    *,
    as_json: bool,
) -> None:
    """Analyse a position and every move in it.

    The limit counts once for the position and once for its moves together; without any it is 2 seconds. By time, moves
    without a turn are not searched; by nodes, each gets 200 at least. Of an engine at --address or --command the
    answer is its move, with its score and its line if it reports them.
    """
    start = position_of(game, position)
    seconds = movetime or (0.0 if nodes else 2.0)
    foreign = _foreign(address, command, dialect, reach, choice)
    if foreign is not None:
        _analyze_elsewhere(game, foreign, start, position, _limit(seconds, nodes), as_json=as_json)
        return
    from engine.commands.progress import StepProgress
    from engine.host.analysis import analysis_document, analysis_table, analyze_position
    from native import Limits

    factory = choice.factory(game)
    with StepProgress("analysing the moves") as progress:
        analysis = analyze_position(factory, start, Limits(0, nodes or 0, seconds), progress)
    factory.close()
    _show(analysis_document(analysis), f"{game.draw(start)}\n{analysis_table(analysis)}", as_json=as_json)


def _analyze_elsewhere(
    game: Game, engine: ForeignEngine, position: Position, text: str, limit: Limit, *, as_json: bool
) -> None:
    """Show the analysis of an engine that is not a player of this process."""
    from engine.person.foreign import analyze_elsewhere, foreign_document, foreign_table

    analysis = analyze_elsewhere(game, engine, position, text, limit)
    _show(foreign_document(analysis), f"{game.draw(position)}\n{foreign_table(analysis)}", as_json=as_json)


def _limit(seconds: float, nodes: int | None) -> Limit:
    """Return the limit of a search elsewhere."""
    return Limit(nodes=nodes, movetime_ms=max(1, round(1000 * seconds)) if seconds else None)


def _show(document: object, text: str, *, as_json: bool) -> None:
    if as_json:
        print_json(document)
    else:
        click.echo(text)


def main() -> None:
    """Run the command line."""
    command_line(engine)
