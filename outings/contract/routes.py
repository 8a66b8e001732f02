"""The table of routes: path, resource, parameters with their bounds there, max-age, stability, plan and credits."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal
from urllib.parse import quote, unquote_to_bytes

from msgspec import Struct
from msgspec.structs import replace

from outings.contract.parameter import Moving, Parameter, Stability
from outings.contract.parameters import FACETS, PARAMETERS
from outings.contract.values import CONTROL_CHARACTERS, parse_uuid
from outings.contract.vocabulary import COLLECTIONS, RESERVED_METRO_SLUGS


class Credits(Struct, frozen=True):
    """Planned only: usage is metered by request."""

    amount: int
    per: Literal["request", "record"]


class Route(Struct, frozen=True, kw_only=True):
    """`name` begins with its collection. `type` is singular: what a key must be scoped to; None where no type is.

    `parameters` are the rows with the bounds and defaults that hold here. `sets` names the one that the id in the path
    is the value of: it may be sent beside it, as `applied_filters` shows it, with no other value. `ignored` names are
    taken, change nothing, and give a notice. `max_age` in seconds; None is `no-cache`. `implemented` False answers 501.
    With `is_now` an answer depends on the minute.
    """

    name: str
    path: str
    meaning: str
    type: str | None = None
    parameters: Mapping[str, Parameter] = {}
    sets: str | None = None
    ignored: tuple[str, ...] = ()
    max_age: int | None = 60
    stability: Stability = "stable"
    plan: str = "all"
    credits: Credits = Credits(1, "request")
    needs_key: bool = True
    implemented: bool = False
    is_now: bool = False

    @property
    def collection(self) -> str:
        return self.name.partition(".")[0]

    @property
    def shown(self) -> str | None:
        """What an item or a detail is: whose members `fields` may name."""
        return _SHOWN.get(self.name, self.type)

    @property
    def takes_metro(self) -> bool:
        """Whether the metro stands in the path."""
        return "{metro}" in self.path


# Of routes that show what is no scope type.
_SHOWN = {"organizations.detail": "organization", "organizations.list": "organization_entry", "nearby": "nearby_item"}


def _select(*names: str, changes: Iterable[Parameter] = ()) -> Mapping[str, Parameter]:
    rows = {name: PARAMETERS[name] for name in names}
    rows.update((row.name, row) for row in changes if row.name in rows)
    return MappingProxyType(rows)


_POINT = ("lat", "lng", "radius_m")
_ZIP = ("zip", "near_zip", "include_approximate")
_LISTING = ("category", "audience", "age", "min_confidence", "neighborhood", *_POINT, *_ZIP, "organization_id")
_DATED = ("from", "to", "season", "free", "max_price", "weekday", "start_after", "start_before", "place_id")
_SENSED = ("occasion", "indoor", "outdoor", "sensory")
_CLASS = ("schedule_day", "enrollment_type", "openings", "starts_from", "starts_to")
_PLACE = ("type_hint", "has_birthday_parties", "has_classes")

_FILTERS: Mapping[str, tuple[str, ...]] = {
    "event": (*_LISTING, *_DATED, *_SENSED, "team", "has_time", "recurring"),
    "class": (*_LISTING, *_DATED, *_SENSED, *_CLASS),
    "camp": (*_LISTING, *_DATED, "year", "overnight"),
    "place": (*_LISTING, "sensory", *_PLACE, "place_type"),
}
_SHAPE = ("fields", "expand", "include", "include_mode", "release")
_WALK = ("ids", "q", "changed_since", "limit", "page", "cursor", "facets")

_ROW = PARAMETERS
_WINDOW = (replace(_ROW["to"], default=Moving.FROM_PLUS_30_DAYS),)


_OWN_ID = "3f2b8c1e-5d4a-4b6f-9c7d-0a1b2c3d4e5f"
_PLACE_OF_PATH = replace(
    _ROW["place_id"], example=_OWN_ID, meaning="The place of the path: its own id alone may be sent."
)
_ORGANIZATION_OF_PATH = replace(
    _ROW["organization_id"], example=_OWN_ID, meaning="The organization of the path: its own id alone may be sent."
)


def _allow(name: str, *allowed: str) -> Parameter:
    return replace(_ROW[name], allowed=allowed, example=",".join(allowed[:1]))


# What a resource's lists and details take otherwise than the plain row says.
_CHANGES: Mapping[str, tuple[Parameter, ...]] = {
    "event": (*_WINDOW, _allow("include", "source", "forecast")),
    "class": (_allow("include", "source"), _allow("expand", "place", "organization", "sessions")),
    "camp": (_allow("include", "source"),),
    "place": (
        replace(_ROW["min_confidence"], default=0.5),
        _allow("include", "source"),
        _allow("expand", "organization"),
        _allow("facets", *(name for name in FACETS if name not in ("weekday", "time_block", "price_band"))),
    ),
}
_DETAIL_CHANGES: Mapping[str, tuple[Parameter, ...]] = {
    "event": (),
    "class": (_allow("include", "source", "related"),),
    "camp": (_allow("include", "source", "related"),),
    "place": (_allow("include", "source"), _allow("expand", "organization")),
}


def _list_routes(listing_type: str) -> Iterable[Route]:
    """The metro's list and the relationship lists, which behave like it with the place or organization set."""
    collection = COLLECTIONS[listing_type]
    names = (*_FILTERS[listing_type], *_WALK, *_SHAPE, *(("occurrences",) if listing_type == "event" else ()))
    every = _select(*names, changes=_CHANGES[listing_type])
    ignored = ("free",) if listing_type == "place" else ()
    yield Route(
        name=f"{collection}.list", path=f"/v1/{{metro}}/{collection}", meaning=f"List {collection} of a metro.",
        type=listing_type, parameters=every, ignored=ignored, credits=Credits(1, "record"), implemented=True,
    )  # fmt: skip
    of_organization = {**every, "organization_id": _ORGANIZATION_OF_PATH, "metro": _ROW["metro"]}
    yield Route(
        name=f"{collection}.of_organization", path=f"/v1/organizations/{{id}}/{collection}",
        meaning=f"List {collection} of an organization.", type=listing_type, parameters=of_organization,
        sets="organization_id", ignored=ignored, credits=Credits(1, "record"), implemented=True,
    )  # fmt: skip
    if listing_type == "place":
        return
    at_place = {name: row for name, row in every.items() if name != "organization_id"}
    at_place["place_id"] = _PLACE_OF_PATH
    yield Route(
        name=f"{collection}.at_place", path=f"/v1/places/{{id}}/{collection}",
        meaning=f"List {collection} at a place.", type=listing_type, parameters=at_place, sets="place_id",
        credits=Credits(1, "record"), implemented=True,
    )  # fmt: skip


def _detail_routes(listing_type: str) -> Iterable[Route]:
    collection = COLLECTIONS[listing_type]
    by_id = _select("include_archived", *_SHAPE, changes=_DETAIL_CHANGES[listing_type])
    for name, path, rows in (
        ("detail", "{id}", by_id),
        ("slug", "slug/{slug}", {**by_id, "metro": _ROW["metro"]}),
    ):
        yield Route(
            name=f"{collection}.{name}", path=f"/v1/{collection}/{path}", meaning=f"One of {collection} by {path}.",
            type=listing_type, parameters=rows, max_age=300, credits=Credits(1, "record"), implemented=True,
        )  # fmt: skip


def _limit(least: int, most: int, *, default: int) -> Parameter:
    return replace(_ROW["limit"], minimum=least, maximum=most, default=default, meaning="Items in one answer.")


_REQUIRED_WINDOW = tuple(replace(_ROW[name], required=True, default=None) for name in ("from", "to"))
_CALENDAR = _select(
    *_FILTERS["event"], "include", "include_mode", "release",
    changes=(*_REQUIRED_WINDOW, _allow("include", "forecast")),
)  # fmt: skip
_ICS = _select(*_FILTERS["event"], "ids", "q", "release", changes=_WINDOW)
_SEARCH = _select(
    "q", "types", "sort", "match", "limit", "cursor", "changed_since", "include", "release",
    *_LISTING, *_DATED, *_SENSED, "team", "has_time", "recurring", *_CLASS, "year", "overnight", *_PLACE,
    changes=(
        replace(_ROW["q"], required=True, meaning="The words to search for; nothing in them is interpreted as syntax."),
        _limit(1, 50, default=20),
        replace(_ROW["types"], implemented=True), replace(_ROW["sort"], implemented=True),
        # No add-on is for search: each value is refused as such, not as an unknown parameter.
        _allow("include"),
    ),
)  # fmt: skip
_TYPES = replace(_ROW["types"], implemented=True)
_SPATIAL = (*_POINT, "from", "to", "types", "min_confidence", "release")
_AROUND = _select(
    *_SPATIAL, "address", "ages", "free", "limit", "cursor", "include", "include_mode",
    changes=(
        *_WINDOW,
        _TYPES,
        replace(_ROW["ages"], implemented=True),
        _limit(1, 50, default=10),
        replace(_ROW["cursor"], kind="group-cursor", example="places:10", meaning="A group's `next_cursor`."),
        _allow("include", "source", "forecast"),
    ),
)  # fmt: skip
_NEARBY = _select(
    *_SPATIAL, "near_zip", "category", "audience", "age", "free", "max_price", "indoor", "outdoor", "sensory",
    "season", "fields", "limit", "cursor", "include", "include_mode",
    changes=(*_WINDOW, _TYPES, _limit(1, 200, default=50), _allow("include", "source")),
)  # fmt: skip
_TYPES_OF_DIRECTORY = replace(_ROW["types"], implemented=True, meaning="Listings of these collections alone count.")
_ACTIVITY = _select(*_SPATIAL, changes=(*_WINDOW, _TYPES))
_ORGANIZATIONS = _select(
    "q", "types", "category", "neighborhood", "min_count", "fields", "limit", "page", "cursor", "release",
    changes=(
        _limit(1, 200, default=50),
        _TYPES_OF_DIRECTORY,
        replace(_ROW["min_count"], implemented=True),
        replace(_ROW["category"], meaning="Any of the organization's categories."),
        replace(_ROW["neighborhood"], meaning="With a live listing there: its slug, or its name."),
        replace(_ROW["q"], maximum=500, meaning="A business by name, website address or pasted URL."),
    ),
)  # fmt: skip
_NEIGHBORHOODS = _select(
    "q", "types", "min_count", "sort", "limit", "page", "cursor", "release",
    changes=(
        _limit(1, 200, default=50),
        _TYPES_OF_DIRECTORY,
        replace(_ROW["min_count"], default=0, implemented=True),
        replace(
            _ROW["sort"], allowed=("name", "count"), default="name", example="count", implemented=True,
            meaning="By name, or by `counts.total`, most first.",
        ),
        replace(_ROW["q"], meaning="A neighborhood's name, or words of it."),
    ),
)  # fmt: skip
_CHANGES_FEED = _select(
    "cursor", "limit", "metro", "type", "kind", "release",
    changes=(
        replace(
            _ROW["cursor"], kind="integer", minimum=0, maximum=2**63 - 1, default=0, example="4711",
            meaning="The last `version_id` that was seen; 0 is from the start.",
        ),
        _limit(1, 1000, default=200),
        replace(_ROW["metro"], is_filter=True, meaning="Changes of this metro alone, by its slug."),
    ),
)  # fmt: skip
_EXPORT = _select(
    "types", "format", "release",
    changes=(
        replace(_ROW["types"], implemented=True, meaning="Files of these collections alone."),
        replace(_ROW["format"], implemented=True, meaning="Files in this format alone."),
    ),
)  # fmt: skip
_VERSIONS = _select("limit", "cursor", "order", "release", changes=(_limit(1, 200, default=50),))

ROUTES: tuple[Route, ...] = (
    Route(
        name="metros", path="/v1/metros", meaning="All active metros.", parameters=_select("release"),
        max_age=3600, implemented=True,
    ),
    *(route for listing_type in COLLECTIONS for route in _list_routes(listing_type)),
    *(route for listing_type in COLLECTIONS for route in _detail_routes(listing_type)),
    Route(
        name="organizations.detail", path="/v1/organizations/{id}", meaning="One organization by id.",
        parameters=_select("include_archived", "fields", "release"), max_age=300, credits=Credits(1, "record"),
        implemented=True,
    ),
    Route(
        name="organizations.list", path="/v1/{metro}/organizations", meaning="Organizations with live counts.",
        parameters=_ORGANIZATIONS, credits=Credits(1, "record"), implemented=True,
    ),
    Route(
        name="events.calendar", path="/v1/{metro}/events/calendar", meaning="Events counted by local date.",
        type="event", parameters=_CALENDAR, implemented=True,
    ),
    Route(
        name="events.ics", path="/v1/{metro}/events.ics", meaning="Events as an iCalendar file.", type="event",
        parameters=_ICS, stability="experimental", implemented=True,
    ),
    Route(
        name="search", path="/v1/{metro}/search", meaning="Search in all collections.", parameters=_SEARCH,
        implemented=True,
    ),
    Route(
        name="around", path="/v1/{metro}/around", meaning="What is around an address or a point.",
        parameters=_AROUND, stability="beta", is_now=True, implemented=True,
    ),
    Route(
        name="nearby", path="/v1/{metro}/nearby", meaning="Listings by distance.", parameters=_NEARBY,
        implemented=True, is_now=True,
    ),
    Route(
        name="activity", path="/v1/{metro}/activity", meaning="How lively a point is.", parameters=_ACTIVITY,
        implemented=True, is_now=True,
    ),
    Route(
        name="neighborhoods", path="/v1/{metro}/neighborhoods", meaning="Neighborhoods with live counts.",
        parameters=_NEIGHBORHOODS, implemented=True,
    ),
    Route(
        name="coverage", path="/v1/{metro}/coverage", meaning="How much, how fresh and how clean the data is.",
        parameters=_select("types", "neighborhood", "release", changes=(_TYPES_OF_DIRECTORY,)), implemented=True,
    ),
    Route(
        name="export", path="/v1/{metro}/export", meaning="Files of every published row.",
        parameters=_EXPORT, stability="experimental", implemented=True,
    ),
    Route(
        name="export.file", path="/v1/{metro}/export/{file}", meaning="One of the export's files, whole.",
        parameters=_select("release"), stability="experimental", implemented=True,
    ),
    Route(
        name="versions", path="/v1/listings/{id}/versions", meaning="The history of a listing.",
        parameters=_VERSIONS, credits=Credits(1, "record"), implemented=True,
    ),
    Route(
        name="changes", path="/v1/changes", meaning="The feed of versions.", parameters=_CHANGES_FEED,
        max_age=None, credits=Credits(1, "record"), implemented=True,
    ),
    *(
        Route(
            name=name, path=path, meaning=meaning, max_age=max_age, stability="experimental", needs_key=False,
            implemented=True,
        )
        for name, path, meaning, max_age in (
            ("openapi", "/openapi.json", "This contract as OpenAPI 3.1.", 3600),
            ("healthz", "/healthz", "Whether the process lives.", None),
            ("readyz", "/readyz", "Whether it can answer.", None),
            ("metrics", "/metrics", "Measurements for operators.", None),
        )
    ),
)  # fmt: skip


class Match(Struct, frozen=True, kw_only=True):
    """A path that is a route's, with what stands in its braces: `metro` and `slug` as written, `id` in lower case."""

    route: Route
    values: Mapping[str, str]

    @property
    def path(self) -> str:
        """The path in its canonical spelling."""
        return self.route.path.format_map({name: quote(value, safe="") for name, value in self.values.items()})


def match_route(path: str) -> Match | None:
    """`path` is raw: percent-encoded, without the query string. None: no such route, 404.

    An encoded slash is part of its segment. A reserved word is never a metro, an `{id}` is a uuid.
    """
    segments = _split_path(path)
    if segments is None:
        return None
    for route, template in _BY_LENGTH.get(len(segments), ()):
        values = _match_segments(template, segments)
        if values is not None:
            return Match(route=route, values=values)
    return None


def _split_path(path: str) -> list[str] | None:
    first, *raw = path.split("/")
    if first or not raw:
        return None
    try:
        segments = [unquote_to_bytes(segment).decode() if "%" in segment else segment for segment in raw]
    except UnicodeDecodeError:
        return None
    return None if any(CONTROL_CHARACTERS.search(segment) for segment in segments) else segments


def _match_segments(template: tuple[str, ...], segments: list[str]) -> dict[str, str] | None:
    values: dict[str, str] = {}
    for expected, segment in zip(template, segments, strict=True):
        if expected[:1] != "{":
            if segment != expected:
                return None
        else:
            value = _read_segment(expected[1:-1], segment)
            if value is None:
                return None
            values[expected[1:-1]] = value
    return values


def _read_segment(name: str, segment: str) -> str | None:
    if name == "id":
        return parse_uuid(segment)
    if name == "metro" and segment in RESERVED_METRO_SLUGS:
        return None
    return segment or None


def _index_routes() -> Mapping[int, tuple[tuple[Route, tuple[str, ...]], ...]]:
    templates = [(route, tuple(route.path.split("/")[1:])) for route in ROUTES]
    lengths = {len(template) for _, template in templates}
    return {length: tuple(pair for pair in templates if len(pair[1]) == length) for length in lengths}


_BY_LENGTH = _index_routes()
