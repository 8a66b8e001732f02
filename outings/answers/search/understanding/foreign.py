"""Detect queries in another language than the metro's, and translate their words."""

from collections.abc import Iterable, Sequence

from outings.answers.search.understanding.locations import Words, find_runs
from outings.answers.search.understanding.related import RelatedWords
from outings.answers.search.understanding.words import QueryWords
from outings.contract.languages.language import Translation, read_shipped_language

# What makes a plural of a word: `piscina`, `piscinas`; `taller`, `talleres`.
_PLURALS = ("s", "es")
# So many words of a language tell it, though none is for an activity: "que hacer este sabado".
_TELLING = 3


class ForeignLanguage:
    """A language in which a metro may be searched beside its own. `words`: parse a query in it; `related`: the
    translations of its words to the metro's language; `runs`: the language's phrases of several words."""

    def __init__(self, translation: Translation, own: QueryWords) -> None:
        """`own`: the words of the metro's language."""
        self.words = QueryWords(read_shipped_language(translation.code))
        self.related = RelatedWords(translation.groups, self.words, is_translation=True)
        phrases = [tuple(phrase.split()) for phrase in translation.phrases]
        self.runs: frozenset[Words] = frozenset(phrase for phrase in phrases if len(phrase) > 1)
        known = _join_roles(own) | _add_plurals(_split_phrases(translation.known))
        self._known = _join_roles(self.words) | _add_plurals(_split_phrases(translation.phrases))
        self._telling = _add_plurals(phrase[0] for phrase in phrases if len(phrase) == 1) - known
        self._own = self._known - known
        self._foreign = known - self._known

    def knows(self, word: str) -> bool:
        return word in self._known

    def has(self, words: Sequence[str]) -> bool:
        """Return True if a query is in this language: it has a word for an activity or an audience, or three words of
        this language alone, and more of these than of the metro's alone."""
        own = sum(word in self._own for word in words)
        is_told = own >= _TELLING or not self._telling.isdisjoint(words) or any(find_runs(words, self.runs))
        return is_told and own > sum(word in self._foreign for word in words)


def _join_roles(words: QueryWords) -> frozenset[str]:
    return words.fillers | words.kinds | words.audience | words.prices | words.times


def _split_phrases(phrases: Iterable[str]) -> frozenset[str]:
    return frozenset(word for phrase in phrases for word in phrase.split())


def _add_plurals(words: Iterable[str]) -> frozenset[str]:
    return frozenset(word + end for word in words for end in ("", *_PLURALS))
