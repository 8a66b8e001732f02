"""The filters of lists: their conditions and defaults, and the selections of rows that they make."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from functools import partial
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.plan import Position
from outings.answers.snapshot.opening_hours import number_minute
from outings.contract.parameters import PARAMETERS
from outings.contract.query import Entitlement, Query, check_window
from outings.contract.routes import LIST_DAYS_AFTER, LISTS, ROUTES, Route, list_defaults
from outings.contract.text import TextQuery, fold_text, parse_text
from outings.contract.values import (
    DateDefault,
    Default,
    Parameter,
    Value,
    count_seconds,
    echo_value,
    list_allowed,
    number_day,
)
from outings.contract.vocabulary import AUDIENCES, COLLECTIONS, SETS, WEEKDAYS, Vocabulary
from outings.release.tables import LISTINGS, OCCURRENCE_TABLES, TABLES

# The classes below are the kinds of conditions that filters make. Every bound is inclusive; None is no bound.
Scalar = str | int | float | bool | date


class AnyOf(Struct, frozen=True):
    """The column is one of the values. A row that states no value is dropped."""

    column: str
    values: tuple[int, ...]


class Shares(Struct, frozen=True):
    """The column, a bit set, has at least one of these bits. A row that states no value is dropped."""

    column: str
    bits: int


class Is(Struct, frozen=True):
    """The column equals the value. A row that states no value is dropped, by true and by false."""

    column: str
    value: Scalar


class Between(Struct, frozen=True):
    """The column is between the bounds. A row that states no value is dropped."""

    column: str
    low: Scalar | None
    high: Scalar | None


class Overlaps(Struct, frozen=True):
    """The range from `first` to `last`, two columns, overlaps the bounds. An end that is not stated is open, so a row
    that states neither is kept."""

    first: str
    last: str
    low: Scalar | None
    high: Scalar | None


class NotBefore(Struct, frozen=True):
    """An occurrence begins at the instant (seconds since 1970) or later or, without a clock time, on the day or
    later."""

    instant: int
    day: date


class EndsAfter(Struct, frozen=True):
    """An occurrence ends after the time, in seconds of the local clock. One that states no end ends as it begins; one
    without a clock time ends with its last day."""

    local: int


class Within(Struct, frozen=True):
    """The listing's coordinates are in the circle or on its edge. A listing without coordinates is dropped or, with
    `is_approximate`, placed in the middle of its zip. `center`: a latitude and a longitude, or a zip."""

    center: tuple[float, float] | str
    radius_m: float
    is_approximate: bool = False


class InZips(Struct, frozen=True):
    """The listing's address has one of the zips."""

    zips: tuple[str, ...]


class Matches(Struct, frozen=True):
    """The listing's words match the text query."""

    text: TextQuery


class OpenAt(Struct, frozen=True):
    """The place is open in the minute since Monday 00:00."""

    minute: int


class HasId(Struct, frozen=True):
    """The listing has one of the ids."""

    ids: tuple[str, ...]


class ExpressionSet(Struct, frozen=True, eq=False):
    """An SQL expression is true for the listing, or its occurrence, section or session. `words`: a bit set, by the
    listing's number within its type or the other's row."""

    words: NDArray[np.uint64]
    is_of_occurrence: bool


class Either(Struct, frozen=True):
    """All conditions of one of the alternatives hold."""

    alternatives: tuple[tuple["Condition", ...], ...]


# Conditions for which a `RowFinder` gives the rows, also to the evaluator that tests compare with, so that rounding at
# an edge is the same.
RowCondition = Within | InZips | Matches | HasId | OpenAt
Condition = AnyOf | Shares | Is | Between | Overlaps | NotBefore | EndsAfter | ExpressionSet | Either


class Conditions(Struct, frozen=True):
    """The conditions of a list. A listing must meet all of `listing` and `by_row`. One of its occurrences, sections or
    sessions must meet all of `occurrence`."""

    listing: tuple[Condition, ...]
    occurrence: tuple[Condition, ...]
    by_row: tuple[RowCondition, ...] = ()


# The values in effect by parameter, of the kinds that the contract's table of parameters says.
Values = Mapping[str, Any]
# A function of an expression and a type that returns the set for which the expression is true.
Mark = Callable[[str, str], ExpressionSet]
# A function of the values in effect and a type that returns a condition.
Rule = Callable[[Values, str], Condition | RowCondition]

# A tuple, because `isinstance` takes three times as long with a union.
_ROW_CONDITIONS = (Within, InZips, Matches, HasId, OpenAt)

# Filters of all lists, in the order of `applied_filters` and `defaults_applied`.
NAMES: tuple[str, ...] = tuple(
    name
    for name, row in PARAMETERS.items()
    if row.is_filter and row.replaced_by is None and any(name in route.parameters for route in LISTS.values())
)
# Filters that compare one column.
PLAIN: Mapping[str, Parameter] = {name: PARAMETERS[name] for name in NAMES if PARAMETERS[name].column is not None}


def _index_words(words: Iterable[str], vocabulary: Sequence[str]) -> tuple[int, ...]:
    return tuple(sorted(vocabulary.index(word) for word in words))


def _pack_words(words: Iterable[str], vocabulary: Sequence[str]) -> int:
    return sum(1 << index for index in _index_words(words, vocabulary))


def _count_seconds(clock: time) -> int:
    return clock.hour * 3600 + clock.minute * 60 + clock.second


def compare_column(row: Parameter, value: Any, vocabulary: Vocabulary) -> Condition:
    """Return the condition of a filter on one column. It drops rows that state nothing: a boolean matches neither
    value."""
    assert row.column is not None
    allowed = list_allowed(row, vocabulary)
    if allowed is not None:
        words = value if isinstance(value, tuple) else (value,)
        if row.vocabulary in SETS:
            return Shares(row.column, _pack_words(words, allowed))
        return AnyOf(row.column, _index_words(words, allowed))
    if isinstance(value, time):
        value = _count_seconds(value)
    if row.compares == "equal":
        return Is(row.column, value)
    return Between(row.column, value, None) if row.compares == "least" else Between(row.column, None, value)


def list_audiences(words: tuple[str, ...]) -> tuple[int, ...]:
    """Return the numbers of the audiences that the words of `audience` allow."""
    allowed: set[str] = set()
    for word in words:
        allowed |= {"all": {*AUDIENCES}, "not_adults": {*AUDIENCES} - {"adults"}}.get(word, {word})
    return _index_words(allowed, AUDIENCES)


def match_age(values: Values, _: str) -> Condition:
    """Match an age, any of the spans of ages in a search's words, or any age between `age_min` and `age_max`. A listing
    without ages is kept."""
    age = values.get("age", ((values.get("age_min"), values.get("age_max")),))
    spans = age if isinstance(age, tuple) else ((age, age),)
    matches = [Overlaps("age_min", "age_max", low, high) for low, high in spans]
    return matches[0] if len(matches) == 1 else Either(tuple((match,) for match in matches))


def match_circle(values: Values, _: str) -> Within:
    """Match the circle around coordinates or a zip."""
    center = values["near_zip"] if "near_zip" in values else (values["lat"], values["lng"])
    return Within(center, values["radius_m"], values.get("include_approximate", False))


def match_price(values: Values, _: str) -> Either:
    """Match listings that are free, or whose least price is at most `max_price`."""
    return Either(((Between("price_min", None, values["max_price"]),), (Is("is_free", value=True),)))


def match_neighborhood(values: Values, _: str) -> Either:
    """Match the slug, or the name without case, accents and punctuation."""
    text = values["neighborhood"]
    by_name = Is("neighborhood_key", fold_text(text))
    return Either(((Is("neighborhood_slug", text.casefold()),), (by_name,)))


def match_window(values: Values, listing_type: str) -> Condition:
    """Match listings with an occurrence in the window. A term of unknown dates or without a known end may still be
    open, and a camp without a dated session may be at any time: these match, too."""
    first, last = values.get("from"), values.get("to")
    if listing_type == "event":
        return Between("date", first, last)
    if listing_type == "class":
        return Overlaps("starts_on", "ends_on", first, last)
    overlap = (Between("ends_on", first, None), Between("starts_on", None, last))
    return Either((overlap, (Is("is_undated", value=True),)))


def match_meetings(values: Values, listing_type: str) -> Condition:
    """Match camps with a session in the window, and classes that meet in it: on a section's weekday in its term, or in
    a term within the window. In a long window only the first and the last seven dates need the weekday; between them it
    is enough that a term has begun."""
    first, last = values.get("from"), values.get("to")
    if first is None:
        return Overlaps("starts_on", "ends_on", None, None)
    if listing_type == "camp":
        return Either(((Between("ends_on", first, None), Between("starts_on", None, last)),))
    week = range(len(WEEKDAYS))
    dates = {first + timedelta(days) for days in week} | {last - timedelta(days) for days in week if last}
    meetings = [
        (Overlaps("starts_on", "ends_on", day, day), Shares("days", 1 << day.weekday()))
        for day in sorted(dates)
        if first <= day <= (last or day)
    ]
    begun = (Between("starts_on", first, last and last - timedelta(len(week))), Shares("days", (1 << len(week)) - 1))
    within = (Between("starts_on", first, last), Between("ends_on", first, last))
    return Either((*meetings, begun, within))


def match_weekdays(values: Values, listing_type: str) -> Condition:
    """Match the weekday of an occurrence, or the weekdays on which a section or session meets."""
    if listing_type == "event":
        return AnyOf("weekday", _index_words(values["weekday"], WEEKDAYS))
    return Shares("days", _pack_words(values["weekday"], WEEKDAYS))


def match_text(values: Values, _: str) -> Matches:
    """Match every term in name, category, keywords, description, organization or place."""
    query = parse_text(values["q"])
    assert query is not None, "the contract refuses a text without words"
    return Matches(query)


# Filters that do more than compare one column. A test caps their number.
RULES: Mapping[str, Rule] = {
    **dict.fromkeys(("from", "to"), match_window),
    **dict.fromkeys(("lat", "lng", "near_zip", "radius_m"), match_circle),
    "meets": match_meetings,
    "weekday": match_weekdays,
    **dict.fromkeys(("age", "age_min", "age_max"), match_age),
    "max_price": match_price,
    "neighborhood": match_neighborhood,
    "audience": lambda values, _: AnyOf("audience", list_audiences(values["audience"])),
    "zip": lambda values, _: InZips(values["zip"]),
    # Before the value: clock times are whole seconds.
    "start_before": lambda values, _: Between("time", None, _count_seconds(values["start_before"]) - 1),
    "ends_after": lambda values, _: EndsAfter(count_seconds(datetime.fromisoformat(values["ends_after"]))),
    # With expanded occurrences, a listing needs a date.
    "occurrences": lambda *_: Between("date", None, None),
    "schedule_day": lambda values, _: Shares("days", _pack_words([values["schedule_day"]], WEEKDAYS)),
    "q": match_text,
    # Later than the value: stamps are whole seconds.
    "changed_since": lambda values, _: Between("updated_at", math.floor(values["changed_since"].timestamp()) + 1, None),
    "ids": lambda values, _: HasId(values["ids"]),
    "open_at": lambda values, _: OpenAt(number_minute(datetime.fromisoformat(values["open_at"]))),
    "where": lambda values, listing_type: values["where"](listing_type),
}


def make_conditions(
    listing_type: str, values: Values, vocabulary: Vocabulary, *, mark: Mark | None = None
) -> Conditions:
    """Return the conditions of a list. `values`: its filters in effect, defaults included. `mark` evaluates `where`."""
    if "where" in values:
        assert mark is not None, "who takes an expression can evaluate it"
        values = {**values, "where": partial(mark, values["where"])}
    rules = dict.fromkeys([RULES[name] for name in values if name in RULES])
    made = [rule(values, listing_type) for rule in rules]
    made += [compare_column(PLAIN[name], value, vocabulary) for name, value in values.items() if name in PLAIN]
    by_row = tuple(condition for condition in made if isinstance(condition, _ROW_CONDITIONS))
    others = [condition for condition in made if not isinstance(condition, _ROW_CONDITIONS)]
    occurrence = tuple(condition for condition in others if _tests_occurrences(condition, listing_type))
    listing = tuple(condition for condition in others if not _tests_occurrences(condition, listing_type))
    return Conditions(listing=listing, occurrence=occurrence, by_row=by_row)


def is_of_occurrence(column: str, listing_type: str) -> bool:
    """Return True if the column is one of occurrences, sections or sessions, not of listings."""
    table = OCCURRENCE_TABLES.get(listing_type)
    return table is not None and column in TABLES[table]


def _tests_occurrences(condition: Condition, listing_type: str) -> bool:
    match condition:
        case ExpressionSet():
            return condition.is_of_occurrence
        case NotBefore() | EndsAfter():
            return True
        case Either(alternatives):  # all of them on columns of one table
            return _tests_occurrences(alternatives[0][0], listing_type)
        case Overlaps(column) | AnyOf(column) | Shares(column) | Is(column) | Between(column):
            return is_of_occurrence(column, listing_type)


def list_columns() -> Mapping[str, Parameter]:
    """Return the columns of listings that filters compare, each with the row of its filter."""
    columns = {str(row.column): row for row in PLAIN.values() if row.column in LISTINGS}
    # Only filters that for some type compare the listing itself, not its occurrences, sections or sessions.
    return {
        column: row
        for column, row in columns.items()
        if any(row.name in route.parameters and not is_of_occurrence(column, kind) for kind, route in LISTS.items())
    }


_DEFAULT_DAYS_AFTER = 30
_PLACES = {name: place for place, name in enumerate(NAMES)}


class EffectiveFilters(Struct, frozen=True, kw_only=True):
    """Filters in effect, in the order of the table of filters, and the names of those that came from a default."""

    values: Mapping[str, Value]
    defaults: tuple[str, ...]

    @property
    def min_confidence(self) -> float:
        """Return the least confidence; 0, which drops nothing, if there is none."""
        value = self.values.get("min_confidence", 0)
        assert isinstance(value, float | int)
        return value

    def check_window(self, *, most_days_after: int) -> None:
        """Raise `contradictory` or `window_too_long` if a given end and a default start make no valid window."""
        start, end = self.get_date("from"), self.get_date("to")
        if start is not None and end is not None:
            check_window(start, end, most_days_after=most_days_after)

    def describe(self) -> dict[str, Any]:
        """Return the members of `meta` about the filters."""
        applied = {name: echo_value(value) for name, value in self.values.items()}
        return {"applied_filters": applied, "defaults_applied": self.defaults}

    def get_date(self, name: str) -> date | None:
        value = self.values.get(name)
        return value if isinstance(value, date) else None


def find_route_filters(query: Query) -> EffectiveFilters:
    """Return the filters in effect of a route other than lists, in the order of the route's parameters, without
    defaults that depend on the date."""
    rows = query.match.route.parameters
    own = {name: default for name, default in list_defaults(rows).items() if not isinstance(default, DateDefault)}
    values = {**own, **query.values}
    return EffectiveFilters(
        values={name: values[name] for name, row in rows.items() if row.is_filter and name in values},
        defaults=tuple(name for name in own if name not in query.values),
    )


def fill_defaults(own: Mapping[str, Default], given: Mapping[str, Value], *, today: date) -> EffectiveFilters:
    """Add a route's defaults, `own`, to the filters of a request. With `ids` there are no defaults, with
    `changed_since` none for the window, and without a center none for the radius."""
    values: dict[str, Value] = {}
    defaults: list[str] = []
    without_default = ("from", "to") if "changed_since" in given else ()
    if "lat" not in given and "near_zip" not in given:
        without_default = (*without_default, "radius_m")
    for name in sorted((own.keys() | given.keys()) & _PLACES.keys(), key=_PLACES.__getitem__):
        if name in given:
            values[name] = given[name]
        elif "ids" not in given and name not in without_default:
            values[name] = _find_default(own[name], values, today=today)
            defaults.append(name)
    return EffectiveFilters(values=values, defaults=tuple(defaults))


def _find_default(default: Default, values: Mapping[str, Value], *, today: date) -> Value:
    if default is DateDefault.LOCAL_DATE:
        return today
    if default is DateDefault.FROM_PLUS_30_DAYS:
        start = values["from"]
        assert isinstance(start, date)
        return start + timedelta(days=_DEFAULT_DAYS_AFTER)
    return default


class Selection(Struct, frozen=True, kw_only=True):
    """A query for the listings of a type in one snapshot.

    Attributes:
        start: the date from which on sessions and meetings count in orders and for the choice of a program's listing.
        folds_programs: whether classes of one program are a single item.
        by_update: whether the list is ordered by the time of the last update, as mirrors need it.
        by_next: whether the list is ordered by the next date that matches, from `start` on.
    """

    type: str
    conditions: Conditions
    start: date
    folds_programs: bool = True
    by_update: bool = False
    by_next: bool = False


class Span(Struct, frozen=True, kw_only=True):
    """A part of a list: after a position, or from an offset."""

    limit: int
    offset: int = 0
    after: Position | None = None


def folds_programs(query: Query) -> bool:
    """Return True if the classes of a program are a single item of the list, which they are not with `ids`,
    `changed_since` or expanded sessions."""
    values = query.values
    return "ids" not in values and "changed_since" not in values and "sessions" not in query.get_words("expand")


def select_listings(
    listing_type: str,
    filters: EffectiveFilters,
    *,
    vocabulary: Vocabulary,
    today: date,
    folds_programs: bool = True,
    mark: Mark | None = None,
) -> Selection:
    return Selection(
        type=listing_type,
        conditions=make_conditions(listing_type, filters.values, vocabulary, mark=mark),
        start=filters.get_date("from") or today,
        folds_programs=folds_programs,
        by_update="changed_since" in filters.values,
    )


class CollectionQuery(Struct, frozen=True, kw_only=True):
    """The query of one collection. `window`: the first and last day, since 1970, between which an item's next date is
    looked for; not before today, unless the window of the filters is over."""

    filters: EffectiveFilters
    selection: Selection
    window: tuple[int, int | None]


class CollectionScope(Struct, frozen=True, kw_only=True):
    """The circumstances that set filters' defaults. `route`: its name; its default window replaces that of lists.
    `ages`: the spans of ages in a search's words. With `is_now` no window begins before today."""

    route: str
    today: date
    vocabulary: Vocabulary
    ages: tuple[tuple[int, int | None], ...] | None = None
    is_now: bool = False
    mark: Mark | None = None


def choose_types(query: Query, entitlement: Entitlement) -> tuple[str, ...]:
    """Return the types that are requested, else all, if the key may read them, singular. The caller refuses the
    others."""
    named = query.get_words("types") or tuple(COLLECTIONS.values())
    return tuple(
        listing_type
        for listing_type, collection in COLLECTIONS.items()
        if collection in named and entitlement.allows_type(listing_type)
    )


def query_collections(
    given: tuple[tuple[str, Value], ...], types: tuple[str, ...], scope: CollectionScope
) -> tuple[Mapping[str, CollectionQuery], tuple[str, ...]]:
    """Return the queries of these types, and the names of the filters that came from a default in any of them. `given`:
    filters of any of them. Raises ApiError for a wrong window."""
    collections = {listing_type: _query_collection(listing_type, dict(given), scope) for listing_type in types}
    defaults = {name for collection in collections.values() for name in collection.filters.defaults}
    return collections, tuple(name for name in NAMES if name in defaults)


def _query_collection(listing_type: str, given: Mapping[str, Value], scope: CollectionScope) -> CollectionQuery:
    """Return the query of one collection. Filters that it does not take do not narrow it."""
    rows, today = _PARAMETERS[scope.route][listing_type], scope.today
    filters = fill_defaults(
        list_defaults(rows), {name: value for name, value in given.items() if name in rows}, today=today
    )
    filters.check_window(most_days_after=LIST_DAYS_AFTER)
    start, end = filters.get_date("from"), filters.get_date("to")
    values: dict[str, Any] = {**filters.values}
    if scope.ages is not None:
        values["age"] = scope.ages
    is_past = scope.is_now and start is not None and start < today
    if is_past:
        values["from"] = today
    selection = Selection(
        type=listing_type,
        conditions=make_conditions(listing_type, values, scope.vocabulary, mark=scope.mark),
        start=today if is_past else start or today,
        folds_programs=False,
    )
    is_over = start is not None and end is not None and end < today
    low = start if start is not None and is_over and not scope.is_now else max(start or today, today)
    window = (number_day(low), None if end is None else number_day(end))
    return CollectionQuery(filters=filters, selection=selection, window=window)


def _list_parameters(route: Route, of_list: Route) -> Mapping[str, Parameter]:
    """Return a list's parameters, with the default of `to` that another route has."""
    end = route.parameters.get("to")
    is_dated = "to" in of_list.parameters and end is not None and isinstance(end.default, DateDefault)
    return {**of_list.parameters, **({"to": end} if is_dated and end is not None else {})}


_PARAMETERS = {
    route.name: {name: _list_parameters(route, of_list) for name, of_list in LISTS.items()}
    for route in ROUTES
    if "types" in route.parameters
}
