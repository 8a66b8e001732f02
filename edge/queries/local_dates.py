"""The local date of each metro, and the current minute."""

from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta

from outings.configuration import read_zone
from outings.release.snapshot import Release


class LocalDates:
    """The local date of each metro, by slug. Computed once a minute: no zone changes its date within one."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._minute = clock().replace(second=0, microsecond=0)
        self._next_minute = self._minute
        self._release: str | None = None
        self._dates: Mapping[str, date] = {}

    def read_minute(self) -> datetime:
        """The current time, rounded down to the minute."""
        return self._clock().replace(second=0, microsecond=0)

    def read_dates(self, release: Release) -> Mapping[str, date]:
        """The local dates by metro. The mapping is the same object until a date in it changes."""
        now = self._clock()
        if not self._minute <= now < self._next_minute or release.id != self._release:
            dates = _find_dates(release, now)
            if dates != self._dates:
                self._dates = dates
            self._minute = now.replace(second=0, microsecond=0)
            self._next_minute = self._minute + timedelta(minutes=1)
            self._release = release.id
        return self._dates


def _find_dates(release: Release, now: datetime) -> dict[str, date]:
    return {
        slug: now.astimezone(read_zone(snapshot.metro.timezone)).date() for slug, snapshot in release.metros.items()
    }
