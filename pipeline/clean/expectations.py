"""Compare a feed with its settings `[feeds.expect]`: number of rows, unique and filled members, freshness."""

import operator
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from outings.configuration import FeedTable

_COMPARISONS = {
    ">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt, "=": operator.eq,
}  # fmt: skip
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
# Names that stand for the first of several members.
ALIASES: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "source_id"),
    "starts": ("starts_local", "date_on", "term.starts_on", "sessions"),
}


class ExpectationSurvey:
    """A survey of a feed's raw records that checks the expectations `rows`, `unique` and `not_null`."""

    def __init__(self, feed: FeedTable) -> None:
        self._feed = feed
        self._values = {name: Counter[str]() for name in _list_names(feed.expect.unique)}
        self._empty = dict.fromkeys(_list_names(feed.expect.not_null), 0)

    def add(self, value: object) -> None:
        """Count one raw record, unless it is a removal or no object."""
        if not isinstance(value, dict) or value.get("deleted") is True:
            return
        for name, counter in self._values.items():
            if (stated := _find_value(value, name)) is not None:
                counter[str(stated)] += 1
        for name in self._empty:
            self._empty[name] += _find_value(value, name) is None

    def list_missed(self, rows: int) -> Iterator[str]:
        """Yield a sentence for each expectation that the feed does not meet. `rows`: the number of records read."""
        match = re.fullmatch(r"(\D+?) ?(\d+)", self._feed.expect.rows)
        if match is not None and not _COMPARISONS[match[1]](rows, int(match[2])):
            yield f"rows = {self._feed.expect.rows!r}, and there are {rows:,}"
        for name, counter in self._values.items():
            if twice := [(value, count) for value, count in counter.items() if count > 1]:
                value, count = twice[0]
                yield f"unique = {name!r}, and {len(twice):,} values come more than once, as {value} ({count:,} times)"
        for name, count in self._empty.items():
            if count:
                yield f"not_null = {name!r}, and {count:,} of {rows:,} have none"


def explain_stale(feed: FeedTable, newest: datetime | None, *, now: datetime) -> Iterator[str]:
    """Yield a sentence if the feed's `newest` time is unknown, or older than `expect.fresh` allows."""
    if not (match := re.fullmatch(r"(\d+) ?([hdw])", feed.expect.fresh)):
        return
    if newest is None:
        yield f"fresh = {feed.expect.fresh!r}, and nothing says how old it is"
    elif now - newest > int(match[1]) * _UNITS[match[2]]:
        yield f"fresh = {feed.expect.fresh!r}, and the newest is of {newest:%Y-%m-%d %H:%M} UTC"


def list_names(feed: FeedTable) -> tuple[str, ...]:
    """Return the members for which `unique` or `not_null` is expected."""
    return (*_list_names(feed.expect.unique), *_list_names(feed.expect.not_null))


def _list_names(stated: str | tuple[str, ...]) -> tuple[str, ...]:
    return (stated,) if isinstance(stated, str) else stated


def _find_value(record: Mapping[str, Any], name: str) -> Any:
    """Return the first value at `name`, or at the paths for which the alias `name` stands; None if all are empty."""
    for path in ALIASES.get(name, (name,)):
        value: Any = record
        for step in path.split("."):
            value = value.get(step) if isinstance(value, dict) else None
        if value not in (None, "", [], {}):
            return value
    return None
