"""Metros leave with the configuration that no longer names them, or go on under a new slug."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from edge.app import Edge
from outings.failures import GuardRefusal
from outings.keys.key_text import make_key_text, split_key_text
from outings.keys.registry import Key, add_key, change_registry
from pipeline.publish.rollback import roll_back
from pipeline.publish.takedown.takedown import take_down
from tests.edge.asking import ask
from tests.pipeline.city import City, make_event, make_place

pytestmark = pytest.mark.slow("each builds two metros two or three times")

LIBRARY = {"organization": {"name": "Library"}}


@pytest.fixture
def city(tmp_path: Path) -> City:
    """Two metros, of which `boston` has an organization that only its listings name."""
    city = City(tmp_path)
    city.add_metro("boston", "America/New_York")
    city.write([make_event("a")])
    city.write(
        [make_event("b", **LIBRARY), make_event("c", **LIBRARY), make_place("hall")], feed="boston", metro="boston"
    )
    city.build()
    return city


def list_events(city: City, metro: str) -> dict[str, str]:
    return {event["name"]: event["id"] for event in city.ask(f"/v1/{metro}/events")["data"]}


def list_changes(city: City, after: int = 0, metro: str = "") -> list[tuple[str, str, str]]:
    data = city.ask(f"/v1/changes?cursor={after}{f'&metro={metro}' if metro else ''}")["data"]
    return sorted((change["metro"], change["slug"], change["kind"]) for change in data)


def test_a_metro_that_is_no_longer_configured_leaves_if_that_is_allowed(city: City) -> None:
    before = city.current
    city.forget_metro("boston")
    with pytest.raises(GuardRefusal, match=r"metro boston: .* its 4 listings leave\n.*--allow-shrink"):
        city.build()
    assert city.current == before
    city.build(allow_shrink=True)
    assert city.current.root.parts.keys() == {"seattle"}
    assert city.current.root.feeds.keys() == {"samples"}
    assert list_changes(city, before.root.log.latest_version_id) == [
        ("boston", slug, "removed") for slug in ("event-b", "event-c", "library", "place-hall")
    ]
    assert list_events(city, "seattle").keys() == {"Event a"}
    assert not city.build().published.changes


def test_a_metro_without_listings_leaves_unasked(city: City) -> None:
    city.add_metro("empty", "Europe/Paris")
    city.build()
    assert "empty" in city.current.root.parts
    city.forget_metro("empty")
    city.build()
    assert "empty" not in city.current.root.parts


def test_a_build_of_one_metro_removes_no_other(city: City) -> None:
    city.forget_metro("boston")
    city.write([make_event("a"), make_event("new")])
    city.build(metros={"seattle"})
    assert list_events(city, "boston").keys() == {"Event b", "Event c"}
    assert list_events(city, "seattle").keys() == {"Event a", "Event new"}


def test_listings_may_move_to_another_metro_when_theirs_leaves(city: City) -> None:
    ids = list_events(city, "boston")
    city.forget_metro("boston")
    city.write([make_event("b", **LIBRARY), make_event("c", **LIBRARY)], feed="boston")
    city.build(allow_shrink=True)
    assert ids.items() <= list_events(city, "seattle").items()


def test_a_rollback_brings_back_a_metro_that_left(city: City) -> None:
    before, ids = city.current, list_events(city, "boston")
    city.forget_metro("boston")
    city.build(allow_shrink=True)
    roll_back(
        city.store, current=city.current, target=before, stamp=city.current.root.built_at + timedelta(seconds=1),
        today=dict.fromkeys(before.root.parts, date(2026, 8, 10)), cache=city.cache,
    )  # fmt: skip
    assert list_events(city, "boston") == ids


def test_a_takedown_ends_releases_with_the_metro_that_left(city: City) -> None:
    event, before = list_events(city, "boston")["Event b"], city.current
    city.forget_metro("boston")
    city.build(allow_shrink=True)
    done = take_down(city.store, [event], reason="privacy", now=city.current.root.built_at, cache=city.cache)
    assert done.since == before.root.sequence
    assert event in city.current.root.withdrawals
    assert "event-b" not in {slug for _, slug, _ in list_changes(city)}


def read_home(city: City, path: str) -> tuple[Any, ...]:
    data = city.ask(path)["data"]
    return data["metro"], data["name"], data["created_at"]


def test_a_metro_with_an_alias_takes_over_what_had_that_slug(city: City) -> None:
    events, old = list_events(city, "boston"), city.current.root
    organization = city.ask("/v1/boston/organizations")["data"][0]["id"]
    created = read_home(city, f"/v1/events/{events['Event b']}")[2]
    city.rename_metro("boston", "bos", aliases=["boston"])
    city.build("2026-08-11")
    assert city.current.root.parts.keys() == {"bos", "seattle"}
    assert list_events(city, "bos") == events
    assert read_home(city, f"/v1/events/{events['Event b']}") == ("bos", "Event b", created)
    assert [entry["id"] for entry in city.ask("/v1/bos/organizations")["data"]] == [organization]
    assert city.ask(f"/v1/organizations/{organization}")["data"]["metros"] == ["bos"]
    assert list_changes(city, old.log.latest_version_id) == [
        ("bos", "event-b", "updated"), ("bos", "event-c", "updated"), ("bos", "place-hall", "updated"),
    ]  # fmt: skip
    history = city.ask(f"/v1/listings/{events['Event b']}/versions")["data"]
    assert [version["kind"] for version in history] == ["updated", "created"]
    assert len(list_changes(city, metro="bos")) == 7
    assert not city.build("2026-08-12").published.changes


def test_without_the_alias_the_old_slug_leaves_and_the_new_one_has_the_ids(city: City) -> None:
    events = list_events(city, "boston")
    city.rename_metro("boston", "bos")
    with pytest.raises(GuardRefusal, match="aliases"):
        city.build()
    city.build(allow_shrink=True)
    assert city.current.root.parts.keys() == {"bos", "seattle"}
    assert list_events(city, "bos") == events
    assert read_home(city, f"/v1/events/{events['Event b']}")[0] == "bos"


def test_what_a_metro_keeps_of_a_feed_that_fails_names_the_new_slug(city: City) -> None:
    hall = city.ask("/v1/boston/places")["data"][0]["id"]
    for mode in ("full", "delta"):
        feed = f"boston-{mode}"
        city.write([make_event(f"of {mode}")], feed=feed, metro="boston", mode=mode)
    city.write([make_event("b", **LIBRARY), make_event("c", **LIBRARY)], feed="boston", metro="boston")
    city.build()
    events = list_events(city, "boston")
    city.rename_metro("boston", "bos", aliases=["boston"])
    for mode in ("full", "delta"):
        (city.folder / f"boston-{mode}.ndjson").unlink()
    city.build("2026-08-11")
    assert list_events(city, "bos") == events
    for item in city.ask("/v1/bos/events")["data"]:
        assert item["metro"] == "bos"
    place = city.ask(f"/v1/places/{hall}?include_archived=true")["data"]
    assert (place["metro"], place["status"]) == ("bos", "archived")


def test_an_organization_that_was_taken_down_stays_out_under_the_new_slug(city: City) -> None:
    organization = city.ask("/v1/boston/organizations")["data"][0]["id"]
    take_down(city.store, [organization], reason="privacy", now=city.current.root.built_at, cache=city.cache)
    city.rename_metro("boston", "bos", aliases=["boston"])
    city.build("2026-08-11")
    assert city.ask("/v1/bos/organizations")["data"] == []
    assert {event["organization"]["name"] for event in city.ask("/v1/bos/events")["data"]} == {None}


@pytest.fixture
def edge(city: City) -> Iterator[Edge]:
    """An edge with keys of each metro alone."""
    edge = Edge(city.store, cache=city.cache, clock=lambda: datetime(2026, 8, 10, 18, tzinfo=UTC))
    edge.poll()
    yield edge
    edge.close()


def make_key(city: City, edge: Edge, *metros: str) -> str:
    text = make_key_text(Random("".join(metros)).choice)
    id_, hash_ = split_key_text(text)
    key = Key(
        id=id_, hash=hash_, client=id_, plan="standard", per_minute=1_000, metros=metros,
        created_at=datetime(2026, 8, 1, tzinfo=UTC),
    )  # fmt: skip
    change_registry(city.store, lambda registry: add_key(registry, key))
    edge.poll()
    return text


def test_keys_and_addresses_of_the_old_slug_answer_as_the_new_metro(city: City, edge: Edge) -> None:
    key, event = make_key(city, edge, "boston"), list_events(city, "boston")["Event b"]
    first = ask(edge, "/v1/boston/events?limit=1", key=key).read_json()
    city.rename_metro("boston", "bos", aliases=["boston"])
    city.build("2026-08-11")
    edge.poll()
    for path in ("events", "places", "changes?metro=", "export"):
        old, new = (
            ask(edge, f"/v1/{path}{slug}" if path.endswith("=") else f"/v1/{slug}/{path}", key=key)
            for slug in ("boston", "bos")
        )
        assert (old.status, old.read_json()) == (200, new.read_json())
    assert ask(edge, f"/v1/events/{event}", key=key).read_json()["data"]["metro"] == "bos"
    assert ask(edge, "/v1/seattle/events", key=key).status == 403
    # A walk that began under the old slug is told to start again.
    cursor = first["meta"]["next_cursor"]
    walked = ask(edge, f"/v1/boston/events?limit=1&cursor={cursor}", key=key)
    assert (walked.status, walked.error["details"]["reason"]) == (400, "cursor_mismatch")


def test_a_metro_that_left_is_not_found_in_the_middle_of_a_walk(city: City, edge: Edge) -> None:
    key = make_key(city, edge, "boston", "seattle")
    cursor = ask(edge, "/v1/boston/events?limit=1", key=key).read_json()["meta"]["next_cursor"]
    city.forget_metro("boston")
    city.build(allow_shrink=True)
    edge.poll()
    for target in (f"/v1/boston/events?limit=1&cursor={cursor}", "/v1/boston/export", "/v1/changes?metro=boston"):
        assert ask(edge, target, key=key).status == 404
    reported = ask(edge, "/v1/changes", key=key).read_json()["data"]
    assert {change["metro"] for change in reported if change["kind"] == "removed"} == {"boston"}


@pytest.mark.parametrize("chosen", ["boston", "bos"])
def test_an_edge_of_one_metro_serves_it_under_either_slug(city: City, chosen: str) -> None:
    city.rename_metro("boston", "bos", aliases=["boston"])
    city.build("2026-08-11")
    edge = Edge(city.store, cache=city.cache, metros=[chosen], clock=lambda: datetime(2026, 8, 11, 18, tzinfo=UTC))
    edge.poll()
    assert ask(edge, "/v1/boston/events", key=make_key(city, edge, "bos")).status == 200
    edge.close()
