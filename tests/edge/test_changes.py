"""The feed of changes over HTTP: how it is kept, who is behind, and what a store that is gone takes away."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from outings.release.pointer import read_pointer
from outings.release.publishing import publish
from outings.release.root import Log, read_root
from outings.release.store import object_name
from tests.edge.asking import Response, ask
from tests.edge.conftest import Service
from tests.edge.publishing import NOW, make_id, make_version, make_world, publish_worlds
from tests.release.doubles import FailingStore

FEED = "/v1/changes"
HISTORY = f"/v1/listings/{make_id('harbor-event-1')}/versions"
MakeService = Callable[..., Service]


def publish_again(service: Service, *, minutes: int = 1) -> None:
    world = make_world("harbor", timezone="America/New_York", events=2)
    publish_worlds(service.store, [world], folder=service.folder, stamp=NOW + timedelta(minutes=minutes))


def publish_versions(service: Service, count: int) -> None:
    """A release that brings nothing but versions."""
    current = read_pointer(service.store)
    assert current is not None
    publish(
        service.store, base=read_root(service.store, current.pointer.root), parts={},
        changes=[make_version("harbor", NOW)] * count, feeds={}, now=NOW + timedelta(minutes=2),
    )  # fmt: skip


def read_log(service: Service) -> Log:
    current = read_pointer(service.store)
    assert current is not None
    return read_root(service.store, current.pointer.root).log


def read_ids(got: Response) -> list[int]:
    assert got.status == 200, got.body
    return [item["version_id"] for item in got.read_json()["data"]]


def test_the_feed_is_asked_again_each_time_and_a_history_kept_for_a_minute(service: Service) -> None:
    for target, kept in ((FEED, "private, no-cache"), (HISTORY, "private, max-age=60")):
        got = service.get(target)
        assert got.headers["cache-control"] == kept
        assert got.headers["etag"].startswith('W/"')
        again = service.get(target, if_none_match=got.headers["etag"])
        assert (again.status, again.body, again.headers["cache-control"]) == (304, b"", kept)


def test_a_tag_holds_until_something_is_published(make_own: MakeService) -> None:
    service = make_own()
    tag = service.get(f"{FEED}?cursor=2").headers["etag"]
    assert service.get(f"{FEED}?cursor=2", if_none_match=tag).status == 304
    publish_again(service)
    service.edge.poll()
    got = service.get(f"{FEED}?cursor=2", if_none_match=tag)
    assert read_ids(got) == [3]


def test_a_key_is_shown_what_is_of_its_metros(service: Service) -> None:
    assert read_ids(service.get(FEED)) == [1, 2]
    assert read_ids(service.get(FEED, kind="harbor")) == [1]
    assert read_ids(service.get(FEED, kind="lakeside")) == [2]
    assert read_ids(service.get(FEED, kind="places")) == []
    meta = service.get(FEED, kind="harbor").read_json()["meta"]
    assert (meta["next_cursor"], meta["has_more"], meta["latest_version_id"]) == (2, False, 2)


def test_metro_takes_an_alias_and_is_refused_as_in_a_path(service: Service) -> None:
    whole, alias = (service.get(f"{FEED}?metro={name}") for name in ("harbor", "harbor-city"))
    assert read_ids(whole) == [1]
    assert (whole.body, whole.headers["etag"]) == (alias.body, alias.headers["etag"])
    assert service.get(f"{FEED}?metro=atlantis").status == 404
    refused = service.get(f"{FEED}?metro=lakeside", kind="harbor")
    assert (refused.status, refused.error["details"]) == (403, {"metros": ["harbor"]})


def test_a_cursor_that_no_release_has_reached_is_ahead(service: Service) -> None:
    got = service.get(f"{FEED}?cursor=3")
    assert (got.status, got.error["details"]) == (400, {"param": "cursor", "reason": "cursor_ahead", "max": 2})
    assert service.get(f"{FEED}?cursor=2").read_json()["data"] == []


def test_a_worker_that_is_behind_takes_up_the_release_that_another_has_told_of(make_own: MakeService) -> None:
    service = make_own()
    other = service.start_another()
    publish_again(service)
    other.edge.poll()
    cursor = other.get(FEED).read_json()["meta"]["next_cursor"]
    got = service.get(f"{FEED}?cursor={cursor}")
    assert (got.status, got.read_json()["data"], got.headers["x-release"][:2]) == (200, [], "2-")


def test_a_version_that_is_published_but_can_not_be_served_yet_is_503(make_own: MakeService) -> None:
    service = make_own()
    publish_again(service)
    current = read_pointer(service.store)
    assert current is not None
    service.store.delete(service.store.list(object_name(current.pointer.root)))
    got = service.get(f"{FEED}?cursor=3")
    assert (got.status, got.headers["retry-after"]) == (503, "1")
    assert read_ids(service.get(f"{FEED}?cursor=1")) == [2]


def test_the_newest_versions_are_at_hand_when_the_store_is_gone(make_own: MakeService) -> None:
    store = FailingStore()
    service = make_own(store=store)
    store.is_off = True
    assert read_ids(service.get(FEED)) == [1, 2]
    assert read_ids(service.get(FEED, kind="harbor")) == [1]
    assert service.get(HISTORY).status == 200


@pytest.mark.parametrize("target", [FEED, HISTORY])
def test_old_versions_wait_for_the_store_and_are_read_from_it_once(make_own: MakeService, target: str) -> None:
    store = FailingStore()
    service = make_own(store=store)
    publish_versions(service, 65_600)
    service.edge.poll()
    store.is_off = True
    got = service.get(target)
    assert (got.status, got.error["code"], got.headers["retry-after"]) == (503, "unavailable", "5")
    assert len(read_ids(service.get(f"{FEED}?cursor=65590"))) == 12
    store.is_off = False
    assert service.get(target).status == 200
    store.is_off = True
    assert service.get(f"{target}?limit=3").status == 200


def test_a_log_object_that_the_cache_lost_is_fetched_again(make_own: MakeService) -> None:
    service = make_own()
    publish_versions(service, 65_600)
    service.edge.poll()
    (sealed,) = read_log(service).sealed
    assert read_ids(service.get(f"{FEED}?limit=2")) == [1, 2]
    other = service.start_another(cache=service.folder / "cache")
    (service.folder / "cache/objects" / sealed.object).unlink()
    assert read_ids(service.get(f"{FEED}?limit=3")) == [1, 2, 3]
    assert read_ids(other.get(f"{FEED}?limit=4")) == [1, 2, 3, 4]


def test_a_log_object_whose_bytes_are_others_is_never_answered_from(make_own: MakeService) -> None:
    service = make_own()
    publish_versions(service, 65_600)
    service.edge.poll()
    (sealed,) = read_log(service).sealed
    service.store.put(object_name(sealed.object), b"something else")
    got = ask(service.edge, FEED, key=service.keys["all"])
    assert (got.status, got.error["code"]) == (503, "unavailable")


def test_a_head_of_the_feed_has_its_headers_alone(service: Service) -> None:
    got = service.get(FEED, method="HEAD")
    assert (got.status, got.body, got.headers["cache-control"]) == (200, b"", "private, no-cache")
