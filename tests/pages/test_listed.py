"""The order of lists on plain files: what one can go to first, and what is over last."""

from datetime import date, datetime
from pathlib import Path

import pytest

from outings.pages.listed import GROUPS, Listed
from outings.pages.lists import Lists
from outings.pages.whats_on import list_weekends, make_weekend, render_whats_on
from outings.release.site import SiteSettings
from tests.answers import documents
from tests.answers.documents import Document, make_uuid
from tests.answers.worlds import TODAY, World, open_world

SATURDAY = date(2026, 8, 15)


def make_world() -> World:
    """A world of 10 August, a Monday, whose names say where they belong."""

    def event(row_id: str, **members: object) -> Document:
        return documents.make_event(row_id, **{"has_date": True, **members})

    term, session = documents.make_term, documents.make_session
    daily = [datetime(2026, 8, day, 9) for day in range(3, 25)]
    listings: list[Document] = [
        event(make_uuid(1), name="exhibition", starts_local="2026-08-03T09:00:00", is_recurring=True),
        event(make_uuid(2), name="today", starts_local="2026-08-10T18:00:00"),
        event(make_uuid(3), name="tomorrow", starts_local="2026-08-11T08:00:00"),
        event(make_uuid(4), name="sold out", starts_local="2026-08-10T07:00:00", is_sold_out=True),
        event(make_uuid(5), name="past", starts_local="2026-08-09T07:00:00"),
        event(make_uuid(6), name="some day", starts_local=None, has_date=False),
        event(make_uuid(7), name="saturday", starts_local="2026-08-15T08:00:00"),
        event(make_uuid(8), name="uncertain", starts_local="2026-08-10T08:00:00", confidence=0.1),
        event(make_uuid(9), name="adults", starts_local="2026-08-10T08:00:00", audience="adults"),
        documents.make_class(make_uuid(20), name="begins", term=term(starts_on="2026-08-20", ends_on="2026-09-20")),
        documents.make_class(make_uuid(21), name="runs", term=term(starts_on="2026-07-01", ends_on="2026-09-20")),
        documents.make_class(
            make_uuid(23), name="waiting list", term=term(starts_on="2026-08-11", ends_on="2026-09-20"),
            registration={**documents.make_class(make_uuid(23))["registration"], "status": "waitlist"},
        ),
        documents.make_class(make_uuid(22), name="is over", term=term(starts_on="2026-07-01", ends_on="2026-07-20")),
        documents.make_camp(
            make_uuid(30), name="begun", sessions=[session("a", starts_on="2026-08-08", ends_on="2026-08-14")]
        ),
        documents.make_camp(
            make_uuid(31), name="next", sessions=[session("a", starts_on="2026-08-17", ends_on="2026-08-21")]
        ),
        documents.make_camp(
            make_uuid(32), name="later",
            sessions=[session("a", starts_on="2026-07-01"), session("b", starts_on="2026-08-24", ends_on="2026-08-28")],
        ),
    ]  # fmt: skip
    dates = {make_uuid(1): daily}
    dates |= {
        item["id"]: [datetime.fromisoformat(item["starts_local"])]
        for item in listings[1:9]
        if item["starts_local"] is not None
    }
    return World(listings=listings, dates=dates)


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Listed:
    return Listed(open_world(make_world(), tmp_path_factory.mktemp("world")), TODAY)


def list_names(listed: Listed, number: int) -> list[tuple[str, str]]:
    rows = listed.rows.filter(listed.rows["type"] == number)
    return [(GROUPS[group], name) for group, name in rows.select("group", "name").rows()]


def test_what_is_dated_comes_before_what_runs_for_weeks_and_what_is_over_comes_last(listed: Listed) -> None:
    assert list_names(listed, 0) == [
        ("ahead", "today"), ("ahead", "exhibition"), ("ahead", "tomorrow"), ("ahead", "saturday"),
        ("closed", "sold out"), ("dateless", "some day"), ("over", "past"), ("uncertain", "uncertain"),
    ]  # fmt: skip


def test_a_course_that_runs_comes_after_one_that_begins(listed: Listed) -> None:
    assert list_names(listed, 1) == [
        ("ahead", "begins"),
        ("ahead", "runs"),
        ("closed", "waiting list"),
        ("over", "is over"),
    ]


def test_a_camp_that_has_begun_comes_after_those_that_one_can_join(listed: Listed) -> None:
    assert list_names(listed, 2) == [("ahead", "next"), ("ahead", "later"), ("closed", "begun")]


def test_a_weekend_has_each_event_once_the_dated_ones_first(listed: Listed) -> None:
    lists = Lists(listed, SiteSettings(shows_data=True, is_static=True))
    assert [row.name for row in make_weekend(lists).rows] == ["saturday", "exhibition"]


@pytest.mark.parametrize(("day", "names"), [("2026-08-15", ["saturday", "exhibition"]), ("2026-08-16", ["exhibition"])])
def test_on_a_sunday_the_weekend_is_that_day(tmp_path: Path, day: str, names: list[str]) -> None:
    listed = Listed(open_world(make_world(), tmp_path), date.fromisoformat(day))
    block = make_weekend(Lists(listed, SiteSettings(shows_data=True, is_static=True)))
    assert [row.name for row in block.rows] == names


def test_a_city_without_events_shows_what_begins_soon_and_names_no_empty_kind(tmp_path: Path) -> None:
    course = documents.make_class(
        make_uuid(1), name="Swim", term=documents.make_term(starts_on="2026-08-20", ends_on="2026-09-20")
    )
    course["schedule"] |= {"days": ["tuesday"], "start_time": "10:00:00", "notes": "Pool 2 of the Center"}
    course["price"] |= {"min": 145, "max": None, "is_free": False, "currency": "USD", "note": "Fee: $145.00"}
    listed = Listed(open_world(World(listings=[course], dates={}), tmp_path), TODAY)
    lists = Lists(listed, SiteSettings(shows_data=True, is_static=True))
    ((_, _, (block,)),) = list_weekends([lists])
    (row,) = block.rows
    assert (block.heading, row.name, row.price) == ("Classes that begin soon", "Swim", "$145")
    assert "Pool 2" not in row.when
    page = render_whats_on(lists).data.decode()
    assert "Nothing is listed" not in page
    assert "Events" not in page
    assert "Subscribe" not in page


def test_a_row_says_its_dates_in_short_with_the_year_of_another_year_alone(tmp_path: Path) -> None:
    terms = {"this year": ("2026-08-20", "2026-09-20"), "winter": ("2026-12-05", "2027-01-16")}
    courses = [
        documents.make_class(make_uuid(number), name=name, term=documents.make_term(starts_on=first, ends_on=last))
        for number, (name, (first, last)) in enumerate(terms.items(), start=1)
    ]
    listed = Listed(open_world(World(listings=courses, dates={}), tmp_path), TODAY)
    for language, shown in {
        "en": {"this year": "Thu 20 Aug – Sun 20 Sep", "winter": "Sat 5 Dec 2026 – Sat 16 Jan 2027"},
        "es": {"this year": "jue, 20 ago – dom, 20 sep", "winter": "sáb, 5 dic 2026 – sáb, 16 ene 2027"},
    }.items():
        lists = Lists(listed, SiteSettings(shows_data=True, is_static=True, language=language))
        assert {row.name: row.when for row in lists.make_rows(listed.rows.rows(named=True))} == shown


def test_a_day_that_goes_on_has_rows_of_each_of_its_parts(tmp_path: Path) -> None:
    hours = [*[8] * 20, *[14] * 20, 19]
    events = [
        documents.make_event(
            make_uuid(number),
            name=f"{number} at {hour}",
            starts_local=f"2026-08-15T{hour:02}:00:00",
            has_date=True,
            has_time=True,
        )
        for number, hour in enumerate(hours, start=1)
    ]
    dates = {item["id"]: [datetime.fromisoformat(item["starts_local"])] for item in events}
    listed = Listed(open_world(World(listings=events, dates=dates), tmp_path), SATURDAY)
    lists = Lists(listed, SiteSettings(shows_data=True, is_static=True))
    names = [row.name.partition(" ")[2] for row in make_weekend(lists).rows]
    assert names == ["at 8"] * 4 + ["at 14"] * 4 + ["at 19"]
    assert "41 at 19" in render_whats_on(lists).data.decode()
