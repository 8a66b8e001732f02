"""The input of every row: a record whose references are resolved, and values that all rows of its metro share."""

from collections.abc import Mapping
from datetime import date
from typing import Generic, TypeVar

from msgspec import Struct

from outings.configuration import FeedTable
from outings.contract.languages.language import Language
from outings.contract.resources.shared import Ages, Location, OrganizationReference, PlaceReference
from outings.contract.vocabulary import Vocabulary
from outings.release.manifest import MetroSettings
from outings.texts.age_phrases import AgeSpan
from pipeline.records.record import ListingRecord
from pipeline.resolve.addresses import Point

R_co = TypeVar("R_co", bound=ListingRecord, covariant=True)


class Facts(Struct, frozen=True, kw_only=True):
    """Facts that a dated listing inherits from its place unless it states them; None is unknown."""

    is_indoor: bool | None = None
    is_outdoor: bool | None = None
    good_for_rainy: bool | None = None
    is_sensory_friendly: bool | None = None


class MetroContext(Struct, frozen=True, kw_only=True):
    """Values that all rows of one metro's build share. `language`: None for English. `horizon`: the first and last date
    of occurrences, inclusive. `feeds`: those of the metro by name, in the configuration's order. `points`: latitude and
    longitude of addresses without coordinates, by folded address. `first_slug`: as in `Manifest`. `pages`: where the
    pages of listings are, without a slash at the end; empty if there are none or nobody knows."""

    metro: MetroSettings
    vocabulary: Vocabulary
    language: Language | None = None
    horizon: tuple[date, date]
    feeds: Mapping[str, FeedTable]
    points: Mapping[str, Point] = {}
    first_slug: str = ""
    pages: str = ""


class ResolvedRecord(Struct, Generic[R_co], frozen=True, kw_only=True):
    """A record, with all that other records, the metro's geography and the rules add to it. `text_ages`: the ages in
    its name or description if it states none itself."""

    record: R_co
    id: str
    slug: str
    organization: OrganizationReference
    place: PlaceReference | None
    facts: Facts
    location: Location
    ages: Ages
    text_ages: AgeSpan = AgeSpan(None, None)
    audience: str
    confidence: float
