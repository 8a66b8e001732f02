"""The table of filters: what it covers, and what each row does with a listing that states nothing."""

from pathlib import Path

import pytest

from outings.answers.selecting.filters import ALL, FILTERS, NAMED, NAMES
from outings.contract.parameter import Parameter
from outings.contract.parameters import ZIPS
from outings.contract.routes import ROUTES
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.asking import fetch
from tests.answers.documents import make_uuid
from tests.answers.worlds import COLLECTIONS, DAYS, World, open_release

# Says how a circle is meant, and is none.
WIDENS = "include_approximate"
LISTS = {route.type: route.parameters for route in ROUTES if route.type and route.name.endswith(".list")}


def test_named_predicates_stay_few() -> None:
    assert len(NAMED) <= 5


@pytest.mark.parametrize("listing_type", ALL)
def test_every_filter_that_a_list_answers_has_a_row_and_no_other_has(listing_type: str) -> None:
    promised = {
        name
        for name, row in LISTS[listing_type].items()
        if row.is_filter and (row.implemented or name in ZIPS) and row.replaced_by is None
    }
    rows = {name for row in FILTERS if listing_type in row.types for name in row.parameters}
    assert rows | {WIDENS} == promised


@pytest.mark.parametrize("listing_type", ALL)
def test_no_parameter_has_two_rows_for_one_type(listing_type: str) -> None:
    names = [name for row in FILTERS if listing_type in row.types for name in row.parameters]
    assert len(names) == len(set(names))


def test_places_have_no_happenings() -> None:
    assert [row.parameters for row in FILTERS if "place" in row.types and row.level == "happening"] == []


def test_names_are_the_rows_names_each_once() -> None:
    assert len(NAMES) == len(set(NAMES))
    assert set(NAMES) == {name for row in FILTERS for name in row.parameters} | {WIDENS}


@pytest.fixture(scope="module")
def unstated(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """One listing of each type that states nothing but what it must."""
    world = World(
        listings=[
            documents.make_class(make_uuid(2)),
            documents.make_camp(make_uuid(3)),
            documents.make_place(make_uuid(4)),
        ],
        zips={"98101": (40.0, -74.0)},
    )
    event = documents.make_event(
        make_uuid(1), has_date=True, starts_local="2026-08-10T00:00:00", starts_at="2026-08-10T04:00:00Z"
    )
    world.listings.append(event)
    world.dates[event["id"]] = documents.read_dates("2026-08-10T00:00:00")
    return open_release([world], tmp_path_factory.mktemp("unstated"))


def _choose_value(row: Parameter) -> str:
    return {"lat": "40", "lng": "-74"}.get(row.name, row.example)


# What each of them always states, so that "not stated" can't happen.
STATED = {"from", "to", "weekday", "has_time", "occurrences", "recurring"}
CASES = [
    (listing_type, row)
    for row in FILTERS
    for listing_type in row.types
    if row.parameters[0] not in ("min_confidence", "audience")
    and not (listing_type == "event" and row.parameters[0] in STATED)
]


@pytest.mark.parametrize(("listing_type", "row"), CASES, ids=lambda case: getattr(case, "parameters", [case])[0])
def test_a_listing_that_does_not_state_it_is_kept_or_dropped_as_the_row_says(
    unstated: Release, listing_type: str, row: object
) -> None:
    names = row.parameters  # type: ignore[attr-defined]
    path = f"/v1/harbor/{COLLECTIONS[listing_type]}"
    values = {name: _choose_value(LISTS[listing_type][name]) for name in names if name != "near_zip"}
    choices = [values]
    if LISTS[listing_type][names[0]].kind == "boolean":
        choices = [{names[0]: "true"}, {names[0]: "false"}]
    for params in choices:
        kept = fetch(unstated, path, params)["meta"]["count"] == 1
        assert kept == (row.unstated == "keep")  # type: ignore[attr-defined]


@pytest.mark.parametrize("day", DAYS)
def test_sections_meet_their_conditions_one_at_a_time(tmp_path: Path, day: str) -> None:
    """Monday mornings for toddlers and Friday afternoons for teens are no Friday mornings for toddlers."""
    morning = documents.make_section("a", ages={"min": 1, "max": 3, "text": None})
    afternoon = documents.make_section("b", ages={"min": 13, "max": 18, "text": None})
    morning["schedule"] |= {"days": ["monday"], "start_time": "09:00:00"}
    afternoon["schedule"] |= {"days": ["friday"], "start_time": "16:00:00"}
    world = World(listings=[documents.make_class(make_uuid(1), sections=[morning, afternoon])])
    release = open_release([world], tmp_path)
    for age, before in (("2", "12:00"), ("14", "17:00"), ("2", "17:00"), ("14", "12:00")):
        found = fetch(release, "/v1/harbor/classes", {"weekday": day, "age": age, "start_before": before})["data"]
        expected = (day == "monday" and age == "2") or (day == "friday" and age == "14" and before == "17:00")
        assert len(found) == expected
        assert all(len(item["sections"]) == 2 for item in found)
