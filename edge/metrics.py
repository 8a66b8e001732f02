"""Counts of all workers of a server, and what `/metrics` shows in Prometheus' format.

Each worker counts in files of its own in one folder, which the server makes, and reads those of all. prometheus_client
finds the folder in the environment when it is imported; without it, a process counts by itself.
"""

import os
from collections import Counter as Tallies
from collections.abc import Iterator, Sequence

import prometheus_client
import structlog
from prometheus_client import CollectorRegistry, Counter, Metric, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from edge.usage import UsageRecorder, UsageRow
from outings.answers.rows.evaluator import QUERIES
from outings.release.root import Root

log = structlog.get_logger()

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
# Leave out when each counter began.
prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call]


class Counts:
    """Counters of this process, each with `inc`.

    Attributes:
        object: answers that the build wrote, and documents from its packs. `computed`: made by queries. `cached`: a
            computed one again, from memory or still being made. `not_modified`: 304.
        refused: 4xx. `failed`: 5xx.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        answers = self._make("answers", "Successes by where they came from; not_modified is 304.", "source")
        self.object, self.computed = answers.labels("object"), answers.labels("computed")
        self.cached, self.not_modified = answers.labels("cached"), answers.labels("not_modified")
        errors = self._make("errors", "Errors by class of status.", "status")
        self.refused, self.failed = errors.labels("4xx"), errors.labels("5xx")
        self.releases_refused = self._make("releases_refused", "Releases that were not taken up.")
        self.uncounted = self._make("uncounted", "Times that the counters of limits were out of reach.")
        self.dropped = self._make(
            "connections_dropped",
            "Connections closed to protect the others: one too many, or an answer that was not read.",
        )
        self._queries = self._make("queries", "Queries that were run.")
        self._queries_before = QUERIES.total

    def _make(self, name: str, documentation: str, *labels: str) -> Counter:
        return Counter(f"outings_{name}", documentation, labels, registry=self.registry)

    def follow_queries(self) -> None:
        """Add the queries since the last call, as counted by `QUERIES`."""
        before, self._queries_before = self._queries_before, QUERIES.total
        self._queries.inc(self._queries_before - before)


class Metrics(Collector):
    """A collector of the sums of all workers, in each of them."""

    def __init__(self, counts: Counts, usage: UsageRecorder) -> None:
        self._counts = counts
        self._usage = usage
        self._root: Root | None = None
        folder = os.environ.get(FOLDER)
        self._totals: Collector | CollectorRegistry = (
            counts.registry if folder is None else MultiProcessCollector(None, folder)  # type: ignore[no-untyped-call]
        )

    def render(self, root: Root | None) -> bytes:
        """Return the text of all metrics; `root` is of the release that this worker serves. Blocks."""
        self._root = root
        return generate_latest(self)

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics (prometheus_client's protocol)."""
        self._counts.follow_queries()
        yield from (family for family in self._totals.collect() if family.samples)
        if self._root is not None:
            yield from describe_release(self._root)
        if self._usage.ledger is not None:
            try:
                totals = self._usage.ledger.read_totals()
            except OSError as error:
                log.warning("usage_not_read", reason=str(error))
            else:
                yield from describe_usage(totals, shows_keys=self._usage.shows_keys)


def describe_release(root: Root) -> Iterator[GaugeMetricFamily]:
    """Yield the number and age of the release of this worker. Other workers follow within seconds."""
    yield GaugeMetricFamily("outings_release_number", "The release that is served.", value=root.sequence)
    yield GaugeMetricFamily(
        "outings_release_published_timestamp_seconds",
        "When it was published, by its build's clock.",
        value=root.built_at.timestamp(),
    )


def describe_usage(totals: Sequence[UsageRow], *, shows_keys: bool) -> Iterator[CounterMetricFamily]:
    """Yield the counts of requests since the machine's usage file began. `shows_keys`: also by client and key."""
    by_route: Tallies[tuple[str, str]] = Tallies()
    usage = CounterMetricFamily("outings_usage", "The same for each key.", labels=["client", "key", "route", "result"])
    for total in totals:
        for result, number in (("billed", total.billed), ("refused", total.refused)):
            by_route[total.route, result] += number
            usage.add_metric((total.client, total.key, total.route, result), number)
    requests = CounterMetricFamily(
        "outings_requests", "Requests with valid keys; billed are successes and 304.", labels=["route", "result"]
    )
    for labels, number in sorted(by_route.items()):
        requests.add_metric(labels, number)
    yield from (requests, usage) if shows_keys else (requests,)
