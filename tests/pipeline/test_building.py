"""A build as an operator sees it: what goes in is accounted for, and the same input is the same release."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from msgspec import structs

from command.sample_cities import write_world
from outings.configuration import read_configuration
from outings.release.manifest import list_objects, read_manifest
from outings.release.publishing import publish
from outings.release.store import object_name, open_store
from pipeline.building import build_release
from pipeline.clean.feed_read import encode_cleaned, put_cached_read, read_cached_read
from pipeline.clock import AsOf
from pipeline.executors.local import InlineExecutor
from pipeline.plan import Build
from pipeline.reports.build import describe_build, format_build
from pipeline.resolve.shrink_guard import ShrinkRefusal
from tests.pipeline.city import City, Record, make_event, make_place


@pytest.fixture
def city(tmp_path: Path) -> City:
    return City(tmp_path)


def test_every_record_read_is_a_listing_or_merged_or_quarantined(city: City) -> None:
    city.write([make_event("a"), make_event("a", name="Again"), "{broken", make_event("b", price={"min": "five"})])
    (feed,) = city.build().feeds
    memory = feed.memory
    assert (memory.read, memory.listings, memory.merged, memory.quarantined) == (4, 1, 1, 2)
    assert memory.read == memory.listings + memory.merged + memory.quarantined


def test_a_second_record_that_claims_an_id_is_quarantined_and_counted(city: City) -> None:
    taken = "11111111-1111-4111-8111-111111111111"
    city.write([make_event("a", id=taken), make_event("b", id=taken)])
    (feed,) = city.build().feeds
    assert (feed.memory.listings, feed.memory.quarantined) == (1, 1)
    assert [(problem.source_id, problem.field) for problem in feed.problems] == [("b", "id")]


@pytest.mark.slow("eight builds: each kind becomes another one")
def test_a_listing_may_become_another_kind_and_keeps_its_id(city: City) -> None:
    listing = {"id": "11111111-1111-4111-8111-111111111111", "source_id": "a", "name": "Fair", "confidence": 0.9}
    dated = {
        "event": {"starts_local": "2026-08-12T10:00:00"},
        "class": {"sections": [{"name": "Fair", "starts_on": "2026-08-12", "ends_on": "2026-09-30"}]},
        "camp": {"sessions": [{"name": "Fair", "starts_on": "2026-08-12", "ends_on": "2026-08-14"}]},
        "place": {"lat": 47.6, "lng": -122.3},
    }
    for kind in ("event", "class", "camp", "class", "event", "camp", "place", "class"):
        city.write([{**listing, "type": kind, **dated[kind]}])
        city.build()
        shown = {route: city.ask(f"/v1/seattle/{route}")["data"] for route in ("events", "classes", "camps", "places")}
        assert [item["type"] for items in shown.values() for item in items] == [kind]
        assert city.ask("/v1/changes?limit=100")["data"][-1]["listing_id"] == listing["id"]


def test_the_same_build_again_writes_no_object_and_makes_no_version(city: City) -> None:
    city.write([make_place("hall"), *(make_event(str(n), place={"source_id": "hall"}) for n in range(5))])
    first = city.build()
    again = city.build()
    assert again.objects.written == 0
    assert again.changes == {}
    assert again.objects.total == first.objects.total
    assert again.published.root.parts == first.published.root.parts
    assert again.published.sha != first.published.sha


def test_a_forced_second_look_at_the_same_records_writes_nothing_of_the_snapshot(city: City) -> None:
    """The fingerprint is not the only thing that keeps a rebuild quiet: each row is found to be the same."""
    city.write([make_place("hall"), *(make_event(str(n), place={"source_id": "hall"}) for n in range(5))])
    before = city.build().published.root.parts["seattle"]
    city.write([make_event(str(n), place={"source_id": "hall"}) for n in reversed(range(5))] + [make_place("hall")])
    again = city.build()
    after = again.published.root.parts["seattle"]
    assert (after.snapshot, after.stamp) == (before.snapshot, before.stamp)
    assert again.changes == {}
    assert again.objects.written == 1  # the manifest, which names the new inputs


def test_other_related_words_are_another_snapshot_and_change_no_listing(city: City) -> None:
    """Search answers may change with them, and so must its ETag."""
    city.write([make_event("a")])
    before = city.build().published.root.parts["seattle"]
    city.related_words = "boat,Barge\n"
    built = city.build()
    part = built.published.root.parts["seattle"]
    assert part.snapshot != before.snapshot
    assert part.stamp > before.stamp
    assert built.changes == {}
    groups = read_manifest(city.store, part.manifest).related
    assert groups[-1] == ("boat", "barge")
    assert {"pottery", "ceramics"} <= set(next(group for group in groups if "pottery" in group))
    assert city.build().published.root.parts["seattle"] == part


@pytest.mark.slow("two builds of 60 listings in two metros, with pages")
def test_two_builds_from_nothing_give_the_same_bytes(tmp_path: Path) -> None:
    stores = []
    for name in ("one", "other"):
        config = write_world(tmp_path / name / "outings.toml", today=date(2026, 8, 10), size=60)
        configuration = read_configuration(config, {})
        store = open_store(configuration.store.url)
        request = Build(configuration=configuration, as_of=AsOf(day=date(2026, 8, 10)))
        build_release(request, store=store, executor=InlineExecutor())
        stores.append({entry.name: store.get(entry.name) for entry in store.list("")})
    assert stores[0] == stores[1]


def test_a_release_names_only_objects_that_are_there(city: City) -> None:
    city.write([make_place("hall"), make_event("a"), make_event("b", rrule="FREQ=WEEKLY")])
    city.build()
    for part in city.current.root.parts.values():
        for sha in list_objects(read_manifest(city.store, part.manifest)):
            assert city.has_object(sha), object_name(sha)


def test_a_full_feed_that_lost_more_than_it_may_stops_the_build(city: City) -> None:
    city.write([make_event(str(n)) for n in range(10)])
    city.settings["samples"] = 'on_error = "stop"'
    city.build()
    before = city.current
    city.write([make_event(str(n)) for n in range(4)])
    with pytest.raises(ShrinkRefusal, match=r"feed samples: 6 of its 10 listings would leave: 60 % are gone"):
        city.build()
    assert city.current == before
    assert city.build(allow_shrink=True).changes == {"removed": 6}


@pytest.mark.parametrize(
    "name_anew",
    [
        lambda event: {**event, "source_id": f"new {event['source_id']}"},
        pytest.param(lambda event: {**event, "source_id": ""}, marks=pytest.mark.long),
        pytest.param(
            lambda event: {"ID" if name == "source_id" else name: value for name, value in event.items()},
            marks=pytest.mark.long,
        ),
        pytest.param(lambda event: {**event, "type": "place"}, marks=pytest.mark.long),
        lambda event: {**event, "id": f"11111111-1111-4111-8111-11111111111{event['source_id']}"},
        lambda _: "503 Service Unavailable",
    ],
    ids=["other source_ids", "blank", "another column", "another type", "other ids", "no records"],
)
def test_what_leaves_is_counted_by_id_also_where_as_many_new_ones_come(
    city: City, name_anew: Callable[[Record], Record | str]
) -> None:
    events = [make_event(str(number)) for number in range(4)]
    city.write(events)
    city.settings["samples"] = 'on_error = "stop"'
    city.build()
    city.write([*events[:1], *map(name_anew, events[1:])])
    with pytest.raises(ShrinkRefusal, match=r"feed samples: 3 of its 4 listings would leave: 75 % are gone"):
        city.build()
    city.write([*events[:2], *map(name_anew, events[2:])])
    assert city.build().changes["removed"] == 2


@pytest.mark.long
def test_a_feed_of_several_metros_is_counted_as_one(city: City) -> None:
    city.add_metro("boise", "America/Boise")
    seattle = [make_event(f"s{number}", metro="seattle") for number in range(4)]
    boise = [make_event(f"b{number}", metro="boise") for number in range(4)]
    city.write([*seattle, *boise], metro=None)
    city.settings["samples"] = 'on_error = "stop"'
    city.build()
    city.write([{**event, "metro": "boise"} for event in seattle] + boise[:1], metro=None)
    assert city.build().changes == {"removed": 3 + 4, "created": 4}  # three are lost, and four go to the other metro
    city.write(boise[:1], metro=None)
    with pytest.raises(ShrinkRefusal, match=r"feed samples: 4 of its 5 listings would leave"):
        city.build()


@pytest.mark.long
def test_a_feed_that_is_of_another_metro_by_now_loses_nothing_where_both_are_built(city: City) -> None:
    city.add_metro("boise", "America/Boise")
    city.write([make_event("a"), make_event("b")])
    city.build()
    city.write([make_event("a"), make_event("b")], metro="boise")
    with pytest.raises(ShrinkRefusal, match=r"feed samples: 2 of its 2 listings would leave"):
        city.build(metros=("seattle",))
    assert city.build().changes == {"removed": 2, "created": 2}


def test_a_quarantined_record_does_not_shrink_its_feed_and_its_last_good_version_stays(city: City) -> None:
    city.write([make_event(str(n)) for n in range(4)])
    city.build()
    city.write([make_event("0"), *(make_event(str(n), starts_local="tomorrow") for n in range(1, 4))])
    built = city.build()
    assert built.changes == {}
    names = [event["name"] for event in city.ask("/v1/seattle/events")["data"]]
    assert sorted(names) == ["Event 0", "Event 1", "Event 2", "Event 3"]


@pytest.mark.long
def test_the_report_says_how_many_last_good_versions_stay_and_since_when(city: City) -> None:
    city.write([make_event(str(n)) for n in range(3)])
    first = city.build().published.pointer.published_at
    city.write([make_event("0", name="Moved"), make_event("1"), make_event("2")])
    city.build("2026-08-11")
    broken = [make_event(str(n), starts_local="tomorrow") for n in range(3)]
    city.write([*broken[:2], make_event("2")])
    for day in ("2026-08-12", "2026-08-13"):  # the second time nothing of the feed is new
        report = describe_build(city.build(day), quarantine=None)
        (feed,) = report["feeds"]
        assert (feed.quarantined, feed.last_good, feed.last_good_since) == (2, 2, first)
    city.write([make_event(str(n)) for n in range(3)])
    (feed,) = describe_build(city.build("2026-08-14"), quarantine=None)["feeds"]
    assert (feed.last_good, feed.last_good_since) == (0, None)


def test_a_record_that_was_never_good_has_no_last_good_version(city: City) -> None:
    city.write([make_event("0"), make_event("1", starts_local="tomorrow")])
    built = city.build()
    (feed,) = describe_build(built, quarantine=None)["feeds"]
    assert (feed.quarantined, feed.last_good, feed.last_good_since) == (1, 0, None)
    assert "last good" not in format_build(built, quarantine=None).lower()


def test_a_delta_feed_says_only_what_changed(city: City) -> None:
    city.write([make_event("a"), make_event("b")], mode="delta")
    city.build()
    city.write([make_event("b", name="B moved"), {"type": "event", "source_id": "a", "deleted": True}], mode="delta")
    assert city.build().changes == {"removed": 1, "updated": 1}
    city.write([make_event("c")], mode="delta")
    city.build()
    names = {event["name"] for event in city.ask("/v1/seattle/events")["data"]}
    assert names == {"B moved", "Event c"}


def test_one_metro_is_built_and_the_other_is_left_alone(tmp_path: Path) -> None:
    city = City(tmp_path)
    city.add_metro("boise", "America/Boise")
    city.write([make_event("a")])
    city.write([make_event("a")], feed="boise-samples", metro="boise")
    before = city.build().published.root.parts
    city.write([make_event("a", name="New")])
    city.write([make_event("a", name="New")], feed="boise-samples", metro="boise")
    after = city.build(metros={"boise"}).published.root.parts
    assert after["seattle"] == before["seattle"]
    assert after["boise"] != before["boise"]


def test_a_feed_of_several_metros_goes_where_each_record_says(tmp_path: Path) -> None:
    city = City(tmp_path)
    city.add_metro("boise", "America/Boise")
    shared = {"type": "organization", "source_id": "o", "id": "22222222-2222-4222-8222-222222222222", "name": "Zoo"}
    city.write(
        [
            shared | {"metro": "seattle"}, shared | {"metro": "boise"},
            make_event("a", metro="seattle", organization={"source_id": "o"}),
            make_event("b", metro="boise", organization={"source_id": "o"}),
        ],
        metro=None,
    )  # fmt: skip
    city.build()
    assert [event["name"] for event in city.ask("/v1/boise/events")["data"]] == ["Event b"]
    organization = city.ask(f"/v1/organizations/{shared['id']}")["data"]
    assert organization["metros"] == ["boise", "seattle"]
    assert organization["counts"]["events"] == 2
    of_zoo = [version for version in city.read_versions() if version.listing_id == shared["id"]]
    assert [(version.kind, version.metro) for version in of_zoo] == [("created", None)]


def test_a_new_local_date_writes_no_document(city: City) -> None:
    city.write([make_event("a", rrule="FREQ=WEEKLY"), make_event("b"), make_place("hall")])
    first = city.build("2026-08-10")
    manifest = read_manifest(city.store, first.published.root.parts["seattle"].manifest)
    second = city.build("2026-08-11")
    later = read_manifest(city.store, second.published.root.parts["seattle"].manifest)
    assert later.packs == manifest.packs
    assert second.changes == {}
    assert later.pages.keys() != manifest.pages.keys()


def test_a_feed_that_is_byte_for_byte_the_same_is_not_parsed_where_another_of_its_metro_changed(city: City) -> None:
    city.write([make_event("a"), "{broken"], feed="still")
    city.write([make_event("b")], feed="moving")
    first = {feed.feed: feed for feed in city.build().feeds}
    records = first["still"].memory.records
    assert records is not None
    # What is taken from the store in its stead shows that nobody looks at the file.
    kept = read_cached_read(city.store, records)
    swapped = structs.replace(kept, cleaned=[encode_cleaned(structs.replace(kept.records[0], name="As it was read"))])
    root = city.current.root
    memory = structs.replace(first["still"].memory, records=put_cached_read(city.store, swapped))
    publish(city.store, base=root, parts={}, changes=(), feeds={"still": memory}, now=root.built_at)
    city.write([make_event("b", name="Renamed")], feed="moving")
    again = {feed.feed: feed for feed in city.build().feeds}
    assert again["still"].problems == first["still"].problems
    names = [event["name"] for event in city.ask("/v1/seattle/events")["data"]]
    assert sorted(names) == ["As it was read", "Renamed"]
