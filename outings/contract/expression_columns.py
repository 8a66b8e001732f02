"""The columns and functions of `where=` expressions: members of listings, and of one occurrence, section or session."""

from collections.abc import Collection, Iterator, Mapping
from datetime import date
from functools import reduce
from types import NoneType
from typing import Annotated, Any, get_args, get_origin

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import fields

from outings.contract.resources.listings import LISTINGS
from outings.contract.resources.shared import Clock, Day, Instant, Local

TEXT, TEXTS, BOOLEAN, WHOLE, NUMBER = "VARCHAR", "VARCHAR[]", "BOOLEAN", "BIGINT", "DOUBLE"
INSTANT, LOCAL, DATE, TIME = "TIMESTAMP WITH TIME ZONE", "TIMESTAMP", "DATE", "TIME"

# Texts of these types are times or dates in SQL.
_FORMS = ((Instant, INSTANT), (Local, LOCAL), (Clock, TIME), (Day, DATE))
_KINDS: Mapping[Any, str] = {str: TEXT, int: WHOLE, float: NUMBER, bool: BOOLEAN, date: DATE}
# Members that are no columns: links only repeat ids.
_LEFT_OUT = frozenset({"links"})

Columns = Mapping[str, str]


class OccurrenceColumn(Struct, frozen=True):
    """A column of the table of occurrences, sections or sessions, with its SQL type as `kind`."""

    kind: str
    column: str


_OFFER = {
    "ages.min": OccurrenceColumn(WHOLE, "age_min"),
    "ages.max": OccurrenceColumn(WHOLE, "age_max"),
    "price.min": OccurrenceColumn(NUMBER, "price_min"),
    "price.is_free": OccurrenceColumn(BOOLEAN, "is_free"),
    "registration.has_spots_available": OccurrenceColumn(BOOLEAN, "openings"),
}
# The word for one occurrence, section or session in an expression, by listing type.
PREFIXES = {"event": "occurrence", "class": "section", "camp": "session"}
OCCURRENCE_COLUMNS: Mapping[str, Mapping[str, OccurrenceColumn]] = {
    "event": {
        "occurrence.index": OccurrenceColumn(WHOLE, "index"),
        "occurrence.total": OccurrenceColumn(WHOLE, "occurrences_total"),
        "occurrence.date_on": OccurrenceColumn(DATE, "date"),
        "occurrence.starts_at": OccurrenceColumn(INSTANT, "starts_at"),
        "occurrence.starts_local": OccurrenceColumn(LOCAL, "starts_local"),
        "occurrence.ends_at": OccurrenceColumn(INSTANT, "ends_at"),
        "occurrence.ends_local": OccurrenceColumn(LOCAL, "ends_local"),
    },
    "class": {
        "section.term.starts_on": OccurrenceColumn(DATE, "starts_on"),
        "section.term.ends_on": OccurrenceColumn(DATE, "ends_on"),
        "section.schedule.days": OccurrenceColumn(TEXTS, "days"),
        "section.schedule.start_time": OccurrenceColumn(TIME, "time"),
        **{f"section.{path}": column for path, column in _OFFER.items()},
    },
    "camp": {
        "session.starts_on": OccurrenceColumn(DATE, "starts_on"),
        "session.ends_on": OccurrenceColumn(DATE, "ends_on"),
        "session.days": OccurrenceColumn(TEXTS, "days"),
        "session.start_time": OccurrenceColumn(TIME, "time"),
        "session.is_overnight": OccurrenceColumn(BOOLEAN, "is_overnight"),
        **{f"session.{path}": column for path, column in _OFFER.items()},
    },
    "place": {},
}


def list_members(struct: type[Struct], prefix: str = "", *, added: Collection[str] = ()) -> Iterator[tuple[str, str]]:
    """Yield the dotted path and SQL type of each member that holds a single value or a list of texts. `added`: names of
    members to yield too of those that each answer makes, which are not stored with the listing."""
    for field in fields(struct):
        if (field.default is UNSET or field.name in _LEFT_OUT) and field.name not in added:
            continue
        path = f"{prefix}{field.encode_name}"
        kind = _find_kind(field.type)
        if isinstance(kind, str):
            yield path, kind
        elif kind is not None:
            yield from list_members(kind, f"{path}.", added=added)


def _find_kind(annotation: Any) -> str | type[Struct] | None:
    """Return the SQL type of a value, the struct of an object, or None for a map or a list of objects."""
    notes = getattr(annotation, "__metadata__", ())
    for form, kind in _FORMS:
        if get_args(form)[1] in notes:
            return kind
    if get_origin(annotation) is Annotated:
        return _find_kind(get_args(annotation)[0])
    if isinstance(annotation, type) and issubclass(annotation, Struct):
        return annotation
    if get_origin(annotation) is tuple:
        return TEXTS if _find_kind(get_args(annotation)[0]) == TEXT else None
    options = [option for option in get_args(annotation) if option not in (NoneType, UnsetType)]
    return _find_kind(options[0]) if len(options) == 1 else _KINDS.get(annotation)


# The SQL type of each member of a listing, by listing type and dotted path.
LISTING_COLUMNS: Mapping[str, Columns] = {name: dict(list_members(struct)) for name, struct in LISTINGS.items()}


def list_columns(listing_type: str | None) -> Columns:
    """Return the SQL types of all columns of a listing type, or of all types for None: those of members, and those of
    one occurrence, section or session."""
    if listing_type is None:
        return reduce(lambda merged, name: {**merged, **list_columns(name)}, LISTING_COLUMNS, {})
    occurrence = OCCURRENCE_COLUMNS[listing_type].items()
    return {**LISTING_COLUMNS[listing_type], **{path: column.kind for path, column in occurrence}}


# Functions whose result may have all that their arguments have, and no more, except that a character may take three
# bytes in place of two in the other case.
COPYING = frozenset(
    {
        "+", "greatest", "least", "lower", "upper", "trim", "ltrim", "rtrim", "left", "right", "substring",
        "strip_accents", "list_value", "nullif", "ifnull",
    }
)  # fmt: skip
# The functions and operators that expressions may use. All others have a result of a fixed size. None makes a text or a
# list longer than its arguments, or takes more than one pass over them. Regular expressions are left out: RE2 is linear
# in the text, not in the pattern.
FUNCTIONS = COPYING | {
    "-", "*", "/", "//", "%", "abs", "round", "floor", "ceil", "trunc", "length",
    "contains", "starts_with", "ends_with", "^@", "prefix", "suffix", "position", "strpos", "instr",
    "~~", "!~~", "~~*", "!~~*",
    "list_contains", "list_has", "array_contains", "list_has_any", "list_has_all", "&&", "@>", "<@",
    "len", "array_length",
    "date_part", "date_trunc", "date_diff", "datediff", "year", "month", "day", "hour", "minute", "dayofweek",
    "isodow", "dayname", "monthname", "week", "to_years", "to_months", "to_weeks", "to_days", "to_hours",
    "to_minutes",
}  # fmt: skip
