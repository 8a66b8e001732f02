"""What each filter asks of the columns, as data for the folder's script.

The rules of filters are Python's (`outings/answers/selecting/filters.py`). Here each is asked once with a value that
nobody sends; where that value comes back in a condition, the reader's own belongs. So no rule is written again.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, time
from typing import Any

import msgspec
from msgspec import Struct

from outings.answers.selecting.defaults import fill_defaults
from outings.answers.selecting.filters import RULES, make_conditions
from outings.answers.selecting.predicate import AnyOf, Between, Condition, Either, Is, Overlaps, Shares
from outings.contract.argument import list_allowed
from outings.contract.folding import fold_text
from outings.contract.parameter import Parameter
from outings.contract.route import list_defaults
from outings.contract.routes import LISTS
from outings.contract.vocabulary import COLLECTIONS, Vocabulary
from outings.contract.window import LIST_DAYS_AFTER

# Those of the explorer, but for `q`: how texts are compared with typos in them is not in the folder. The first two have
# defaults, and no field.
FILTERS = (
    "min_confidence", "audience", "category", "age", "neighborhood", "organization_id", "from", "to", "weekday",
    "free", "max_price", "start_after", "start_before",
)  # fmt: skip

# On which defaults are asked for: they are stated in days after it.
_SOME_DAY = date(2000, 1, 1)

Json = Mapping[str, Any]


class FilterRule(Struct, frozen=True, kw_only=True):
    """The condition that these parameters make together; `of_happening`: one of a listing's dates, sections or sessions
    has to meet it with all others."""

    names: tuple[str, ...]
    of_happening: bool
    condition: Json


class ParameterForm(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a value is written in an address."""

    kind: str
    words: tuple[str, ...] | None = None
    minimum: float | None = None
    maximum: float | None = None


class DefaultWindow(Struct, frozen=True, kw_only=True):
    """Where it begins, in days after today, and ends, in days after its begin, if nothing is said; `most` it lasts."""

    from_: int | None = msgspec.field(name="from")
    to: int | None
    most: int = LIST_DAYS_AFTER


class ListFilters(Struct, frozen=True, kw_only=True):
    """All that the script has to know of one type's list."""

    collection: str
    parameters: Mapping[str, ParameterForm]
    defaults: Mapping[str, Any]
    window: DefaultWindow
    conditions: tuple[FilterRule, ...]


def tell_filters(listing_type: str, vocabulary: Vocabulary) -> ListFilters:
    rows = {name: LISTS[listing_type].parameters[name] for name in FILTERS if name in LISTS[listing_type].parameters}
    defaults = dict(fill_defaults(list_defaults(rows), {}, today=_SOME_DAY).values)
    begin, end = _count_days(defaults.pop("from", None)), _count_days(defaults.pop("to", None))
    by_rule: dict[object, list[Parameter]] = {}
    for name, row in rows.items():
        by_rule.setdefault(RULES.get(name, name), []).append(row)
    return ListFilters(
        collection=COLLECTIONS[listing_type],
        parameters={name: _tell_form(row, vocabulary) for name, row in rows.items()},
        defaults=defaults,
        window=DefaultWindow(from_=begin, to=end if end is None or begin is None else end - begin),
        conditions=tuple(_tell_rule(listing_type, group, vocabulary) for group in by_rule.values()),
    )


def _count_days(day: object) -> int | None:
    return (day - _SOME_DAY).days if isinstance(day, date) else None


def list_columns(filters: ListFilters, *, of_happening: bool) -> Iterator[str]:
    """The columns that its conditions compare."""
    for rule in filters.conditions:
        if rule.of_happening == of_happening:
            yield from _list_columns(rule.condition)


def _list_columns(condition: Json) -> Iterator[str]:
    for name in ("column", "first", "last"):
        if name in condition:
            yield condition[name]
    for side in condition.get("alternatives", ()):
        for each in side:
            yield from _list_columns(each)


def _tell_form(row: Parameter, vocabulary: Vocabulary) -> ParameterForm:
    bounds = {} if row.kind == "text" else {"minimum": row.minimum, "maximum": row.maximum}
    return ParameterForm(kind=row.kind, words=list_allowed(row, vocabulary), **bounds)


def _tell_rule(listing_type: str, rows: Sequence[Parameter], vocabulary: Vocabulary) -> FilterRule:
    names = tuple(row.name for row in rows)
    words = list_allowed(rows[0], vocabulary)
    if words is not None:
        made = {word: _make(listing_type, {names[0]: (word,)}, vocabulary) for word in words}
        is_own = next(iter(made.values()))[1]
        return FilterRule(names=names, of_happening=is_own, condition=_tell_words(names[0], made))
    marks = {row.name: _make_mark(row, number) for number, row in enumerate(rows)}
    readings = dict(reading for name, mark in marks.items() for reading in _list_readings(name, mark))
    condition, is_own = _make(listing_type, marks, vocabulary)
    return FilterRule(names=names, of_happening=is_own, condition=_tell_condition(condition, readings))


def _make(listing_type: str, values: Mapping[str, Any], vocabulary: Vocabulary) -> tuple[Condition, bool]:
    """The one condition, and whether it is of what happens."""
    made = make_conditions(listing_type, values, vocabulary)
    (condition,) = (*made.listing, *made.happening)
    return condition, bool(made.happening)


def _tell_words(name: str, made: Mapping[str, tuple[Condition, bool]]) -> Json:
    """Numbers by word: of values, or of bits."""
    numbers: dict[str, tuple[int, ...]] = {}
    condition_json: dict[str, Any] = {"given": name, "words": numbers}
    for word, (condition, _) in made.items():
        match condition:
            case AnyOf(column, values):
                condition_json |= {"kind": "any_of", "column": column}
                numbers[word] = values
            case Shares(column, bits):
                condition_json |= {"kind": "shares", "column": column}
                numbers[word] = tuple(bit for bit in range(bits.bit_length()) if bits >> bit & 1)
            case _:
                raise NotImplementedError(f"{name} makes {condition}")
    return condition_json


def _tell_condition(condition: Condition, readings: Mapping[Any, Json]) -> Json:
    def tell(value: Any) -> Any:
        return None if value is None else readings.get(value, value)

    match condition:
        case Is(column, value):
            return {"kind": "is", "column": column, "value": tell(value)}
        case Between(column, low, high):
            return {"kind": "between", "column": column, "low": tell(low), "high": tell(high)}
        case Overlaps(first, last, low, high):
            return {"kind": "overlaps", "first": first, "last": last, "low": tell(low), "high": tell(high)}
        case Either(alternatives):
            sides = [[_tell_condition(each, readings) for each in side] for side in alternatives]
            return {"kind": "either", "alternatives": sides}
        case _:
            raise NotImplementedError(f"the script knows no {condition}")


def _make_mark(row: Parameter, number: int) -> Any:
    """A value that no rule has of its own; `number` tells those of one rule apart."""
    match row.kind:
        case "date":
            return date(9000, 1, 1 + number)
        case "clock" | "minute":
            return time(3, 33, 33 + number)
        case "integer" | "number":
            return 987_654 + number
        case "boolean":
            return True
        case _:
            return f"Märk-{number} of it"


def _list_readings(name: str, mark: Any) -> Iterator[tuple[Any, Json]]:
    """What a rule may make of the mark, and how the script makes the same of a reader's value."""
    given = {"given": name}
    match mark:
        case time():
            seconds = (mark.hour * 60 + mark.minute) * 60 + mark.second
            yield seconds, given
            yield seconds - 1, {**given, "less": 1}
        case str():
            yield mark, given
            yield mark.casefold(), {**given, "as": "lower"}
            yield fold_text(mark), {**given, "as": "folded"}
        case _:
            yield mark, given
