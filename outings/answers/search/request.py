"""A search request, ready to answer: the words of its query, the filters of each collection, and the position of the
page."""

from collections.abc import Collection, Iterator, Mapping
from datetime import date
from functools import partial, reduce

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from outings.answers.plan import AnswerContext, asks_now, format_stamp, read_limit
from outings.answers.search.filters import SearchFilters, find_override, find_search_filters
from outings.answers.search.index import SearchIndex, index_types
from outings.answers.search.query_places import read_locations
from outings.answers.search.readings import ORDER, WHEN, Places, Reading, combine_values, list_attempts, list_readings
from outings.answers.search.understanding.foreign import ForeignLanguage
from outings.answers.search.understanding.locations import Locations
from outings.answers.search.understanding.query import Age, ParsedQuery, parse_search
from outings.answers.search.understanding.words import QueryWords
from outings.answers.search.word_matches import Mask
from outings.answers.snapshot.reader import SnapshotReader, open_snapshot
from outings.contract.cursor import malformed_cursor
from outings.contract.errors import ApiError, bad_request
from outings.contract.query import Query
from outings.contract.text import split_words
from outings.contract.values import Value
from outings.release.snapshot import Snapshot

AUTO = ("auto",)
# How results are ranked: by words alone.
RANKING = "lexical"


class Search(Struct, frozen=True, kw_only=True):
    """A search request, resolved.

    Attributes:
        index: the search index of the types that the API key may read.
        is_auto: `match=auto`: the search itself chooses which levels of `match` to show.
        readings: in `auto`, the filters that the text states; `active`: those in effect.
        relaxed: words that were dropped from the query, because no listing has all.
        words: of the query's language; `foreign` is set if that is not the metro's.
    """

    query: Query
    index: SearchIndex
    parsed: ParsedQuery
    words: QueryWords
    filters: SearchFilters
    offset: int
    limit: int
    snapshot: Snapshot
    context: AnswerContext
    is_auto: bool = False
    relaxed: tuple[str, ...] = ()
    foreign: ForeignLanguage | None = None
    readings: tuple[Reading, ...] = ()
    active: tuple[Reading, ...] = ()

    @property
    def today(self) -> date:
        return self.context.dates[self.snapshot.metro.slug]

    def read_plainly(self) -> ParsedQuery:
        """Return the query read without filters, or as it is if that leaves nothing."""
        try:
            text = self.query.get_as("q", str) or ""
            places = read_locations(text, self.opened, self.index)
            return _read_words(text, self.index, places=places, foreign=self.foreign, is_auto=True, filters=False)
        except ApiError:
            return self.parsed

    @property
    def opened(self) -> SnapshotReader:
        return open_snapshot(self.snapshot)

    @property
    def folds(self) -> bool:
        """Return True if repeated listings of an activity become one result. `changed_since` needs each listing."""
        return self.is_auto and "changed_since" not in self.query.values

    @property
    def is_now(self) -> bool:
        """Return True if the words make the answer depend on the minute, as parameters may."""
        return any(asks_now(reading.values) for reading in self.active)

    @property
    def given_up(self) -> tuple[str, ...]:
        """Return the texts of the filters that were given up."""
        counting = (reading for reading in self.readings if reading.overridden_by is None)
        return tuple(reading.text for reading in counting if reading not in self.active)

    @property
    def says_when(self) -> bool:
        """Return True if the text says on which days or at what time."""
        return any(not WHEN.isdisjoint(reading.values) for reading in self.active)

    @property
    def dating(self) -> SearchFilters:
        """Return the filters by which listings are dated: the first date of "after school" is in the afternoon, though
        the name alone may pass."""
        if not any(reading.find_rows is not None and not WHEN.isdisjoint(reading.values) for reading in self.active):
            return self.filters
        return self._find_filters(combine_values(self.active, with_named=True))

    def keep_filters(self, active: tuple[Reading, ...]) -> "Search":
        """Return the search with some of its readings."""
        return replace(self, filters=self._find_filters(combine_values(active)), active=active)

    def _find_filters(self, read: Mapping[str, Value]) -> SearchFilters:
        return find_search_filters(
            self.query, age=self.parsed.age, read=read, context=self.context, snapshot=self.snapshot
        )

    @property
    def passing(self) -> Mask | None:
        """Return a mask of the rows that pass the filters which no parameter states; None for all."""
        marks = [reading.mark_passing(self.index.types) for reading in self.active]
        return reduce(np.logical_and, marks) if marks else None

    @property
    def age(self) -> Age | None:
        """Return the age that the text states; None if a parameter states another."""
        return None if find_override(self.query) else self.parsed.age


def resolve_search(query: Query, *, snapshot: Snapshot, context: AnswerContext) -> Search:
    """Resolve the request. Raises every ApiError with which the answer would fail."""
    today = context.dates[snapshot.metro.slug]
    text = query.get_as("q", str)
    assert text is not None
    opened = open_snapshot(snapshot)
    index = opened.open_index(index_types(context.entitlement.readable_types))
    words, locations, foreign = index.words, index.locations, None
    is_auto = query.get_words("match") == AUTO
    if is_auto:
        locations = read_locations(text, opened, index)
        foreign = index.find_foreign(split_words(text))
        words = words if foreign is None else foreign.words
    parsed = _read_words(text, index, places=locations, foreign=foreign, is_auto=is_auto)
    readings: tuple[Reading, ...] = ()
    if is_auto:
        places = Places(opened=opened, index=index, words=words, today=today, given=query.values)
        readings = tuple(list_readings(parsed, places))
    active = tuple(reading for reading in readings if reading.overridden_by is None)
    return Search(
        query=query,
        index=index,
        parsed=parsed,
        words=words,
        filters=find_search_filters(
            query, age=parsed.age, read=combine_values(active), context=context, snapshot=snapshot
        ),
        offset=_read_offset(query, snapshot),
        limit=read_limit(query),
        snapshot=snapshot,
        context=context,
        is_auto=is_auto,
        foreign=foreign,
        readings=readings,
        active=active,
    )  # fmt: skip


def relax_search(search: Search, *, giving_up: Collection[str] = ORDER) -> Iterator[Search]:
    """Yield the search with ever fewer of the filters that its text states. `giving_up`: the parameters of the filters
    that may be given up."""
    fewer = (search.keep_filters(active) for active in list_attempts(search.active, giving_up=giving_up))
    if search.parsed.words:
        yield from fewer
        return
    # Where no word is left, "green lake community center" may be a name: its words are searched with all filters but
    # one. Then what passes the filters that are left is enough, and where none is left, the words are.
    plain, attempts = search.read_plainly(), list(fewer)
    yield from (replace(attempt, parsed=plain) for attempt in attempts[: len(search.active)])
    yield from (attempt for attempt in attempts if attempt.active)
    yield from (replace(attempt, parsed=plain) for attempt in attempts[-1:])


def _read_words(
    text: str,
    index: SearchIndex,
    *,
    places: Locations,
    foreign: ForeignLanguage | None,
    is_auto: bool,
    filters: bool = True,
) -> ParsedQuery:
    """Parse the query. A last word that no listing has is read as a beginning: "after sch". In `auto` a last word is
    also read as a beginning if a longer word of a name begins with it."""
    words = index.words
    if foreign is not None:
        words, places = foreign.words, replace(places, whole=foreign.runs)
    parse = partial(parse_search, text, places=places, words=words, is_auto=is_auto, filters=filters)
    parsed = parse()
    last = parsed.last
    if last is None or (foreign is not None and foreign.knows(last)):
        return parsed
    if not index.can_begin(last) and not (is_auto and index.begins_name(last)):
        return parsed
    begun = parse(last_is_beginning=True)
    is_begun = begun.last is None or index.list_begun(last) or (is_auto and index.finder.related.begins(last))
    return begun if is_begun else parsed


def _read_offset(query: Query, snapshot: Snapshot) -> int:
    """Return the offset of the page. A cursor works only in the snapshot and with the ranking that it was made for."""
    cursor = query.cursor
    if cursor is None:
        return 0
    match cursor.position:
        case (str(began), int(offset)) if 0 < offset < 1 << 32:
            if began == RANKING and cursor.release == format_stamp(snapshot):
                return offset
            raise bad_request(
                param="cursor", reason="cursor_expired",
                message="The release or the ranking of `cursor` is no longer open; search again without `cursor`.",
            )  # fmt: skip
    raise malformed_cursor()
