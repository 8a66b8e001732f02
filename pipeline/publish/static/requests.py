"""List the requests that a static tree answers. The last kinds are left out beyond `max_objects` files."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta

import polars as pl
from msgspec import Struct, field

from outings.contract.resources.sync import EXPORT_TYPES
from outings.contract.routes import LISTS
from outings.contract.vocabulary import COLLECTIONS, TYPES, Vocabulary
from outings.release.snapshot import Snapshot
from outings.release.tables import PUBLISHED, read_columns
from pipeline.publish.objects.precomputed_pages import list_months

_SATURDAY = 5
NAMED = "requests of the configuration"
_DATED = [collection for listing_type, collection in COLLECTIONS.items() if listing_type != "place"]


class StaticMetro(Struct, frozen=True, kw_only=True):
    """A metro of a static tree. `listings`: the ids of all that are published, by collection.

    The other mappings are filled while the metro's lists are rendered, with what these show: the places and
    organizations of each collection's listings, and all neighborhoods and organizations (`directory`)."""

    slug: str
    today: date
    days: int
    vocabulary: Vocabulary
    requests: Sequence[str]
    listings: Mapping[str, Sequence[str]]
    places: dict[str, dict[str, None]] = field(default_factory=lambda: defaultdict(dict))
    organizations: dict[str, dict[str, None]] = field(default_factory=lambda: defaultdict(dict))
    neighborhoods: dict[str, None] = field(default_factory=dict)
    directory: dict[str, None] = field(default_factory=dict)

    def list_lists(self, query: str, values: Iterable[object] = ("",), *, of: Iterable[str]) -> list[str]:
        """Return `/v1/{metro}/{collection}{query}{value}` for each collection in `of` and each value."""
        return [f"/v1/{self.slug}/{collection}{query}{value}" for collection in of for value in values]


class Kind(Struct, frozen=True):
    """A kind of requests that get files, such as lists by category. `keeps_empty`: an empty list gets a file, too."""

    name: str
    list_requests: Callable[[StaticMetro], Iterable[str]]
    keeps_empty: bool = True
    of_no_metro: tuple[str, ...] = ()


def _list_overviews(metro: StaticMetro) -> Iterator[str]:
    for listing_type, collection in COLLECTIONS.items():
        facets = LISTS[listing_type].parameters["facets"].allowed or ()
        values = [f"{facet}&limit=0" for facet in (",".join(facets), *facets)]
        yield from metro.list_lists("?facets=", values, of=[collection])
    yield from metro.list_lists("", of=list_months(metro.today))
    yield from metro.list_lists("", of=("coverage", "organizations", "neighborhoods", "neighborhoods?sort=count"))


def _list_details(metro: StaticMetro) -> Iterator[str]:
    for collection, ids in metro.listings.items():
        yield from (f"/v1/{collection}/{row_id}" for row_id in ids)
    lists = (metro.directory, *metro.organizations.values())
    yield from (f"/v1/organizations/{row_id}" for row_id in dict.fromkeys(row_id for ids in lists for row_id in ids))


def _list_days(metro: StaticMetro) -> Iterator[str]:
    base, today = f"/v1/{metro.slug}/events", metro.today
    for day in (today + timedelta(days=number) for number in range(metro.days)):
        yield f"{base}?from={day}&to={day}"
    weekday = today.weekday()
    if weekday <= _SATURDAY:  # on a Sunday, what is left of the weekend is the day itself
        saturday = today + timedelta(days=_SATURDAY - weekday)
        yield f"{base}?from={saturday}&to={saturday + timedelta(days=1)}"


def _list_exports(metro: StaticMetro) -> Iterator[str]:
    base = f"/v1/{metro.slug}/export"
    yield base
    for collection in _ALL:
        formats = (format_ for format_ in EXPORT_TYPES if format_ != "ics" or collection == "events")
        yield from (f"{base}/{collection}.{format_}" for format_ in formats)


def _list_calendars(metro: StaticMetro) -> Iterator[str]:
    categories = [f"?category={word}" for word in metro.vocabulary.categories]
    return iter(metro.list_lists("", ("", "?free=true", *categories), of=["events.ics"]))


def _list_relations(metro: StaticMetro) -> Iterator[str]:
    for kind, shown in (("places", metro.places), ("organizations", metro.organizations)):
        for collection, ids in list(shown.items()):
            yield from (f"/v1/{kind}/{row_id}/{collection}" for row_id in tuple(ids))


_ALL = COLLECTIONS.values()
# What the first lists show, later kinds have requests for.
KINDS = (
    Kind("default lists", lambda metro: metro.list_lists("", of=_ALL), of_no_metro=("/v1/metros",)),
    Kind("overviews", _list_overviews),
    Kind(NAMED, lambda metro: metro.requests),
    Kind("details by id", _list_details),
    Kind("lists by day", _list_days),
    Kind("lists of what is free", lambda metro: metro.list_lists("?free=true", of=_DATED)),
    Kind("changes", lambda _: (), of_no_metro=("/v1/changes",)),
    Kind("calendar files", _list_calendars),
    Kind("exports", _list_exports),
    Kind(
        "lists by category",
        lambda metro: metro.list_lists("?category=", metro.vocabulary.categories, of=_ALL),
        keeps_empty=False,
    ),
    Kind(
        "lists by neighborhood",
        lambda metro: metro.list_lists("?neighborhood=", metro.neighborhoods, of=_ALL),
        keeps_empty=False,
    ),
    Kind("lists of places and organizations", _list_relations, keeps_empty=False),
)


def list_published(snapshot: Snapshot) -> dict[str, list[str]]:
    """Return the ids of all published listings, by collection."""
    rows = read_columns(snapshot.tables["listings"], "listings", ("type", "status", "id"))
    published = rows.filter(pl.col("status") == PUBLISHED)
    return {
        collection: published.filter(pl.col("type") == TYPES.index(listing_type))["id"].to_list()
        for listing_type, collection in COLLECTIONS.items()
    }
