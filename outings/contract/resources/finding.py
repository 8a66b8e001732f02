"""Listings near a point, results of a search, and suggestions."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from outings.contract.resources.listings import Counts
from outings.contract.resources.shared import (
    Ages,
    Category,
    EventForecast,
    Id,
    Instant,
    ListingType,
    Local,
    Location,
    Member,
    PlaceReference,
    Price,
    SourceBlock,
    means,
    one_of,
)

ORIGIN_SOURCES = ("coordinates", "address", "zip")
GROUPS = ("happening_soon", "recurring_programs", "classes_enrolling", "camps", "places")
# Label → the most metres, unless the radius is less.
RINGS = {"walk": 800, "bike": 2_500, "short_drive": 8_000, "drive": 50_000}
COMPONENTS = ("events", "classes", "camps", "places", "variety", "free_share")
REASONS = ("rows_without_coordinates", "point_outside_metro")


OriginSource = Annotated[str, one_of(*ORIGIN_SOURCES)]
AroundGroupName = Annotated[str, one_of(*GROUPS)]
RingLabel = Annotated[str, one_of(*RINGS)]
ComponentName = Annotated[str, one_of(*COMPONENTS)]
CoverageReason = Annotated[str, one_of(*REASONS)]


class Origin(Member, frozen=True, kw_only=True):
    """The middle of the circle. `source` says how the request named it."""

    lat: float
    lng: float
    source: Annotated[OriginSource, means("What the request named the point by.")]


class ItemLinks(Member, frozen=True, kw_only=True):
    self: Annotated[str, means("The listing itself.")]


_PRICE = "What it costs. Nothing is stated of a place: its own detail has `admission`."


class NearbyItem(Member, frozen=True, kw_only=True):
    """A listing in `nearby`. `starts_at` and `starts_local`: its first start in the window that is not before now, or
    null."""

    type: ListingType
    id: Id
    slug: str
    name: str
    distance_m: int
    starts_at: Annotated[
        Instant | None, means("The first start in the window that is not before now, in UTC; null for what has none.")
    ]
    starts_local: Annotated[
        Local | None, means("The first start in the window that is not before now; null for what has none.")
    ]
    timezone: Annotated[str | None, means("The time zone of `starts_local`; null of a place.")]
    place: PlaceReference | None
    location: Location
    price: Annotated[Price, means(_PRICE)]
    ages: Ages
    categories: tuple[Category, ...]
    image_url: str | None
    links: ItemLinks
    source: SourceBlock | UnsetType = UNSET


class AroundItem(Member, frozen=True, kw_only=True):
    """A listing in a group of `around`. `walk_minutes` is null over 5,000 m; `also_in` names its other groups."""

    listing_id: Annotated[Id, means("The id of the listing.")]
    type: ListingType
    name: str
    distance_m: int
    walk_minutes: Annotated[int | None, means("Minutes on foot; null over 5,000 m.")]
    score: float
    also_in: Annotated[tuple[AroundGroupName, ...], means("The other groups that it is in.")]
    slug: str
    starts_at: Instant | None
    starts_local: Local | None
    ends_local: Local | None
    timezone: Annotated[str | None, means("The time zone of `starts_local`; null of a place.")]
    place: PlaceReference | None
    neighborhood: str | None
    lat: float
    lng: float
    price: Annotated[Price, means(_PRICE)]
    ages: Ages
    image_url: str | None
    is_indoor: bool | None
    links: ItemLinks
    source: SourceBlock | UnsetType = UNSET
    forecast: EventForecast | UnsetType = UNSET


class AroundGroup(Member, frozen=True, kw_only=True):
    """A group of listings: `total` in all, of which `returned` are shown, best first. `next_cursor` gives the next
    ones."""

    total: Annotated[int, means("How many there are.")]
    returned: Annotated[int, means("How many are shown.")]
    items: Annotated[tuple[AroundItem, ...], means("Those that are shown, best first.")]
    next_cursor: Annotated[str | None, means("Sent as `cursor`, it gives the next ones; null on the last page.")]


class AroundResults(Member, frozen=True, kw_only=True):
    """Listings in five groups. `recurring_programs` has the events of `happening_soon` that recur, `classes_enrolling`
    the classes that are neither full nor closed."""

    happening_soon: Annotated[AroundGroup, means("Events in the window.")]
    recurring_programs: Annotated[AroundGroup, means("Those of the events that recur.")]
    classes_enrolling: Annotated[AroundGroup, means("Classes that are neither full nor closed.")]
    camps: Annotated[AroundGroup, means("Camps with a session in the window.")]
    places: Annotated[AroundGroup, means("Places, whatever the window.")]


class ActivityComponent(Member, frozen=True, kw_only=True):
    """A component of the score. `value`: a count, or a share from 0 to 1, null for a share of nothing; `score` from 0
    to 1."""

    name: Annotated[ComponentName, means("What is measured.")]
    value: Annotated[
        int | float | None, means("A count, or a share from 0 to 1; null where there is nothing to have a share of.")
    ]
    score: Annotated[float, means("From 0 to 1.")]
    weight: Annotated[float, means("How much it counts.")]


class Activity(Member, frozen=True, kw_only=True):
    """The liveliness of a point. `percentile`: how many of a hundred points with listings in reach are less lively, for
    the default radius and window. `suggested_radius_m`: the smallest radius with 20 listings."""

    score: Annotated[float, means("How lively the point is.")]
    percentile: Annotated[
        int, means("Of a hundred points of the metro with anything in reach, how many are less lively.")
    ]
    summary: str
    components: Annotated[tuple[ActivityComponent, ...], means("What the score is made of.")]
    suggested_radius_m: Annotated[int, means("The least radius with 20 listings.")]


class AreaActivity(Member, frozen=True, kw_only=True):
    """The activity of a point, with what it is made of."""

    location: Annotated[Origin, means("The middle of the circle.")]
    radius_m: int
    score: Annotated[float, means("How lively the point is.")]
    percentile: Annotated[
        int, means("Of a hundred points of the metro with anything in reach, how many are less lively.")
    ]
    summary: str
    components: Annotated[tuple[ActivityComponent, ...], means("What the score is made of.")]
    suggested_radius_m: Annotated[int, means("The least radius with 20 listings.")]
    counts: Annotated[Counts, means("What is in the circle.")]


class AroundPrices(Member, frozen=True, kw_only=True):
    """Counts of free and paid listings, without those that state no price."""

    free: Annotated[int, means("How many are free.")]
    paid: Annotated[int, means("How many cost something.")]


class DistanceRing(Member, frozen=True, kw_only=True):
    """A count of the listings beyond the previous ring, and up to `max_m`."""

    label: Annotated[RingLabel, means("How one gets there.")]
    max_m: Annotated[int, means("The most metres.")]
    count: Annotated[int, means("How many are further than the ring before, and within this one.")]


class AroundFacets(Member, frozen=True, kw_only=True):
    """Counts of the listings in all groups, each counted once. `free_share`: the share of free listings among those
    that state a price; null if none does."""

    by_type: Annotated[Counts, means("By collection.")]
    by_age_band: Annotated[dict[str, int], means("By age.")]
    by_price: Annotated[AroundPrices, means("By whether they cost anything.")]
    free_share: Annotated[
        float | None, means("The share that is free, of those that state a price; null where none does.")
    ]
    by_distance_ring: Annotated[tuple[DistanceRing, ...], means("By distance.")]


class AroundCoverage(Member, frozen=True, kw_only=True):
    """Listings that the answer can't show because they have no coordinates: `hidden_nearby` are in a neighborhood
    nearby, `unplaceable_in_metro` are anywhere. `reason`: why the answer may be incomplete; null if it is not."""

    hidden_nearby: Annotated[int, means("Rows that would be here but for the coordinates that they lack.")]
    unplaceable_in_metro: Annotated[int, means("Rows of which no place is known.")]
    reason: Annotated[CoverageReason | None, means("Why the answer may lack something; null where it does not.")]


class Around(Member, frozen=True, kw_only=True):
    location: Annotated[Origin, means("The middle of the circle.")]
    activity: Annotated[Activity, means("How lively the point is.")]
    results: Annotated[AroundResults, means("The five groups.")]
    facets: Annotated[AroundFacets, means("What is in any group, counted.")]
    coverage: Annotated[AroundCoverage, means("What the circle can't show.")]


LEVELS = ("all_terms", "related", "partial")
# Most ids of a result's repeats: as many as a list's `ids` takes.
MOST_REPEATS = 100
Match = Annotated[str, one_of(*LEVELS)]


class SearchResult(Struct, frozen=True, kw_only=True):
    """A listing that matches. `match`: how the words fit; `score`: how well, from 0 to 1, whatever else there is.
    `starts_local`: the next date in the window, or null. `repeats` and `repeat_ids`, with `match=auto` alone: how many
    more listings the result stands for, and their ids. All of a listing is at `/v1/events/{id}`, `/v1/classes/{id}` and
    so on, by its type."""

    type: ListingType
    id: Id
    slug: str
    name: str
    snippet: Annotated[str, means("At most 180 characters of the description around the words.")]
    match: Annotated[Match, means("How the words fit.")]
    score: Annotated[float, means("How well it fits the words, from 0 to 1, whatever else there is.")]
    starts_local: Annotated[Local | None, means("The next date in the window; null for what has none.")]
    repeats: Annotated[
        int | UnsetType, means("With `match=auto` how many more listings have this name, organization, place and ages.")
    ] = UNSET
    repeat_ids: Annotated[
        Annotated[tuple[Id, ...], Meta(max_length=MOST_REPEATS)] | UnsetType,
        means("With `match=auto` their ids, at most 100, the next first: a list takes them as `ids`."),
    ] = UNSET


# The order in which kinds are suggested; queries stand among categories.
SuggestionKind = Literal["category", "neighborhood", "place", "organization", "query", "listing"]


class SuggestionLinks(Member, frozen=True, kw_only=True):
    """Links, null where there is none. `self`: the listing or organization. `search`: the search for a query. The
    others: the lists of its events, classes, camps and places."""

    self: Annotated[str | None, means("The listing or organization; null of other kinds.")] = None
    search: Annotated[str | None, means("The search for a query; null of other kinds.")] = None
    events: Annotated[str | None, means("The list of its events; null where there is none.")] = None
    classes: Annotated[str | None, means("The list of its classes; null where there is none.")] = None
    camps: Annotated[str | None, means("The list of its camps; null where there is none.")] = None
    places: Annotated[str | None, means("The list of its places; null where there is none.")] = None


class Suggestion(Member, frozen=True, kw_only=True):
    """A suggestion. `text` is what to show; `type`: what the `id` names. The `slug` of a category or neighborhood is a
    value of the parameter `category` or `neighborhood`."""

    text: Annotated[str, means("What to show.")]
    kind: Annotated[SuggestionKind, means("What it is. `listing` is an event, a class or a camp; `query` is words.")]
    count: Annotated[
        int, means("How many listings that the lists show today belong to it; of a query, have it in their names.")
    ]
    type: Annotated[str | None, means("What `id` is of; null where there is none.")] = None
    id: Annotated[str | None, means("The id of the listing or organization; null of other kinds.")] = None
    slug: Annotated[
        str | None, means("Of a category and a neighborhood what the parameter of that name takes; null of a query.")
    ] = None
    links: Annotated[SuggestionLinks, means("Paths to it and to the lists of what belongs to it.")]
