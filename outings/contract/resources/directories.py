"""Metros, their neighborhoods and coverage, and counts of listings: facets, days of a calendar, cells of a map."""

from collections.abc import Mapping
from typing import Annotated

from msgspec import UNSET, Struct, UnsetType

from outings.contract.resources.listings import Counts
from outings.contract.resources.shared import Day, DayForecast, Id, Instant, Member, means


class Center(Member, frozen=True, kw_only=True):
    lat: float
    lng: float


class Bounds(Member, frozen=True, kw_only=True):
    south: float
    west: float
    north: float
    east: float

    def contains(self, point: Center) -> bool:
        return self.south <= point.lat <= self.north and self.west <= point.lng <= self.east


class Metro(Member, frozen=True, kw_only=True):
    """`accessible` says whether this key may read it; `counts` are of what the key may read."""

    slug: Annotated[str, means("What stands in paths.")]
    name: str
    timezone: str
    aliases: Annotated[tuple[str, ...], means("Other names that paths take in place of the slug.")]
    center: Center
    bounds: Bounds
    counts: Counts
    accessible: Annotated[bool, means("Whether this key may read it.")]
    links: dict[str, str]


class NeighborhoodCounts(Counts, frozen=True, kw_only=True):
    """`total` is their sum."""

    total: Annotated[int, means("The sum of the others.")]


class NeighborhoodCenter(Member, frozen=True, kw_only=True):
    """The center of a neighborhood. For one without a boundary on the map: the mean of its listings' coordinates, or
    null if none has coordinates."""

    lat: Annotated[float | None, means("Degrees of latitude; null where no listing has coordinates.")]
    lng: Annotated[float | None, means("Degrees of longitude; null where no listing has coordinates.")]


class NeighborhoodLinks(Member, frozen=True, kw_only=True):
    """The lists of what is there."""

    events: Annotated[str, means("The list of events there.")]
    classes: Annotated[str, means("The list of classes there.")]
    camps: Annotated[str, means("The list of camps there.")]
    places: Annotated[str, means("The list of places there.")]


class Neighborhood(Member, frozen=True, kw_only=True):
    """A neighborhood of a metro. `slug` is the value for the parameter `neighborhood`; `center` lies within it;
    `bounds` is null if it has no boundary on the map."""

    slug: Annotated[str, means("What the parameter `neighborhood` takes.")]
    name: str
    metro: str
    center: NeighborhoodCenter
    bounds: Annotated[Bounds | None, means("The box around it; null of one that is on no map.")]
    counts: NeighborhoodCounts
    links: NeighborhoodLinks


class TypeCoverage(Member, frozen=True, kw_only=True):
    """Counts of one collection. `next_30_days`: the size of its list from today to the 30th day after, for any audience
    and confidence; classes one by one, places all. `dateless`: listings that state no date."""

    published: Annotated[int, means("How many are published.")]
    next_30_days: Annotated[
        int, means("How many the list has from today to the 30th day after, whatever their audience.")
    ]
    dateless: Annotated[int, means("How many state no date.")]


class Freshness(Member, frozen=True, kw_only=True):
    """The age of the data, as of the start of the metro's local date: what was read or verified since then is 0 hours
    old."""

    newest_crawled_at: Annotated[Instant | None, means("When a source was last read.")]
    median_age_hours: Annotated[float | None, means("Half of the listings were read longer ago than this.")]
    crawled_7d_share: Annotated[float | None, means("The share read in the last 7 days.")]
    verified_30d_share: Annotated[float | None, means("The share verified in the last 30 days.")]


class Quality(Member, frozen=True, kw_only=True):
    mean_confidence: Annotated[float | None, means("The mean of `confidence`.")]
    with_coordinates_share: Annotated[float | None, means("The share that has coordinates.")]
    with_price_share: Annotated[float | None, means("The share that states a price, free included.")]
    with_ages_share: Annotated[float | None, means("The share that states an age.")]
    with_image_share: Annotated[float | None, means("The share that has a picture.")]
    with_time_share: Annotated[float | None, means("The share that states a clock time.")]


class NeighborhoodCoverage(Member, frozen=True, kw_only=True):
    """`named`: neighborhoods of the metro's map; `with_listings`: those of them with a published listing."""

    named: Annotated[int, means("How many the directory has.")]
    with_listings: Annotated[int, means("How many of them have a published listing.")]


class CoverageRelease(Member, frozen=True, kw_only=True):
    """The release that answered, and when it last read anything new of this metro."""

    id: Annotated[str, means("What `release` takes.")]
    built_at: Annotated[Instant, means("When it last read anything new of this metro.")]


class Coverage(Struct, frozen=True, kw_only=True):
    """`listings` by collection, those alone that count; `verification` by status, `unspecified` last."""

    metro: str
    listings: Annotated[dict[str, TypeCoverage], means("How much there is, by collection.")]
    freshness: Annotated[Freshness, means("How new it is.")]
    quality: Annotated[Quality, means("How complete it is.")]
    verification: Annotated[dict[str, int], means("How many listings have each status of verification.")]
    neighborhoods: Annotated[NeighborhoodCoverage, means("How many neighborhoods there are.")]
    release: Annotated[CoverageRelease, means("The release that answered.")]


class FacetValue(Struct, frozen=True, kw_only=True):
    """`unspecified` is the value of those that state none."""

    value: Annotated[str, means("The value; `unspecified` is of those that state none.")]
    count: Annotated[int, means("How many listings have it.")]


class OrganizationCount(Struct, frozen=True, kw_only=True):
    id: Id
    name: str
    count: Annotated[int, means("How many listings it has.")]


class OrganizationFacet(Struct, frozen=True, kw_only=True):
    """`top` holds the ten with the most; `other_count` counts what is of the rest of them."""

    distinct: Annotated[int, means("How many organizations there are.")]
    top: Annotated[tuple[OrganizationCount, ...], means("The ten with the most listings.")]
    other_count: Annotated[int, means("Listings of organizations that are not in `top`.")]
    unspecified_count: Annotated[int, means("Listings that name no organization.")]


class Facets(Struct, frozen=True, kw_only=True):
    """`total` is the size of the set; a dimension is there when it was asked for."""

    total: Annotated[int, means("The size of the whole filtered set.")]
    is_complete: Annotated[bool, means("True: no count is cut short.")]
    category: Annotated[tuple[FacetValue, ...] | UnsetType, means("By category.")] = UNSET
    weekday: Annotated[tuple[FacetValue, ...] | UnsetType, means("By day of the week.")] = UNSET
    time_block: Annotated[tuple[FacetValue, ...] | UnsetType, means("By the local time at which they start.")] = UNSET
    price_band: Annotated[tuple[FacetValue, ...] | UnsetType, means("By price.")] = UNSET
    age_band: Annotated[tuple[FacetValue, ...] | UnsetType, means("By age.")] = UNSET
    organization: Annotated[OrganizationFacet | UnsetType, means("By organization.")] = UNSET


class CalendarDay(Struct, frozen=True, kw_only=True):
    """A local date of the metro, and the occurrences that start or the classes or camps that meet on it; `categories`
    holds those that any of them has."""

    date: Annotated[Day, means("The local date.")]
    count: Annotated[int, means("How many occurrences start, or how many classes or camps meet, on this date.")]
    free_count: Annotated[int, means("How many of them are free.")]
    categories: Annotated[Mapping[str, int], means("How many of them have each category.")]
    forecast: DayForecast | UnsetType = UNSET


class CalendarAddress(Struct, frozen=True, kw_only=True):
    """`url`: a path with its query string. Whoever has it reads the calendar as the key does that asked for it."""

    url: Annotated[str, means("A path with its query string. Whoever has it reads the calendar as the key that asked.")]


class DensityCell(Struct, frozen=True, kw_only=True):
    """`south` and `west`: its corner. It reaches `meta.degrees` to the north and to the east. Cells without anything
    are left out."""

    south: Annotated[float, means("The latitude of its southern edge, which is in it.")]
    west: Annotated[float, means("The longitude of its western edge, which is in it.")]
    count: Annotated[int, means("How many listings of the list lie in it.")]
