"""RRULE, RDATE, EXDATE and changed dates of a VEVENT → the members of a record that recurs."""

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any

import msgspec

from pipeline.dates.rules import WEEKDAY_CODES, Rule, RuleError, parse_rule
from pipeline.dates.series import Series, count_seconds, list_live
from pipeline.dates.zones import find_zone, move_clock
from pipeline.feeds.ics.lines import Component
from pipeline.feeds.ics.times import Moment, Unreadable, parse_moments
from pipeline.feeds.ics.zones import Clock, Zones
from pipeline.records.values import MAX_ITEMS

_EPOCH = datetime(1970, 1, 1)


def list_series(
    event: Component, starts: Moment, changed: Sequence[Moment], *, shown: Clock, zones: Zones
) -> dict[str, Any]:
    """Nothing for a single event. `changed`: dates that other VEVENTs stand for; `shown`: the clock of the record."""
    added = [moment for line in event.get_all("RDATE") for moment in parse_moments(line, zones)]
    excluded = [moment for line in event.get_all("EXDATE") for moment in parse_moments(line, zones)]
    excluded += changed
    rules = event.get_all("RRULE")
    if rest := [*rules[1:], *event.get_all("EXRULE")]:
        raise Unreadable("unsupported: allowed is one RRULE, with RDATE and EXDATE", rest[0])
    if not rules and not added:
        return {}
    rule = "".join(rules[0].value.split()) if rules else None
    if rule is None or starts.is_date or starts.clock.zone:
        members = {"exdates": _show_all(excluded, shown), "rdates": _show_all(added, shown)}
        return members | ({} if rule is None else {"rrule": rule})
    return _convert_series(rule, starts, added=added, excluded=excluded, shown=shown)


def _show_all(moments: Sequence[Moment], clock: Clock) -> list[str]:
    return [moment.on(clock).isoformat() for moment in moments]


def _convert_series(
    text: str, starts: Moment, *, added: Sequence[Moment], excluded: Sequence[Moment], shown: Clock
) -> dict[str, Any]:
    """A rule by a clock that is no zone's. One that ends in sight is given as its instants; one that does not repeats
    by the clock shown, as a wall calendar does, from its first instant on."""
    clock = starts.clock
    try:
        rule = parse_rule(text)
    except RuleError:
        return {"rrule": text}
    if rule.list_unsupported(starts.local.time()):
        return {"rrule": text}
    dates = _list_instants(rule, starts, [moment.on(clock) for moment in excluded])
    if dates is not None:
        moments = [Moment(local, clock, is_date=False) for local in dates if local != starts.local]
        gone = [] if starts.local in dates else [starts]
        return {"rdates": _show_all([*moments, *added], shown), "exdates": _show_all(gone, shown)}
    shift = starts.on(shown) - starts.local
    hidden = [moment.local if moment.is_date else moment.on(clock) + shift for moment in excluded]
    return {
        "rrule": _shift_rule(text, rule, (starts.on(shown).date() - starts.local.date()) // timedelta(days=1)),
        "rdates": _show_all(added, shown),
        "exdates": [local.isoformat() for local in hidden],
    }


def _list_instants(rule: Rule, starts: Moment, excluded: Sequence[datetime]) -> list[datetime] | None:
    """Its dates by its own clock, which skips no time as UTC does not; None for more than a record can name."""
    series = Series(
        zone=find_zone("UTC"), anchor=count_seconds(starts.local), rule=_localize_until(rule, starts.clock), added=(),
        excluded=tuple(excluded), has_time=True, last_day=(date(2100, 1, 1) - _EPOCH.date()).days,
    )  # fmt: skip
    live = list_live(series)
    if not live.has_end or live.starts.size > MAX_ITEMS:
        return None
    return [_EPOCH + timedelta(seconds=seconds) for seconds in live.starts.tolist()]


def _localize_until(rule: Rule, clock: Clock) -> Rule:
    if rule.until is None or rule.until.tzinfo is None:
        return rule
    return msgspec.structs.replace(rule, until=move_clock(rule.until, clock.info))


def _shift_rule(text: str, rule: Rule, days: int) -> str:
    """Its weekdays where the clock shown is a day behind or ahead; other days of a month are none that a rule says."""
    if days == 0 or (rule.frequency == "DAILY" and not (rule.weekdays or rule.month_days or rule.months)):
        return text
    if rule.frequency not in ("WEEKLY", "DAILY") or rule.month_days or rule.months or rule.positions:
        raise Unreadable("unsupported: an endless RRULE in UTC, of days of a month that are other ones here")
    return re.sub(
        r"(BYDAY|WKST)=([A-Z,]+)",
        lambda found: f"{found[1]}={','.join(_shift_weekday(code, days) for code in found[2].split(','))}",
        text.upper(),
    )


def _shift_weekday(code: str, days: int) -> str:
    return WEEKDAY_CODES[(WEEKDAY_CODES.index(code) + days) % 7]
