"""Convert a zone's local wall-clock times to instants, one at a time or in arrays."""

from calendar import timegm
from datetime import datetime, timedelta, tzinfo
from functools import cache
from zoneinfo import ZoneInfo

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.configuration import read_zone
from outings.configuration.zones import list_changes, measure_offset
from outings.contract.values import count_seconds

Seconds = NDArray[np.int64]

# Changes of offset are known from 1900 to 2299: no series is followed outside of these years (rules.py).
_FIRST = timegm((1900, 1, 1, 0, 0, 0))
_LAST = timegm((2300, 1, 1, 0, 0, 0))
_NEVER = np.iinfo(np.int64).max


class Zone(Struct, frozen=True, kw_only=True):
    """A time zone with its changes of offset, for arrays of local times. `offsets`: before the first change, then after
    each. `skips`: the local time of each change by the offset before it; `resumes`: the local time from which on only
    the next offset holds."""

    info: ZoneInfo
    offsets: Seconds
    skips: Seconds
    resumes: Seconds

    def resolve(self, local: datetime) -> int:
        """Return the instant of a naive local time: a repeated time's first, a skipped one's by the offset before."""
        return int(self.resolve_all(np.array(count_seconds(local))))

    def resolve_all(self, local: Seconds) -> Seconds:
        """Resolve many local times, given as seconds since 1970 in their own wall-clock time."""
        return local - self.offsets[self._find_changes(local)]

    def find_gaps(self, local: Seconds) -> NDArray[np.bool_]:
        """Mark the local times that the clocks skip."""
        return local >= self.skips[self._find_changes(local)]

    def _find_changes(self, local: Seconds) -> NDArray[np.intp]:
        return self.resumes.searchsorted(local, side="right")


def move_clock(instant: datetime, info: tzinfo) -> datetime:
    """Convert an instant to naive local time. The last second of the year 9999, which means "for ever", is unchanged if
    the zone can't show it."""
    try:
        return instant.astimezone(info).replace(tzinfo=None)
    except OverflowError:
        return instant.replace(tzinfo=None)


def find_fold_zone(local: datetime) -> str | None:
    """Return a zone of constant offset (`Etc/GMT+5`) for an aware time that clocks show for the second time.

    >>> find_fold_zone(datetime(2026, 11, 1, 1, 30, fold=1, tzinfo=read_zone("America/New_York")))
    'Etc/GMT+5'
    """
    offset, hour = local.utcoffset(), timedelta(hours=1)
    return None if not local.fold or offset is None or offset % hour else f"Etc/GMT{-(offset // hour):+d}"


@cache
def find_zone(name: str) -> Zone:
    """Return a zone by its IANA name. Raises ValueError for an unknown one."""
    info = read_zone(name)
    moments = np.fromiter(list_changes(info, _FIRST, _LAST), dtype=np.int64)
    offsets = np.array([measure_offset(info, moment) for moment in (_FIRST, *moments.tolist())], dtype=np.int64)
    before, after = offsets[:-1], offsets[1:]
    return Zone(
        info=info,
        offsets=offsets,
        skips=np.append(moments + before, _NEVER),
        # The offset before holds until both clocks have passed: a fold is its first time, a gap is the one before.
        resumes=moments + np.maximum(before, after),
    )
