"""An event of several days without a rule is a daily series to its end, and a feed says by which confidence it goes."""

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from icalendar import Calendar

from tests.pipeline.city import City, make_event, make_place
from tests.pipeline.publish.objects.exports import read_file

ALL = "/v1/seattle/events?occurrences=expand&from=2026-08-10&to=2026-09-09&limit=100"


@pytest.fixture
def city(tmp_path: Path) -> City:
    return City(tmp_path)


def list_times(city: City, *, day: str = "2026-08-10") -> list[tuple[str, str | None]]:
    dates = city.ask(ALL, day=day)["data"]
    return [(value["occurrence"]["starts_local"], value["occurrence"]["ends_local"]) for value in dates]


def write_event(city: City, **members: Any) -> None:
    city.write([make_event("a", **members)])


EXHIBITION = {"starts_local": "2026-08-12T10:00:00", "ends_local": "2026-08-15T17:00:00"}


def test_an_exhibition_is_on_each_of_its_days_by_its_clock_times_and_one_row(city: City) -> None:
    write_event(city, **EXHIBITION)
    city.build()
    assert list_times(city) == [(f"2026-08-{day}T10:00:00", f"2026-08-{day}T17:00:00") for day in (12, 13, 14, 15)]
    (row,) = city.ask("/v1/seattle/events", day="2026-08-14")["data"]
    assert (row["starts_local"], row["ends_local"]) == ("2026-08-12T10:00:00", "2026-08-12T17:00:00")
    assert (row["is_recurring"], row["rrule"]) == (True, "FREQ=DAILY;UNTIL=20260815T170000Z")
    assert row["occurrence"]["next_starts_local"] == "2026-08-14T10:00:00"


def test_it_is_found_on_its_last_day_months_after_its_first(city: City) -> None:
    write_event(city, starts_local="2026-05-01T10:00:00", ends_local="2026-08-30T18:00:00")
    city.build()
    assert len(city.ask("/v1/seattle/events?from=2026-08-30&to=2026-08-30")["data"]) == 1
    assert city.ask("/v1/seattle/events?from=2026-08-31")["data"] == []


@pytest.mark.parametrize(
    ("members", "times"),
    [
        ({"ends_local": "2026-08-13T10:00:00"}, [("2026-08-12T10:00:00", "2026-08-13T10:00:00")]),
        (
            {"starts_local": "2026-08-12T20:00:00", "ends_local": "2026-08-14T02:00:00"},
            [(f"2026-08-{day}T20:00:00", None) for day in (12, 13)],
        ),
        (
            {"starts_local": "2026-08-14T18:00:00", "ends_local": "2026-08-16T11:00:00"},
            [(f"2026-08-{day}T18:00:00", None) for day in (14, 15)],
        ),
        ({"ends_local": "2026-08-14T10:00:00"}, [(f"2026-08-{day}T10:00:00", None) for day in (12, 13)]),
        (
            {"ends_local": "2026-08-14T10:30:00"},
            [(f"2026-08-{day}T10:00:00", f"2026-08-{day}T10:30:00") for day in (12, 13, 14)],
        ),
        ({"ends_local": "2026-08-14T00:00:00"}, [("2026-08-12T10:00:00", None), ("2026-08-13T10:00:00", None)]),
        (
            {"starts_local": None, "date_on": "2026-08-12", "all_day": True, "ends_local": "2026-08-14T00:00:00"},
            [("2026-08-12T00:00:00", None), ("2026-08-13T00:00:00", None)],
        ),
        (
            {**EXHIBITION, "rrule": "FREQ=WEEKLY;COUNT=2"},
            [(f"2026-08-{day}T10:00:00", f"2026-08-{day}T17:00:00") for day in (12, 13, 14, 15, 19, 20, 21, 22)],
        ),
        (
            {
                "starts_local": None,
                "date_on": "2024-08-29",
                "all_day": True,
                "ends_local": "2024-08-31T00:00:00",
                "rrule": "FREQ=YEARLY",
                "rdates": ["2026-08-12T00:00:00"],
                "exdates": ["2025-08-29T00:00:00"],
            },
            [(f"2026-08-{day}T00:00:00", None) for day in (12, 13, 29, 30)],
        ),
        (
            {**EXHIBITION, "ends_local": "2026-08-20T17:00:00", "rrule": "FREQ=WEEKLY;COUNT=2"},
            [("2026-08-12T10:00:00", "2026-08-20T17:00:00"), ("2026-08-19T10:00:00", "2026-08-27T17:00:00")],
        ),
        (
            {**EXHIBITION, "exdates": ["2026-08-13T00:00:00", "2026-08-15T10:00:00"]},
            [(f"2026-08-{day}T10:00:00", f"2026-08-{day}T17:00:00") for day in (12, 14)],
        ),
    ],
    ids=[
        "24 hours are one",
        "an end in the night",
        "a campout",
        "an end when it began",
        "an end after that",
        "an end at midnight",
        "whole days",
        "its own rule",
        "whole days of a rule",
        "an end after the next date",
        "closed days",
    ],
)
def test_how_days_begin_and_end(city: City, members: dict[str, Any], times: list[tuple[str, str | None]]) -> None:
    write_event(city, **members)
    city.build()
    assert list_times(city) == times


def test_a_calendar_s_whole_days_are_days_and_its_date_is_not(city: City) -> None:
    (city.folder / "samples.ics").write_text(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n"
        "BEGIN:VEVENT\r\nUID:fair\r\nSUMMARY:Fair\r\nDTSTART;VALUE=DATE:20260812\r\nDTEND;VALUE=DATE:20260815\r\nEND:VEVENT\r\n"
        "BEGIN:VEVENT\r\nUID:day\r\nSUMMARY:Day\r\nDTSTART;VALUE=DATE:20260820\r\nDTEND;VALUE=DATE:20260821\r\nEND:VEVENT\r\n"
        "END:VCALENDAR\r\n"
    )
    city.write([])
    city.urls["samples"] = "samples.ics"
    city.formats["samples"] = "ics"
    city.build()
    assert [start[:10] for start, _ in list_times(city)] == ["2026-08-12", "2026-08-13", "2026-08-14", "2026-08-20"]


def test_the_first_day_alone_is_a_setting_that_reaches_what_a_delta_sent_before(city: City) -> None:
    city.write([make_event("a", **EXHIBITION)], mode="delta")
    city.build()
    assert len(list_times(city)) == 4
    city.write([make_event("b")], mode="delta")
    city.settings["samples"] = 'spans = "first"'
    city.build("2026-08-11")
    assert list_times(city, day="2026-08-11") == [
        ("2026-08-12T10:00:00", None),
        ("2026-08-12T10:00:00", "2026-08-15T17:00:00"),
    ]


def test_what_stays_from_day_to_day_is_what_a_new_store_would_have(city: City, tmp_path: Path) -> None:
    write_event(city, starts_local="2025-05-01T10:00:00", ends_local="2028-08-30T18:00:00")
    city.build()
    city.build("2026-11-20")
    (tmp_path / "again").mkdir()
    again = City(tmp_path / "again")
    write_event(again, starts_local="2025-05-01T10:00:00", ends_local="2028-08-30T18:00:00")
    again.build("2026-11-20")
    bodies = [entry.ask(ALL.replace("2026-0", "2027-0"), day="2026-11-20")["data"] for entry in (city, again)]
    assert [body["occurrence"] for body in bodies[0]] == [body["occurrence"] for body in bodies[1]]
    assert len(bodies[0]) == 31


def test_how_many_events_last_several_days_is_reported(city: City) -> None:
    city.write([make_event("a", **EXHIBITION), make_event("b"), make_event("c", **EXHIBITION)])
    decided = '2 events last several days without a rule: shown on each of their days (spans = "daily")'
    assert [feed.decided for feed in city.build().feeds] == [(decided,)]


@pytest.mark.parametrize(
    ("settings", "confidences"),
    [
        ("", {"Event stated": 0.4, "Event silent": 1.0, "Place silent": 1.0}),
        ("defaults = { confidence = 0.8 }", {"Event stated": 0.4, "Event silent": 0.8, "Place silent": 0.8}),
        ('confidence = "computed"', {"Event stated": 0.4, "Event silent": 0.6, "Place silent": 0.7}),
    ],
    ids=["what an operator publishes is sure", "a default", "computed"],
)
def test_the_confidence_of_what_states_none(city: City, settings: str, confidences: dict[str, float]) -> None:
    silent = {"confidence": None}
    city.write([make_event("stated", confidence=0.4), make_event("silent", **silent), make_place("silent", **silent)])
    city.settings["samples"] = settings
    city.build()
    listings = [
        item for kind in ("events", "places") for item in city.ask(f"/v1/seattle/{kind}?min_confidence=0")["data"]
    ]
    assert {listing["name"]: listing["confidence"] for listing in listings} == confidences


def test_a_computed_confidence_follows_its_setting_without_a_new_feed(city: City) -> None:
    city.write([make_event("silent", confidence=None)], mode="delta")
    city.build()
    city.settings["samples"] = 'confidence = "computed"'
    city.build(str(date(2026, 8, 11)))
    (event,) = city.ask("/v1/seattle/events?min_confidence=0", day="2026-08-11")["data"]
    assert event["confidence"] == 0.6


def test_a_day_without_a_year_is_the_next_one_from_the_builds_own_day_on(tmp_path: Path) -> None:
    city = City(tmp_path)
    city.write([], feed="table")
    city.formats["table"], city.urls["table"] = "table", "table.csv"
    city.settings["table"] = (
        '[feeds.map]\ntype = { value = "event" }\nsource_id = "id"\nname = "id"\n'
        'starts_local = { join = ["day", "at"], format = "%A %d.%m. %H:%M" }'
    )
    (tmp_path / "table.csv").write_text("id,day,at\na,Mi 12.08.,10:00\nb,Mo 01.03.,10:00\nc,Fr 10.07.,10:00\n")
    (table,) = (feed for feed in city.build("2026-08-10").feeds if feed.feed == "table")
    assert "days without a year are the next from 2026-06-11 on" in table.decided
    records = city.ask("/v1/seattle/events?from=2026-06-01&to=2027-05-01")["data"]
    assert [event["starts_local"] for event in records] == [
        "2026-07-10T10:00:00", "2026-08-12T10:00:00", "2027-03-01T10:00:00",
    ]  # fmt: skip


SEVERAL_DAYS = """BEGIN:VCALENDAR
VERSION:2.0
BEGIN:VEVENT
UID:christmas
SUMMARY:Christmas market
DTSTART;VALUE=DATE:20201225
DTEND;VALUE=DATE:20201228
RRULE:FREQ=YEARLY
END:VEVENT
BEGIN:VEVENT
UID:weekends
SUMMARY:Weekends
DTSTART;VALUE=DATE:20261003
DTEND;VALUE=DATE:20261005
RRULE:FREQ=WEEKLY;UNTIL=20261107
EXDATE;VALUE=DATE:20261017
RDATE;VALUE=DATE:20261013
END:VEVENT
BEGIN:VEVENT
UID:weekends
SUMMARY:Weekends
RECURRENCE-ID;VALUE=DATE:20261024
DTSTART;VALUE=DATE:20261027
DTEND;VALUE=DATE:20261030
END:VEVENT
BEGIN:VEVENT
UID:fair
SUMMARY:Fair
DTSTART;TZID=America/Los_Angeles:20261009T100000
DTEND;TZID=America/Los_Angeles:20261011T170000
RRULE:FREQ=MONTHLY;COUNT=3
END:VEVENT
END:VCALENDAR
"""


def test_a_series_of_several_days_is_on_the_days_on_which_an_independent_library_has_it(city: City) -> None:
    (city.folder / "samples.ics").write_text(SEVERAL_DAYS.replace("\n", "\r\n"))
    city.write([])
    city.urls["samples"], city.formats["samples"] = "samples.ics", "ics"
    city.build()
    days = [date(2026, 10, 1) + timedelta(number) for number in range(92)]
    windows = [(days[at], days[min(at + 30, 91)]) for at in range(0, 92, 31)]
    listed = [
        (item["name"], item["occurrence"]["starts_local"][:10])
        for first, last in windows
        for item in city.ask(f"/v1/seattle/events?occurrences=expand&from={first}&to={last}&limit=200")["data"]
    ]
    import recurring_ical_events

    for content in (SEVERAL_DAYS.encode(), read_file(city, "events.ics")):
        found = recurring_ical_events.of(Calendar.from_ical(content))
        expected = [(str(event["SUMMARY"]), day.isoformat()) for day in days for event in found.at(day)]
        assert sorted(listed) == sorted(expected)
