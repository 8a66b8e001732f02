"""Turn RRULE, RDATE, EXDATE and changed dates of a VEVENT into the members of a record that recurs.

Local times are naive seconds since 1970, as those of `pipeline.dates.series`."""

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

import msgspec
import numpy as np
from msgspec import Struct

from outings.contract.values import DAY, count_seconds, number_day, read_local
from pipeline.dates.rule_days import TIMES, WEEKDAY_CODES, RecurrenceRule, RuleError, list_days, parse_rule
from pipeline.dates.series import LiveDates, Seconds, Series, find_excluded, list_live, localize_until, merge_starts
from pipeline.dates.zones import find_zone, move_clock
from pipeline.fetch.formats import Note
from pipeline.fetch.ics.lines import Component, unescape
from pipeline.fetch.ics.times import UTC_CLOCK, CalendarMoment, Clock, Zones, list_periods, take_written_day
from pipeline.records.values import MAX_ITEMS, YEARS

# A series without an end is listed up to here, and compared with the rule that says it up to a year before: some of its
# dates may be moved.
_FOLLOWED = number_day(date(2100, 1, 1))
COMPARED = number_day(date(2099, 1, 1)) * DAY


class Recurrence(Struct, frozen=True, kw_only=True):
    """A series as one VEVENT states it.

    `texts`: the RRULEs that we follow; `rules` and `exrules` are parsed, with UNTIL on the clock of `starts`. `added`
    and `excluded`: of RDATE and EXDATE; `changed`: dates that other VEVENTs replace. `unread`: its only rule, if we
    can't follow it.
    """

    starts: CalendarMoment
    texts: tuple[str, ...]
    unread: str | None
    rules: tuple[RecurrenceRule, ...]
    exrules: tuple[RecurrenceRule, ...]
    added: tuple[CalendarMoment, ...]
    excluded: tuple[CalendarMoment, ...]
    changed: tuple[CalendarMoment, ...]

    @property
    def anchor(self) -> int:
        return count_seconds(self.starts.local)

    @property
    def gone(self) -> Seconds:
        """The dates that EXDATE or other VEVENTs take away."""
        return self.place((*self.excluded, *self.changed))

    def place(self, moments: Iterable[CalendarMoment]) -> Seconds:
        """Return moments as local seconds on the clock of `starts`."""
        return make_array(count_seconds(moment.on(self.starts.clock)) for moment in moments)


def _list_named(recurrence: Recurrence, *, last_day: int = _FOLLOWED) -> LiveDates:
    """List the dates of rules and RDATEs, also excluded ones. Of several rules, only one that falls on the first date
    counts it."""
    rules, anchor = recurrence.rules, recurrence.anchor
    counted = rules if len(rules) == 1 else [_count_own(rule, anchor) for rule in rules]
    parts = [_list_ruled(rule, anchor, last_day=last_day) for rule in counted]
    starts = merge_starts(make_array([anchor]), recurrence.place(recurrence.added), *(part.starts for part in parts))
    return LiveDates(starts=starts, has_end=all(part.has_end for part in parts))


def _list_dates(recurrence: Recurrence) -> LiveDates:
    """List the dates that take place, as if clocks never skipped a time. An EXRULE excludes the first date only if it
    falls on it."""
    named, anchor = _list_named(recurrence), recurrence.anchor
    gone = find_excluded(named.starts, recurrence.gone)
    for rule in recurrence.exrules:
        own = _list_ruled(_count_own(rule, anchor), anchor).starts
        gone |= np.isin(named.starts, own if _falls_on(rule, anchor) else own[own != anchor])
    return LiveDates(starts=named.starts[~gone], has_end=named.has_end)


def _list_ruled(
    rule: RecurrenceRule, anchor: int, *, last: datetime | None = None, last_day: int = _FOLLOWED
) -> LiveDates:
    """List the dates of one rule from `anchor` on, up to `last` or, without it, the rule's own end."""
    if last is not None:
        rule = msgspec.structs.replace(rule, until=last, count=None)
    return list_live(
        Series(zone=find_zone("UTC"), anchor=anchor, rule=rule, added=(), excluded=(), has_time=True, last_day=last_day)
    )


def list_unmet(recurrence: Recurrence, excluded: Seconds) -> Seconds:
    """Return those of the `excluded` dates that the series does not have."""
    if not excluded.size:
        return excluded
    named = _list_named(recurrence, last_day=int(excluded.max()) // DAY).starts
    return excluded[~np.isin(excluded, np.append(named, named - named % DAY))]


def _count_own(rule: RecurrenceRule, anchor: int) -> RecurrenceRule:
    if rule.count is None or _falls_on(rule, anchor):
        return rule
    return msgspec.structs.replace(rule, count=rule.count + 1)


def _falls_on(rule: RecurrenceRule, anchor: int) -> bool:
    return bool(list_days(rule, anchor=anchor // DAY, last=anchor // DAY).size)


def make_array(seconds: Iterable[int]) -> Seconds:
    return np.fromiter(seconds, dtype=np.int64)


# A rule that names the first date alone: for a series of which nothing takes place.
_ONCE = "FREQ=DAILY;COUNT=1"
# Days by their numbers: on other days of the week they are others.
_NUMBERED = ("BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYMONTH")

Parts = dict[str, str]
Members = dict[str, Any]


class _RuleFit(NamedTuple):
    """A candidate rule, or none, with the dates that it lacks (`missing`) and those that it adds (`extra`)."""

    rule: str | None
    missing: Seconds
    extra: Seconds


def _try_rule(text: str, dates: LiveDates, *, anchor: int, is_days: bool) -> _RuleFit:
    last = read_local(max(anchor, int(dates.starts[-1]) if dates.starts.size else anchor)) if dates.has_end else None
    starts, wanted = _list_ruled(parse_rule(text), anchor, last=last).starts, dates.starts
    if last is None:
        starts, wanted = starts[starts < COMPARED], wanted[wanted < COMPARED]
    return _RuleFit(
        rule=text if last is None else f"{text};UNTIL={last:%Y%m%d}" + ("" if is_days else f"T{last:%H%M%S}"),
        missing=np.setdiff1d(wanted, starts, assume_unique=True),
        extra=np.setdiff1d(starts, wanted, assume_unique=True),
    )


def _show_all(seconds: Iterable[int]) -> list[str]:
    """Format dates as ISO 8601, without those outside the years that a record may have."""
    return [local.isoformat() for second in seconds if (local := read_local(second)).year in YEARS]


def _list_endless(texts: Sequence[str], *, days: int) -> list[str]:
    """List candidate rules without UNTIL, COUNT and times: each rule, and all joined if possible, with weekdays moved
    by `days`. The texts must be valid."""
    rules: list[Parts] = [
        {name: value for name, value in parse_rule(text).parts if name not in TIMES} for text in texts
    ]
    shifted = [_shift(parts, days) for parts in (_join(rules), *rules) if parts is not None]
    written = (";".join(f"{name}={value}" for name, value in parts.items()) for parts in shifted if parts is not None)
    return list(dict.fromkeys(written))


def _join(rules: Sequence[Parts]) -> Parts | None:
    """Join rules that differ in one list, as BYDAY=MO and BYDAY=WE. Returns None if they differ more."""
    first = rules[0] if rules else {}
    differing = {name for parts in rules for name in {*first, *parts} if parts.get(name) != first.get(name)}
    name = next(iter(differing), "")
    if len(differing) != 1 or not name.startswith("BY") or not all(name in parts for parts in rules):
        return None
    words = dict.fromkeys(word for parts in rules for word in parts[name].split(","))
    return first | {name: ",".join(words)}


def _shift(parts: Parts, days: int) -> Parts | None:
    """Move a rule's weekdays by `days`. Returns None if no rule states the result: the day after the second Tuesday is
    not the second Wednesday."""
    frequency = parts["FREQ"]
    if days == 0 or (frequency == "DAILY" and parts.keys() <= {"FREQ", "INTERVAL", "WKST"}):
        return parts
    if frequency not in ("DAILY", "WEEKLY") or any(name in parts for name in _NUMBERED):
        return None
    # Where a week begins says nothing of a rule that takes every week whole.
    counts = frequency == "WEEKLY" and parts.keys() & {"INTERVAL", "BYSETPOS", "WKST"}
    shifted = parts | ({"WKST": parts.get("WKST", "MO")} if counts else {})
    for name in ("BYDAY", "WKST"):
        if name in shifted:
            numbers = (WEEKDAY_CODES.index(code.strip()) for code in shifted[name].split(","))
            shifted[name] = ",".join(WEEKDAY_CODES[(number + days) % 7] for number in numbers)
    return shifted


class SeriesOnClock(Struct, frozen=True, kw_only=True):
    """A series' dates on `clock`; its record has the clock `shown`. `days`: by how many days its weekdays on that clock
    differ from those in its rules; None if no rule can state them. `shift`: the seconds between its own clock and this
    one, if taken as constant all year."""

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
        """Convert starts to the clock `shown`."""
        if self.clock is self.shown:
            return starts
        moments = [CalendarMoment(read_local(second), self.clock, is_date=False) for second in starts.tolist()]
        return make_array(count_seconds(moment.on(self.shown)) for moment in moments)


def read_recurrence(
    event: Component, starts: CalendarMoment, changed: Sequence[CalendarMoment], zones: Zones
) -> tuple[Recurrence, list[Note]]:
    notes, stated = list[Note](), []
    for name in ("RDATE", "EXDATE"):
        periods, wrong = list_periods(event, name, zones, clock=starts.clock)
        stated.append([period.starts for period in periods])
        notes += wrong
    added, excluded = stated
    texts, unread = _sort_rules(event, "RRULE", starts)
    if (local := _choose_clock(texts, starts, zones)) is not starts:
        reason = f"assumed: the weekdays of a series in UTC are those of the clock of {local.clock.zone}"
        notes.append(Note("timezone", reason, f"DTSTART:{starts.local:%Y%m%dT%H%M%S}Z"))
        starts = local
    if starts.is_date:
        added, excluded, changed = (
            [take_written_day(moment, zones) for moment in moments] for moments in (added, excluded, changed)
        )
    else:  # of an excluded whole day a record would exclude only the midnight, and not what is added on it
        days = {moment.local.date() for moment in excluded if moment.is_date}
        excluded += [moment for moment in added if moment.on(starts.clock).date() in days]
    if line := event.get("DTSTART"):
        is_floating = not (starts.is_date or "TZID" in line.parameters or line.value.strip().upper().endswith("Z"))
        in_utc = [text for text in texts if is_floating and _UNTIL_IN_UTC.search(text)]
        reason = "assumed: UNTIL is in UTC and DTSTART has no zone: both are by the same clock"
        notes += [Note("rrule", reason, text) for text in in_utc]
        texts = [_UNTIL_IN_UTC.sub(r"\1", text) if text in in_utc else text for text in texts]
    exrules, others = _sort_rules(event, "EXRULE", starts)
    lost = [*(unread if texts else unread[1:]), *others]
    notes += [Note("rrule", "unsupported: one of several rules can't be followed", text) for text in lost]
    recurrence = Recurrence(
        starts=starts, texts=tuple(texts), unread=unread[0] if unread and not texts else None,
        rules=_settle_rules(texts, starts), exrules=_settle_rules(exrules, starts), added=tuple(added),
        excluded=tuple(excluded), changed=tuple(changed),
    )  # fmt: skip
    return recurrence, notes + _note_unmet(recurrence)


_UNTIL_IN_UTC = re.compile(r"(UNTIL=[^;]*)Z", re.IGNORECASE)


def _choose_clock(texts: Sequence[str], starts: CalendarMoment, zones: Zones) -> CalendarMoment:
    """Return the start of a series in UTC by the local clock if its rules fall on it there, and not in UTC: then their
    weekdays are local."""
    if starts.clock is not UTC_CLOCK or starts.is_date:
        return starts
    clock = zones.calendar or zones.metro
    local, rules = starts._replace(local=starts.on(clock), clock=clock), [parse_rule(text) for text in texts]
    in_utc, in_local = (
        [_falls_on(rule, count_seconds(moment.local)) for rule in rules] for moment in (starts, local)
    )  # fmt: skip
    return local if all(in_local) and not all(in_utc) and not any(rule.times for rule in rules) else starts


def place_recurrence(recurrence: Recurrence, zones: Zones) -> tuple[SeriesOnClock, list[Note]]:
    """Choose the clock of a series. Return its dates on it, with a note if the clock is assumed.

    A series in UTC repeats by the calendar's or metro's clock, because whoever writes "every Tuesday at ten" means
    that. So does one by a clock of the file's own, unless it ends soon: then its instants count.
    """
    starts, dates = recurrence.starts, _list_dates(recurrence)
    if starts.is_date or starts.clock.zone:
        return SeriesOnClock(recurrence=recurrence, clock=starts.clock, shown=starts.clock, dates=dates, days=0), []
    if starts.clock is not UTC_CLOCK and dates.has_end and dates.starts.size <= MAX_ITEMS:
        return SeriesOnClock(recurrence=recurrence, clock=starts.clock, shown=zones.metro, dates=dates, days=None), []
    shown = zones.calendar or zones.metro
    first = starts.on(shown)
    shift = count_seconds(first) - count_seconds(starts.local)
    added = make_array(count_seconds(moment.on(shown)) for moment in recurrence.added)
    own = recurrence.place(recurrence.added)
    gone = find_excluded(own, recurrence.gone)
    ruled = dates.starts[~np.isin(dates.starts, own)]
    live = LiveDates(starts=merge_starts(ruled + shift, added[~gone]), has_end=dates.has_end)
    days = (count_seconds(first) // DAY) - recurrence.anchor // DAY
    where, mark = ("in UTC", "Z") if starts.clock is UTC_CLOCK else ("by no zone's clock, without a near end,", "")
    reason = f"assumed: a series {where} repeats by the clock of {shown.zone}"
    note = Note("timezone", reason, f"DTSTART:{starts.local:%Y%m%dT%H%M%S}{mark}")
    return SeriesOnClock(recurrence=recurrence, clock=shown, shown=shown, dates=live, days=days, shift=shift), [note]


def list_series(recurrence: Recurrence, zones: Zones) -> tuple[Clock, Members, list[Note]]:
    """Return clock, members and notes of the whole series. If one rule says it, the rule is as written."""
    clock, repeats = recurrence.starts.clock, bool(recurrence.texts or recurrence.added or recurrence.unread)
    is_plain = repeats and len(recurrence.texts) < 2 and not recurrence.exrules
    if recurrence.unread or (is_plain and (recurrence.starts.is_date or clock.zone)):
        shown = clock if clock.zone else zones.metro
        rule = recurrence.unread or next(iter(recurrence.texts), None)
        dates = {"exdates": (*recurrence.excluded, *recurrence.changed), "rdates": recurrence.added}
        members: Members = {
            name: _show_all(count_seconds(moment.on(shown)) for moment in moments) for name, moments in dates.items()
        }
        return shown, members | ({} if rule is None else {"rrule": rule}), []
    placed, notes = place_recurrence(recurrence, zones)
    if not repeats and placed.dates.starts.size:
        return placed.shown, {}, []  # an instant is the same by each clock
    members, cut = _express(placed, placed.dates, starts=placed.anchor, is_days=recurrence.starts.is_date)
    return placed.shown, members, notes + cut


def _express(
    placed: SeriesOnClock, dates: LiveDates, *, starts: int, is_days: bool, moved: int = 0
) -> tuple[Members, list[Note]]:
    """Return the members that state these dates with fewest exceptions. They begin at `starts`, and are the series'
    own, or `moved` by so many days. If a record can't hold all exceptions, they are cut, with a note."""
    candidates = [] if placed.days is None else _list_endless(placed.recurrence.texts, days=placed.days + moved)
    first = placed.show(make_array([starts]))
    anchor, shown = int(first[0]), LiveDates(starts=placed.show(dates.starts), has_end=dates.has_end)
    fits = [_try_rule(text, shown, anchor=anchor, is_days=is_days) for text in candidates]
    if dates.has_end or not fits:
        others = shown.starts[shown.starts != anchor]
        fits.append(_RuleFit(None if others.size else _ONCE, others, first[~np.isin(first, shown.starts)]))
    rule, missing, extra = min(fits, key=lambda fit: fit.missing.size + fit.extra.size)
    members: Members = {
        "rdates": _show_all(missing[:MAX_ITEMS].tolist()),
        "exdates": _show_all(extra[:MAX_ITEMS].tolist()),
    }
    if rule is not None:
        members["rrule"] = rule
    cut = [int(exceptions[MAX_ITEMS]) for exceptions in (missing, extra) if exceptions.size > MAX_ITEMS]
    if not cut:
        return members, []
    reason = f"too_long: a record names {MAX_ITEMS} dates in addition to its rule; from this one on some are wrong"
    return members, [Note("rrule", reason, f"{read_local(min(cut)):%Y%m%dT%H%M%S}")]


def _sort_rules(event: Component, name: str, starts: CalendarMoment) -> tuple[list[str], list[str]]:
    """Return the rules that we follow, and the others, without duplicates. `name`: RRULE or EXRULE."""
    followed, others = list[str](), list[str]()
    plain = ("".join(unescape(line.value).split()).split(";") for line in event.get_all(name))
    for text in dict.fromkeys(";".join(dict.fromkeys(parts)) for parts in plain):
        try:
            unsupported = parse_rule(text).list_unsupported(None if starts.is_date else starts.local.time())
        except RuleError:
            unsupported = (text,)
        (others if unsupported else followed).append(text)
    return followed, others


def _settle_rules(texts: Sequence[str], starts: CalendarMoment) -> tuple[RecurrenceRule, ...]:
    """Parse rules, and convert their UNTIL to the clock of the series."""
    rules, clock = [parse_rule(text) for text in texts], starts.clock
    if clock.zone:
        return tuple(localize_until(rule, find_zone(clock.zone), has_time=not starts.is_date) for rule in rules)
    return tuple(
        msgspec.structs.replace(rule, until=move_clock(rule.until, clock.info))
        if rule.until is not None and rule.until.tzinfo is not None else rule
        for rule in rules
    )  # fmt: skip


def _note_unmet(recurrence: Recurrence) -> list[Note]:
    if recurrence.unread or not recurrence.excluded:
        return []
    clock = recurrence.starts.clock
    excluded = {count_seconds(moment.on(clock)): moment for moment in recurrence.excluded}
    unmet = list_unmet(recurrence, make_array(excluded)).tolist()
    reason = "contradictory: the series has no such date to leave out"
    if not (unmet or recurrence.changed or _list_dates(recurrence).starts.size):
        unmet, reason = [max(excluded)], "contradictory: all dates of the series are left out"
    return [Note("exdates", reason, f"EXDATE:{excluded[second].local:%Y%m%dT%H%M%S}") for second in unmet]


def list_before(placed: SeriesOnClock, splits: Sequence[CalendarMoment]) -> tuple[Members, list[Note]]:
    """Return members and notes of the series up to its first split, from which on another VEVENT changes it."""
    starts, end = placed.dates.starts, min(map(placed.place, splits))
    dates = LiveDates(starts=starts[starts < end], has_end=True)
    return _express(placed, dates, starts=placed.anchor, is_days=placed.recurrence.starts.is_date)


def list_after(
    placed: SeriesOnClock, at: CalendarMoment, own: Recurrence, *, splits: Sequence[CalendarMoment], zones: Zones
) -> tuple[Members, list[Note]]:
    """Return members of the series from the split `at` on, to the next.

    They follow the split's own rule, or else the series' dates, moved as far as the date of the split was.
    RECURRENCE-ID may be that date's original or its new time.
    """
    first, starts = placed.place(at), count_seconds(own.starts.on(placed.clock))
    end = min((later for split in splits if (later := placed.place(split)) > first), default=None)
    if own.texts:
        again, notes = place_recurrence(own, zones)
        dates = _cut(again.dates, again.anchor, None if end is None else end + again.anchor - first)
        members, cut = _express(again, dates, starts=again.anchor, is_days=own.starts.is_date)
        return members, notes + cut
    moved = starts - first
    dates = _cut(placed.dates, first, end)
    whole, is_days = placed.recurrence, own.starts.is_date
    unmet = list_unmet(whole, whole.gone).tolist()
    stated = [CalendarMoment(read_local(second), whole.starts.clock, is_days) for second in unmet]
    gone = [placed.place(moment) for moment in (*stated, *own.excluded)]
    is_excluded = whole.place([at])[0] in whole.gone
    live = merge_starts(dates.starts, make_array([] if is_excluded else [first])) + moved
    live = live[~find_excluded(live, make_array(gone))]
    if is_days:
        live = merge_starts(live - live % DAY)
    dates = LiveDates(starts=live, has_end=dates.has_end)
    return _express(placed, dates, starts=starts, is_days=is_days, moved=starts // DAY - first // DAY)


def _cut(dates: LiveDates, first: int, end: int | None) -> LiveDates:
    starts = dates.starts[dates.starts >= first]
    if end is None:
        return LiveDates(starts=starts, has_end=dates.has_end)
    return LiveDates(starts=starts[starts < end], has_end=True)
