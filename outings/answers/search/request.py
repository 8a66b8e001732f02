"""A search request, ready to answer: the words of its query, the filters of each collection, and the position of the
page."""

from collections.abc import Iterator, Sequence
from datetime import date

from msgspec import Struct
from msgspec.structs import replace

from outings.answers.plan import AnswerContext, format_stamp, read_limit
from outings.answers.search.filters import SearchFilters, find_override, find_search_filters
from outings.answers.search.index import SearchIndex, index_types
from outings.answers.search.query_places import drop_empty_codes, find_at_place, read_locations
from outings.answers.search.understanding.foreign import ForeignLanguage
from outings.answers.search.understanding.locations import Locations, find_runs
from outings.answers.search.understanding.query import Age, ParsedQuery, parse_search
from outings.answers.search.understanding.times import When
from outings.answers.search.understanding.words import QueryWords
from outings.answers.search.word_matches import Numbers
from outings.answers.snapshot.reader import SnapshotReader, open_snapshot
from outings.contract.cursor import malformed_cursor
from outings.contract.errors import bad_request
from outings.contract.query import Query
from outings.contract.text import split_words
from outings.release.snapshot import Snapshot

AUTO = ("auto",)
# How results are ranked: by words alone.
RANKING = "lexical"


class Search(Struct, frozen=True, kw_only=True):
    """A search request, resolved.

    Attributes:
        index: the search index of the types that the API key may read.
        is_auto: `match=auto`: the search itself chooses which levels of `match` to show.
        relaxed: words that were dropped from the query, because no listing has all.
        words: of the query's language; `foreign` is set if that is not the metro's.
        locations: the places that the text may name.
        when: in `auto`, the time that the query states.
    """

    query: Query
    index: SearchIndex
    parsed: ParsedQuery
    words: QueryWords
    locations: Locations
    filters: SearchFilters
    offset: int
    limit: int
    snapshot: Snapshot
    today: date
    is_auto: bool = False
    relaxed: tuple[str, ...] = ()
    foreign: ForeignLanguage | None = None
    when: When | None = None

    @property
    def opened(self) -> SnapshotReader:
        return open_snapshot(self.snapshot)

    @property
    def folds(self) -> bool:
        """Return True if repeated listings of an activity become one result. `changed_since` needs each listing."""
        return self.is_auto and "changed_since" not in self.query.values

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
    words, locations, foreign, when = index.words, index.locations, None, None
    is_auto = query.get_words("match") == AUTO
    if is_auto:
        locations = read_locations(text, opened, index)
        foreign = index.find_foreign(split_words(text))
        words = words if foreign is None else foreign.words
    parsed = _read_words(text, index, places=locations, foreign=foreign, is_auto=is_auto)
    if is_auto:
        parsed = drop_empty_codes(parsed, opened, index)
        when = words.when.read(parsed.timed) if parsed.timed else None
    return Search(
        query=query,
        index=index,
        parsed=parsed,
        words=words,
        locations=locations,
        filters=find_search_filters(
            query, age=parsed.age, context=context, today=today, vocabulary=snapshot.vocabulary
        ),
        offset=_read_offset(query, snapshot),
        limit=read_limit(query),
        snapshot=snapshot,
        today=today,
        is_auto=is_auto,
        foreign=foreign,
        when=when,
    )


def list_located(words: Sequence[str], search: Search) -> Iterator[tuple[int, int, Numbers]]:
    """Yield the start and end of each name of a place among the searched words, with the rows located there."""
    text, opened, index = " ".join(words), search.opened, search.index
    # The locations of a query that consists of these words alone were read already.
    locations = search.locations if text == search.query.get_as("q", str) else read_locations(text, opened, index)
    for start, end in find_runs(words, locations.neighborhoods):
        yield start, end, find_at_place(words[start:end], opened, index)


def _read_words(
    text: str, index: SearchIndex, *, places: Locations, foreign: ForeignLanguage | None, is_auto: bool
) -> ParsedQuery:
    """Parse the query. A last word that no listing has is read as a beginning: "after sch". In `auto` a last word is
    also read as a beginning if a longer word of a name begins with it."""
    words = index.words
    if foreign is not None:
        words, places = foreign.words, replace(places, whole=foreign.runs)
    parsed = parse_search(text, places=places, words=words)
    last = parsed.last
    if last is None or (foreign is not None and foreign.knows(last)):
        return parsed
    if not index.can_begin(last) and not (is_auto and index.begins_name(last)):
        return parsed
    begun = parse_search(text, places=places, words=words, last_is_beginning=True)
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
