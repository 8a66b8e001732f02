"""Metros, their neighborhoods and coverage, and counts of listings: by facet, by day and by square of the map."""

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
    """A city. `counts` include only what the key may read."""

    slug: Annotated[str, means("Its name in paths.")]
    name: str
    timezone: str
    aliases: Annotated[tuple[str, ...], means("Other names that paths take in place of the slug.")]
    center: Center
    bounds: Bounds
    counts: Counts
    accessible: Annotated[bool, means("Whether this key may read it.")]
    links: dict[str, str]


class VocabularyWord(Member, frozen=True, kw_only=True):
    """A word of a vocabulary."""

    value: Annotated[str, means("The word as members and parameters have it.")]
    label: Annotated[str, means("The word as people read it.")]


class Vocabularies(Member, frozen=True, kw_only=True):
    """The vocabularies by name, such as `categories` and `audiences`, with labels in one language."""

    language: Annotated[str, means("The language of the labels.")]
    vocabularies: Annotated[Mapping[str, tuple[VocabularyWord, ...]], means("The words of each vocabulary, in order.")]


class Directory(Member, frozen=True, kw_only=True):
    """The beginning of an API, or of a metro: links to what can be asked."""

    links: Annotated[Mapping[str, str], means("The routes that need no id, by name. `{metro}` is a metro's slug.")]


class NeighborhoodCounts(Counts, frozen=True, kw_only=True):
    total: Annotated[int, means("The sum of the others.")]


class NeighborhoodCenter(Member, frozen=True, kw_only=True):
    """The center of a neighborhood's boundary or, without one, the mean of its listings' coordinates."""

    lat: Annotated[float | None, means("Degrees of latitude; null where no listing has coordinates.")]
    lng: Annotated[float | None, means("Degrees of longitude; null where no listing has coordinates.")]


class NeighborhoodLinks(Member, frozen=True, kw_only=True):
    events: Annotated[str, means("The list of events there.")]
    classes: Annotated[str, means("The list of classes there.")]
    camps: Annotated[str, means("The list of camps there.")]
    places: Annotated[str, means("The list of places there.")]


class Neighborhood(Member, frozen=True, kw_only=True):
    """A neighborhood of a metro."""

    slug: Annotated[str, means("The value for the parameter `neighborhood`.")]
    name: str
    metro: str
    center: NeighborhoodCenter
    bounds: Annotated[Bounds | None, means("The box around it; null if it has no boundary on the map.")]
    counts: NeighborhoodCounts
    links: NeighborhoodLinks


class TypeCoverage(Member, frozen=True, kw_only=True):
    """Counts of one collection's listings, for any audience and confidence. Each class of a program counts."""

    published: Annotated[int, means("How many are published.")]
    next_30_days: Annotated[int, means("How many the list has from today to the 30th day after. All places count.")]
    dateless: Annotated[int, means("How many state no date.")]


class Freshness(Member, frozen=True, kw_only=True):
    """The age of the data at the start of the metro's local date. What was read since then is 0 hours old."""

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
    named: Annotated[int, means("How many neighborhoods the metro's map has.")]
    with_listings: Annotated[int, means("How many of them have a published listing.")]


class CoverageRelease(Member, frozen=True, kw_only=True):
    id: Annotated[str, means("Its id, as in the header `X-Release`.")]
    built_at: Annotated[Instant, means("When a build last read anything new of this metro.")]


class Coverage(Struct, frozen=True, kw_only=True):
    """The amount, age and completeness of a metro's data."""

    metro: str
    listings: Annotated[dict[str, TypeCoverage], means("How much there is, by requested collection.")]
    freshness: Annotated[Freshness, means("How new it is.")]
    quality: Annotated[Quality, means("How complete it is.")]
    verification: Annotated[dict[str, int], means("How many listings have each status, `unspecified` last.")]
    neighborhoods: Annotated[NeighborhoodCoverage, means("How many neighborhoods there are.")]
    release: Annotated[CoverageRelease, means("The release that answered.")]


class FacetValue(Struct, frozen=True, kw_only=True):
    value: Annotated[str, means("The value, or `unspecified` for listings that state none.")]
    count: Annotated[int, means("How many listings have it.")]


class OrganizationCount(Struct, frozen=True, kw_only=True):
    id: Id
    name: str
    count: Annotated[int, means("How many listings it has.")]


class OrganizationFacet(Struct, frozen=True, kw_only=True):
    distinct: Annotated[int, means("How many organizations there are.")]
    top: Annotated[tuple[OrganizationCount, ...], means("The ten organizations with the most listings.")]
    other_count: Annotated[int, means("How many listings belong to organizations that are not in `top`.")]
    unspecified_count: Annotated[int, means("How many listings name no organization.")]


class Facets(Struct, frozen=True, kw_only=True):
    """Counts of a list's whole filtered set, by each requested dimension."""

    total: Annotated[int, means("The size of the whole filtered set.")]
    is_complete: Annotated[bool, means("True: no count is cut short.")]
    category: Annotated[tuple[FacetValue, ...] | UnsetType, means("By category.")] = UNSET
    weekday: Annotated[tuple[FacetValue, ...] | UnsetType, means("By day of the week.")] = UNSET
    time_block: Annotated[tuple[FacetValue, ...] | UnsetType, means("By the local time at which they start.")] = UNSET
    price_band: Annotated[tuple[FacetValue, ...] | UnsetType, means("By price.")] = UNSET
    age_band: Annotated[tuple[FacetValue, ...] | UnsetType, means("By age.")] = UNSET
    organization: Annotated[OrganizationFacet | UnsetType, means("By organization.")] = UNSET


class CalendarDay(Struct, frozen=True, kw_only=True):
    """The counts of one local date."""

    date: Annotated[Day, means("The local date.")]
    count: Annotated[int, means("How many occurrences start, or how many classes or camps meet, on this date.")]
    free_count: Annotated[int, means("How many of them are free.")]
    categories: Annotated[Mapping[str, int], means("How many of them have each category. Zeros are left out.")]
    forecast: DayForecast | UnsetType = UNSET


class CalendarAddress(Struct, frozen=True, kw_only=True):
    url: Annotated[str, means("A path with query string. It works without a key, and shows what yours may read.")]


class DensityCell(Struct, frozen=True, kw_only=True):
    """A square of the map, `meta.degrees` high and wide. Squares without listings are left out."""

    south: Annotated[float, means("The latitude of its southern edge, inclusive.")]
    west: Annotated[float, means("The longitude of its western edge, inclusive.")]
    count: Annotated[int, means("How many listings of the list are in it.")]
