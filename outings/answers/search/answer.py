"""`/v1/{metro}/search`: the listings that fit a query's words, ranked, with what the query was taken to mean."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta

import msgspec
import numpy as np
from msgspec import Struct

from outings.answers.approximate import list_approximate
from outings.answers.circumstances import Circumstances
from outings.answers.cost import UNKNOWN, estimate_search
from outings.answers.meta import read_limit
from outings.answers.opened import Opened, open_snapshot
from outings.answers.search.asking import Asked, ask_collections, find_override
from outings.answers.search.cards import deal_cards
from outings.answers.search.index import SearchIndex
from outings.answers.search.matching import Keep, Matched
from outings.answers.search.ranking import (
    count_levels,
    measure_distances,
    rank_relevance,
    take_nearest,
    take_ordered,
    take_relevant,
)
from outings.answers.search.score import Numbers
from outings.answers.search.snippet import Hits, make_snippet
from outings.answers.selection import Selection
from outings.answers.semantic.nearness import Semantic, add_near, open_semantic
from outings.answers.understanding.query import Understood, understand_query
from outings.answers.walks import name_walk
from outings.answers.zips import find_centre
from outings.contract.cursor import Cursor, encode_cursor
from outings.contract.envelope import encode_list
from outings.contract.errors import bad_request
from outings.contract.instants import format_instant
from outings.contract.meta import Interpreted, InterpretedAge, MatchCounts, SearchMeta, SearchWindow
from outings.contract.query import Query
from outings.contract.resources.search import LEVELS, SearchResult
from outings.contract.values import Value, echo_value
from outings.contract.vocabulary import COLLECTIONS
from outings.release.mapped import NEVER
from outings.release.snapshot import Snapshot

# Above it counts say only that there are more.
MOST_COUNTED = 1_000

_WINDOW = ("from", "to", "types")
_EPOCH, _MIDNIGHT = date(1970, 1, 1), datetime(1970, 1, 1)

_encoder = msgspec.json.Encoder()


class Search(Struct, frozen=True, kw_only=True):
    """A request that will be answered."""

    query: Query
    understood: Understood
    asked: Asked
    offset: int
    snapshot: Snapshot
    today: date
    semantic: Semantic | None

    @property
    def has_usual_window(self) -> bool:
        """That of nearly all searches of a day."""
        return self.asked.given.keys().isdisjoint(_WINDOW)

    @property
    def ranking(self) -> str:
        return _name_ranking(self.semantic)


class _Document(Struct, frozen=True):
    """The members that a result takes from a listing."""

    id: str
    type: str
    slug: str
    name: str
    description: str | None


_decoder = msgspec.json.Decoder(_Document)


def settle_search(query: Query, *, snapshot: Snapshot, about: Circumstances) -> Search:
    """Raises ApiError for whatever the answer would fail with."""
    today = about.dates[snapshot.metro.slug]
    text = query.get_as("q", str)
    assert text is not None
    understood = understand_query(text, places=open_snapshot(snapshot).open_search().locations)
    semantic = open_semantic(snapshot, about.model)
    return Search(
        query=query,
        understood=understood,
        asked=ask_collections(query, age=understood.age, about=about, today=today, vocabulary=snapshot.vocabulary),
        offset=_read_offset(query, snapshot, ranking=_name_ranking(semantic)),
        snapshot=snapshot,
        today=today,
        semantic=semantic,
    )


def _name_ranking(semantic: Semantic | None) -> str:
    return "lexical" if semantic is None else "hybrid"


def _read_offset(query: Query, snapshot: Snapshot, *, ranking: str) -> int:
    """A walk goes on in the snapshot and the ranking that it began in, or not at all."""
    cursor = query.cursor
    if cursor is None:
        return 0
    match cursor.position:
        case (str(began), int(offset)) if 0 < offset < 1 << 32:
            if began == ranking and cursor.release == name_walk(snapshot):
                return offset
            raise bad_request(
                param="cursor", reason="cursor_expired",
                message="The release or the ranking that this walk began in is gone; search again without a cursor.",
            )  # fmt: skip
    raise bad_request(param="cursor", reason="cursor_malformed", message="This is no cursor of a search.")


def estimate_cost(search: Search) -> int:
    """Microseconds that the answer is planned to take."""
    if search.semantic is not None:
        return UNKNOWN
    opened, words = open_snapshot(search.snapshot), search.understood.words
    index = opened.open_search()
    if not search.asked.given and not index.recalls(_list_selections(search)):
        return UNKNOWN
    return estimate_search(
        words=len(words),
        postings=index.count_postings(words) if words else len(opened.names),
        limit=read_limit(search.query),
        has_columns=opened.has_columns,
    )


def answer_search(search: Search) -> list[bytes]:
    """The body as parts."""
    query, opened = search.query, open_snapshot(search.snapshot)
    index = opened.open_search()
    matched = _match(search, opened, index)
    counts = count_levels(matched)
    shown = _choose_levels(matched, query.get_words("match"))
    scores, limit = shown.score(shown.rows), read_limit(query)
    places = _take_page(shown, scores, search, index, limit=limit + 1)
    end = search.offset + limit if places.size > limit else None
    page, scores = shown.choose(places[:limit]), scores[places[:limit]]
    items = list(_make_items(page, scores, search, opened=opened, index=index))
    meta = _make_meta(search, counts=counts, total=shown.rows.size, count=len(items), end=end)
    approximate = list_approximate(query, page.rows.tolist(), opened)
    return encode_list(items, meta=_encoder.encode(meta), notices=(*query.notices, *approximate))


def _match(search: Search, opened: Opened, index: SearchIndex) -> Matched:
    """What has any of the words and passes the filters: of a program that came as several listings, one."""
    understood, collections = search.understood, search.asked.collections
    keep = _choose_rows(search, opened, index)
    matched = index.matching.match_words(
        understood.words,
        lifting=(*understood.kinds, *understood.audience),
        locating=understood.locations,
        keep=keep,
    )
    if search.semantic is not None and understood.words:
        near = add_near(matched, search.semantic.measure(understood.words), least=search.semantic.model.least)
        matched = near.choose(np.searchsorted(near.rows, keep(near.rows)))
    classes = collections.get("class")
    if classes is None or "changed_since" in search.query.values:  # sync mode knows no cards
        return matched
    start = (classes.selection.start - _EPOCH).days
    return deal_cards(
        matched, index, rank=lambda rows: index.rank_classes(rows, start=start, is_recalled=search.has_usual_window)
    )


def _choose_rows(search: Search, opened: Opened, index: SearchIndex) -> Keep:
    """By the filters of each collection. Nearly all searches of a day have the same: which listings pass is kept."""
    evaluator = opened.open_evaluator()
    selections = _list_selections(search)

    def keep_rows(rows: Numbers) -> Numbers:
        kept = [evaluator.keep_rows(selection, rows) for selection in selections]
        return np.concatenate(kept) if kept else rows[:0]

    return keep_rows if search.asked.given else lambda rows: index.recall_rows(rows, selections, keep_rows)


def _list_selections(search: Search) -> tuple[Selection, ...]:
    return tuple(each.selection for each in search.asked.collections.values())


def _choose_levels(matched: Matched, names: Sequence[str]) -> Matched:
    if len(names) == len(LEVELS):
        return matched
    return matched.choose(np.array([each in names for each in LEVELS])[matched.levels])


def _take_page(shown: Matched, scores: Numbers, search: Search, index: SearchIndex, *, limit: int) -> Numbers:
    """Places in `shown`."""
    offset = search.offset
    match search.query.get("sort"):
        case "soonest":
            keys = _find_starts(shown, search, index)
        case "newest":
            keys = -index.created[shown.rows]
        case "nearest":
            centre = find_centre(search.query, open_snapshot(search.snapshot).open_zips)
            assert centre is not None
            keys = measure_distances(index, shown.rows, lat=centre[0], lng=centre[1])
        case _:
            age = None if find_override(search.query) else search.understood.age
            keys = rank_relevance(shown, scores, index, age=age)
            if shown.similarities is None:
                return take_relevant(keys, offset=offset, limit=limit)
            return take_nearest(keys, shown.similarities, offset=offset, limit=limit)
    return take_ordered(keys, scores, index.id_ranks[shown.rows], offset=offset, limit=limit)


def _find_starts(matched: Matched, search: Search, index: SearchIndex) -> Numbers:
    windows = {name: each.window for name, each in search.asked.collections.items()}
    return index.find_starts(matched.rows, windows=windows, is_recalled=search.has_usual_window)


def _make_items(
    page: Matched, scores: Numbers, search: Search, *, opened: Opened, index: SearchIndex
) -> Iterator[bytes]:
    words = Hits(index.list_words(search.understood.words))
    starts = _find_starts(page, search, index)
    rows = zip(page.rows.tolist(), page.levels.tolist(), scores.tolist(), starts.tolist(), strict=True)
    for row, level, score, start in rows:
        document = _decoder.decode(opened.read_document(row))
        yield _encoder.encode(
            SearchResult(
                type=document.type,
                id=document.id,
                slug=document.slug,
                name=document.name,
                snippet=make_snippet(document.description, name=document.name, words=words),
                match=LEVELS[level],
                score=score / 1000,
                starts_local=None if start == NEVER else (_MIDNIGHT + timedelta(seconds=start)).isoformat(),
            )
        )


def _make_meta(search: Search, *, counts: Numbers, total: int, count: int, end: int | None) -> SearchMeta:
    query, asked, understood = search.query, search.asked, search.understood
    settled = [each.settled.values for each in asked.collections.values()]
    of_all = {name: values[name] for values in settled for name in ("radius_m", "audience") if name in values}
    in_effect: Mapping[str, Value] = {"audience": ("not_adults",), **asked.given, **of_all}
    filters = {name: echo_value(value) for name, value in in_effect.items()}
    age = understood.age
    return SearchMeta(
        query=query.get_as("q", str) or "",
        applied_filters={**filters, "by_type": _show_types(asked)},
        defaults_applied=asked.defaults,
        types=tuple(COLLECTIONS[each] for each in asked.collections),
        ranking=search.ranking,
        ignored_words=understood.ignored,
        interpreted=Interpreted(
            age=None
            if age is None
            else InterpretedAge(min=age.min, max=age.max, from_=age.text, overridden_by=find_override(query))
        ),
        match=query.get_words("match"),
        match_counts=MatchCounts(*(min(each, MOST_COUNTED) for each in counts.tolist())),
        sort=str(query.get("sort")),
        limit=read_limit(query),
        count=count,
        count_estimate=min(total, MOST_COUNTED),
        capped=max(total, *counts.tolist()) > MOST_COUNTED,
        has_more=end is not None,
        next_cursor=None if end is None else _make_cursor(search, end),
        generated_at=format_instant(search.snapshot.stamp),
    )


def _show_types(asked: Asked) -> Mapping[str, SearchWindow]:
    return {
        COLLECTIONS[name]: SearchWindow(
            from_=each.settled.get_date("from"),
            to=each.settled.get_date("to"),
            min_confidence=each.settled.min_confidence,
        )
        for name, each in asked.collections.items()
    }


def _make_cursor(search: Search, offset: int) -> str:
    cursor = Cursor(
        route=search.query.route,
        release=name_walk(search.snapshot),
        date=search.today,
        position=(search.ranking, offset),
    )
    return encode_cursor(cursor, search.query.walk)
