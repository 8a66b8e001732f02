"""Time zones: local wall-clock times to instants, one at a time or a series at once."""

from calendar import timegm
from datetime import datetime, timedelta, tzinfo
from functools import cache
from zoneinfo import ZoneInfo

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.configuration import read_zone
from outings.configuration.zones import list_changes, measure_offset

Seconds = NDArray[np.int64]

# Changes of offset are known from 1900 to 2299: no series of ours is counted outside of them (rule_days.py).
_FIRST = timegm((1900, 1, 1, 0, 0, 0))
_LAST = timegm((2300, 1, 1, 0, 0, 0))
_NEVER = np.iinfo(np.int64).max


class Zone(Struct, frozen=True, kw_only=True):
    """`offsets`: before the first change, then from each on. Changes as they look on the clock of the offset before:
    `skips`, from where on it is no longer that offset's time; `resumes`, from where on it is the next one's alone.
    """

    info: ZoneInfo
    offsets: Seconds
    skips: Seconds
    resumes: Seconds

    def resolve(self, local: datetime) -> int:
        """Return the instant of a naive local time: in a fold the first, in a gap by the offset before."""
        offset = self.info.utcoffset(local.replace(fold=0))
        if offset is None:
            raise ValueError(f"zone {self.info.key} has no offset at {local.isoformat()}")
        return timegm(local.timetuple()) - (offset.days * 86_400 + offset.seconds)

    def resolve_all(self, local: Seconds) -> Seconds:
        """Resolve many local times, given as seconds since 1970 in their own wall-clock time."""
        return local - self.offsets[self._find_changes(local)]

    def find_gaps(self, local: Seconds) -> NDArray[np.bool_]:
        """Mark the local times that the clocks skip."""
        return local >= self.skips[self._find_changes(local)]

    def localize(self, instant: datetime) -> datetime:
        """Return an instant as this zone's naive wall-clock time."""
        return move_clock(instant, self.info)

    def _find_changes(self, local: Seconds) -> NDArray[np.intp]:
        return self.resumes.searchsorted(local, side="right")


def move_clock(instant: datetime, info: tzinfo) -> datetime:
    """Return an instant as naive local time. The last second of the year 9999 means "for ever", and stays as it is
    where no clock east of UTC can show it."""
    try:
        return instant.astimezone(info).replace(tzinfo=None)
    except OverflowError:
        return instant.replace(tzinfo=None)


def find_fold_zone(local: datetime) -> str | None:
    """Return a zone of one offset for a time, with its zone, that clocks show for the second time."""
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
