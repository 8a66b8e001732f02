"""Filters: that none is half there, and what each does with a listing that states nothing."""

from pathlib import Path

import pytest

from outings.answers.rows.filters import NAMES, PLAIN, RULES
from outings.contract.members import MEMBERS
from outings.contract.parameters import PARAMETERS
from outings.contract.routes import LISTS
from outings.contract.values import Parameter
from outings.release.snapshot import Release
from outings.release.tables import OCCURRENCE_TABLES, TABLES
from tests.answers import documents
from tests.answers.asking import fetch
from tests.answers.documents import make_uuid
from tests.answers.worlds import COLLECTIONS, DAYS, World, open_release

# Says how a circle is meant, and is none.
WIDENS = "include_approximate"
TABLE = "outings/contract/parameters.py"


def test_filters_that_no_comparison_says_stay_few() -> None:
    assert len(set(RULES.values())) <= 18, (
        f"RULES of outings/answers/rows/filters.py has one more: say in {TABLE} which column the filter compares."
        " If no comparison can say it, raise the limit here"
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_filter_of_a_list_compares_a_column_or_has_a_rule(name: str) -> None:
    assert (name in PLAIN) + (name in RULES) + (name == WIDENS) == 1, (
        f"{name}: say in {TABLE} which column it compares, or in RULES of outings/answers/rows/filters.py what it asks"
    )


@pytest.mark.parametrize("name", [name for name, row in PARAMETERS.items() if row.column])
def test_every_filter_with_a_column_is_taken_by_a_list(name: str) -> None:
    assert name in NAMES, f"{name} is a row of {TABLE}: add it to _FILTERS in outings/contract/routes.py"


@pytest.mark.parametrize(
    ("listing_type", "name"),
    [(kind, name) for kind, route in LISTS.items() for name in PLAIN if name in route.parameters],
)
def test_the_column_of_a_filter_is_in_a_table_of_each_type_that_takes_it(listing_type: str, name: str) -> None:
    tables = ("listings", OCCURRENCE_TABLES.get(listing_type, "listings"))
    column = PLAIN[name].column
    assert any(column in TABLES[table] for table in tables), (
        f"{name} compares {column}, which no table of a {listing_type} has:"
        " add it to LISTINGS in outings/release/tables.py"
    )


@pytest.mark.parametrize("name", [name for name, row in PLAIN.items() if row.member])
def test_the_member_of_a_filter_is_one_of_each_type_that_takes_it(name: str) -> None:
    member = PLAIN[name].member
    lacking = [kind for kind, route in LISTS.items() if name in route.parameters and member not in MEMBERS[kind]]
    assert not lacking, f"{name} compares {member}, which no {' and no '.join(lacking)} has: see {TABLE}"


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
STATED = {"from", "to", "weekday", "has_time", "ends_after", "occurrences", "recurring"}
# Of what these compare, a listing that states nothing is kept: all others drop it.
KEPT = {("class", "from"), ("class", "to"), ("camp", "from"), ("camp", "to")} | {
    (kind, name) for kind in LISTS for name in ("age", "age_min", "age_max")
}
CIRCLE = ("lat", "lng", "radius_m")
CASES = [
    (kind, name)
    for kind, route in LISTS.items()
    for name in NAMES
    if name in route.parameters
    and name not in ("min_confidence", "audience", "near_zip", "where", WIDENS, *CIRCLE[1:])
    and not (kind == "event" and name in STATED)
]


@pytest.mark.parametrize(("listing_type", "name"), CASES)
def test_a_listing_that_does_not_state_it_is_kept_or_dropped(unstated: Release, listing_type: str, name: str) -> None:
    rows = LISTS[listing_type].parameters
    choices = [{value: _choose_value(rows[value]) for value in (CIRCLE if name in CIRCLE else (name,))}]
    if rows[name].kind == "boolean":
        choices = [{name: "true"}, {name: "false"}]
    for params in choices:
        kept = fetch(unstated, f"/v1/harbor/{COLLECTIONS[listing_type]}", params)["meta"]["count"] == 1
        assert kept == ((listing_type, name) in KEPT)


@pytest.mark.parametrize(
    ("window", "meets"),
    [
        ({"from": "2026-08-15", "to": "2026-08-16"}, set()),  # a weekend
        ({"from": "2026-08-16", "to": "2026-08-17"}, {"weekly"}),
        ({"from": "2026-08-12", "to": "2026-08-12"}, {"once"}),
        ({"from": "2026-08-10", "to": "2026-08-30"}, {"weekly", "once"}),
        ({"from": "2026-08-25", "to": "2026-09-30"}, {"weekly"}),  # begins after the last Monday but one
        ({"from": "2026-08-25"}, {"weekly"}),
        ({"from": "2026-09-01", "to": "2026-09-30"}, set()),
    ],
)
def test_a_class_meets_in_a_window_on_its_weekdays_and_within_its_term(
    tmp_path: Path, window: dict[str, str], meets: set[str]
) -> None:
    weekly = documents.make_class(make_uuid(1), name="weekly", term=documents.make_term(ends_on="2026-08-31"))
    weekly["schedule"]["days"] = ["monday"]
    once = documents.make_class(
        make_uuid(2), name="once", term=documents.make_term(starts_on="2026-08-12", ends_on="2026-08-12")
    )
    unknown = documents.make_class(make_uuid(3), name="unknown")
    undated = documents.make_camp(make_uuid(4), name="undated")
    release = open_release([World(listings=[weekly, once, unknown, undated])], tmp_path)
    request = {**window, "meets": "true"}
    assert {item["name"] for item in fetch(release, "/v1/harbor/classes", request)["data"]} == meets
    assert fetch(release, "/v1/harbor/camps", request)["data"] == []


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
        items = fetch(release, "/v1/harbor/classes", {"weekday": day, "age": age, "start_before": before})["data"]
        expected = (day == "monday" and age == "2") or (day == "friday" and age == "14" and before == "17:00")
        assert len(items) == expected
        assert all(len(item["sections"]) == 2 for item in items)
