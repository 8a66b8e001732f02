"""An id belongs to one listing of one metro and one feed, whoever else states it."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pipeline.building import BuildResult
from pipeline.records.ids import make_id
from tests.pipeline.city import City, Record, make_event

pytestmark = pytest.mark.slow("each builds two metros two to four times")

# Derived by the record `a` of the feed `library`, and stated by records of two feeds.
DERIVED = make_id("library", "event", "a")
STATED = "11111111-1111-4111-8111-111111111111"


@pytest.fixture
def city(tmp_path: Path) -> City:
    city = City(tmp_path)
    city.add_metro("boise", "America/Boise")
    return city


def write(city: City, feed: str, *records: Record, metro: str | None = "seattle", mode: str = "full") -> None:
    """Feeds stand in the configuration in the order in which they are first written."""
    city.write(records, feed=feed, metro=metro, mode=mode)


def list_names(city: City, metro: str = "seattle") -> list[str]:
    return sorted(event["name"] for event in city.ask(f"/v1/{metro}/events")["data"])


def read_name(city: City, row_id: str) -> str:
    return str(city.ask(f"/v1/events/{row_id}")["data"]["name"])


def list_refused(built: BuildResult) -> list[tuple[str, str | None, str]]:
    """The feed, the source_id and the reason of what is quarantined."""
    return [
        (problem.feed, problem.source_id, problem.reason)
        for feed in built.feeds
        for problem in feed.problems
        if problem.quarantined
    ]


def count_kinds(city: City, row_id: str) -> list[tuple[str, str | None]]:
    """Return the kinds of changes that the change feed reports of a listing, in order."""
    return [(version.kind, version.metro) for version in city.read_versions() if version.listing_id == row_id]


def check_unique(city: City) -> None:
    """Check that no id is shown in two metros."""
    shown = Counter(
        event["id"] for metro in ("seattle", "boise") for event in city.ask(f"/v1/{metro}/events?limit=200")["data"]
    )
    assert max(shown.values()) == 1


IMPOSTOR = make_event("x", id=DERIVED, name="Impostor")


@pytest.mark.parametrize("metro", ["seattle", pytest.param("boise", marks=pytest.mark.long)])
@pytest.mark.parametrize("is_first", [True, False], ids=["at once", "in the next build"])
def test_a_feed_that_stands_earlier_takes_no_id_that_another_feed_derives(
    city: City, metro: str, *, is_first: bool
) -> None:
    names = {"a": "published", "b": "archived", "c": "draft"}
    ids = [make_id("library", "event", name) for name in names]
    impostors = [
        make_event(f"x {name}", id=row_id, name="Impostor", status=status)
        for row_id, (name, status) in zip(ids, names.items(), strict=True)
    ]
    write(city, "earlier", make_event("own"), *impostors * is_first, metro=metro)
    write(city, "library", *map(make_event, names))
    built = city.build()
    if not is_first:
        write(city, "earlier", make_event("own"), *impostors, metro=metro)
        built = city.build("2026-08-11")
    where = "has it too" if metro == "seattle" else "has it in seattle"
    assert list_refused(built) == [("earlier", f"x {name}", f"duplicate_id: library {where}") for name in names]
    assert [read_name(city, row_id) for row_id in ids] == ["Event a", "Event b", "Event c"]
    assert [count_kinds(city, row_id) for row_id in ids] == [[("created", "seattle")]] * 3
    check_unique(city)


@pytest.mark.parametrize("metro", ["seattle", pytest.param("boise", marks=pytest.mark.long)])
def test_an_id_that_is_stated_before_its_owner_comes_is_the_owners_once_it_comes(city: City, metro: str) -> None:
    write(city, "earlier", IMPOSTOR, make_event("own"), metro=metro)
    write(city, "library", make_event("b"))
    city.build()
    write(city, "library", make_event("a"), make_event("b"))
    city.build("2026-08-11")
    assert read_name(city, DERIVED) == "Event a"
    assert list_names(city, "seattle") == sorted(["Event a", "Event b", *["Event own"] * (metro == "seattle")])
    check_unique(city)


@pytest.mark.parametrize("metro", ["seattle", pytest.param("boise", marks=pytest.mark.long)])
def test_what_a_feed_of_changes_says_no_more_keeps_its_id(city: City, metro: str) -> None:
    write(city, "earlier", make_event("own"), metro=metro, mode="delta")
    write(city, "library", make_event("a"), make_event("b"), mode="delta")
    city.build()
    write(city, "library", make_event("c"), mode="delta")
    write(city, "earlier", IMPOSTOR, metro=metro, mode="delta")
    for day in ("2026-08-11", "2026-08-12"):
        city.build(day)
        assert read_name(city, DERIVED) == "Event a"
        assert count_kinds(city, DERIVED) == [("created", "seattle")]
    write(city, "library", {"type": "event", "source_id": "a", "deleted": True}, mode="delta")
    city.build("2026-08-13")
    assert read_name(city, DERIVED) == "Impostor"
    check_unique(city)


@pytest.mark.parametrize("metro", ["seattle", pytest.param("boise", marks=pytest.mark.long)])
@pytest.mark.parametrize(("owner", "row_id"), [({}, DERIVED), ({"id": STATED}, STATED)], ids=["derived", "stated"])
def test_a_last_good_version_keeps_its_id(city: City, metro: str, owner: Record, row_id: str) -> None:
    write(city, "library", make_event("a", **owner), make_event("b"))
    write(city, "later", make_event("own"), metro=metro)
    city.build()
    write(city, "library", make_event("a", starts_local="soon", **owner), make_event("b"))
    write(city, "later", make_event("own"), make_event("x", id=row_id, name="Impostor"), metro=metro)
    city.build("2026-08-11")
    assert read_name(city, row_id) == "Event a"
    assert count_kinds(city, row_id) == [("created", "seattle")]
    check_unique(city)


@pytest.mark.parametrize("metro", ["seattle", pytest.param("boise", marks=pytest.mark.long)])
def test_a_record_that_states_anothers_id_keeps_its_own_last_good_version(city: City, metro: str) -> None:
    write(city, "earlier", make_event("x", name="Own x"), metro=metro)
    write(city, "library", make_event("a"))
    city.build()
    write(city, "earlier", IMPOSTOR, metro=metro)
    built = city.build("2026-08-11")
    assert "Own x" in list_names(city, metro)
    assert built.changes == {}
    assert [feed.memory.last_good for feed in built.feeds] == [1, 0]


@pytest.mark.long
@pytest.mark.parametrize("chosen", [None, ("boise",)], ids=["all metros", "one metro"])
def test_what_another_metro_shows_is_its_own_also_where_that_is_not_built(city: City, chosen: Any) -> None:
    write(city, "earlier", make_event("own"), metro="boise")
    write(city, "library", make_event("a"), make_event("s", id=STATED))
    city.build()
    impostors = [IMPOSTOR, make_event("y", id=STATED, name="Impostor")]
    write(city, "earlier", make_event("own"), *impostors, metro="boise")
    built = city.build(metros=chosen)
    assert chosen or built.unchanged == ("seattle",)
    reason = "duplicate_id: library has it in seattle"
    assert list_refused(built) == [("earlier", "x", reason), ("earlier", "y", reason)]
    assert (read_name(city, DERIVED), read_name(city, STATED)) == ("Event a", "Event s")
    assert [count_kinds(city, value) for value in (DERIVED, STATED)] == [[("created", "seattle")]] * 2
    assert city.build(metros=chosen).changes == {}
    assert city.build("2026-08-11", metros=chosen).changes == {}
    check_unique(city)


def test_of_two_metros_whose_feeds_state_an_id_at_once_the_first_feeds_has_it(city: City) -> None:
    write(city, "one", make_event("x", id=STATED, name="First"), metro="seattle")
    write(city, "other", make_event("y", id=STATED, name="Second"), metro="boise")
    built = city.build()
    assert list_refused(built) == [("other", "y", "duplicate_id: one has it in seattle")]
    assert read_name(city, STATED) == "First"
    assert count_kinds(city, STATED) == [("created", "seattle")]


@pytest.mark.long
def test_an_id_that_its_metro_lets_go_is_free_in_the_same_build_and_later(city: City) -> None:
    write(city, "one", make_event("x", id=STATED), make_event("1"), metro="seattle")
    write(city, "other", make_event("2"), metro="boise")
    city.build()
    write(city, "one", make_event("1"), metro="seattle")
    write(city, "other", make_event("y", id=STATED), make_event("2"), metro="boise")
    assert list_refused(city.build("2026-08-11")) == []
    assert count_kinds(city, STATED) == [("created", "seattle"), ("removed", "seattle"), ("created", "boise")]
    # Refused once, it comes without a change of its own feed.
    write(city, "one", make_event("z", id=STATED), make_event("1"), metro="seattle")
    assert len(list_refused(city.build("2026-08-12"))) == 1
    write(city, "other", make_event("2"), metro="boise")
    city.build("2026-08-12")
    assert read_name(city, STATED) == "Event z"
    check_unique(city)


@pytest.mark.parametrize("mode", ["full", "delta"])
def test_a_listing_that_goes_to_another_metro_stays_until_its_own_is_built(city: City, mode: str) -> None:
    write(city, "library", *(make_event(name, metro="seattle") for name in "abc"), metro=None, mode=mode)
    city.build()
    moved = [make_event("a", metro="boise"), make_event("b", metro="seattle"), make_event("c", metro="seattle")]
    write(city, "library", *moved, metro=None, mode=mode)
    built = city.build(metros=("boise",))
    assert list_refused(built) == [("library", "a", "duplicate_id: library has it in seattle")]
    assert list_names(city) == ["Event a", "Event b", "Event c"]
    city.build()
    assert (list_names(city), list_names(city, "boise")) == (["Event b", "Event c"], ["Event a"])
    assert count_kinds(city, DERIVED) == [("created", "seattle"), ("removed", "seattle"), ("created", "boise")]


@pytest.mark.long
def test_organizations_may_be_of_several_metros_and_take_none_that_another_feed_derives(city: City) -> None:
    club = {"type": "organization", "source_id": "club", "name": "Club"}
    for metro in ("boise", "seattle"):
        own = {**club, "source_id": metro, "id": STATED}
        write(city, metro, own, make_event(f"at {metro}", organization={"id": STATED}), metro=metro)
    derived = make_id("library", "organization", "club")
    write(city, "library", club, make_event("a", organization={"source_id": "club"}))
    impostor = {**club, "source_id": "fake", "id": derived, "name": "Fake"}
    write(city, "earlier", impostor, make_event("f", organization={"id": derived}), metro="boise")
    built = city.build()
    assert list_refused(built) == [("earlier", "fake", "duplicate_id: library has it in seattle")]
    assert city.ask(f"/v1/organizations/{derived}")["data"]["name"] == "Club"
    assert city.ask(f"/v1/organizations/{STATED}")["data"]["metros"] == ["boise", "seattle"]
    names = {event["organization"]["name"] for event in city.ask("/v1/boise/events")["data"]}
    assert names == {"Club"}
    city.add_metro("tampa", "America/New_York")  # it asks boise first
    write(city, "third", make_event("t", organization={"id": derived}), metro="tampa")
    city.build()
    assert city.ask("/v1/tampa/events")["data"][0]["organization"]["name"] == "Club"
