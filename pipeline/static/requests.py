"""The requests that a static tree answers. Where `max_objects` is reached, the last kinds are left out."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, timedelta

from msgspec import Struct, field

from outings.contract.resources.export import EXPORT_TYPES
from outings.contract.routes import LISTS
from outings.contract.vocabulary import COLLECTIONS, Vocabulary
from pipeline.objects.precomputed_pages import list_months

_OLDEST_CHILD = 17
_SATURDAY = 5


class ShownListings(Struct, kw_only=True):
    """What the lists of a metro show: their slugs by collection and id, the ids of each collection's places and
    organizations, and the two directories."""

    slugs: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    places: dict[str, dict[str, None]] = field(default_factory=lambda: defaultdict(dict))
    organizations: dict[str, dict[str, None]] = field(default_factory=lambda: defaultdict(dict))
    neighborhoods: dict[str, None] = field(default_factory=dict)
    directory: dict[str, None] = field(default_factory=dict)


class StaticMetro(Struct, frozen=True, kw_only=True):
    """A metro whose part of the tree is planned; `shown` fills while its lists are rendered. `exported`: collections
    whose files show nothing for adults alone."""

    slug: str
    today: date
    days: int
    vocabulary: Vocabulary
    requests: Sequence[str]
    exported: Sequence[str] = ()
    shown: ShownListings = field(default_factory=ShownListings)


class Kind(Struct, frozen=True):
    """Requests of one kind. With `keeps_empty` False a list that shows nothing has no file."""

    name: str
    list_requests: Callable[[StaticMetro], Iterable[str]]
    keeps_empty: bool = True
    of_no_metro: tuple[str, ...] = ()


def _list_default(metro: StaticMetro) -> Iterator[str]:
    yield from (f"/v1/{metro.slug}/{collection}" for collection in COLLECTIONS.values())


def _list_overviews(metro: StaticMetro) -> Iterator[str]:
    base = f"/v1/{metro.slug}"
    for listing_type, collection in COLLECTIONS.items():
        facets = LISTS[listing_type].parameters["facets"].allowed or ()
        yield from (f"{base}/{collection}?facets={each}&limit=0" for each in (",".join(facets), *facets))
    yield from (f"{base}/{target}" for target in list_months(metro.today))
    yield from (f"{base}/{name}" for name in ("coverage", "organizations", "neighborhoods", "neighborhoods?sort=count"))


def _list_named(metro: StaticMetro) -> Iterator[str]:
    yield from metro.requests


def _list_details(metro: StaticMetro) -> Iterator[str]:
    for collection, slugs in metro.shown.slugs.items():
        yield from (f"/v1/{collection}/{row_id}" for row_id in slugs)
    lists = (metro.shown.directory, *metro.shown.organizations.values())
    yield from (f"/v1/organizations/{row_id}" for row_id in dict.fromkeys(each for ids in lists for each in ids))


def _list_slugs(metro: StaticMetro) -> Iterator[str]:
    for collection, slugs in metro.shown.slugs.items():
        yield from (f"/v1/{collection}/slug/{slug}?metro={metro.slug}" for slug in dict.fromkeys(slugs.values()))


def _list_days(metro: StaticMetro) -> Iterator[str]:
    base, today = f"/v1/{metro.slug}/events", metro.today
    for day in (today + timedelta(days=number) for number in range(metro.days)):
        yield f"{base}?from={day}&to={day}"
    weekday = today.weekday()
    if weekday <= _SATURDAY:  # on a Sunday, what is left of the weekend is the day itself
        saturday = today + timedelta(days=_SATURDAY - weekday)
        yield f"{base}?from={saturday}&to={saturday + timedelta(days=1)}"


def _list_calendars(metro: StaticMetro) -> Iterator[str]:
    base = f"/v1/{metro.slug}/events.ics"
    yield from (base, f"{base}?free=true", *(f"{base}?category={word}" for word in metro.vocabulary.categories))


def _list_exports(metro: StaticMetro) -> Iterator[str]:
    base, exported = f"/v1/{metro.slug}/export", metro.exported
    if exported:
        yield base if len(exported) == len(COLLECTIONS) else f"{base}?types={','.join(exported)}"
    for collection in exported:
        formats = (each for each in EXPORT_TYPES if each != "ics" or collection == "events")
        yield from (f"{base}/{collection}.{each}" for each in formats)


def _list_free(metro: StaticMetro) -> Iterator[str]:
    yield from (f"/v1/{metro.slug}/{collection}?free=true" for collection in _list_dated())


def _list_categories(metro: StaticMetro) -> Iterator[str]:
    for collection in COLLECTIONS.values():
        yield from (f"/v1/{metro.slug}/{collection}?category={word}" for word in metro.vocabulary.categories)


def _list_neighborhoods(metro: StaticMetro) -> Iterator[str]:
    for collection in COLLECTIONS.values():
        yield from (f"/v1/{metro.slug}/{collection}?neighborhood={slug}" for slug in metro.shown.neighborhoods)


def _list_relations(metro: StaticMetro) -> Iterator[str]:
    for collection, ids in list(metro.shown.places.items()):
        yield from (f"/v1/places/{row_id}/{collection}" for row_id in tuple(ids))
    for collection, ids in list(metro.shown.organizations.items()):
        yield from (f"/v1/organizations/{row_id}/{collection}" for row_id in tuple(ids))


def _list_ages(metro: StaticMetro) -> Iterator[str]:
    for collection in _list_dated():
        yield from (f"/v1/{metro.slug}/{collection}?age={age}" for age in range(_OLDEST_CHILD + 1))


def _list_dated() -> list[str]:
    return [collection for listing_type, collection in COLLECTIONS.items() if listing_type != "place"]


# Details after the lists that show them; every later list shows a part of what these show.
KINDS = (
    Kind("default lists", _list_default),
    Kind("overviews", _list_overviews),
    Kind("requests of the configuration", _list_named),
    Kind("details by id", _list_details),
    Kind("details by slug", _list_slugs),
    Kind("lists by day", _list_days),
    Kind("lists of what is free", _list_free),
    Kind("changes", lambda _: (), of_no_metro=("/v1/changes",)),
    Kind("calendar files", _list_calendars),
    Kind("exports", _list_exports),
    Kind("lists by category", _list_categories, keeps_empty=False),
    Kind("lists by neighborhood", _list_neighborhoods, keeps_empty=False),
    Kind("lists of places and organizations", _list_relations, keeps_empty=False),
    Kind("lists by age", _list_ages),
)
