"""The four orders of results."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.documents import make_uuid
from tests.answers.generated import TODAY
from tests.answers.search.searching import Document, find, open_listings, refuse, search
from tests.answers.worlds import World, find_instant, open_release

EVERY_DATE = {"from": "2026-08-01", "to": "2026-08-31"}


def add_event(world: World, number: int, name: str, *dates: str, **members: Any) -> None:
    """Add an event; with several dates a series, beginning with the first."""
    row_id, locals_ = make_uuid(number), documents.read_dates(*dates)
    world.dates[row_id] = locals_
    instant = datetime.fromtimestamp(find_instant(locals_[0], documents.ZONE), UTC).isoformat().replace("+00:00", "Z")
    has_time = not dates[0].endswith("T00:00:00")
    world.listings.append(
        documents.make_event(
            row_id, name=name, has_date=True, starts_local=dates[0], starts_at=instant, has_time=has_time,
            start_time=dates[0][11:] if has_time else None, is_recurring=len(dates) > 1,
            rrule="FREQ=DAILY" if len(dates) > 1 else None, **members,
        )
    )  # fmt: skip


def make_class(
    number: int, name: str, *, starts_on: str | None, days: tuple[str, ...] = (), time: str | None = None
) -> Document:
    return documents.make_class(
        make_uuid(number), name=name, term=documents.make_term(starts_on=starts_on),
        schedule=documents.make_schedule(days=list(days), start_time=time),
    )  # fmt: skip


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Today is Monday, 2026-08-10."""
    world = World()
    add_event(world, 1, "Owl on the 12th", "2026-08-12T10:00:00")
    add_event(world, 2, "Owl each Tuesday", *(f"2026-{day}T18:00:00" for day in ("07-28", "08-04", "08-11", "08-18")))
    add_event(world, 3, "Owl at noon of the 11th", "2026-08-11T12:00:00")
    add_event(world, 4, "Owl of the 3rd", "2026-08-03T12:00:00")
    add_event(world, 5, "Owl at no time", "2026-08-11T00:00:00")
    add_event(world, 6, "Owl with a word more", "2026-08-12T10:00:00")
    world.listings += [
        make_class(7, "Owl class on Wednesdays", starts_on="2026-08-01", days=("wednesday",), time="09:00:00"),
        make_class(8, "Owl class of no date", starts_on=None),
        make_class(9, "Owl class from the 20th", starts_on="2026-08-20"),
        documents.make_camp(
            make_uuid(10), name="Owl camp",
            sessions=[
                documents.make_session(make_uuid(day), starts_on=f"2026-08-{day:02}", ends_on=f"2026-08-{day + 4:02}")
                for day in (3, 17, 24)
            ],
        ),
        documents.make_camp(make_uuid(11), name="Owl camp of no date"),
        documents.make_place(make_uuid(12), name="Owl"),
        documents.make_place(make_uuid(13), name="Owl and a café"),
    ]  # fmt: skip
    return open_release([world], tmp_path_factory.mktemp("harbor"))


def find_dates(release: Release, params: dict[str, str]) -> dict[str, str | None]:
    return {item["name"]: item["starts_local"] for item in search(release, "owl", params)["data"]}


def test_soonest_is_by_next_occurrence_and_places_and_undated_come_after(harbor: Release) -> None:
    dates = find_dates(harbor, {"sort": "soonest"})
    assert list(dates.items())[:8] == [
        ("Owl at no time", "2026-08-11T00:00:00"),
        ("Owl at noon of the 11th", "2026-08-11T12:00:00"),
        ("Owl each Tuesday", "2026-08-11T18:00:00"),
        ("Owl class on Wednesdays", "2026-08-12T09:00:00"),
        ("Owl on the 12th", "2026-08-12T10:00:00"),
        ("Owl with a word more", "2026-08-12T10:00:00"),
        ("Owl camp", "2026-08-17T00:00:00"),
        ("Owl class from the 20th", "2026-08-20T00:00:00"),
    ]
    assert dict(list(dates.items())[8:]) == dict.fromkeys(
        ("Owl", "Owl and a café", "Owl camp of no date", "Owl class of no date")
    )


def test_ties_of_soonest_break_by_score_then_id(harbor: Release) -> None:
    """Both on the 12th at ten; those without a date among themselves."""
    items = search(harbor, "owl", {"sort": "soonest"})["data"]
    undated = [item for item in items if item["starts_local"] is None]
    assert undated == sorted(undated, key=lambda item: (-item["score"], item["id"]))
    assert undated[0]["name"] == "Owl"
    first, second = (item for item in items if item["starts_local"] == "2026-08-12T10:00:00")
    assert (first["name"], second["name"]) == ("Owl on the 12th", "Owl with a word more")


def test_a_series_shows_its_first_date_in_the_window(harbor: Release) -> None:
    assert find_dates(harbor, {"from": "2026-08-12"})["Owl each Tuesday"] == "2026-08-18T18:00:00"


def test_a_series_shows_no_date_before_today_though_the_window_has_some(harbor: Release) -> None:
    assert find_dates(harbor, EVERY_DATE)["Owl each Tuesday"] == "2026-08-11T18:00:00"
    assert find_dates(harbor, {"from": "2026-08-01", "to": "2026-08-05", "sort": "soonest"}).keys() >= {
        "Owl each Tuesday"
    }


def test_a_single_event_of_the_window_shows_its_date_though_it_is_past(harbor: Release) -> None:
    assert find_dates(harbor, EVERY_DATE)["Owl of the 3rd"] == "2026-08-03T12:00:00"
    assert find_dates(harbor, {"changed_since": "2020-01-01T00:00:00Z"})["Owl of the 3rd"] == "2026-08-03T12:00:00"
    assert next(iter(find_dates(harbor, {**EVERY_DATE, "sort": "soonest"}))) == "Owl of the 3rd"


def test_next_occurrences_are_those_of_the_local_date(harbor: Release) -> None:
    dates = {
        item["name"]: item["starts_local"]
        for item in search(harbor, "owl", {"sort": "soonest"}, today=TODAY + timedelta(days=2))["data"]
    }
    assert dates["Owl each Tuesday"] == "2026-08-18T18:00:00"
    assert next(iter(dates)) == "Owl class on Wednesdays"
    assert "Owl at noon of the 11th" not in dates


LATER, EARLIER = "2026-03-02T10:00:00Z", "2026-03-01T10:00:00Z"


def test_newest_is_by_creation_then_score_then_id(tmp_path: Path) -> None:
    made = [("Owl A long name", LATER), ("Owl", EARLIER), ("Owl B", LATER), ("Owl C", LATER), ("Owl unknown", None)]
    places = [
        documents.make_place(make_uuid(number), name=name, created_at=stamp)
        for number, (name, stamp) in enumerate(made)
    ]
    release = open_listings(tmp_path, *places)
    assert list(find(release, "owl", {"sort": "newest"})) == ["Owl B", "Owl C", "Owl A long name", "Owl", "Owl unknown"]


@pytest.fixture(scope="module")
def spread(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Names say how many kilometres to the north, roughly."""
    norths = {"Owl 1": 0.009, "Owl 90": 0.81, "Owl 3": 0.027, "Owl 3 too": 0.027, "Owl nowhere": None, "Owl": 0.027}
    return open_listings(
        tmp_path_factory.mktemp("spread"),
        *(
            documents.make_place(
                make_uuid(number), name=name,
                location=documents.make_location(**({} if north is None else {"lat": 40.0 + north, "lng": -74.0})),
            )
            for number, (name, north) in enumerate(norths.items(), 1)
        ),
    )  # fmt: skip


HERE = {"lat": "40.0", "lng": "-74.0"}


def test_nearest_is_by_distance_then_score_then_id_and_rows_without_coordinates_come_last(spread: Release) -> None:
    results = list(find(spread, "owl", {"sort": "nearest", **HERE}))
    assert results == ["Owl 1", "Owl", "Owl 3", "Owl 3 too", "Owl 90", "Owl nowhere"]


def test_nearest_makes_no_circle_but_of_a_radius_that_is_sent(spread: Release) -> None:
    results = list(find(spread, "owl", {"sort": "nearest", **HERE, "radius_m": "2000"}))
    assert results == ["Owl 1"]
    assert "radius_m" not in search(spread, "owl", {"sort": "nearest", **HERE})["meta"]["applied_filters"]


def test_in_other_orders_a_point_is_a_circle_of_the_default_radius(spread: Release) -> None:
    results = find(spread, "owl", HERE)
    assert results.keys() == {"Owl 1", "Owl 3", "Owl 3 too", "Owl"}
    assert search(spread, "owl", HERE)["meta"]["applied_filters"]["radius_m"] == 5000


def test_nearest_without_a_point_is_refused(spread: Release) -> None:
    error = refuse(spread, "owl", {"sort": "nearest"})
    assert (error.status, error.details["reason"]) == (400, "missing_parameter")


@pytest.mark.parametrize("sort", ["relevance", "soonest", "newest", "nearest"])
def test_meta_names_the_order(spread: Release, sort: str) -> None:
    assert search(spread, "owl", {"sort": sort, **HERE})["meta"]["sort"] == sort


def test_relevance_is_by_level_before_all_else_and_other_orders_are_not(tmp_path: Path) -> None:
    """One in passing that is newer than one by name."""
    passing = documents.make_place(make_uuid(1), name="Another", created_at=LATER, description="Far. " * 200 + "A owl.")
    named = documents.make_place(make_uuid(2), name="Owl", created_at=EARLIER)
    release = open_listings(tmp_path, passing, named)
    assert list(find(release, "owl")) == ["Owl", "Another"]
    assert list(find(release, "owl", {"sort": "newest"})) == ["Another", "Owl"]


def make_slot(number: int, days: list[str], time: str) -> Document:
    schedule = documents.make_schedule(days=days, start_time=time)
    del schedule["type"], schedule["is_recurring"]
    term = documents.make_term(starts_on="2026-08-01", ends_on="2026-12-01")
    return documents.make_section(make_uuid(number), schedule=schedule, term=term)


@pytest.fixture(scope="module")
def varied(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Today is Monday, 2026-08-10."""
    world = World()
    add_event(world, 1, "Owl series", "2026-08-11T09:00:00", "2026-08-12T15:00:00", "2026-08-20T09:00:00")
    add_event(world, 2, "Owl once", "2026-08-13T16:00:00")
    add_event(world, 3, "Owl from before", "2026-08-06T09:00:00", "2026-08-12T09:00:00", "2026-08-27T09:00:00")
    camp_days: list[Document] = [
        documents.make_session(
            make_uuid(40), starts_on="2026-08-11", ends_on="2026-08-14", start_time="09:00:00", days=["tuesday"]
        ),
        documents.make_session(
            make_uuid(41), starts_on="2026-08-20", ends_on="2026-08-21", start_time="13:00:00", days=["thursday"]
        ),
    ]
    world.listings += [
        documents.make_class(
            make_uuid(4), name="Owl class", sections_total=2,
            sections=[make_slot(50, ["monday", "wednesday"], "09:00:00"), make_slot(51, ["thursday"], "14:00:00")],
        ),
        documents.make_camp(make_uuid(5), name="Owl camp", sessions=camp_days),
        documents.make_place(make_uuid(6), name="Owl"),
    ]  # fmt: skip
    return open_release([world], tmp_path_factory.mktemp("varied"))


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"weekday": "thursday"}, {
            "Owl once": "2026-08-13T16:00:00", "Owl class": "2026-08-13T14:00:00",
            "Owl series": "2026-08-20T09:00:00", "Owl camp": "2026-08-20T13:00:00",
            "Owl from before": "2026-08-27T09:00:00", "Owl": None,
        }),
        ({"weekday": "thursday", "from": "2026-08-01"}, {
            "Owl once": "2026-08-13T16:00:00", "Owl class": "2026-08-13T14:00:00",
            "Owl series": "2026-08-20T09:00:00", "Owl camp": "2026-08-20T13:00:00",
            "Owl from before": "2026-08-27T09:00:00", "Owl": None,
        }),
        ({"weekday": "wednesday"}, {
            "Owl from before": "2026-08-12T09:00:00", "Owl class": "2026-08-12T09:00:00",
            "Owl series": "2026-08-12T15:00:00", "Owl": None,
        }),
        ({"start_after": "12:00"}, {
            "Owl series": "2026-08-12T15:00:00", "Owl class": "2026-08-13T14:00:00",
            "Owl once": "2026-08-13T16:00:00", "Owl camp": "2026-08-20T13:00:00", "Owl": None,
        }),
        ({"start_before": "12:00", "weekday": "thursday"}, {
            "Owl series": "2026-08-20T09:00:00", "Owl from before": "2026-08-27T09:00:00", "Owl": None,
        }),
        ({"schedule_day": "thursday", "types": "classes"}, {"Owl class": "2026-08-13T14:00:00"}),
    ],
)  # fmt: skip
def test_a_result_starts_when_it_meets_all_that_is_said_of_when(
    varied: Release, params: dict[str, str], expected: dict[str, str | None]
) -> None:
    """Results are ordered by that start too."""
    dates = find_dates(varied, {"sort": "soonest", **params})
    assert dates == expected
    stated = [date or "9" for date in dates.values()]
    assert stated == sorted(stated)
    assert find_dates(varied, params) == expected
    assert find_dates(varied, {"match": "auto", **params}) == expected


def test_of_what_is_repeated_the_next_that_meets_it_is_shown(tmp_path: Path) -> None:
    world = World()
    parks = {"id": make_uuid(90), "name": "Parks", "slug": "parks"}
    add_event(world, 1, "Owl walk", "2026-08-11T09:00:00", "2026-08-20T09:00:00", organization=parks)
    add_event(world, 2, "Owl walk", "2026-08-12T09:00:00", "2026-08-13T09:00:00", organization=parks)
    release = open_release([world], tmp_path)
    [item] = search(release, "owl", {"match": "auto", "weekday": "thursday"})["data"]
    assert (item["id"], item["starts_local"], item["repeats"]) == (make_uuid(2), "2026-08-13T09:00:00", 1)
    [item] = search(release, "owl", {"match": "auto"})["data"]
    assert (item["id"], item["starts_local"]) == (make_uuid(1), "2026-08-11T09:00:00")
