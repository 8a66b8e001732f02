"""`/v1/{metro}/search`: the listings that fit a query's words, ranked, with what the query was taken to mean."""

from collections.abc import Sequence
from itertools import repeat

import msgspec
import numpy as np

from outings.answers.plan import AnswerContext, AnswerPlan, make_tag
from outings.answers.rows.evaluator import open_evaluator
from outings.answers.search.audiences import TargetAudience, choose_audiences
from outings.answers.search.cards import finish_card, format_repeats, format_start
from outings.answers.search.collections import find_override
from outings.answers.search.index import SearchIndex
from outings.answers.search.levels import ENOUGH, choose_levels, count_levels, settle_levels
from outings.answers.search.matches import Keep, SearchMatches, WordMatches
from outings.answers.search.matching import SearchLocation
from outings.answers.search.meta import MOST_COUNTED, make_meta
from outings.answers.search.moments import Moment, make_moment
from outings.answers.search.nearness import add_near
from outings.answers.search.notions import Notion
from outings.answers.search.programs import choose_cards
from outings.answers.search.ranking import (
    measure_distances,
    rank_relevance,
    take_nearest,
    take_ordered,
    take_relevant,
)
from outings.answers.search.repeats import SearchResults, count_things, fold_repeats
from outings.answers.search.request import Search, relax_search, settle_search
from outings.answers.search.score import PARTIAL, Mask, Numbers
from outings.answers.search.snippet import Hits
from outings.answers.search.understanding.locations import find_runs
from outings.answers.search.understanding.narrowing import choose_subject, list_narrower
from outings.answers.search.understanding.words import mark_narrow, may_narrow
from outings.answers.search.whereabouts import find_lying, find_rings, list_parts, read_locations
from outings.answers.snapshot.reader import SnapshotReader, open_snapshot
from outings.answers.snapshot.zips import find_centre, list_approximate
from outings.contract.envelope import encode_list
from outings.contract.query import Query
from outings.contract.resources.finding import LEVELS, MOST_REPEATS
from outings.contract.values import number_day
from outings.contract.vocabulary import TYPES
from outings.release.mapped_table import NEVER
from outings.release.snapshot import Snapshot

# Results that are quick to show, and listings that are quick to look at.
_MOST_QUICK, _MOST_POSTINGS = 50, 30_000

_encoder = msgspec.json.Encoder()
_NO_REPEATS = format_repeats((), count=0)


def plan_search(query: Query, snapshot: Snapshot, about: AnswerContext) -> AnswerPlan:
    search = settle_search(query, snapshot=snapshot, about=about)
    semantic = None if search.semantic is None else search.semantic.tag
    read = (search.offset, search.today, about.entitlement.digest, semantic)
    tag = make_tag("search", snapshot.hash, query.text, *read)
    return AnswerPlan(tag, lambda: answer_search(search), is_quick=_is_quick(search))


def _is_quick(search: Search) -> bool:
    """Return True if all that the search reads of the day is known, and few listings have its words."""
    if search.semantic is not None or search.limit > _MOST_QUICK:
        return False
    words, index = search.parsed.words, search.index
    knows_rows = index.recalls_rows(search.filters)
    knows_starts = not search.filters.has_usual_window or index.recalls_starts(search.filters.windows)
    if search.filters.says_when or not (knows_rows and knows_starts):
        return False
    listings = index.count_postings(search.parsed) if words else len(open_snapshot(search.snapshot).listings)
    # What a query can do without is asked of the whole index before the query is.
    times = sum(1 for _ in list_narrower(search.parsed, index.words)) if search.is_auto else 1
    return listings * times <= _MOST_POSTINGS


def answer_search(search: Search) -> list[bytes]:
    """The body as parts."""
    query, opened, index = search.query, open_snapshot(search.snapshot), search.index
    search = relax_search(search)
    levels, counts, chosen = _find_levels(search, opened, index)
    results = _fold(chosen, search, index)
    shown, scores, limit = results.shown, results.scores, search.limit
    places = _take_page(results, search, index, limit=limit + 1)
    end = search.offset + limit if places.size > limit else None
    page, scores = shown.choose(places[:limit]), scores[places[:limit]]
    repeats = results.list_repeats(index.things[page.rows]) if search.is_auto else None
    items = _make_items(page, scores, search, repeats=repeats, opened=opened, index=index)
    meta = make_meta(search, counts=counts, levels=levels, total=shown.rows.size, count=len(items), end=end)
    approximate = list_approximate(query, page.rows.tolist(), opened)
    return encode_list(items, meta=_encoder.encode(meta), notices=(*query.notices, *approximate))


def _find_levels(
    search: Search, opened: SnapshotReader, index: SearchIndex
) -> tuple[tuple[str, ...], Numbers, SearchMatches]:
    """Which levels are shown, how many there are of each, and what is of those that are shown."""
    requested = search.query.get_words("match")
    keep, passing = _choose_rows(search, opened, index)
    matches = _match_words(search, opened, index)
    if passing is not None and LEVELS[PARTIAL] not in requested and search.semantic is None:
        fitting = _find_fitting(matches, search, index, passing=passing)
        if fitting is not None:
            counts, chosen = fitting
            levels = LEVELS[:PARTIAL] if search.is_auto else tuple(requested)
            return levels, counts, choose_levels(chosen, levels)
    matched = matches.list_all(keep)
    if search.semantic is not None and search.parsed.words:
        near = add_near(matched, search.semantic.measure(search.parsed.words), least=search.semantic.model.least)
        matched = near.choose(np.searchsorted(near.rows, keep(near.rows)))
    matched = _choose_cards(matched, search, index)
    levels, chosen = settle_levels(matched, requested, count=lambda rows: _count_results(rows, search, index))
    return levels, count_levels(matched), chosen.order_partial()


def _find_fitting(
    matches: WordMatches, search: Search, index: SearchIndex, *, passing: Mask
) -> tuple[Numbers, SearchMatches] | None:
    """Counts by level and what fits, where partial matches are counted and not shown. Of these nothing is known but
    that there are more than are counted: which listing leads a program of them needs not be. None where there may be
    fewer, or where they are shown because little else is."""
    if matches.most <= MOST_COUNTED:
        return None
    candidates = matches.mark_candidates()
    partial = matches.count_partial(passing & index.is_alone, candidates=candidates, most=MOST_COUNTED)
    if partial <= MOST_COUNTED:
        return None
    fitting = matches.list_fitting(passing, candidates=candidates)
    if search.is_auto and fitting.rows.size < ENOUGH:
        return None
    fitting = _choose_cards(fitting, search, index)
    if search.is_auto and _count_results(fitting.rows, search, index) < ENOUGH:
        return None
    counts = count_levels(fitting)
    counts[PARTIAL] = partial
    return counts, fitting


def _count_results(rows: Numbers, search: Search, index: SearchIndex) -> int:
    """How many results these are: so many as are enough, and no more."""
    return count_things(index.things[rows], most=ENOUGH) if search.folds else rows.size


def _match_words(search: Search, opened: SnapshotReader, index: SearchIndex) -> WordMatches:
    parsed = search.parsed
    is_auto, lessons = search.is_auto, _list_lessons(search)
    return index.matching.match_words(
        parsed.words,
        beginning=parsed.begun,
        lifting=_list_lifting(search, lessons),
        lessons=lessons,
        locations=_list_locations(search, opened, index),
        subject=choose_subject(parsed.words, index.words) if is_auto else (),
        notions=_list_notions(search, opened, index) if is_auto else (),
        is_strict=is_auto,
        alike={kind: index.words.list_alike(kind) for kind in (*parsed.kinds, *lessons)} if is_auto else None,
        namesakes=index.namesakes if is_auto else None,
        foreign=None if search.foreign is None else search.foreign.related,
        audience=_find_audience(search, opened, index),
        moment=_find_moment(search, opened),
        types=search.words.types if is_auto else None,
    )


def _list_locations(search: Search, opened: SnapshotReader, index: SearchIndex) -> list[SearchLocation]:
    """In `auto` with what lies there and round it."""
    names = search.parsed.locations
    if not search.is_auto:
        return [SearchLocation(name) for name in names]
    return [SearchLocation(name, find_lying(name, opened, index), find_rings(name, opened, index)) for name in names]


def _choose_cards(matched: SearchMatches, search: Search, index: SearchIndex) -> SearchMatches:
    """Of a program that came as several listings, one."""
    classes = search.filters.collections.get("class")
    if classes is None or "changed_since" in search.query.values:  # sync mode knows no cards
        return matched
    start, is_recalled = number_day(classes.selection.start), search.filters.has_usual_window
    return choose_cards(
        matched, index, rank=lambda rows: index.rank_classes(rows, start=start, is_recalled=is_recalled)
    )


def _list_lifting(search: Search, lessons: Sequence[str]) -> tuple[str, ...]:
    """Where no word decides, what names say of the age; in `auto` also what sort of listing: "camps for teens"."""
    parsed = search.parsed
    if parsed.words:
        return tuple(dict.fromkeys((*parsed.kinds, *lessons, *parsed.audience)))
    return (*parsed.stated, *parsed.kinds) if search.is_auto else parsed.stated


def _list_lessons(search: Search) -> tuple[str, ...]:
    """In `auto`, of the kinds and of what was dropped the words for lessons."""
    if not search.is_auto:
        return ()
    words = search.words
    dropped = (word for word in search.relaxed if word in words.lessons)
    return (*(kind for kind in search.parsed.kinds if not words.lessons.isdisjoint(words.list_alike(kind))), *dropped)


def _find_audience(search: Search, opened: SnapshotReader, index: SearchIndex) -> TargetAudience | None:
    """In `auto`, unless a parameter says it."""
    if not search.is_auto or find_override(search.query):
        return None
    wanted = choose_audiences(search.parsed, search.words)
    if not wanted:
        return None
    located = sum(each.end - each.start for each in _list_located(search, opened, index))
    is_place = 0 < len(search.parsed.words) == located and "kids" in wanted
    are_for_these = index.are_playgrounds if is_place else None
    return TargetAudience(wanted, index.audiences, index.age_min, index.age_max, are_for_these)


def _find_moment(search: Search, opened: SnapshotReader) -> Moment | None:
    return None if search.when is None else make_moment(search.when, search.filters.collections, opened)


def _list_notions(search: Search, opened: SnapshotReader, index: SearchIndex) -> list[Notion]:
    """Of the words that decide. Where only a place is left that does, it is one, with what lies there."""
    located = _list_located(search, opened, index)
    whole = index.whole_names.find(0) or frozenset()  # read by now, if the words have the metro's name
    return located or [Notion(*run) for run in index.list_notions(search.parsed.words, whole)]


def _list_located(search: Search, opened: SnapshotReader, index: SearchIndex) -> list[Notion]:
    """The places among the words that decide."""
    words = search.parsed.words
    text = " ".join(words)
    # Of a query that is these words alone it is known already.
    known = search.locations if text == search.query.get_as("q", str) else read_locations(text, opened, index)
    places = known.neighborhoods
    if words in list_parts(words, opened, index):
        places |= {words}
    return [Notion(*run, find_lying(words[slice(*run)], opened, index)) for run in find_runs(words, places)]


def _fold(matched: SearchMatches, search: Search, index: SearchIndex) -> SearchResults:
    scores = matched.score(matched.rows)
    ranks = rank_relevance(
        matched,
        scores,
        index,
        age=None if find_override(search.query) else search.parsed.age,
        is_for_children=_is_for_children(search),
        is_narrowed=bool(search.relaxed),
        is_auto=search.is_auto,
    )
    if not search.folds:
        return SearchResults(matched, scores, ranks)
    filters, today = search.filters, number_day(search.today)

    def order_starts(rows: Numbers) -> Numbers:
        if filters.says_when:
            return index.order_starts(rows, _find_starts(rows, search, index), today=today)
        return index.rank_starts(rows, windows=filters.windows, today=today, is_recalled=filters.has_usual_window)

    return fold_repeats(matched, scores, ranks, things=index.things[matched.rows], order_starts=order_starts)


def _choose_rows(search: Search, opened: SnapshotReader, index: SearchIndex) -> tuple[Keep, Mask | None]:
    """By the filters of each collection, and by row where it is known. Nearly all searches of a day have the same:
    which listings pass is kept. Of others it is kept when it was worked out for so many listings that all would have
    cost no more."""
    evaluator = open_evaluator(opened)

    def keep_rows(rows: Numbers) -> Numbers:
        kept = [evaluator.keep_rows(selection, rows) for selection in search.filters.selections]
        return np.concatenate(kept) if kept else rows[:0]

    passing = index.recall_passing(search.filters, keep_rows)

    def keep(rows: Numbers) -> Numbers:
        if passing is not None:
            return rows[passing.take(rows)]
        index.count_tested(rows, search.filters)
        return keep_rows(rows)

    return keep, passing


def _take_page(results: SearchResults, search: Search, index: SearchIndex, *, limit: int) -> Numbers:
    """Places in what is shown."""
    shown, ranks, offset = results.shown, results.ranks, search.offset
    ids = index.id_ranks[shown.rows]
    match search.query.get("sort"):
        case "soonest":
            keys = _find_starts(shown.rows, search, index)
        case "newest":
            keys = -index.created[shown.rows]
        case "nearest":
            centre = find_centre(search.query, open_snapshot(search.snapshot))
            assert centre is not None
            keys = measure_distances(index, shown.rows, lat=centre[0], lng=centre[1])
        case _:
            if shown.similarities is None:
                return take_relevant(ranks, ids, offset=offset, limit=limit)
            return take_nearest(ranks, ids, shown.similarities, offset=offset, limit=limit)
    behind = shown.levels == PARTIAL if search.is_auto else None
    return take_ordered(keys, results.scores, ids, behind=behind, offset=offset, limit=limit)


def _is_for_children(search: Search) -> bool:
    """In `auto`, by a word for whom and no age: `kids`, or by one for what children come along to: `after school`."""
    if not search.is_auto or find_override(search.query):
        return False
    young = search.words.young
    spoken = (search.parsed.audience, search.parsed.words, search.relaxed)
    return any(may_narrow(words, young) and any(mark_narrow(words, young)) for words in spoken)


def _find_starts(rows: Numbers, search: Search, index: SearchIndex) -> Numbers:
    filters = search.filters
    if not filters.says_when:
        return index.find_starts(rows, windows=filters.windows, is_recalled=filters.has_usual_window)
    evaluator, starts = open_evaluator(open_snapshot(search.snapshot)), np.full(rows.size, NEVER, dtype=np.int64)
    for name, each in filters.collections.items():
        own = np.flatnonzero(index.types[rows] == TYPES.index(name))
        if own.size and name != "place":
            starts[own] = evaluator.find_starts(each.selection, rows[own], low=each.window[0])
    return starts


def _make_items(
    page: SearchMatches,
    scores: Numbers,
    search: Search,
    *,
    repeats: Sequence[Numbers] | None,
    opened: SnapshotReader,
    index: SearchIndex,
) -> list[bytes]:
    """`repeats`: of each result in `auto`."""
    words, read_card = Hits(index.list_words(search.parsed)), index.cards.read_card
    others = repeat(b"") if repeats is None else [_format_repeats(each, opened, index) for each in repeats]
    rows = zip(
        page.rows.tolist(),
        page.levels.tolist(),
        scores.tolist(),
        map(format_start, _find_starts(page.rows, search, index).tolist()),
        others,
        strict=False,
    )
    return [
        finish_card(read_card(row, opened), level=level, score=score, start=start, repeats=own, words=words)
        for row, level, score, start, own in rows
    ]


def _format_repeats(rows: Numbers, opened: SnapshotReader, index: SearchIndex) -> bytes:
    if not rows.size:
        return _NO_REPEATS  # as nearly all results
    shown = rows[:MOST_REPEATS]
    ranks = index.id_ranks[shown].tolist()
    ids = [opened.listings.read_id(row, rank=rank) for row, rank in zip(shown.tolist(), ranks, strict=True)]
    return format_repeats(ids, count=rows.size)
