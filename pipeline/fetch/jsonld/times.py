"""Parse dates, durations, schedules and opening hours of schema.org, on the clock of the metro."""

import re
from datetime import date, datetime, time, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from outings.configuration import is_zone, read_zone
from outings.contract.values import number_day
from outings.contract.vocabulary import WEEKDAYS
from outings.texts.days import WEEKDAYS as CODES
from outings.texts.days import read_days, read_weekdays
from outings.texts.hours import read_hours
from outings.texts.opening import read_opening
from outings.texts.tokens import fold
from pipeline.dates.rule_days import RuleError, list_days, parse_rule
from pipeline.dates.zones import find_fold_zone
from pipeline.fetch.jsonld.nodes import Node, shorten_name

# Without leading zeros, with a blank for the T, and in ISO 8601's short form: pages have all of these.
_MOMENT = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})"
    r"(?:[Tt\s]\s*(\d{1,2})(?::?(\d\d)(?::?(\d\d)(?:[.,]\d+)?)?)?\s*(Z|z|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII,
)
_SHORT = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?(Z|[+-]\d\d(?::?\d\d)?)?)?", re.ASCII)
# EventON writes the hour twice: 2019-9-18T10-10-30-00.
_HOUR_TWICE = re.compile(r"(\d{4}-\d{1,2}-\d{1,2})T(\d\d)-\2-(\d\d)-00$", re.ASCII)
_OFFSET = re.compile(r"(?<=\d)\s*(?:Z|[+-]\d\d(?::?\d\d)?)$", re.ASCII)
_WORDS_AND_YEAR = re.compile(r"(?=.*[a-z]{3})(?=.*\b20\d\d\b)[^/]{1,80}")
_DURATION = re.compile(r"P(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8})(?:\.\d+)?S)?)?")
_LAST_MINUTE = time(23, 59)
# A day of later years is how software writes that there is none, and nothing can be added to it.
_LAST_YEAR = 9_000


class LocalTime(NamedTuple):
    """A naive local time. `is_date`: it is a date without a time, as its midnight. `fixed`: a zone with a constant
    offset, if the time is in the hour that clocks repeat in autumn."""

    local: datetime
    is_date: bool
    fixed: str | None = None


def parse_when(text: str, zone: ZoneInfo) -> LocalTime | None:
    """Parse a date or time, None for anything else. A time with an offset is converted to the zone's clock.

    >>> parse_when("2026-08-11T16:00Z", ZoneInfo("America/Los_Angeles")).local.isoformat()
    '2026-08-11T09:00:00'
    """
    plain = _HOUR_TWICE.sub(r"\1T\2:\3", text.strip())
    match = _MOMENT.fullmatch(plain) or _SHORT.fullmatch(plain)
    if match is None:
        return _parse_words(plain)
    if int(match[1]) > _LAST_YEAR:
        return None
    try:
        day = date(int(match[1]), int(match[2]), int(match[3]))
        if match[4] is None:
            return LocalTime(datetime.combine(day, time()), is_date=True)
        hour, minute, second = int(match[4]), int(match[5] or 0), min(int(match[6] or 0), 59)
        if hour > 24 or (hour == 24 and (minute or second)):
            return None
        local = datetime.combine(day, time(hour % 24, minute, second)) + timedelta(days=hour // 24)
        if match[7] is None:
            return LocalTime(local, is_date=False)
        there = datetime.fromisoformat(f"{local.isoformat()}{match[7].upper()}").astimezone(zone)
        return LocalTime(there.replace(tzinfo=None, fold=0), is_date=False, fixed=find_fold_zone(there))
    except (ValueError, OverflowError):
        return None


def _parse_words(text: str) -> LocalTime | None:
    """Parse a day whose month is a word and whose year is stated: "December 5, 2026 7:00 PM"."""
    folded = fold(text)
    if _WORDS_AND_YEAR.fullmatch(folded) is None:
        return None
    hours = read_hours(folded)
    written = folded if hours is None else f"{folded[: hours.begin]} {folded[hours.end :]}"
    days = read_days(written.strip(" ,;"), today=date.min + timedelta(days=366))
    if days is None or days.first is None or days.last is not None or (hours is not None and hours.ends is not None):
        return None
    clock = time() if hours is None else hours.begins
    return LocalTime(datetime.combine(days.first, clock), is_date=hours is None)


def parse_clock(text: str) -> time | None:
    """Parse a time of day. An offset behind it is ignored: the time is local.

    >>> parse_clock("6:30 PM")
    datetime.time(18, 30)
    """
    hours = read_hours(_OFFSET.sub("", text.strip().removeprefix("T")))
    return None if hours is None or hours.ends else hours.begins


def parse_duration(text: str) -> timedelta | None:
    """Parse a duration of ISO 8601 without months and years.

    >>> parse_duration("PT1H30M")
    datetime.timedelta(seconds=5400)
    """
    match = _DURATION.fullmatch(text.strip().upper())
    if match is None or not any(match.groups()):
        return None
    weeks, days, hours, minutes, seconds = (int(number or 0) for number in match.groups())
    return timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)


def is_whole_day(starts: LocalTime, ends: LocalTime | None) -> bool:
    """Return True if an event lasts from 00:00 to 23:59, as software without all-day events writes it."""
    if starts.is_date or ends is None or ends.is_date or starts.local.time() != time():
        return False
    return ends.local.time().replace(second=0) == _LAST_MINUTE


_WORDS = {"daily": "DAILY", "weekly": "WEEKLY", "monthly": "MONTHLY", "yearly": "YEARLY", "annually": "YEARLY"}
# Further on than this no rule of a calendar has its first date.
_AHEAD = 1500  # days
_PERIODS = {"D": "DAILY", "W": "WEEKLY", "M": "MONTHLY", "Y": "YEARLY"}
_FREQUENCY = re.compile(r"P(\d{1,3})([DWMY])")
_END = re.compile(r";(UNTIL|COUNT)=")
_LAST_SECOND = time(23, 59, 59)
_NUMBERED = re.compile(r"(-?\d)?([a-z]+)")


def list_schedule(schedule: Node, fallback: LocalTime | None, last: LocalTime | None, zone: ZoneInfo) -> dict[str, Any]:
    """Convert a schema.org Schedule to an event's times, rule and excluded dates. Without a start, return {}.

    `fallback` and `last`: the event's own start and end.
    """
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
        rule += f";UNTIL={datetime.combine(last.local.date(), _LAST_SECOND):%Y%m%dT%H%M%S}"
    starts = _find_first(rule, first.local) if rule else first.local
    members = _list_times(schedule, starts, is_date=first.is_date)
    exdates = [_place_exception(text, starts, zone) for text in schedule.get_texts("exceptDate")]
    members["exdates"] = [exdate for exdate in exdates if exdate is not None]
    return members | {"rrule": rule, "timezone": timezone}


def write_rule(schedule: Node, zone: ZoneInfo) -> str | None:
    """Return a schedule as an RRULE, None if it does not repeat."""
    frequency = _read_frequency(schedule)
    days = list_weekdays(schedule)
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
        moment = datetime.combine(last.local.date(), _LAST_SECOND) if last.is_date else last.local
        parts.append(f"UNTIL={moment:%Y%m%dT%H%M%S}")
    elif count:
        parts.append(f"COUNT={count}")
    return ";".join(parts)


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


def list_weekdays(schedule: Node) -> list[str]:
    """List a schedule's weekdays as RFC 5545 writes them: `MO`, or `-1MO` for the last one of a month."""
    texts = [part for text in schedule.get_words("byDay") for part in text.split(",")]
    days = []
    for text in texts:
        named = _NUMBERED.fullmatch(shorten_name(text.strip()).lower())
        if named is not None and named[2][:2] in CODES:
            days.append(f"{named[1] or ''}{named[2][:2].upper()}")
    return list(dict.fromkeys(days))


def _find_first(rule: str, starts: datetime) -> datetime:
    """Return the rule's first date from `starts` on: a schedule need not begin on one of its days."""
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
    ends: datetime | None = None
    if (text := schedule.get_text("endTime")) and (clock := parse_clock(text)) is not None:
        ends = datetime.combine(starts.date(), clock)
        ends += timedelta(days=1) if ends < starts else timedelta()
    elif (text := schedule.get_text("duration")) and (lasts := parse_duration(text)) is not None:
        ends = starts + lasts
    return {"starts_local": starts.isoformat()} | ({"ends_local": ends.isoformat()} if ends else {})


def _place_exception(text: str, starts: datetime, zone: ZoneInfo) -> str | None:
    when = parse_when(text, zone)
    if when is None:
        return text
    return (datetime.combine(when.local.date(), starts.time()) if when.is_date else when.local).isoformat()


def describe_hours(place: Node) -> dict[str, str]:
    """Return opening hours, one text for each weekday. `exceptions`: the hours of public holidays and of certain dates.

    `notes`: texts of `openingHours` that say more than weekdays and hours, unchanged, because a part could mislead.
    """
    spans: dict[str, list[str]] = {}
    exceptions: list[str] = []
    for stated in place.get_nodes("openingHoursSpecification"):
        span = _write_span(stated.get_text("opens"), stated.get_text("closes"))
        words = [word.strip() for text in stated.get_words("dayOfWeek") for word in text.split(",")]
        days = [day for word in words for day in _name_days(word) or [""]]  # empty for any other day
        dates = " to ".join(filter(None, (stated.get_text("validFrom"), stated.get_text("validThrough"))))
        if dates or "" in days:
            named = ", ".join(day or "public holidays" for day in days)
            exceptions.append(": ".join(filter(None, (f"{dates} {named}".strip(), span))))
        else:
            for day in days or WEEKDAYS:
                spans.setdefault(day, []).append(span)
    unread: list[str] = []
    for text in map(" ".join, map(str.split, place.get_texts("openingHours"))):
        read = read_opening(text)
        unread += [] if read else [text]
        for codes, opens, closes in read or ():
            for code in codes:
                spans.setdefault(WEEKDAYS[CODES.index(code)], []).append(_write_span(opens, closes))
    hours = {day: ", ".join(dict.fromkeys(spans[day])) for day in WEEKDAYS if day in spans}
    hours |= {"exceptions": "\n".join(exceptions)} if exceptions else {}
    return hours | ({"notes": "\n".join(unread)} if unread else {})


def _name_days(word: str) -> list[str]:
    return [WEEKDAYS[CODES.index(code)] for code in read_weekdays(word)]


def _write_span(opens: str | None, closes: str | None) -> str:
    begins, ends = (parse_clock(text) if text else None for text in (opens, closes))
    if begins is None or ends is None:
        return "closed" if not opens and not closes else " to ".join(filter(None, (opens, closes)))
    if begins == ends:
        return "closed" if f"{begins:%H:%M}" != "00:00" or opens == closes else "open 24 hours"
    if f"{begins:%H:%M}" == "00:00" and f"{ends:%H:%M}" == "23:59":
        return "open 24 hours"
    return f"{begins:%H:%M}–{ends:%H:%M}"
