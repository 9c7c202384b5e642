"""Engines at a broker as players of a schedule."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from fiedler.support.address import parse_address
from fiedler.support.errors import UsageError
from fiedler.support.mqtt.broker import Broker
from fiedler.support.mqtt.engines import AnnouncedEngine, find_engines
from fiedler.tournament.run.known_options import unavailable
from fiedler.tournament.run.run_file import NoRunError
from fiedler.tournament.run.store import Store
from fiedler.tournament.schedule.player_keys import NAME_LENGTH
from fiedler.tournament.schedule.schedule import Discover, PlayerEntry, Schedule
from fiedler.tournament.schedule.validation import load


def reader(broker: Broker, results: Path, *, fresh: bool) -> Callable[[Path], Schedule]:
    """Return a function that loads a schedule, with the engines at a broker as its players; it asks only once.

    A run that exists keeps its players and their addresses, unless it starts `fresh`.
    """

    @functools.cache
    def read(path: Path) -> Schedule:
        return load(path, find, beside=unavailable)

    def find(entry: PlayerEntry, *, run: str, game: str) -> Sequence[tuple[str, str]]:
        known = [] if fresh else _earlier(results / run, entry)
        return known or asyncio.run(_found(broker, entry, game))

    return read


def _earlier(folder: Path, entry: PlayerEntry) -> list[tuple[str, str]]:
    """Return the names and addresses that this entry has got in a run."""
    try:
        store = Store.open(folder)
    except NoRunError:
        return []
    with store:
        players = [player for player in store.schedule.players if player.discover == entry.discover]
    return [(player.name, player.address) for player in players if player.address is not None]


async def _found(broker: Broker, entry: PlayerEntry, game: str) -> list[tuple[str, str]]:
    wanted = entry.discover
    assert wanted is not None

    def fits(one: AnnouncedEngine) -> bool:
        names = (one.id, one.info.name)
        speaks = one.info.game == game and entry.protocol in one.info.protocols
        return one.is_present and speaks and _is_usable(one) and any(fnmatchcase(name, wanted.name) for name in names)

    def suffices(engines: Mapping[str, AnnouncedEngine]) -> bool:
        return sum(map(fits, engines.values())) >= wanted.min

    engines = await find_engines(broker, wanted.wait_s, suffices)
    found = [(one.id, one.info.address) for one in engines.values() if fits(one)]
    if len(found) < wanted.min:
        raise UsageError(_too_few(broker, wanted, game, len(found)))
    return found


def _is_usable(one: AnnouncedEngine) -> bool:
    """Return whether a foreign payload can be a player."""
    try:
        parse_address(one.info.address)
    except UsageError:
        return False
    return len(one.id) <= NAME_LENGTH and one.id.isprintable() and one.id == one.id.strip()


def _too_few(broker: Broker, wanted: Discover, game: str, count: int) -> str:
    name = "" if wanted.name == "*" else f" named {wanted.name!r}"
    return f"{broker}: expected at least {wanted.min} engines of {game}{name} within {wanted.wait_s:g} s, got {count}"
