"""RRULE, RDATE, EXDATE and changed dates of a VEVENT → the members of a record that recurs."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from outings.contract.instants import DAY, count_seconds, read_local
from pipeline.dates.rules import RecurrenceRule, RuleError, parse_rule
from pipeline.dates.series import LiveDates, Seconds, merge_starts
from pipeline.feeds.ics.lines import Component, unescape
from pipeline.feeds.ics.pattern import Pattern, exclude, list_dates, list_unmet, make_array, settle_rule
from pipeline.feeds.ics.rule_fitting import fit_rule, list_endless
from pipeline.feeds.ics.times import CalendarMoment, list_moments, take_written_day
from pipeline.feeds.ics.zones import UTC_CLOCK, Clock, Zones
from pipeline.feeds.raw import Note
from pipeline.records.values import MAX_ITEMS, YEARS

Members = dict[str, Any]


class Recurrence(Struct, frozen=True, kw_only=True):
    """A series as one VEVENT says it. Its pattern is on the clock of `starts`.

    `texts`: its readable rules. `added` and `excluded` are RDATE and EXDATE, `changed` what other VEVENTs stand for.
    `unread`: its only rule, which is none that we follow.
    """

    starts: CalendarMoment
    pattern: Pattern
    texts: tuple[str, ...]
    unread: str | None
    added: tuple[CalendarMoment, ...]
    excluded: tuple[CalendarMoment, ...]
    changed: tuple[CalendarMoment, ...]

    @property
    def is_days(self) -> bool:
        return self.starts.is_date

    @property
    def repeats(self) -> bool:
        return bool(self.texts or self.added or self.unread)


class SeriesOnClock(Struct, frozen=True, kw_only=True):
    """A series' dates on `clock`; its record has the clock `shown`. `days`: by how many days its weekdays on the
    clock shown differ from those in its rules; None if no rule can say them. `shift`: the difference between its own
    clock and this one, in seconds, if taken to be the same all year."""

    recurrence: Recurrence
    clock: Clock
    shown: Clock
    dates: LiveDates
    days: int | None
    shift: int | None = None

    @property
    def anchor(self) -> int:
        return count_seconds(self.recurrence.starts.on(self.clock))

    def place(self, moment: CalendarMoment) -> int:
        if self.shift is not None and not moment.is_date:
            return count_seconds(moment.on(self.recurrence.starts.clock)) + self.shift
        return count_seconds(moment.on(self.clock))

    def show(self, starts: Seconds) -> Seconds:
        """On the clock shown."""
        if self.clock is self.shown:
            return starts
        moments = [CalendarMoment(read_local(each), self.clock, is_date=False) for each in starts.tolist()]
        return make_array(count_seconds(moment.on(self.shown)) for moment in moments)


def read_recurrence(
    event: Component, starts: CalendarMoment, changed: Sequence[CalendarMoment], zones: Zones
) -> tuple[Recurrence, list[Note]]:
    added, notes = list_moments(event, "RDATE", zones, clock=starts.clock)
    excluded, wrong = list_moments(event, "EXDATE", zones, clock=starts.clock)
    notes += wrong
    if starts.is_date:
        added, excluded, changed = (
            [take_written_day(moment, zones) for moment in moments] for moments in (added, excluded, changed)
        )
    else:
        excluded += _list_added_on(excluded, added, starts.clock)
    texts, unread = _sort_rules(event, "RRULE", starts)
    exrules, others = _sort_rules(event, "EXRULE", starts)
    lost = [*(unread if texts else unread[1:]), *others]
    notes += [Note("rrule", "unsupported: one of several rules can't be followed", text) for text in lost]
    clock = starts.clock
    pattern = Pattern(
        anchor=count_seconds(starts.local),
        rules=_settle_all(texts, starts),
        exrules=_settle_all(exrules, starts),
        added=tuple(count_seconds(moment.on(clock)) for moment in added),
        excluded=tuple(count_seconds(moment.on(clock)) for moment in (*excluded, *changed)),
    )
    recurrence = Recurrence(
        starts=starts, pattern=pattern, texts=tuple(texts), unread=unread[0] if unread and not texts else None,
        added=tuple(added), excluded=tuple(excluded), changed=tuple(changed),
    )  # fmt: skip
    return recurrence, notes + _note_unmet(recurrence)


def place_recurrence(recurrence: Recurrence, zones: Zones) -> tuple[SeriesOnClock, list[Note]]:
    """Settle the clock of a series, with a note where it is assumed.

    A series in UTC repeats by the clock that the calendar or the metro names, as who writes "every Tuesday at ten"
    means it. So does one by another clock that is no zone's, unless it ends in sight: then its instants say it.
    """
    starts, dates = recurrence.starts, list_dates(recurrence.pattern)
    if starts.is_date or starts.clock.zone:
        return SeriesOnClock(recurrence=recurrence, clock=starts.clock, shown=starts.clock, dates=dates, days=0), []
    if starts.clock is not UTC_CLOCK and dates.has_end and dates.starts.size <= MAX_ITEMS:
        return SeriesOnClock(recurrence=recurrence, clock=starts.clock, shown=zones.metro, dates=dates, days=None), []
    shown = zones.calendar or zones.metro
    first = starts.on(shown)
    shift = count_seconds(first) - count_seconds(starts.local)
    added = make_array(count_seconds(moment.on(shown)) for moment in recurrence.added)
    own = make_array(recurrence.pattern.added)
    gone = exclude(own, recurrence.pattern.excluded)
    ruled = dates.starts[~np.isin(dates.starts, own)]
    live = LiveDates(starts=merge_starts(ruled + shift, added[~gone]), has_end=dates.has_end)
    days = (count_seconds(first) // DAY) - recurrence.pattern.anchor // DAY
    where, mark = ("in UTC", "Z") if starts.clock is UTC_CLOCK else ("by no zone's clock, without a near end,", "")
    reason = f"assumed: a series {where} repeats by the clock of {shown.zone}"
    note = Note("timezone", reason, f"DTSTART:{starts.local:%Y%m%dT%H%M%S}{mark}")
    return SeriesOnClock(recurrence=recurrence, clock=shown, shown=shown, dates=live, days=days, shift=shift), [note]


def list_series(recurrence: Recurrence, zones: Zones) -> tuple[Clock, Members, list[Note]]:
    """What a record says of all of it, and on which clock: the rule as it is written, where that says it."""
    clock = recurrence.starts.clock
    if recurrence.unread or (_is_plain(recurrence) and (recurrence.is_days or clock.zone)):
        shown = clock if clock.zone else zones.metro
        rule = recurrence.unread or next(iter(recurrence.texts), None)
        excluded = (*recurrence.excluded, *recurrence.changed)
        times = {"exdates": _show_all(excluded, shown), "rdates": _show_all(recurrence.added, shown)}
        return shown, times | ({} if rule is None else {"rrule": rule}), []
    placed, notes = place_recurrence(recurrence, zones)
    if not recurrence.repeats and placed.dates.starts.size:
        return placed.shown, {}, notes
    members, cut = say_placed(placed, placed.dates, starts=placed.anchor, is_days=recurrence.is_days)
    return placed.shown, members, notes + cut


def say_placed(
    placed: SeriesOnClock, dates: LiveDates, *, starts: int, is_days: bool, moved: int = 0
) -> tuple[Members, list[Note]]:
    """Of a series' dates, or some of them that were `moved` by days, the first of which is `starts`."""
    texts = placed.recurrence.texts
    candidates = [] if placed.days is None else list_endless(texts, days=placed.days + moved)
    anchor = int(placed.show(make_array([starts]))[0])
    shown = LiveDates(starts=placed.show(dates.starts), has_end=dates.has_end)
    return fit_rule(shown, anchor=anchor, candidates=candidates, is_days=is_days)


def _list_added_on(
    excluded: Sequence[CalendarMoment], added: Sequence[CalendarMoment], clock: Clock
) -> list[CalendarMoment]:
    """The dates that are added on a whole day which is excluded, where a record would say but its midnight."""
    days = {moment.local.date() for moment in excluded if moment.is_date}
    return [moment for moment in added if moment.on(clock).date() in days]


def _is_plain(recurrence: Recurrence) -> bool:
    return recurrence.repeats and len(recurrence.texts) < 2 and not recurrence.pattern.exrules


def _sort_rules(event: Component, name: str, starts: CalendarMoment) -> tuple[list[str], list[str]]:
    """Return the texts of rules, each once, and each part of one once: those that are followed, and the others."""
    texts: tuple[list[str], list[str]] = ([], [])
    plain = ("".join(unescape(line.value).split()).split(";") for line in event.get_all(name))
    for text in dict.fromkeys(";".join(dict.fromkeys(parts)) for parts in plain):
        texts[not _is_followed(text, starts)].append(text)
    return texts


def _is_followed(text: str, starts: CalendarMoment) -> bool:
    try:
        return not parse_rule(text).list_unsupported(None if starts.is_date else starts.local.time())
    except RuleError:
        return False


def _settle_all(texts: Sequence[str], starts: CalendarMoment) -> tuple[RecurrenceRule, ...]:
    return tuple(settle_rule(parse_rule(text), starts.clock, is_days=starts.is_date) for text in texts)


def _note_unmet(recurrence: Recurrence) -> list[Note]:
    if recurrence.unread or not recurrence.excluded:
        return []
    clock = recurrence.starts.clock
    excluded = {count_seconds(moment.on(clock)): moment for moment in recurrence.excluded}
    reason = "contradictory: the series has no such date to leave out"
    return [
        Note("exdates", reason, f"EXDATE:{excluded[each].local:%Y%m%dT%H%M%S}")
        for each in list_unmet(recurrence.pattern, excluded)
    ]


def _show_all(moments: Sequence[CalendarMoment], clock: Clock) -> list[str]:
    """On another clock the first hours of the first year that a record knows are of the year before."""
    return [local.isoformat() for moment in moments if (local := moment.on(clock)).year in YEARS]
