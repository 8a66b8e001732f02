"""A series that changes for this date and all that follow (RANGE=THISANDFUTURE) → what each part of it says."""

from collections.abc import Sequence

from outings.contract.instants import DAY, count_seconds, read_local
from pipeline.dates.series import LiveDates, merge_starts
from pipeline.feeds.ics.pattern import exclude, list_unmet, make_array
from pipeline.feeds.ics.series import Members, Recurrence, SeriesOnClock, place_recurrence, say_placed
from pipeline.feeds.ics.times import CalendarMoment
from pipeline.feeds.ics.zones import Zones
from pipeline.feeds.raw import Note


def list_before(placed: SeriesOnClock, splits: Sequence[CalendarMoment]) -> tuple[Members, list[Note]]:
    """The series up to its first split."""
    end = min(placed.place(at) for at in splits)
    starts = placed.dates.starts
    dates = LiveDates(starts=starts[starts < end], has_end=True)
    return say_placed(placed, dates, starts=placed.anchor, is_days=placed.recurrence.is_days)


def list_after(
    placed: SeriesOnClock, at: CalendarMoment, own: Recurrence, *, splits: Sequence[CalendarMoment], zones: Zones
) -> tuple[Members, list[Note]]:
    """The series from the split `at` on, to the next: as its own rule says there, or else as before, moved by as much
    as that date is. What stands for a date names it by when it was to be, or by when it is now."""
    first, starts = placed.place(at), count_seconds(own.starts.on(placed.clock))
    end = min((later for split in splits if (later := placed.place(split)) > first), default=None)
    if own.texts:
        again, notes = place_recurrence(own, zones)
        dates = _cut(again.dates, again.anchor, None if end is None else end + again.anchor - first)
        members, cut = say_placed(again, dates, starts=again.anchor, is_days=own.is_days)
        return members, notes + cut
    moved = starts - first
    dates = _cut(placed.dates, first, end)
    pattern, clock = placed.recurrence.pattern, placed.recurrence.starts.clock
    unmet = [CalendarMoment(read_local(each), clock, own.is_days) for each in list_unmet(pattern, pattern.excluded)]
    gone = [placed.place(moment) for moment in (*unmet, *own.excluded)]
    is_excluded = count_seconds(at.on(clock)) in pattern.excluded
    live = merge_starts(dates.starts, make_array([] if is_excluded else [first])) + moved
    live = live[~exclude(live, gone)]
    if own.is_days:
        live = merge_starts(live - live % DAY)
    dates = LiveDates(starts=live, has_end=dates.has_end)
    return say_placed(placed, dates, starts=starts, is_days=own.is_days, moved=starts // DAY - first // DAY)


def _cut(dates: LiveDates, first: int, end: int | None) -> LiveDates:
    starts = dates.starts[dates.starts >= first]
    if end is None:
        return LiveDates(starts=starts, has_end=dates.has_end)
    return LiveDates(starts=starts[starts < end], has_end=True)
