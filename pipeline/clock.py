"""The build's clock: the current time, or the instant given by `--as-of`."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta

from msgspec import Struct

from outings.configuration import read_zone
from outings.contract.values import format_instant

# Clock corrections up to this need no warning. A prune tolerates as much.
_AHEAD = timedelta(minutes=15)
# A build reads dates some years before and after its clock.
_YEARS = range(2000, 2201)


class AsOf(Struct, frozen=True, kw_only=True):
    """The time of a build: an instant, or a date, which means 00:00 in each metro."""

    instant: datetime | None = None
    day: date | None = None

    def read_instant(self, timezone: str) -> datetime:
        """Return the time of the build in UTC. `timezone`: the metro's, such as `America/Los_Angeles`."""
        if self.day is not None:
            return datetime.combine(self.day, time(), read_zone(timezone)).astimezone(UTC)
        assert self.instant is not None
        return self.instant.astimezone(UTC)

    def read_date(self, timezone: str) -> date:
        """Return the local date on which a metro is built."""
        return self.read_instant(timezone).astimezone(read_zone(timezone)).date()


def parse_as_of(text: str | None, *, now: Callable[[], datetime]) -> AsOf:
    """Parse `YYYY-MM-DD` or an RFC 3339 instant with its offset; None is now. Raises ValueError.

    >>> parse_as_of("2026-08-10", now=lambda: datetime.now(UTC)).day
    datetime.date(2026, 8, 10)
    """
    if text is None:
        return AsOf(instant=now().astimezone(UTC))
    with suppress(ValueError):
        if (day := date.fromisoformat(text)).year in _YEARS:
            return AsOf(day=day)
    with suppress(ValueError):
        if (instant := datetime.fromisoformat(text)).tzinfo is not None and instant.year in _YEARS:
            return AsOf(instant=instant.astimezone(UTC))
    raise ValueError(
        f"--as-of {text!r}: allowed: a date (2026-08-10) or an instant with its offset (2026-08-10T06:00:00Z), "
        f"from {_YEARS[0]} to {_YEARS[-1]}"
    )


def choose_stamp(instants: Iterable[datetime], *, previous: Iterable[datetime]) -> datetime:
    """Return the build's stamp in whole seconds: the latest instant, or a second after the last `previous` stamp."""
    latest = max(instants).replace(microsecond=0)
    return max([latest, *(stamp + timedelta(seconds=1) for stamp in previous)])


def explain_ahead(stamp: datetime, *, instants: Iterable[datetime]) -> str | None:
    """Return a warning if the clock of an earlier build was ahead, else None. Stamps never decrease: until the clock
    catches up, releases are dated in the future, and none is old enough to prune."""
    latest = max(instants)
    if stamp - latest <= _AHEAD:
        return None
    return (
        f"the clock says {format_instant(latest)}, and an earlier build's was ahead: this release is dated "
        f"{format_instant(stamp)}. So it goes on, a second a build, until the clock is there"
    )
