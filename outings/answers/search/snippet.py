"""The passage of a description that shows best why a listing was found."""

import html
import re
from collections.abc import Collection

from outings.contract.words import split_words

MOST_CHARACTERS = 180
# Words before the first hit that tell what it is about.
_BEFORE = 40
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_SPACE = re.compile(r"\s+")
_TOKEN = re.compile(r"[^\W_]+(?:['’‘ʼ`´][^\W_]+)*")
_SENTENCE = re.compile(r"[.!?]\s")
_MORE = "…"


def make_snippet(description: str | None, *, name: str, words: Collection[str]) -> str:
    """Plain text of at most 180 characters, whole words of it. `words`: those of the index that the query means."""
    text = _read_plain(description or "") or _read_plain(name)
    if len(text) <= MOST_CHARACTERS:
        return text
    start = _find_start(text, words)
    opening = _MORE if start else ""
    end = start + MOST_CHARACTERS - len(opening)
    if end >= len(text):
        return opening + text[start:]
    cut = text.rfind(" ", start, end)  # the sign for more takes the place of the space
    return opening + (text[start:cut] if cut > start else text[start : end - 1]).rstrip(" ,;:–-") + _MORE


def _read_plain(text: str) -> str:
    """Without markup, in one line."""
    if "<" in text or "&" in text:
        text = html.unescape(_TAG.sub(" ", text))
    return _SPACE.sub(" ", text).strip()


def _find_start(text: str, words: Collection[str]) -> int:
    """Where the passage begins that has most of the words: at its sentence, else some words before the first."""
    hits = [(token.start(), word) for token in _TOKEN.finditer(text) for word in _fold(token.group()) if word in words]
    if not hits:
        return 0
    first = max(
        (at for at, _ in hits),
        key=lambda at: (len({word for other, word in hits if at <= other < at + MOST_CHARACTERS - _BEFORE}), -at),
    )
    if first < _BEFORE:
        return 0
    sentences = [match.end() for match in _SENTENCE.finditer(text, max(0, first - 2 * _BEFORE), first)]
    if sentences:
        return sentences[-1]
    return text.rfind(" ", 0, first - _BEFORE) + 1


def _fold(token: str) -> list[str]:
    if token.isascii() and token.isalnum():
        return [token.lower()]
    return split_words(token)
