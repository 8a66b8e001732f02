"""`meta` of each kind of answer, as structs whose fields have the order of the JSON."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated

from msgspec import Struct

from outings.contract.resources.finding import Origin
from outings.contract.resources.shared import Id, Instant, means


class Window(Struct, frozen=True, kw_only=True, rename={"from_": "from"}):
    """Local dates in effect, inclusive; null where there is no bound, both for places."""

    from_: Annotated[date | None, means("The first local date; null is open.")]
    to: Annotated[date | None, means("The last local date, inclusive; null is open.")]
    timezone: Annotated[str, means("The metro's time zone.")]


class SearchWindow(Struct, frozen=True, kw_only=True, rename={"from_": "from"}):
    """The dates and the confidence that limit one collection of a search; null if there is no limit."""

    from_: Annotated[date | None, means("The first local date; null is open.")]
    to: Annotated[date | None, means("The last local date, inclusive; null is open.")]
    min_confidence: float


# Those in effect, by name; and where they differ from collection to collection, with `by_type` among them.
Filters = Mapping[str, str | int | float | bool | list[str]]
TypedFilters = Mapping[str, str | int | float | bool | list[str] | Mapping[str, SearchWindow]]


class PageMeta(Struct, frozen=True, kw_only=True):
    """The first members of `meta` of a page."""

    limit: int
    count: Annotated[int, means("How many items this answer has.")]
    has_more: bool
    next_cursor: str | None
    page: int | None


class ListMeta(PageMeta, frozen=True, kw_only=True):
    """`meta` of a list. `page` is null if the page was requested by cursor; `missing_ids` is empty if `ids` was not
    sent."""

    applied_filters: Filters
    defaults_applied: tuple[str, ...]
    min_confidence: float
    window: Window
    metro: str
    generated_at: Instant
    missing_ids: tuple[Id, ...] = ()


class CalendarMeta(Struct, frozen=True, kw_only=True):
    """`meta` of a calendar. `total`: the sum of all dates."""

    metro: str
    window: Window
    min_confidence: float
    total: Annotated[int, means("The sum of the counts of all dates.")]
    applied_filters: Filters
    defaults_applied: tuple[str, ...]
    generated_at: Instant


class DensityMeta(Struct, frozen=True, kw_only=True):
    """`meta` of a density. `degrees`: the height and width of a cell. `total`: the size of the whole list, with the
    listings that have no coordinates and are in no cell."""

    metro: str
    degrees: Annotated[float, means("What a cell measures, in degrees of latitude and of longitude.")]
    total: Annotated[int, means("The size of the whole list, also of what has no coordinates.")]
    without_coordinates: Annotated[int, means("Listings that are in no cell.")]
    window: Window
    min_confidence: float
    applied_filters: Filters
    defaults_applied: tuple[str, ...]
    generated_at: Instant


class DirectoryMeta(PageMeta, frozen=True, kw_only=True):
    """`meta` of a directory. `page` is null if the page was requested by cursor; `hint` says what to send if `q` has no
    name to look for, and is null otherwise."""

    applied_filters: Filters
    defaults_applied: tuple[str, ...]
    metro: str
    generated_at: Instant
    hint: Annotated[str | None, means("What to send where `q` has no name to look for; else null.")]


class InterpretedAge(Struct, frozen=True, kw_only=True, rename={"from_": "from"}):
    """Whole years, inclusive; `max` null is open. `from`: the words; `overridden_by`: the parameter that was sent, by
    which this does not hold."""

    min: Annotated[int, means("Whole years, inclusive.")]
    max: Annotated[int | None, means("Whole years, inclusive; null is open.")]
    from_: Annotated[str, means("The words that it was read from.")]
    overridden_by: Annotated[str | None, means("The parameter that took its place; null where it holds.")]


class Interpreted(Struct, frozen=True, kw_only=True):
    """The parts of a search's words that were not looked up as words. `beginning`: the last word, if no listing has it
    and it was taken for the beginning of one."""

    age: Annotated[InterpretedAge | None, means("The age that was read from the words; null where there was none.")]
    beginning: Annotated[
        str | None, means("The last word, where no listing has it and it was taken for a half typed one; else null.")
    ]


class MatchCounts(Struct, frozen=True):
    """Results by how well they match, whichever are shown; at most 1,000 are counted."""

    all_terms: Annotated[int, means("Results that have every word.")]
    related: Annotated[int, means("Results that have every word, some by a word of about the same meaning.")]
    partial: Annotated[int, means("Results that have only some of the words, or have them in passing.")]


class SearchMeta(Struct, frozen=True, kw_only=True):
    """`meta` of a search. `count_estimate` is exact up to 1,000; `capped` is true if there are more than any count."""

    query: Annotated[str, means("The words as they were read.")]
    applied_filters: TypedFilters
    defaults_applied: tuple[str, ...]
    types: tuple[str, ...]
    ranking: Annotated[str, means("How results are ranked. A cursor ends when it changes.")]
    ignored_words: Annotated[tuple[str, ...], means("Words that did not decide.")]
    interpreted: Annotated[Interpreted, means("What was taken from the words beside what to look for.")]
    match: Annotated[tuple[str, ...], means("The levels that are shown: those that were sent, or that `auto` chose.")]
    relaxed: Annotated[
        tuple[str, ...], means("Words that `match=auto` dropped, because nothing has all of them; else empty.")
    ]
    match_counts: Annotated[MatchCounts, means("How many results each level has, whichever are shown.")]
    sort: Annotated[str, means("The order of results.")]
    limit: int
    count: Annotated[int, means("How many results this answer has.")]
    count_estimate: Annotated[int, means("How many results there are; exact up to 1,000.")]
    capped: Annotated[bool, means("Whether there are more than any of the counts says.")]
    has_more: bool
    next_cursor: str | None
    generated_at: Instant


class SuggestMeta(Struct, frozen=True, kw_only=True):
    """`meta` of suggestions. `types`: the collections whose listings count."""

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
    """`hidden_nearby`: rows that would be here by all but their coordinates, which they lack, as far as their
    neighborhood tells."""

    hidden_nearby: Annotated[int, means("Rows that would be here but for the coordinates that they lack.")]


class NearbyMeta(PageMeta, frozen=True, kw_only=True):
    """`meta` of `nearby`. `min_confidence` and `window` are those of the first collection requested;
    `applied_filters.by_type` has them for each. `generated_at` is the minute of the answer."""

    applied_filters: TypedFilters
    defaults_applied: tuple[str, ...]
    min_confidence: float
    window: Window
    metro: str
    types: tuple[str, ...]
    origin: Annotated[Origin, means("The middle of the circle.")]
    radius_m: int
    coverage: Annotated[NearCoverage, means("What the circle can't show.")]
    generated_at: Annotated[Instant, means("The minute of the answer.")]
    missing_ids: tuple[Id, ...] = ()


class ActivityMeta(Struct, frozen=True, kw_only=True):
    """`meta` of `activity`, with members as in `NearbyMeta`."""

    metro: str
    radius_m: int
    window: Window
    types: tuple[str, ...]
    applied_filters: TypedFilters
    defaults_applied: tuple[str, ...]
    min_confidence: float
    generated_at: Annotated[Instant, means("The minute of the answer.")]


class AroundMeta(ActivityMeta, frozen=True, kw_only=True):
    """`meta` of `around`. `limit`: the most items in each group."""

    limit: Annotated[int, means("The most items in each group.")]


class MetrosMeta(Struct, frozen=True, kw_only=True):
    """`meta` of `/v1/metros`: `generated_at` is the latest of any metro."""

    count: Annotated[int, means("How many metros there are.")]
    generated_at: Annotated[
        Instant | None, means("When the data of any metro last changed; null before the first release.")
    ]


class ChangesMeta(Struct, frozen=True, kw_only=True):
    """`meta` of `/v1/changes`. `next_cursor`: the last id that was looked at, or the cursor of the request if nothing
    is new. `scope` identifies the metros and types that the key may read: when it changes, read again from 0."""

    limit: int
    count: Annotated[int, means("How many changes this answer has.")]
    has_more: bool
    next_cursor: Annotated[
        int, means("The last version that was looked at: keep it, and send it as `cursor` next time.")
    ]
    earliest_version_id: Annotated[int, means("The first version that is kept.")]
    latest_version_id: Annotated[int, means("The last version that there is.")]
    scope: Annotated[
        str, means("Stands for the metros and types that the key may read. When it changes, read anew from 0.")
    ]
    generated_at: Annotated[Instant | None, means("When the newest release was built; null before the first.")]


class ExportMeta(Struct, frozen=True, kw_only=True):
    metro: str
    count: Annotated[int, means("How many files there are.")]
    generated_at: Instant


class VersionsMeta(Struct, frozen=True, kw_only=True):
    """`meta` of `/v1/listings/{id}/versions`."""

    limit: int
    count: Annotated[int, means("How many versions this answer has.")]
    has_more: bool
    next_cursor: str | None
    generated_at: Instant
