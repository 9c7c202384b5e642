"""The command `engine serve`."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

import click

from fiedler.engine.commands.announce_options import AnnounceOptions, announce_options
from fiedler.engine.commands.roster_options import RosterOptions, roster_options
from fiedler.engine.commands.server_options import ServerOptions, server_options
from fiedler.engine.roster.choice import NOBODY, AnyGameType, Choice, player_options
from fiedler.games import AnyGame
from fiedler.protocol import DIALECTS
from fiedler.support.errors import UsageError

if TYPE_CHECKING:
    from fiedler.engine.roster.engine_offer import EngineOffer
    from fiedler.engine.roster.lineup import Lineup


@click.command()
@click.option(
    "--game",
    type=AnyGameType(),
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
    game: AnyGame | None,
    pinned: str | None,
    server: ServerOptions,
    announced: AnnounceOptions,
    choice: Choice,
    named: RosterOptions,
    *,
    stdio: bool,
) -> int:
    """Serve a player in every protocol; prints `listening on HOST:PORT` on standard error."""
    from fiedler.engine.port.report import failures_reported

    server.refuse(pinned, stdio=stdio, announces=announced.announce is not None)
    listens = not stdio and server.dial is None
    announcement = announced.announcement(server.ca, tls=server.tls, listens=listens, chooses=game is None)
    server.set_up_logs()
    named.refuse(game, choice, NOBODY)
    with failures_reported() if server.report else nullcontext():
        offer = _offer(game, pinned, choice, named)
    if stdio:
        from fiedler.engine.port.stdio import Stdio

        Stdio(offer).run()
        offer.close()
        return 0
    import asyncio

    from fiedler.engine.port.dial import dial
    from fiedler.engine.port.server import AccessRules, Server
    from fiedler.engine.port.server import serve as serve_tcp

    manager = None if server.dial is None else server.manager(pinned)
    access, bounds = server.access() if manager is None else AccessRules(), server.bounds()

    async def run() -> int:
        made = Server(offer, bounds, access)
        await server.publish(made)
        if manager is not None:
            return await dial(made, manager)
        beside = None if announcement is None else announcement.of
        return await serve_tcp(made, server.host, server.port, beside, reports=server.report)

    return asyncio.run(run())


def _offer(game: AnyGame | None, pinned: str | None, choice: Choice, named: RosterOptions) -> EngineOffer:
    """Return the game and the players that the options name; raises UsageError."""
    from fiedler.engine.roster.engine_offer import EngineOffer

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
    return EngineOffer(game, factory, pinned, lineup, roster)


def _lineup(choice: Choice, pinned: str | None) -> Lineup:
    """Return the players of every game that a client may choose in a protocol; raises UsageError if it cannot."""
    from fiedler.engine.roster.lineup import Lineup
    from fiedler.games import GAMES
    from fiedler.games.coordinates import fits

    if pinned is None or not (dialect := DIALECTS[pinned]).chooses_game:
        choosing = " or ".join(name for name, dialect in DIALECTS.items() if dialect.chooses_game)
        raise UsageError(f"Missing option '--game': only with --protocol {choosing} the client chooses the game")
    return Lineup(choice.factory, [game for game in GAMES.values() if fits(game, dialect.coordinates)])


def _refuse_unnamed(game: AnyGame, pinned: str | None) -> None:
    """Raise UsageError if a protocol has no names for the moves of a game."""
    from fiedler.engine.host.session import spoken

    if pinned is not None and pinned not in (known := spoken(game)):
        raise UsageError(f"--protocol: expected one of {', '.join(known)} for {game.id}, got {pinned}")
