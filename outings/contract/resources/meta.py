"""The member `meta` of each kind of answer. The order of the fields is their order in JSON."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any

from msgspec import Meta, Struct

from outings.contract.resources.finding import Origin
from outings.contract.resources.shared import Id, Instant, means


class Window(Struct, frozen=True, kw_only=True, rename={"from_": "from"}):
    """The local dates in effect. Both are null for places."""

    from_: Annotated[date | None, means("The first local date; null is no limit.")]
    to: Annotated[date | None, means("The last local date, inclusive; null is no limit.")]
    timezone: Annotated[str, means("The metro's time zone.")]


class SearchWindow(Struct, frozen=True, kw_only=True, rename={"from_": "from"}):
    """The dates and the confidence in effect for one collection."""

    from_: Annotated[date | None, means("The first local date; null is no limit.")]
    to: Annotated[date | None, means("The last local date, inclusive; null is no limit.")]
    min_confidence: float


# Values of `applied_filters` by name. Answers about several collections also have `by_type`, where these differ.
_Filter = str | int | float | bool | list[str]
Filters = Annotated[Mapping[str, _Filter], Meta(extra_json_schema={"x-name": "Filters"})]
TypedFilters = Annotated[
    Mapping[str, _Filter | Mapping[str, SearchWindow]], Meta(extra_json_schema={"x-name": "TypedFilters"})
]


class PageMeta(Struct, frozen=True, kw_only=True):
    limit: int
    count: Annotated[int, means("How many items this answer has.")]
    has_more: bool
    next_cursor: str | None
    page: int | None


class ListMeta(PageMeta, frozen=True, kw_only=True):
    applied_filters: Filters
    defaults_applied: tuple[str, ...]
    min_confidence: float
    window: Window
    metro: str
    generated_at: Instant
    missing_ids: tuple[Id, ...] = ()


class CalendarMeta(Struct, frozen=True, kw_only=True):
    metro: str
    window: Window
    min_confidence: float
    total: Annotated[int, means("The sum of the counts of all dates.")]
    applied_filters: Filters
    defaults_applied: tuple[str, ...]
    generated_at: Instant


class DensityMeta(Struct, frozen=True, kw_only=True):
    metro: str
    degrees: Annotated[float, means("The height and width of each square, in degrees of latitude and longitude.")]
    total: Annotated[int, means("The size of the whole list, including listings without coordinates.")]
    without_coordinates: Annotated[int, means("How many listings are in no square, for want of coordinates.")]
    window: Window
    min_confidence: float
    applied_filters: Filters
    defaults_applied: tuple[str, ...]
    generated_at: Instant


class DirectoryMeta(PageMeta, frozen=True, kw_only=True):
    applied_filters: Filters
    defaults_applied: tuple[str, ...]
    metro: str
    generated_at: Instant
    hint: Annotated[str | None, means("What to send if `q` has no name to look for; otherwise null.")]


class InterpretedAge(Struct, frozen=True, kw_only=True, rename={"from_": "from"}):
    """The age that a search's words state."""

    min: Annotated[int, means("The least age in whole years, inclusive.")]
    max: Annotated[int | None, means("The greatest age in whole years, inclusive; null is open.")]
    from_: Annotated[str, means("The words that state it.")]
    overridden_by: Annotated[str | None, means("The sent parameter that counts in its place; null if this counts.")]


class InterpretedFilter(Struct, frozen=True, kw_only=True, rename={"from_": "from"}):
    """A filter that a search's words state."""

    parameters: Annotated[dict[str, Any], means("The parameters that filter the same, or nearly, and their values.")]
    from_: Annotated[str, means("The words that state it.")]
    overridden_by: Annotated[str | None, means("The sent parameter that counts in its place; null if this counts.")]


class Interpreted(Struct, frozen=True, kw_only=True):
    """The reading of a search's words: the age and the filters that they state, and a last word that counts as half
    typed."""

    age: Annotated[InterpretedAge | None, means("The age that the words state; or null.")]
    filters: Annotated[
        tuple[InterpretedFilter, ...],
        means("In `match=auto` the other filters that the words state, in the order of the words, places last."),
    ]
    beginning: Annotated[str | None, means("The last word, if no listing has it and it counts as half typed; or null.")]


class MatchCounts(Struct, frozen=True):
    """Counts of results by level of `match`, shown or not. At most 1,000 are counted."""

    all_terms: Annotated[int, means("Results with every word.")]
    related: Annotated[int, means("Results with every word, or a related word for it.")]
    partial: Annotated[int, means("Results with only some of the words, or with some only in passing.")]


class SearchMeta(Struct, frozen=True, kw_only=True):
    query: Annotated[str, means("The words as the search read them.")]
    applied_filters: TypedFilters
    defaults_applied: tuple[str, ...]
    types: tuple[str, ...]
    ranking: Annotated[str, means("How results are ranked. A cursor ends when it changes.")]
    ignored_words: Annotated[tuple[str, ...], means("Words that changed nothing.")]
    interpreted: Annotated[Interpreted, means("What the words say beside what to search for.")]
    match: Annotated[tuple[str, ...], means("The levels that are shown: the sent ones, or those that `auto` chose.")]
    relaxed: Annotated[
        tuple[str, ...],
        means("Filters of `interpreted`, then words, that `match=auto` gave up, as nothing has all of them."),
    ]
    match_counts: Annotated[MatchCounts, means("How many results each level has, shown or not.")]
    sort: Annotated[str, means("The order of results.")]
    limit: int
    count: Annotated[int, means("How many results this answer has.")]
    count_estimate: Annotated[int, means("How many results there are; exact up to 1,000.")]
    capped: Annotated[bool, means("Whether there are more than the counts say.")]
    has_more: bool
    next_cursor: str | None
    generated_at: Instant


class SuggestMeta(Struct, frozen=True, kw_only=True):
    query: Annotated[str, means("The letters as they were sent.")]
    types: Annotated[tuple[str, ...], means("The collections whose listings count.")]
    limit: int
    count: Annotated[int, means("How many suggestions this answer has.")]
    metro: str
    generated_at: Instant


class CoverageMeta(Struct, frozen=True, kw_only=True):
    metro: str
    applied_filters: Filters
    defaults_applied: tuple[str, ...]
    generated_at: Instant


class NearCoverage(Struct, frozen=True, kw_only=True):
    """Counts of the listings that are left out because they have no coordinates."""

    hidden_nearby: Annotated[int, means("How many are in a neighborhood or postal code within the circle.")]


class NearbyMeta(PageMeta, frozen=True, kw_only=True):
    """`min_confidence` and `window` are those of the first requested collection; `applied_filters.by_type` has all."""

    applied_filters: TypedFilters
    defaults_applied: tuple[str, ...]
    min_confidence: float
    window: Window
    metro: str
    types: tuple[str, ...]
    origin: Annotated[Origin, means("The center of the circle.")]
    radius_m: int
    coverage: Annotated[NearCoverage, means("What the answer leaves out for want of coordinates.")]
    generated_at: Annotated[Instant, means("The minute of the answer.")]
    missing_ids: tuple[Id, ...] = ()


class ActivityMeta(Struct, frozen=True, kw_only=True):
    metro: str
    radius_m: int
    window: Window
    types: tuple[str, ...]
    applied_filters: TypedFilters
    defaults_applied: tuple[str, ...]
    min_confidence: float
    generated_at: Annotated[Instant, means("The minute of the answer.")]


class AroundMeta(ActivityMeta, frozen=True, kw_only=True):
    limit: Annotated[int, means("The most items in each group.")]


class MetrosMeta(Struct, frozen=True, kw_only=True):
    count: Annotated[int, means("How many metros there are.")]
    generated_at: Annotated[Instant | None, means("When any metro's data last changed; null before the first release.")]


class ChangesMeta(Struct, frozen=True, kw_only=True):
    limit: int
    count: Annotated[int, means("How many changes this answer has.")]
    has_more: bool
    next_cursor: Annotated[int, means("The last version that this answer covers: send it as `cursor` next time.")]
    earliest_version_id: Annotated[int, means("The first version that is kept.")]
    latest_version_id: Annotated[int, means("The last version that there is.")]
    scope: Annotated[str, means("A hash of the metros and types that the key may read. If it changes, start from 0.")]
    generated_at: Annotated[Instant | None, means("When the newest release was built; null before the first.")]


class ExportMeta(Struct, frozen=True, kw_only=True):
    metro: str
    count: Annotated[int, means("How many files there are.")]
    latest_version_id: Annotated[
        int, means("The version up to which the files say all; the `cursor` of later changes.")
    ]
    generated_at: Instant


class VersionsMeta(Struct, frozen=True, kw_only=True):
    limit: int
    count: Annotated[int, means("How many versions this answer has.")]
    has_more: bool
    next_cursor: str | None
    generated_at: Instant
