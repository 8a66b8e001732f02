"""Laws over made-up feeds of two metros, built as an operator builds them and asked as a reader asks."""

import gzip
from collections import Counter
from datetime import timedelta
from random import Random
from typing import Any

import pytest

from outings.contract.errors import ApiError
from outings.release.snapshot import Release
from outings.release.store import read_object
from tests.answers.asking import ask, fetch, read_all
from tests.pipeline.city import City
from tests.pipeline.worlds import METROS, TODAY, FeedWorld, is_open, list_dates, name_id

COLLECTIONS = {"event": "events", "class": "classes", "place": "places"}
EVERYTHING = {"audience": "all", "min_confidence": "0"}
# As default lists have it; places take none.
WINDOW = {"from": TODAY.isoformat(), "to": (TODAY + timedelta(days=30)).isoformat()}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, cases: int) -> list[tuple[FeedWorld, City]]:
    worlds = []
    for seed in range(max(cases // 5, 1)):
        world, city = FeedWorld(Random(seed)), City(tmp_path_factory.mktemp("world"))
        world.build(city)
        worlds.append((world, city))
    return worlds


def ask_list(release: Release, metro: str, kind: str, **params: str) -> list[dict[str, Any]]:
    window = WINDOW if kind != "place" else {}
    return read_all(release, f"/v1/{metro}/{COLLECTIONS[kind]}", {**EVERYTHING, **window, **params})


@pytest.mark.long
def test_every_listing_shows_whom_its_record_refers_to(built: list[tuple[FeedWorld, City]]) -> None:
    for world, city in built:
        release = city.open()
        for metro in METROS:
            for kind in COLLECTIONS:
                for item in ask_list(release, metro, kind, limit="200"):
                    owner = item["organization"]["name"]
                    assert owner == world.owners[item["name"]], item["name"]
                    assert owner in (None, "Only named") or item["organization"]["id"] == name_id(owner)


def test_an_organization_is_in_the_metros_of_its_records_and_of_what_refers_to_it(
    built: list[tuple[FeedWorld, City]],
) -> None:
    for world, city in built:
        release = city.open()
        for name in world.homes:
            path = f"/v1/organizations/{name_id(name)}"
            items = fetch(release, path)["data"]
            assert items["metros"] == sorted(world.list_metros(name)), name
            counts: Counter[str] = Counter()
            for metro in items["metros"]:
                entries = read_all(release, f"/v1/{metro}/organizations", {"min_count": "0"})
                (entry,) = (entry for entry in entries if entry["id"] == name_id(name))
                counts.update(entry["counts"])
                for collection in COLLECTIONS.values():
                    listed = read_all(release, f"{path}/{collection}", {"metro": metro, "limit": "7"})
                    assert len(listed) == entry["counts"][collection]
            assert counts == Counter(items["counts"])
            live = [metro for metro in METROS if is_live(release, metro, name)]
            if len(live) > 1:
                with pytest.raises(ApiError) as raised:
                    ask(release, f"{path}/events")
                assert raised.value.details["reason"] == "metro_required"


def is_live(release: Release, metro: str, name: str) -> bool:
    entries = read_all(release, f"/v1/{metro}/organizations", {"min_count": "1"})
    return name_id(name) in {entry["id"] for entry in entries}


def test_facets_count_what_lists_have(built: list[tuple[FeedWorld, City]]) -> None:
    for _, city in built:
        release = city.open()
        for metro in METROS:
            for kind, collection in COLLECTIONS.items():
                listed = ask_list(release, metro, kind, limit="200")
                tally = Counter(item["organization"]["id"] for item in listed)
                params = {**EVERYTHING, **(WINDOW if kind != "place" else {}), "facets": "organization", "limit": "0"}
                facets = fetch(release, f"/v1/{metro}/{collection}", params)["facets"]
                assert facets["total"] == len(listed)
                assert facets["organization"]["unspecified_count"] == tally.pop(None, 0)
                assert {item["id"]: item["count"] for item in facets["organization"]["top"]} == dict(tally)


def test_paging_gives_the_whole_set_once(built: list[tuple[FeedWorld, City]]) -> None:
    for _, city in built:
        release = city.open()
        for metro in METROS:
            for kind in COLLECTIONS:
                whole = ask_list(release, metro, kind, limit="200")
                assert ask_list(release, metro, kind, limit="3") == whole
                assert len({item["id"] for item in whole}) == len(whole)
            for directory in ("organizations", "neighborhoods"):
                path = f"/v1/{metro}/{directory}"
                assert read_all(release, path, {"limit": "2"}) == read_all(release, path, {"limit": "200"})


def test_classes_are_listed_by_the_dates_of_their_sections_or_else_their_own(
    built: list[tuple[FeedWorld, City]],
) -> None:
    for world, city in built:
        release = city.open()
        for metro in METROS:
            records = list_records(world, metro, "class")
            expected = {record["name"] for record in records if is_open(record, start=WINDOW["from"], end=WINDOW["to"])}
            assert {item["name"] for item in ask_list(release, metro, "class")} == expected


def list_records(world: FeedWorld, metro: str, kind: str) -> list[dict[str, Any]]:
    records = [record for some in world.records.values() for record in some if record["type"] == kind]
    return [record for record in records if record["name"].startswith(metro)]


def test_series_are_listed_by_the_dates_that_take_place(built: list[tuple[FeedWorld, City]]) -> None:
    end = TODAY + timedelta(days=30)
    for world, city in built:
        release = city.open()
        for metro in METROS:
            expected = {
                (record["name"], day)
                for record in list_records(world, metro, "event")
                for day in list_dates(record, start=TODAY, end=end)
            }
            items = ask_list(release, metro, "event", occurrences="expand")
            assert {(item["name"], item["starts_local"][:10]) for item in items} == expected
            assert {item["name"] for item in ask_list(release, metro, "event")} == {name for name, _ in expected}


def test_neighborhoods_are_those_that_listings_state_with_the_counts_of_the_lists(
    built: list[tuple[FeedWorld, City]],
) -> None:
    for world, city in built:
        release = city.open()
        for metro in METROS:
            records = [record for kind in COLLECTIONS for record in list_records(world, metro, kind)]
            stated = {record["location"]["neighborhood"] for record in records} - {None}
            listed = read_all(release, f"/v1/{metro}/neighborhoods", {})
            assert len(listed) == len({"sao" if "o jo" in name.lower() else name for name in stated})
            for item in listed:
                assert item["bounds"] is None
                for collection, link in item["links"].items():
                    path, _, value = link.partition("?neighborhood=")
                    assert len(read_all(release, path, {"neighborhood": value})) == item["counts"][collection]


@pytest.mark.long
def test_static_equals_dynamic(built: list[tuple[FeedWorld, City]]) -> None:
    for _, city in built:
        release, store = city.open(), city.store
        for snapshot in release.metros.values():
            assert snapshot.pages
            for name, page in snapshot.pages.items():
                request, _, day = name.rpartition("@")
                body = gzip.decompress(read_object(store, page.object))
                assert body == city.ask_bytes(request, day=day)
