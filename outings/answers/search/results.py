"""Prepare the part of a search result that is the same for every search. A search adds the snippet and the score.

The build writes these parts into a mapped table, from which a search copies them without reading documents.
"""

import html
import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

import msgspec
from msgspec import Struct

from outings.answers.documents.fields import NamedDocument
from outings.answers.snapshot.reader import SnapshotReader
from outings.contract.resources.finding import LEVELS
from outings.contract.text import fold_text
from outings.lazy_polars import pl
from outings.release.mapped_table import NEVER

# The mapped file's name.
STORED_RESULTS = "cards"
_EPOCH = datetime(1970, 1, 1)
# The most characters of a shown passage, without the marks around its hits.
MOST_CHARACTERS = 180
# Words to show before the first hit, for context.
_BEFORE = 40
# Tags, and the content of tags that is not shown.
_MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)|</?[a-z][^<>]*>", re.IGNORECASE | re.DOTALL
)
# Letters with an accent, which the index has without, and the other apostrophe.
_PLAIN = {ord("’"): "'"} | {code: plain for code in range(0xC0, 0x180) if len(plain := fold_text(chr(code))) == 1}
# The ends of a sentence. Spaces are single, and there is no other white space.
_ENDS = (". ", "! ", "? ")
_END_CHARACTERS = 2
# Shows that text was left out.
_MORE = "…"

_encode = msgspec.json.Encoder().encode
# The JSON of each level, by its number.
_MATCHES = tuple(map(_encode, LEVELS))
# The JSON of each score, by its thousandths.
_SCORES = tuple(_encode(score / 1000) for score in range(1001))


def read_plain(text: str) -> str:
    """Return the text without markup, on one line."""
    if "<" in text or "&" in text:
        # Some sources escape their markup.
        text = _MARKUP.sub(" ", html.unescape(_MARKUP.sub(" ", text)))
    return " ".join(text.split())


class Hits:
    """The words of a query, in the forms in which texts may have them, to cut snippets by."""

    def __init__(self, words: Iterable[str]) -> None:
        spelled = [form for word in words for form in (word, f"{word[:-1]}'s") if form == word or word[-1] == "s"]
        self._sizes = [(form, len(form)) for form in spelled]

    def cut(self, text: str) -> str:
        """Cut a snippet from a longer text: at most 180 characters, whole words, around most of the query's words."""
        start = self._find_start(text)
        opening = _MORE if start else ""
        end = start + MOST_CHARACTERS - len(opening)
        if end >= len(text):
            return opening + text[start:]
        cut = text.rfind(" ", start, end)  # the sign for more takes the place of the space
        return opening + (text[start:cut] if cut > start else text[start : end - 1]).rstrip(" ,;:–-") + _MORE

    def _find_start(self, text: str) -> int:
        """Return the start of the snippet: the start of the sentence where most of the words are, else a few words
        before the first of them."""
        lower, hits = text.lower(), []
        if not text.isascii():
            lower = lower.translate(_PLAIN)
        find = lower.find
        for word, size in self._sizes:
            at = find(word)
            while at >= 0:
                end = at + size
                if not lower[at - 1 : at].isalnum() and not lower[end : end + 1].isalnum():
                    hits.append((at, word))
                at = find(word, end)
        if not hits:
            return 0
        first = hits[0][0] if len(hits) == 1 else _find_densest(hits)
        if first < _BEFORE:
            return 0
        before = max(0, first - 2 * _BEFORE)
        sentence = max([text.rfind(end, before, first) for end in _ENDS if end in text], default=-1)
        return sentence + _END_CHARACTERS if sentence >= 0 else text.rfind(" ", 0, first - _BEFORE) + 1


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


class _Document(NamedDocument, frozen=True):
    """The members that a result takes from a listing."""

    description: str | None


_decode = msgspec.json.Decoder(_Document).decode


class StoredResult(Struct, frozen=True):
    """A result of a search as stored: the JSON that is the same for every search.

    Attributes:
        opening: the part that is the same for every search. It ends before the snippet, or includes a snippet that is
            the whole text.
        text: the text from which a snippet is cut, without markup; empty if there is nothing to cut.
    """

    opening: bytes
    text: str = ""


_EMPTY = StoredResult(b"")


class _Head(Struct, frozen=True):
    """The first members of a result, as JSON shows them."""

    type: str
    id: str
    slug: str
    name: str


def make_result(document: bytes) -> StoredResult:
    listing = _decode(document)
    opening = _encode(_Head(listing.type, listing.id, listing.slug, listing.name))[:-1] + b',"snippet":'
    text = read_plain(listing.description or "") or read_plain(listing.name)
    if len(text) > MOST_CHARACTERS:
        return StoredResult(opening, text)
    return StoredResult(opening + _encode(text))


def finish_result(stored: StoredResult, *, level: int, score: int, start: bytes, repeats: bytes, words: Hits) -> bytes:
    """Return a result as JSON. `level`: an index in LEVELS; `score` in thousandths; `start` as JSON, and `repeats` as
    JSON with a comma before it; `words`: the query's words."""
    passage = _encode(words.cut(stored.text)) if stored.text else b""
    fit = _MATCHES[level], _SCORES[score], start, repeats
    return b'%b%b,"match":%b,"score":%b,"starts_local":%b%b}' % (stored.opening, passage, *fit)


def format_start(start: int) -> bytes:
    """Format seconds of the local clock as JSON."""
    return b"null" if start == NEVER else b'"%b"' % (_EPOCH + timedelta(seconds=start)).isoformat().encode()


def format_repeats(ids: Sequence[str], *, count: int) -> bytes:
    """Format how many listings repeat a result, and the ids of the first of them, as members of JSON."""
    return b',"repeats":%d,"repeat_ids":%b' % (count, _encode(ids))


def make_results(reader: SnapshotReader) -> "pl.DataFrame":
    """Return the table of results by row. `opening` and `text` are those of a StoredResult, both empty if no search
    shows the listing."""
    shown = enumerate(reader.listings.find_published().tolist())
    schema = {"opening": pl.String(), "text": pl.String()}
    results = (make_result(reader.read_document(row)) if is_shown else _EMPTY for row, is_shown in shown)
    return pl.DataFrame([(result.opening.decode(), result.text) for result in results], schema=schema, orient="row")


class StoredResults:
    """A reader of the stored results of one snapshot."""

    def __init__(self, reader: SnapshotReader) -> None:
        tables = reader.open_rendered((STORED_RESULTS,), lambda reader: {STORED_RESULTS: make_results(reader)})
        self._columns = [tables[STORED_RESULTS].view_texts(name) for name in ("opening", "text")]

    def read_result(self, row: int) -> StoredResult:
        opening, text = (bytes(texts[ends[row] : ends[row + 1]]) for ends, texts in self._columns)
        return StoredResult(opening, text.decode())
