"""Prepare the part of a search result that is the same for every search. A search adds the snippet and the score.

The build writes these cards into a mapped table, from which a search copies them without reading documents.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Protocol

import msgspec
from msgspec import Struct

from outings.answers.cache import LruCache
from outings.answers.documents.fields import NamedDocument
from outings.answers.search.snippet import MOST_CHARACTERS, Hits, read_plain
from outings.answers.snapshot.reader import SnapshotReader
from outings.contract.resources.finding import LEVELS
from outings.lazy_polars import pl
from outings.release.mapped_table import NEVER, MappedTable

# The mapped file.
CARDS = "cards"
# Of a release without it. Some kilobytes each at most.
_REMEMBERED = 1_024
# Listings of a city start at a few thousand different times.
_STARTS = 4_096
_EPOCH = datetime(1970, 1, 1)


_encode = msgspec.json.Encoder().encode
# As JSON.
_MATCHES, _SCORES = tuple(map(_encode, LEVELS)), tuple(_encode(score / 1000) for score in range(1001))


class _Document(NamedDocument, frozen=True):
    """The members that a result takes from a listing."""

    description: str | None


_decode = msgspec.json.Decoder(_Document).decode


class Card(Struct, frozen=True):
    """A result of a search as prepared JSON.

    Attributes:
        opening: the part that is the same for every search. It ends before the snippet, or includes a snippet that is
            the whole text.
        text: the text from which a snippet is cut, without markup; empty if there is nothing to cut.
    """

    opening: bytes
    text: str = ""


_EMPTY = Card(b"")


class _Head(Struct, frozen=True):
    """The first members of a result, as JSON shows them."""

    type: str
    id: str
    slug: str
    name: str


def make_card(document: bytes) -> Card:
    listing = _decode(document)
    opening = _encode(_Head(listing.type, listing.id, listing.slug, listing.name))[:-1] + b',"snippet":'
    text = read_plain(listing.description or "") or read_plain(listing.name)
    if len(text) > MOST_CHARACTERS:
        return Card(opening, text)
    return Card(opening + _encode(text))


def finish_card(card: Card, *, level: int, score: int, start: bytes, repeats: bytes, words: Hits) -> bytes:
    """Return a result as JSON. `level`: an index in LEVELS; `score` in thousandths; `start` as JSON, and `repeats` as
    JSON with a comma before it; `words`: those that the query matches."""
    passage = _encode(words.cut(card.text)) if card.text else b""
    fit = _MATCHES[level], _SCORES[score], start, repeats
    return b'%b%b,"match":%b,"score":%b,"starts_local":%b%b}' % (card.opening, passage, *fit)


@lru_cache(maxsize=_STARTS)
def format_start(start: int) -> bytes:
    """Format seconds of the local clock as JSON."""
    return b"null" if start == NEVER else b'"%b"' % (_EPOCH + timedelta(seconds=start)).isoformat().encode()


def format_repeats(ids: Sequence[str], *, count: int) -> bytes:
    """Format how many listings repeat a result, and the ids of the first of them, as members of JSON."""
    return b',"repeats":%d,"repeat_ids":%b' % (count, _encode(ids))


def make_cards(reader: SnapshotReader) -> "pl.DataFrame":
    """Return the table of cards by row: `opening`, and the `text` that passages are cut from, empty if there is nothing
    to cut. Both are empty where no search shows the listing."""
    shown = enumerate(reader.listings.find_published().tolist())
    schema = {"opening": pl.String(), "text": pl.String()}
    cards = (make_card(reader.read_document(row)) if is_shown else _EMPTY for row, is_shown in shown)
    return pl.DataFrame([(card.opening.decode(), card.text) for card in cards], schema=schema, orient="row")


class Cards(Protocol):
    """Reads the cards of one snapshot."""

    def read_card(self, row: int, reader: SnapshotReader) -> Card: ...


class MappedCards:
    def __init__(self, table: MappedTable) -> None:
        self._opening_ends, self._openings = table.view_texts("opening")
        self._text_ends, self._texts = table.view_texts("text")

    def read_card(self, row: int, reader: SnapshotReader) -> Card:
        del reader
        opening = bytes(self._openings[self._opening_ends[row] : self._opening_ends[row + 1]])
        return Card(opening, str(self._texts[self._text_ends[row] : self._text_ends[row + 1]], "utf-8"))


class RememberedCards:
    """Makes cards from documents, and caches those that were shown last."""

    def __init__(self) -> None:
        self._cards: LruCache[int, Card] = LruCache(size=_REMEMBERED)

    def read_card(self, row: int, reader: SnapshotReader) -> Card:
        return self._cards.read(row, lambda: make_card(reader.read_document(row)))


def open_cards(reader: SnapshotReader) -> Cards:
    file = reader.find_mapped(CARDS)
    return RememberedCards() if file is None else MappedCards(MappedTable(file))
