"""What is near a point."""

from typing import Annotated

from msgspec import UNSET, UnsetType

from outings.contract.resources.forecast import EventForecast
from outings.contract.resources.organization import Counts
from outings.contract.resources.shared import Ages, Location, Member, PlaceReference, Price
from outings.contract.resources.source import SourceBlock
from outings.contract.resources.words import Category, Id, Instant, ListingType, Local, one_of

ORIGIN_SOURCES = ("coordinates", "address", "zip")
GROUPS = ("happening_soon", "recurring_programs", "classes_enrolling", "camps", "places")
# Label → the most metres, where the radius is not less.
RINGS = {"walk": 800, "bike": 2_500, "short_drive": 8_000, "drive": 50_000}
COMPONENTS = ("events", "classes", "camps", "places", "variety", "free_share")
REASONS = ("rows_without_coordinates", "point_outside_metro")


OriginSource = Annotated[str, one_of(*ORIGIN_SOURCES)]
AroundGroupName = Annotated[str, one_of(*GROUPS)]
RingLabel = Annotated[str, one_of(*RINGS)]
ComponentName = Annotated[str, one_of(*COMPONENTS)]
CoverageReason = Annotated[str, one_of(*REASONS)]


class Origin(Member, frozen=True, kw_only=True):
    """The middle of the circle; `source` is what the request named it by."""

    lat: float
    lng: float
    source: OriginSource


class ItemLinks(Member, frozen=True, kw_only=True):
    self: str


class NearbyItem(Member, frozen=True, kw_only=True):
    """One of `nearby`. `starts_at` and `starts_local`: the first start in the window that is not before now; null for
    what has none, places among it."""

    type: ListingType
    id: Id
    slug: str
    name: str
    distance_m: int
    starts_at: Instant | None
    starts_local: Local | None
    timezone: str | None
    place: PlaceReference | None
    location: Location
    price: Price
    ages: Ages
    categories: tuple[Category, ...]
    image_url: str | None
    links: ItemLinks
    source: SourceBlock | UnsetType = UNSET


class AroundItem(Member, frozen=True, kw_only=True):
    """One of a group. `walk_minutes` is null over 5,000 m; `also_in` names the other groups that it is in."""

    listing_id: Id
    type: ListingType
    name: str
    distance_m: int
    walk_minutes: int | None
    score: float
    also_in: tuple[AroundGroupName, ...]
    slug: str
    starts_at: Instant | None
    starts_local: Local | None
    ends_local: Local | None
    timezone: str | None
    place: PlaceReference | None
    neighborhood: str | None
    lat: float
    lng: float
    price: Price
    ages: Ages
    image_url: str | None
    is_indoor: bool | None
    links: ItemLinks
    source: SourceBlock | UnsetType = UNSET
    forecast: EventForecast | UnsetType = UNSET


class AroundGroup(Member, frozen=True, kw_only=True):
    """`total`: how many there are; `returned` of them are shown, best first. `next_cursor` gives the next ones."""

    total: int
    returned: int
    items: tuple[AroundItem, ...]
    next_cursor: str | None


class AroundResults(Member, frozen=True, kw_only=True):
    """`happening_soon` are events, `recurring_programs` those of them that recur, `classes_enrolling` the classes that
    are neither full nor closed."""

    happening_soon: AroundGroup
    recurring_programs: AroundGroup
    classes_enrolling: AroundGroup
    camps: AroundGroup
    places: AroundGroup


class ActivityComponent(Member, frozen=True, kw_only=True):
    """`value`: a count, or a share from 0 to 1, null where there is nothing to have a share of; `score` from 0 to 1."""

    name: ComponentName
    value: int | float | None
    score: float
    weight: float


class Activity(Member, frozen=True, kw_only=True):
    """How lively a point is. `percentile`: of the metro's points that have anything in reach, how many of a hundred are
    less lively; taken with the default radius and window. `suggested_radius_m`: the least one with 20 listings."""

    score: float
    percentile: int
    summary: str
    components: tuple[ActivityComponent, ...]
    suggested_radius_m: int


class AreaActivity(Member, frozen=True, kw_only=True):
    """The activity of a point, with what it is made of."""

    location: Origin
    radius_m: int
    score: float
    percentile: int
    summary: str
    components: tuple[ActivityComponent, ...]
    suggested_radius_m: int
    counts: Counts


class AroundPrices(Member, frozen=True, kw_only=True):
    """Those that state no price are in neither."""

    free: int
    paid: int


class DistanceRing(Member, frozen=True, kw_only=True):
    """Further than the ring before, and up to `max_m`."""

    label: RingLabel
    max_m: int
    count: int


class AroundFacets(Member, frozen=True, kw_only=True):
    """Of what is in any group, each listing once. `free_share`: of those that state a price; null where none does."""

    by_type: Counts
    by_age_band: dict[str, int]
    by_price: AroundPrices
    free_share: float | None
    by_distance_ring: tuple[DistanceRing, ...]


class AroundCoverage(Member, frozen=True, kw_only=True):
    """What an answer can't show for want of coordinates: `hidden_nearby` by their neighborhood, `unplaceable_in_metro`
    those of which no place is known. `reason`: why the answer may lack something, null where it does not."""

    hidden_nearby: int
    unplaceable_in_metro: int
    reason: CoverageReason | None


class Around(Member, frozen=True, kw_only=True):
    location: Origin
    activity: Activity
    results: AroundResults
    facets: AroundFacets
    coverage: AroundCoverage


# What their members mean, where outings/contract/meanings/everywhere.py does not say it.
MEANINGS = {
    "Activity.components": "What the score is made of.",
    "Activity.percentile": "Of a hundred points of the metro with anything in reach, how many are less lively.",
    "Activity.score": "How lively the point is.",
    "Activity.suggested_radius_m": "The least radius with 20 listings.",
    "ActivityComponent.name": "What is measured.",
    "ActivityComponent.score": "From 0 to 1.",
    "ActivityComponent.value": "A count, or a share from 0 to 1; null where there is nothing to have a share of.",
    "ActivityComponent.weight": "How much it counts.",
    "AreaActivity.components": "What the score is made of.",
    "AreaActivity.counts": "What is in the circle.",
    "AreaActivity.location": "The middle of the circle.",
    "AreaActivity.percentile": "Of a hundred points of the metro with anything in reach, how many are less lively.",
    "AreaActivity.score": "How lively the point is.",
    "AreaActivity.suggested_radius_m": "The least radius with 20 listings.",
    "Around.activity": "How lively the point is.",
    "Around.coverage": "What the circle can't show.",
    "Around.facets": "What is in any group, counted.",
    "Around.location": "The middle of the circle.",
    "Around.results": "The five groups.",
    "AroundCoverage.hidden_nearby": "Rows that would be here but for the coordinates that they lack.",
    "AroundCoverage.reason": "Why the answer may lack something; null where it does not.",
    "AroundCoverage.unplaceable_in_metro": "Rows of which no place is known.",
    "AroundFacets.by_age_band": "By age.",
    "AroundFacets.by_distance_ring": "By distance.",
    "AroundFacets.by_price": "By whether they cost anything.",
    "AroundFacets.by_type": "By collection.",
    "AroundFacets.free_share": "The share that is free, of those that state a price; null where none does.",
    "AroundGroup.items": "Those that are shown, best first.",
    "AroundGroup.next_cursor": "Sent as `cursor`, it gives the next ones; null on the last page.",
    "AroundGroup.returned": "How many are shown.",
    "AroundGroup.total": "How many there are.",
    "AroundItem.also_in": "The other groups that it is in.",
    "AroundItem.listing_id": "The id of the listing.",
    "AroundItem.walk_minutes": "Minutes on foot; null over 5,000 m.",
    "AroundItem.timezone": "The time zone of `starts_local`; null of a place.",
    "AroundPrices.free": "How many are free.",
    "AroundPrices.paid": "How many cost something.",
    "AroundResults.camps": "Camps with a session in the window.",
    "AroundResults.classes_enrolling": "Classes that are neither full nor closed.",
    "AroundResults.happening_soon": "Events in the window.",
    "AroundResults.places": "Places, whatever the window.",
    "AroundResults.recurring_programs": "Those of the events that recur.",
    "DistanceRing.count": "How many are further than the ring before, and within this one.",
    "DistanceRing.label": "How one gets there.",
    "DistanceRing.max_m": "The most metres.",
    "ItemLinks.self": "The listing itself.",
    "NearbyItem.starts_at": "The first start in the window that is not before now, in UTC; null for what has none.",
    "NearbyItem.starts_local": "The first start in the window that is not before now; null for what has none.",
    "NearbyItem.timezone": "The time zone of `starts_local`; null of a place.",
    "Origin.source": "What the request named the point by.",
}
