"""Make a series of a row whose cell of a day or an hour names weekdays: "Samedis 11h-12h" from 5 to 26 July."""

from datetime import date, datetime, time, timedelta
from typing import Any

from outings.texts.days import WEEKDAYS, names_day, read_days
from outings.texts.hours import read_hours
from outings.texts.tokens import fold

_LAST_SECOND = time(23, 59, 59)


def take_weekdays(text: str, today: date) -> str | None:
    """Return the weekdays on which something takes place by a cell, with the end of its hours if it states one: `SA,SU
    12:00:00`. None if it names none, or all, or if they have hours of their own."""
    days, hours = read_days(text, today=today), read_hours(text)
    weekdays = () if days is None or (days.first and not days.last) else days.weekdays
    if not weekdays and hours is not None and not names_day(text):
        further = read_hours(fold(text.strip())[hours.end :])
        weekdays = () if further is not None and further.weekdays else hours.weekdays
    ends = "" if hours is None or hours.ends is None else f" {hours.ends}"
    return ",".join(weekdays).upper() + ends if 0 < len(weekdays) < len(WEEKDAYS) else None


def repeat_on_weekdays(record: dict[str, Any], taken: str) -> None:
    """Make a series of an event from a first to a last day. `taken`: what `take_weekdays` returned. An event of one
    day, or without such a weekday, is unchanged."""
    codes, _, closes = taken.partition(" ")
    stated, last = record.get("starts_local") or record.get("date_on"), record.get("ends_local")
    try:
        starts, ends = datetime.fromisoformat(str(stated)), datetime.fromisoformat(str(last))
    except ValueError:
        return
    # An end that is a day alone is the midnight behind it.
    until = ends.date() - timedelta(days=ends.time() == time() and closes != "00:00:00")
    numbers = {WEEKDAYS.index(code.lower()) for code in codes.split(",")}
    first = next((day for day in (starts + timedelta(days=n) for n in range(7)) if day.weekday() in numbers), starts)
    if until <= starts.date() or first.date() > until:
        return
    record["rrule"] = f"FREQ=WEEKLY;BYDAY={codes};UNTIL={datetime.combine(until, _LAST_SECOND):%Y%m%dT%H%M%S}"
    if record.get("starts_local") is None:
        record |= {"date_on": first.date().isoformat(), "ends_local": None}
        return
    end = datetime.combine(first.date(), time.fromisoformat(closes)) if closes else None
    end = end + timedelta(days=end <= first) if end else None
    record |= {"starts_local": first.isoformat(), "ends_local": end.isoformat() if end else None}
