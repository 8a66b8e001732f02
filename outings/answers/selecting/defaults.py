"""The values in effect: what a request gave, and the defaults that hold on a local date."""

from collections.abc import Mapping
from datetime import date, timedelta

from msgspec import Struct

from outings.answers.selecting.filters import NAMES
from outings.contract.parameter import DateDefault, Default
from outings.contract.query import Query
from outings.contract.values import Value
from outings.contract.window import check_window

_DEFAULT_DAYS_AFTER = 30
_PLACES = {name: place for place, name in enumerate(NAMES)}


class EffectiveFilters(Struct, frozen=True, kw_only=True):
    """Filters in effect, in the order of the table of filters, and the names of those that came from a default."""

    values: Mapping[str, Value]
    defaults: tuple[str, ...]

    @property
    def min_confidence(self) -> float:
        """0, which drops nothing, where there is none."""
        value = self.values.get("min_confidence", 0)
        assert isinstance(value, float | int)
        return value

    def count_days(self) -> int:
        """Of the window, both ends included; 0 where one is open."""
        start, end = self.get_date("from"), self.get_date("to")
        return 0 if start is None or end is None else (end - start).days + 1

    def check_window(self, *, most_days_after: int) -> None:
        """Raises `contradictory` or `window_too_long` where a given end and a default start make no window."""
        start, end = self.get_date("from"), self.get_date("to")
        if start is not None and end is not None:
            check_window(start, end, most_days_after=most_days_after)

    def get_date(self, name: str) -> date | None:
        value = self.values.get(name)
        return value if isinstance(value, date) else None


def find_route_filters(query: Query) -> EffectiveFilters:
    """Of a route that is no list: those that it takes, in its own order; none moves with the date."""
    values: dict[str, Value] = {}
    defaults: list[str] = []
    for name, row in query.match.route.parameters.items():
        if not row.is_filter:
            continue
        if name in query.values:
            values[name] = query.values[name]
        elif row.default is not None and not isinstance(row.default, DateDefault):
            values[name] = row.default
            defaults.append(name)
    return EffectiveFilters(values=values, defaults=tuple(defaults))


def fill_defaults(own: Mapping[str, Default], given: Mapping[str, Value], *, today: date) -> EffectiveFilters:
    """`own`: the defaults of the filters that a route takes. `ids` knows no default, and sync mode no window of its
    own."""
    values: dict[str, Value] = {}
    defaults: list[str] = []
    for name in sorted((own.keys() | given.keys()) & _PLACES.keys(), key=_PLACES.__getitem__):
        if name in given:
            values[name] = given[name]
        elif _takes_default(name, given):
            values[name] = _find_default(own[name], values, today=today)
            defaults.append(name)
    return EffectiveFilters(values=values, defaults=tuple(defaults))


def _takes_default(name: str, given: Mapping[str, Value]) -> bool:
    if "ids" in given or ("changed_since" in given and name in ("from", "to")):
        return False
    return name != "radius_m" or "lat" in given or "near_zip" in given


def _find_default(default: Default, values: Mapping[str, Value], *, today: date) -> Value:
    if default is DateDefault.LOCAL_DATE:
        return today
    if default is DateDefault.FROM_PLUS_30_DAYS:
        start = values["from"]
        assert isinstance(start, date)
        return start + timedelta(days=_DEFAULT_DAYS_AFTER)
    return default
