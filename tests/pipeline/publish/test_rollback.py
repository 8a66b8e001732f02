"""A rollback goes forward: one more release, with an old one's listings, new versions and new stamps."""

from datetime import date, timedelta
from pathlib import Path

import pytest

from outings.release.pointer import list_releases
from pipeline.publish.rollback import roll_back
from tests.pipeline.city import City, make_event


@pytest.fixture
def city(tmp_path: Path) -> City:
    """Release 1 has a, b; release 2 has b renamed and c."""
    city = City(tmp_path)
    city.write([make_event("a"), make_event("b")])
    city.build()
    city.write([make_event("b", name="Renamed"), make_event("c")])
    city.build()
    return city


def roll(city: City) -> None:
    current, target = list_releases(city.store)
    roll_back(
        city.store, current=current, target=target,
        stamp=current.root.parts["seattle"].stamp + timedelta(seconds=1),
        today={"seattle": date(2026, 8, 10)}, cache=city.cache,
    )  # fmt: skip


def test_a_rollback_answers_as_the_old_release_did_with_new_stamps(city: City) -> None:
    roll(city)
    events = {event["name"]: event["updated_at"] for event in city.ask("/v1/seattle/events")["data"]}
    assert set(events) == {"Event a", "Event b"}
    assert set(events.values()) == {f"{city.current.root.parts['seattle'].stamp:%Y-%m-%dT%H:%M:%SZ}"}


def test_sequence_stamps_and_versions_go_forward(city: City) -> None:
    before = city.current.root
    roll(city)
    after = city.current.root
    assert after.sequence == before.sequence + 1
    assert after.parts["seattle"].stamp > before.parts["seattle"].stamp
    new = [version for version in city.read_versions() if version.version_id > before.log.latest_version_id]
    assert {(version.slug, version.kind) for version in new} == {
        ("event-a", "restored"),
        ("event-b", "updated"),
        ("event-c", "removed"),
    }


def test_the_feeds_bring_back_what_they_say_at_the_next_build(city: City) -> None:
    roll(city)
    city.build()
    assert {event["name"] for event in city.ask("/v1/seattle/events")["data"]} == {"Renamed", "Event c"}
