"""What a search asks of each collection: the list's own filters and defaults, with the query's age beside them."""

from collections.abc import Mapping, Sequence
from datetime import date

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
from outings.contract.vocabulary import COLLECTIONS
from outings.contract.window import LIST_DAYS_AFTER, check_window
from outings.release.snapshot import Snapshot

_PARAMETERS = {route.type: route.parameters for route in ROUTES if route.name.endswith(".list") and route.type}
_OWN = frozenset({"q", "sort", "match", "types", "limit", "cursor"})
# What only listings of one type can have: asked for, there is nothing else to be found.
_DECIDES = {"team": "event"}
# Either, given outright, says more than the query's words do.
_OVERRIDES = ("age", "audience")


class Asked(Struct, frozen=True, kw_only=True):
    """By type: what is in effect. `given` are the filters that were sent, and `defaults` those of any type that were
    not."""

    types: tuple[str, ...]
    settled: Mapping[str, Settled]
    given: Mapping[str, Value]
    defaults: tuple[str, ...]


def ask_collections(query: Query, *, about: Circumstances, today: date) -> Asked:
    """Raises `forbidden` where `types` names one that the key may not read, and what a list raises for a window."""
    given = {name: value for name, value in query.values.items() if name not in _OWN}
    centre: dict[str, Value] = {
        name: given.pop(name) for name in ("lat", "lng") if _is_origin_alone(query) and name in given
    }
    types = tuple(each for each in _choose_types(query, about) if given.keys().isdisjoint(_DECIDES) or each == "event")
    settled = {each: _settle_type(each, given, today=today) for each in types}
    return Asked(
        types=types,
        settled=settled,
        given={**given, **centre},
        defaults=tuple(name for name in NAMES if any(name in each.defaults for each in settled.values())),
    )


def _is_origin_alone(query: Query) -> bool:
    """Whether the point is what distances are taken from, and no circle."""
    return query.get("sort") == "nearest" and "radius_m" not in query.values


def _choose_types(query: Query, about: Circumstances) -> Sequence[str]:
    named, entitlement = query.get_words("types"), about.entitlement
    singular = {collection: listing_type for listing_type, collection in COLLECTIONS.items()}
    if any(not entitlement.allows_type(singular[each]) for each in named):
        raise forbidden(metros=about.release.metros if entitlement.metros is None else entitlement.metros)
    chosen = {singular[each] for each in named} or {*COLLECTIONS}
    return [each for each in COLLECTIONS if each in chosen and entitlement.allows_type(each)]


def _settle_type(listing_type: str, given: Mapping[str, Value], *, today: date) -> Settled:
    """What a collection does not take does not narrow it."""
    rows = _PARAMETERS[listing_type]
    settled = settle_values(rows, {name: value for name, value in given.items() if name in rows}, today=today)
    start, end = settled.get_date("from"), settled.get_date("to")
    if start is not None and end is not None:
        check_window(start, end, most_days_after=LIST_DAYS_AFTER)
    return settled


def find_override(query: Query) -> str | None:
    """The parameter that is sent, by which the query's age does not hold."""
    return next((name for name in _OVERRIDES if name in query.values), None)


def select_type(listing_type: str, asked: Asked, *, age: Age | None, snapshot: Snapshot, today: date) -> Selection:
    """`age`: of the query, where nothing overrides it."""
    settled = asked.settled[listing_type]
    of_words: Values = {} if age is None else {"age": (age.min, age.max)}
    return Selection(
        type=listing_type,
        conditions=make_conditions(listing_type, {**settled.values, **of_words}, snapshot.vocabulary),
        start=settled.get_date("from") or today,
        has_cards=False,
    )


def find_window(listing_type: str, asked: Asked, today: date) -> tuple[date, date | None]:
    """In which an item's next date lies: not before today, unless all of the window does."""
    settled = asked.settled.get(listing_type)
    start, end = (None, None) if settled is None else (settled.get_date("from"), settled.get_date("to"))
    if start is None or (end is None or end >= today):
        start = max(start or today, today)
    return start, end
