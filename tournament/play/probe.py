"""A check of all players before the first game: each is started or connected to, and identified."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path

from fiedler import games
from fiedler.protocol import DEFAULT
from fiedler.protocol.ugi.queries import GAMEOVER
from fiedler.support.errors import UsageError, UsageErrors
from fiedler.tournament.play.endpoint import Endpoint
from fiedler.tournament.play.limit_probe import limit_failure
from fiedler.tournament.play.machine import NetworkError
from fiedler.tournament.play.offered_options import OptionError
from fiedler.tournament.play.session import Fault, PlayerLostError, PlayerSession
from fiedler.tournament.schedule.programs import missing
from fiedler.tournament.schedule.schedule import PlayerEntry, Schedule
from fiedler.tournament.termination import Termination

NAMED = 10
"""Most names of players with the same failure in a message."""


async def probe(endpoints: Iterable[Endpoint], game: str) -> dict[str, str]:
    """Start every player, shake hands with it, and check that it plays this game, if it can report a start position.

    The sessions stay open for the first games. Returns the failures, by the names of the players that cannot be used.

    Raises:
        ExceptionGroup: of a MachineError, if the machine cannot start them.

    """
    async with asyncio.TaskGroup() as group:
        tasks = {endpoint.name: group.create_task(_probe_one(endpoint, game)) for endpoint in endpoints}
    return {name: why for name, task in tasks.items() if (why := task.result())}


def unusable(schedule: Schedule, complaints: Mapping[str, str]) -> UsageError:
    """Return the error for players that cannot be used, one line for each reason.

    Its notes are the commands that find the cause, one for each reason.
    """
    alike: dict[str, list[str]] = {}
    for name, why in complaints.items():
        alike.setdefault(why, []).append(name)
    players = {player.name: player for player in schedule.players}
    error = UsageErrors(
        f"{schedule.file}: {_key(names)}: {why}"
        if why == missing(players[names[0]], schedule.folder)
        else f"{_named(names)}: {why}"
        for why, names in alike.items()
    )
    for names in alike.values():
        if command := examination(schedule, players[names[0]]):
            error.add_note(f"to find the cause: {command}")
    return error


def examination(schedule: Schedule, player: PlayerEntry) -> str:
    """Return the command line that checks a player of others, empty for those that it cannot reach."""
    words = ["engine", "check", "--game", schedule.tournament.game]
    if player.protocol != DEFAULT:
        words += ["--protocol", player.protocol]
    if player.command is not None:
        words += ["--", *player.command]
    elif player.address is not None:
        words += ["--address", player.address, *_reach(player)]
    else:
        return ""
    there = "" if Path(schedule.folder).resolve() == Path.cwd() else f"cd {shlex.quote(schedule.folder)} && "
    return there + shlex.join(words)


def _reach(player: PlayerEntry) -> list[str]:
    """Return the options for the token and the encryption of a player behind an address."""
    token = [] if player.token_file is None else ["--token-file", player.token_file]
    return [*token, *(["--tls"] if player.tls else []), *([] if player.ca is None else ["--ca", player.ca])]


def _key(names: list[str]) -> str:
    """Return the key of the programs of these players."""
    return f"players {names[0]!r}.command" if len(names) == 1 else f"{_named(names)}.command"


def _named(names: list[str]) -> str:
    shown = ", ".join(map(repr, names[:NAMED]))
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"player {shown}" if len(names) == 1 else f"{len(names)} players ({shown}{more})"


async def _probe_one(endpoint: Endpoint, game: str) -> str:
    """Return the failure of a player, or an empty string."""
    kind = games.any_game(game)
    try:
        async with endpoint.probing():
            start = await _start_position(endpoint, kind)
            if start is not None and start != str(kind.position()):
                return f"it plays another game than {game}: it starts from {start}"
            return await _limit_failure(endpoint, kind)
    except PlayerLostError as error:
        return error.fault.detail + await _spoken(endpoint, error.fault)
    except OptionError as error:
        return str(error)
    except NetworkError as error:  # before the first game probably a wrong address
        return str(error).removeprefix(f"{endpoint.name!r}: ")
    return ""


async def _spoken(endpoint: Endpoint, fault: Fault) -> str:
    """Return the dialect of a silent program, for the end of a message; empty if it is unknown."""
    name = await endpoint.spoken() if fault.termination is Termination.TIME else ""
    return name and f"; it answers in {name}: expected protocol = {name!r} for the player"


async def _limit_failure(endpoint: Endpoint, game: games.AnyGame) -> str:
    """Return why a program that has not played yet cannot play under the limit; empty if it can, or if it failed."""
    if endpoint.asked_limit is None:
        return ""
    session = await endpoint.acquire()
    try:
        if session.has_played:
            return ""
        return await limit_failure(session, endpoint.asked_limit, game, endpoint.startup_s)
    finally:
        await endpoint.release(session)


async def _start_position(endpoint: Endpoint, game: games.AnyGame) -> str | None:
    """Return the start position of a player; None from one that cannot report it, and in a game without rules of ours.

    A failure at a shared server may be that of another player: the player is asked again in a process of its own.

    Raises:
        PlayerLostError: the player has failed alone.

    """
    session = await endpoint.acquire()
    try:
        return await _reported(endpoint, session, game)
    except PlayerLostError:
        if not session.choice:
            raise
    endpoint.isolate()
    return await _reported(endpoint, await endpoint.acquire(), game)


async def _reported(endpoint: Endpoint, session: PlayerSession, game: games.AnyGame) -> str | None:
    """Return the start position that a session reports, and give the session back; raises PlayerLostError.

    A session that has played reports none: its position is that of its last game.
    """
    try:
        async with asyncio.timeout(endpoint.startup_s):
            start = None if session.has_played else await _start_of(session, game)
    except (PlayerLostError, TimeoutError) as error:
        late = Fault(Termination.TIME, f"did not report its start position within {endpoint.startup_s:g} s")
        session.cut_off(late)  # one that is lost keeps its own fault
        await endpoint.release(session)
        raise (PlayerLostError(endpoint.name, late) if isinstance(error, TimeoutError) else error) from None
    await endpoint.release(session)
    return start


async def _start_of(session: PlayerSession, game: games.AnyGame) -> str | None:
    """Return the start position that a new session reports; in a game without rules of ours it must answer a query.

    Raises:
        PlayerLostError: also if it offers other games alone.

    """
    if isinstance(game, games.Game) and session.family not in {"", game.family}:
        other = f"plays another game than {game.id}: {session.family}, by its commands or options"
        raise PlayerLostError(session.player, Fault(Termination.ILLEGAL_MOVE, other))
    if game.has_rules:
        return await session.start_position()
    if GAMEOVER not in await session.answers([GAMEOVER], []):
        missing = f"does not answer query {GAMEOVER}, which the game {game.id} needs{session.wrong_answer}"
        raise PlayerLostError(session.player, Fault(Termination.ILLEGAL_MOVE, missing))
    return None
