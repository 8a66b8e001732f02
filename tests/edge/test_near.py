"""Answers near a point at the edge: they belong to their minute, and a cursor to the minute of its first page."""

from collections.abc import Callable
from datetime import timedelta
from random import Random

import pytest

from tests.answers.generated import make_world
from tests.edge.conftest import Service
from tests.edge.publishing import publish_worlds

PATHS = ["/v1/harbor/nearby", "/v1/harbor/around", "/v1/harbor/activity"]
HERE = "?lat=40&lng=-74&radius_m=50000"


@pytest.mark.parametrize("path", PATHS)
def test_an_answer_holds_for_its_minute(make_own: Callable[..., Service], path: str) -> None:
    service = make_own()
    first = service.get(path + HERE)
    tag = first.headers["etag"]
    assert (first.status, first.headers["cache-control"]) == (200, "private, max-age=60")
    service.clock.now += timedelta(seconds=59)
    assert service.get(path + HERE, **{"if-none-match": tag}).status == 304
    assert service.get(path + HERE).body == first.body
    service.clock.now += timedelta(seconds=1)
    then = service.get(path + HERE, **{"if-none-match": tag})
    assert then.status == 200
    assert then.headers["etag"] != tag
    assert then.read_json()["meta"]["generated_at"] == "2026-08-10T12:01:00Z"
    assert service.get(path + HERE).headers["etag"] == then.headers["etag"]


@pytest.mark.parametrize("path", PATHS)
def test_what_is_requested_each_minute_is_answered_as_for_the_first_time(
    make_own: Callable[..., Service], path: str
) -> None:
    service, other = make_own(), make_own()
    for _ in range(4):
        service.get(path + HERE)
        service.clock.now += timedelta(minutes=1)
    other.clock.now = service.clock.now
    first, latest = other.get(path + HERE), service.get(path + HERE)
    assert (latest.body, latest.headers["etag"]) == (first.body, first.headers["etag"])


def test_a_cursor_stays_in_its_minute(make_own: Callable[..., Service]) -> None:
    service = make_own(published=False)
    publish_worlds(service.store, [make_world(Random(1), size=60)], folder=service.folder)
    service.edge.poll()
    target = f"/v1/harbor/nearby{HERE}&limit=1"
    first = service.get(target).read_json()
    assert first["meta"]["has_more"]
    service.clock.now += timedelta(minutes=5)
    walked = f"{target}&cursor={first['meta']['next_cursor']}"
    for _ in range(2):
        then = service.get(walked)
        assert then.status == 200
        assert then.read_json()["meta"]["generated_at"] == first["meta"]["generated_at"]
        assert then.read_json()["data"] != first["data"]
        service.clock.now += timedelta(minutes=1)


@pytest.mark.parametrize("path", PATHS)
def test_a_key_of_some_types_gets_what_naming_them_gives(service: Service, path: str) -> None:
    narrowed, named = service.get(path + HERE, kind="events"), service.get(f"{path}{HERE}&types=events")
    assert narrowed.status == 200
    assert narrowed.body == named.body
    assert narrowed.headers["etag"] != named.headers["etag"]


@pytest.mark.parametrize("path", PATHS)
def test_an_alias_answers_as_its_metro(service: Service, path: str) -> None:
    whole, alias = service.get(path + HERE), service.get(path.replace("harbor", "harbor-city") + HERE)
    assert (whole.body, whole.headers["etag"]) == (alias.body, alias.headers["etag"])
