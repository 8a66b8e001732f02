"""Events as iCalendar, read back by another reader: the same events, at the same times, whatever they are called."""

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from dateutil.rrule import rruleset, rrulestr
from icalendar import Calendar, Component

from outings.contract.errors import ApiError
from tests.pipeline.city import City, make_event, make_place

ZONE = ZoneInfo("America/Los_Angeles")
PATH = "/v1/seattle/events.ics"


def build(folder: Path, *events: dict[str, Any], settings: str = "") -> City:
    city = City(folder)
    city.settings["samples"] = settings
    city.write(events)
    city.build()
    return city


def read_calendar(city: City, request: str = PATH) -> Component:
    data = city.ask_bytes(request)
    assert all(len(line) <= 75 for line in data.split(b"\r\n"))
    assert b"\n" not in data.replace(b"\r\n", b"")
    calendar = Calendar.from_ical(data)
    assert not calendar.errors
    return calendar


def read_events(city: City, request: str = PATH) -> list[Component]:
    return list(read_calendar(city, request).walk("VEVENT"))


def read_event(folder: Path, **members: Any) -> Component:
    (event,) = read_events(build(folder, make_event("a", **members)))
    return event


def test_a_timed_event_is_in_its_zone_which_the_file_explains(tmp_path: Path) -> None:
    city = build(tmp_path, make_event("a", ends_local="2026-08-12T11:30:00"))
    calendar = read_calendar(city)
    (event,) = calendar.walk("VEVENT")
    assert event["DTSTART"].dt == datetime(2026, 8, 12, 10, tzinfo=ZONE)
    assert event["DTEND"].dt == datetime(2026, 8, 12, 11, 30, tzinfo=ZONE)
    assert event["DTSTART"].params["TZID"] == "America/Los_Angeles"
    (zone,) = calendar.walk("VTIMEZONE")
    offsets = {zone.to_tz().utcoffset(datetime(2026, month, 1)) for month in (1, 7)}
    assert offsets == {timedelta(hours=-8), timedelta(hours=-7)}


def test_a_calendar_says_how_often_to_ask_for_it(tmp_path: Path) -> None:
    calendar = read_calendar(build(tmp_path))
    assert calendar["REFRESH-INTERVAL"].dt == timedelta(hours=1)
    assert calendar["REFRESH-INTERVAL"].params["VALUE"] == "DURATION"
    assert str(calendar["X-PUBLISHED-TTL"]) == "PT1H"


def test_an_event_says_what_its_detail_says(tmp_path: Path) -> None:
    city = build(
        tmp_path,
        make_place("hall", name="Town Hall"),
        make_event(
            "a", place={"source_id": "hall"}, categories=["stem_discovery"], registration_url="https://a.example/x"
        ),
    )
    (event,) = read_events(city)
    (shown,) = city.ask("/v1/seattle/events")["data"]
    assert str(event["UID"]) == shown["id"]
    assert str(event["SUMMARY"]) == shown["name"]
    assert str(event["DESCRIPTION"]) == shown["description"]
    assert str(event["LOCATION"]) == "Town Hall, 1 Pine St"
    assert str(event["URL"]) == shown["registration_url"]
    assert (event["GEO"].latitude, event["GEO"].longitude) == (47.61, -122.33)
    assert event["CATEGORIES"].cats == ["stem_discovery"]
    assert f"{event['LAST-MODIFIED'].dt:%Y-%m-%dT%H:%M:%SZ}" == shown["updated_at"]
    assert event["DTSTAMP"].dt == event["LAST-MODIFIED"].dt


TEXTS = [
    'A "quoted", name; with \\ and: colons',
    "two\nlines\r\nand three",
    "é" * 100,
    "日本" * 60,
    "x" * 75,
    "🎈" * 40,
]


def test_any_text_comes_back_as_it_was(tmp_path: Path) -> None:
    city = build(tmp_path, *(make_event(f"{number}", description=text) for number, text in enumerate(TEXTS)))
    shown = {item["id"]: item["description"].replace("\r\n", "\n") for item in city.ask("/v1/seattle/events")["data"]}
    assert len(shown) == len(TEXTS)
    assert {str(event["UID"]): str(event["DESCRIPTION"]) for event in read_events(city)} == shown


def test_an_event_without_a_clock_time_is_of_whole_days(tmp_path: Path) -> None:
    event = read_event(tmp_path, starts_local=None, date_on="2026-08-12")
    assert event["DTSTART"].dt == date(2026, 8, 12)
    assert "DTEND" not in event


@pytest.mark.parametrize("ends", ["2026-08-14T18:00:00", "2026-08-15T00:00:00"])
def test_days_end_on_the_day_after_the_last(tmp_path: Path, ends: str) -> None:
    stated = make_event("a", starts_local="2026-08-12T00:00:00", ends_local=ends, all_day=True)
    (event,) = read_events(build(tmp_path, stated, settings='spans = "first"'))
    assert (event["DTSTART"].dt, event["DTEND"].dt) == (date(2026, 8, 12), date(2026, 8, 15))


def test_a_dateless_event_is_in_no_calendar(tmp_path: Path) -> None:
    city = build(tmp_path, make_event("a", starts_local=None), make_event("b"))
    ids = ",".join(version.listing_id for version in city.read_versions())
    assert [str(event["SUMMARY"]) for event in read_events(city, f"{PATH}?ids={ids}")] == ["Event b"]


def test_it_takes_the_list_s_filters_and_has_all_its_pages(tmp_path: Path) -> None:
    events = [make_event(f"{n}", starts_local=f"2026-08-{12 + n % 9}T10:00:00") for n in range(120)]
    city = build(tmp_path, *events, make_event("free", price={"type": "free"}), make_event("adults", audience="adults"))
    assert len(read_events(city)) == 121
    (free,) = read_events(city, f"{PATH}?free=true")
    assert str(free["SUMMARY"]) == "Event free"
    assert len(read_events(city, f"{PATH}?from=2026-08-13&to=2026-08-13")) == 14
    assert [str(event["SUMMARY"]) for event in read_events(city, f"{PATH}?q=adults&audience=adults")] == [
        "Event adults"
    ]


def read_limit(city: City) -> object:
    with pytest.raises(ApiError) as raised:
        city.ask_bytes(PATH)
    assert (raised.value.status, raised.value.details["reason"]) == (400, "out_of_range")
    return raised.value.details["max"]


def test_more_than_a_calendar_is_good_for_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outings.answers.ical.MOST_EVENTS", 3)
    assert read_limit(build(tmp_path, *(make_event(f"{n}") for n in range(4)))) == 3


SERIES = {
    "weekly": {"rrule": "FREQ=WEEKLY;BYDAY=WE,SA"},
    "counted": {"rrule": "FREQ=DAILY;COUNT=9"},
    "until in utc": {"rrule": "FREQ=WEEKLY;UNTIL=20260910T170000Z"},
    "until a date": {"rrule": "FREQ=DAILY;INTERVAL=3;UNTIL=20260901"},
    "monthly": {"rrule": "FREQ=MONTHLY;BYDAY=2WE"},
    "last day": {"rrule": "FREQ=MONTHLY;BYMONTHDAY=-1"},
    "an anchor beside the rule": {"rrule": "FREQ=WEEKLY;BYDAY=MO"},
    "with exceptions": {"rrule": "FREQ=DAILY", "exdates": ["2026-08-14T10:00:00", "2026-08-20T10:00:00"]},
    "with additions": {"rrule": "FREQ=WEEKLY", "rdates": ["2026-08-15T10:00:00", "2026-08-16T18:30:00"]},
    "without its first date": {"rrule": "FREQ=WEEKLY", "exdates": ["2026-08-12T10:00:00"]},
    "without its first dates": {"rrule": "FREQ=DAILY", "exdates": ["2026-08-12T10:00", "2026-08-13T00:00"]},
    "without a first date beside its rule": {"rrule": "FREQ=WEEKLY;BYDAY=MO", "exdates": ["2026-08-12T10:00:00"]},
    "days without the first": {
        "starts_local": None, "date_on": "2026-08-12", "rrule": "FREQ=WEEKLY", "exdates": ["2026-08-12T00:00:00"],
    },
    "a first date in the gap": {"starts_local": "2026-03-08T02:30:00", "rrule": "FREQ=WEEKLY;INTERVAL=3"},
    "of one date that is excluded": {"rrule": "FREQ=WEEKLY;COUNT=1", "exdates": ["2026-08-12T10:00:00"]},
    "begins past the horizon": {"starts_local": "2029-08-12T10:00:00", "rrule": "FREQ=WEEKLY"},
    "of dates alone": {"rdates": ["2026-08-20T10:00:00", "2026-08-29T09:00:00"]},
    "a day left out": {"rrule": "FREQ=WEEKLY", "exdates": ["2026-08-19T00:00:00"], "rdates": ["2026-08-19T18:30:00"]},
    "in the gap": {"starts_local": "2026-08-12T02:30:00", "rrule": "FREQ=DAILY"},
    "begun long ago": {"starts_local": "2023-01-04T10:00:00", "rrule": "FREQ=WEEKLY"},
    "over": {"starts_local": "2026-07-01T10:00:00", "rrule": "FREQ=DAILY;COUNT=3"},
    "ends past the horizon": {"rrule": "FREQ=WEEKLY;UNTIL=20290101T000000Z"},
    "left out as far as is known": {"rrule": "FREQ=YEARLY", "exdates": ["2026-08-12T10:00:00", "2027-08-12T10:00:00"]},
    "not followed": {"rrule": "FREQ=DAILY;BYHOUR=9,15"},
    "of whole days": {"starts_local": None, "date_on": "2026-08-12", "rrule": "FREQ=WEEKLY;COUNT=6"},
    "many exceptions": {
        "rrule": "FREQ=DAILY",
        "exdates": [f"{date(2026, 8, 13) + timedelta(days=2 * n)}T10:00:00" for n in range(80)],
    },
}  # fmt: skip
# 2024-01-10 is 944 days before the build, 2028-01-05 is 513 after it: the lists know the days between.
EXCEPTIONS = {
    "starts_local": "2023-01-04T10:00:00",
    "rrule": "FREQ=WEEKLY",
    "exdates": ["2024-01-10T10:00:00", "2028-01-05T10:00:00"],
    "rdates": ["2024-01-11T10:00:00"],
}
# In winter the clock in Los Angeles is 8 hours behind UTC, in summer 7.
ENDS = {
    "UNTIL=20280101T090000": datetime(2028, 1, 1, 17),
    "UNTIL=20280701T090000": datetime(2028, 7, 1, 16),
    "UNTIL=20280101": datetime(2028, 1, 2, 7, 59, 59),
    "UNTIL=2028-01-01T09:00:00": datetime(2028, 1, 1, 17),
    "UNTIL=20280101T090000Z": datetime(2028, 1, 1, 9),
}
DAY_LEFT_OUT = {
    "starts_local": "2023-01-04T10:00:00",
    "rrule": "FREQ=WEEKLY",
    "exdates": ["2028-01-05T00:00:00"],
    "rdates": ["2028-01-05T18:30:00", "2028-01-06T18:30:00"],
}
DAYS = {"starts_local": None, "date_on": "2026-08-12"}
SERIES |= {f"end {number}": {"rrule": f"FREQ=WEEKLY;{end}"} for number, end in enumerate(ENDS)}
# Over for more than the 400 days that lists know.
SERIES |= {
    "of dates long ago": {
        "starts_local": "2023-01-04T10:00:00", "exdates": ["2023-01-04T10:00:00"], "rdates": ["2023-01-05T10:00:00"],
    },
    "long over": {"starts_local": "2023-10-02T10:00:00", "rrule": "FREQ=WEEKLY;UNTIL=20240331;COUNT=-1;BYDAY=MO"},
    "over but for a date": {
        "starts_local": "2024-02-24T10:00:00", "rrule": "FREQ=DAILY;COUNT=23", "rdates": ["2026-09-05T10:00:00"],
    },
    "days long over": {
        "starts_local": None, "date_on": "2023-10-02", "rrule": "FREQ=WEEKLY;UNTIL=20240331;COUNT=-1;INTERVAL=4",
    },
}  # fmt: skip
SERIES |= {"far exceptions": EXCEPTIONS, "a far day left out": DAY_LEFT_OUT}
SERIES |= {"days to 2028": {**DAYS, "rrule": "FREQ=WEEKLY;UNTIL=2028-01-01"}}
WINDOWS = [(date(2026, 7, 1), 90), (date(2027, 2, 20), 31)]


def expand(component: Component) -> Iterator[datetime]:
    """A reader's own expansion, in local time, from far before to far after. DTSTART counts whatever the rule says."""
    anchor = read_local(component["DTSTART"].dt)
    if "RRULE" not in component:
        yield anchor
        return
    dates = rruleset()
    dates.rdate(anchor)
    dates.rrule(rrulestr(write_rule(component), dtstart=anchor))
    for name, add in (("EXDATE", dates.exdate), ("RDATE", dates.rdate)):
        if name in component:
            for value in component[name].dts:
                add(read_local(value.dt))
    yield from dates.between(datetime(2020, 1, 1), datetime(2027, 6, 1), inc=True)


def read_local(value: datetime | date) -> datetime:
    return value.replace(tzinfo=None) if isinstance(value, datetime) else datetime.combine(value, datetime.min.time())


def write_rule(component: Component) -> str:
    """Write a rule with its end in local time, as its dates are here."""
    text = component["RRULE"].to_ical().decode()
    if "UNTIL" not in text or not isinstance(component["DTSTART"].dt, datetime):
        return text
    until = component["RRULE"]["UNTIL"][0].astimezone(ZONE)
    kept = [part for part in text.split(";") if not part.startswith("UNTIL")]
    return ";".join([*kept, f"UNTIL={until:%Y%m%dT%H%M%S}"])


@pytest.fixture(scope="module")
def series(tmp_path_factory: pytest.TempPathFactory) -> City:
    events = [make_event(name, **{"name": name, "ends_local": None, **members}) for name, members in SERIES.items()]
    return build(tmp_path_factory.mktemp("series"), *events)


def find_id(city: City, name: str) -> str:
    (row_id,) = (version.listing_id for version in city.read_versions() if version.slug == name.replace(" ", "-"))
    return row_id


@pytest.fixture(scope="module")
def listed(series: City) -> dict[date, list[tuple[str, str]]]:
    """The ids and starts that lists show in each window, by its first day."""
    shown: dict[date, list[tuple[str, str]]] = {first: [] for first, _ in WINDOWS}
    for first, days in WINDOWS:
        for start in range(0, days, 30):
            window = f"from={first + timedelta(days=start)}&to={first + timedelta(days=min(start + 29, days - 1))}"
            body = series.ask(f"/v1/seattle/events?occurrences=expand&limit=200&{window}")
            shown[first] += [(item["id"], item["occurrence"]["starts_local"]) for item in body["data"]]
            assert not body["meta"]["has_more"]
    return shown


@pytest.mark.parametrize("name", SERIES)
def test_a_series_is_the_dates_that_the_list_shows(
    series: City, listed: dict[date, list[tuple[str, str]]], name: str
) -> None:
    row_id = find_id(series, name)
    dates = sorted({value for component in read_events(series, f"{PATH}?ids={row_id}") for value in expand(component)})
    for first, days in WINDOWS:
        start, last = (datetime.combine(first + timedelta(days=at), datetime.min.time()) for at in (0, days))
        expected = [f"{entry:%Y-%m-%dT%H:%M:%S}" for entry in dates if start <= entry < last]
        assert [starts for shown_id, starts in listed[first] if shown_id == row_id] == expected


def test_a_series_that_a_rule_says_is_one_entry_and_its_uid_the_event_s(series: City) -> None:
    row_id = find_id(series, "with exceptions")
    (event,) = read_events(series, f"{PATH}?ids={row_id}")
    assert str(event["UID"]) == row_id
    assert len(event["EXDATE"].dts) == 2


def test_an_end_in_utc_is_the_last_date_itself(series: City) -> None:
    (event,) = read_events(series, f"{PATH}?ids={find_id(series, 'counted')}")
    assert event["RRULE"]["UNTIL"] == [datetime(2026, 8, 20, 17, tzinfo=ZoneInfo("UTC"))]
    assert "COUNT" not in event["RRULE"]


def test_a_series_whose_rule_is_not_followed_is_its_first_date(series: City) -> None:
    row_id = find_id(series, "not followed")
    (event,) = read_events(series, f"{PATH}?ids={row_id}")
    assert (str(event["UID"]), "RRULE" in event) == (row_id, False)


def test_exceptions_beyond_what_the_build_lists_are_said_too(series: City) -> None:
    (event,) = read_events(series, f"{PATH}?ids={find_id(series, 'far exceptions')}")
    assert [value.dt for value in event["EXDATE"].dts] == [
        datetime(2024, 1, 10, 10, tzinfo=ZONE),
        datetime(2028, 1, 5, 10, tzinfo=ZONE),
    ]
    assert [value.dt for value in event["RDATE"].dts] == [datetime(2024, 1, 11, 10, tzinfo=ZONE)]


def test_a_day_that_is_left_out_beyond_what_the_build_lists_has_no_added_date_either(series: City) -> None:
    (event,) = read_events(series, f"{PATH}?ids={find_id(series, 'a far day left out')}")
    assert datetime(2028, 1, 5, 10, tzinfo=ZONE) in [value.dt for value in event["EXDATE"].dts]
    assert [value.dt for value in event["RDATE"].dts] == [datetime(2028, 1, 6, 18, 30, tzinfo=ZONE)]


@pytest.mark.parametrize("name", ["of one date that is excluded", "of dates long ago"])
def test_a_series_of_which_every_known_date_is_excluded_is_in_no_calendar(series: City, name: str) -> None:
    assert read_events(series, f"{PATH}?ids={find_id(series, name)}") == []


@pytest.mark.parametrize(("number", "end"), list(enumerate(ENDS)))
def test_an_end_beyond_the_horizon_is_the_same_instant_in_utc(series: City, number: int, end: str) -> None:
    (event,) = read_events(series, f"{PATH}?ids={find_id(series, f'end {number}')}")
    assert event["RRULE"]["UNTIL"] == [ENDS[end].replace(tzinfo=ZoneInfo("UTC"))]


def test_days_that_end_beyond_the_horizon_end_on_the_day_that_is_written(series: City) -> None:
    (event,) = read_events(series, f"{PATH}?ids={find_id(series, 'days to 2028')}")
    assert event["RRULE"]["UNTIL"] == [date(2028, 1, 1)]


def test_a_series_that_is_long_over_ends_as_its_source_says(series: City) -> None:
    (timed,) = read_events(series, f"{PATH}?ids={find_id(series, 'long over')}")
    assert timed["RRULE"].to_ical() == b"FREQ=WEEKLY;UNTIL=20240401T065959Z;BYDAY=MO"
    (days,) = read_events(series, f"{PATH}?ids={find_id(series, 'days long over')}")
    assert days["RRULE"].to_ical() == b"FREQ=WEEKLY;UNTIL=20240331;INTERVAL=4"


def test_a_calendar_reads_no_date_of_a_series_that_a_rule_says(series: City, monkeypatch: pytest.MonkeyPatch) -> None:
    """A series over 400 days costs as much as one over four."""
    read: list[int] = []
    monkeypatch.setattr(
        "outings.answers.documents.occurrences.Series.read_moment", lambda _, number: read.append(number)
    )
    assert read_events(series, f"{PATH}?ids={find_id(series, 'weekly')},{find_id(series, 'far exceptions')}")
    assert read == []


def test_more_bytes_than_a_calendar_is_good_for_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A series that no rule describes repeats its texts on each date."""
    dates = {**SERIES["of dates alone"], "description": "Stories and songs. " * 50}
    city = build(tmp_path, make_event("a", **dates), make_event("b", rrule="FREQ=DAILY"))
    size = len(city.ask_bytes(PATH))
    monkeypatch.setattr("outings.answers.ical.MOST_BYTES", size)
    assert len(read_events(city)) == 4
    monkeypatch.setattr("outings.answers.ical.MOST_BYTES", size // 2)
    assert read_limit(city) == size // 2


def test_a_build_on_another_day_says_series_as_one_from_nothing_does(tmp_path: Path) -> None:
    """Lists show only the near dates of a series, but its rule does not change with the day."""
    events = [make_event(name, **{"name": name, "ends_local": None, **members}) for name, members in SERIES.items()]
    files = []
    for name, days in (("twice", ("2026-08-10", "2027-06-01")), ("once", ("2027-06-01",))):
        (tmp_path / name).mkdir()
        city = City(tmp_path / name)
        city.write(events)
        for day in days:
            city.build(day)
        text = city.ask_bytes(f"{PATH}?from=2027-06-01&to=2027-06-30", day="2027-06-01").decode()
        files.append(re.sub(r"(DTSTAMP|LAST-MODIFIED|CREATED):\S+", "", text))
    assert files[0] == files[1]
    assert files[0].count("RRULE:") > 20


def test_an_end_past_the_horizon_at_a_local_midnight_keeps_its_day(tmp_path: Path) -> None:
    """13 December 2028 is a Wednesday, as the first date is."""
    event = read_event(tmp_path, rrule="FREQ=WEEKLY;UNTIL=20281213T080000Z")
    assert event["RRULE"]["UNTIL"] == [datetime(2028, 12, 14, 7, 59, 59, tzinfo=ZoneInfo("UTC"))]


def test_a_series_of_days_ends_past_the_horizon_on_the_day_that_begins_at_a_local_midnight(tmp_path: Path) -> None:
    """2 January begins in Berlin at 23:00 UTC of the day before."""
    city = City(tmp_path, timezone="Europe/Berlin")
    city.write([make_event("a", **DAYS, rrule="FREQ=DAILY;UNTIL=20280101T230000Z")])
    city.build()
    (event,) = read_events(city)
    assert event["RRULE"]["UNTIL"] == [date(2028, 1, 2)]


def test_dates_that_no_rule_says_are_entries_by_their_keys(tmp_path: Path) -> None:
    city = build(tmp_path, make_event("a", **SERIES["of dates alone"]))
    body = city.ask("/v1/seattle/events?occurrences=expand")
    events = read_events(city)
    assert [str(event["UID"]) for event in events] == [item["occurrence"]["key"] for item in body["data"]]
    assert len(events) == 3
