"""Score how well each listing fits a query, as one number that depends on only the listing and the query.

score = fit × factors
fit: the mean of the words' strengths, by their weights, and a tenth more of it for the share of the listing's name
     that the query has
factors: location, ages, audience, time and kind; each 1 where the listing is as the query says
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial, reduce

import numpy as np
from msgspec import Struct

from outings.answers.search.audiences import find_audiences, has_children, keep_ages, mark_other_audiences
from outings.answers.search.postings import NAME
from outings.answers.search.request import Search
from outings.answers.search.understanding.words import QueryWords, mark_narrow
from outings.answers.search.word_matches import (
    IN_NAME,
    PLACES,
    SAYS_WHERE,
    STANDINGS,
    STRENGTHS,
    Codes,
    Keep,
    Mask,
    Numbers,
    SearchMatches,
    count_named,
    find_levels,
    has_all,
)
from outings.contract.vocabulary import TYPES

# Rows → what each of them keeps of its score.
Factor = Callable[[Numbers], Numbers]

# The weight of a word that only narrows down another; other words weigh 1.
_NARROW = 0.35
# The share of a word's strength that is left if the listing has it only from the name of a place.
_NAMESAKE = 0.5
_NAME_SHARE = 0.1
# The share of its score that a listing has left if …
_CALLED_OFF = 0.7  # it is canceled, postponed or sold out
_ELSEWHERE = 0.7  # it is not at the place that the query names
_FOR_OTHERS = 0.8  # it is for another audience
_TOO_OLD = 0.7  # it is for teens and older, and the query is for children
_NO_LESSON = 0.86  # its name has no word for a lesson, and the query has one
_OTHER_KIND = 0.93  # its name has no word for the kind that the query names
_UNNAMED = 0.95  # its name lacks another word that only raises scores
_VENUE = 0.3  # it is a place of the kind where the query looks for what other listings are named
_TEEN = 13


class Score(Struct, frozen=True, eq=False):
    """The parts of a score. `codes`: each word's code by row. `raising`: the codes of words that only raise the score,
    with how many words of a name each counts as. `are_namesakes`: marks rows whose names only borrow the words."""

    codes: Sequence[Codes]
    weights: Sequence[float]
    raising: Sequence[tuple[Codes, int]]
    name_words: Numbers
    are_namesakes: Callable[[Numbers], Mask] | None
    factors: Sequence[Factor]

    def __call__(self, rows: Numbers) -> Numbers:
        """Return the scores of some rows in thousandths, rounded half to even."""
        scores = self._fit(rows) if self.codes else np.ones(rows.size)
        for factor in self.factors:
            scores *= factor(rows)
        # In binary 1.45 / 4 is no half: without its last digits it is 0.3625 again.
        thousandths: Numbers = np.rint(np.round(1000 * scores, 6)).astype(np.int64)
        return thousandths

    def _fit(self, rows: Numbers) -> Numbers:
        total, named, count = np.zeros(rows.size), np.zeros(rows.size), np.zeros(rows.size)
        own = None if self.are_namesakes is None else ~self.are_namesakes(rows)
        for word_codes, weight in zip(self.codes, self.weights, strict=True):
            codes = word_codes.take(rows)
            strengths, in_name = STRENGTHS.take(codes), IN_NAME.take(codes)
            if own is not None:
                strengths[(in_name > 0) & ~own] *= _NAMESAKE
                in_name *= own
            total += weight * strengths
            named += weight * in_name * strengths
            count += in_name
        for word_codes, words in self.raising:
            count += words * IN_NAME.take(word_codes.take(rows))
        share = np.minimum(count / np.maximum(self.name_words[rows], 1), 1)
        fit: Numbers = (total + _NAME_SHARE / PLACES[NAME] * share * named) / sum(self.weights)
        return fit


def match_words(search: Search, keep: Keep) -> SearchMatches:
    """Return the listings that have at least one of the words; all if no word decides."""
    words, finder = search.parsed.words, search.index.finder
    foreign = None if search.foreign is None else search.foreign.related
    raising_codes = _find_raising_codes(search)
    codes = finder.find_codes(
        words,
        foreign=foreign,
        beginning=search.parsed.begun,
        is_auto=search.is_auto,
    )
    # Of bytes NumPy finds the rows in ten times as long.
    rows = keep((reduce(np.maximum, codes) > 0).nonzero()[0] if codes else np.arange(search.index.types.size))
    are_narrow = _mark_narrow(words, search.words) if search.is_auto else [False] * len(words)
    subject = [word_codes for word_codes, is_narrow in zip(codes, are_narrow, strict=True) if not is_narrow]
    find_meant = cache(
        lambda: np.fromiter(
            set(finder.list_meant(words, foreign=foreign, beginning=search.parsed.begun, is_auto=search.is_auto)),
            dtype=np.int64,
        )
    )
    names = [(name, finder.encode([finder.find_name(name)])) for name in search.parsed.locations]
    score = Score(
        codes=codes,
        weights=[_NARROW if is_narrow else 1 for is_narrow in are_narrow],
        raising=[
            *((codes_of_word, 1) for codes_of_word in raising_codes.values()),
            *((named, len(name)) for name, named in names),
        ],
        name_words=search.index.name_words,
        are_namesakes=partial(search.index.namesakes.are_named_after, subject=subject, meant=find_meant)
        if search.is_auto
        else None,
        factors=[
            *_list_factors(search, raising_codes=raising_codes),
            *_list_venue_factors(search, dict(zip(words, codes, strict=True))),
            *([] if search.is_auto else [_locate(named).take for _, named in names]),
            *(
                [partial(_keep_named, codes=[named for _, named in names], least=_UNNAMED)]
                if names and not codes
                else []
            ),
        ],
    )
    return SearchMatches(
        rows,
        find_levels(subject, rows, where_completes=search.is_auto and len(words) > 1),
        score,
        relaxed=_list_relaxed(words, codes, search.words) if any(are_narrow) else (),
    )


def _mark_narrow(words: Sequence[str], query_words: QueryWords) -> list[bool]:
    """Mark the words that only narrow down another word; if all would be marked, none is."""
    marks = [any(own) for own in zip(*(mark_narrow(words, group) for group in query_words.narrowing), strict=True)]
    return [False] * len(words) if all(marks) else marks


def _list_relaxed(words: Sequence[str], codes: Sequence[Codes], query_words: QueryWords) -> tuple[str, ...]:
    """Return the words of the least important groups without which a listing has all others; () if none has."""
    are_left = [True] * len(words)
    for group in (frozenset[str](), *query_words.narrowing):
        marks = mark_narrow(words, group)
        are_left = [is_left and not drops for is_left, drops in zip(are_left, marks, strict=True)]
        own = [word_codes for word_codes, is_left in zip(codes, are_left, strict=True) if is_left]
        if own and has_all(own):
            return tuple(word for word, is_left in zip(words, are_left, strict=True) if not is_left)
    return ()


def _find_raising_codes(search: Search) -> dict[str, Codes]:
    """Return, for each word that only raises scores, the codes by row: 0 where the name lacks the word. In `auto` these
    are also words for lessons and ages. If no word decides, words for ages and times replace audience words."""
    parsed, words, is_auto = search.parsed, search.words, search.is_auto
    audience_words = (*parsed.audience, *(parsed.stated if is_auto else ())) if parsed.words else parsed.stated
    foreign = None if search.foreign is None else search.foreign.related
    kinds = {
        kind: search.index.find_name_codes(
            kind,
            words.list_alike(kind) if is_auto else frozenset(),
            foreign,
        )
        for kind in (*parsed.kinds, *_list_lessons(search))
    }
    return kinds | {
        word: search.index.find_name_codes(word, frozenset(), foreign) for word in audience_words if word not in kinds
    }


def _list_lessons(search: Search) -> tuple[str, ...]:
    """Return the words for lessons in a query in `auto`, whether they decide or not."""
    if not search.is_auto:
        return ()
    lessons, parsed = search.words.lessons, search.parsed
    own = [kind for kind in parsed.kinds if not lessons.isdisjoint(search.words.list_alike(kind))]
    return (*own, *(word for word in parsed.words if word in lessons))


def _list_factors(search: Search, *, raising_codes: dict[str, Codes]) -> Iterator[Factor]:
    """Yield all factors except that of location."""
    kinds, lessons = search.parsed.kinds, _list_lessons(search)
    others = [word for word in raising_codes if word not in kinds and word not in lessons]
    for group, least in ((kinds, _OTHER_KIND), (lessons, _NO_LESSON), (others, _UNNAMED)):
        if group:
            yield partial(_keep_named, codes=[raising_codes[word] for word in group], least=least)
    if not search.is_auto:
        return
    yield lambda rows: np.where(search.index.called_off[rows], _CALLED_OFF, 1)
    if audiences := find_audiences(search):
        yield lambda rows: np.where(mark_other_audiences(rows, search.index, audiences), _FOR_OTHERS, 1)
    if search.age is not None:
        yield partial(keep_ages, index=search.index, age=search.age)
    elif has_children(search):
        yield lambda rows: np.where(search.index.age_min[rows] >= _TEEN, _TOO_OLD, 1)


def _list_venue_factors(search: Search, codes: Mapping[str, Codes]) -> Iterator[Factor]:
    """Yield the factor by which a library is only where a story time is, for "library story time", if one is named so.
    `codes`: of each word that decides."""
    subject = [own for word, own in codes.items() if word not in search.parsed.venues]
    if len(subject) == len(codes) or not subject:
        return
    are_places = search.index.types == TYPES.index("place")
    others = np.flatnonzero(~are_places)
    if (count_named(subject, others) == len(subject)).any():
        yield lambda rows: np.where(are_places[rows] & (count_named(codes.values(), rows) < len(codes)), _VENUE, 1)


def _keep_named(rows: Numbers, *, codes: Sequence[Codes], least: float) -> Numbers:
    """Return a factor between `least` and 1, by the share of these words that the name has."""
    kept: Numbers = least + (1 - least) * count_named(codes, rows) / len(codes)
    return kept


def _locate(named: Codes) -> Numbers:
    """Return the factor of location by row: 1 for listings that name the place."""
    kept: Numbers = np.where(STANDINGS.take(named) >= SAYS_WHERE, 1, _ELSEWHERE)
    return kept
