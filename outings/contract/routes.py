"""The table of routes, and the function that finds the route of a path."""

import builtins
import re
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache, partial
from types import MappingProxyType
from typing import Any, Literal
from urllib.parse import quote, unquote_to_bytes

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from outings.contract.errors import Health, Readiness
from outings.contract.parameters import PARAMETERS
from outings.contract.resources import meta
from outings.contract.resources.directories import (
    CalendarAddress,
    CalendarDay,
    Coverage,
    DensityCell,
    Directory,
    Metro,
    Neighborhood,
    Vocabularies,
)
from outings.contract.resources.finding import AreaActivity, Around, NearbyItem, SearchResult, Suggestion
from outings.contract.resources.listings import LISTINGS, Organization, OrganizationEntry
from outings.contract.resources.sync import EXPORT_TYPES, EXPORTS, Change, ExportFile, ListingVersion
from outings.contract.values import CONTROL_CHARACTERS, Constant, DateDefault, Default, Parameter, Stability, parse_uuid
from outings.contract.vocabulary import COLLECTIONS, FACETS, RESERVED_METRO_SLUGS

JSON = "application/json"
# Formats of lists beside JSON, by the end of the path, with their media types.
LIST_FORMATS = {"csv": "text/csv; charset=utf-8", "geojson": "application/geo+json"}
# `to` may be this many days after `from`.
LIST_DAYS_AFTER = 366
CALENDAR_DAYS_AFTER = 61
EXPANSION_DAYS_AFTER = 30
# The reference lists routes in these groups.
Group = Literal["listings", "finding", "directories", "sync", "service"]


class Credits(Struct, frozen=True):
    """The price of a request in a future plan; usage is now metered by request."""

    amount: int
    per: Literal["request", "record"]


class Route(Struct, frozen=True, kw_only=True, dict=True):
    """A route of the API.

    Attributes:
        name: begins with the collection.
        item: the type of `data`, or with `is_one` false of each of its items. If it is str or bytes, the answer is a
            file of one of the types in `media`. A route without a key answers with the item alone.
        meta: the type of the answer's `meta`, or None.
        type: the listing type that a key must be scoped to, or None.
        parameters: by name, with the bounds and defaults of this route.
        sets: the parameter whose value is the `{id}` of the path. A request may repeat that value.
        ignored: parameters that have no effect and cause a notice.
        max_age: of `Cache-Control`, in seconds; None is `no-cache`.
        is_now: True if answers depend on the minute.
        most_days: how many days `to` may be after `from`.
        is_optional: True if some deployments answer 501.
        takes_signature: True if a signed address may replace the header with the key.
        reads: what the answer reads, to be opened before: the one metro of the request, if it names one; `metros`, all
            that the key may read; or `log`, the log of their changes.
        signs: the route whose signed address is the answer.
        defaults, constants, required, optional, renamed: made from `parameters`. The defaults of filters and those of
            other parameters; the names that must be sent, and those that some deployments answer with 501; the new
            names of deprecated parameters.
        prepared: what has to be prepared, by the parameter that needs it; made from `parameters`.
    """

    name: str
    path: str
    meaning: str
    item: builtins.type[Any]
    meta: builtins.type[Struct] | None = None
    is_one: bool = False
    group: Group = "listings"
    media: tuple[str, ...] = (JSON,)
    type: str | None = None
    parameters: Mapping[str, Parameter] = {}
    sets: str | None = None
    ignored: tuple[str, ...] = ()
    max_age: int | None = 60
    stability: Stability = "stable"
    plan: str = "all"
    credits: Credits = Credits(1, "request")
    needs_key: bool = True
    is_now: bool = False
    needs_centre: bool = False
    most_days: int = LIST_DAYS_AFTER
    is_optional: bool = False
    takes_signature: bool = False
    reads: Literal["metro", "metros", "log"] = "metro"
    signs: "Route | None" = None
    defaults: Mapping[str, Default] = {}
    constants: Mapping[str, Constant] = {}
    required: tuple[str, ...] = ()
    optional: frozenset[str] = frozenset()
    renamed: Mapping[str, str] = {}
    prepared: Mapping[str, str] = {}

    def __post_init__(self) -> None:
        rows = self.parameters.items()
        others = {name: row.default for name, row in rows if not row.is_filter}
        constants = {name: value for name, value in others.items() if not isinstance(value, DateDefault | None)}
        force_setattr(self, "constants", constants)
        force_setattr(self, "defaults", list_defaults(self.parameters))
        force_setattr(self, "required", tuple(name for name, row in rows if row.required))
        force_setattr(self, "optional", frozenset(name for name, row in rows if row.is_optional))
        force_setattr(self, "renamed", {name: row.replaced_by for name, row in rows if row.replaced_by is not None})
        force_setattr(self, "prepared", {name: row.prepares for name, row in rows if row.prepares is not None})

    @property
    def collection(self) -> str:
        return self.name.partition(".")[0]

    @cached_property
    def shown(self) -> str | None:
        """Return the resource whose members `fields` may name, such as `nearby_item`; None without `fields`."""
        name = re.sub("(?<=[a-z])(?=[A-Z])", "_", self.item.__name__).lower()
        return name if "fields" in self.parameters else None

    @property
    def formats(self) -> tuple[str, ...]:
        """Return the formats of `LIST_FORMATS` that may end the path: of a map if the items say where they are."""
        if self.is_one or self.meta is None:
            return ()
        return tuple(LIST_FORMATS) if "location" in self.item.__struct_fields__ else ("csv",)


def list_defaults(parameters: Mapping[str, Parameter]) -> Mapping[str, Default]:
    """Return the defaults of the filters among the parameters."""
    return {name: row.default for name, row in parameters.items() if row.is_filter and row.default is not None}


class Match(Struct, frozen=True, kw_only=True, dict=True):
    """The route of a request's path, and the values in the path: `metro` and `slug` as sent, `id` in lower case.
    `format`: the format of `LIST_FORMATS` that ends the path, or ""."""

    route: Route
    values: Mapping[str, str]
    format: str = ""

    @property
    def metro(self) -> str | None:
        return self.values.get("metro")

    @cached_property
    def path(self) -> str:
        """Return the path in its canonical spelling."""
        path = self.route.path.format_map({name: quote(value, safe="") for name, value in self.values.items()})
        return f"{path}.{self.format}" if self.format else path


# Media types of the catalog (RFC 9727) and of `/metrics`.
CATALOG_TYPE = "application/linkset+json"
METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def _select(*names: str, changes: Iterable[Parameter] = ()) -> Mapping[str, Parameter]:
    """Return the rows of the table of parameters with these names, those in `changes` replaced."""
    rows = {name: PARAMETERS[name] for name in names}
    return MappingProxyType(rows | {row.name: row for row in changes if row.name in rows})


_POINT = ("lat", "lng", "radius_m")
_ZIP = ("zip", "near_zip", "include_approximate")
_AGES = ("age", "age_min", "age_max")
_LISTING = ("category", "audience", *_AGES, "min_confidence", "neighborhood", *_POINT, *_ZIP, "organization_id")
_DATED = ("from", "to", "season", "free", "max_price", "weekday", "start_after", "start_before", "place_id")
_SENSED = ("indoor", "outdoor", "sensory", "good_for_rainy")
_CLASS = ("meets", "schedule_day", "enrollment_type", "openings", "starts_from", "starts_to")
_PLACE = ("type_hint", "has_birthday_parties", "has_classes")

_FILTERS: Mapping[str, tuple[str, ...]] = {
    "event": (*_LISTING, *_DATED, "occasion", *_SENSED, "team", "has_time", "recurring", "ends_after"),
    "class": (*_LISTING, *_DATED, "occasion", *_SENSED, *_CLASS),
    "camp": (*_LISTING, *_DATED, "meets", "year", "overnight"),
    "place": (*_LISTING, *_SENSED, "open_at", *_PLACE, "place_type"),
}
_SHAPE = ("fields", "expand", "include", "include_mode")
_SOONEST = replace(
    PARAMETERS["sort"], allowed=("soonest",), default=None,
    meaning="By the next date in the window, then `id`; without it by a date or name that never changes.",
)  # fmt: skip
_ANY_LIST = ("ids", "q", "where", "changed_since", "limit", "page", "cursor", "facets")

_ROW = PARAMETERS
_WINDOW = (replace(_ROW["to"], default=DateDefault.FROM_PLUS_30_DAYS),)


_OWN_ID = "3f2b8c1e-5d4a-4b6f-9c7d-0a1b2c3d4e5f"
_PLACE_OF_PATH, _ORGANIZATION_OF_PATH = (
    replace(
        _ROW[f"{word}_id"], example=_OWN_ID, is_tryable=False,
        meaning=f"The {word} of the path: its own id alone may be sent.",
    )
    for word in ("place", "organization")
)  # fmt: skip


def _allow(name: str, *allowed: str) -> Parameter:
    return replace(_ROW[name], allowed=allowed, example=",".join(allowed[:1]))


# Parameters of lists and details that differ from their row in PARAMETERS.
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
    "class": (_allow("include", "source", "related"), _allow("expand", "place", "organization", "sessions")),
    "camp": (_allow("include", "source", "related"),),
    "place": (_allow("include", "source"), _allow("expand", "organization")),
}


def _list_routes(listing_type: str) -> Iterable[Route]:
    """Yield a type's lists: of a metro, of an organization and, except for places, at a place."""
    collection, item = COLLECTIONS[listing_type], LISTINGS[listing_type]
    names = (*_FILTERS[listing_type], *_ANY_LIST, *_SHAPE, *(("occurrences",) if listing_type == "event" else ()))
    parameters = _select(*names, changes=_CHANGES[listing_type])
    if listing_type != "place":
        parameters = MappingProxyType({**parameters, "sort": _SOONEST})
    ignored = ("free",) if listing_type == "place" else ()
    route = partial(
        Route, item=item, meta=meta.ListMeta, type=listing_type, ignored=ignored, credits=Credits(1, "record")
    )
    yield route(
        name=f"{collection}.list", path=f"/v1/{{metro}}/{collection}", meaning=f"List {collection} of a metro.",
        parameters=parameters,
    )  # fmt: skip
    of_organization = {**parameters, "organization_id": _ORGANIZATION_OF_PATH, "metro": _ROW["metro"]}
    yield route(
        name=f"{collection}.of_organization", path=f"/v1/organizations/{{id}}/{collection}",
        meaning=f"List {collection} of an organization.", parameters=of_organization, sets="organization_id",
    )  # fmt: skip
    if listing_type == "place":
        return
    at_place = {name: row for name, row in parameters.items() if name != "organization_id"}
    at_place["place_id"] = _PLACE_OF_PATH
    yield route(
        name=f"{collection}.at_place", path=f"/v1/places/{{id}}/{collection}",
        meaning=f"List {collection} at a place.", parameters=at_place, sets="place_id",
    )  # fmt: skip


def _density_route(listing_type: str) -> Route:
    """Return the route that counts listings by squares of the map, with the list's filters."""
    collection = COLLECTIONS[listing_type]
    names = (*_FILTERS[listing_type], "q", "where")
    return Route(
        name=f"{collection}.density", path=f"/v1/{{metro}}/{collection}/density",
        meaning=f"Count {collection} by squares of the map.", item=DensityCell,
        meta=meta.DensityMeta, type=listing_type, parameters=_select(*names, changes=_CHANGES[listing_type]),
        ignored=("free",) if listing_type == "place" else (), stability="experimental",
    )  # fmt: skip


def _calendar_route(listing_type: str) -> Route:
    """Return the route that counts listings by date: classes and camps on those on which they are known to meet."""
    collection = COLLECTIONS[listing_type]
    changes = (*_REQUIRED_WINDOW, _allow("include", "forecast"), replace(_ROW["meets"], default="true"))
    forecast = ("include", "include_mode") if listing_type == "event" else ()
    return Route(
        name=f"{collection}.calendar", path=f"/v1/{{metro}}/{collection}/calendar",
        meaning=f"Count {collection} by local date.", item=CalendarDay, meta=meta.CalendarMeta,
        type=listing_type, most_days=CALENDAR_DAYS_AFTER,
        parameters=_select(*_FILTERS[listing_type], "where", *forecast, changes=changes),
        stability="stable" if listing_type == "event" else "experimental",
    )  # fmt: skip


def _detail_routes(listing_type: str) -> Iterable[Route]:
    collection = COLLECTIONS[listing_type]
    by_id = _select("include_archived", *_SHAPE, changes=_DETAIL_CHANGES[listing_type])
    for name, word, path, rows in (
        ("detail", "id", "{id}", by_id),
        ("slug", "slug", "slug/{slug}", {**by_id, "metro": _ROW["metro"]}),
    ):
        yield Route(
            name=f"{collection}.{name}", path=f"/v1/{collection}/{path}",
            meaning=f"Get {'an' if listing_type == 'event' else 'a'} {listing_type} by its {word}.",
            item=LISTINGS[listing_type], is_one=True, type=listing_type, parameters=rows, max_age=300,
            credits=Credits(1, "record"),
        )  # fmt: skip


def _limit(least: int, most: int, *, default: int) -> Parameter:
    return replace(_ROW["limit"], minimum=least, maximum=most, default=default, meaning="Items in one answer.")


_REQUIRED_WINDOW = tuple(replace(_ROW[name], required=True, default=None) for name in ("from", "to"))
_ICS = _select(*_FILTERS["event"], "ids", "q", changes=_WINDOW)
_SEARCH = _select(
    "q", "types", "sort", "match", "limit", "cursor", "changed_since", "include",
    *(name for names in _FILTERS.values() for name in names if PARAMETERS[name].replaced_by is None),
    changes=(
        replace(_ROW["q"], required=True, meaning="The words to search for; nothing in them is interpreted as syntax."),
        _limit(1, 50, default=20),
        # Search has no add-ons: each value is refused, not the parameter as unknown.
        _allow("include"),
    ),
)  # fmt: skip
_SUGGEST = _select(
    "q", "types", "limit",
    changes=(
        replace(
            _ROW["q"], required=True, maximum=100, example="sto",
            meaning="The letters that were typed: what has a word that begins so, with the next ones behind it.",
        ),
        _limit(1, 20, default=8),
        replace(_ROW["types"], meaning="What has listings of these collections alone."),
    ),
)  # fmt: skip
# On routes that require a centre, its example can be sent.
_CENTRE = tuple(replace(_ROW[name], is_tryable=True) for name in _POINT)
_SPATIAL = (*_POINT, "from", "to", "types", "min_confidence")
_AROUND = _select(
    *_SPATIAL, "address", "ages", "free", "where", "limit", "cursor", "include", "include_mode",
    changes=(
        *_WINDOW,
        *_CENTRE,
        _limit(1, 50, default=10),
        replace(_ROW["cursor"], kind="group-cursor", example="places:10", meaning="A group's `next_cursor`."),
        _allow("include", "source", "forecast"),
    ),
)  # fmt: skip
_NEARBY = _select(
    *_SPATIAL, "near_zip", "category", "audience", *_AGES, "free", "max_price", "indoor", "outdoor", "sensory",
    "season", "meets", "where", "fields", "limit", "cursor", "include", "include_mode",
    changes=(*_WINDOW, *_CENTRE, _limit(1, 200, default=50), _allow("include", "source")),
)  # fmt: skip
_TYPES_OF_DIRECTORY = replace(_ROW["types"], meaning="Listings of these collections alone count.")
_ACTIVITY = _select(*_SPATIAL, changes=(*_WINDOW, *_CENTRE))
# An organization has no references and no add-ons.
_ORGANIZATION = _select(
    "include_archived", "fields", "include", "include_mode", changes=(_allow("include"),)
)  # fmt: skip
_ORGANIZATIONS = _select(
    "q", "types", "category", "neighborhood", "min_count", "fields", "limit", "page", "cursor",
    changes=(
        _limit(1, 200, default=50),
        _TYPES_OF_DIRECTORY,
        replace(_ROW["category"], meaning="Any of the organization's categories."),
        replace(_ROW["neighborhood"], meaning="With a live listing there: its slug, or its name."),
        replace(_ROW["q"], maximum=500, meaning="A business by name, website address or pasted URL."),
    ),
)  # fmt: skip
_NEIGHBORHOODS = _select(
    "q", "types", "min_count", "sort", "limit", "page", "cursor",
    changes=(
        _limit(1, 200, default=50),
        _TYPES_OF_DIRECTORY,
        replace(_ROW["min_count"], default=0),
        replace(
            _ROW["sort"], allowed=("name", "count"), default="name", example="count",
            meaning="By name, or by `counts.total`, most first.",
        ),
        replace(_ROW["q"], meaning="A neighborhood's name, or words of it."),
    ),
)  # fmt: skip
_CHANGES_FEED = _select(
    "cursor", "limit", "metro", "type", "kind",
    changes=(
        replace(
            _ROW["cursor"], kind="integer", minimum=0, maximum=2**63 - 1, default=0, example="0", is_tryable=True,
            meaning="The last `version_id` that was seen; 0 is from the start.",
        ),
        _limit(1, 1000, default=200),
        replace(_ROW["metro"], is_filter=True, meaning="Changes of this metro alone, by its slug."),
    ),
)  # fmt: skip
_EXPORT = _select(
    "types", "format",
    changes=(
        replace(_ROW["types"], allowed=tuple(EXPORTS), meaning="Files of these collections alone."),
        replace(_ROW["format"], meaning="Files in this format alone."),
    ),
)  # fmt: skip
_VERSIONS = _select("limit", "cursor", "order", changes=(_limit(1, 200, default=50),))

_CALENDAR_FILE = Route(
    name="events.ics", path="/v1/{metro}/events.ics", meaning="Get events as an iCalendar file.", item=str,
    media=(EXPORT_TYPES["ics"],), type="event", parameters=_ICS, stability="experimental",
    takes_signature=True,
)  # fmt: skip

ROUTES: tuple[Route, ...] = (
    Route(
        name="metros", path="/v1/metros", meaning="List the active metros.", item=Metro, meta=meta.MetrosMeta,
        max_age=3600, group="directories", reads="metros",
    ),
    Route(
        name="directory", path="/v1", meaning="List where the API begins.", item=Directory, is_one=True, max_age=3600,
        group="directories", stability="experimental", needs_key=False,
    ),
    Route(
        name="vocabulary", path="/v1/vocabulary", meaning="Get the words of each vocabulary with their labels.",
        item=Vocabularies, is_one=True, parameters=_select("language"), max_age=3600, group="directories",
        stability="experimental", needs_key=False,
    ),
    *(route for listing_type in COLLECTIONS for route in _list_routes(listing_type)),
    *(route for listing_type in COLLECTIONS for route in _detail_routes(listing_type)),
    *(_density_route(listing_type) for listing_type in COLLECTIONS),
    Route(
        name="organizations.detail", path="/v1/organizations/{id}", meaning="Get an organization by its id.",
        item=Organization, is_one=True, parameters=_ORGANIZATION, ignored=("expand",), max_age=300,
        credits=Credits(1, "record"), group="directories", reads="metros",
    ),
    Route(
        name="organizations.list", path="/v1/{metro}/organizations", meaning="List organizations with their counts.",
        item=OrganizationEntry, meta=meta.DirectoryMeta, parameters=_ORGANIZATIONS, credits=Credits(1, "record"),
        group="directories",
    ),
    *(_calendar_route(listing_type) for listing_type in ("event", "class", "camp")),
    _CALENDAR_FILE,
    Route(
        name="events.ics.address", path="/v1/{metro}/events.ics/address",
        meaning="Get a signed address of the calendar file, which needs no key header.", item=CalendarAddress,
        is_one=True, type="event", parameters=_ICS, max_age=None, stability="experimental", is_optional=True,
        signs=_CALENDAR_FILE,
    ),
    Route(
        name="search", path="/v1/{metro}/search", meaning="Search all collections.", item=SearchResult,
        meta=meta.SearchMeta, parameters=_SEARCH, group="finding",
    ),
    Route(
        name="suggest", path="/v1/{metro}/suggest", meaning="Suggest words and listings for half-typed words.",
        item=Suggestion, meta=meta.SuggestMeta, parameters=_SUGGEST, stability="experimental", group="finding",
    ),
    Route(
        name="around", path="/v1/{metro}/around", meaning="Describe what is around an address or a point.", item=Around,
        meta=meta.AroundMeta, is_one=True, needs_centre=True, parameters=_AROUND, stability="beta", is_now=True,
        group="finding",
    ),
    Route(
        name="nearby", path="/v1/{metro}/nearby", meaning="List listings by distance from a point.", item=NearbyItem,
        meta=meta.NearbyMeta, needs_centre=True, parameters=_NEARBY, is_now=True, group="finding",
    ),
    Route(
        name="activity", path="/v1/{metro}/activity", meaning="Rate how much there is to do near a point.",
        item=AreaActivity, meta=meta.ActivityMeta, is_one=True, needs_centre=True, parameters=_ACTIVITY, is_now=True,
        group="finding",
    ),
    Route(
        name="neighborhoods", path="/v1/{metro}/neighborhoods", meaning="List neighborhoods with their counts.",
        item=Neighborhood, meta=meta.DirectoryMeta, parameters=_NEIGHBORHOODS, group="directories",
    ),
    Route(
        name="coverage", path="/v1/{metro}/coverage",
        meaning="Report how much data there is, how fresh and how complete.",
        item=Coverage, meta=meta.CoverageMeta, is_one=True,
        parameters=_select("types", "neighborhood", changes=(_TYPES_OF_DIRECTORY,)), group="directories",
    ),
    Route(
        name="changes", path="/v1/changes", meaning="List changes since a version.", item=Change, meta=meta.ChangesMeta,
        parameters=_CHANGES_FEED, max_age=None, credits=Credits(1, "record"), group="sync", reads="log",
    ),
    Route(
        name="versions", path="/v1/listings/{id}/versions", meaning="List the versions of a listing.",
        item=ListingVersion, meta=meta.VersionsMeta, parameters=_VERSIONS, credits=Credits(1, "record"), group="sync",
    ),
    Route(
        name="export", path="/v1/{metro}/export", meaning="List the export files.", item=ExportFile,
        meta=meta.ExportMeta, parameters=_EXPORT, group="sync",
    ),
    Route(
        name="export.file", path="/v1/{metro}/export/{file}", meaning="Download an export file.", item=bytes,
        media=tuple(EXPORT_TYPES.values()), group="sync",
    ),
    Route(
        name="metros.detail", path="/v1/{metro}", meaning="Get a metro, with links to all that it has.", item=Metro,
        is_one=True, max_age=300, group="directories", stability="experimental",
    ),
    *(
        Route(
            name=name, path=path, meaning=meaning, item=item, is_one=True, media=(media,), max_age=max_age,
            group="service", stability="experimental", needs_key=False,
        )
        for name, path, meaning, item, media, max_age in (
            ("openapi", "/openapi.json", "Get this contract as OpenAPI 3.1.", dict, JSON, 3600),
            ("catalog", "/.well-known/api-catalog", "List what describes the API (RFC 9727).", str, CATALOG_TYPE, 3600),
            ("healthz", "/healthz", "Check that the process is running.", Health, JSON, None),
            ("readyz", "/readyz", "Check that the server can answer.", Readiness, JSON, None),
            ("metrics", "/metrics", "Get measurements for operators.", str, METRICS_TYPE, None),
        )
    ),
)  # fmt: skip


# The list of each type's collection.
LISTS: Mapping[str, Route] = {route.type: route for route in ROUTES if route.type and route.name.endswith(".list")}


_REMEMBERED = 1_024


def match_route(path: str) -> Match | None:
    """Find the route of a path, which is percent-encoded and without query string. Return None if there is no such
    route.

    An encoded slash ends no segment, no metro is a reserved word, and an `{id}` is a uuid. A route without a key has
    one spelling, by which fronts hide it: `/%6Detrics` is none. A list's path may end with a format.
    """
    stem, _, suffix = path.rpartition(".")
    if suffix in LIST_FORMATS and (listed := match_route(stem)) and suffix in listed.route.formats:
        return replace(listed, format=suffix)
    segments = _split_path(path)
    if segments is None or len(segments) > _LONGEST:
        return None
    for route, template in _list_candidates(tuple([segment if segment in PATH_WORDS else "" for segment in segments])):
        names = zip(template, segments, strict=True)
        values = {word[1:-1]: _read_segment(word, segment) for word, segment in names if word[0] == "{"}
        if all(values.values()) and (route.needs_key or "%" not in path):
            return Match(route=route, values=values)
    return None


def _split_path(path: str) -> list[str] | None:
    first, *raw = path.split("/")
    if first or not raw:
        return None
    if "%" in path:
        try:
            raw = [unquote_to_bytes(segment).decode() for segment in raw]
        except UnicodeDecodeError:
            return None
    return None if CONTROL_CHARACTERS.search("".join(raw)) else raw


def _read_segment(word: str, segment: str) -> str:
    """Return the value of a path parameter, such as `{id}`, or "" if the segment is none."""
    if word == "{id}":
        return parse_uuid(segment) or ""
    return "" if word == "{metro}" and segment in RESERVED_METRO_SLUGS else segment


@lru_cache(maxsize=_REMEMBERED)
def _list_candidates(words: tuple[str, ...]) -> tuple[tuple[Route, tuple[str, ...]], ...]:
    """Return the routes that a path may match, in the table's order. `words`: the path's segments, with "" for each
    that is no word of a route."""
    return tuple(
        (route, template)
        for route, template in _TEMPLATES
        if len(template) == len(words)
        and all(expected[0] == "{" or expected == word for expected, word in zip(template, words, strict=True))
    )


_TEMPLATES = tuple((route, tuple(route.path.split("/")[1:])) for route in ROUTES)
_LONGEST = max(len(template) for _, template in _TEMPLATES)
PATH_WORDS = frozenset(word for _, template in _TEMPLATES for word in template if word[0] != "{")
