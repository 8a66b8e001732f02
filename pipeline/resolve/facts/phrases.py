"""Find phrases of whole words in texts, the longest first."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import product

Words = tuple[str, ...]

_APOSTROPHES = re.compile("['’‘ʼ`´]")
_MARKS = re.compile("[\u0300-\u036f]")
_AND = re.compile(r"&|(?<=[a-z])(?:\s*\+\s*|/)(?=[a-z])")
_AND_SIGNS = "&+/"
_ABBREVIATION = re.compile(r"\b(mos?|mths?|yrs?|jr|sr|st|dr|mrs?|ms)\.")
_DASHES = re.compile("[\u2010-\u2015\u2212]")
_WORD = re.compile(r"\d+\+?|[a-z]+\d*")
# Ends of sentences: no phrase extends over one.
_SENTENCE = re.compile(r"[.!?;\n]+(?:\s|$)|\n")


class _Node:
    """A word of a phrase: the words that may follow, and the sets of the phrases that end here."""

    __slots__ = ("next", "sets")

    def __init__(self) -> None:
        self.next: dict[str, _Node] = {}
        self.sets: set[str] = set()


class Phrases:
    """A search for sets of phrases. `sets`: phrases by the name of their set, with {a|b} for alternatives."""

    def __init__(self, sets: Mapping[str, Iterable[str]]) -> None:
        self._first = _Node()
        for name, phrases in sets.items():
            for phrase in phrases:
                for words in expand_phrase(phrase):
                    node = self._first
                    for word in words:
                        node = node.next.setdefault(word, _Node())
                    node.sets.add(name)

    def find(self, sentences: Iterable[Sequence[str]]) -> set[str]:
        """Return the names of the sets that have a phrase in the text. No word is part of two matches."""
        matches: set[str] = set()
        firsts = self._first.next
        for words in sentences:
            done = 0
            for place, word in enumerate(words):
                if word in firsts and place >= done:
                    length, names = self._match(words, place)
                    matches.update(names)
                    done = place + length
        return matches

    def _match(self, words: Sequence[str], place: int) -> tuple[int, Collection[str]]:
        """Return how many words the longest phrase at index `place` has, and its sets; else 1 and no sets."""
        longest: tuple[int, Collection[str]] = (1, ())
        node = self._first
        for end in range(place, len(words)):
            following = node.next.get(words[end])
            if following is None:
                break
            node = following
            if node.sets:
                longest = (end - place + 1, node.sets)
        return longest


def fold_phrases(text: str) -> str:
    """Write in lower case, without accents, apostrophes and points of abbreviations, with `and` for signs."""
    if not text.isascii():
        text = _MARKS.sub("", unicodedata.normalize("NFKD", _DASHES.sub("-", _APOSTROPHES.sub("", text))))
    text = _APOSTROPHES.sub("", text).lower()
    if any(sign in text for sign in _AND_SIGNS):  # without this check the pattern takes half of the time
        text = _AND.sub(" and ", text)
    return _ABBREVIATION.sub(lambda match: match[1], text)


def split_sentences(folded: str) -> list[str]:
    return [sentence for sentence in _SENTENCE.split(folded) if sentence.strip()]


def split_words(sentence: str) -> list[str]:
    """Return the words and numbers of a sentence. `21+` is one word."""
    return _WORD.findall(sentence)


def expand_phrase(phrase: str) -> list[Words]:
    """Expand alternatives: `{a|b} c` → (a, c), (b, c). An alternative may be empty."""
    pieces = re.findall(r"\{[^}]*\}|[^{}]+", phrase)
    parts = [part[1:-1].split("|") if part.startswith("{") else [part] for part in pieces]
    return [tuple(words) for chosen in product(*parts) if (words := "".join(chosen).split())]
