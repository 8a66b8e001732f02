"""Dates that an independent library, `recurring-ical-events`, finds in a calendar: by UID, as day or instant."""

from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from icalendar import Calendar, Event

# A date as day, or as seconds since 1970.
Dates = Counter[tuple[str, date | int]]


def find_dates(content: bytes, *, metro: str, window: tuple[date, date]) -> Dates:
    """Find dates except those that our rules treat otherwise: an instance of a series in a skipped hour does not take
    place, and one in UTC that the metro's clock shows the second time is its first."""
    import recurring_ical_events

    first, last = (datetime.combine(day, time(), UTC) for day in window)
    dates: Dates = Counter()
    a_day = timedelta(days=1)  # more on both sides: times without a zone are of the metro
    for event in recurring_ical_events.of(Calendar.from_ical(content)).between(first - a_day, last + a_day):
        starts = event["DTSTART"].dt
        if str(event.get("STATUS", "")) == "CANCELLED":
            continue
        uid = str(event["UID"])
        if not isinstance(starts, datetime):
            if window[0] <= starts < window[1]:
                dates[uid, starts] += 1
            continue
        instant = settle_instant(starts, metro, is_moved=is_moved(event, starts))
        if instant is not None and first.timestamp() <= instant < last.timestamp():
            dates[uid, instant] += 1
    return dates


def is_moved(event: Event, starts: datetime) -> bool:
    """Alone: what is moved with all that follow is a series too."""
    stands_for = event.get("RECURRENCE-ID")
    return stands_for is not None and stands_for.dt != starts and "RANGE" not in stands_for.params


def settle_instant(starts: datetime, metro: str, *, is_moved: bool) -> int | None:
    aware = starts if starts.tzinfo else starts.replace(tzinfo=ZoneInfo(metro))
    local = aware.astimezone(UTC).astimezone(aware.tzinfo)
    if local.replace(tzinfo=None) != starts.replace(tzinfo=None):
        return int(aware.timestamp()) if is_moved else None
    there = aware.astimezone(ZoneInfo(metro))
    return int((there.replace(fold=0) if is_utc(aware) and not is_moved else aware).timestamp())


def is_utc(moment: datetime) -> bool:
    return moment.tzname() == "UTC"
