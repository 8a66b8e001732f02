"""Series of events: the examples of RFC 5545, our rulings on gaps, counts and horizons, and dateutil as the judge."""

import re
from datetime import date, datetime, time, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from dateutil.rrule import rrulestr
from hypothesis import given
from hypothesis import strategies as st

from outings.contract.values import read_local
from pipeline.dates.zones import find_zone
from tests.pipeline.dates.expanding import HORIZON, NINE, at, expand, list_occurrences, read_starts

EPOCH = datetime(1970, 1, 1)

# As RFC 5545 lists them (3.8.5.3), and four more of its rules read off a calendar; from 2 September 1997 in New York.
STANDARD = [
    ("FREQ=DAILY;COUNT=10", "1997-09-02 3 4 5 6 7 8 9 10 11"),
    ("FREQ=DAILY;INTERVAL=10;COUNT=5", "1997-09-02 12 22;1997-10-02 12"),
    ("FREQ=WEEKLY;COUNT=10", "1997-09-02 9 16 23 30;1997-10-07 14 21 28;1997-11-04"),
    ("FREQ=WEEKLY;UNTIL=19971007T000000Z;WKST=SU;BYDAY=TU,TH", "1997-09-02 4 9 11 16 18 23 25 30;1997-10-02"),
    ("FREQ=WEEKLY;COUNT=10;WKST=SU;BYDAY=TU,TH", "1997-09-02 4 9 11 16 18 23 25 30;1997-10-02"),
    ("FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH", "1997-09-02 4 16 18 30;1997-10-02 14 16"),
    ("FREQ=MONTHLY;COUNT=10;BYMONTHDAY=2,15",
     "1997-09-02 15;1997-10-02 15;1997-11-02 15;1997-12-02 15;1998-01-02 15"),
    ("FREQ=YEARLY;COUNT=10;BYMONTH=6,7",
     "1997-09-02;1998-06-02;1998-07-02;1999-06-02;1999-07-02;2000-06-02;2000-07-02;2001-06-02;2001-07-02;2002-06-02"),
    ("FREQ=MONTHLY;BYDAY=TU,WE,TH;BYSETPOS=3;COUNT=4", "1997-09-02 4;1997-10-07;1997-11-06"),
    ("FREQ=MONTHLY;BYMONTHDAY=-3;COUNT=4", "1997-09-02 28;1997-10-29;1997-11-28"),
    ("FREQ=MONTHLY;COUNT=4;BYDAY=1FR", "1997-09-02 5;1997-10-03;1997-11-07"),
]  # fmt: skip


@pytest.mark.parametrize(("rrule", "starts"), STANDARD, ids=[rule for rule, _ in STANDARD])
def test_the_standards_examples_have_the_dates_that_it_lists(rrule: str, starts: str) -> None:
    expansion = expand(
        datetime(1997, 9, 2, 9), rrule, timezone="America/New_York", horizon=(date(1997, 1, 1), date(2010, 1, 1))
    )
    assert read_starts(expansion) == at(starts)
    assert expansion.total == len(at(starts))
    assert [occurrence.index for occurrence in list_occurrences(expansion)] == list(range(1, len(at(starts)) + 1))


CASES: list[tuple[str, dict[str, Any], str, int | None]] = [
    ("a rule that does not name the anchor has it all the same", {"rrule": "FREQ=WEEKLY;BYDAY=TU;UNTIL=20260818"},
     "2026-08-10 11 18", 3),
    ("and counts it as the first", {"rrule": "FREQ=WEEKLY;BYDAY=TU;COUNT=3"}, "2026-08-10 11 18", 3),
    ("count 1", {"rrule": "FREQ=DAILY;COUNT=1"}, "2026-08-10", 1),
    ("until before the anchor", {"rrule": "FREQ=DAILY;UNTIL=20260101"}, "2026-08-10", 1),
    ("a date as until holds its day", {"rrule": "FREQ=DAILY;UNTIL=20260812"}, "2026-08-10 11 12", 3),
    ("a local until is inclusive", {"rrule": "FREQ=DAILY;UNTIL=20260812T090000"}, "2026-08-10 11 12", 3),
    ("and a second less is not", {"rrule": "FREQ=DAILY;UNTIL=20260812T085959"}, "2026-08-10 11", 2),
    ("until in UTC is 9:00 here", {"rrule": "FREQ=DAILY;UNTIL=20260812T160000Z"}, "2026-08-10 11 12", 3),
    ("until in UTC is 8:59:59 here", {"rrule": "FREQ=DAILY;UNTIL=20260812T155959Z"}, "2026-08-10 11", 2),
    ("midnight in UTC is the evening before here", {"rrule": "FREQ=DAILY;UNTIL=20260812T000000Z"}, "2026-08-10 11", 2),
    ("until and count: what comes first", {"rrule": "FREQ=DAILY;UNTIL=20260812;COUNT=2"}, "2026-08-10 11", 2),
    ("count and until: what comes first", {"rrule": "FREQ=DAILY;UNTIL=20260811;COUNT=9"}, "2026-08-10 11", 2),
    ("an excluded date", {"rrule": "FREQ=DAILY;COUNT=4", "exdates": at("2026-08-11")}, "2026-08-10 12 13", 3),
    ("an excluded anchor", {"rrule": "FREQ=DAILY;COUNT=3", "exdates": at("2026-08-10")}, "2026-08-11 12", 2),
    ("an exclusion by date alone", {"rrule": "FREQ=DAILY;COUNT=3", "exdates": [datetime(2026, 8, 11)]},
     "2026-08-10 12", 2),
    ("an exclusion at another time", {"rrule": "FREQ=DAILY;COUNT=2", "exdates": [datetime(2026, 8, 11, 10)]},
     "2026-08-10 11", 2),
    ("an added date", {"rrule": "FREQ=WEEKLY;COUNT=2", "rdates": at("2026-08-12")}, "2026-08-10 12 17", 3),
    ("an added date that is there already", {"rrule": "FREQ=DAILY;COUNT=2", "rdates": at("2026-08-11 11")},
     "2026-08-10 11", 2),
    ("an added and excluded date", {"rrule": "FREQ=DAILY;COUNT=1", "rdates": at("2026-08-12"),
     "exdates": at("2026-08-12")}, "2026-08-10", 1),
    ("an added date before the anchor is the first", {"rrule": "FREQ=DAILY;COUNT=1", "rdates": at("2026-08-01")},
     "2026-08-01 10", 2),
    ("added dates without a rule", {"rdates": at("2026-08-20 12")}, "2026-08-10 12 20", 3),
    ("microseconds", {"rrule": "FREQ=DAILY;COUNT=2", "exdates": [datetime(2026, 8, 11, 9, 0, 0, 7)]}, "2026-08-10", 1),
    ("a rule that never falls again", {"rrule": "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;COUNT=5"}, "2026-08-10", 1),
    ("a rule without an end that never falls again", {"rrule": "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"},
     "2026-08-10", None),
]  # fmt: skip


def cut_until(rrule: str | None) -> str | None:
    return rrule and re.sub("UNTIL=[^;]+", "UNTIL", rrule)


@pytest.mark.parametrize(("given", "starts", "total"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_series_is_its_anchor_rule_and_added_dates_less_the_excluded(
    given: dict[str, Any], starts: str, total: int | None
) -> None:
    expansion = expand(NINE, **given)
    assert read_starts(expansion) == sorted(at(starts))
    assert (expansion.total, expansion.is_recurring, expansion.problems) == (total, True, ())
    assert cut_until(expansion.rrule) == cut_until(given.get("rrule"))
    assert [occurrence.index for occurrence in list_occurrences(expansion)] == list(range(1, len(at(starts)) + 1))


def test_an_exclusion_by_date_alone_takes_all_of_that_day_but_a_midnight_that_is_a_date_itself_alone() -> None:
    evening, midnight = datetime(2026, 8, 11, 18), datetime(2026, 8, 11)
    rule = "FREQ=DAILY;COUNT=3"
    assert read_starts(expand(NINE, rule, rdates=[evening], exdates=[midnight])) == at("2026-08-10 12")
    added = expand(NINE, rule, rdates=[evening, midnight], exdates=[midnight])
    assert read_starts(added) == [NINE, *at("2026-08-11"), evening, *at("2026-08-12")]
    days = expand(datetime(2026, 8, 10), rule, rdates=[evening], exdates=[midnight])
    assert read_starts(days) == [datetime(2026, 8, 10), evening, datetime(2026, 8, 12)]


def test_everything_excluded_leaves_a_series_without_dates() -> None:
    expansion = expand(NINE, "FREQ=DAILY;COUNT=2", exdates=at("2026-08-10 11"))
    assert (read_starts(expansion), expansion.total, expansion.is_recurring) == ([], 0, True)
    assert expansion.anchor is not None
    assert expansion.anchor.starts_local == NINE


@pytest.mark.parametrize(
    "rrule", ["FREQ=SECONDLY", "FREQ=DAILY;BYHOUR=9,10", "FREQ=DAILY;BYHOUR=10", "FREQ=YEARLY;BYEASTER=0"]
)
def test_a_rule_that_we_do_not_follow_is_shown_on_its_first_date_and_reported(rrule: str) -> None:
    expansion = expand(NINE, rrule, rdates=at("2026-08-20"))
    assert (expansion.rrule, expansion.is_recurring, expansion.total) == (rrule, True, 1)
    assert (read_starts(expansion), expansion.problems) == ([NINE], ("recurrence_unsupported",))


@pytest.mark.parametrize("rrule", ["every day", "FREQ=DAILY;INTERVAL=0", "FREQ=WEEKLY;BYDAY=MON"])
def test_an_unreadable_rule_is_dropped_and_reported(rrule: str) -> None:
    expansion = expand(NINE, rrule, rdates=at("2026-08-20"))
    assert (expansion.rrule, expansion.is_recurring, expansion.total) == (None, False, 1)
    assert (read_starts(expansion), expansion.problems) == ([NINE], ("recurrence_unreadable",))


@pytest.mark.parametrize("rrule", [None, "", "  "])
@pytest.mark.parametrize("starts", [datetime(1900, 1, 1, 9), NINE, datetime(2199, 1, 1)])
def test_a_single_event_has_one_occurrence_at_any_date(starts: datetime, rrule: str | None) -> None:
    expansion = expand(starts, rrule, ends_local=starts + timedelta(hours=1), exdates=[starts])
    assert (expansion.rrule, expansion.is_recurring, expansion.total, expansion.problems) == (None, False, 1, ())
    [occurrence] = list_occurrences(expansion)
    assert (occurrence.index, occurrence.starts_local) == (1, starts)
    assert occurrence.ends_local == starts + timedelta(hours=1)
    assert expansion.anchor is not None
    assert (occurrence.starts_at, occurrence.ends_at) == (expansion.anchor.starts_at, expansion.anchor.ends_at)


@pytest.mark.parametrize(
    ("rrule", "recurring", "problems"),
    [
        (None, False, ()),
        ("FREQ=DAILY", True, ()),
        ("FREQ=SECONDLY", True, ("recurrence_unsupported",)),
        ("daily", False, ("recurrence_unreadable",)),
    ],
)
def test_a_dateless_event_has_no_occurrence(rrule: str | None, recurring: bool, problems: tuple[str, ...]) -> None:
    expansion = expand(None, rrule)
    assert (expansion.anchor, list_occurrences(expansion), expansion.total) == (None, [], None)
    assert (expansion.is_recurring, expansion.problems) == (recurring, problems)


def instant(local: datetime, offset_hours: int) -> int:
    return (local - timedelta(hours=offset_hours) - EPOCH) // timedelta(seconds=1)


def test_the_clock_time_holds_when_the_clocks_change() -> None:
    expansion = expand(datetime(2026, 10, 30, 9), "FREQ=DAILY;COUNT=4", ends_local=datetime(2026, 10, 30, 10, 30))
    assert [(one.starts_at, one.ends_at) for one in list_occurrences(expansion)] == [
        (instant(datetime(2026, 10, day, 9), -7), instant(datetime(2026, 10, day, 10, 30), -7)) for day in (30, 31)
    ] + [(instant(datetime(2026, 11, day, 9), -8), instant(datetime(2026, 11, day, 10, 30), -8)) for day in (1, 2)]


def test_a_night_over_the_change_lasts_as_long_by_the_clock() -> None:
    expansion = expand(datetime(2026, 10, 30, 22), "FREQ=DAILY;COUNT=3", ends_local=datetime(2026, 10, 31, 6))
    lasting = [((one.ends_at or 0) - one.starts_at) // 3600 for one in list_occurrences(expansion)]
    assert lasting == [8, 9, 8]
    assert all(
        one.ends_local is not None and one.ends_local - one.starts_local == timedelta(hours=8)
        for one in list_occurrences(expansion)
    )


def test_a_date_that_the_clocks_skip_does_not_exist_but_count_has_counted_it() -> None:
    """Such a date is 8 March 2026 at 2:30."""
    expansion = expand(datetime(2026, 3, 7, 2, 30), "FREQ=DAILY;COUNT=4")
    assert [(one.index, one.starts_local.day) for one in list_occurrences(expansion)] == [(1, 7), (2, 9), (3, 10)]
    assert expansion.total == 3


@pytest.mark.parametrize(
    "given", [{"rrule": "FREQ=DAILY;COUNT=2"}, {"rdates": [datetime(2026, 3, 9, 2, 30)]}], ids=["rule", "added date"]
)
def test_a_skipped_anchor_is_no_occurrence_of_its_series_but_the_row_shows_its_time(given: dict[str, Any]) -> None:
    expansion = expand(datetime(2026, 3, 8, 2, 30), **given)
    assert [(one.index, one.starts_local.day) for one in list_occurrences(expansion)] == [(1, 9)]
    assert expansion.anchor is not None
    assert expansion.anchor.starts_at == instant(datetime(2026, 3, 8, 2, 30), -8)


def test_a_skipped_added_date_does_not_exist() -> None:
    expansion = expand(datetime(2026, 3, 1, 9), rdates=[datetime(2026, 3, 8, 2, 30), datetime(2026, 3, 8, 3)])
    assert read_starts(expansion) == [datetime(2026, 3, 1, 9), datetime(2026, 3, 8, 3)]


def test_a_single_event_in_a_gap_is_by_the_offset_before_and_does_not_end_before_it_starts() -> None:
    [occurrence] = list_occurrences(expand(datetime(2026, 3, 8, 2, 30), ends_local=datetime(2026, 3, 8, 3)))
    assert occurrence.starts_at == occurrence.ends_at == instant(datetime(2026, 3, 8, 2, 30), -8)
    assert occurrence.ends_local == datetime(2026, 3, 8, 3)


def test_in_a_fold_it_is_the_first() -> None:
    expansion = expand(datetime(2026, 10, 25, 1, 30), "FREQ=WEEKLY;COUNT=2")
    assert [one.starts_at for one in list_occurrences(expansion)] == [
        instant(datetime(2026, 10, 25, 1, 30), -7), instant(datetime(2026, 11, 1, 1, 30), -7),
    ]  # fmt: skip


def test_a_date_without_a_clock_time_is_there_though_the_clocks_skip_its_midnight() -> None:
    """Chile's clocks went from 23:59:59 to 1:00 on 6 September 2026."""
    days = {"rrule": "FREQ=DAILY;COUNT=3", "timezone": "America/Santiago"}
    dates = expand(datetime(2026, 9, 5), has_time=False, **days)
    assert [one.starts_local.day for one in list_occurrences(dates)] == [5, 6, 7]
    assert [one.starts_local.day for one in list_occurrences(expand(datetime(2026, 9, 5), **days))] == [5, 7]


def test_a_day_that_a_country_skipped_is_no_date() -> None:
    """Samoa had no 30 December 2011."""
    horizon = (date(2011, 1, 1), date(2012, 12, 31))
    expansion = expand(
        datetime(2011, 12, 29), "FREQ=DAILY;COUNT=3", has_time=False, timezone="Pacific/Apia", horizon=horizon
    )
    assert [one.starts_local.day for one in list_occurrences(expansion)] == [29, 31]


def test_without_a_clock_time_exceptions_count_by_their_day() -> None:
    expansion = expand(
        datetime(2026, 8, 10), "FREQ=DAILY;COUNT=3", has_time=False,
        exdates=[datetime(2026, 8, 11, 9)], rdates=[datetime(2026, 8, 20, 18)],
    )  # fmt: skip
    assert read_starts(expansion) == [datetime(2026, 8, 10), datetime(2026, 8, 12), datetime(2026, 8, 20)]


def test_dates_outside_the_horizon_are_counted_but_not_listed() -> None:
    expansion = expand(datetime(1990, 1, 1, 9), "FREQ=DAILY")
    starts = read_starts(expansion)
    assert (starts[0], starts[-1], len(starts)) == (datetime(2025, 7, 6, 9), datetime(2027, 9, 14, 9), 801)
    # 13,000 days after the first one.
    assert list_occurrences(expansion)[0].index == (date(2025, 7, 6) - date(1990, 1, 1)).days + 1
    assert (expansion.total, expansion.problems) == (None, ())


def test_the_horizon_holds_both_its_days() -> None:
    days = (date(2026, 8, 11), date(2026, 8, 12))
    expansion = expand(datetime(2026, 8, 10, 23, 59, 59), "FREQ=DAILY;COUNT=9", horizon=days)
    assert [(one.index, one.starts_local.day) for one in list_occurrences(expansion)] == [(2, 11), (3, 12)]
    assert expansion.total == 9


@pytest.mark.parametrize(
    ("starts", "rrule", "total"),
    [
        (datetime(2028, 1, 1, 9), "FREQ=DAILY", None),
        (datetime(2028, 1, 1, 9), "FREQ=DAILY;COUNT=5", 5),
        (datetime(1900, 7, 4, 9), "FREQ=DAILY;COUNT=5", 5),
        (datetime(2028, 1, 1, 9), "FREQ=WEEKLY;UNTIL=20281231", 53),
    ],
)
def test_a_series_outside_the_horizon_has_a_total_and_no_dates(starts: datetime, rrule: str, total: int | None) -> None:
    expansion = expand(starts, rrule)
    assert (read_starts(expansion), expansion.total, expansion.is_recurring) == ([], total, True)


def test_a_year_is_counted_from_an_anchor_a_century_ago() -> None:
    expansion = expand(datetime(1901, 7, 4, 9), "FREQ=YEARLY")
    assert [(one.index, one.starts_local.year) for one in list_occurrences(expansion)] == [(126, 2026), (127, 2027)]


@pytest.mark.parametrize("timezone", ["America/Los_Angeles", "Europe/Madrid"])
@pytest.mark.parametrize("end", ["UNTIL=99991231T235959Z", "UNTIL=99991231", "UNTIL=23000101", "COUNT=999999999"])
def test_a_series_that_says_that_it_ends_in_centuries_has_no_end(end: str, timezone: str) -> None:
    expansion = expand(NINE, f"FREQ=DAILY;{end}", timezone=timezone)
    assert (expansion.total, len(list_occurrences(expansion))) == (None, (date(2027, 9, 14) - NINE.date()).days + 1)


def test_a_series_of_a_lifetime_is_counted() -> None:
    assert expand(NINE, "FREQ=DAILY;COUNT=30000").total == 30_000
    assert expand(NINE, "FREQ=YEARLY;UNTIL=22000101").total == 174


def test_more_than_two_thousand_dates_are_cut_and_the_cut_is_reported() -> None:
    added = [NINE + timedelta(minutes=minute) for minute in range(2100)]
    expansion = expand(NINE, rdates=added)
    assert (len(list_occurrences(expansion)), expansion.total) == (2000, 2100)
    assert expansion.problems == ("recurrence_truncated",)
    assert read_starts(expansion) == added[:2000]


def test_a_zone_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError) as refused:
        expand(NINE, timezone="Seattle")
    assert str(refused.value).startswith("unknown time zone 'Seattle'")


MOMENTS = st.datetimes(datetime(2025, 9, 1), datetime(2026, 12, 1)).map(lambda m: m.replace(second=0, microsecond=0))
ZONES = st.sampled_from(["America/Los_Angeles", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo"])
ENDS = st.one_of(
    st.just(""), st.integers(1, 300).map(lambda n: f";COUNT={n}"), MOMENTS.map(lambda m: f";UNTIL={m:%Y%m%d}")
)
RULES = st.builds(
    lambda frequency, interval, end: f"FREQ={frequency};INTERVAL={interval}{end}",
    st.sampled_from([
        "DAILY", "WEEKLY", "WEEKLY;BYDAY=MO,SU", "MONTHLY", "MONTHLY;BYDAY=-1SU,2SU", "YEARLY", "MONTHLY;BYMONTHDAY=-1",
        "MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "YEARLY;BYMONTH=3,10;BYDAY=SU",
    ]),
    st.integers(1, 4),
    ENDS,
)  # fmt: skip


def is_skipped(local: datetime, zone: ZoneInfo) -> bool:
    """A local time that no instant is shown as."""
    return local.replace(tzinfo=zone).astimezone(ZoneInfo("UTC")).astimezone(zone).replace(tzinfo=None) != local


@st.composite
def series(draw: st.DrawFn) -> dict[str, Any]:
    """Anchors are drawn into the hours in which clocks change more often than by chance."""
    anchor = draw(MOMENTS)
    if draw(st.booleans()):
        anchor = anchor.replace(hour=draw(st.integers(0, 3)))
    clock = anchor.time()
    same_clock = MOMENTS.map(lambda moment: datetime.combine(moment, clock))
    dates = st.lists(st.one_of(same_clock, MOMENTS.filter(lambda moment: moment.time() != time())), max_size=8)
    return {
        "starts_local": anchor,
        "rrule": draw(RULES),
        "exdates": draw(dates),
        "rdates": draw(dates),
        "timezone": draw(ZONES),
        "ends_local": anchor + timedelta(minutes=draw(st.integers(0, 3000))),
    }


@given(series())
def test_a_series_is_what_dateutil_and_the_standard_library_make_of_it(given: dict[str, Any]) -> None:
    anchor, rrule, zone = given["starts_local"], given["rrule"], find_zone(given["timezone"]).info
    far = datetime.combine(HORIZON[1], time.max)
    rule, _, count = rrule.partition(";COUNT=")
    # dateutil ends a date as UNTIL at its midnight.
    dates = rrulestr(f"{rule}T235959" if "UNTIL" in rule else rule, dtstart=anchor)
    named = sorted({anchor, *dates.between(anchor, far + timedelta(days=366 * 60), inc=True)})
    named = named[: int(count)] if count else named
    live = sorted({*named, *given["rdates"]} - set(given["exdates"]))
    live = [moment for moment in live if not is_skipped(moment, zone)]
    expansion = expand(**given)
    shown = [(number, moment) for number, moment in enumerate(live, 1) if HORIZON[0] <= moment.date() <= HORIZON[1]]
    assert [(one.index, one.starts_local) for one in list_occurrences(expansion)] == shown
    if "UNTIL" in rule or (count and len(named) == int(count)):
        assert expansion.total == len(live)
    for one in list_occurrences(expansion):
        assert one.starts_at == int(one.starts_local.replace(tzinfo=zone).timestamp())
        ends = one.starts_local + (given["ends_local"] - anchor)
        assert one.ends_local == ends
        assert one.ends_at == max(one.starts_at, int(ends.replace(tzinfo=zone).timestamp()))
    assert all(early.starts_local < late.starts_local for early, late in pairwise(list_occurrences(expansion)))


@given(series(), st.booleans())
def test_a_program_that_reads_the_rule_and_its_exceptions_has_the_same_dates(
    given: dict[str, Any], counts: bool
) -> None:
    """`counts`: the program counts a start that the rule does not name. Dates that the clocks skip are left to it."""
    expansion, zone = expand(**given), find_zone(given["timezone"]).info
    assert expansion.rrule is not None
    start, far = given["starts_local"], datetime(2100, 1, 1)
    rule, _, count = expansion.rrule.partition(";COUNT=")
    ruled = rrulestr(rule, dtstart=start.replace(tzinfo=zone)).between(
        start.replace(tzinfo=zone), far.replace(tzinfo=zone), inc=True
    )
    dates = [moment.replace(tzinfo=None) for moment in ruled]
    if count:
        dates = ([start] if counts and start not in dates else []) + dates
        dates = dates[: int(count)]
    excluded, added = ([read_local(second) for second in part] for part in (expansion.excluded, expansion.added))
    live = sorted({*dates, *added} - {*excluded})
    shown = [moment for moment in live if HORIZON[0] <= moment.date() <= HORIZON[1] and not is_skipped(moment, zone)]
    assert read_starts(expansion) == shown
