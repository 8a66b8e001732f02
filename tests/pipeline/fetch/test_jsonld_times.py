"""When events in JSON-LD are, each way of saying it as some software writes it."""

import time
from typing import Any

import pytest

from tests.pipeline.fetch.documents import ReadJsonld, event, show, the_one


@pytest.mark.parametrize(
    ("stated", "members"),
    [
        ({"startDate": "2026-08-12T10:00:00-07:00"}, {"starts_local": "2026-08-12T10:00:00"}),
        ({"startDate": "2026-08-12T17:00:00Z"}, {"starts_local": "2026-08-12T10:00:00"}),
        ({"startDate": "2026-08-12T17:00:00.000+0000"}, {"starts_local": "2026-08-12T10:00:00"}),
        ({"startDate": "2026-08-12T10:00"}, {"starts_local": "2026-08-12T10:00:00"}),
        ({"startDate": "2026-9-18T10-10-30-00"}, {"starts_local": "2026-09-18T10:30:00"}),
        ({"startDate": "2026-8-5 9:00"}, {"starts_local": "2026-08-05T09:00:00"}),
        ({"startDate": "2026-08-12 10:00:00 -07:00"}, {"starts_local": "2026-08-12T10:00:00"}),
        ({"startDate": "20260812T170000Z"}, {"starts_local": "2026-08-12T10:00:00"}),
        ({"startDate": "2026-08-12T24:00:00"}, {"starts_local": "2026-08-13T00:00:00"}),
        ({"startDate": ["2026-08-12T10:00"]}, {"starts_local": "2026-08-12T10:00:00"}),
        ({"startDate": {"@type": "xsd:dateTime", "@value": "2026-08-12T10"}}, {"starts_local": "2026-08-12T10:00:00"}),
        ({"startDate": "2026-08-12"}, {"date_on": "2026-08-12"}),
        ({"startDate": "August 12, 2026 7:00 PM"}, {"starts_local": "2026-08-12T19:00:00"}),
        ({"startDate": "Wed, Aug 12, 2026 at 7pm"}, {"starts_local": "2026-08-12T19:00:00"}),
        ({"startDate": "12 août 2026 à 19h30"}, {"starts_local": "2026-08-12T19:30:00"}),
        ({"startDate": "12. August 2026"}, {"date_on": "2026-08-12"}),
        ({"startDate": "2026-08-12", "endDate": "2026-08-12"}, {"date_on": "2026-08-12"}),
        (
            {"startDate": "2026-08-12", "endDate": "2026-08-14"},
            {"date_on": "2026-08-12", "ends_local": "2026-08-15T00:00:00"},
        ),
        ({"startDate": "2026-08-12", "startTime": "10:00 am"}, {"starts_local": "2026-08-12T10:00:00"}),
        (
            {"startDate": "2026-08-12T10:00", "duration": "PT1H30M"},
            {"starts_local": "2026-08-12T10:00:00", "ends_local": "2026-08-12T11:30:00"},
        ),
        (
            {"startDate": "2026-08-12T10:00", "endDate": "2026-08-12"},
            {"starts_local": "2026-08-12T10:00:00"},
        ),
        (
            {"startDate": "2026-08-12T10:00", "endDate": "2026-08-13"},
            {"starts_local": "2026-08-12T10:00:00", "ends_local": "2026-08-14T00:00:00"},
        ),
        (
            {"startDate": "2026-08-12T00:00:00-07:00", "endDate": "2026-08-12T23:59:59-07:00"},
            {"date_on": "2026-08-12", "all_day": True},
        ),
        (
            {"startDate": "2026-08-12T00:00", "endDate": "2026-08-13T23:59"},
            {"date_on": "2026-08-12", "all_day": True, "ends_local": "2026-08-14T00:00:00"},
        ),
        (
            {"startDate": "2026-08-12T22:00", "endTime": "01:00"},
            {"starts_local": "2026-08-12T22:00:00", "ends_local": "2026-08-13T01:00:00"},
        ),
        (
            {"startDate": "2026-08-12T22:00", "endTime": "24:00"},
            {"starts_local": "2026-08-12T22:00:00", "ends_local": "2026-08-13T00:00:00"},
        ),
        # How software writes that there is no end.
        ({"startDate": "2026-08-12", "endDate": "9999-12-31"}, {"date_on": "2026-08-12"}),
        (
            {"startDate": "2026-08-12T00:00", "endDate": "9999-12-31T23:59:59"},
            {"starts_local": "2026-08-12T00:00:00"},
        ),
        (
            {"startDate": "2026-11-01T09:30:00Z"},
            {"starts_local": "2026-11-01T01:30:00", "timezone": "Etc/GMT+8"},
        ),
        ({}, {}),
    ],
)  # fmt: skip
def test_dates_are_read_by_the_metros_clock(
    read_jsonld: ReadJsonld, stated: dict[str, Any], members: dict[str, Any]
) -> None:
    record = the_one(read_jsonld(event(**stated)))
    times = ("starts_local", "ends_local", "date_on", "all_day", "timezone")
    assert {name: record[name] for name in times if name in record} == members


@pytest.mark.parametrize(
    "text",
    ["9999-12-31", "08/12/2026", "Aug 12 10:00 am", "Aug 12, 2026 10:00 am PST", "2026-13-01", "2026-08", "tomorrow"],
)
def test_what_is_no_date_quarantines_and_is_not_guessed(read_jsonld: ReadJsonld, text: str) -> None:
    (problem,) = read_jsonld(event(startDate=text)).problems
    assert (problem.field, problem.value, problem.quarantined) == ("starts_local", text, True)
    assert problem.source_id == "https://a.example/1"


@pytest.mark.parametrize("start", ["2026-08-12", "2026-08-12T10:00"])
def test_an_end_that_is_no_date_is_left_out_reported_and_counted(read_jsonld: ReadJsonld, start: str) -> None:
    read = read_jsonld(event(startDate=start, endDate="TBA"))
    assert "ends_local" not in the_one(read)
    assert [(problem.field, problem.value, problem.quarantined) for problem in read.problems] == [
        ("ends_local", "TBA", False)
    ]
    assert read.unread == ('ends_local: 1 of 1 texts not understood: "TBA"',)


WEEKLY = {"@type": "Schedule", "startDate": "2026-08-10", "startTime": "10:30", "repeatFrequency": "P1W"}


@pytest.mark.parametrize(
    ("schedule", "members"),
    [
        (WEEKLY, {"starts_local": "2026-08-10T10:30:00", "rrule": "FREQ=WEEKLY"}),
        (
            {**WEEKLY, "byDay": ["https://schema.org/Tuesday", "Thursday"], "endTime": "11:15:00"},
            {"starts_local": "2026-08-11T10:30:00", "ends_local": "2026-08-11T11:15:00",
             "rrule": "FREQ=WEEKLY;BYDAY=TU,TH"},
        ),
        (
            {**WEEKLY, "repeatFrequency": "P2W", "byDay": "MO", "repeatCount": 5, "duration": "PT45M"},
            {"starts_local": "2026-08-10T10:30:00", "ends_local": "2026-08-10T11:15:00",
             "rrule": "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;COUNT=5"},
        ),
        (
            {**WEEKLY, "repeatFrequency": "P7D", "byDay": ["Tuesday", "Thursday"]},
            {"starts_local": "2026-08-11T10:30:00", "rrule": "FREQ=WEEKLY;BYDAY=TU,TH"},
        ),
        (
            {**WEEKLY, "repeatFrequency": "P14D", "byDay": ["Tuesday", "Thursday"]},
            {"starts_local": "2026-08-11T10:30:00", "rrule": "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH"},
        ),
        (
            {**WEEKLY, "repeatFrequency": "P1D", "byDay": ["Tuesday", "Thursday"]},
            {"starts_local": "2026-08-11T10:30:00", "rrule": "FREQ=DAILY;BYDAY=TU,TH"},
        ),
        (
            {**WEEKLY, "repeatFrequency": "P10D"},
            {"starts_local": "2026-08-10T10:30:00", "rrule": "FREQ=DAILY;INTERVAL=10"},
        ),
        (
            {**WEEKLY, "endDate": "2026-12-31", "exceptDate": ["2026-08-17", "2026-08-24T10:30:00-07:00"]},
            {"starts_local": "2026-08-10T10:30:00", "rrule": "FREQ=WEEKLY;UNTIL=20261231T235959",
             "exdates": ["2026-08-17T10:30:00", "2026-08-24T10:30:00"]},
        ),
        (
            {**WEEKLY, "repeatFrequency": "Monthly", "byDay": "Saturday", "byMonthWeek": 2},
            {"starts_local": "2026-09-12T10:30:00", "rrule": "FREQ=MONTHLY;BYDAY=2SA"},
        ),
        (
            {**WEEKLY, "repeatFrequency": "P1M", "byMonthDay": [1, 15]},
            {"starts_local": "2026-08-15T10:30:00", "rrule": "FREQ=MONTHLY;BYMONTHDAY=1,15"},
        ),
        (
            {"@type": "PartialSchedule", "startDate": "2026-08-10", "byDay": ["schema:Monday"]},
            {"date_on": "2026-08-10", "rrule": "FREQ=WEEKLY;BYDAY=MO"},
        ),
        (
            {**WEEKLY, "startDate": "2026-08-10", "scheduleTimezone": "America/New_York"},
            {"starts_local": "2026-08-10T10:30:00", "rrule": "FREQ=WEEKLY", "timezone": "America/New_York"},
        ),
        (
            {**WEEKLY, "startDate": "2026-08-10", "beta:timeZone": "America/New_York"},
            {"starts_local": "2026-08-10T10:30:00", "rrule": "FREQ=WEEKLY", "timezone": "America/New_York"},
        ),
        ({**WEEKLY, "startDate": "2026-12-01", "byDay": "Friday", "endDate": "2026-12-02"},
         {"starts_local": "2026-12-04T10:30:00", "rrule": "FREQ=WEEKLY;BYDAY=FR;UNTIL=20261202T235959"}),
    ],
)  # fmt: skip
def test_a_schedule_is_a_rule_and_its_first_date(
    read_jsonld: ReadJsonld, schedule: dict[str, Any], members: dict[str, Any]
) -> None:
    record = the_one(read_jsonld(event(eventSchedule=schedule)))
    times = ("starts_local", "ends_local", "date_on", "rrule", "exdates", "timezone")
    assert {name: record[name] for name in times if name in record} == members


def test_each_schedule_beyond_the_first_is_an_event_by_itself(read_jsonld: ReadJsonld) -> None:
    second = {**WEEKLY, "startTime": "14:00"}
    feed = read_jsonld(event(eventSchedule=[WEEKLY, second]))
    assert [(record.source_id, show(record)["starts_local"]) for record in feed.records] == [
        ("https://a.example/1", "2026-08-10T10:30:00"),
        ("https://a.example/1#schedule-2", "2026-08-10T14:00:00"),
    ]


def test_a_schedule_without_an_end_ends_with_its_event(read_jsonld: ReadJsonld) -> None:
    season = event(startDate="2026-09-01", endDate="2026-12-15", eventSchedule={**WEEKLY, "startDate": None})
    record = the_one(read_jsonld(season))
    assert (record["starts_local"], record["rrule"]) == ("2026-09-01T10:30:00", "FREQ=WEEKLY;UNTIL=20261215T235959")


def test_dates_of_a_series_win_over_its_partial_schedule(read_jsonld: ReadJsonld) -> None:
    dates = [{"startDate": f"2026-08-{day}T10:00"} for day in (12, 19)]
    partial = {"type": "PartialSchedule", "startTime": "10:00", "repeatFrequency": "P1W"}
    series = event(**{"@type": "SessionSeries", "subEvent": dates, "eventSchedule": partial})
    record = the_one(read_jsonld(series))
    assert (record["starts_local"], record["rdates"], "rrule" in record) == (
        "2026-08-12T10:00:00", ["2026-08-19T10:00:00"], False,
    )  # fmt: skip


def test_a_date_of_another_length_is_an_event_by_itself(read_jsonld: ReadJsonld) -> None:
    dates = [{"startDate": f"2026-08-{day}T10:00", "endDate": f"2026-08-{day}T11:00"} for day in (12, 19)]
    long = {"startDate": "2026-08-26T10:00", "endDate": "2026-08-26T15:00"}
    feed = read_jsonld(event(**{"@type": "EventSeries", "subEvent": [*dates, long]}))
    assert [show(record)["ends_local"] for record in feed.records] == ["2026-08-12T11:00:00", "2026-08-26T15:00:00"]


@pytest.mark.parametrize(
    "schedule",
    [
        {"repeatFrequency": "P1D", "byMonth": 2, "byMonthDay": 31},
        {"repeatFrequency": "P1M", "byMonth": 13},
        {"startDate": "9999-12-31", "startTime": "23:30", "duration": "PT2H"},
        {"startDate": "8999-12-31", "startTime": "23:30", "duration": "P9999W", "repeatFrequency": "P1Y"},
    ],
)
def test_a_schedule_without_any_date_takes_no_longer_than_others(
    read_jsonld: ReadJsonld, schedule: dict[str, Any]
) -> None:
    began = time.process_time()
    stated = {"startDate": "2026-08-12", "startTime": "10:00", "@type": "Schedule"} | schedule
    feed = read_jsonld(*(event(**{"@id": f"https://a.example/{n}"}, eventSchedule=stated) for n in range(20)))
    assert len(feed.records) + feed.quarantined == 20
    assert time.process_time() - began < 10
