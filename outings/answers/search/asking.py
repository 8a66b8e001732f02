"""What a search asks of each collection: the list's own filters and defaults, with the query's age beside them."""

from collections.abc import Mapping
from datetime import date
from functools import lru_cache

from msgspec import Struct

from outings.answers.circumstances import Circumstances
from outings.answers.filters import NAMES, Values, make_conditions
from outings.answers.selection import Selection
from outings.answers.understanding.query import Age
from outings.answers.window import Settled, settle_values
from outings.contract.errors import forbidden
from outings.contract.query import Query
from outings.contract.routes import ROUTES
from outings.contract.values import Value
from outings.contract.vocabulary import COLLECTIONS, Vocabulary
from outings.contract.window import LIST_DAYS_AFTER, check_window

_PARAMETERS = {route.type: route.parameters for route in ROUTES if route.name.endswith(".list") and route.type}
_OWN = frozenset({"q", "sort", "match", "types", "limit", "cursor"})
# What only listings of one type can have: asked for, there is nothing else to be found.
_DECIDES = {"team": "event"}
# Either, given outright, says more than the query's words do.
_OVERRIDES = ("age", "audience")
# Nearly all searches of a day ask with the same filters: working them out takes 0.1 ms.
_MEMORY = 512
_EPOCH = date(1970, 1, 1).toordinal()


class Collection(Struct, frozen=True, kw_only=True):
    """`window`: the first and the last day, since 1970, on which an item's next date may lie; not before today, unless
    all of the window does."""

    settled: Settled
    selection: Selection
    window: tuple[int, int | None]


class Asked(Struct, frozen=True, kw_only=True):
    """`collections` by type, singular. `given` are the filters that were sent, and `defaults` those of any type that
    were not."""

    collections: Mapping[str, Collection]
    given: Mapping[str, Value]
    defaults: tuple[str, ...]


def ask_collections(
    query: Query, *, age: Age | None, about: Circumstances, today: date, vocabulary: Vocabulary
) -> Asked:
    """`age`: of the query's words. Raises `forbidden` where `types` names one that the key may not read, and what a
    list raises for a window."""
    given = {name: value for name, value in query.values.items() if name not in _OWN}
    types = _choose_types(query, about)
    is_origin_alone = query.get("sort") == "nearest" and "radius_m" not in query.values
    filters = {name: value for name, value in given.items() if not (is_origin_alone and name in ("lat", "lng"))}
    ages = None if age is None or find_override(query) else (age.min, age.max)
    collections = _ask(tuple(filters.items()), types, ages, today, vocabulary)
    settled = [each.settled for each in collections.values()]
    return Asked(
        collections=collections,
        given=given,
        defaults=tuple(name for name in NAMES if any(name in each.defaults for each in settled)),
    )


def find_override(query: Query) -> str | None:
    """The parameter that is sent, by which the query's age does not hold."""
    return next((name for name in _OVERRIDES if name in query.values), None)


def _choose_types(query: Query, about: Circumstances) -> tuple[str, ...]:
    named, entitlement = query.get_words("types"), about.entitlement
    singular = {collection: listing_type for listing_type, collection in COLLECTIONS.items()}
    if any(not entitlement.allows_type(singular[each]) for each in named):
        raise forbidden(metros=about.release.metros if entitlement.metros is None else entitlement.metros)
    chosen = {singular[each] for each in named} or {*COLLECTIONS}
    chosen = chosen.intersection(*({only} for name, only in _DECIDES.items() if name in query.values))
    return tuple(each for each in COLLECTIONS if each in chosen and entitlement.allows_type(each))


@lru_cache(maxsize=_MEMORY)
def _ask(
    given: tuple[tuple[str, Value], ...],
    types: tuple[str, ...],
    ages: tuple[int, int | None] | None,
    today: date,
    vocabulary: Vocabulary,
) -> Mapping[str, Collection]:
    return {each: _ask_one(each, dict(given), ages=ages, today=today, vocabulary=vocabulary) for each in types}


def _ask_one(
    listing_type: str,
    given: Mapping[str, Value],
    *,
    ages: tuple[int, int | None] | None,
    today: date,
    vocabulary: Vocabulary,
) -> Collection:
    """What a collection does not take does not narrow it."""
    rows = _PARAMETERS[listing_type]
    settled = settle_values(rows, {name: value for name, value in given.items() if name in rows}, today=today)
    start, end = settled.get_date("from"), settled.get_date("to")
    if start is not None and end is not None:
        check_window(start, end, most_days_after=LIST_DAYS_AFTER)
    of_words: Values = {} if ages is None else {"age": ages}
    selection = Selection(
        type=listing_type,
        conditions=make_conditions(listing_type, {**settled.values, **of_words}, vocabulary),
        start=start or today,
        has_cards=False,
    )
    low = start if start is not None and end is not None and end < today else max(start or today, today)
    window = (low.toordinal() - _EPOCH, None if end is None else end.toordinal() - _EPOCH)
    return Collection(settled=settled, selection=selection, window=window)
