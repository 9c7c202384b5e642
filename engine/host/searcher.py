"""The searches of a session: their limits, their reports, their end."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from fiedler.engine.host.answers import best_of, info_of
from fiedler.engine.host.search import Driver, Failure, Result, Search, tried
from fiedler.engine.host.seat import Seat
from fiedler.engine.host.terms import Terms
from fiedler.engine.host.timeman import seconds_for
from fiedler.games.position import Position, fills_cells, most_plies_left
from fiedler.native import Limits, SearchInfo
from fiedler.protocol import Limit, Thinker

DEFAULT_SECONDS = 1.0
"""The time of a search, if neither the client nor the player's options limit it."""
PLIES_LEFT = 80
"""The plies for which the time of a clock is kept, in a game without a bound that a ply lowers: chess, say."""
NEARLY = 0.9
"""The part of the longest time of a search after which its end is that of the time."""


class Searcher:
    """Lets the player of a seat search, at most once at a time."""

    def __init__(self, seat: Seat, driver: Driver, terms: Terms) -> None:
        """`terms` are those of the server."""
        self._seat = seat
        self._driver = driver
        self._terms = terms
        self._search: Search | None = None
        self._thinker: Thinker | None = None
        self._searched: Position | None = None
        """The position of the last search of the game."""
        self._visits: Sequence[tuple[str, int]] | None = None
        """The visits of that search, once the player has searched other positions; None: the player has them."""
        self._endless = False
        """Whether the search is infinite: no move before `stop`."""
        self._cut = False
        """Whether the terms of the server shorten the search."""
        self._closed = False
        self.since: float | None = None
        """The moment from which the time of the next search counts, in seconds of `time.monotonic`; None: now."""
        self.congested = False
        """Whether the driver cannot send: reports of running searches are dropped."""

    @property
    def searching(self) -> bool:
        """Whether a search runs, or has ended and waits for `stop`."""
        return self._search is not None

    @property
    def running(self) -> bool:
        """Whether a search runs."""
        return self._search is not None and self._search.result is None

    def close(self) -> None:
        """Stop the search at once, without an answer: one that runs gives back the player at its end."""
        self._closed = True
        if self._search is not None and self.running:
            self._search.stop.set()
        else:
            self._search = None

    def search(self, limit: Limit, thinker: Thinker) -> None:
        """Search the position; `thinker` receives the results, at once or later."""
        player, position = self._seat.player, self._seat.position
        if position.result is not None:
            thinker.moved(None)
            return
        asked = self._asked_limits(limit)
        limits = self._within_terms(asked)
        self._cut = limits.seconds != asked.seconds
        self._endless = limit.infinite and not self._ends(asked)
        self._thinker = thinker
        self._searched, self._visits = position, None
        search = self._search = Search(player, position, limits, self._reported, self._ended, self.since)
        if player.instant:
            search.run_inline()
        else:
            search.run(self._driver)

    def change_limit(self, limit: Limit) -> None:
        """End the search that runs within `limit`, counted from its beginning."""
        if self._search is not None and (seconds := self.limits(limit).seconds):
            self._search.end_within(seconds)

    def stop(self) -> None:
        """End the search now, if one runs; its move still comes."""
        search = self._search
        if search is None:
            return
        self._endless = False
        search.stop.set()
        if search.result is not None:
            self._answer(search, search.result)

    def stop_endless(self) -> None:
        """End a search that only `stop` would end."""
        if self._endless:
            self.stop()

    # --- visits -------------------------------------------------------------------------------------------------------

    def visits(self) -> Sequence[tuple[str, int]]:
        """Return the moves at the root of the last search with their visits, the most visited first."""
        if self._searched is None or self._visits is not None:
            return self._visits or ()
        return [(self._searched.move_text(one.move), one.visits) for one in self._seat.player.root_moves()]

    def keep_visits(self) -> None:
        """Keep the visits of the last search, before the player searches other positions."""
        self._visits = self.visits()

    def forget(self) -> None:
        """Forget the last search: the game or the player is another one."""
        self._searched = self._visits = None

    # --- limits -------------------------------------------------------------------------------------------------------

    def limits(self, limit: Limit) -> Limits:
        """Return the limits of a search within the terms of the server."""
        return self._within_terms(self._asked_limits(limit))

    def _within_terms(self, asked: Limits) -> Limits:
        most = self._terms.think_seconds
        if math.isinf(most):
            return asked
        return Limits(asked.depth, asked.nodes, min(asked.seconds or most, most))

    def _asked_limits(self, limit: Limit) -> Limits:
        position = self._seat.position
        plies = most_plies_left(position) if fills_cells(position) else PLIES_LEFT
        seconds = seconds_for(limit, position.side_to_move, plies)
        depth, nodes = limit.depth or 0, limit.nodes or 0
        limits = Limits(depth, nodes, seconds)
        if self._ends(limits) or limit.infinite or self._seat.player.bounded:
            return limits
        return Limits(depth, nodes, DEFAULT_SECONDS)

    def _ends(self, limits: Limits) -> bool:
        """Return whether `limits` end a search of this player: not every player stops at a depth."""
        return bool(limits.seconds or limits.nodes or (limits.depth and self._seat.player.deepens))

    # --- reports ------------------------------------------------------------------------------------------------------

    def _reported(self, search: Search, info: SearchInfo) -> None:
        if search is self._search and self.running and not self._closed and not self.congested:
            self._send_info(search, info)

    def _ended(self, search: Search, outcome: SearchInfo | Failure) -> None:
        search.result = outcome
        if isinstance(outcome, SearchInfo):
            self._note(search, outcome)
        if self._closed:
            self._search = None
            self._seat.leave()
        elif not self._endless:
            self._answer(search, outcome)

    def _note(self, search: Search, outcome: SearchInfo) -> None:
        """Count a search; report that the server ended it."""
        self._terms.counts.searched(outcome.nodes, outcome.seconds)
        most = self._terms.think_seconds
        if self._cut and search.waited + outcome.seconds >= NEARLY * most and not self._closed:
            self._asking.remarked(f"the search ended after {most:g} s, the limit of this server")

    def _answer(self, search: Search, outcome: SearchInfo | Failure) -> None:
        thinker = self._asking
        self._search = None
        if isinstance(outcome, Failure):
            thinker.failed(outcome.why)
            thinker.moved(None)
            return
        self._send_info(search, outcome)
        thinker.moved(self._attempt(search.position, lambda: best_of(search.position, outcome)))

    def _send_info(self, search: Search, found: SearchInfo) -> None:
        """Send the findings of a search; unprintable figures do not cost the move."""
        position = search.position
        self._attempt(position, lambda: self._asking.found(info_of(position, found, search.waited)))

    def _attempt(self, position: Position, job: Callable[[], Result]) -> Result | None:
        """Return the result of the job; None if it fails, which the thinker receives."""
        outcome = tried(self._seat.player.name, position, job)
        if isinstance(outcome, Failure):
            self._asking.failed(outcome.why)
            return None
        return outcome

    @property
    def _asking(self) -> Thinker:
        assert self._thinker is not None
        return self._thinker
