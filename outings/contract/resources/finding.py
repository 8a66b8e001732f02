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
# Label of a ring → its outer distance in metres, unless the radius is less.
RINGS = {"walk": 800, "bike": 2_500, "short_drive": 8_000, "drive": 50_000}
COMPONENTS = ("events", "classes", "camps", "places", "variety", "free_share")
REASONS = ("rows_without_coordinates", "point_outside_metro")


OriginSource = Annotated[str, one_of(*ORIGIN_SOURCES)]
AroundGroupName = Annotated[str, one_of(*GROUPS)]
RingLabel = Annotated[str, one_of(*RINGS)]
ComponentName = Annotated[str, one_of(*COMPONENTS)]
CoverageReason = Annotated[str, one_of(*REASONS)]


class Origin(Member, frozen=True, kw_only=True):
    """The center of the circle."""

    lat: float
    lng: float
    source: Annotated[OriginSource, means("How the request stated the point.")]


class ItemLinks(Member, frozen=True, kw_only=True):
    self: Annotated[str, means("The listing itself.")]


_PRICE = "What it costs. All members are null for a place, whose detail has `admission`."


class NearbyItem(Member, frozen=True, kw_only=True):
    """A listing in `nearby`."""

    type: ListingType
    id: Id
    slug: str
    name: str
    distance_m: int
    starts_at: Annotated[Instant | None, means("Its first start in the window and not before now, in UTC; or null.")]
    starts_local: Annotated[Local | None, means("Its first start in the window and not before now; or null.")]
    timezone: Annotated[str | None, means("The time zone of `starts_local`; null for a place.")]
    place: PlaceReference | None
    location: Location
    price: Annotated[Price, means(_PRICE)]
    ages: Ages
    categories: tuple[Category, ...]
    image_url: str | None
    links: ItemLinks
    source: SourceBlock | UnsetType = UNSET


class AroundItem(Member, frozen=True, kw_only=True):
    """A listing in a group of `around`."""

    listing_id: Annotated[Id, means("Its id.")]
    type: ListingType
    name: str
    distance_m: int
    walk_minutes: Annotated[int | None, means("Minutes on foot; null over 5,000 m.")]
    score: float
    also_in: Annotated[tuple[AroundGroupName, ...], means("The other groups that have it too.")]
    slug: str
    starts_at: Instant | None
    starts_local: Local | None
    ends_local: Local | None
    timezone: Annotated[str | None, means("The time zone of `starts_local`; null for a place.")]
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
    total: Annotated[int, means("How many listings the group has.")]
    returned: Annotated[int, means("How many of them are in `items`.")]
    items: Annotated[tuple[AroundItem, ...], means("One page of the listings, best first.")]
    next_cursor: Annotated[str | None, means("Send it as `cursor` for the next page; null on the last one.")]


class AroundResults(Member, frozen=True, kw_only=True):
    happening_soon: Annotated[AroundGroup, means("Events in the window.")]
    recurring_programs: Annotated[AroundGroup, means("The events of `happening_soon` that recur.")]
    classes_enrolling: Annotated[AroundGroup, means("Classes that are neither full nor closed.")]
    camps: Annotated[AroundGroup, means("Camps with a session in the window.")]
    places: Annotated[AroundGroup, means("Places, whatever the window.")]


class ActivityComponent(Member, frozen=True, kw_only=True):
    """One part of an activity score."""

    name: Annotated[ComponentName, means("What is measured.")]
    value: Annotated[int | float | None, means("A count, or a share from 0 to 1; null for a share of nothing.")]
    score: Annotated[float, means("Its score, from 0 to 1.")]
    weight: Annotated[float, means("Its weight in the whole score.")]


class Activity(Member, frozen=True, kw_only=True):
    """A rating of how much there is to do near a point."""

    score: Annotated[float, means("How much there is to do near the point, from 0 to 1.")]
    percentile: Annotated[int, means("How many of 100 points near listings have less, by default radius and window.")]
    summary: str
    components: Annotated[tuple[ActivityComponent, ...], means("The parts of the score.")]
    suggested_radius_m: Annotated[int, means("The smallest radius with 20 listings.")]


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
    """Counts of the listings that state a price."""

    free: Annotated[int, means("How many are free.")]
    paid: Annotated[int, means("How many cost something.")]


class DistanceRing(Member, frozen=True, kw_only=True):
    label: Annotated[RingLabel, means("How one gets there.")]
    max_m: Annotated[int, means("Its outer distance in metres, inclusive.")]
    count: Annotated[int, means("How many listings are beyond the previous ring and within this one.")]


class AroundFacets(Member, frozen=True, kw_only=True):
    """Counts of the listings in all groups. A listing in two groups counts once."""

    by_type: Annotated[Counts, means("By collection.")]
    by_age_band: Annotated[dict[str, int], means("By age.")]
    by_price: Annotated[AroundPrices, means("By whether they cost anything.")]
    free_share: Annotated[float | None, means("The free share of those that state a price; null if none does.")]
    by_distance_ring: Annotated[tuple[DistanceRing, ...], means("By distance.")]


class AroundCoverage(Member, frozen=True, kw_only=True):
    """Counts of the listings that are left out because they have no coordinates."""

    hidden_nearby: Annotated[int, means("How many are in a neighborhood or postal code within the circle.")]
    unplaceable_in_metro: Annotated[int, means("How many in the metro have no known neighborhood or postal code.")]
    reason: Annotated[CoverageReason | None, means("Why the answer may be incomplete; null if it is complete.")]


class Around(Member, frozen=True, kw_only=True):
    location: Annotated[Origin, means("The center of the circle.")]
    activity: Annotated[Activity, means("How much there is to do near the point.")]
    results: Annotated[AroundResults, means("The five groups.")]
    facets: Annotated[AroundFacets, means("Counts of the listings in all groups.")]
    coverage: Annotated[AroundCoverage, means("What the answer leaves out for want of coordinates.")]


LEVELS = ("all_terms", "related", "partial")
# The most ids in `repeat_ids`: as many as a list's `ids` takes.
MOST_REPEATS = 100
Match = Annotated[str, one_of(*LEVELS)]


class SearchResult(Struct, frozen=True, kw_only=True):
    """A listing that matches. Its detail (`/v1/events/{id}`, `/v1/classes/{id}` and so on) has all members."""

    type: ListingType
    id: Id
    slug: str
    name: str
    snippet: Annotated[str, means("At most 180 characters of the description around the words.")]
    match: Annotated[Match, means("How completely the words match.")]
    score: Annotated[float, means("How well it fits the words, from 0 to 1, independent of other results.")]
    starts_local: Annotated[Local | None, means("Its next date in the window; or null.")]
    repeats: Annotated[
        int | UnsetType, means("With `match=auto`: how many more listings have its name, organization, place, ages.")
    ] = UNSET
    repeat_ids: Annotated[
        Annotated[tuple[Id, ...], Meta(max_length=MOST_REPEATS)] | UnsetType,
        means("With `match=auto`: their ids, next date first, at most 100. A list takes them as `ids`."),
    ] = UNSET


# Suggestions come in this order of kinds, except that queries come among categories.
SuggestionKind = Literal["category", "neighborhood", "place", "organization", "query", "listing"]


class SuggestionLinks(Member, frozen=True, kw_only=True):
    self: Annotated[str | None, means("The listing or organization; null for other kinds.")] = None
    search: Annotated[str | None, means("The search for a query; null for other kinds.")] = None
    events: Annotated[str | None, means("The list of its events; or null.")] = None
    classes: Annotated[str | None, means("The list of its classes; or null.")] = None
    camps: Annotated[str | None, means("The list of its camps; or null.")] = None
    places: Annotated[str | None, means("The list of its places; or null.")] = None


class Suggestion(Member, frozen=True, kw_only=True):
    text: Annotated[str, means("The text to show.")]
    kind: Annotated[SuggestionKind, means("What it is. `listing` is an event, a class or a camp; `query` is words.")]
    count: Annotated[int, means("How many listings in today's lists belong to it, or have a query in their names.")]
    type: Annotated[str | None, means("The type of what `id` names; or null.")] = None
    id: Annotated[str | None, means("The id of the listing or organization; null for other kinds.")] = None
    slug: Annotated[str | None, means("Its slug, which `category` or `neighborhood` takes; null for a query.")] = None
    links: Annotated[SuggestionLinks, means("Paths to it, and to lists of its listings.")]
