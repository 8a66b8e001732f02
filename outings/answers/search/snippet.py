"""Find the passage of a description that best shows why a listing was found."""

import html
import re
from collections.abc import Iterable, Iterator

from outings.contract.text import split_words

MOST_CHARACTERS = 180
# Words before the first hit that tell what it is about.
_BEFORE = 40
# Tags, and what stands between some of them that nobody reads.
_MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)|</?[a-z][^<>]*>", re.IGNORECASE | re.DOTALL
)
# Of a word that is written otherwise than the index has it: with an apostrophe or an accent.
_ODD = re.compile(r"[^\x00-\x7f]|['`]")
# Of a sentence, and how long they are. Spaces stand single, and nothing else is white.
_ENDS, _END = (". ", "! ", "? "), 2
_MORE = "…"


def _list_odd(text: str, words: frozenset[str]) -> Iterator[tuple[int, str]]:
    """Yield the position and the folded form of these words, if the text spells them differently from the index."""
    # Most texts have none of these: read at once, what is odd costs less than word by word.
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
    """Return the text without markup, on one line."""
    if "<" in text or "&" in text:
        # Some sources escape their markup.
        text = _MARKUP.sub(" ", html.unescape(_MARKUP.sub(" ", text)))
    return " ".join(text.split())


class Hits:
    """Words of the index, as they are found in texts."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        self._sizes = [(word, len(word)) for word in self._words]

    def cut(self, text: str) -> str:
        """Return the passage of a text that is longer than a passage: at most 180 characters, whole words."""
        start = self._find_start(text)
        opening = _MORE if start else ""
        end = start + MOST_CHARACTERS - len(opening)
        if end >= len(text):
            return opening + text[start:]
        cut = text.rfind(" ", start, end)  # the sign for more takes the place of the space
        return opening + (text[start:cut] if cut > start else text[start : end - 1]).rstrip(" ,;:–-") + _MORE

    def _find_start(self, text: str) -> int:
        """Return the start of the passage with most of the words: the start of its sentence, else some words before the
        first."""
        lower, hits = text.lower(), []
        find = lower.find
        for word, size in self._sizes:
            at = find(word)
            while at >= 0:
                end = at + size
                if not lower[at - 1 : at].isalnum() and not lower[end : end + 1].isalnum():
                    hits.append((at, word))
                at = find(word, end)
        # Nearly all texts that are ASCII have none: to see it costs less than to look for one.
        if "'" in text or "`" in text or not text.isascii():
            hits += _list_odd(text, self._words)
        if not hits:
            return 0
        first = hits[0][0] if len(hits) == 1 else _find_densest(hits)
        if first < _BEFORE:
            return 0
        before = max(0, first - 2 * _BEFORE)
        sentence = max([text.rfind(end, before, first) for end in _ENDS if end in text], default=-1)
        return sentence + _END if sentence >= 0 else text.rfind(" ", 0, first - _BEFORE) + 1


def _find_densest(hits: list[tuple[int, str]]) -> int:
    """Return the position of the word that is followed by most of the other words; the first one if there are
    several."""
    hits.sort()
    reach, most, densest = MOST_CHARACTERS - _BEFORE, 0, 0
    for number, (at, word) in enumerate(hits):
        words = {word}
        for other, behind in hits[number + 1 :]:
            if other >= at + reach:
                break
            words.add(behind)
        if len(words) > most:
            most, densest = len(words), at
    return densest
