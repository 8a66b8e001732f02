"""The passage of a description that shows best why a listing was found."""

import html
import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from outings.contract.tokenizer import split_words

MOST_CHARACTERS = 180
# Words before the first hit that tell what it is about.
_BEFORE = 40
# Tags, and what stands between some of them that nobody reads.
_MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)|</?[a-z][^<>]*>", re.IGNORECASE | re.DOTALL
)
# Of a word that is written otherwise than the index has it: with an apostrophe or an accent.
_ODD = re.compile(r"[^\x00-\x7f]|['`]")
_SENTENCE = re.compile(r"[.!?]\s")
_MORE = "…"


class Passages(Struct, frozen=True):
    """A text that is longer than a passage, without markup."""

    text: str

    def cut(self, words: "Hits") -> str:
        """At most 180 characters, whole words. `words`: those that the query means."""
        text, start = self.text, _find_start(self, words)
        opening = _MORE if start else ""
        end = start + MOST_CHARACTERS - len(opening)
        if end >= len(text):
            return opening + text[start:]
        cut = text.rfind(" ", start, end)  # the sign for more takes the place of the space
        return opening + (text[start:cut] if cut > start else text[start : end - 1]).rstrip(" ,;:–-") + _MORE


def _list_odd(text: str, words: frozenset[str]) -> Iterator[tuple[int, str]]:
    """Where these words stand that are written otherwise than the index has them, as it has them."""
    # Nearly all texts that are ASCII have none: to see it costs less than to look for one.
    if text.isascii() and "'" not in text and "`" not in text:
        return
    # Nor have most others any of these: read at once, what is odd costs less than word by word.
    odd = [each for each in text.split(" ") if not each.isascii() or "'" in each or "`" in each]
    if words.isdisjoint(split_words(" ".join(odd))):
        return
    match = _ODD.search(text)
    while match is not None:
        start, end = text.rfind(" ", 0, match.start()) + 1, text.find(" ", match.start())
        end = end if end >= 0 else len(text)
        for word in split_words(text[start:end]):
            if word in words:
                yield start, word
        match = _ODD.search(text, end)


def read_plain(text: str) -> str:
    """Without markup, in one line."""
    if "<" in text or "&" in text:
        # Some sources escape their markup.
        text = _MARKUP.sub(" ", html.unescape(_MARKUP.sub(" ", text)))
    return " ".join(text.split())


class Hits:
    """Words of the index, as they are found in texts."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)

    def find_words(self, passages: Passages) -> list[tuple[int, str]]:
        """Where each stands, as the index has it, in no order."""
        lower, hits = passages.text.lower(), []
        for word in self._words:
            at = lower.find(word)
            while at >= 0:
                end = at + len(word)
                if not lower[at - 1 : at].isalnum() and not lower[end : end + 1].isalnum():
                    hits.append((at, word))
                at = lower.find(word, end)
        return [*hits, *_list_odd(passages.text, self._words)]


def _find_start(passages: Passages, words: Hits) -> int:
    """Where the passage begins that has most of the words: at its sentence, else some words before the first."""
    text, hits = passages.text, words.find_words(passages)
    if not hits:
        return 0
    first = hits[0][0] if len(hits) == 1 else _find_densest(hits)
    if first < _BEFORE:
        return 0
    sentences = [match.end() for match in _SENTENCE.finditer(text, max(0, first - 2 * _BEFORE), first)]
    if sentences:
        return sentences[-1]
    return text.rfind(" ", 0, first - _BEFORE) + 1


def _find_densest(hits: Sequence[tuple[int, str]]) -> int:
    """Where the one stands behind which most of the words do."""
    reach = MOST_CHARACTERS - _BEFORE
    return max(
        (at for at, _ in hits),
        key=lambda at: (len({word for other, word in hits if at <= other < at + reach}), -at),
    )
