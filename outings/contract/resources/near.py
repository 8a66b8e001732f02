"""What is near a point."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from outings.contract.resources.forecast import EventForecast
from outings.contract.resources.organization import Counts
from outings.contract.resources.shared import Ages, Location, Member, PlaceReference, Price
from outings.contract.resources.source import SourceBlock
from outings.contract.resources.words import Category, Id, Instant, ListingType, Local

ORIGIN_SOURCES = ("coordinates", "address", "zip")
GROUPS = ("happening_soon", "recurring_programs", "classes_enrolling", "camps", "places")
# Label → the most metres, where the radius is not less.
RINGS = {"walk": 800, "bike": 2_500, "short_drive": 8_000, "drive": 50_000}
COMPONENTS = ("events", "classes", "camps", "places", "variety", "free_share")
REASONS = ("rows_without_coordinates", "point_outside_metro")


def _one_of(*words: str) -> Meta:
    return Meta(extra_json_schema={"enum": list(words)})


OriginSource = Annotated[str, _one_of(*ORIGIN_SOURCES)]
AroundGroupName = Annotated[str, _one_of(*GROUPS)]
RingLabel = Annotated[str, _one_of(*RINGS)]
ComponentName = Annotated[str, _one_of(*COMPONENTS)]
CoverageReason = Annotated[str, _one_of(*REASONS)]


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
