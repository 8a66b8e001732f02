"""Find phrases of whole words in texts, the longest first."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, product

from outings.texts.tokens import fold

Words = tuple[str, ...]

_AND = re.compile(r"&|(?<=[a-z])(?:\s*\+\s*|/)(?=[a-z])")
_AND_SIGNS = "&+/"
_ABBREVIATION = re.compile(r"\b(max|min|mos?|mths?|yrs?|jr|sr|st|dr|mrs?|ms)\.")
_WORD = re.compile(r"\d+\+?|[a-z]+\d*")
# Ends of sentences: no phrase extends over one.
_SENTENCE = re.compile(r"[.!?;\n]+(?:\s|$)|\n")


class Phrases:
    """A search for sets of phrases. `sets`: phrases by the name of their set, with {a|b} for alternatives."""

    def __init__(self, sets: Mapping[str, Iterable[str]]) -> None:
        self._names: defaultdict[Words, set[str]] = defaultdict(set)
        self._most: dict[str, int] = {}  # by a phrase's first word, the length of the longest
        for name, phrases in sets.items():
            for words in chain.from_iterable(map(expand_phrase, phrases)):
                self._names[words].add(name)
                self._most[words[0]] = max(len(words), self._most.get(words[0], 0))

    def find(self, sentences: Iterable[Sequence[str]]) -> set[str]:
        """Return the names of the sets that have a phrase in the text. No word is part of two matches."""
        matches: set[str] = set()
        for words in sentences:
            done = 0
            for place, word in enumerate(words):
                if word in self._most and place >= done:
                    phrases = (tuple(words[place : place + length]) for length in range(self._most[word], 0, -1))
                    phrase = next((phrase for phrase in phrases if phrase in self._names), ())
                    matches |= self._names.get(phrase, set())
                    done = place + len(phrase)
        return matches


def fold_phrases(text: str) -> str:
    """Write in lower case, without accents, apostrophes and points of abbreviations, with `and` for signs."""
    text = fold(text)
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
