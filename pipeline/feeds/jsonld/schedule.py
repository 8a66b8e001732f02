"""A schema.org Schedule → a rule of RFC 5545 and its first date."""

import re
from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from outings.configuration import is_zone, read_zone
from outings.contract.instants import number_day
from pipeline.dates.rule_days import list_days
from pipeline.dates.rules import RuleError, parse_rule
from pipeline.feeds.jsonld.moments import LocalTime, parse_clock, parse_duration, parse_when
from pipeline.feeds.jsonld.nodes import Node, shorten_name

_CODES = {"mo": "MO", "tu": "TU", "we": "WE", "th": "TH", "fr": "FR", "sa": "SA", "su": "SU"}
_WORDS = {"daily": "DAILY", "weekly": "WEEKLY", "monthly": "MONTHLY", "yearly": "YEARLY", "annually": "YEARLY"}
# Further on than this no rule of a calendar has its first date.
_AHEAD = 1500  # days
_PERIODS = {"D": "DAILY", "W": "WEEKLY", "M": "MONTHLY", "Y": "YEARLY"}
_FREQUENCY = re.compile(r"P(\d{1,3})([DWMY])")
_END = re.compile(r";(UNTIL|COUNT)=")
_DAY_END = time(23, 59, 59)
_NUMBERED = re.compile(r"(-?\d)?([a-z]+)")


def list_schedule(schedule: Node, fallback: LocalTime | None, last: LocalTime | None, zone: ZoneInfo) -> dict[str, Any]:
    """Members of an event. `fallback` and `last`: when the event itself says it starts and ends. Empty where there is
    no first date."""
    named = schedule.get_text("scheduleTimezone") or schedule.get_text("beta:timeZone")
    timezone = named if named is not None and is_zone(named) else None
    zone = read_zone(timezone) if timezone else zone
    first = parse_when(text, zone) if (text := schedule.get_text("startDate")) else fallback
    if first is None:
        return {}
    clock = parse_clock(text) if (text := schedule.get_text("startTime")) else None
    if clock is not None:
        first = LocalTime(datetime.combine(first.local.date(), clock), is_date=False)
    elif first.is_date and fallback is not None and not fallback.is_date:
        first = LocalTime(datetime.combine(first.local.date(), fallback.local.time()), is_date=False)
    rule = write_rule(schedule, zone)
    if rule and last is not None and last.local.date() > first.local.date() and not _END.search(rule):
        rule += f";UNTIL={datetime.combine(last.local.date(), _DAY_END):%Y%m%dT%H%M%S}"
    starts = _find_first(rule, first.local) if rule else first.local
    members = _list_times(schedule, starts, is_date=first.is_date)
    exdates = [_place_exception(text, starts, zone) for text in schedule.get_texts("exceptDate")]
    members["exdates"] = [each for each in exdates if each is not None]
    return members | {"rrule": rule, "timezone": timezone}


def write_rule(schedule: Node, zone: ZoneInfo) -> str | None:
    """None for a schedule that does not repeat."""
    frequency = _read_frequency(schedule)
    days = _name_days(schedule)
    if frequency is None:
        if not days:
            return None
        frequency = ("WEEKLY", 1)
    period, interval = frequency
    parts = [f"FREQ={period}"]
    if interval > 1:
        parts.append(f"INTERVAL={interval}")
    if days:
        weeks = schedule.get_texts("byMonthWeek") if period in ("MONTHLY", "YEARLY") else []
        parts.append("BYDAY=" + ",".join(f"{week}{day}" for week in weeks or [""] for day in days))
    for name, member in (("BYMONTH", "byMonth"), ("BYMONTHDAY", "byMonthDay")):
        if numbers := schedule.get_texts(member):
            parts.append(f"{name}={','.join(numbers)}")
    count, until = schedule.get_text("repeatCount"), schedule.get_text("endDate")
    if until and (last := parse_when(until, zone)) is not None:
        moment = datetime.combine(last.local.date(), _DAY_END) if last.is_date else last.local
        parts.append(f"UNTIL={moment:%Y%m%dT%H%M%S}")
    elif count:
        parts.append(f"COUNT={count}")
    return ";".join(parts)


def list_weekdays(schedule: Node) -> list[str]:
    """As RFC 5545 writes them, without their numbers."""
    return [day[-2:] for day in _name_days(schedule)]


def _read_frequency(schedule: Node) -> tuple[str, int] | None:
    text = schedule.get_text("repeatFrequency")
    if text is None:
        return None
    if word := _WORDS.get(shorten_name(text).strip().lower()):
        return word, 1
    match = _FREQUENCY.fullmatch(text.strip().upper())
    if match is None or not int(match[1]):
        return None
    count = int(match[1])
    # Of a rule of days `byDay` would only leave those that are weekdays of its own.
    return ("WEEKLY", count // 7) if match[2] == "D" and count % 7 == 0 else (_PERIODS[match[2]], count)


def _name_days(schedule: Node) -> list[str]:
    texts = [part for text in schedule.get_words("byDay") for part in text.split(",")]
    days = []
    for text in texts:
        named = _NUMBERED.fullmatch(shorten_name(text.strip()).lower())
        if named is not None and (code := _CODES.get(named[2][:2])):
            days.append(f"{named[1] or ''}{code}")
    return list(dict.fromkeys(days))


def _find_first(rule: str, starts: datetime) -> datetime:
    """The anchor is a date even where its rule does not name it: a schedule's own begin need not be one of its days."""
    endless = ";".join(part for part in rule.split(";") if not part.startswith(("UNTIL=", "COUNT=")))
    anchor = number_day(starts)
    try:
        days = list_days(parse_rule(endless), anchor=anchor, last=anchor + _AHEAD)
    except RuleError:
        return starts  # what is wrong with the rule is found where all rules are read
    return starts + timedelta(days=int(days[0]) - anchor) if days.size else starts


def _list_times(schedule: Node, starts: datetime, *, is_date: bool) -> dict[str, Any]:
    if is_date:
        return {"date_on": starts.date().isoformat()}
    members = {"starts_local": starts.isoformat()}
    ends: datetime | None = None
    if (text := schedule.get_text("endTime")) and (clock := parse_clock(text)) is not None:
        ends = datetime.combine(starts.date(), clock)
        ends += timedelta(days=1) if ends < starts else timedelta()
    elif (text := schedule.get_text("duration")) and (lasts := parse_duration(text)) is not None:
        ends = starts + lasts
    return members | ({"ends_local": ends.isoformat()} if ends else {})


def _place_exception(text: str, starts: datetime, zone: ZoneInfo) -> str | None:
    when = parse_when(text, zone)
    if when is None:
        return text
    return (datetime.combine(when.local.date(), starts.time()) if when.is_date else when.local).isoformat()
