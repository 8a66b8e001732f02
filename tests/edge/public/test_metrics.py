"""`/metrics`: where answers came from, and that neither a 304 nor what is written ahead costs a query."""

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from subprocess import PIPE

import pytest

from edge.serving.server import COUNTS_FOLDER, make_counts_folder
from outings.release.pointer import NAME
from tests.edge.asking import read_metrics
from tests.edge.conftest import Service
from tests.edge.publishing import NOW, make_id, make_world, publish_worlds

LIST = "/v1/harbor/events"
EVENT, PLACE = make_id("harbor-event-1"), make_id("harbor-place")
STORED = (LIST, "/v1/harbor/classes", f"/v1/events/{EVENT}", f"/v1/places/{PLACE}")
SOURCES = {"object", "computed", "cached", "not_modified"}

MakeService = Callable[..., Service]


def test_all_numbers_begin_at_0_and_asking_for_them_counts_as_nothing(make_own: MakeService) -> None:
    service = make_own()
    for _ in range(2):
        plain = [
            f"outings_{name}_total" for name in ("queries", "releases_refused", "uncounted", "connections_dropped")
        ]
        counted = dict.fromkeys([*SOURCES, "4xx", "5xx", *plain], 0.0)
        metrics = read_metrics(service.edge)
        assert {name: metrics[name] for name in metrics if not name.startswith("outings_release_")} == counted


def test_the_release_that_is_served_is_reported_with_when_it_was_published(make_own: MakeService) -> None:
    service = make_own()
    before = read_metrics(service.edge)
    assert (before["outings_release_number"], before["outings_release_published_timestamp_seconds"]) == (
        1, NOW.timestamp(),
    )  # fmt: skip
    world = make_world("harbor", timezone="America/New_York", events=2)
    publish_worlds(service.store, [world], folder=service.folder, stamp=NOW + timedelta(minutes=1))
    service.edge.poll()
    after = read_metrics(service.edge)
    assert (after["outings_release_number"], after["outings_release_published_timestamp_seconds"]) == (
        2, NOW.timestamp() + 60,
    )  # fmt: skip


@pytest.mark.parametrize("target", STORED)
def test_what_was_written_ahead_and_a_304_run_no_query(make_own: MakeService, target: str) -> None:
    service = make_own()
    tag = service.get(target).headers["etag"]
    for _ in range(3):
        service.get(target)
        assert service.get(target, if_none_match=tag).status == 304
    metrics = read_metrics(service.edge)
    assert {name: metrics[name] for name in SOURCES} == {"object": 1, "computed": 0, "cached": 3, "not_modified": 3}
    assert metrics["outings_queries_total"] == 0


def test_a_304_of_a_list_that_nobody_asked_for_before_runs_no_query(make_own: MakeService) -> None:
    service = make_own()
    target = f"{LIST}?free=true"
    tag = service.get(target).headers["etag"]
    assert read_metrics(service.edge)["outings_queries_total"] == 1
    fresh = service.start_another()
    assert fresh.get(target, if_none_match=tag).status == 304
    assert read_metrics(fresh.edge)["outings_queries_total"] == 0


def test_a_list_is_computed_once_and_then_cached(make_own: MakeService) -> None:
    service = make_own()
    for _ in range(3):
        service.get(f"{LIST}?free=true")
    metrics = read_metrics(service.edge)
    assert (metrics["computed"], metrics["cached"], metrics["outings_queries_total"]) == (1, 2, 1)


def test_errors_are_counted_by_class(make_own: MakeService) -> None:
    service = make_own(published=False)
    for target in (LIST, LIST, "/v1/nothing/at/all/here"):
        service.get(target)
    metrics = read_metrics(service.edge)
    assert (metrics["4xx"], metrics["5xx"]) == (1, 2)


def test_a_release_that_is_refused_is_counted_once(make_own: MakeService) -> None:
    service = make_own()
    world = make_world("harbor", timezone="America/New_York", events=2)
    publish_worlds(service.store, [world], folder=service.folder, stamp=NOW + timedelta(minutes=1))
    service.store.put(NAME, b"no pointer")
    for _ in range(3):
        service.edge.poll()
    assert read_metrics(service.edge)["outings_releases_refused_total"] == 1


COUNT = """
from edge.metrics import Counts, Metrics
from edge.usage import UsageRecorder
counts = Counts()
metrics = Metrics(counts, UsageRecorder())
counts.cached.inc()
counts.releases_refused.inc()
print(metrics.render(None).decode())
"""


def test_a_worker_shows_what_all_workers_of_its_server_counted_also_those_that_ended() -> None:
    with make_counts_folder():
        texts = [subprocess.run([sys.executable, "-c", COUNT], stdout=PIPE, check=True).stdout for _ in range(2)]
    assert COUNTS_FOLDER not in os.environ
    for number, text in enumerate(texts, start=1):
        assert f'outings_answers_total{{source="cached"}} {number}.0' in text.decode().splitlines()
        assert f"outings_releases_refused_total {number}.0" in text.decode().splitlines()
