"""The table of filters: a row says which parameters, where it applies, its level, and the condition it makes.

Parsing and defaults are the contract's; `applied_filters` follows this order. Units are the tables'.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, time
from typing import Any, Literal

from msgspec import Struct

from outings.answers.selecting.predicate import (
    AnyOf,
    Between,
    Condition,
    Conditions,
    Either,
    HasId,
    InZips,
    Is,
    Matches,
    NearZip,
    Overlaps,
    RowCondition,
    Shares,
    Within,
)
from outings.contract.folding import fold_text
from outings.contract.text import parse_text
from outings.contract.vocabulary import AUDIENCES, ENROLLMENT_TYPES, WEEKDAYS, Vocabulary

# Parameter → value in effect, of the kind that the contract's table of parameters says.
Values = Mapping[str, Any]
Level = Literal["listing", "happening"]
# What becomes of a listing that does not state what is asked for; "neither": both true and false drop it.
Unstated = Literal["keep", "drop", "neither"]

EVENT, CLASS, CAMP, PLACE = "event", "class", "camp", "place"
ALL = (EVENT, CLASS, CAMP, PLACE)


class Filter(Struct, frozen=True, kw_only=True):
    """In effect when one of its `parameters` has a value. A parameter may have a row for each level."""

    parameters: tuple[str, ...]
    types: tuple[str, ...]
    level: Level
    unstated: Unstated
    make: Callable[[Values, Vocabulary], Condition | RowCondition]


def _index_words(words: Iterable[str], known: Sequence[str]) -> tuple[int, ...]:
    return tuple(sorted(known.index(word) for word in words))


def _pack_words(words: Iterable[str], known: Sequence[str]) -> int:
    return sum(1 << index for index in _index_words(words, known))


def _count_seconds(clock: time) -> int:
    return clock.hour * 3600 + clock.minute * 60 + clock.second


def _floor_seconds(instant: datetime) -> int:
    return math.floor(instant.timestamp())


def _match(parameter: str, column: str, *, types: tuple[str, ...], level: Level = "listing") -> Filter:
    """A boolean or an id: not stated matches neither value."""
    return Filter(
        parameters=(parameter,), types=types, level=level, unstated="neither",
        make=lambda values, _: Is(column, values[parameter]),
    )  # fmt: skip


def _share(parameter: str, column: str, *, types: tuple[str, ...]) -> Filter:
    """Any of the words of a bit set over the deployment's vocabulary of the column's name."""
    return Filter(
        parameters=(parameter,), types=types, level="listing", unstated="drop",
        make=lambda values, words: Shares(column, _pack_words(values[parameter], getattr(words, column))),
    )  # fmt: skip


def _bound(
    parameter: str,
    make: Callable[[Any], Condition | RowCondition],
    *,
    types: tuple[str, ...],
    level: Level,
    unstated: Unstated = "drop",
) -> Filter:
    """One plain value, whatever the vocabulary."""
    return Filter(
        parameters=(parameter,), types=types, level=level, unstated=unstated,
        make=lambda values, _: make(values[parameter]),
    )  # fmt: skip


def list_audiences(words: Iterable[str]) -> tuple[int, ...]:
    """The audiences' numbers that the words of `audience` allow."""
    allowed: set[str] = set()
    for word in words:
        allowed |= {"all": {*AUDIENCES}, "not_adults": {*AUDIENCES} - {"adults"}}.get(word, {word})
    return _index_words(allowed, AUDIENCES)


def _cover_age(age: int | tuple[int, int | None]) -> Condition:
    """One age, or those that a search's words mean."""
    low, high = age if isinstance(age, tuple) else (age, age)
    return Overlaps("age_min", "age_max", low, high)


def draw_circle(values: Values) -> Within | NearZip:
    """Round coordinates, or the middle of a zip."""
    is_approximate = values.get("include_approximate", False)
    if "near_zip" in values:
        return NearZip(values["near_zip"], values["radius_m"], is_approximate)
    return Within(values["lat"], values["lng"], values["radius_m"], is_approximate)


# The named predicates: what no plain condition says. A test caps their number.


def match_price(most: float) -> Either:
    """Free, or from a price of at most this much."""
    return Either(((Between("price_min", None, most),), (Is("is_free", value=True),)))


def match_neighborhood(text: str) -> Either:
    """The slug, or the name without case, accents and punctuation."""
    by_name = Is("neighborhood_key", fold_text(text))
    return Either(((Is("neighborhood_slug", text.casefold()),), (by_name,)))


def match_sessions(values: Values, _: Vocabulary) -> Either:
    """A session overlaps the window, or the camp has no dated session at all."""
    overlap = (Between("ends_on", values.get("from"), None), Between("starts_on", None, values.get("to")))
    return Either((overlap, (Is("is_undated", value=True),)))


def match_text(text: str) -> Matches:
    """Every term in name, search text, organization or place."""
    query = parse_text(text)
    assert query is not None, "the contract refuses a text without words"
    return Matches(query)


def match_ids(ids: tuple[str, ...]) -> HasId:
    return HasId(ids)


NAMED = (match_price, match_neighborhood, match_sessions, match_text, match_ids)

FILTERS: tuple[Filter, ...] = (
    Filter(
        parameters=("from", "to"), types=(EVENT,), level="happening", unstated="drop",
        make=lambda values, _: Between("date", values.get("from"), values.get("to")),
    ),
    # A term that is unknown, or not known to have ended, may still be open: it is kept.
    Filter(
        parameters=("from", "to"), types=(CLASS,), level="happening", unstated="keep",
        make=lambda values, _: Overlaps("starts_on", "ends_on", values.get("from"), values.get("to")),
    ),
    Filter(parameters=("from", "to"), types=(CAMP,), level="happening", unstated="keep", make=match_sessions),
    _bound("min_confidence", lambda least: Between("confidence", least, None), types=ALL, level="listing"),
    _bound("audience", lambda words: AnyOf("audience", list_audiences(words)), types=ALL, level="listing"),
    _share("category", "categories", types=ALL),
    _share("season", "seasons", types=(EVENT, CLASS, CAMP)),
    _share("occasion", "occasions", types=(EVENT, CLASS)),
    _share("team", "teams", types=(EVENT,)),
    _bound("age", _cover_age, types=(EVENT, PLACE), level="listing", unstated="keep"),
    _bound("age", _cover_age, types=(CLASS, CAMP), level="happening", unstated="keep"),
    _match("free", "is_free", types=(EVENT,)),
    _match("free", "is_free", types=(CLASS, CAMP), level="happening"),
    _bound("max_price", match_price, types=(EVENT,), level="listing"),
    _bound("max_price", match_price, types=(CLASS, CAMP), level="happening"),
    _bound("neighborhood", match_neighborhood, types=ALL, level="listing"),
    Filter(
        parameters=("lat", "lng", "near_zip", "radius_m"), types=ALL, level="listing", unstated="drop",
        make=lambda values, _: draw_circle(values),
    ),
    _bound("zip", InZips, types=ALL, level="listing"),
    _match("place_id", "place_id", types=(EVENT, CLASS, CAMP)),
    _match("organization_id", "organization_id", types=ALL),
    Filter(
        parameters=("weekday",), types=(EVENT,), level="happening", unstated="drop",
        make=lambda values, _: AnyOf("weekday", _index_words(values["weekday"], WEEKDAYS)),
    ),
    Filter(
        parameters=("weekday",), types=(CLASS, CAMP), level="happening", unstated="drop",
        make=lambda values, _: Shares("days", _pack_words(values["weekday"], WEEKDAYS)),
    ),
    _bound(
        "start_after", lambda clock: Between("time", _count_seconds(clock), None),
        types=(EVENT, CLASS, CAMP), level="happening",
    ),
    # Strictly before: clock times are whole seconds.
    _bound(
        "start_before", lambda clock: Between("time", None, _count_seconds(clock) - 1),
        types=(EVENT, CLASS, CAMP), level="happening",
    ),
    # All occurrences of an event state a clock time or none does, so this holds for the same one as the others.
    _match("has_time", "has_time", types=(EVENT,)),
    # What an item is: it keeps whatever has a date.
    _bound("occurrences", lambda _: Between("date", None, None), types=(EVENT,), level="happening"),
    _match("recurring", "is_recurring", types=(EVENT,)),
    _match("indoor", "is_indoor", types=(EVENT, CLASS)),
    _match("outdoor", "is_outdoor", types=(EVENT, CLASS)),
    _match("sensory", "is_sensory_friendly", types=(EVENT, CLASS, PLACE)),
    _bound("schedule_day", lambda day: Shares("days", _pack_words([day], WEEKDAYS)), types=(CLASS,), level="happening"),
    Filter(
        parameters=("enrollment_type",), types=(CLASS,), level="listing", unstated="drop",
        make=lambda values, _: AnyOf("enrollment_type", _index_words(values["enrollment_type"], ENROLLMENT_TYPES)),
    ),
    _match("openings", "openings", types=(CLASS,), level="happening"),
    _bound("starts_from", lambda day: Between("starts_on", day, None), types=(CLASS,), level="happening"),
    _bound("starts_to", lambda day: Between("starts_on", None, day), types=(CLASS,), level="happening"),
    _match("year", "year", types=(CAMP,)),
    _match("overnight", "is_overnight", types=(CAMP,), level="happening"),
    Filter(
        parameters=("type_hint",), types=(PLACE,), level="listing", unstated="drop",
        make=lambda values, words: AnyOf("type_hint", _index_words(values["type_hint"], words.type_hints)),
    ),
    _match("has_birthday_parties", "has_birthday_parties", types=(PLACE,)),
    _match("has_classes", "has_classes", types=(PLACE,)),
    _bound("q", match_text, types=ALL, level="listing"),
    # Later than the value: stamps are whole seconds.
    _bound("changed_since", lambda instant: Between("updated_at", _floor_seconds(instant) + 1, None), types=ALL,
           level="listing"),
    _bound("ids", match_ids, types=ALL, level="listing"),
)  # fmt: skip

# Filters in the order of the table, each name once: the order of `applied_filters` and `defaults_applied`.
NAMES: tuple[str, ...] = tuple(
    dict.fromkeys((*(name for row in FILTERS for name in row.parameters), "include_approximate"))
)


def make_conditions(listing_type: str, values: Values, vocabulary: Vocabulary) -> Conditions:
    """`values` are those in effect, defaults included."""
    made: dict[Level, list[Condition]] = {"listing": [], "happening": []}
    by_row: list[RowCondition] = []
    for row in FILTERS:
        if not values.keys().isdisjoint(row.parameters) and listing_type in row.types:
            condition = row.make(values, vocabulary)
            if isinstance(condition, RowCondition):
                by_row.append(condition)
            else:
                made[row.level].append(condition)
    return Conditions(listing=tuple(made["listing"]), happening=tuple(made["happening"]), by_row=tuple(by_row))
