"""A cursor stays in its release for 15 minutes after that was replaced; then it goes on by key, or expires."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from outings.release.manifest import read_manifest
from outings.release.pointer import read_current
from outings.release.store import object_name
from tests.edge.conftest import Service
from tests.edge.publishing import NOW, make_world, publish_restamped, publish_worlds
from tests.release.doubles import FailingStore
from tests.release.memory import MemoryStore

LIST = "/v1/harbor/events"
SEARCH = "/v1/harbor/search?q=story&limit=2"
MakeService = Callable[..., Service]


def publish_events(service: Service, count: int, *, minutes: int) -> None:
    world = make_world("harbor", timezone="America/New_York", events=count)
    publish_worlds(service.store, [world], folder=service.folder, stamp=NOW + timedelta(minutes=minutes))
    service.edge.poll()


def begin_paging(service: Service, target: str = f"{LIST}?limit=2") -> tuple[str, str]:
    """Return the target of the second page, and the release of the first."""
    got = service.get(target)
    return f"{target}&cursor={got.read_json()['meta']['next_cursor']}", got.headers["x-release"]


def wait(service: Service, **span: int) -> None:
    service.clock.now += timedelta(**span)
    service.edge.poll()


def read_names(got: Any) -> list[str]:
    return [item["name"] for item in got.read_json()["data"]]


def count_maps(folder: Path) -> int:
    """Maps of files of this cache."""
    return sum(str(folder) in line for line in Path("/proc/self/maps").read_text().splitlines())


def test_a_cursor_stays_in_its_release_for_fifteen_minutes_and_then_goes_on_by_key(make_own: MakeService) -> None:
    service = make_own()
    target, began_in = begin_paging(service)
    publish_events(service, 3, minutes=1)
    for span in ({"minutes": 0}, {"minutes": 14, "seconds": 59}):
        wait(service, **span)
        got = service.get(target)
        assert got.headers["x-release"] == began_in
        assert read_names(got) == ["Story 2 of harbor", "Story 3 of harbor"]
    wait(service, seconds=1)
    got = service.get(target)
    assert got.headers["x-release"] == service.get(LIST).headers["x-release"] != began_in
    assert (read_names(got), got.read_json()["meta"]["has_more"]) == (["Story 2 of harbor"], False)


def test_the_cursor_of_a_search_expires_when_its_release_is_closed(make_own: MakeService) -> None:
    service = make_own()
    target, began_in = begin_paging(service, SEARCH)
    publish_events(service, 3, minutes=1)
    assert service.get(target).headers["x-release"] == began_in
    wait(service, minutes=15)
    got = service.get(target)
    assert (got.status, got.error["details"]["reason"]) == (400, "cursor_expired")


def test_every_release_of_the_last_fifteen_minutes_is_open_and_those_before_are_closed(make_own: MakeService) -> None:
    service = make_own()
    begun = []
    for minute in range(1, 31):
        begun.append(begin_paging(service))
        publish_restamped(service.store, 1, minutes=minute)
        wait(service, minutes=1)
        answered = [service.get(target).headers["x-release"] for target, _ in begun[-15:]]
        assert answered == [release_id for _, release_id in begun[-15:]]
    current = service.get(LIST).headers["x-release"]
    assert {service.get(target).headers["x-release"] for target, _ in begun[:15]} == {current}


def test_what_a_closed_release_had_open_is_let_go_of(make_own: MakeService) -> None:
    service = make_own()
    begun = count_maps(service.folder)
    for minute in range(1, 6):
        publish_events(service, minute, minutes=minute)
    assert count_maps(service.folder) > begun
    wait(service, minutes=15)
    assert count_maps(service.folder) <= begun


def test_a_metro_that_a_build_left_alone_is_not_opened_again(make_own: MakeService) -> None:
    service = make_own()
    target, _ = begin_paging(service, "/v1/lakeside/events?limit=2")
    files = count_maps(service.folder)
    publish_events(service, 3, minutes=1)
    current = read_current(service.store)
    assert current is not None
    manifest = read_manifest(service.store, current.root.parts["harbor"].manifest)
    own = len(manifest.tables) + len(manifest.mapped) + len(manifest.packs)
    assert count_maps(service.folder) <= files + own + 2  # the log's tail, and its index
    assert service.get(target).headers["x-release"].startswith("2-")


class GatedStore(MemoryStore):
    """Reads of the names in `gated` say that they have begun, and wait until the gate is open."""

    def __init__(self) -> None:
        super().__init__()
        self.gated: set[str] = set()
        self.begun, self.gate = threading.Event(), threading.Event()

    def get(self, name: str) -> bytes:
        if name in self.gated:
            self.begun.set()
            assert self.gate.wait(60)
        return super().get(name)


@pytest.mark.parametrize("is_list", [True, False], ids=["a list", "changes"])
def test_a_cursor_of_a_release_that_this_server_is_opening_waits_for_it(make_own: MakeService, is_list: bool) -> None:
    store = GatedStore()
    service = make_own(store=store)
    other = service.start_another()
    publish_events(other, 4, minutes=1)
    target, began_in = begin_paging(other)
    cursor = other.get("/v1/changes").read_json()["meta"]["next_cursor"]
    current = read_current(store)
    assert current is not None
    store.gated = {object_name(current.root.parts["harbor"].manifest)}
    with ThreadPoolExecutor() as pool:
        opening = pool.submit(service.edge.poll)
        assert store.begun.wait(60)
        answer = pool.submit(service.get, target if is_list else f"/v1/changes?cursor={cursor}")
        assert service.get(f"{LIST}?limit=2").headers["x-release"] != began_in  # which waits for nothing
        store.gate.set()
        opening.result()
        assert (answer.result().status, answer.result().headers["x-release"]) == (200, began_in)


def test_a_cursor_goes_on_after_the_clock_is_set_back(make_own: MakeService) -> None:
    service = make_own()
    target, began_in = begin_paging(service)
    publish_events(service, 3, minutes=1)
    wait(service, minutes=-5)
    assert service.get(target).headers["x-release"] == began_in


@pytest.mark.parametrize("is_off", [False, True])
def test_a_server_that_never_served_the_release_of_a_cursor_goes_on_by_key(make_own: MakeService, is_off: bool) -> None:
    store = FailingStore()
    service = make_own(store=store)
    target, began_in = begin_paging(service)
    publish_events(service, 4, minutes=1)
    fresh = service.start_another()
    store.is_off = is_off
    got = fresh.get(target)
    assert read_names(got) == ["Story 2 of harbor", "Story 3 of harbor"]
    assert got.headers["x-release"] != began_in


@pytest.mark.parametrize("target", [LIST, "/v1/metros", "/v1/changes", "/v1/harbor/nearby?lat=40&lng=-74"])
def test_no_release_can_be_named(service: Service, target: str) -> None:
    release_id = service.get("/v1/metros").headers["x-release"]
    got = service.get(f"{target}{'&' if '?' in target else '?'}release={release_id}")
    assert (got.status, got.error["details"]["reason"]) == (400, "unknown_parameter")
    assert got.error["details"]["param"] == "release"
