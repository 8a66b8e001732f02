"""Dates → the recurrence rule that fits them best, with the dates that it lacks or has too many: `rrule`, `exdates`,
`rdates`."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from outings.contract.instants import read_local
from pipeline.dates.rules import parse_rule
from pipeline.dates.series import LiveDates, Seconds
from pipeline.feeds.ics.pattern import COMPARED, list_ruled
from pipeline.feeds.ics.rule_texts import end_rule
from pipeline.feeds.raw import Note
from pipeline.records.values import MAX_ITEMS, YEARS

# A rule that names the first date alone: for a series of which nothing takes place.
_ONCE = "FREQ=DAILY;COUNT=1"


class _RuleFit(Struct, frozen=True, kw_only=True):
    """A rule, or none; `missing` and `extra`: the dates that it lacks, and that it has too many."""

    rule: str | None
    missing: Seconds
    extra: Seconds

    @property
    def cost(self) -> int:
        return self.missing.size + self.extra.size


def fit_rule(
    dates: LiveDates, *, anchor: int, candidates: Sequence[str], is_days: bool
) -> tuple[dict[str, Any], list[Note]]:
    """`candidates`: rules without an end. If no rule fits dates without an end, as many of them as a record takes."""
    ways = [_try_rule(text, dates, anchor=anchor, is_days=is_days) for text in candidates]
    if dates.has_end or not ways:
        ways.append(_list_alone(dates, anchor))
    fit = min(ways, key=lambda way: way.cost)
    missing, extra = fit.missing[:MAX_ITEMS], fit.extra[:MAX_ITEMS]
    members: dict[str, Any] = {"rdates": _show_all(missing), "exdates": _show_all(extra)}
    if fit.rule is not None:
        members["rrule"] = fit.rule
    return members, _note_cut(fit)


def _try_rule(text: str, dates: LiveDates, *, anchor: int, is_days: bool) -> _RuleFit:
    last = read_local(max(anchor, int(dates.starts[-1]) if dates.starts.size else anchor)) if dates.has_end else None
    starts, wanted = list_ruled(parse_rule(text), anchor, last=last).starts, dates.starts
    if last is None:
        starts, wanted = starts[starts < COMPARED], wanted[wanted < COMPARED]
    return _RuleFit(
        rule=text if last is None else end_rule(text, last, is_days=is_days),
        missing=np.setdiff1d(wanted, starts, assume_unique=True),
        extra=np.setdiff1d(starts, wanted, assume_unique=True),
    )


def _list_alone(dates: LiveDates, anchor: int) -> _RuleFit:
    first = np.array([anchor], dtype=np.int64)
    missing, extra = dates.starts[dates.starts != anchor], first[~np.isin(first, dates.starts)]
    return _RuleFit(rule=None if missing.size else _ONCE, missing=missing, extra=extra)


def _note_cut(fit: _RuleFit) -> list[Note]:
    cut = [int(each[MAX_ITEMS]) for each in (fit.missing, fit.extra) if each.size > MAX_ITEMS]
    if not cut:
        return []
    reason = f"too_long: a record names {MAX_ITEMS} dates in addition to its rule; from this one on some are wrong"
    return [Note("rrule", reason, f"{read_local(min(cut)):%Y%m%dT%H%M%S}")]


def _show_all(seconds: Seconds) -> list[str]:
    """As far as a record knows years: a rule of a thousand years may be said by its dates."""
    return [local.isoformat() for each in seconds.tolist() if (local := read_local(each)).year in YEARS]
