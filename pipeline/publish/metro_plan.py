"""What a metro is built from, and what came of it: values that any process can hold without the engines."""

from datetime import date, datetime
from pathlib import Path

from msgspec import Struct

from outings.contract.languages.language import Group, Language
from outings.contract.vocabulary import Vocabulary
from outings.release.manifest import MetroSettings
from outings.release.root import Part
from outings.release.site import SiteSettings
from pipeline.before import Base
from pipeline.publish.objects.object_writer import WriteCounts
from pipeline.resolve.facts.centroids import Centroid
from pipeline.tables.model_plan import ModelPlan
from pipeline.tables.versions import Change


class MetroPlan(Struct, frozen=True, kw_only=True):
    """What a metro is built from, apart from its records. `stamp` is the build's, `today` is the metro's local date.
    `program` is the hash of everything except records and date that makes listings (`plan`); with
    None every listing is made again. `language`: None for English. `renderer` made the documents that stay, if that is
    not this program. `emptied` are packs of the release before in which no document may stay. `site`: what the metro's
    pages are made with, None where it has none. `neighborhoods`: the file of their polygons."""

    metro: MetroSettings
    vocabulary: Vocabulary
    related: tuple[Group, ...]
    language: Language | None = None
    today: date
    stamp: datetime
    inputs: str
    cache: Path
    base: Base | None
    model: ModelPlan | None = None
    centroids: tuple[Centroid, ...] = ()
    program: str | None = None
    renderer: int | None = None
    emptied: frozenset[str] = frozenset()
    site: SiteSettings | None = None
    neighborhoods: Path | None = None


class MetroBuild(Struct, frozen=True, kw_only=True):
    slug: str
    part: Part
    changes: tuple[Change, ...]
    tally: WriteCounts
    seconds: dict[str, float]
