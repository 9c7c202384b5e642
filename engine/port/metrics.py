"""The numbers of a server for Prometheus."""

from __future__ import annotations

from collections.abc import Iterable

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from fiedler.engine.host.counts import SECONDS
from fiedler.engine.port.server import Server


class ServerCollector(Collector):
    """Reads the counts of a server whenever it is asked."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def collect(self) -> Iterable[Metric]:
        """Return the metrics now."""
        counts = self._server.terms.counts
        sessions = len(self._server.connections)
        yield GaugeMetricFamily("fiedler_sessions", "Sessions now.", value=sessions)
        yield CounterMetricFamily("fiedler_sessions", "Sessions since the start.", value=counts.sessions)
        yield CounterMetricFamily("fiedler_searches", "Searches that have ended.", value=counts.searches)
        yield CounterMetricFamily("fiedler_nodes", "Nodes of all searches.", value=counts.nodes)
        about = "Refused clients and sessions closed for a limit, by the kind of the reason."
        refused = CounterMetricFamily("fiedler_refused", about, labels=["why"])
        for why, number in sorted(counts.refused.items()):
            refused.add_metric([why], number)
        yield refused
        yield HistogramMetricFamily(
            "fiedler_search_seconds", "Seconds of a search.", buckets=self._buckets(), sum_value=counts.search_seconds
        )

    def _buckets(self) -> list[tuple[str, float]]:
        """Return the upper ends with the number of searches up to each."""
        total, buckets = 0, []
        for end, number in zip([*map(str, SECONDS), "+Inf"], self._server.terms.counts.buckets, strict=True):
            total += number
            buckets.append((end, float(total)))
        return buckets
