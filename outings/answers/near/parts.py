"""What an item near a point shows of its listing, wherever the point is and whenever it begins: texts of its document.

The build writes them into mapped tables: a request takes them where they lie, without the document. Places and facts
that many listings share lie there once.
"""

from collections.abc import Iterator, Mapping

import msgspec
import numpy as np
import polars as pl
from msgspec import Raw, Struct
from numpy.typing import NDArray

from outings.answers.cache import remember
from outings.answers.snapshot.reader import SnapshotReader
from outings.contract.resources.shared import Price
from outings.release.mapped_table import MappedTable, encode_mapped

# The mapped files: one line a row, and of what rows share one line each.
ITEMS, ITEM_PLACES, ITEM_FACTS = "items", "item_places", "item_facts"
ITEM_TABLES = (ITEMS, ITEM_PLACES, ITEM_FACTS)

ID_BYTES = 36
# Facts with their time zones: 400 bytes each.
_REMEMBERED = 1_024

_OWN, _FACTS = ("head", "image_url"), ("facts", "timezone")
_PARTS = (*_OWN, "place", *_FACTS)
_PART_ROWS = {"row": pl.UInt32(), **dict.fromkeys(_PARTS, pl.String())}

NULL = Raw(b"null")
NO_PRICE = Raw(msgspec.json.encode(Price()))


class ItemSchedule(Struct, frozen=True):
    timezone: str | None


class _Listing(Struct, frozen=True):
    """The members that an item takes from a listing, as they stand there."""

    id: Raw
    slug: Raw
    name: Raw
    location: Raw
    ages: Raw
    categories: Raw
    image_url: Raw
    place: Raw = NULL
    price: Raw = NO_PRICE
    timezone: str | None = None
    schedule: ItemSchedule | None = None


_decoder = msgspec.json.Decoder(_Listing)

# As in `Parts`.
_Bytes = bytes | memoryview


class Parts(Struct, frozen=True):
    """JSON of `NearbyItem`: `head` from the id, without its first quote, to the name; `place` with the location, and
    `facts` from the price to the categories. `timezone` is a name, empty where none is stated."""

    head: _Bytes
    image_url: _Bytes
    place: _Bytes
    facts: _Bytes
    timezone: bytes


def make_parts(document: bytes) -> Parts:
    """What stands in a document is put together as it is."""
    listing = _decoder.decode(document)
    timezone = listing.timezone if listing.schedule is None else listing.schedule.timezone
    return Parts(
        b'%b,"slug":%b,"name":%b' % (bytes(listing.id)[1:], listing.slug, listing.name),
        bytes(listing.image_url),
        b'"place":%b,"location":%b' % (listing.place, listing.location),
        b'"price":%b,"ages":%b,"categories":%b' % (listing.price, listing.ages, listing.categories),
        (timezone or "").encode(),
    )


def make_item_tables(reader: SnapshotReader, known: pl.DataFrame | None = None) -> dict[str, pl.DataFrame]:
    """By row; all is empty where the listing is shown nowhere. `known`: the parts of some rows, by `row`."""
    is_shown = reader.listings.find_published()
    known = pl.DataFrame(schema=_PART_ROWS) if known is None else known
    is_new = np.ones(is_shown.size, dtype=np.bool_)
    is_new[known["row"].to_numpy()] = False
    made = pl.DataFrame(_list_parts(reader, is_shown, rows=np.flatnonzero(is_new)), schema=_PART_ROWS, orient="row")
    # Nothing is ever null on the way: a column that was once has other bytes.
    parts = pl.concat([known.select(*_PART_ROWS), made]).sort("row")
    places, place_numbers = _number_texts(parts.select("place"))
    facts, fact_numbers = _number_texts(parts.select(_FACTS))
    own = parts.select(*_OWN, pl.Series("place", place_numbers), pl.Series("facts", fact_numbers))
    return {ITEMS: own, ITEM_PLACES: places, ITEM_FACTS: facts}


def read_item_tables(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """The parts of each row, as they were before they were written."""
    items = tables[ITEMS]
    places, facts = tables[ITEM_PLACES][items["place"]], tables[ITEM_FACTS][items["facts"]]
    return pl.concat([items.select(_OWN), places, facts], how="horizontal")


def _list_parts(
    reader: SnapshotReader, is_shown: NDArray[np.bool_], *, rows: NDArray[np.int64]
) -> Iterator[tuple[int | str, ...]]:
    nothing = ("",) * len(_PARTS)
    for row in rows.tolist():
        if is_shown[row]:
            parts = make_parts(reader.read_document(row))
            yield row, *(str(getattr(parts, name), "utf-8") for name in _PARTS)
        else:
            yield row, *nothing


def _number_texts(texts: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
    """Each once, in the order in which they come, and of each row the number of its own."""
    different = texts.unique(maintain_order=True)
    numbered = different.with_row_index("number")
    return different, texts.join(numbered, on=texts.columns, how="left", maintain_order="left")["number"]


class ItemParts:
    """Of one snapshot."""

    def __init__(self, tables: Mapping[str, MappedTable]) -> None:
        items, places, facts = (tables[name] for name in ITEM_TABLES)
        self._places, self._facts = items.view_array("place"), items.view_array("facts")
        self._heads = items.view_texts("head")
        self._images = items.view_texts("image_url")
        self._place_texts = places.view_texts("place")
        self._fact_texts, self._timezones = facts.view_texts("facts"), facts.view_texts("timezone")
        # Most listings share a few.
        self._find_facts = remember(self._read_facts, size=_REMEMBERED)

    def read_parts(self, row: int) -> Parts:
        (head_ends, heads), (image_ends, images), next_row = self._heads, self._images, row + 1
        (place_ends, places), place = self._place_texts, self._places[row]
        facts, timezone = self._find_facts(self._facts[row])
        return Parts(
            heads[head_ends[row] : head_ends[next_row]],
            images[image_ends[row] : image_ends[next_row]],
            places[place_ends[place] : place_ends[place + 1]],
            facts,
            timezone,
        )

    def _read_facts(self, number: int) -> tuple[bytes, bytes]:
        texts = (texts[ends[number] : ends[number + 1]] for ends, texts in (self._fact_texts, self._timezones))
        facts, timezone = map(bytes, texts)
        return facts, timezone


def open_parts(reader: SnapshotReader) -> ItemParts:
    paths = {name: reader.find_mapped(name) for name in ITEM_TABLES}
    known = {name: MappedTable(path) for name, path in paths.items() if path is not None}
    if len(known) < len(ITEM_TABLES):  # an earlier program made the release
        known = {name: MappedTable(encode_mapped(frame)) for name, frame in make_item_tables(reader).items()}
    return ItemParts(known)
