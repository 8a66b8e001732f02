"""`meta` of an answer, as structs whose field order is the order in JSON."""

from collections.abc import Mapping
from datetime import date

from msgspec import Struct

from outings.contract.resources.near import Origin
from outings.contract.resources.words import Id, Instant


class Window(Struct, frozen=True, kw_only=True, rename={"from_": "from"}):
    """Local dates in effect, inclusive; null where there is no bound, both for places."""

    from_: date | None
    to: date | None
    timezone: str


class SearchWindow(Struct, frozen=True, kw_only=True, rename={"from_": "from"}):
    """What holds in one collection of a search; null where there is no bound."""

    from_: date | None
    to: date | None
    min_confidence: float


# Those in effect, by name; and where they differ from collection to collection, with `by_type` among them.
Filters = Mapping[str, str | int | float | bool | list[str]]
TypedFilters = Mapping[str, str | int | float | bool | list[str] | Mapping[str, SearchWindow]]


class ListMeta(Struct, frozen=True, kw_only=True):
    """Of a list. `page` is null in a walk by cursor; `missing_ids` is empty where `ids` was not sent."""

    limit: int
    count: int
    has_more: bool
    next_cursor: str | None
    page: int | None
    applied_filters: Filters
    defaults_applied: tuple[str, ...]
    min_confidence: float
    window: Window
    metro: str
    generated_at: Instant
    missing_ids: tuple[Id, ...] = ()


class CalendarMeta(Struct, frozen=True, kw_only=True):
    """Of the events calendar. `total`: all occurrences in the window."""

    metro: str
    window: Window
    min_confidence: float
    total: int
    applied_filters: Filters
    defaults_applied: tuple[str, ...]
    generated_at: Instant


class DensityMeta(Struct, frozen=True, kw_only=True):
    """Of a density. `degrees`: what a cell measures from south to north and from west to east. `total`: the whole list,
    also what has no coordinates and is in no cell."""

    metro: str
    degrees: float
    total: int
    without_coordinates: int
    window: Window
    min_confidence: float
    applied_filters: Filters
    defaults_applied: tuple[str, ...]
    generated_at: Instant


class DirectoryMeta(Struct, frozen=True, kw_only=True):
    """Of a directory. `page` is null in a walk by cursor; `hint` says what to send where `q` has no name to look for,
    and is null otherwise."""

    limit: int
    count: int
    has_more: bool
    next_cursor: str | None
    page: int | None
    applied_filters: Filters
    defaults_applied: tuple[str, ...]
    metro: str
    generated_at: Instant
    hint: str | None


class InterpretedAge(Struct, frozen=True, kw_only=True, rename={"from_": "from"}):
    """Whole years, inclusive; `max` null is open. `from`: the words; `overridden_by`: the parameter that was sent, by
    which this does not hold."""

    min: int
    max: int | None
    from_: str
    overridden_by: str | None


class Interpreted(Struct, frozen=True, kw_only=True):
    """What a search took from its words beside what it looks for. `beginning`: the last word, where no listing has it
    and it was taken for the beginning of a word."""

    age: InterpretedAge | None
    beginning: str | None


class MatchCounts(Struct, frozen=True):
    """Results by how well they match, whichever are shown; at most 1,000 are counted."""

    all_terms: int
    related: int
    partial: int


class SearchMeta(Struct, frozen=True, kw_only=True):
    """Of a search. `count_estimate` is exact up to 1,000; `capped` says that there are more of any count."""

    query: str
    applied_filters: TypedFilters
    defaults_applied: tuple[str, ...]
    types: tuple[str, ...]
    ranking: str
    ignored_words: tuple[str, ...]
    interpreted: Interpreted
    match: tuple[str, ...]
    relaxed: tuple[str, ...]
    match_counts: MatchCounts
    sort: str
    limit: int
    count: int
    count_estimate: int
    capped: bool
    has_more: bool
    next_cursor: str | None
    generated_at: Instant


class SuggestMeta(Struct, frozen=True, kw_only=True):
    """Of suggestions. `types`: those whose listings count."""

    query: str
    types: tuple[str, ...]
    limit: int
    count: int
    metro: str
    generated_at: Instant


class CoverageMeta(Struct, frozen=True, kw_only=True):
    """Of a metro's coverage."""

    metro: str
    applied_filters: Filters
    defaults_applied: tuple[str, ...]
    generated_at: Instant


class NearCoverage(Struct, frozen=True, kw_only=True):
    """`hidden_nearby`: rows that would be here by all but their coordinates, which they lack, as far as their
    neighborhood tells."""

    hidden_nearby: int


class NearbyMeta(Struct, frozen=True, kw_only=True):
    """Of `nearby`. `min_confidence` and `window` are those of the first collection asked; `applied_filters.by_type`
    has them for each. `generated_at` is the minute of the answer."""

    limit: int
    count: int
    has_more: bool
    next_cursor: str | None
    page: int | None
    applied_filters: TypedFilters
    defaults_applied: tuple[str, ...]
    min_confidence: float
    window: Window
    metro: str
    types: tuple[str, ...]
    origin: Origin
    radius_m: int
    coverage: NearCoverage
    generated_at: Instant
    missing_ids: tuple[Id, ...] = ()


class ActivityMeta(Struct, frozen=True, kw_only=True):
    """Of `activity`; as `NearbyMeta`."""

    metro: str
    radius_m: int
    window: Window
    types: tuple[str, ...]
    applied_filters: TypedFilters
    defaults_applied: tuple[str, ...]
    min_confidence: float
    generated_at: Instant


class AroundMeta(ActivityMeta, frozen=True, kw_only=True):
    """Of `around`. `limit`: items of each group at most."""

    limit: int


class MetrosMeta(Struct, frozen=True, kw_only=True):
    """Of `/v1/metros`: the stamp is the latest of any metro."""

    count: int
    generated_at: Instant | None


class ChangesMeta(Struct, frozen=True, kw_only=True):
    """Of `/v1/changes`. `next_cursor`: the last id that was looked at, the request's own where there is nothing new;
    `scope` stands for the metros and types that the key may read: when it changes, read anew from 0."""

    limit: int
    count: int
    has_more: bool
    next_cursor: int
    earliest_version_id: int
    latest_version_id: int
    scope: str
    generated_at: Instant | None


class ExportMeta(Struct, frozen=True, kw_only=True):
    """Of `/v1/{metro}/export`."""

    metro: str
    count: int
    generated_at: Instant


class VersionsMeta(Struct, frozen=True, kw_only=True):
    """Of `/v1/listings/{id}/versions`."""

    limit: int
    count: int
    has_more: bool
    next_cursor: str | None
    generated_at: Instant


# What their members mean, where outings/contract/meanings/everywhere.py does not say it.
MEANINGS = {
    "ListMeta.count": "How many items this answer has.",
    "DirectoryMeta.count": "How many items this answer has.",
    "DirectoryMeta.hint": "What to send where `q` has no name to look for; else null.",
    "CalendarMeta.total": "All occurrences in the window.",
    "DensityMeta.degrees": "What a cell measures, in degrees of latitude and of longitude.",
    "DensityMeta.total": "The size of the whole list, also of what has no coordinates.",
    "DensityMeta.without_coordinates": "Listings that are in no cell.",
    "ChangesMeta.count": "How many changes this answer has.",
    "ChangesMeta.earliest_version_id": "The first version that is kept.",
    "ChangesMeta.generated_at": "When the newest release was built; null before the first.",
    "ChangesMeta.latest_version_id": "The last version that there is.",
    "ChangesMeta.next_cursor": "The last version that was looked at: keep it, and send it as `cursor` next time.",
    "ChangesMeta.scope": "Stands for the metros and types that the key may read. When it changes, read anew from 0.",
    "MetrosMeta.count": "How many metros there are.",
    "MetrosMeta.generated_at": "When the data of any metro last changed; null before the first release.",
    "ExportMeta.count": "How many files there are.",
    "NearbyMeta.count": "How many items this answer has.",
    "NearbyMeta.coverage": "What the circle can't show.",
    "NearbyMeta.generated_at": "The minute of the answer.",
    "NearbyMeta.origin": "The middle of the circle.",
    "ActivityMeta.generated_at": "The minute of the answer.",
    "AroundMeta.generated_at": "The minute of the answer.",
    "AroundMeta.limit": "The most items in each group.",
    "NearCoverage.hidden_nearby": "Rows that would be here but for the coordinates that they lack.",
    "VersionsMeta.count": "How many versions this answer has.",
    "Window.from": "The first local date; null is open.",
    "Window.to": "The last local date, inclusive; null is open.",
    "Window.timezone": "The metro's time zone.",
    "SuggestMeta.count": "How many suggestions this answer has.",
    "SuggestMeta.query": "The letters as they were sent.",
    "SuggestMeta.types": "The collections whose listings count.",
    "Interpreted.age": "The age that was read from the words; null where there was none.",
    "Interpreted.beginning": "The last word, where no listing has it and it was taken for a half typed one; else null.",
    "InterpretedAge.from": "The words that it was read from.",
    "InterpretedAge.max": "Whole years, inclusive; null is open.",
    "InterpretedAge.min": "Whole years, inclusive.",
    "InterpretedAge.overridden_by": "The parameter that took its place; null where it holds.",
    "MatchCounts.all_terms": "Results that have every word.",
    "MatchCounts.partial": "Results that have only some of the words, or have them in passing.",
    "MatchCounts.related": "Results that have every word, some by a word of about the same meaning.",
    "SearchMeta.capped": "Whether there are more than any of the counts says.",
    "SearchMeta.count": "How many results this answer has.",
    "SearchMeta.count_estimate": "How many results there are; exact up to 1,000.",
    "SearchMeta.ignored_words": "Words that did not decide.",
    "SearchMeta.interpreted": "What was taken from the words beside what to look for.",
    "SearchMeta.match": "The levels that are shown: those that were sent, or that `auto` chose.",
    "SearchMeta.match_counts": "How many results each level has, whichever are shown.",
    "SearchMeta.query": "The words as they were read.",
    "SearchMeta.relaxed": "Words that `match=auto` dropped, because nothing has all of them; else empty.",
    "SearchMeta.ranking": "How results are ranked. A cursor ends when it changes.",
    "SearchMeta.sort": "The order of results.",
    "SearchWindow.from": "The first local date; null is open.",
    "SearchWindow.to": "The last local date, inclusive; null is open.",
}
