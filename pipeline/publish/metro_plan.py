"""The plan and the result of a metro's build, as plain values that any process can hold."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path

from msgspec import Struct

from outings.contract.languages.language import Group, Language
from outings.contract.vocabulary import Vocabulary
from outings.release.manifest import FeedAccount, MetroSettings
from outings.release.root import Part
from outings.release.site import Picture, SiteSettings
from pipeline.previous_release import PreviousMetro
from pipeline.publish.objects.object_writer import WriteCounts
from pipeline.resolve.facts.centroids import Centroid
from pipeline.resolve.foreign_organizations import SharedState
from pipeline.tables.versions import Change

# Fetches pictures by their addresses; gets a function that stores bytes and returns their hash.
FetchPictures = Callable[[Sequence[str], Callable[[bytes], str]], Mapping[str, Picture]]


class MetroPlan(Struct, frozen=True, kw_only=True):
    """The input of a metro's build, except its records.

    `stamp`: the build's time; `today`: the metro's local date. `program`: a hash of all that listings depend on besides
    records and date; if None, every listing is rebuilt. `language`: None for English. `renderer`: the version that made
    the unchanged documents, if not this program's. `emptied`: packs of the previous release whose remaining documents
    must move to others. `site`: settings of the metro's pages, if any. `neighborhoods`: the file of polygons.
    `first_slug`: the metro's first slug, if it has another one now. `pages`: the address below which listings have
    pages, empty if nobody said it.
    """

    metro: MetroSettings
    vocabulary: Vocabulary
    related: tuple[Group, ...]
    language: Language | None = None
    today: date
    stamp: datetime
    inputs: str
    cache: Path
    previous: PreviousMetro | None
    centroids: tuple[Centroid, ...] = ()
    program: str | None = None
    renderer: int | None = None
    emptied: frozenset[str] = frozenset()
    site: SiteSettings | None = None
    neighborhoods: Path | None = None
    first_slug: str = ""
    pages: str = ""


class Attachments(Struct, frozen=True, kw_only=True):
    """The parts of a metro's release beside its tables.

    For its pages: `outlines`, the polygons of neighborhoods; `pictures`, those of the previous release by id; and
    `fetch_pictures`, which fetches others, if allowed. For the next build: `delta_state`, the encoded records of delta
    feeds; `shared`, the state of organizations that several metros share; `located`, the encoded answers of geocoding
    services. `account`: counts of the feeds' listings that tables don't show.
    """

    outlines: bytes | None = None
    pictures: Mapping[str, Picture] = {}
    fetch_pictures: FetchPictures | None = None
    delta_state: bytes | None = None
    shared: SharedState = SharedState()
    located: bytes | None = None
    account: Mapping[str, FeedAccount] = {}


class MetroBuild(Struct, frozen=True, kw_only=True):
    """The result of a metro's build. `pictures`: how many its pages have, and how many are missing; None if the build
    fetches none."""

    slug: str
    part: Part
    changes: tuple[Change, ...]
    tally: WriteCounts
    account: Mapping[str, FeedAccount] = {}
    pictures: tuple[int, int] | None = None
