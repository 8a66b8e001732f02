"""Changes in the log: created, updated, removed, restored."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from outings.release.log import Version
from tests.pipeline.city import City, make_event, make_place

LIVE: dict[str, Any] = {}
ARCHIVED = {"status": "archived", "reason": "cancelled"}
DRAFT = {"status": "draft"}
GONE = None

# What a feed says of a listing in three builds → the kinds of its versions. A shorter life stays as it was.
LIVES: dict[str, tuple[list[dict[str, Any] | None], list[str]]] = {
    "first seen": ([LIVE], ["created"]),
    "the same again": ([LIVE, LIVE], ["created"]),
    "a changed member": ([LIVE, {"description": "New"}], ["created", "updated"]),
    "first seen archived": ([ARCHIVED], []),
    "first seen as a draft": ([DRAFT], []),
    "a draft published": ([DRAFT, LIVE], ["created"]),
    "archived": ([LIVE, ARCHIVED], ["created", "removed"]),
    "drafted again": ([LIVE, DRAFT], ["created", "removed"]),
    "gone from a full feed": ([LIVE, GONE], ["created", "removed"]),
    "gone and back": ([LIVE, GONE, LIVE], ["created", "removed", "restored"]),
    "archived and back": ([LIVE, ARCHIVED, LIVE], ["created", "removed", "restored"]),
    "drafted and back": ([LIVE, DRAFT, LIVE], ["created", "removed", "restored"]),
    "gone after it was archived": ([LIVE, ARCHIVED, GONE], ["created", "removed"]),
    "a draft that went and came published": ([DRAFT, GONE, LIVE], ["created"]),
}


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> list[Version]:
    """The versions of all these lives, lived at once in one city."""
    city = City(tmp_path_factory.mktemp("lives"))
    for number in range(3):
        states = {name: life[min(number, len(life) - 1)] for name, (life, _) in LIVES.items()}
        city.write(make_event(name, name=name, **members) for name, members in states.items() if members is not None)
        city.build()
    return city.read_versions()


@pytest.mark.parametrize("name", LIVES)
def test_a_listing_s_life_is_reported_in_kinds(versions: list[Version], name: str) -> None:
    _, kinds = LIVES[name]
    assert [version.kind for version in versions if version.slug == name.replace(" ", "-")] == kinds


def test_version_ids_rise_by_one_and_times_never_go_back(tmp_path: Path) -> None:
    city = City(tmp_path)
    for number in range(4):
        city.write([make_event("a", name=f"Name {number}"), make_event("b")])
        city.build()
    versions = city.read_versions()
    assert [version.version_id for version in versions] == list(range(1, len(versions) + 1))
    assert all(one.changed_at <= other.changed_at for one, other in pairwise(versions))


def test_a_clock_that_is_set_back_takes_no_time_back(tmp_path: Path) -> None:
    """tests/faults/test_clocks.py covers all commands, and hours."""
    city, stamps = City(tmp_path), []
    for number, day in enumerate(("2026-08-10", "2026-08-09", "2026-08-01")):
        city.write([make_event("a", name=f"Name {number}")])
        city.build(day)
        stamps.append(city.current.root.parts["seattle"].stamp)
    versions = city.read_versions()
    assert [version.version_id for version in versions] == list(range(1, len(versions) + 1))
    assert sorted({version.changed_at for version in versions}) == stamps == sorted(set(stamps))


def test_an_update_names_the_top_level_members_that_changed(tmp_path: Path) -> None:
    city = City(tmp_path)
    city.write([make_event("a", price={"type": "fixed", "min": 5})])
    city.build()
    city.write([make_event("a", price={"type": "free"}, description="Now free.")])
    city.build()
    assert city.read_versions()[-1].fields == ("description", "price")


def test_a_removal_says_why(tmp_path: Path) -> None:
    city = City(tmp_path)
    reasons = {"a": ARCHIVED, "b": DRAFT, "c": {"status": "archived"}}
    rest = [make_event(f"other {n}") for n in range(4)]
    city.write([*rest, *(make_event(name) for name in (*reasons, "d"))])
    city.build()
    city.write([*rest, *(make_event(name, **members) for name, members in reasons.items())])
    city.build()
    removed = {version.slug: version.reason for version in city.read_versions() if version.kind == "removed"}
    assert removed == {"event-a": "cancelled", "event-b": "unpublished", "event-c": "archived", "event-d": "withdrawn"}


def test_a_withdrawn_listing_is_read_with_include_archived(tmp_path: Path) -> None:
    city = City(tmp_path)
    city.write([make_event("a", rrule="FREQ=WEEKLY;COUNT=5"), make_event("b")])
    city.build()
    gone = next(event for event in city.ask("/v1/seattle/events")["data"] if event["name"] == "Event a")
    city.write([make_event("b")])
    city.build()
    shown = city.ask(f"/v1/events/{gone['id']}?include_archived=true")["data"]
    assert shown["status"] == "archived"
    assert {**shown, "status": "published", "updated_at": gone["updated_at"]} == gone


def test_a_place_s_new_name_is_a_change_of_the_events_there(tmp_path: Path) -> None:
    city = City(tmp_path)
    for name in ("Old Hall", "New Hall"):
        city.write([make_place("hall", name=name), make_event("a", place={"source_id": "hall"})])
        city.build()
    last = city.read_versions()[-2:]
    assert {(version.type, version.kind, version.fields) for version in last} == {
        ("event", "updated", ("place",)),
        ("place", "updated", ("name",)),
    }


def test_updated_at_is_the_stamp_of_the_build_that_changed_the_row(tmp_path: Path) -> None:
    city = City(tmp_path)
    city.write([make_event("a"), make_event("b")])
    first = city.build()
    city.write([make_event("a", name="New"), make_event("b")])
    second = city.build()
    stamps = {event["name"]: event["updated_at"] for event in city.ask("/v1/seattle/events")["data"]}
    one, other = (entry.published.root.parts["seattle"].stamp for entry in (first, second))
    assert one < other
    assert stamps == {"New": f"{other:%Y-%m-%dT%H:%M:%SZ}", "Event b": f"{one:%Y-%m-%dT%H:%M:%SZ}"}
    assert city.ask("/v1/seattle/events")["meta"]["generated_at"] == stamps["New"]


def test_a_section_keeps_its_updated_at_while_it_says_the_same(tmp_path: Path) -> None:
    city = City(tmp_path)

    def make_class(spots: int) -> dict[str, Any]:
        sections = [
            {"id": "monday", "name": "Monday", "registration": {"spots_remaining": 3}},
            {"id": "friday", "name": "Friday", "registration": {"spots_remaining": spots}},
        ]
        return {"type": "class", "source_id": "c", "name": "Pottery", "confidence": 0.9, "sections": sections}

    for spots in (5, 4):
        city.write([make_class(spots)])
        city.build()
    (shown,) = city.ask("/v1/seattle/classes")["data"]
    monday, friday = shown["sections"]
    assert monday["updated_at"] < friday["updated_at"] == shown["updated_at"]
    assert city.read_versions()[-1].fields == ("sections",)
