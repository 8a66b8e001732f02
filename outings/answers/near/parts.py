"""What an item near a point shows of its listing, wherever the point is and whenever it begins: texts of its document.

The build writes them into mapped tables: a request takes them where they lie, without the document. They stand as the
tiles do, so that what is shown together lies together. Places and facts that many listings share lie there once.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
import numpy as np
import polars as pl
from msgspec import Raw, Struct

from outings.answers.near.tiles import TILES
from outings.answers.snapshot.reader import SnapshotReader
from outings.contract.resources.shared import Price
from outings.contract.vocabulary import COLLECTIONS
from outings.release.mapped_table import MappedTable, encode_mapped

# The mapped files: one line a place of the tiles, whose text is cut into its head and its tail, and of what rows share
# one line each.
ITEMS, ITEM_PLACES, ITEM_FACTS = "items", "item_places", "item_facts"
ITEM_TABLES = (ITEMS, ITEM_PLACES, ITEM_FACTS)

_OWN, _FACTS = ("head", "tail"), ("facts", "timezone")
_PARTS = (*_OWN, "place", *_FACTS)
_PART_ROWS = {"row": pl.UInt32(), **dict.fromkeys(_PARTS, pl.String())}

NULL = Raw(b"null")
NO_PRICE = Raw(msgspec.json.encode(Price()))


class ItemSchedule(Struct, frozen=True):
    timezone: str | None


class _Listing(Struct, frozen=True):
    """The members that an item takes from a listing, as they stand there."""

    id: Raw
    type: str
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


class Parts(Struct, frozen=True):
    """JSON of `NearbyItem`: `head` until the number of its distance, then, behind its start, `place` with the location,
    `facts` from the price to the categories, and `tail` from the image to the end, each with the comma before it.
    `timezone` is a name, empty where none is stated."""

    head: bytes
    place: bytes
    facts: bytes
    tail: bytes
    timezone: bytes


# The same where they lie.
PartViews = tuple[memoryview, memoryview, memoryview, memoryview, bytes]


def make_parts(document: bytes) -> Parts:
    """What stands in a document is put together as it is."""
    listing = _decoder.decode(document)
    timezone = listing.timezone if listing.schedule is None else listing.schedule.timezone
    link = b"/v1/%b/%b" % (COLLECTIONS[listing.type].encode(), bytes(listing.id)[1:-1])
    return Parts(
        b'{"type":"%b","id":%b,"slug":%b,"name":%b,"distance_m":'
        % (listing.type.encode(), listing.id, listing.slug, listing.name),
        b',"place":%b,"location":%b' % (listing.place, listing.location),
        b',"price":%b,"ages":%b,"categories":%b' % (listing.price, listing.ages, listing.categories),
        b',"image_url":%b,"links":{"self":"%b"}}' % (listing.image_url, link),
        (timezone or "").encode(),
    )


def make_item_tables(reader: SnapshotReader, known: pl.DataFrame | None = None) -> dict[str, pl.DataFrame]:
    """Of what is in the tiles, in their order: nothing else is near a point. `known`: the parts of some rows, by
    `row`."""
    rows = reader.open_table(TILES).read_array("row")
    known = pl.DataFrame(schema=_PART_ROWS) if known is None else known.select(*_PART_ROWS)
    new = np.setdiff1d(rows, known["row"].to_numpy(), assume_unique=True)
    made = pl.DataFrame(_list_parts(reader, new.tolist()), schema=_PART_ROWS, orient="row")
    # Nothing is ever null on the way: a column that was once has other bytes.
    parts = pl.concat([known, made]).sort("row")
    parts = parts[np.searchsorted(parts["row"].to_numpy(), rows)]
    places, place_numbers = _number_texts(parts.select("place"))
    facts, fact_numbers = _number_texts(parts.select(_FACTS))
    own = parts.select(
        "row", text=pl.concat_str(_OWN), cut=pl.col("head").str.len_bytes(),
        place=pl.Series(place_numbers), facts=pl.Series(fact_numbers),
    )  # fmt: skip
    return {ITEMS: own, ITEM_PLACES: places, ITEM_FACTS: facts}


def read_item_tables(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """The parts of each `row`, as they were before they were written."""
    items = tables[ITEMS]
    places, facts = tables[ITEM_PLACES][items["place"]], tables[ITEM_FACTS][items["facts"]]
    text = pl.col("text").cast(pl.Binary())
    own = items.select(
        "row",
        head=text.bin.slice(0, pl.col("cut")).cast(pl.String()), tail=text.bin.slice(pl.col("cut")).cast(pl.String()),
    )  # fmt: skip
    return pl.concat([own, places, facts], how="horizontal")


def _list_parts(reader: SnapshotReader, rows: Sequence[int]) -> Iterator[tuple[int | str, ...]]:
    for row in rows:
        parts = make_parts(reader.read_document(row))
        yield row, *(str(getattr(parts, name), "utf-8") for name in _PARTS)


def _number_texts(texts: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
    """Each once, in the order in which they come, and of each row the number of its own."""
    different = texts.unique(maintain_order=True)
    numbered = different.with_row_index("number")
    return different, texts.join(numbered, on=texts.columns, how="left", maintain_order="left")["number"]


class ItemParts:
    """Of one snapshot, by places in the tiles."""

    def __init__(self, tables: Mapping[str, MappedTable]) -> None:
        items, places, facts = (tables[name] for name in ITEM_TABLES)
        self._places, self._facts = items.view_array("place"), items.view_array("facts")
        self._texts, self._cuts = items.view_texts("text"), items.view_array("cut")
        self._place_texts, self._fact_texts = places.view_texts("place"), facts.view_texts("facts")
        # A few zones, each of them one object.
        zones: dict[str, bytes] = {}
        self._timezones = [zones.setdefault(each, each.encode()) for each in facts.read_texts("timezone")]

    def view_parts(self, places: Iterable[int]) -> list[PartViews]:
        """Of places: joined, each is copied once."""
        (ends, texts), (place_ends, place_texts), (fact_ends, fact_texts) = (
            self._texts, self._place_texts, self._fact_texts,
        )  # fmt: skip
        return [
            (
                texts[(begin := ends[at]) : (middle := begin + self._cuts[at])],
                place_texts[place_ends[place := self._places[at]] : place_ends[place + 1]],
                fact_texts[fact_ends[fact := self._facts[at]] : fact_ends[fact + 1]],
                texts[middle : ends[at + 1]],
                self._timezones[fact],
            )
            for at in places
        ]


def open_parts(reader: SnapshotReader) -> ItemParts:
    files = {name: reader.find_mapped(name) for name in ITEM_TABLES}
    known = {name: MappedTable(file) for name, file in files.items() if file is not None}
    if len(known) < len(ITEM_TABLES):  # an earlier program made the release
        known = {name: MappedTable(encode_mapped(frame)) for name, frame in make_item_tables(reader).items()}
    return ItemParts(known)
