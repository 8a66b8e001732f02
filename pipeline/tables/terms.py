"""Build the index of words in published listings, for `q` and search."""

from array import array
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import numpy as np
import polars as pl
from msgspec import Struct
from numpy.typing import NDArray

from outings.contract.text import split_words
from outings.release.tables import FIELDS, TERMS, make_schema

# Words of one field that are indexed: a description of that many is a book, and positions are 16 bits.
MOST_WORDS = 4_096
# A word's rank, a listing's row, a field and a position in it are packed in one number.
MOST_DIFFERENT, MOST_ROWS = 1 << 20, 1 << 24
_FIELD_SHIFT, _ROW_SHIFT, _WORD_SHIFT = np.uint64(16), np.uint64(20), np.uint64(44)
_FIELD_MASK, _ROW_MASK, _PLACE_MASK = np.uint64(15), np.uint64(MOST_ROWS - 1), np.uint64((1 << 20) - 1)

Numbers = NDArray[np.unsignedinteger[Any]]


class _NamedObject(Struct, frozen=True):
    name: str | None = None


class Location(Struct, frozen=True):
    """The parts of an address that are searched."""

    address: str | None = None
    city: str | None = None
    neighborhood: str | None = None

    @property
    def text(self) -> str:
        return "\n".join(filter(None, (self.address, self.city, self.neighborhood)))


class ListingText(Struct, frozen=True, kw_only=True):
    """The members of a document whose words are indexed."""

    name: str
    description: str | None = None
    # Of a place: how accessible it is, for one.
    type_hint_notes: str | None = None
    categories: tuple[str, ...] = ()
    organization: _NamedObject = _NamedObject()
    place: _NamedObject | None = None
    location: Location = Location()


_decoder = msgspec.json.Decoder(ListingText)


class TermIndexWriter:
    """Collects the words of listings, as numbers to save memory: a million listings have sixty million words."""

    def __init__(self, categories: Mapping[str, str]) -> None:
        """Create an empty index. `categories`: names in the metro's language, by default the categories' own."""
        self._categories = dict(categories)
        self._words: dict[str, int] = {}
        self._parts: list[tuple[Numbers, Numbers]] = []
        self._in_order = 0

    def add_documents(self, documents: Iterable[tuple[int, bytes, str | None]]) -> None:
        """Index documents. Each is given as the listing's number, the document and the listing's keywords."""
        words, word_numbers = array("I"), self._words
        sizes: list[tuple[int, int, int]] = []
        for number, document, keywords in documents:
            for field, terms in enumerate(_split_document(document, keywords, self._categories)):
                kept = terms[:MOST_WORDS]
                words.extend([word_numbers.setdefault(word, len(word_numbers)) for word in kept])
                sizes.append((number, field, len(kept)))
        numbers, fields, counts = np.array(sizes, dtype=np.uint64).reshape(-1, 3).T
        first = np.cumsum(counts) - counts
        positions = np.arange(len(words), dtype=np.uint64) - np.repeat(first, counts.astype(np.int64))
        places = np.repeat(numbers << _ROW_SHIFT | fields << _FIELD_SHIFT, counts.astype(np.int64)) | positions
        self._parts.append((np.array(words, dtype=np.uint64).astype(np.uint32), places))

    def add_terms(self, terms: pl.DataFrame) -> None:
        """Add the terms of unchanged listings: a table `terms` with numbers instead of rows, mostly ascending."""
        self._in_order += terms.height
        runs, word_numbers = terms["word"].rle().struct.unnest(), self._words
        codes = np.array([word_numbers.setdefault(word, len(word_numbers)) for word in runs["value"]], dtype=np.uint32)
        number, field, position = (terms[name].cast(pl.UInt64).to_numpy() for name in ("number", "field", "position"))
        places = number << _ROW_SHIFT | field << _FIELD_SHIFT | position
        self._parts.append((np.repeat(codes, runs["len"].to_numpy()), places))

    def make_terms(self, rows: Numbers) -> pl.DataFrame:
        """Make the table `terms`, and empty this writer. `rows`: the row of each number."""
        words, parts = sorted(self._words), self._parts
        ranks = np.empty(len(words), dtype=np.uint64)
        ranks[[self._words[word] for word in words]] = np.arange(len(words), dtype=np.uint64)
        self._words, self._parts = {}, []
        keys = np.empty(sum(len(codes) for codes, _ in parts), dtype=np.uint64)
        end = len(keys)
        while parts:  # free each part as soon as its keys are made
            codes, places = parts.pop()
            keys[end - len(codes) : end] = _make_keys(ranks[codes], places, rows)
            end -= len(codes)
            del codes, places
        # If most keys are in order, the stable sort, which merges the others, takes a thirtieth of the time; else it
        # takes longer, and more memory.
        keys.sort(kind="stable" if 2 * self._in_order > keys.size else None)
        frame = pl.DataFrame(
            {
                "word": pl.Series(words, dtype=pl.String())[pl.Series(keys >> _WORD_SHIFT).cast(pl.UInt32)],
                "row": (keys >> _ROW_SHIFT & _ROW_MASK).astype(np.uint32),
                "field": (keys >> _FIELD_SHIFT & _FIELD_MASK).astype(np.uint8),
                "position": keys.astype(np.uint16),
            }
        )
        return frame.select(pl.col(name).cast(kind) for name, kind in make_schema(TERMS).items())


def _make_keys(ranks: Numbers, places: Numbers, rows: Numbers) -> Numbers:
    if ranks.max(initial=0) >= MOST_DIFFERENT or len(rows) > MOST_ROWS:
        raise ValueError(f"a metro has at most {MOST_ROWS} listings of {MOST_DIFFERENT} different words")
    row = rows[places >> _ROW_SHIFT].astype(np.uint64)
    keys: Numbers = ranks << _WORD_SHIFT | row << _ROW_SHIFT | places & _PLACE_MASK
    return keys


def _split_document(document: bytes, keywords: str | None, categories: Mapping[str, str]) -> list[list[str]]:
    """Return the words of a document, a list for each of FIELDS."""
    text = _decoder.decode(document)
    parts = {
        "name": text.name,
        "category": " ".join(categories.get(category, category) for category in text.categories).replace("_", " "),
        "keywords": keywords,
        "description": " ".join(filter(None, (text.description, text.type_hint_notes))),
        "organization": text.organization.name,
        "place": None if text.place is None else text.place.name,
        "location": text.location.text,
    }
    return [split_words(parts[field] or "") for field in FIELDS]
