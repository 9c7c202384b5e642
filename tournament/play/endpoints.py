"""The endpoint of each player of a schedule."""

from __future__ import annotations

from protocol import DIALECTS
from tournament.play.dial_in import CallingProgram, ListeningPort
from tournament.play.dialler import Dialler
from tournament.play.endpoint import Endpoint, LocalServer, Program, Site
from tournament.play.remote import RemoteServer
from tournament.schedule.schedule import PlayerEntry, Schedule


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
    return LocalServer(player, schedule, site)
