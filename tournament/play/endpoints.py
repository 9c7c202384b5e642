"""The endpoint of each player of a schedule."""

from __future__ import annotations

from msgspec import structs

from fiedler import games
from fiedler.protocol import DIALECTS
from fiedler.tournament.play.dial_in import CallingProgram, ListeningPort
from fiedler.tournament.play.dialler import Dialler
from fiedler.tournament.play.endpoint import Endpoint, LocalServer, Program, Site, stdio_command
from fiedler.tournament.play.remote import RemoteServer
from fiedler.tournament.play.roster import is_sharable
from fiedler.tournament.play.shared_player import SharedPlayer
from fiedler.tournament.play.shared_server import SharedServer
from fiedler.tournament.schedule.schedule import PlayerEntry, Schedule


def make_endpoint(player: PlayerEntry, schedule: Schedule, site: Site) -> Endpoint:
    """Return the endpoint of a player; nothing is started or connected yet."""
    if player.dial_in:
        return Dialler(player, schedule, site)
    if player.listen is not None:
        return ListeningPort(player, schedule, site)
    if player.command is not None and DIALECTS[player.protocol].dials_in:
        return CallingProgram(player, schedule, site)
    if player.command is not None:
        return Program(player, schedule, site)
    if player.address is not None:
        return RemoteServer(player, schedule, site)
    if not is_core(schedule):
        command = stdio_command(player, schedule.rules or schedule.tournament.game)
        return Program(structs.replace(player, command=command, options={}), schedule, site)
    if site.shared is not None and is_sharable(player):
        return SharedPlayer(player, schedule, site, site.shared)
    return LocalServer(player, schedule, site)


def is_core(schedule: Schedule) -> bool:
    """Return whether the game is one of the core. The searches of other games hold up everything in their process."""
    return isinstance(games.any_game(schedule.tournament.game), games.Game)


def shared_server(schedule: Schedule, site: Site, tables: int) -> SharedServer | None:
    """Return the server of the local players of some tables, which is not started yet; None if none share one."""
    sharing = [player for player in schedule.players if is_sharable(player)] if is_core(schedule) else []
    return SharedServer(sharing, schedule, site, tables) if sharing else None
