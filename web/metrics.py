"""The numbers of a server of pages for Prometheus."""

from __future__ import annotations

from collections.abc import Iterable

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.datastructures import State

from fiedler.web.counting import Counting
from fiedler.web.followers import Followers
from fiedler.web.listing import Listing
from fiedler.web.play import tables


class SiteCollector(Collector):
    """Reads the numbers of a server whenever it is asked."""

    def __init__(self, counting: Counting, state: State) -> None:
        """`state` is that of the application."""
        self._counting = counting
        self._listing: Listing = state.listing
        self._followers: Followers = state.followers
        self._games: tables.PlayTables = state.tables

    def collect(self) -> Iterable[Metric]:
        """Return the metrics now."""
        gauges = (
            ("viewers", "Open streams of runs.", self._followers.viewers),
            ("viewers_limit", "The most of them.", self._followers.most),
            ("followed_runs", "Runs that are watched.", self._followers.followed),
            ("runs", "Runs in the folder.", len(self._listing.names())),
            ("play_games", "Games of visitors under way.", self._games.count),
            ("play_games_limit", "The most of them.", tables.MOST),
            ("play_streams", "Open streams of these games.", self._games.streams),
        )
        for name, about, value in gauges:
            yield GaugeMetricFamily(f"fiedler_{name}", about, value=value)
        requests = CounterMetricFamily("fiedler_requests", "Requests, by the status of the answer.", labels=["status"])
        for status, number in sorted(self._counting.requests.items()):
            requests.add_metric([str(status)], number)
        yield requests
        yield CounterMetricFamily("fiedler_sent_bytes", "Bytes of all answers.", value=self._counting.sent)
        yield CounterMetricFamily("fiedler_viewers", "Streams of runs since the start.", value=self._followers.admitted)
        yield CounterMetricFamily("fiedler_events", "Messages to the viewers of runs.", value=self._followers.messages)
