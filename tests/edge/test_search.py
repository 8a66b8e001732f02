"""A search at the edge: its headers, its scope, and raw bytes that are no query."""

import pytest

from tests.edge.conftest import Service

SEARCH = "/v1/harbor/search?q=story"


def test_a_search_is_cached_a_minute_by_whoever_asked(service: Service) -> None:
    got = service.get(SEARCH)
    assert got.status == 200, got.body
    assert got.headers["cache-control"] == "private, max-age=60"
    assert got.headers["etag"].startswith('W/"')
    assert got.headers["x-release"]
    assert "X-API-Key" in got.headers["vary"]
    assert [item["name"] for item in got.read_json()["data"]]


def test_a_search_that_is_known_is_304_without_a_body(service: Service) -> None:
    etag = service.get(SEARCH).headers["etag"]
    again = service.get(SEARCH, if_none_match=etag)
    assert (again.status, again.body, again.headers["etag"]) == (304, b"", etag)
    assert again.headers["x-release"] == service.get(SEARCH).headers["x-release"]
    assert service.get(SEARCH + "s", if_none_match=etag).status == 200


def test_a_key_of_some_types_finds_only_these(service: Service) -> None:
    narrowed, named = service.get(SEARCH, kind="events"), service.get(f"{SEARCH}&types=events")
    assert narrowed.read_json()["data"] == named.read_json()["data"]
    assert {item["type"] for item in narrowed.read_json()["data"]} == {"event"}
    assert narrowed.read_json()["meta"]["types"] == ["events"]
    assert narrowed.headers["etag"] != service.get(SEARCH).headers["etag"]


def test_an_alias_answers_as_its_metro(service: Service) -> None:
    whole, alias = service.get(SEARCH), service.get(SEARCH.replace("harbor", "harbor-city"))
    assert (whole.body, whole.headers["etag"]) == (alias.body, alias.headers["etag"])


def test_a_cursor_stays_in_its_snapshot(service: Service) -> None:
    first = service.get(f"{SEARCH}&limit=1").read_json()["meta"]
    assert first["has_more"]
    second = service.get(f"{SEARCH}&limit=1&cursor={first['next_cursor']}")
    assert second.status == 200
    other = service.get(f"{SEARCH}&limit=1&sort=newest&cursor={first['next_cursor']}")
    assert (other.status, other.error["details"]["reason"]) == (400, "cursor_mismatch")


# Raw values of `q` → the status.
RAW = [
    ("%FF", 400), ("%C0%AE", 400), ("%ED%A0%80", 400), ("story%00", None), ("%00", 400), ("%", 400), ("%zz", None),
    ("a" * 201, 400), ("%F0%9F%8E%A8" * 201, 400), ("+" * 200, 400), ("story&q=zoo", 400), ("%E2%80%AEstory", 200),
    ("story%0d%0aX-Evil:1", None), ("tonight", 400), ("the", 400), ("", 400), ("a" * 20_000, 400),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "status"), RAW, ids=[value[0][:20] for value in RAW])
def test_raw_bytes_are_answered_or_refused(service: Service, raw: str, status: int | None) -> None:
    got = service.get(f"/v1/harbor/search?q={raw}")
    assert got.status in ((200, 400) if status is None else (status,)), got.body
    assert "x-evil" not in got.headers


def test_no_add_on_is_for_search(service: Service) -> None:
    for include in ("related", "source", "forecast"):
        got = service.get(f"{SEARCH}&include={include}")
        assert (got.status, got.error["details"]["reason"]) == (400, "include_not_supported")
