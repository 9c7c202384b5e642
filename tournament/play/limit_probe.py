"""A look at a program's searches before the first game: whether they end at a number of nodes, or at a depth."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass

from fiedler import games
from fiedler.client.setting import Setting
from fiedler.protocol import Info, Limit
from fiedler.support.option import spelled
from fiedler.tournament.play.session import Fault, PlayerLostError, PlayerSession
from fiedler.tournament.schedule.schedule import LimitSection, PlayerEntry
from fiedler.tournament.termination import Termination

NODES, DEPTH = 1000, 4
"""The largest limits that are asked for: programs keep all limits or none."""
SLACK_NODES, SLACK_DEPTH = 100_000, 4
"""What a program may search beyond: many look at the number of nodes once in some ten thousand, each thread alone."""
LEAST_NODES = 10
"""A smaller limit is not for searches: nobody is asked to keep it."""
QUIET_S, MOST_S = 3.0, 60.0
"""Most seconds of a search without a report of its nodes or its depth, and with reports."""
STOP_S = 0.5
"""Seconds from `stop` to its answer."""
FEW = 20
"""A program that searches less than this part of its nodes probably does not know the limit."""
PLIES = 6
"""Random plies before the position, which lead out of most books."""


@dataclass(frozen=True, slots=True)
class AskedLimit:
    """A limit to ask for, and its bounds."""

    limit: Limit
    threads: int
    """The threads of the program by its options."""
    quiet_s: float
    """The time after which a search without reports is ended by `stop`."""
    most_s: float
    """The same for a search with reports."""

    @property
    def words(self) -> str:
        """The request as the program gets it."""
        return f"go nodes {self.limit.nodes}" if self.limit.nodes is not None else f"go depth {self.limit.depth}"

    def excess(self, info: Info) -> str:
        """Return what a report shows beyond the limit and its slack, as a phrase; empty if nothing."""
        nodes, depth = self.limit.nodes, self.limit.depth
        if nodes is not None and info.nodes is not None and info.nodes > self.threads * (2 * nodes + SLACK_NODES):
            return f"searched {info.nodes:,} nodes after {self.words!r}"
        if depth is not None and info.depth is not None and info.depth > depth + SLACK_DEPTH:
            return f"searched {info.depth} plies after {self.words!r}"
        return ""

    def shortfall(self, info: Info | None) -> str:
        """Return a remark about a search that ended long before the limit, as its last report says; empty if none."""
        nodes = self.limit.nodes
        if nodes is None or info is None or info.nodes is None or info.nodes < 2 or info.nodes * FEW >= nodes:
            return ""  # a player that does not search reports one node
        return f"answered {self.words!r} after {info.nodes} nodes: it may not know limit.nodes"

    def refusal(self, fact: str) -> str:
        """Return the reason why a program cannot play under the limit of the run."""
        key = "nodes" if self.limit.nodes is not None else "depth"
        way = "movetime_ms or base_ms, or own_limit = true for a player whose own options limit its searches"
        return f"{fact}: it does not keep limit.{key}; expected {way}"


def asked_limit(player: PlayerEntry, limit: LimitSection) -> AskedLimit | None:
    """Return the limit to ask a player for; None if there is nothing to find out: time, or a player that we know."""
    if player.own_limit or (player.command is None and player.address is None):
        return None
    if limit.nodes is not None and limit.nodes >= LEAST_NODES:
        asked = Limit(nodes=min(limit.nodes, NODES))
    elif limit.depth is not None:
        asked = Limit(depth=min(limit.depth, DEPTH))
    else:
        return None
    return AskedLimit(asked, _threads(player.options), min(limit.stall_s, QUIET_S), min(limit.stall_s, MOST_S))


def _threads(options: dict[str, Setting]) -> int:
    number = options.get(spelled("threads", options), 1)
    return number if isinstance(number, int) and number > 0 else 1


class _Watcher:
    """Listens to one search; it is over at its move, at a report beyond the limit, or when the player is lost."""

    def __init__(self, asked: AskedLimit) -> None:
        self.over: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """The excess, or an empty text."""
        self.last: Info | None = None
        """The last report with a number of nodes or a depth."""
        self._asked = asked

    def informed(self, info: Info) -> None:
        if info.nodes is not None or info.depth is not None:
            self.last = info
        if excess := self._asked.excess(info):
            self._end(excess)

    def moved(self, session: PlayerSession, move: str | None, came: float) -> None:  # noqa: ARG002
        self._end("")

    def lost(self, session: PlayerSession, fault: Fault) -> None:  # noqa: ARG002
        self._end("")

    def _end(self, excess: str) -> None:
        if not self.over.done():
            self.over.set_result(excess)


async def limit_failure(session: PlayerSession, asked: AskedLimit, game: games.AnyGame, startup_s: float) -> str:
    """Let a player search once; return why it cannot play under the limit, empty if it can.

    A player that fails otherwise is not judged here: its games show that.
    """
    try:
        session.announce(0, startup_s)
        await session.ready()
        return await _searched(session, asked, _position(game))
    except PlayerLostError:
        return ""
    except TimeoutError:
        session.cut_off(Fault(Termination.TIME, f"was not ready for a new game within {startup_s:g} s"))
        return ""


async def _searched(session: PlayerSession, asked: AskedLimit, moves: Sequence[str]) -> str:
    """Let a player search; return what is wrong with its reports. Time proves nothing: this machine may be slow."""
    watcher = _Watcher(asked)
    session.listener = watcher
    session.report_to(watcher.informed)
    session.go(moves, asked.limit)
    await asyncio.wait({watcher.over}, timeout=asked.quiet_s)
    if watcher.last is not None:
        await asyncio.wait({watcher.over}, timeout=asked.most_s)
    session.listener = None
    session.report_to(None)
    await session.settle(STOP_S)
    excess = watcher.over.result() if watcher.over.done() else ""
    if watcher.over.done() and session.fault is None and not excess:
        session.remark = asked.shortfall(watcher.last)
    return excess and asked.refusal(excess)


def _position(game: games.AnyGame) -> list[str]:
    """Return the moves to a position in which a search is worthwhile; none in a game without rules of ours."""
    moves: list[str] = []
    position, draw = game.position(), random.Random(1)
    while game.has_rules and len(moves) < PLIES:
        move = draw.choice(position.legal_moves())
        name = position.move_text(move)
        position.play(move)
        if position.result is not None:
            break
        moves.append(name)
    return moves
