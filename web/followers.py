"""The runs that are watched."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fiedler.web.follower import Follower
from fiedler.web.listing import Listing
from fiedler.web.viewer import Viewer

KEPT_S = 30.0
"""Seconds for which a run without viewers is followed: the page may be loaded again."""
LOOK_S = 5.0


class Followers:
    """Follows the runs that somebody watches."""

    def __init__(self, listing: Listing, most_viewers: int, *, public: bool = False) -> None:
        self._listing = listing
        self._public = public
        self.most = most_viewers
        """The most open streams."""
        self.admitted = 0
        """Streams since the start."""
        self._messages = 0
        """Messages on the streams that have ended."""
        self._followed: dict[str, tuple[Follower, asyncio.Task[None]]] = {}
        self._group: asyncio.TaskGroup | None = None
        self._is_open = True

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Follow runs as long as this context lasts."""
        async with asyncio.TaskGroup() as self._group:
            forgetting = self._group.create_task(self._forget())
            yield
            forgetting.cancel()
            for _, task in self._followed.values():
                task.cancel()

    @property
    def viewers(self) -> int:
        """The number of open streams."""
        return sum(len(follower.viewers) for follower, _ in self._followed.values())

    @property
    def followed(self) -> int:
        """The number of runs that are watched, or were so shortly before."""
        return len(self._followed)

    @property
    def messages(self) -> int:
        """The number of messages on all streams since the start."""
        return self._messages + sum(one.sent for follower, _ in self._followed.values() for one in follower.viewers)

    def get(self, name: str) -> Follower | None:
        """Return the follower of a run; None if there is no such run."""
        if name not in self._followed:
            folder = self._listing.folder(name)
            if folder is None or self._group is None:
                return None
            follower = Follower(folder, public=self._public)
            self._followed[name] = follower, self._group.create_task(follower.run())
        follower = self._followed[name][0]
        follower.left_at = time.monotonic()
        return follower

    def view(self, follower: Follower, game: int, after: str) -> Viewer | None:
        """Return a new viewer of a run; None if there are too many."""
        if not self._is_open or self.viewers >= self.most:
            return None

        def left(viewer: Viewer) -> None:
            self._messages += viewer.sent
            follower.leave(viewer)

        self.admitted += 1
        viewer = Viewer(left, game)
        follower.join(viewer, after)
        return viewer

    def close(self) -> None:
        """End all streams."""
        self._is_open = False
        for follower, _ in self._followed.values():
            for viewer in list(follower.viewers):
                viewer.close()

    async def _forget(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            for name, (follower, task) in list(self._followed.items()):
                is_read = follower.settled.is_set()  # else requests wait for it
                if is_read and not follower.viewers and time.monotonic() - follower.left_at > KEPT_S:
                    task.cancel()
                    del self._followed[name]
