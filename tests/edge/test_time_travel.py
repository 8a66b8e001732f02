"""`?release=`: any read, of a release that is kept."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest

from edge.release_pool import MOST_OPEN
from outings.release.objects import object_name
from outings.release.pointer import read_current
from outings.release.publishing import publish
from outings.release.releases import list_releases
from outings.release.store import StoreError
from tests.edge.asking import Response
from tests.edge.conftest import Service, make_service
from tests.edge.publishing import NOW, make_world, publish_worlds
from tests.edge.routes import ANSWERED, READS
from tests.release.doubles import FailingStore
from tests.release.memory import MemoryStore

LIST = "/v1/harbor/events"
MakeService = Callable[..., Service]


def publish_events(service: Service, count: int, *, minutes: int) -> None:
    world = make_world("harbor", timezone="America/New_York", events=count)
    publish_worlds(service.store, [world], folder=service.folder, stamp=NOW + timedelta(minutes=minutes))
    service.edge.poll()


def list_ids(service: Service) -> list[str]:
    """Newest first."""
    return [listed.id for listed in list_releases(service.store)]


class CountingStore(MemoryStore):
    """What is read of it is counted."""

    reads = 0

    def get(self, name: str) -> bytes:
        self.reads += 1
        return super().get(name)


def publish_again(service: Service, times: int) -> None:
    """Releases that change nothing."""
    for _ in range(times):
        current = read_current(service.store)
        assert current is not None
        publish(service.store, base=current.root, parts={}, changes=[], feeds={}, now=NOW)
    service.edge.poll()


def add_release(target: str, release_id: str) -> str:
    return f"{target}{'&' if '?' in target else '?'}release={release_id}"


NAMES = sorted(ANSWERED - {"events.ics.address"})  # which takes no `release`


@pytest.fixture(scope="module")
def replaced(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, dict[str, Response]]]:
    """A service whose first release was replaced, and what it answered before."""
    service = make_service(tmp_path_factory.mktemp("replaced"))
    before = {name: service.get(READS[name][0]) for name in NAMES}
    publish_events(service, 2, minutes=1)
    yield service, before
    service.close()


@pytest.mark.xdist_group("replaced")  # one worker makes the service
@pytest.mark.parametrize("name", NAMES)
def test_a_read_of_a_kept_release_is_what_it_answered_then(
    replaced: tuple[Service, dict[str, Response]], name: str
) -> None:
    service, before = replaced
    target, then = READS[name][0], before[name]
    got = service.get(add_release(target, then.headers["x-release"]))
    assert (got.status, got.headers["x-release"]) == (200, then.headers["x-release"])
    if name not in ("search", "nearby", "around"):  # which echo what was sent
        assert got.read_body() == then.read_body()
    assert got.headers["cache-control"] == then.headers["cache-control"]
    assert service.get(add_release(target, got.headers["x-release"]), if_none_match=got.headers["etag"]).status == 304


def test_the_current_release_may_be_named_too(service: Service) -> None:
    plain = service.get(LIST)
    got = service.get(add_release(LIST, plain.headers["x-release"]))
    assert got.read_body() == plain.read_body()


def test_a_walk_in_a_named_release_stays_in_it(make_own: MakeService) -> None:
    service = make_own()
    release_id = service.get(LIST).headers["x-release"]
    publish_events(service, 2, minutes=1)
    names, cursor = [], ""
    while True:
        got = service.get(f"{LIST}?limit=2&release={release_id}{cursor}")
        assert got.headers["x-release"] == release_id
        names += [each["name"] for each in got.read_json()["data"]]
        if not got.read_json()["meta"]["has_more"]:
            break
        cursor = f"&cursor={got.read_json()['meta']['next_cursor']}"
    assert names == [f"Story {number} of harbor" for number in range(5)]


def test_any_of_many_kept_releases_answers(make_own: MakeService) -> None:
    service = make_own()
    for number in range(MOST_OPEN + 3):
        publish_events(service, number + 1, minutes=number + 1)
    for _ in range(2):
        counts = [len(service.get(add_release(LIST, each)).read_json()["data"]) for each in list_ids(service)]
        assert counts == [*range(MOST_OPEN + 3, 0, -1), 5]


def test_the_log_of_a_release_ends_where_it_did(make_own: MakeService) -> None:
    service = make_own()
    release_id = service.get(LIST).headers["x-release"]
    publish_events(service, 2, minutes=1)
    assert len(service.get(f"/v1/changes?release={release_id}").read_json()["data"]) == 2
    got = service.get(f"/v1/changes?release={release_id}&cursor=3")
    assert got.error["details"] == {"param": "cursor", "reason": "cursor_ahead", "max": 2}


def test_a_release_that_is_not_kept_is_gone(make_own: MakeService) -> None:
    service = make_own()
    first = service.get(LIST).headers["x-release"]
    publish_events(service, 2, minutes=1)
    root = list(list_releases(service.store))[-1].sha
    service.store.delete(service.store.list(object_name(root)))
    fresh = service.start_another()
    for release_id in (first, f"1-{'0' * 8}", "99-0a1b2c3d"):
        for _ in range(2):
            got = fresh.get(add_release(LIST, release_id))
            assert (got.status, got.error["code"]) == (400, "bad_request")
            assert got.error["details"] == {"param": "release", "reason": "release_gone"}


@pytest.mark.parametrize("text", ["latest", "1", "1-", "1-XYZ", "-1-0a1b2c3d", "01-0a1b2c3d", "1-0a1b2c3d0"])
def test_what_is_no_release_is_an_invalid_value(service: Service, text: str) -> None:
    got = service.get(add_release(LIST, text))
    assert (got.status, got.error["details"]) == (400, {"param": "release", "reason": "invalid_value"})


def test_metro_and_scope_come_first(service: Service) -> None:
    assert service.get("/v1/atlantis/events?release=1-0a1b2c3d").status == 404
    assert service.get(f"{LIST}?release=1-0a1b2c3d", kind="lakeside").status == 403
    assert service.get(f"{LIST}?release=1-0a1b2c3d&bogus=1").error["details"]["reason"] == "unknown_parameter"


def test_a_release_or_a_walk_of_long_ago_is_found_in_few_reads(make_own: MakeService) -> None:
    store = CountingStore()
    service = make_own(store=store)
    first = service.get(f"{LIST}?limit=2")
    cursor = first.read_json()["meta"]["next_cursor"]
    publish_events(service, 2, minutes=1)
    publish_again(service, 298)
    oldest = first.headers["x-release"]

    def count_reads(target: str) -> tuple[Any, int]:
        """By a server that knows of nothing but the current release."""
        fresh = service.start_another()
        before = store.reads
        return fresh.get(target), store.reads - before

    got, reads = count_reads(f"{LIST}?limit=2&cursor={cursor}")
    assert (got.headers["x-release"], reads < 40) == (oldest, True), reads
    got, reads = count_reads(add_release(LIST, oldest))
    assert (got.headers["x-release"], reads < 40) == (oldest, True), reads
    got, reads = count_reads(add_release(LIST, "1-0a1b2c3d"))
    assert (got.error["details"]["reason"], reads < 10) == ("release_gone", True), reads


def test_a_worker_that_is_behind_takes_up_the_release_that_is_named(make_own: MakeService) -> None:
    service = make_own()
    other = service.start_another()
    publish_events(other, 2, minutes=1)
    release_id = other.get(LIST).headers["x-release"]
    assert service.get(add_release(LIST, release_id)).headers["x-release"] == release_id


def test_without_the_store_a_release_that_is_not_open_is_503(make_own: MakeService) -> None:
    store = FailingStore()
    service = make_own(store=store)
    publish_events(service, 2, minutes=1)
    first = list_ids(service)[-1]
    fresh = service.start_another()
    store.is_off = True
    with pytest.raises(StoreError):
        store.get("anything")
    assert fresh.get(add_release(LIST, first)).status == 503
    assert service.get(add_release(LIST, first)).status == 200
