"""The words of every published listing: the index that `q` and search read."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat

import msgspec
import polars as pl
from msgspec import Struct

from outings.contract.words import split_words
from outings.release.tables import FIELDS, TERMS

# Words of one field that are kept: a description of that many is a book, and positions are 16 bits.
MOST_WORDS = 4_096


class Named(Struct, frozen=True):
    name: str | None = None


class Location(Struct, frozen=True):
    """What says where."""

    address: str | None = None
    city: str | None = None
    neighborhood: str | None = None

    @property
    def text(self) -> str:
        return "\n".join(filter(None, (self.address, self.city, self.neighborhood)))


class Text(Struct, frozen=True, kw_only=True):
    """The parts of a document that words are read from."""

    name: str
    description: str | None = None
    categories: tuple[str, ...] = ()
    organization: Named = Named()
    place: Named | None = None
    location: Location = Location()


_decoder = msgspec.json.Decoder(Text)


def index_documents(documents: Iterable[tuple[int, bytes, str | None]]) -> pl.DataFrame:
    """The table `terms` of rows with their documents and keywords."""
    return order_terms(list_terms(documents))


def order_terms(terms: pl.DataFrame) -> pl.DataFrame:
    return terms.sort("word", "row", "field", "position")


def list_terms(documents: Iterable[tuple[int, bytes, str | None]]) -> pl.DataFrame:
    """The same, one row after the other."""
    words: list[str] = []
    sizes: list[tuple[int, int, int]] = []
    for number, document, keywords in documents:
        for field, found in enumerate(_split_document(document, keywords)):
            kept = found[:MOST_WORDS]
            words += kept
            sizes.append((number, field, len(kept)))
    return pl.DataFrame(
        {
            "word": words,
            "row": list(_repeat(sizes, 0)),
            "field": list(_repeat(sizes, 1)),
            "position": list(chain.from_iterable(range(size) for _, _, size in sizes)),
        },
        schema=dict(TERMS),
    )


def _repeat(sizes: Sequence[tuple[int, int, int]], part: int) -> Iterator[int]:
    return chain.from_iterable(repeat(entry[part], entry[2]) for entry in sizes)


def _split_document(document: bytes, keywords: str | None) -> list[list[str]]:
    """A list of words for each of FIELDS."""
    text = _decoder.decode(document)
    parts = {
        "name": text.name,
        "category": " ".join(text.categories).replace("_", " "),
        "keywords": keywords,
        "description": text.description,
        "organization": text.organization.name,
        "place": None if text.place is None else text.place.name,
        "location": text.location.text,
    }
    return [split_words(parts[field] or "") for field in FIELDS]
