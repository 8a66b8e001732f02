"""`/v1/{metro}/search`: the listings that fit a query's words, ranked, with the interpretation of the query."""

from collections.abc import Sequence
from datetime import date
from itertools import repeat

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from outings.answers.plan import AnswerContext, AnswerPlan, make_tag
from outings.answers.rows.evaluator import open_evaluator
from outings.answers.search.audiences import cover_ages
from outings.answers.search.meta import MOST_COUNTED, make_meta
from outings.answers.search.query_places import measure_distances
from outings.answers.search.readings import SOFT
from outings.answers.search.repeats import SINGLE, SearchResults, choose_cards, count_things, fold_repeats
from outings.answers.search.request import Search, relax_search, resolve_search
from outings.answers.search.results import Hits, finish_result, format_repeats, format_start
from outings.answers.search.score import match_words
from outings.answers.search.word_matches import PARTIAL, Keep, Numbers, SearchMatches
from outings.answers.snapshot.zips import find_centre, list_approximate
from outings.contract.envelope import encode_list
from outings.contract.parameters import MOMENTS
from outings.contract.query import Query
from outings.contract.resources.finding import LEVELS, MOST_REPEATS
from outings.contract.values import DAY, number_day
from outings.contract.vocabulary import TYPES
from outings.release.mapped_table import NEVER
from outings.release.snapshot import Snapshot

# The most results of a page that is quick to show.
_MOST_QUICK = 50
# The most listings with a word of the query that are quick to score.
_MOST_POSTINGS = 30_000
# In `auto` fewer results than these leave room for partial ones.
_ENOUGH = 5
# In `auto` fewer results than these leave room for what some filters of the text would hide.
_FIRST_SCREEN = 10
_SCORES = 10

_encoder = msgspec.json.Encoder()
_NO_REPEATS = format_repeats((), count=0)


class _Attempt(Struct, frozen=True, eq=False):
    """A search with some of the filters that its text states: the levels to show, how many results each level has, and
    the results of those levels."""

    search: Search
    levels: tuple[str, ...]
    counts: Numbers
    matched: SearchMatches


def plan_search(query: Query, snapshot: Snapshot, context: AnswerContext) -> AnswerPlan:
    search = resolve_search(query, snapshot=snapshot, context=context)
    moments = map(search.filters.given.get, MOMENTS)
    tag = make_tag(
        "search", snapshot.hash, query.text, search.offset, search.today, context.entitlement.digest, *moments
    )
    return AnswerPlan(tag, lambda: answer_search(search), is_quick=_is_quick(search), is_now=search.is_now)


def _is_quick(search: Search) -> bool:
    """Return True if the page is small, dates need no test one by one, and few listings have these words."""
    if search.limit > _MOST_QUICK or search.filters.says_when:
        return False
    words, index = search.parsed.words, search.index
    listings = index.count_postings(search.parsed) if words else len(search.opened.listings)
    return listings <= _MOST_POSTINGS


def answer_search(search: Search) -> list[bytes]:
    """Return the body as parts."""
    query, index = search.query, search.index
    chosen = _choose_attempt(search)
    search = chosen.search
    results = _fold(chosen.matched, search)
    shown, scores, limit = results.shown, results.scores, search.limit
    places = _take_page(results, search, limit=limit + 1)
    end = search.offset + limit if places.size > limit else None
    page, scores = shown.choose(places[:limit]), scores[places[:limit]]
    repeats = results.list_repeats(index.things[page.rows]) if search.is_auto else None
    items = _make_items(page, scores, search, repeats=repeats)
    search = replace(search, relaxed=(*search.given_up, *chosen.matched.relaxed))
    meta = make_meta(
        search, counts=chosen.counts, levels=chosen.levels, total=shown.rows.size, count=len(items), end=end
    )
    approximate = list_approximate(query, page.rows.tolist(), search.opened)
    return encode_list(items, meta=_encoder.encode(meta), notices=(*query.notices, *approximate))


def _choose_attempt(search: Search) -> _Attempt:
    """Give up as few of the filters that the text states as needed for a result that is not partial. Without one, give
    up as few as needed for any."""
    tried = [_attempt(search)]
    others = relax_search(search)
    while not _has_full(tried[-1]):
        if (other := next(others, None)) is None:
            return _fill(next((attempt for attempt in tried if attempt.matched.rows.size), tried[0]))
        tried.append(_attempt(other))
    return _fill(tried[-1])


def _fill(attempt: _Attempt) -> _Attempt:
    """Add, as partial results, what has the words and only some filters of the text keep out, until a first screen is
    full."""
    search, matched, things = attempt.search, attempt.matched, attempt.search.index.things
    for other in (other for other in relax_search(search, giving_up=SOFT) if other.parsed.words):
        if count_things(things[matched.rows], most=_FIRST_SCREEN) == _FIRST_SCREEN:
            break
        more = match_words(other, _choose_rows(other))
        are_new = (more.levels < PARTIAL) & ~np.isin(more.rows, matched.rows)
        # What repeats a result is no other one.
        are_new &= (things[more.rows] == SINGLE) | ~np.isin(things[more.rows], things[matched.rows])
        rows = np.concatenate([matched.rows, more.rows[are_new]])
        levels = np.append(matched.levels, np.full(np.count_nonzero(are_new), PARTIAL))
        order = np.argsort(rows)
        matched = _choose_cards(replace(matched, rows=rows[order], levels=levels[order]), search)
        attempt = _Attempt(search, LEVELS, np.bincount(matched.levels, minlength=len(LEVELS)), matched)
    return attempt


def _has_full(attempt: _Attempt) -> bool:
    return bool((attempt.matched.levels < PARTIAL).any())


def _attempt(search: Search) -> _Attempt:
    """Search with the filters of `search`. In `auto` the levels are chosen by the whole answer, so that all pages have
    the same levels."""
    levels, keep = tuple(search.query.get_words("match")), _choose_rows(search)
    matched = match_words(search, keep)
    full = _choose_cards(matched.choose(matched.levels < PARTIAL), search)
    if search.is_auto:
        levels = LEVELS if _count_results(full.rows, search) < _ENOUGH else LEVELS[:PARTIAL]
    partial = np.count_nonzero((matched.levels == PARTIAL) & search.index.is_alone[matched.rows])
    if LEVELS[PARTIAL] in levels or partial <= MOST_COUNTED:
        matched = _choose_cards(matched, search)
        counts = np.bincount(matched.levels, minlength=len(LEVELS))
    else:
        # Which listing leads a program of those that are only counted needs not be known: there are too many to count.
        matched, counts = full, np.bincount(full.levels, minlength=len(LEVELS))
        counts[PARTIAL] = partial
    if len(levels) == len(LEVELS):
        return _Attempt(search, levels, counts, matched)
    are_shown = np.array([level in levels for level in LEVELS])
    return _Attempt(search, levels, counts, matched.choose(are_shown[matched.levels]))


def _count_results(rows: Numbers, search: Search) -> int:
    """Count the results: no further than `_ENOUGH` if repeats are folded into one, else all rows."""
    return count_things(search.index.things[rows], most=_ENOUGH) if search.folds else rows.size


def _choose_cards(matched: SearchMatches, search: Search) -> SearchMatches:
    """Keep one listing of each program."""
    if (
        "class" not in search.filters.collections or "changed_since" in search.query.values
    ):  # sync mode shows every listing by itself
        return matched
    index = search.index
    return choose_cards(matched, index.programs, rank=lambda rows: index.rank_classes(rows, search.filters))


def _fold(matched: SearchMatches, search: Search) -> SearchResults:
    scores = matched.score(matched.rows)
    ranks = _rank(matched, scores, search)
    if not search.folds:
        return SearchResults(matched, scores, ranks)
    filters, index, today = search.filters, search.index, number_day(search.today)

    def order_starts(rows: Numbers) -> Numbers:
        if filters.says_when:
            return index.order_starts(rows, _find_starts(rows, search), today=today)
        return index.rank_starts(rows, filters, today=today)

    things, called_off = index.things[matched.rows], index.called_off[matched.rows]
    return fold_repeats(matched, scores, ranks, things=things, called_off=called_off, order_starts=order_starts)


def _rank(matched: SearchMatches, scores: Numbers, search: Search) -> Numbers:
    """Return a number for each match, the lower the better it fits: by level, then by ages that the query states, then
    by score; in `auto` by whether it is partial, then by score. Matches that fit equally have equal numbers."""
    if search.is_auto:
        behind = (matched.levels == PARTIAL).astype(np.int64)
    else:
        behind = matched.levels.astype(np.int64) << 1
        if search.age is not None:
            behind |= ~cover_ages(matched.rows, search.index, search.age, is_auto=False)
    ranks: Numbers = behind << _SCORES | (1000 - scores)
    return ranks


def _choose_rows(search: Search) -> Keep:
    evaluator = open_evaluator(search.opened)

    def keep_rows(rows: Numbers) -> Numbers:
        kept = [evaluator.keep_rows(selection, rows) for selection in search.filters.selections]
        return np.concatenate(kept) if kept else rows[:0]

    passing, meant = search.index.recall_passing(search.filters, keep_rows), search.passing

    def keep(rows: Numbers) -> Numbers:
        rows = rows if meant is None else rows[meant.take(rows)]
        return keep_rows(rows) if passing is None else rows[passing.take(rows)]

    return keep


def _take_page(results: SearchResults, search: Search, *, limit: int) -> Numbers:
    """Return the indexes of the page's results among all results, in their order."""
    shown, ranks, offset = results.shown, results.ranks, search.offset
    ids = search.index.id_ranks[shown.rows]
    match search.query.get("sort"):
        case "soonest":
            keys = _find_starts(shown.rows, search)
        case "newest":
            keys = -search.index.created[shown.rows]
        case "nearest":
            centre = find_centre(search.query, search.opened)
            assert centre is not None
            keys = measure_distances(search.index, shown.rows, lat=centre[0], lng=centre[1])
        case _:
            if not search.is_auto or search.parsed.words:
                return np.lexsort((ids, ranks))[offset : offset + limit]
            # No word tells listings apart: the soonest first. Behind them is what has begun before, and, if the query
            # says when, what has no date.
            starts = _find_starts(shown.rows, search)
            first = search.filters.given.get("from", search.today)
            assert isinstance(first, date)
            late = ((starts == NEVER) & search.says_when) | (starts < number_day(first) * DAY)
            return np.lexsort((ids, starts, ranks, late))[offset : offset + limit]
    behind = (shown.levels == PARTIAL) & search.is_auto
    # Ties by score, then id.
    return np.lexsort((ids, -results.scores, keys, behind))[offset : offset + limit]


def _find_starts(rows: Numbers, search: Search) -> Numbers:
    filters = search.dating
    if not filters.says_when:
        return search.index.find_starts(rows, filters)
    evaluator, starts = open_evaluator(search.opened), np.full(rows.size, NEVER, dtype=np.int64)
    for name, collection in filters.collections.items():
        own = np.flatnonzero(search.index.types[rows] == TYPES.index(name))
        if own.size and name != "place":
            starts[own] = evaluator.find_starts(collection.selection, rows[own], low=collection.window[0])
    if filters is search.filters:
        return starts
    # What only its name lets pass has its own next date.
    return np.where(starts == NEVER, search.index.find_starts(rows, search.filters), starts)


def _make_items(
    page: SearchMatches,
    scores: Numbers,
    search: Search,
    *,
    repeats: Sequence[Numbers] | None,
) -> list[bytes]:
    """Format the results of a page as JSON. `repeats`: the rows that repeat each result; None without `match=auto`."""
    words, read_result = Hits(search.index.list_words(search.parsed)), search.index.results.read_result
    others = repeat(b"") if repeats is None else [_format_repeats(value, search) for value in repeats]
    rows = zip(
        page.rows.tolist(),
        page.levels.tolist(),
        scores.tolist(),
        map(format_start, _find_starts(page.rows, search).tolist()),
        others,
        strict=False,
    )
    return [
        finish_result(read_result(row), level=level, score=score, start=start, repeats=own, words=words)
        for row, level, score, start, own in rows
    ]


def _format_repeats(rows: Numbers, search: Search) -> bytes:
    if not rows.size:
        return _NO_REPEATS  # as nearly all results
    shown = rows[:MOST_REPEATS]
    ranks = search.index.id_ranks[shown].tolist()
    ids = [search.opened.listings.read_id(row, rank=rank) for row, rank in zip(shown.tolist(), ranks, strict=True)]
    return format_repeats(ids, count=rows.size)
