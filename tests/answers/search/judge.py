"""An oracle of how well a listing matches a query, as `outings.answers.search.score` and `strength` define it:
computed from a document, word by word. Shares its weights and the stemmer with the program, and no other code."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from Stemmer import Stemmer

from outings.answers.search import score, word_matches
from outings.answers.search.postings import CATEGORY, NAME, OPENING, OPENING_WORDS, PASSING, SHELF, WHERE
from tests.answers.worlds import list_texts, show_where, split_text

Document = dict[str, Any]
# Standing; strength, place and spelling, the higher the better, in this order.
Code = tuple[int, tuple[Fraction, int, int]]
Groups = Sequence[Sequence[str]]

_stem = cache(Stemmer("english").stemWord)
_PLACES = {0: NAME, 1: CATEGORY, 2: CATEGORY, 4: WHERE, 5: WHERE, 6: WHERE}
_IN_PASSING, _LOCATED, _RELATED, _PROMINENT = range(4)
_BY_ITSELF = {PASSING: _IN_PASSING, WHERE: _LOCATED}


def judge_listing(
    document: Document, words: Sequence[str], *, kinds: Sequence[str] = (), groups: Groups = ()
) -> tuple[str, Fraction] | None:
    """Level and exact score; None: it has none of the words."""
    texts = [split_text(text) for text in (*list_texts(document), show_where(document))]
    codes = [list(_list_codes(texts, words, number, groups)) for number in range(len(words))]
    known = [
        (max(standing for standing, _ in word_codes), max(best for _, best in word_codes))
        for word_codes in codes
        if word_codes
    ]
    if not known:
        return None
    name = [_stem(word) for word in texts[0]]
    lifts = sum(_stem(kind) in name for kind in kinds)
    share = min(Fraction(sum(place == NAME for _, (_, place, _) in known) + lifts, max(len(name), 1)), Fraction(1))
    least = _exactly(score._OTHER_KIND)
    lift = least + (1 - least) * Fraction(lifts, len(kinds)) if kinds else Fraction(1)
    total = sum(
        (_weigh_best(standing, place, spelling, share) for standing, (_, place, spelling) in known), Fraction(0)
    )
    standings = {standing for standing, _ in known}
    if len(known) < len(words) or standings & {_IN_PASSING, _LOCATED}:
        level = "partial"
    else:
        level = "related" if _RELATED in standings else "all_terms"
    return level, total / len(words) * lift


def _exactly(weight: float) -> Fraction:
    return Fraction(str(weight))


def _weigh_best(standing: int, place: int, spelling: int, share: Fraction) -> Fraction:
    if (standing, place, spelling) == (_PROMINENT, NAME, word_matches.RELATED):
        weight = _exactly(word_matches.PLACES[CATEGORY])
        return weight + weight * _exactly(score._NAME_SHARE) / _exactly(word_matches.PLACES[NAME]) * share
    return _weigh(place, spelling, share)


def _weigh(place: int, spelling: int, share: Fraction) -> Fraction:
    weight = _exactly(word_matches.PLACES[place])
    if place == NAME:
        weight += _exactly(score._NAME_SHARE) * share
    return weight * _exactly(word_matches.SPELLINGS[spelling])


def _list_codes(texts: Sequence[Sequence[str]], words: Sequence[str], number: int, groups: Groups) -> Iterator[Code]:
    others = list(_list_related(words, number, groups))
    described = {_stem(word) for word in texts[3]}
    for field, text in enumerate(texts):
        for position in range(len(text)):
            place = _PLACES.get(field, OPENING if position < OPENING_WORDS else PASSING)
            if place == CATEGORY and described and _stem(text[position]) not in described:
                place = SHELF
            for spelling in _list_spellings(text, position, words, number):
                yield _make_code(_BY_ITSELF.get(place, _PROMINENT), place, spelling)
            if any(_ends(text, position, phrase) for phrase in others):
                standing = _IN_PASSING if place in (PASSING, WHERE) else _RELATED
                yield _make_code(standing, place, word_matches.RELATED)


def _make_code(standing: int, place: int, spelling: int) -> Code:
    return standing, (_weigh(place, spelling, Fraction(0)), place, spelling)


def _list_spellings(text: Sequence[str], position: int, words: Sequence[str], number: int) -> Iterator[int]:
    """List the ways in which the word at a position, alone or with the next one, is a word of the query."""
    written, word = text[position], words[number]
    if _stem(written) == _stem(word):
        yield word_matches.SAME
    elif written.isalpha() and word.isalpha() and written[0] == word[0]:
        typos = count_typos(word, written)
        if typos <= (len(word) >= 5) + (len(word) >= 9):
            yield (word_matches.SAME, word_matches.ONE_TYPO, word_matches.TWO_TYPOS)[typos]
        elif _is_mistaken(word, written):
            yield word_matches.ONE_TYPO
    pairs = [words[at : at + 2] for at in (number - 1, number) if at >= 0]
    if any(len(pair) == 2 and _stem("".join(pair)) == _stem(written) for pair in pairs):
        yield word_matches.JOINED
    before = text[position - 1] if position else ""
    rest = word.removeprefix(before)
    if len(before) >= 2 and len(rest) >= 2 and rest != word and _stem(rest) == _stem(written):
        yield word_matches.JOINED


def _is_mistaken(word: str, written: str) -> bool:
    """A consonant that should be double, or not, before an ending."""
    stem = _stem(word)
    is_cut = (stem[-1] == "e" and not word.startswith(stem)) or stem[-1] == stem[-2:-1]
    return len(word) >= 5 and len(stem) >= 4 and is_cut and _stem(written) == stem[:-1]


def _list_related(words: Sequence[str], number: int, groups: Groups) -> Iterator[list[str]]:
    """Phrases of the groups that hold words of the query side by side, this one among them."""
    for start in range(number + 1):
        for end in range(number + 1, len(words) + 1):
            run = [_stem(word) for word in words[start:end]]
            for group in groups:
                stems = [[_stem(word) for word in phrase.split()] for phrase in group]
                if run in stems:
                    yield from (phrase for phrase in stems if phrase != run)


def _ends(text: Sequence[str], position: int, phrase: Sequence[str]) -> bool:
    start = position + 1 - len(phrase)
    return start >= 0 and [_stem(word) for word in text[start : position + 1]] == list(phrase)


@cache
def count_typos(one: str, other: str) -> int:
    """Letters put in, left out, changed, or two side by side exchanged: the least number of such."""
    rows = [list(range(len(other) + 1))]
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, sign in enumerate(other, 1):
            least = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (letter != sign))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == sign:
                least = min(least, rows[-2][j - 2] + 1)
            row.append(least)
        rows.append(row)
    return rows[-1][-1]
