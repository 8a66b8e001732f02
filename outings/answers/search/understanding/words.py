"""The words and phrases of one language by which a query is parsed, folded as `contract.text.split_words` does."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from threading import get_ident

from outings.answers.search.understanding.phrases import FilterPhrases
from outings.answers.snapshot.spelling import make_stem
from outings.contract.languages.language import ENGLISH, NO_MATCH, Language, find_stems, read_shipped_language
from outings.contract.languages.word_lists import AmountWords, SearchWords, fill_parts
from outings.contract.vocabulary import COLLECTIONS, TYPES
from outings.texts.ages import open_age_reader

_NUMBER = r"[0-9]+(?:[.,][0-9]+)*"
# Cached stemmers, by language and thread.
_STEMMERS = 64


class QueryWords:
    """The words of one language, compiled to parse queries. If a language has none, every word is searched for."""

    def __init__(self, language: Language) -> None:
        language_words = language.search or SearchWords()
        words, phrases = language_words.words, language_words.phrases
        self.fillers, self.kinds, self.audience, self.prices, self.times = (
            frozenset(text.split()) for text in (words.fillers, words.kinds, words.audience, words.prices, words.times)
        )
        # Word → the index of the first set that has it.
        ranked = (self.kinds, self.prices, self.times, self.audience, self.fillers)
        self.roles = {word: role for role in reversed(range(len(ranked))) for word in ranked[role]}
        self.lessons, self.children = frozenset(words.lessons.split()), frozenset(words.children.split())
        self.young = self.children.union(words.young.split())
        self.city = frozenset(words.city.split())
        # Words that say little beside others, the least first.
        groups = (words.wishes, words.seasons, f"{words.hours} {words.settings}", words.forms)
        self.narrowing = tuple(frozenset(text.split()) for text in groups)
        self.name_phrases, self.time_phrases, self.audience_phrases, self.filler_phrases = (
            _compile(fill_parts(pattern, phrases.parts) for pattern in patterns)
            for patterns in (phrases.names, phrases.times, phrases.audience, phrases.fillers)
        )
        self.price_phrases = _compile_prices(language_words.amounts, phrases.prices)
        self.ages = open_age_reader(language.code, language.texts)
        self.filters = FilterPhrases(
            language_words.filters, language_words.calendar, units=language_words.amounts.units
        )  # fmt: skip
        self._stems = find_stems(language)

    def list_alike(self, kind: str) -> frozenset[str]:
        """Return the words that count as this kind of listing in a name. `kind` may be the beginning of a word."""
        is_known = kind in self.kinds or kind in self.lessons
        meant = frozenset({kind} if is_known else (other for other in self.kinds if other.startswith(kind)))
        return meant if self.lessons.isdisjoint(meant) else meant | self.lessons

    def find_type(self, kind: str) -> int | None:
        """Return the index in TYPES of the type that a kind of listing means, such as `camps`, or None."""
        collection = self.filters.find_types(kind)
        return next((TYPES.index(name) for name, own in COLLECTIONS.items() if own == collection), None)

    def stem(self, word: str) -> str:
        return _open_stem(self._stems, get_ident())(word)


@lru_cache(maxsize=_STEMMERS)
def _open_stem(stems: str, _thread: int) -> Callable[[str], str]:
    """Return a stemmer for one thread, as threads must not share one. Making one takes five times as long as stemming a
    word."""
    return make_stem(stems)


def mark_narrow(words: Sequence[str], group: frozenset[str]) -> list[bool]:
    """Return for each word of a query whether `group` has it, alone or with its neighbour: `after-school`."""
    pairs = [f"{first}-{second}" in group for first, second in pairwise(words)]
    sides = zip([False, *pairs], [*pairs, False], strict=True)
    return [word in group or any(side) for word, side in zip(words, sides, strict=False)]


@cache
def read_english() -> QueryWords:
    return QueryWords(read_shipped_language(ENGLISH))


def _compile(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w])(?:{'|'.join(patterns) or NO_MATCH})(?![\w])")


def _compile_prices(amounts: AmountWords, phrases: Iterable[str]) -> re.Pattern[str]:
    """Compile a pattern for amounts of any currency, with the language's words around them."""
    before = rf"(?:(?<!\w)(?:{amounts.before or NO_MATCH})[ -])?"
    to = rf" ?(?:-|{amounts.to or NO_MATCH}) ?"
    units = rf"(?: ?[$€£]|[ -]?(?:{amounts.units or NO_MATCH})\b)"
    signed = rf"[$€£] ?{_NUMBER}(?:{to}[$€£]? ?{_NUMBER})?"
    named = rf"(?<![\w$€£.,])(?:{_NUMBER}{to})?{_NUMBER}{units}"
    return re.compile("|".join([rf"{before}(?:{signed}|{named})", *(rf"(?<!\w){phrase}\b" for phrase in phrases)]))
