"""Words taken one for another in a search: which phrases of a query have others beside them."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from outings.answers.search.understanding.words import QueryWords, read_english
from outings.contract.related import Group

Words = tuple[str, ...]


class Alternatives(Struct, frozen=True):
    """The query's words in [start, end) may also be any of `phrases`: folded words as they stand in a text."""

    start: int
    end: int
    phrases: tuple[Words, ...]


class RelatedWords:
    """Groups of phrases, by their stems and without filler words: as a query has them."""

    def __init__(
        self, groups: Iterable[Group], language: QueryWords | None = None, *, is_translation: bool = False
    ) -> None:
        """`language`: whose stems and filler words count, else English. `is_translation`: the other phrases of a group
        are of another language, where what has the same stem here (`musica`, `music`) is another word."""
        known = language or read_english()
        self._fillers, self._stem = known.fillers, lru_cache(maxsize=4_096)(known.stem)
        self._is_translation = is_translation
        self._groups: dict[Words, list[Group]] = {}
        for group in groups:
            for key in dict.fromkeys(self._make_key(phrase.split()) for phrase in group):
                if key:
                    self._groups.setdefault(key, []).append(group)
        self._longest = max(map(len, self._groups), default=0)

    def list(self, *words: str) -> tuple[Words, ...]:
        """The other phrases of the groups that hold this word, or these words side by side; in the groups' order.

        In any of its forms; symmetric within a group, and not from group to group.
        """
        key = self._make_key(words)
        phrases = (tuple(phrase.split()) for group in self._groups.get(key, ()) for phrase in group)
        return tuple(dict.fromkeys(phrase for phrase in phrases if not self._is_same(phrase, words, key)))

    def find(self, words: Sequence[str]) -> Iterator[Alternatives]:
        """Of a query's words in order: each run of them, long ones and short, that has others beside it."""
        for start in range(len(words)):
            for end in range(start + 1, min(start + self._longest, len(words)) + 1):
                if phrases := self.list(*words[start:end]):
                    yield Alternatives(start, end, phrases)

    def _is_same(self, phrase: Words, words: Words, key: Words) -> bool:
        return phrase == words if self._is_translation else self._make_key(phrase) == key

    def _make_key(self, words: Sequence[str]) -> Words:
        return tuple(self._stem(word) for word in words if word not in self._fillers)
