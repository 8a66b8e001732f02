"""`/metrics`: counts of all workers since the server started, in Prometheus' format. Needs no key."""

import asyncio
from collections import Counter as Tallies
from collections.abc import Iterator, Mapping, Sequence

import structlog
from prometheus_client import CollectorRegistry, Metric, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

from edge.releases import Releases, ServedRelease
from edge.request import Request
from edge.response import Response, make_status
from edge.usage.counts import Counter, Counts, FrontAnswer
from edge.usage.ledger import TotalUsage
from edge.usage.recorder import UsageRecorder
from outings.contract.routes import METRICS_TYPE

log = structlog.get_logger()

_SOURCES = ("object", "computed", "cached", "not_modified")
_PLAIN = {
    "outings_queries": (Counter.QUERIES, "Queries that were run."),
    "outings_releases_refused": (Counter.RELEASES_REFUSED, "Releases that were not taken up."),
    "outings_uncounted": (Counter.UNCOUNTED, "Times that the counters of limits were out of reach."),
    "outings_connections_dropped": (
        Counter.DROPPED, "Connections closed to protect the others: one too many, or an answer that was not read.",
    ),
}  # fmt: skip


class Metrics:
    """Every worker shows the sums of all workers."""

    def __init__(self, counts: Counts, usage: UsageRecorder, releases: Releases) -> None:
        self._counts = counts
        self._releases = releases
        self._usage = usage
        self._registry = CollectorRegistry()
        self._registry.register(self)

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics (prometheus_client's protocol)."""
        yield from describe_counts(self._counts.read_totals())
        yield from describe_fronts(self._counts.read_front_totals())
        if self._releases.current is not None:
            yield from describe_release(self._releases.current)
        if self._usage.ledger is not None:
            try:
                totals = self._usage.ledger.read_totals()
            except OSError as error:
                log.warning("usage_not_read", reason=str(error))
            else:
                yield from describe_usage(totals, shows_keys=self._usage.shows_keys)

    async def answer(self, request: Request) -> Response:
        body = await asyncio.to_thread(generate_latest, self._registry)
        return make_status(request, body, media=METRICS_TYPE)


def describe_counts(totals: Mapping[Counter, int]) -> Iterator[CounterMetricFamily]:
    answers = CounterMetricFamily(
        "outings_answers", "Successes by where they came from; not_modified is 304.", labels=["source"]
    )
    for source in _SOURCES:
        answers.add_metric([source], totals[Counter[source.upper()]])
    yield answers
    errors = CounterMetricFamily("outings_errors", "Errors by class of status.", labels=["status"])
    errors.add_metric(["4xx"], totals[Counter.REFUSED])
    errors.add_metric(["5xx"], totals[Counter.FAILED])
    yield errors
    for name, (counter, documentation) in _PLAIN.items():
        yield CounterMetricFamily(name, documentation, value=totals[counter])


def describe_fronts(totals: Mapping[tuple[str, FrontAnswer], int]) -> Iterator[CounterMetricFamily]:
    """Yield the counts of answers to fronts; nothing if there are none."""
    if not totals:
        return
    answers = CounterMetricFamily(
        "outings_front_answers",
        "Successes to fronts: a pointer to a body, a fill of what a front keeps, a body inline.",
        labels=["route", "kind"],
    )
    for (route, kind), total in totals.items():
        answers.add_metric([route, kind.name.lower()], total)
    yield answers


def describe_release(served: ServedRelease) -> Iterator[GaugeMetricFamily]:
    """Yield what this worker serves; the others open the same release within seconds."""
    yield GaugeMetricFamily("outings_release_number", "The release that is served.", value=served.root.sequence)
    yield GaugeMetricFamily(
        "outings_release_published_timestamp_seconds",
        "When it was published, by its build's clock.",
        value=served.root.built_at.timestamp(),
    )


def describe_usage(totals: Sequence[TotalUsage], *, shows_keys: bool) -> Iterator[CounterMetricFamily]:
    """Since the machine's ledger began: by route; by client and key too, where that may be shown."""
    by_route: Tallies[tuple[str, str]] = Tallies()
    for total in totals:
        by_route[total.route, "billed"] += total.billed
        by_route[total.route, "refused"] += total.refused
    requests = CounterMetricFamily(
        "outings_requests", "Requests with valid keys; billed are successes and 304.", labels=["route", "result"]
    )
    for labels, number in sorted(by_route.items()):
        requests.add_metric(labels, number)
    yield requests
    if not shows_keys:
        return
    usage = CounterMetricFamily("outings_usage", "The same for each key.", labels=["client", "key", "route", "result"])
    for total in totals:
        usage.add_metric((total.client, total.key, total.route, "billed"), total.billed)
        usage.add_metric((total.client, total.key, total.route, "refused"), total.refused)
    yield usage
