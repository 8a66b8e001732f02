"""Times as texts and as numbers: instants, local times, clock times, dates. All are whole seconds; fractions are cut
off.

As numbers, dates are days since 1970-01-01, and local times are seconds since that day's midnight on their own clock.
"""

from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache

DAY = 86_400  # seconds

_FIRST = datetime(1970, 1, 1)
_FIRST_ORDINAL = _FIRST.toordinal()


def number_day(day: date) -> int:
    return day.toordinal() - _FIRST_ORDINAL


def read_date(days: int) -> date:
    return date.fromordinal(days + _FIRST_ORDINAL)


def count_seconds(local: datetime) -> int:
    return (local - _FIRST) // timedelta(seconds=1)


def read_local(seconds: int) -> datetime:
    return _FIRST + timedelta(seconds=seconds)


def format_instant(value: int | datetime) -> str:
    """Formats seconds since 1970 in UTC, or a time with its zone, as `2026-08-10T16:00:00Z`.

    Raises ValueError for a time without a zone, because the machine's zone would be assumed.
    """
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(f"an instant needs its zone: {value.isoformat()}")
        return value.astimezone(UTC).isoformat()[:19] + "Z"
    return _format_seconds(value)


# Listings that one build changed have one stamp, and sections the same.
@lru_cache(maxsize=1_024)
def _format_seconds(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()[:19] + "Z"


def format_local(value: datetime) -> str:
    """Formats a naive local time as `2026-08-10T09:00:00`. Raises ValueError for a time with a zone, because nothing is
    converted here."""
    if value.tzinfo is not None:
        raise ValueError(f"a local time has no zone: {value.isoformat()}")
    return value.isoformat()[:19]


def format_clock(value: int | time) -> str:
    """Formats seconds of the local day, or a clock time, as `09:00:00`."""
    if isinstance(value, time):
        return value.isoformat()[:8]
    return f"{value // 3600:02}:{value // 60 % 60:02}:{value % 60:02}"
