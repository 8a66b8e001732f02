"""Related words: phrases that may be replaced by others in a search."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile

from msgspec import Struct
from rapidfuzz.distance import OSA
from rapidfuzz.process import extract

from outings.answers.search.understanding.words import QueryWords, read_english
from outings.answers.snapshot.texts import LETTERS_FOR_TYPOS
from outings.contract.languages.language import Group

Words = tuple[str, ...]


class Alternatives(Struct, frozen=True):
    """Phrases that may replace the query's words in [start, end). `phrases`: folded words as in a text."""

    start: int
    end: int
    phrases: tuple[Words, ...]


class RelatedWords:
    """Groups of phrases, indexed by their stems without filler words."""

    def __init__(
        self, groups: Iterable[Group], language: QueryWords | None = None, *, is_translation: bool = False
    ) -> None:
        """`language`: whose stems and filler words count, else English. `is_translation`: the other phrases of a group
        are of another language, where what has the same stem here (`musica`, `music`) is another word."""
        known = language or read_english()
        self._fillers, self._stem = known.fillers, known.stem
        self._is_translation = is_translation
        groups = tuple(groups)
        self._groups: dict[Words, list[Group]] = {}
        # By what a phrase is as one word, in order: "splashpad".
        joined: dict[str, list[Group]] = {}
        counts: dict[str, set[int]] = {}
        for group in groups:
            for key in dict.fromkeys(self._make_key(phrase.split()) for phrase in group):
                if key:
                    self._groups.setdefault(key, []).append(group)
            for phrase in group:
                spelling = phrase.replace(" ", "")
                joined.setdefault(spelling, []).append(group)
                counts.setdefault(spelling, set()).add(len(self._make_key(phrase.split())))
        self._longest = max(map(len, self._groups), default=0)
        self._joined = dict(sorted(joined.items()))
        phrased = {word for group in groups for phrase in group for word in phrase.split()}
        *circumstances, forms = known.narrowing
        self._words = sorted(phrased.union(forms).difference(*circumstances))
        self._spellings, self._counts = list(self._joined), counts
        # What no group begins with begins no run, as nearly no word does. Filler words count for nothing in a run.
        self._beginnings = frozenset(key[0] for key in self._groups)

    def list(self, *words: str) -> tuple[Words, ...]:
        """Return the other phrases of the groups that have this word, or these words side by side, in the groups'
        order.

        Words match in any form. Relations are symmetric within a group, and not transitive between groups.
        """
        key = self._make_key(words)
        phrases = (tuple(phrase.split()) for group in self._groups.get(key, ()) for phrase in group)
        return tuple(dict.fromkeys(phrase for phrase in phrases if not self._is_same(phrase, words, key)))

    def find(self, words: Sequence[str]) -> Iterator[Alternatives]:
        """Yield each run of the query's words, long or short, that has related phrases."""
        for start, word in enumerate(words):
            if word not in self._fillers and self._stem(word) not in self._beginnings:
                continue
            for end in range(start + 1, min(start + self._longest, len(words)) + 1):
                if phrases := self.list(*words[start:end]):
                    yield Alternatives(start, end, phrases)

    def find_near(
        self, words: Sequence[str], *, is_known: Callable[[str], bool], beginning: str | None
    ) -> Iterator[Alternatives]:
        """Yield each run of the query's words that has related phrases only under another spelling: without a blank,
        with a typo in an unknown word, or completed, if the last word is half typed."""
        are_known = list(map(is_known, words))
        for start in range(len(words)):
            for end in range(start + 1, min(start + self._longest, len(words)) + 1):
                run = words[start:end]
                spellings = self._list_spellings("".join(run), is_begun=bool(beginning) and end == len(words))
                if not spellings and not all(are_known[start:end]):
                    spellings = self._list_typos(run)
                if not spellings or self._make_key(run) in self._groups:
                    continue  # nearly always there is none
                groups = (group for spelling in spellings for group in self._joined[spelling])
                if phrases := tuple(dict.fromkeys(tuple(phrase.split()) for group in groups for phrase in group)):
                    yield Alternatives(start, end, phrases)

    def list_begun(self, beginning: str) -> Sequence[str]:
        """Return the words that begin with this text, of all phrases and of the language's `narrowing` forms."""
        at = bisect_left(self._words, beginning)
        return list(takewhile(lambda word: word.startswith(beginning), self._words[at:]))

    def list_groups(self, beginning: str) -> Iterator[tuple[str, Group]]:
        """Yield each phrase that begins with this text, with or without its spaces, and a group that has it."""
        for spelling in self._list_spellings(beginning.replace(" ", ""), is_begun=True):
            for group in self._joined[spelling]:
                yield next(phrase for phrase in group if phrase.replace(" ", "") == spelling), group

    def begins(self, word: str) -> bool:
        """Return True if a phrase begins with this text."""
        return any(self._list_spellings(word, is_begun=True))

    def _list_spellings(self, text: str, *, is_begun: bool) -> Sequence[str]:
        if not is_begun:
            return [value for value in dict.fromkeys((text, self._stem(text))) if value in self._joined]
        at = bisect_left(self._spellings, text)
        return list(takewhile(lambda spelling: spelling.startswith(text), self._spellings[at:]))

    def _list_typos(self, words: Sequence[str]) -> Sequence[str]:
        """Return similar phrases with as many words. The first letter must be the same."""
        text = "".join(words)
        allowed = sum(len(text) >= letters for letters in LETTERS_FOR_TYPOS)
        if not allowed or not text.isalpha():
            return ()
        first, end = (bisect_left(self._spellings, value) for value in (text[0], chr(ord(text[0]) + 1)))
        others = [spelling for spelling in self._spellings[first:end] if len(words) in self._counts[spelling]]
        near = extract(text, others, scorer=OSA.distance, score_cutoff=allowed, limit=None)
        return [spelling for spelling, _, _ in near]

    def _is_same(self, phrase: Words, words: Words, key: Words) -> bool:
        return phrase == words if self._is_translation else self._make_key(phrase) == key

    def _make_key(self, words: Sequence[str]) -> Words:
        return tuple(self._stem(word) for word in words if word not in self._fillers)
