"""`/metrics`: what happened since the server began, over all its workers, as Prometheus reads it. No key."""

from collections.abc import Iterator, Mapping

from prometheus_client import CollectorRegistry, Metric, generate_latest
from prometheus_client.core import CounterMetricFamily
from starlette.types import Receive, Scope, Send

from edge.counts import Counter, Counts
from edge.responses import send_status
from outings.contract.openapi import METRICS_TYPE

_SOURCES = ("object", "computed", "cached", "not_modified")


class ShowMetrics:
    """Any worker tells the sums of all."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._registry = CollectorRegistry()
        self._registry.register(self)

    def collect(self) -> Iterator[Metric]:
        """What the registry asks for (prometheus_client's protocol)."""
        yield from describe_counts(self._counts.read_totals())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 an ASGI application
        await send_status(send, scope["exchange"], body=generate_latest(self._registry), content_type=METRICS_TYPE)


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
    yield CounterMetricFamily("outings_queries", "Queries that were run.", value=totals[Counter.QUERIES])
    yield CounterMetricFamily(
        "outings_releases_refused", "Releases that were not taken up.", value=totals[Counter.RELEASES_REFUSED]
    )
    yield CounterMetricFamily(
        "outings_uncounted", "Times that the counters of limits were out of reach.", value=totals[Counter.UNCOUNTED]
    )
