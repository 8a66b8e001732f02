"""Series of iCalendar that no rule of ours says as it stands: in UTC, of several rules, changed from a date on."""

import pytest

from pipeline.clean.feed_read import FeedRead
from pipeline.records.record import EventRecord
from tests.pipeline.fetch.calendars import ODD_OFFSET, event
from tests.pipeline.fetch.instants import METRO_ZONE, ReadIcs, list_instants, read_event


def test_an_endless_series_in_utc_repeats_by_the_clock_of_the_metro(read_ics: ReadIcs) -> None:
    lines = ("DTSTART:20261028T020000Z", "RRULE:FREQ=WEEKLY;BYDAY=WE,FR", "EXDATE:20261106T020000Z")
    record = read_event(read_ics(event(*lines)))
    assert (record.rrule, record.timezone) == ("FREQ=WEEKLY;BYDAY=TU,TH", METRO_ZONE)
    assert list_instants(record)[:4] == ["10-28 02:00", "10-30 02:00", "11-04 03:00", "11-11 03:00"]


def list_notes(feed: FeedRead) -> list[tuple[str | None, str, str | None]]:
    problems = [problem for problem in feed.problems if not problem.quarantined]
    return [(problem.field, problem.reason.partition(":")[0], problem.value) for problem in problems]


@pytest.mark.parametrize(
    ("line", "clock"), [("", METRO_ZONE), ("X-WR-TIMEZONE:America/New_York\n", "America/New_York")]
)
def test_an_endless_series_in_utc_has_the_clock_that_its_calendar_or_the_metro_names(
    read_ics: ReadIcs, line: str, clock: str
) -> None:
    feed = read_ics(line + event("DTSTART:20261028T160000Z", "RRULE:FREQ=WEEKLY"))
    record = read_event(feed)
    assert record.timezone == clock
    assert list_instants(record)[:3] == ["10-28 16:00", "11-04 17:00", "11-11 17:00"]
    assert list_notes(feed) == [("timezone", "assumed", "DTSTART:20261028T160000Z")]


def test_one_date_in_utc_assumes_no_clock(read_ics: ReadIcs) -> None:
    feed = read_ics(event("DTSTART:20261028T160000Z"))
    assert str(read_event(feed).starts_local) == "2026-10-28 09:00:00"
    assert list_notes(feed) == []


def test_an_endless_series_in_utc_that_no_rule_says_here_has_its_dates(read_ics: ReadIcs) -> None:
    """The last Wednesdays of UTC are Tuesdays in Seattle, and not always the last."""
    record = read_event(read_ics(event("DTSTART:20260930T020000Z", "RRULE:FREQ=MONTHLY;BYDAY=-1WE")))
    starts = list_instants(record)
    assert starts[:4] == ["09-30 02:00", "10-28 02:00", "11-25 03:00", "12-30 03:00"]
    assert len(starts) == 16


def test_two_endless_rules_are_both_followed(read_ics: ReadIcs) -> None:
    weekdays = read_event(read_ics(event("DTSTART:20260803T090000", "RRULE:FREQ=WEEKLY;BYDAY=MO",
        "RRULE:FREQ=WEEKLY;BYDAY=WE,MO")))  # fmt: skip
    assert (weekdays.rrule, weekdays.rdates) == ("FREQ=WEEKLY;BYDAY=MO,WE", ())
    feed = read_ics(event("DTSTART:20260803T090000", "RRULE:FREQ=WEEKLY", "RRULE:FREQ=MONTHLY;BYMONTHDAY=3,5"))
    starts = list_instants(read_event(feed))
    assert starts[:5] == ["08-03 16:00", "08-05 16:00", "08-10 16:00", "08-17 16:00", "08-24 16:00"]
    assert [start for start in starts if start.startswith("12-")][:6] == [
        "12-03 17:00", "12-05 17:00", "12-07 17:00", "12-14 17:00", "12-21 17:00", "12-28 17:00",
    ]  # fmt: skip
    # A thousand dates of the second, of those that the first does not have.
    assert list_notes(feed) == [("rrule", "too_long", "20750405T090000")]


def test_an_endless_series_that_changes_goes_on_as_it_says_then(read_ics: ReadIcs) -> None:
    body = event("DTSTART:20260804T090000", "RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU") + "\n" + event(
        "DTSTART:20260824T100000", "RECURRENCE-ID;RANGE=THISANDFUTURE:20260823T090000", "SUMMARY:Later"
    )  # fmt: skip
    before, after = read_ics(body).records
    assert list_instants(before) == ["08-04 16:00", "08-09 16:00", "08-18 16:00"]
    assert isinstance(after, EventRecord)
    # Weeks that began on Mondays begin on Tuesdays.
    assert (after.rrule, after.exdates, after.rdates) == ("FREQ=WEEKLY;INTERVAL=2;BYDAY=WE,MO;WKST=TU", (), ())
    assert list_instants(after)[:4] == ["08-24 17:00", "09-02 17:00", "09-07 17:00", "09-16 17:00"]
    daily = event("DTSTART:20260801T090000", "RRULE:FREQ=DAILY")
    later = event("DTSTART:20260804T100000", "RECURRENCE-ID;RANGE=THISANDFUTURE:20260802T090000")
    _, after = read_ics(f"{daily}\n{later}").records
    assert isinstance(after, EventRecord)
    assert (after.rrule, after.exdates, after.rdates) == ("FREQ=DAILY", (), ())


def test_a_series_that_is_cancelled_from_a_date_on_ends_there(read_ics: ReadIcs) -> None:
    after = event("DTSTART:20260803T090000", "RECURRENCE-ID;RANGE=THISANDFUTURE:20260803T090000", "STATUS:CANCELLED")
    series, cancelled = read_ics(event("DTSTART:20260801T090000", "RRULE:FREQ=DAILY") + "\n" + after).records
    assert list_instants(series) == ["08-01 16:00", "08-02 16:00"]
    assert (cancelled.status, cancelled.reason) == ("archived", "cancelled")


def test_what_costs_a_date_alone_is_said(read_ics: ReadIcs) -> None:
    feed = read_ics(event("DTSTART:20260801T090000", "RRULE:FREQ=DAILY;COUNT=3",
        "EXDATE:soon,20260802T100000,20260803T090000", "EXDATE;VALUE=DATE:20260802,20260809",
        "RDATE;TZID=Nowhere:20260804T090000"))  # fmt: skip
    assert list_instants(read_event(feed)) == ["08-01 16:00"]
    assert list_notes(feed) == [
        ("rdates", "unknown_word", "RDATE:20260804T090000"), ("exdates", "wrong_type", "EXDATE:soon"),
        ("exdates", "contradictory", "EXDATE:20260802T100000"), ("exdates", "contradictory", "EXDATE:20260809T000000"),
    ]  # fmt: skip


@pytest.mark.parametrize("starts", ["T090000", "T000000"])
def test_a_day_of_exdate_takes_the_series_date_and_the_added_ones(read_ics: ReadIcs, starts: str) -> None:
    lines = (f"DTSTART:20260801{starts}", "RRULE:FREQ=DAILY;COUNT=2", "RDATE:20260802T180000,20260803T180000")
    feed = read_ics(event(*lines, "EXDATE;VALUE=DATE:20260802"))
    hour = int(starts[1:3]) + 7
    assert list_instants(read_event(feed)) == [f"08-01 {hour:02}:00", "08-04 01:00"]
    assert list_notes(feed) == []


def test_a_midnight_of_exdate_takes_the_date_at_midnight_alone(read_ics: ReadIcs) -> None:
    lines = ("DTSTART:20260801T000000", "RRULE:FREQ=DAILY;COUNT=2", "RDATE:20260802T180000")
    feed = read_ics(event(*lines, "EXDATE:20260802T000000"))
    assert list_instants(read_event(feed)) == ["08-01 07:00", "08-03 01:00"]


@pytest.mark.parametrize(
    ("lines", "note"),
    [
        (("DTSTART;VALUE=DATE:20260101T100000",), ("date_on", "contradictory", "DTSTART:20260101T100000")),
        (("DTSTART;VALUE=DATE:20260101T000000",), None),
        (("DTSTART:20260101T100000", "DTEND:soon"), ("ends_local", "wrong_type", "DTEND:soon")),
        (("DTSTART:20260101T100000", "DURATION:P1H"), ("ends_local", "wrong_type", "DURATION:P1H")),
        (("DTSTART:20260101T100000", "DURATION:P999999W"), ("ends_local", "out_of_range", "DURATION:P999999W")),
        (
            ("DTSTART:20260101T100000", "RECURRENCE-ID:19700102T010000Z", "RRULE:FREQ=WEEKLY"),
            ("rrule", "assumed", "RECURRENCE-ID:19700102T010000Z"),
        ),
        (
            ("DTSTART:20260101T100000", "DURATION:PT1H", "RDATE;VALUE=PERIOD:20260102T100000/long"),
            ("rdates", "wrong_type", "RDATE:20260102T100000/long"),
        ),
    ],
)
def test_what_is_read_otherwise_than_it_is_written_is_said(
    read_ics: ReadIcs, lines: tuple[str, ...], note: tuple[str, str, str] | None
) -> None:
    assert list_notes(read_ics(event(*lines))) == ([note] if note else [])


def test_an_endless_series_at_an_offset_repeats_by_the_clock_of_the_metro(read_ics: ReadIcs) -> None:
    feed = read_ics(event("DTSTART;TZID=GMT-0615:20260811T090000", "RRULE:FREQ=WEEKLY"))
    assert list_instants(read_event(feed))[:2] == ["08-11 15:15", "08-18 15:15"]
    assert list_notes(feed) == [("timezone", "assumed", "DTSTART:20260811T090000")]


def test_an_endless_series_by_a_zone_of_the_file_alone_repeats_by_the_clock_of_the_metro(read_ics: ReadIcs) -> None:
    feed = read_ics(ODD_OFFSET + event("DTSTART;TZID=Island:20260811T090000", "RRULE:FREQ=WEEKLY"))
    assert list_instants(read_event(feed))[:2] == ["08-11 15:15", "08-18 15:15"]


def test_a_zone_that_nothing_explains_is_reported_by_its_name(read_ics: ReadIcs) -> None:
    (problem,) = read_ics(event("DTSTART;TZID=Island:20260811T090000")).problems
    assert problem.reason.startswith('unknown_word: TZID "Island" is no zone')


def test_a_rule_that_says_a_part_twice_says_it_once_in_the_record(read_ics: ReadIcs) -> None:
    record = read_event(read_ics(event("DTSTART:20260101T100000", "RRULE:FREQ=DAILY;UNTIL=20260103;FREQ=DAILY")))
    assert record.rrule == "FREQ=DAILY;UNTIL=20260103"
    twice = read_ics(event("DTSTART:20260101T100000", "RRULE:FREQ=DAILY;COUNT=2;COUNT=3"))
    assert list_instants(read_event(twice)) == ["01-01 18:00"]


@pytest.mark.parametrize(
    ("lines", "note"),
    [
        (("DTSTART:20260510T090000", "RRULE:FREQ=DAILY;UNTIL=20260517T090000Z"),
            ("rrule", "assumed", "FREQ=DAILY;UNTIL=20260517T090000Z")),
        (("DTSTART:20261203T020000Z", "RRULE:FREQ=WEEKLY;BYDAY=WE"),
            ("timezone", "assumed", "DTSTART:20261203T020000Z")),
        (("DTSTART;TZID=America/New_York:20261202T170000Z",),
            ("timezone", "contradictory", "DTSTART:20261202T170000Z")),
        (("DTSTART;TZID=UTC:20261202T170000Z",), None),
        (("DTSTART:20260510T090000", "RRULE:FREQ=DAILY;COUNT=1", "EXDATE:20260510T090000"),
            ("exdates", "contradictory", "EXDATE:20260510T090000")),
        (("DTSTART:20260510T090000", "RRULE:FREQ=DAILY;COUNT=2", "EXDATE:20260510T090000"), None),
        (("DTSTART:20260510T090000", "GEO:-122.3;47.6"), ("location", "assumed", "GEO:-122.3;47.6")),
        (("DTSTART:20260510T090000", "GEO:x"), ("location", "wrong_type", "GEO:x")),
        (("DTSTART:20260510T090000", "GEO:91;181"), ("location", "wrong_type", "GEO:91;181")),
        (("DTSTART:20260510T090000", "GEO:0;0"), None),
    ],
)  # fmt: skip
def test_what_is_assumed_or_left_out_of_an_event_is_said(
    read_ics: ReadIcs, lines: tuple[str, ...], note: tuple[str, str, str] | None
) -> None:
    assert list_notes(read_ics(event(*lines))) == ([note] if note else [])


def test_a_point_that_is_possible_the_other_way_round_alone_is_that(read_ics: ReadIcs) -> None:
    points = ("GEO:-122.3;47.6", "GEO:47.6;-122.3", "GEO:x", "GEO:91;181")
    lines = "\n".join(event("DTSTART:20260510T090000", point, uid=point) for point in points)
    locations = [record.location for record in read_ics(lines).records if isinstance(record, EventRecord)]
    assert [(location.lat, location.lng) if location else None for location in locations] == [
        (47.6, -122.3), (47.6, -122.3), None, None,
    ]  # fmt: skip


def test_events_that_share_a_uid_are_events_of_their_own(read_ics: ReadIcs) -> None:
    talks = [("T090000", "Story time", 2), ("T100000", "Story time", 2), ("T090000", "Talk", 2), ("T080000", "Old", 1)]
    body = "\n".join(
        event(f"DTSTART:20260811{time}", f"SUMMARY:{name}", f"DTSTAMP:2026070{day}T000000Z").replace(
            "SUMMARY:Story time\n", "", 1
        )
        for time, name, day in [talks[3], talks[0], talks[0], *talks[1:3]]
    )
    feed = read_ics(body)
    assert [(record.name, *list_instants(record)) for record in feed.records] == [
        ("Story time", "08-11 16:00"), ("Story time", "08-11 17:00"), ("Talk", "08-11 16:00"),
    ]  # fmt: skip
    first, *others = [record.source_id for record in feed.records]
    assert first == "u"
    assert len({*others}) == 2
    assert all(name.startswith("u/") for name in others)
    assert list_notes(feed) == [("source_id", "assumed", "UID:u")] * 2
    turned = read_ics("\n".join(reversed(body.split("\n\n"))))
    assert len(turned.records) == 3


QUOTED = """BEGIN:VEVENT
UID:q
DTSTART:20260811T090000
SUMMARY;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:=C3=84rger =
am See: ja
DESCRIPTION;ENCODING=QUOTED-PRINTABLE:Line=0D=0Atwo =E2=82=AC 5, a\\, b
LOCATION;ENCODING=8BIT:=C3=84
END:VEVENT"""


def test_quoted_printable_is_decoded(read_ics: ReadIcs) -> None:
    record = read_event(read_ics(QUOTED))
    assert (record.name, record.description) == ("Ärger am See: ja", "Line\ntwo € 5, a, b")
    assert record.location is not None
    assert record.location.address == "=C3=84"


def test_an_event_that_is_not_closed_is_read_and_reported(read_ics: ReadIcs) -> None:
    feed = read_ics(event("DTSTART:20260811T090000").removesuffix("END:VEVENT"))
    assert read_event(feed).name == "Story time"
    assert [problem.reason.partition(":")[0] for problem in feed.problems] == ["assumed"]
