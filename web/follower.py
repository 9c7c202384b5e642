"""One run, followed while somebody watches: its log, its running games, its ranking; a message is encoded once."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fiedler.games import known_game
from fiedler.support.errors import UsageError, WorkError
from fiedler.support.lock import is_locked
from fiedler.tournament.feeds.progress import Progress
from fiedler.tournament.feeds.rate import GameRate
from fiedler.tournament.feeds.source import ReplacedError, Source
from fiedler.tournament.run import event_log
from fiedler.tournament.run.interim import expected_games, games_text, void_text
from fiedler.tournament.run.run_file import NoRunError
from fiedler.tournament.run.soundness import open_sound
from fiedler.tournament.run.status import left
from fiedler.tournament.run.store import Store
from fiedler.web.node_documents import NodesLook
from fiedler.web.public import UNREADABLE, PublicModel, PublicStore, shown_nodes
from fiedler.web.run_model import Change, RunModel, event_of
from fiedler.web.running import RunningGames, RunningGamesNews
from fiedler.web.snapshot import PairPlan, RunSnapshot, RunTrouble, ShownState, StoredState
from fiedler.web.standings import Standings, timed
from fiedler.web.viewer import DIGITS, Viewer, message

log = logging.getLogger(__name__)

POLL_S, IDLE_POLL_S = 0.01, 0.5
"""Seconds between two looks at the log while a manager is at work, and while none is."""
VIEWER_S = 5e-5
"""More seconds for each viewer: all news of one look are one write to each of them."""
TABLES_S = 0.25
"""Seconds between two messages about running games."""
STANDINGS_S, SHARE = 2.0, 0.05
"""Seconds between two rankings, at least, and the share of a processor that they may take."""
KEPT = 500
"""Messages that are kept for viewers that come again."""
BEGIN_S, AGAIN_S = 0.1, 1.0
"""Seconds until a run is tried again that has not begun, and one that cannot be read."""
NEEDS_SNAPSHOT = ("added", "annulled")
"""Events after which a page needs a new snapshot."""
PARTS = ("progress", "plan", "standings", "nodes")
"""The parts of a snapshot that no event changes: a message replaces each of them."""


class Follower:
    """Follows one run, and sends what happens to its viewers."""

    def __init__(self, folder: Path, *, public: bool = False) -> None:
        """With `public` the texts of the organiser are left out."""
        self._folder = folder
        self._public = public
        self._store = PublicStore if public else Store
        self._name = folder.resolve().name
        self.viewers: set[Viewer] = set()
        self.left_at = time.monotonic()
        """The time when the last viewer left."""
        self.settled = asyncio.Event()
        """Whether the first look is over."""
        self.rated = asyncio.Event()
        """Whether there is a ranking, or trouble instead of one."""
        self._unrated = asyncio.Event()
        self._reset()

    def _reset(self) -> None:
        self.rated.clear()
        self._model: RunModel | None = None
        self._birth = ""
        self._parts: dict[str, Any] = {}
        self._running = RunningGames()
        self._rate = GameRate()
        self._nodes = NodesLook()
        self._kept: deque[tuple[int, bytes]] = deque(maxlen=KEPT)
        self._first_kept = 0
        """The number of the event before the first that is kept."""
        self._snapshot: bytes | None = None
        self._trouble, self._again_s = "", 0.0

    @property
    def document(self) -> RunSnapshot | RunTrouble:
        """The snapshot; before the first one the trouble alone."""
        if self._model is None:
            return {"name": self._name, "trouble": self._trouble or "the run has not begun"}
        return {
            **self._model.document(),
            "id": self._id,
            "name": self._name,
            "progress": self._parts["progress"],
            "plan": self._parts["plan"],
            "standings": self.standings,
            "nodes": self._parts["nodes"],
            "tables": self._running.shown,
        }

    @property
    def standings(self) -> Standings | None:
        """The ranking so far; None until there is one."""
        found: Standings | None = self._parts.get("standings")
        return found

    def join(self, viewer: Viewer, after: str) -> None:
        """Send the viewer a snapshot, or only what came after the event with this id, and from now on everything."""
        self.viewers.add(viewer)
        if self._model is None:
            viewer.send(message("trouble", self.document), "trouble")
            return
        if viewer.game:
            board = self._running.boards.get(viewer.game)
            news: RunningGamesNews = {
                "changed": [self._running.picture(board)] if board is not None else [],
                "ended": [],
            }
            viewer.send(message("tables", news))
            return
        birth, _, number = after.partition("-")
        seen = int(number) if birth == self._birth and number.isdecimal() and len(number) <= DIGITS else -1
        if not self._first_kept <= seen <= self._model.seq:
            self._send_snapshot(viewer)
            return
        for last, text in self._kept:
            if last > seen:
                viewer.send(text)
        for part in PARTS:
            viewer.send(message(part, self._parts.get(part)), part)
        shown: RunningGamesNews = {"all": self._running.shown}
        viewer.send(message("tables", shown))

    def leave(self, viewer: Viewer) -> None:
        """Forget a viewer."""
        self.viewers.discard(viewer)
        self.left_at = time.monotonic()

    async def run(self) -> None:
        """Follow until cancelled."""
        while True:
            try:
                await self._follow()
            except* ReplacedError:
                self._reset()
            except* NoRunError as errors:
                self._fail(str(errors.exceptions[0]), BEGIN_S)
            except* (UsageError, WorkError, OSError) as errors:
                self._fail(str(errors.exceptions[0]))
            except* Exception:  # the other runs and the server live on
                log.exception("following %s", self._folder)
                self._fail("this page failed; the server's log has the reason")
            await asyncio.sleep(self._again_s)

    def _fail(self, text: str, again_s: float = AGAIN_S) -> None:
        self._reset()
        self._trouble, self._again_s = UNREADABLE if self._public else text, again_s
        self._publish("trouble", self.document, "trouble")
        self.settled.set()
        self.rated.set()

    async def _follow(self) -> None:
        with await asyncio.to_thread(self._source) as source:
            model, birth = await asyncio.to_thread(self._caught_up, source)
            await self._look(source.progress)
            self._model, self._birth, self._trouble = model, birth, ""
            self._first_kept = model.seq
            self._refresh_progress(source)
            self._snapshot = None
            for viewer in list(self.viewers):
                self.join(viewer, "")
            self.settled.set()
            async with asyncio.TaskGroup() as group:
                rating = group.create_task(self._rate_at_times())
                try:
                    await self._poll(source)
                finally:
                    rating.cancel()

    def _source(self) -> Source[RunningGames]:
        """Return the source of the run; raises what `tournament status` prints if it cannot be read."""
        log_file = self._folder / event_log.FILE
        if is_locked(self._folder) and not log_file.exists():
            raise NoRunError("the run has not begun")
        open_sound(self._folder).close()
        if log_file.exists() and not log_file.is_file():
            raise UsageError(f"{log_file}: expected a file")
        return Source(self._folder, self._running)

    def _caught_up(self, source: Source[RunningGames]) -> tuple[RunModel, str]:
        """Read the log so far."""
        with open_sound(self._folder) as store:
            schedule = store.schedule
        self._running.game = known_game(source.progress.game)
        players = source.progress.players
        model = PublicModel(players, schedule) if self._public else RunModel(players, schedule, self._folder)
        while lines := source.tail.lines():
            for line in lines:
                if (event := event_of(line.text)) is not None:
                    model.take(line.seq, event)
            model.seq = lines[-1].seq
            source.arrived(lines)
        source.look(at_once=True)
        self._running.forget()
        self._schedule = schedule
        self._parts["standings"] = None
        return model, source.progress.birth

    async def _poll(self, source: Source[RunningGames]) -> None:
        seen, tables_at = source.progress, 0.0
        while True:
            if source.is_due:  # it reads the store, which may be locked
                await asyncio.to_thread(source.look_at_run)
            source.look_at_games()
            has_news = self._publish_changes(source)
            if source.progress is not seen:
                if source.progress.is_running != seen.is_running:
                    self._unrated.set()
                seen = source.progress
                await self._look(seen)
                has_news = True
            if has_news:
                self._refresh_progress(source)
            if (now := time.monotonic()) >= tables_at:
                tables_at = now + TABLES_S
                self._publish_tables()
            pause = POLL_S if source.progress.is_running else IDLE_POLL_S
            await asyncio.sleep(pause + VIEWER_S * len(self.viewers))

    def _publish_changes(self, source: Source[RunningGames]) -> bool:
        """Publish the new lines of the log; return whether there are any."""
        assert self._model is not None
        lines = source.tail.lines()
        if not lines:
            return False
        found = [(line.seq, event_of(line.text)) for line in lines]
        changes = [self._model.take(seq, event) for seq, event in found if event is not None]
        self._model.seq = lines[-1].seq
        source.arrived(lines)
        text = message("changes", changes, self._id)
        self._keep(text)
        self._publish_text(text)
        self._publish_ends(changes)
        if any(change.game is not None or change.kind in ("benched", "decided", "ended") for change in changes):
            self._unrated.set()
        if any(change.kind in NEEDS_SNAPSHOT for change in changes):
            raise ReplacedError
        return True

    def _keep(self, text: bytes) -> None:
        assert self._model is not None
        if len(self._kept) == KEPT:
            self._first_kept = self._kept[0][0]
        self._kept.append((self._model.seq, text))

    def _publish_tables(self) -> None:
        for game in {viewer.game for viewer in self.viewers}:
            changes = self._running.take(game)
            if any(changes.values()):
                self._publish_text(message("tables", changes), game=game)
        self._running.forget()
        self._snapshot = None

    def _publish_ends(self, changes: Sequence[Change]) -> None:
        """Send the viewers of a game its end."""
        watched = {viewer.game for viewer in self.viewers}
        for change in changes:
            if change.number in watched and change.game is not None:
                self._publish_text(message("finished", change.number), game=change.number)

    async def _look(self, seen: Progress) -> None:
        """Read the parts of the snapshot that come from the store."""
        details, plan, nodes = await asyncio.to_thread(self._details)
        self._details_now = details
        place = {name: number for number, name in enumerate(seen.players)}
        pairs: list[PairPlan] = [(place[a], place[b], games) for a, b, games in plan if a in place and b in place]
        self._put("plan", pairs)
        self._put("nodes", shown_nodes(nodes) if self._public else nodes)

    def _details(self) -> tuple[StoredState, list[tuple[str, str, int]], dict[str, Any] | None]:
        with open_sound(self._folder, self._store) as store, store.at_one_moment():
            counts = store.counts
            details: StoredState = {
                "game": store.meta["game"],
                "over": store.over,
                "scheduled": counts.scheduled,
                "finished": counts.finished,
                "void": counts.void,
                "void_text": void_text(counts).removeprefix(", "),
                "given_up": counts.given_up,
                "benched": store.benched,
                "absent": store.absent,
                "away": store.away,
                "command": store.command,
                **left(store),
            }
            return details, store.pair_games, self._nodes.look(store)

    def _refresh_progress(self, source: Source[RunningGames]) -> None:
        details = self._details_now
        finished, scheduled = details["finished"], details["scheduled"]
        expected = scheduled if details["over"] else expected_games(self._schedule.pairing, scheduled)
        progress: ShownState = {
            **details,
            "state": source.state,
            "expected": expected,
            "text": games_text(
                self._schedule.pairing, finished, scheduled, is_all=bool(details["over"]), given_up=details["given_up"]
            ),
            "per_minute": self._rate.look(time.monotonic(), finished) if source.progress.is_running else None,
        }
        self._put("progress", progress)

    async def _rate_at_times(self) -> None:
        """Rank the players when games have ended."""
        self._unrated.set()
        while True:
            await self._unrated.wait()
            self._unrated.clear()
            found, took = await asyncio.to_thread(timed, self._folder)
            self._put("standings", found)
            self.rated.set()
            await asyncio.sleep(max(STANDINGS_S, took / SHARE))

    def _put(self, part: str, content: Any) -> None:  # noqa: ANN401 (JSON)
        """Change a part of the snapshot, and publish it."""
        if part not in self._parts or self._parts[part] != content:
            self._parts[part] = content
            if self._model is not None:
                self._publish(part, content, part)

    @property
    def _id(self) -> str:
        assert self._model is not None
        return f"{self._birth}-{self._model.seq}"

    def _send_snapshot(self, viewer: Viewer) -> None:
        if self._snapshot is None:
            self._snapshot = message("snapshot", self.document, self._id)
        viewer.send(self._snapshot)

    def _publish(self, event: str, content: object, subject: object = None) -> None:
        self._publish_text(message(event, content), subject)

    def _publish_text(self, text: bytes, subject: object = None, *, game: int = 0) -> None:
        """Send a message to the viewers of a game, or with 0 to those of the whole run."""
        self._snapshot = None
        for viewer in list(self.viewers):
            if viewer.game == game:
                viewer.send(text, subject)
