"""The words of a query, one by one and side by side → the listings that have them, with how they count there."""

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct

from outings.answers.cache import remember
from outings.answers.search.notions import Notion
from outings.answers.search.postings import OPENING, Places, Postings, Rows, find_places
from outings.answers.search.score import (
    JOINED,
    ONE_TYPO,
    RELATED,
    SAME,
    TWO_TYPOS,
    Codes,
    encode_trace,
    encode_word,
    mark_firsts,
)
from outings.answers.snapshot.terms import Terms, split_places

_BY_TYPOS = (SAME, ONE_TYPO, TWO_TYPOS)
# Words whose codes are kept: what hides all is asked for with ever fewer of a query's. A byte a listing that has one.
_WORDS = 32
# Letters of each half of what is written as one word.
_LEAST_HALF = 2
# Words of which it is known what two words they are.
_HALVES = 4_096


class Source(Struct, frozen=True, eq=False):
    """Listings that have a word in some spelling, each once or more, and its code there."""

    rows: Rows
    codes: Codes


_NOWHERE = Source(np.empty(0, dtype=np.uint32), np.empty(0, dtype=np.uint8))


class SourceFinder:
    """Of one snapshot. `size`: how many listings it has."""

    def __init__(self, terms: Terms, postings: Postings, *, size: int) -> None:
        self._terms, self._postings, self._size = terms, postings, size
        self.find_alone = remember(self._list_alone, size=_WORDS)
        self.find_halves = remember(self._list_halves, size=_HALVES)
        self._find_known = remember(self._list_known, size=_WORDS)

    def find_word(self, words: Sequence[str], number: int, *, is_strict: bool) -> Iterator[Source]:
        yield from (self._find_known if is_strict else self.find_alone)(words[number])
        for first, second in ((number - 1, number), (number, number + 1)):
            if first >= 0 and second < len(words):
                yield from self.find_one(words[first] + words[second], JOINED)

    def _list_alone(self, word: str) -> list[Source]:
        """Whatever stands beside it."""
        forms = self._terms.spelling.list_forms(word)
        sources = []
        for meaning in forms:
            rows, places = self._postings.read_posting(meaning.number)
            sources.append(Source(rows, encode_word(places, _BY_TYPOS[meaning.typos])))
        joined = (self.find_sequence(pair, JOINED) for pair in self.find_halves(word))
        return sources + [each for each in joined if each.rows.size]

    def _list_known(self, word: str) -> list[Source]:
        """A word that some listing has was meant as it is: what a typo leads to is a trace."""
        sources = self.find_alone(word)
        if not self._terms.spelling.list_stemmed(word):
            return sources
        forms = self._terms.spelling.list_forms(word)
        own = [
            Source(each.rows, encode_trace(each.codes)) if form.typos else each
            for form, each in zip(forms, sources, strict=False)
        ]
        return own + sources[len(forms) :]

    def find_notion(self, words: Sequence[str], notion: Notion, sources: Sequence[list[Source]]) -> list[list[Source]]:
        """Of each of its words: all of them side by side, or written as one, or what lies there. A word of it that
        stands alone is a trace."""
        own = words[notion.start : notion.end]
        spelled = [self._terms.spelling.list_stemmed(word) for word in own]
        meant = [[form.number for form in self._terms.spelling.list_forms(word)] for word in own]
        whole = [self.find_sequence(spelled, SAME), *self.find_one("".join(own), JOINED)]
        if meant != spelled:
            whole.append(self.find_sequence(meant, ONE_TYPO))
        lying = np.full(notion.lying.size, OPENING, dtype=np.uint8)
        whole.append(Source(notion.lying.astype(np.uint32), encode_word(lying, SAME)))
        return [
            [*whole, *(Source(each.rows, encode_trace(each.codes)) for each in sources[number])]
            if len(own) > 1
            else [*whole, *sources[number]]
            for number in range(notion.start, notion.end)
        ]

    def find_phrase(self, words: Sequence[str], *, is_loose: bool = False) -> Iterator[Source]:
        """Of what means about the same. `is_loose`: also where it is written as one word or as two."""
        if is_loose and len(words) > 1:
            yield from self.find_one("".join(words), RELATED)
        if len(words) == 1:
            yield from self.find_one(words[0], RELATED)
            for pair in self.find_halves(words[0]) if is_loose else ():
                yield self.find_sequence(pair, RELATED)
            return
        spelled = [self._terms.spelling.list_stemmed(word) for word in words]
        if all(spelled):
            yield self.find_sequence(spelled, RELATED)

    def find_one(self, word: str, spelling: int) -> Iterator[Source]:
        """By the word and its stem, in one spelling all of them."""
        for number in self._terms.spelling.list_stemmed(word):
            rows, places = self._postings.read_posting(number)
            yield Source(rows, encode_word(places, spelling))

    def find_begun(self, beginning: str, *, known: Sequence[str]) -> Iterator[Source]:
        """By every word that begins so: a guess, as a typo is. `known`: words that begin so and name what one does.
        Others are traces beside these."""
        rows, places = self._postings.read_run(self._terms.spelling.list_begun(beginning))
        best: Codes = np.zeros(self._size, dtype=np.uint8)
        np.maximum.at(best, rows, encode_word(places, ONE_TYPO))
        begun = np.flatnonzero(best)
        yield Source(begun.astype(np.uint32), encode_trace(best[begun]) if known else best[begun])
        for number in dict.fromkeys(number for word in known for number in self._terms.spelling.list_stemmed(word)):
            rows, places = self._postings.read_posting(number)
            yield Source(rows, encode_word(places, ONE_TYPO))

    def _list_halves(self, word: str) -> list[list[list[int]]]:
        """`storytimes` as "story time"."""
        spelling = self._terms.spelling
        return [
            [spelling.find_word(first), second]
            for first in spelling.list_beginnings(word[:-_LEAST_HALF])
            if len(first) >= _LEAST_HALF and (second := spelling.list_stemmed(word[len(first) :]))
        ]

    def find_name(self, name: Sequence[str]) -> Source:
        """A name that says where: all of its words, as they stand in it."""
        return self.find_sequence([self._terms.spelling.find_word(word) for word in name], SAME)

    def find_sequence(self, spelled: Sequence[Sequence[int]], spelling: int) -> Source:
        """Rows in which one of each stands behind the last. A row comes once, by its best place."""
        places = self._terms.find_sequence(spelled)
        if not places.size:
            return _NOWHERE  # as mostly
        rows, fields, positions = split_places(np.sort(places))
        firsts = mark_firsts(rows).nonzero()[0]
        best: Places = np.maximum.reduceat(find_places(fields, positions), firsts)
        return Source(rows[firsts], encode_word(best, spelling))
