"""Cores and searching threads: their numbers, and the cores of each game."""

from __future__ import annotations

import os
from collections.abc import Iterable

from fiedler.support.cores import available
from fiedler.support.player_spec import OptionValue
from fiedler.support.text import counted
from fiedler.tournament.schedule.schedule import PlayerEntry, Schedule

THREADS = "threads"
"""The option for the number of search threads, in upper or lower case."""

Cores = frozenset[int]


def starts_at_once() -> int:
    """Return the number of programs that may start at the same time: more would delay each other."""
    return 2 * len(available())


def too_many_threads(players: Iterable[PlayerEntry], concurrency: int) -> list[str]:
    """Return a warning if more threads may search at the same time than there are cores.

    In a game only the side to move searches, so a game counts the threads of its player with more of them. Players of
    `address` and `listen` do not count: they may be on another machine.
    """
    cores, threads = len(available()), most_threads(players)
    searching = concurrency * threads
    if searching <= cores:
        return []
    at_once = f"{counted(concurrency, 'game')} at the same time, {counted(threads, 'thread')} each"
    return [f"up to {searching} threads search on {counted(cores, 'core')} ({at_once}): they take time from each other"]


def most_threads(players: Iterable[PlayerEntry]) -> int:
    """Return the threads of the player that searches with most of them, of those that we start; 0: we start none."""
    return max(map(_threads, players))


def _threads(player: PlayerEntry) -> int:
    if player.address is not None or player.listen is not None or player.dial_in:
        return 0
    return max([1, *_numbers(value for name, value in player.options.items() if name.lower() == THREADS)])


def _numbers(values: Iterable[OptionValue]) -> Iterable[int]:
    """Return the whole numbers among option values, which may be text."""
    for value in values:
        text = str(value)
        if text.isascii() and text.isdigit():
            yield int(text)


def shares(schedule: Schedule, concurrency: int) -> list[Cores | None]:
    """Return the cores of each of the games at the same time: None means all, as without `pin`.

    Raises:
        UsageError: there are fewer cores than games, or this system does not allow the choice.

    """
    if not schedule.tournament.pin:
        return [None] * concurrency
    if not hasattr(os, "sched_setaffinity"):
        raise schedule.error("tournament.pin", "this system does not let us choose the cores of a program")
    cores = available()
    each = len(cores) // concurrency
    if not each:
        raise schedule.error(
            "tournament.pin", f"expected at most a game for each of {len(cores)} cores, got {concurrency}"
        )
    return [frozenset(cores[game * each : (game + 1) * each]) for game in range(concurrency)]
