"""The days of a rule, judged by python-dateutil, and by the words of RFC 5545 written out day by day."""

from calendar import monthrange
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from itertools import groupby

import pytest
from dateutil.rrule import rrulestr
from hypothesis import assume, example, given
from hypothesis import strategies as st

from pipeline.dates.rule_days import list_days, parse_rule

EPOCH = date(1970, 1, 1)
CODES = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]


def find_days(text: str, anchor: date, last: date) -> list[date]:
    days = list_days(parse_rule(text), anchor=(anchor - EPOCH).days, last=(last - EPOCH).days)
    return [EPOCH + timedelta(days=day) for day in days.tolist()]


def write_part(name: str, values: list[int] | list[str]) -> str:
    return f";{name}={','.join(str(value) for value in values)}" if values else ""


def number_lists(low: int, high: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(low, high).filter(bool), max_size=3, unique=True)


@st.composite
def rules(draw: st.DrawFn) -> str:
    frequency = draw(st.sampled_from(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]))
    weekday = st.sampled_from(CODES)
    if frequency == "YEARLY" and draw(st.booleans()):
        # dateutil takes weeks without weekdays for all their days; numbered weekdays have no meaning in them.
        weeks = draw(number_lists(-53, 53))
        return (
            f"FREQ=YEARLY;INTERVAL={draw(st.integers(1, 3))}"
            + write_part("BYMONTH", draw(st.one_of(st.just([]), number_lists(1, 12))))
            + write_part("BYWEEKNO", weeks)
            + write_part("BYYEARDAY", [] if weeks else draw(number_lists(-366, 366)))
            + write_part("BYDAY", draw(st.lists(weekday, min_size=1, max_size=4, unique=True)))
            + write_part("BYSETPOS", draw(st.one_of(st.just([]), number_lists(-6, 6))))
            + write_part("WKST", draw(st.lists(weekday, max_size=1)))
        )
    if frequency in ("MONTHLY", "YEARLY"):
        number = st.integers(-6, 6) if frequency == "MONTHLY" else st.integers(-53, 53)
        weekday = st.one_of(weekday, st.builds(lambda n, code: f"{n}{code}", number.filter(bool), weekday))
    return (
        f"FREQ={frequency};INTERVAL={draw(st.integers(1, 9))}"
        + write_part("BYMONTH", draw(st.one_of(st.just([]), number_lists(1, 12))))
        + write_part("BYMONTHDAY", draw(st.one_of(st.just([]), number_lists(-31, 31))))
        + write_part("BYDAY", draw(st.one_of(st.just([]), st.lists(weekday, max_size=4, unique=True))))
        + write_part("BYSETPOS", draw(st.one_of(st.just([]), number_lists(-6, 6))))
        + write_part("WKST", draw(st.one_of(st.just([]), st.lists(weekday.map(lambda code: code[-2:]), max_size=1))))
    )


ANCHORS = st.dates(date(1990, 1, 1), date(2060, 1, 1))
SPANS = st.integers(0, 4000).map(lambda days: timedelta(days=days))


def errs_in_dateutil(text: str, anchor: date) -> bool:
    """Return True if dateutil errs: it takes numbered and plain weekdays together as both, and the first week as begun
    at the anchor."""
    parts = dict(part.split("=") for part in text.split(";"))
    weekdays = parts.get("BYDAY", "").split(",")
    mixed = len({len(code) > 2 for code in weekdays}) == 2
    week_start = CODES.index(parts.get("WKST", "MO"))
    cut_week = parts["FREQ"] == "WEEKLY" and "BYSETPOS" in parts and anchor.weekday() != week_start
    return mixed or cut_week


@given(rules(), ANCHORS, SPANS)
def test_a_rule_falls_where_dateutil_says(text: str, anchor: date, span: timedelta) -> None:
    assume(not errs_in_dateutil(text, anchor))
    days = find_days(text, anchor, anchor + span)
    # Where a rule does not fall within a lifetime, dateutil searches to the year 9999: the other test judges those.
    assume(find_days(text, anchor, anchor + timedelta(days=30_000))[len(days) :])
    rule = rrulestr(text, dtstart=datetime.combine(anchor, time()))
    assert days == [
        day.date()
        for day in rule.between(datetime.combine(anchor, time()), datetime.combine(anchor + span, time()), inc=True)
    ]


class Words:
    """RFC 5545, 3.3.10, in its own words: which period a day is in, and whether the rule's parts name it."""

    def __init__(self, text: str, anchor: date) -> None:
        self.parts = dict(part.split("=") for part in text.split(";"))
        self.frequency = self.parts["FREQ"]
        self.anchor = anchor
        before = (anchor.weekday() - CODES.index(self.parts.get("WKST", "MO"))) % 7
        self.week = anchor - timedelta(days=before)

    def list_values(self, name: str) -> list[str]:
        return self.parts[name].split(",") if name in self.parts else []

    def number_period(self, day: date) -> int:
        match self.frequency:
            case "DAILY":
                return (day - self.anchor).days
            case "WEEKLY":
                return (day - self.week).days // 7
            case "MONTHLY":
                return (day.year - self.anchor.year) * 12 + day.month - self.anchor.month
        return day.year - self.anchor.year

    def is_weekday(self, day: date, code: str) -> bool:
        if day.weekday() != CODES.index(code[-2:]) or len(code) == 2:
            return day.weekday() == CODES.index(code[-2:])
        first, end = date(day.year, 1, 1), date(day.year, 12, 31)
        if self.frequency == "MONTHLY" or "BYMONTH" in self.parts:
            first, end = day.replace(day=1), day.replace(day=monthrange(day.year, day.month)[1])
        number = int(code[:-2])
        weeks = (day - first).days // 7 if number > 0 else (end - day).days // 7
        return weeks + 1 == abs(number)

    def is_named(self, day: date) -> bool:
        length = monthrange(day.year, day.month)[1]
        months, numbers, codes = (self.list_values(name) for name in ("BYMONTH", "BYMONTHDAY", "BYDAY"))
        if not self.is_in_year(day):
            return False
        in_month = not months or str(day.month) in months
        by_number = not numbers or bool({str(day.day), str(day.day - length - 1)} & set(numbers))
        by_weekday = not codes or any(self.is_weekday(day, code) for code in codes)
        return in_month and by_number and by_weekday and (bool(numbers or codes) or self.is_like_anchor(day))

    def is_in_year(self, day: date) -> bool:
        """Return True if BYWEEKNO and BYYEARDAY name the day. A week belongs to the year with four of its days."""
        weeks, days = self.list_values("BYWEEKNO"), self.list_values("BYYEARDAY")
        before = (day.weekday() - CODES.index(self.parts.get("WKST", "MO"))) % 7
        fourth = day + timedelta(days=3 - before)
        first, end = date(day.year, 1, 1), date(day.year, 12, 31)
        week = (fourth - date(fourth.year, 1, 1)).days // 7 + 1
        left = (date(fourth.year, 12, 31) - fourth).days // 7 + 1
        by_week = not weeks or bool({str(week), str(-left)} & set(weeks))
        return by_week and (not days or bool({str((day - first).days + 1), str((day - end).days - 1)} & set(days)))

    def is_like_anchor(self, day: date) -> bool:
        """Return True if a day has what the anchor implies when no part names days."""
        if self.frequency == "WEEKLY":
            return day.weekday() == self.anchor.weekday()
        if self.frequency == "YEARLY" and "BYMONTH" not in self.parts:
            return (day.month, day.day) == (self.anchor.month, self.anchor.day)
        return self.frequency == "DAILY" or day.day == self.anchor.day


def walk_days(text: str, anchor: date, last: date) -> Iterator[date]:
    """Each period's days that every part names, then the positions among them."""
    words = Words(text, anchor)
    first, end = anchor.replace(month=1, day=1) - timedelta(days=7), last.replace(month=12, day=31) + timedelta(days=7)
    calendar = [first + timedelta(days=number) for number in range((end - first).days + 1)]
    for period, days in groupby(calendar, words.number_period):
        if period < 0 or period % int(words.parts["INTERVAL"]):
            continue
        named = [day for day in days if words.is_named(day)]
        if positions := [int(position) for position in words.list_values("BYSETPOS")]:
            chosen = [named[position - (position > 0)] for position in positions if abs(position) <= len(named)]
            named = sorted(set(chosen))
        yield from (day for day in named if anchor <= day <= last)


@given(rules(), ANCHORS, SPANS)
@example("FREQ=MONTHLY;INTERVAL=1;BYDAY=TU,1MO", date(2026, 1, 1), timedelta(days=90))
@example("FREQ=WEEKLY;INTERVAL=1;BYDAY=MO,WE,FR;BYSETPOS=2", date(2026, 1, 7), timedelta(days=30))
@example("FREQ=YEARLY;INTERVAL=1;BYDAY=53TH", date(2026, 1, 1), timedelta(days=3650))
def test_a_rule_falls_where_the_standard_says(text: str, anchor: date, span: timedelta) -> None:
    assert find_days(text, anchor, anchor + span) == list(walk_days(text, anchor, anchor + span))


@pytest.mark.parametrize(
    "text",
    [
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=31;BYMONTH=4",
        "FREQ=DAILY;INTERVAL=7;BYDAY=TU",
        "FREQ=DAILY;BYSETPOS=2",
        "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=6",
    ],
)
def test_a_rule_that_never_falls_has_no_days_and_takes_no_time(text: str) -> None:
    assert find_days(text, date(2026, 4, 6), date(2299, 12, 31)) == []


@pytest.mark.parametrize(
    ("anchor", "last", "days"),
    [
        (date(2026, 8, 10), date(2026, 8, 9), 0),
        (date(2026, 8, 10), date(2026, 8, 10), 1),
        (date(1900, 1, 1), date(1900, 1, 10), 10),
        (date(2299, 12, 30), date(2305, 1, 1), 2),
        (date(9999, 1, 1), date(9999, 1, 5), 0),
    ],
)
def test_a_span_may_be_empty_or_at_the_ends_of_the_calendar(anchor: date, last: date, days: int) -> None:
    for frequency in ("DAILY", "WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU", "MONTHLY;BYDAY=MO,TU,WE,TH,FR,SA,SU"):
        assert len(find_days(f"FREQ={frequency}", anchor, last)) == days
