"""Parse a query string into a `Query`, or raise one error. Equivalent requests have the same canonical text.

An answer depends on that text and on the rights of the key, its `Entitlement`.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as replace_fields
from datetime import date, datetime, time
from functools import cached_property
from hashlib import sha256
from types import MappingProxyType
from typing import TypeVar
from urllib.parse import quote, unquote_to_bytes

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from outings.contract.cursor import Cursor, parse_cursor
from outings.contract.did_you_mean import suggest_other, suggest_parameter
from outings.contract.envelope import Notice, deprecated_parameter, ignored_parameter, unattached_field
from outings.contract.errors import ApiError, bad_request, feature_not_in_plan, not_enabled
from outings.contract.members import MEMBERS
from outings.contract.parameters import PARAMETERS
from outings.contract.routes import EXPANSION_DAYS_AFTER, Match, Route
from outings.contract.text import parse_text
from outings.contract.values import Parameter, Value, format_scalar, parse_argument, parse_number, show_text
from outings.contract.vocabulary import TYPES, Vocabulary


@dataclass(frozen=True, kw_only=True)
class Entitlement:
    """The rights of a key. `metros`: slugs; `types`: singular (`event`, `class`, …); None means all. `addons`: values
    of `include`, and "where" for the parameter `where`."""

    metros: frozenset[str] | None = None
    types: frozenset[str] | None = None
    addons: frozenset[str] = frozenset()

    def allows_metro(self, slug: str) -> bool:
        return self.metros is None or slug in self.metros

    def allows_type(self, listing_type: str) -> bool:
        return self.types is None or listing_type in self.types

    def allows_addon(self, addon: str) -> bool:
        return addon in self.addons

    def resolve(self, aliases: Mapping[str, str]) -> "Entitlement":
        """Return the rights with the present slugs of metros that had other ones when the key was made."""
        if self.metros is None or self.metros.isdisjoint(aliases):
            return self
        return replace_fields(self, metros=frozenset(aliases.get(slug, slug) for slug in self.metros))

    @cached_property
    def readable_types(self) -> frozenset[str]:
        """Return the names of the types that the key may read."""
        return frozenset(filter(self.allows_type, TYPES))

    @cached_property
    def digest(self) -> str:
        """Return 16 hex digits that identify these rights, whichever key has them, in an ETag or a cache."""
        return _hash_sets(self.metros, self.types, self.addons)

    @cached_property
    def scope(self) -> str:
        """Return 16 hex digits that identify the readable metros and types, on which the visible rows depend."""
        return _hash_sets(self.metros, self.types)


def _hash_sets(*sets: frozenset[str] | None) -> str:
    listed = [None if names is None else sorted(names) for names in sets]
    return sha256(msgspec.json.encode(listed)).hexdigest()[:16]


def check_window(start: date, end: date, *, most_days_after: int) -> None:
    """Raise `contradictory` if the window ends before it starts, and `window_too_long` if `end` is too far after
    `start`."""
    if end < start:
        message = f"to ({end}) is before from ({start}); send a later to, or an earlier from."
        raise bad_request(param="to", reason="contradictory", message=message, min=start.isoformat())
    if (end - start).days > most_days_after:
        message = f"to ({end}) is {(end - start).days} days after from ({start}); at most {most_days_after}."
        raise bad_request(param="to", reason="window_too_long", message=message, max=most_days_after)


Values = Mapping[str, Value]
# Returns the canonical text of an expression. Arguments: a function that returns the text as it was sent, its
# parameter, and the request's route. Raises ApiError if the expression is invalid or the key may not send any.
ReadExpression = Callable[[Callable[[], Value], Parameter, Route], str]


def refuse_expression(*_: object) -> str:
    """Raise the error of an API key that may not use `where`."""
    raise feature_not_in_plan("where", permission={}, links={})


# The parameters that may be sent together with `ids`.
_BESIDE_IDS = frozenset({"ids", "audience", "min_confidence", "fields", "expand", "include", "include_mode", "metro"})
_EXCLUSIVE = (
    ("page", "cursor"), ("page", "changed_since"), ("occurrences", "changed_since"), ("type_hint", "place_type"),
    ("sort", "changed_since"), ("age", "age_min"), ("age", "age_max"),
)  # fmt: skip


def check_combination(route: Route, values: Values) -> None:
    """Raise ApiError for the first rule between parameters that the parsed values break."""
    for name in route.required:
        if name not in values:
            raise _missing(name, f"{name} is required here.")
    for first, second in _EXCLUSIVE:
        if first in values and second in values:
            raise _contradictory(first, f"{first} and {second} exclude each other; send one of them.")
    low, high = values.get("age_min"), values.get("age_max")
    if isinstance(low, int) and isinstance(high, int) and high < low:
        raise _contradictory("age_max", f"age_max ({high}) is below age_min ({low}); send a greater age_max.")
    levels = values.get("match", ())
    if isinstance(levels, tuple) and "auto" in levels and len(levels) > 1:
        raise _contradictory("match", "match=auto stands alone; send it without other values of match.")
    for name in values if "ids" in values else ():
        if name not in _BESIDE_IDS:
            raise _contradictory(name, f"{name} can't be sent with ids.")
    _check_limit_and_text(route, values)
    _check_center(route, values)
    _check_dates(route, values)


def _check_limit_and_text(route: Route, values: Values) -> None:
    """Raise 400 for `limit=0` without facets, or if `q` of a list has no letter or digit. Other routes check `q` later:
    search by the metro's language, and a directory answers with a hint."""
    if values.get("limit") == 0 and "facets" not in values:
        raise bad_request(
            param="limit", reason="out_of_range", min=1, max=200,
            message="limit=0 gives counts alone: send facets with it, or a limit of 1 to 200.",
        )  # fmt: skip
    text = values.get("q")
    if route.type is not None and isinstance(text, str) and parse_text(text) is None:
        raise bad_request(
            param="q", reason="nothing_searchable", message="q has no word to look for: send letters or digits."
        )


def _check_center(route: Route, values: Values) -> None:
    for given, absent in (("lat", "lng"), ("lng", "lat")):
        if given in values and absent not in values:
            raise _missing(absent, f"{given} was sent without {absent}: send both.")
    centers = [name for name in ("lat", "near_zip", "address") if name in values]
    if len(centers) > 1:
        raise _contradictory(centers[1], f"{centers[0]} and {centers[1]} both name a centre: send only one of them.")
    if centers:
        return
    if "radius_m" in values:
        raise _missing("lat", "radius_m was sent without a centre: send lat and lng.")
    if route.needs_centre or values.get("sort") == "nearest":
        other = ", or address" if "address" in route.parameters else ""
        raise _missing("lat", f"This needs a centre: send lat and lng{other}.")


def find_longest_window(route: Route, values: Values) -> int:
    """Return how many days `to` may be after `from` at most."""
    return EXPANSION_DAYS_AFTER if values.get("occurrences") == "expand" else route.most_days


def _check_dates(route: Route, values: Values) -> None:
    start, end = values.get("from"), values.get("to")
    if isinstance(start, date) and isinstance(end, date):
        check_window(start, end, most_days_after=find_longest_window(route, values))
    first, last = values.get("starts_from"), values.get("starts_to")
    if isinstance(first, date) and isinstance(last, date) and last < first:
        raise _contradictory("starts_to", f"starts_to ({last}) is before starts_from ({first}); send a later one.")


def _missing(name: str, message: str) -> Exception:
    return bad_request(param=name, reason="missing_parameter", message=message)


def _contradictory(name: str, message: str) -> Exception:
    return bad_request(param=name, reason="contradictory", message=message)


# The longest query string: enough for 100 ids, every path of `fields` and the longest cursor together.
MOST_BYTES = 16_384

_NOTHING: Mapping[str, str] = MappingProxyType({})
_Kind = TypeVar("_Kind", str, int, float, bool, date, datetime, time, tuple[str, ...])


class Query(Struct, frozen=True, kw_only=True, dict=True):
    """A parsed request.

    Attributes:
        values: the sent values, by current names of parameters. Values that equal the default are left out, except
            filters. Defaults are not filled in.
        ignored: sent names without effect. They cause notices, so they are part of the canonical request.
        renamed: deprecated names that were sent, by new name. They cause notices too.
        seal: the cursor's signature, to be checked when the snapshot is known.
    """

    match: Match
    values: Mapping[str, Value]
    metro: str | None = None
    cursor: Cursor | None = None
    seal: bytes = b""
    notices: tuple[Notice, ...] = ()
    ignored: tuple[str, ...] = ()
    renamed: Mapping[str, str] = _NOTHING

    @property
    def route(self) -> str:
        return self.match.route.name

    @property
    def resource(self) -> str | None:
        """Return the route's listing type in the singular (`event`, …), or None if it has none."""
        return self.match.route.type

    @property
    def id(self) -> str | None:
        return self.match.values.get("id")

    @property
    def slug(self) -> str | None:
        return self.match.values.get("slug")

    @property
    def longest_window(self) -> int:
        """Return how many days `to` may be after `from`. Pass it to `check_window` after filling in defaults."""
        return find_longest_window(self.match.route, self.values)

    @cached_property
    def text(self) -> str:
        """Return the canonical request without cursor, such as `/v1/seattle/events?age=4&category=farm,zoo`."""
        return self._format_text(self.values)

    @cached_property
    def unpaged_text(self) -> str:
        """Return the canonical request without `page`, to which cursors are bound, since they replace `page`."""
        if "page" not in self.values:
            return self.text
        return self._format_text({name: value for name, value in self.values.items() if name != "page"})

    def get(self, name: str) -> Value | None:
        """Return a parameter's value as it was sent. If it was not sent, return the default that is no filter's, or
        None."""
        value = self.values.get(name)
        return self.match.route.constants.get(name) if value is None else value

    def get_as(self, name: str, kind: type[_Kind]) -> _Kind | None:
        """Return `get(name)` as a value of one kind, or None. Raises TypeError if the parameter has another kind."""
        value = self.get(name)
        if value is None or isinstance(value, kind):
            return value
        raise TypeError(f"{name} is {type(value).__name__}, not {kind.__name__}")

    def get_words(self, name: str) -> tuple[str, ...]:
        """Return the value of an array as `get` does, or an empty tuple for None."""
        return self.get_as(name, tuple) or ()

    def with_metro(self, slug: str) -> "Query":
        """Return the query with the metro's slug, in place of an alias, or for a route without a metro in its path."""
        path_values, values = dict(self.match.values), dict(self.values)
        for holder in (path_values, values):
            if "metro" in holder:
                holder["metro"] = slug
        match = replace(self.match, values=path_values)
        return replace(self, match=match, values=MappingProxyType(values), metro=slug)

    def _format_text(self, values: Mapping[str, Value]) -> str:
        pieces = [f"{self.renamed.get(name, name)}={_encode_value(value)}" for name, value in values.items()]
        pieces += self.ignored
        return f"{self.match.path}?{'&'.join(sorted(pieces))}" if pieces else self.match.path


def parse_query(
    match: Match,
    query_string: bytes,
    *,
    vocabulary: Vocabulary,
    aliases: Mapping[str, str] = _NOTHING,
    enabled: Collection[str] = (),
    read_expression: ReadExpression = refuse_expression,
) -> Query:
    """Parse and check a query string. Raises ApiError: 400, or 501 for a parameter that this deployment does not have.

    Args:
        match: the route, with the values in the path.
        query_string: raw, percent-encoded.
        vocabulary: the words that parameters allow.
        aliases: slugs by other names of metros. They are replaced before a cursor is compared with its request.
        enabled: the optional parameters of this deployment.
        read_expression: returns the canonical text of a `where` expression.
    """
    route = match.route
    given = _group_values(query_string)
    ignored = _check_names(route, given)
    values = {
        name: _parse_value(route, name, given, vocabulary=vocabulary, read_expression=read_expression)
        for name in given
        if name not in ignored
    }
    own = match.values.get("id")
    if route.sets is not None and values.pop(route.sets, own) != own:
        message = f"{route.sets} is {own} here, by the path; leave it out."
        raise bad_request(param=route.sets, reason="contradictory", message=message)
    check_combination(route, values)
    for name in values:
        if name in route.optional and name not in enabled:
            raise not_enabled(name, param=name)
    if route.sets is not None:
        values[route.sets] = match.values["id"]
    is_opaque = "cursor" in values and route.parameters["cursor"].kind == "cursor"
    cursor_text = values.pop("cursor") if is_opaque else None
    renamed = _rename_deprecated(route, values)
    named = values.get("metro", match.values.get("metro"))
    metro = named if isinstance(named, str) else None
    notices = [
        *(ignored_parameter(name, collection=route.collection) for name in ignored),
        *(deprecated_parameter(old, replaced_by=new) for new, old in sorted(renamed.items())),
    ]
    if "fields" in values:
        notices += [unattached_field(path, requested_by) for path, requested_by in _list_unattached(route, values)]
    kept = {name: value for name, value in values.items() if value != route.constants.get(name)}
    if "include" not in kept:
        kept.pop("include_mode", None)
    query = Query(
        match=match, metro=metro, values=MappingProxyType(kept), notices=tuple(notices), ignored=ignored,
        renamed=renamed,
    )  # fmt: skip
    if metro is not None and metro in aliases:
        query = query.with_metro(aliases[metro])
    if cursor_text is None:
        return query
    cursor, seal = parse_cursor(str(cursor_text), route=route.name, request_text=query.unpaged_text)
    return replace(query, cursor=cursor, seal=seal)


def split_pairs(query_string: bytes) -> Sequence[tuple[bytes, bytes]]:
    """Return the decoded names and values of a query string. Decide by these: the same name has many spellings.

    >>> split_pairs(b"q=art+club&%71=x&age")
    [(b'q', b'art club'), (b'q', b'x'), (b'age', b'')]
    """
    pairs = (pair.replace(b"+", b" ").partition(b"=") for pair in query_string.split(b"&") if pair)
    return [(unquote_to_bytes(name), unquote_to_bytes(value)) for name, _, value in pairs]


def _group_values(query_string: bytes) -> dict[str, list[str]]:
    if len(query_string) > MOST_BYTES:
        message = f"The query string has {len(query_string)} bytes; at most {MOST_BYTES}."
        raise bad_request(reason="out_of_range", message=message, max=MOST_BYTES)
    given: dict[str, list[str]] = {}
    for raw_name, raw_value in split_pairs(query_string):
        name = _decode(raw_name, name=None)
        given.setdefault(name, []).append(_decode(raw_value, name=name))
    return given


def _decode(raw: bytes, *, name: str | None) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        param = None if name is None else name[:100]
        message = f"{show_text(param) if param else 'The query string'} is not UTF-8; percent-encode its UTF-8 bytes."
        raise bad_request(param=param, reason="invalid_value", message=message) from None


def _check_names(route: Route, given: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return the sent names that the route ignores, sorted. Raises ApiError for names that it does not have."""
    if given.keys() <= route.parameters.keys():
        return ()
    for name in given:
        if name in route.parameters or name in route.ignored:
            continue
        is_ours = name in PARAMETERS
        meant = (suggest_other if is_ours else suggest_parameter)(name, route.parameters)
        problem = f"{name} does not apply to {route.path}." if is_ours else f"There is no parameter {show_text(name)}."
        raise bad_request(
            param=name[:100],
            reason="parameter_not_supported" if is_ours else "unknown_parameter",
            message=f"{problem} {f'Did you mean {meant}?' if meant else 'Leave it out; /openapi.json has all.'}",
            did_you_mean=meant,
        )
    return tuple(sorted(name for name in given if name in route.ignored))


def _parse_value(
    route: Route, name: str, given: Mapping[str, Sequence[str]], *, vocabulary: Vocabulary,
    read_expression: ReadExpression,
) -> Value:  # fmt: skip
    row, texts = route.parameters[name], given[name]
    paths = MEMBERS.get(route.shown) if row.kind == "path" and route.shown else None
    try:
        if row.kind == "expression":  # a key without the grant gets the same error for any text
            return read_expression(lambda: parse_argument(row, texts, vocabulary=vocabulary), row, route)
        return parse_argument(row, texts, vocabulary=vocabulary, paths=paths)
    except ApiError as error:
        lat, lng = (parse_number(sent[0]) if len(sent) == 1 else None for sent in (texts, given.get("lng", ())))
        if name == "lat" and lat is not None and lng is not None and 90 < abs(lat) <= 180 and abs(lng) <= 90:
            message = f"{error.message} lat and lng may be swapped."
            raise bad_request(param="lat", reason="out_of_range", message=message, min=-90, max=90) from None
        raise


def _list_unattached(route: Route, values: Mapping[str, Value]) -> Iterator[tuple[str, str]]:
    """Yield each path of `fields` that has no effect without another parameter, such as `include=source`, and that
    parameter."""
    includes = route.parameters["include"].allowed or () if "include" in route.parameters else ()
    sent = {*_read_words(values, "expand"), *_read_words(values, "include")}
    for path in _read_words(values, "fields"):
        member, _, rest = path.partition(".")
        wanted = rest.partition(".")[0]
        if member in includes and member not in sent:
            yield path, f"include={member}"
        elif member == "expanded" and not (wanted in sent if wanted else sent & {"place", "organization"}):
            yield path, f"expand={wanted}" if wanted else "expand"


def _read_words(values: Mapping[str, Value], name: str) -> tuple[str, ...]:
    words = values.get(name, ())
    return words if isinstance(words, tuple) else ()


def _rename_deprecated(route: Route, values: dict[str, Value]) -> Mapping[str, str]:
    """Move values from deprecated names to new ones, in place. Return the deprecated names by new name."""
    if route.renamed.keys().isdisjoint(values):
        return _NOTHING
    renamed = {route.renamed[old]: old for old in values if old in route.renamed}
    for new, old in renamed.items():
        values[new] = values.pop(old)
    return MappingProxyType(renamed)


def _encode_value(value: Value) -> str:
    texts = value if isinstance(value, tuple) else (value if isinstance(value, str) else format_scalar(value),)
    return ",".join(quote(text, safe=":") for text in texts)
