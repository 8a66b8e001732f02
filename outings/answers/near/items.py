"""Render an item near a point: members of its listing, its distance and its next start.

The build writes an item's texts into mapped tables, so that a request reads no document. Places and facts that many
listings share are stored once.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import msgspec
import numpy as np
from msgspec import Raw
from numpy.typing import NDArray

from outings.answers.documents.fields import ShownDocument
from outings.answers.documents.occurrences import show_local
from outings.answers.near.index import Rows, Start
from outings.answers.snapshot.reader import SnapshotReader
from outings.configuration import read_zone
from outings.contract.values import format_instant, read_local
from outings.contract.vocabulary import COLLECTIONS
from outings.lazy_polars import pl
from outings.release.mapped_table import NEVER, MappedTable
from outings.release.tables import PUBLISHED, read_columns

# The mapped tables: a row for each published listing with coordinates, whose text is cut into its head and its tail;
# a row for each place; and a row for each set of facts.
ITEMS, ITEM_PLACES, ITEM_FACTS = "items", "item_places", "item_facts"
ITEM_TABLES = (ITEMS, ITEM_PLACES, ITEM_FACTS)

_OWN, _FACTS = ("head", "tail"), ("facts", "timezone")
_PARTS = ("head", "place", "facts", "tail", "timezone")
# Cached texts of starts: most are at the same few hours, and formatting one takes 10 µs.
_STARTS = 8_192
_encoder = msgspec.json.Encoder()


class _Document(ShownDocument, frozen=True, kw_only=True):
    location: Raw


_decoder = msgspec.json.Decoder(_Document)

# The parts of an item as in `make_parts`, as views of the mapped files.
PartViews = tuple[memoryview, memoryview, memoryview, memoryview, bytes]


def make_parts(document: bytes) -> tuple[bytes, bytes, bytes, bytes, bytes]:
    """Return the JSON of a `NearbyItem`, cut where an answer inserts the distance and the next start: the `head` up to
    the distance's number, the `place` and location behind the start, the `facts` from the price to the categories, the
    `tail`, and the name of the start's time zone, empty if none is stated."""
    listing = _decoder.decode(document)
    head = {"type": listing.type, "id": listing.id, "slug": listing.slug, "name": listing.name}
    links = {"self": f"/v1/{COLLECTIONS[listing.type]}/{listing.id}"}
    return (
        b'%b,"distance_m":' % _encoder.encode(head)[:-1],
        _encode_members(place=listing.place, location=listing.location),
        _encode_members(price=listing.price, ages=listing.ages, categories=listing.categories),
        b"%b}" % _encode_members(image_url=listing.image_url, links=links),
        (listing.zone or "").encode(),
    )


def _encode_members(**members: object) -> bytes:
    """Encode members of an object, with a comma before them."""
    return b",%b" % _encoder.encode(members)[1:-1]


def make_item_tables(reader: SnapshotReader) -> "dict[str, pl.DataFrame]":
    """Make the tables `ITEM_TABLES` of a snapshot, by name."""
    listings = read_columns(reader.tables["listings"], "listings", ("row", "status", "lat", "lng"))
    located = listings.filter(pl.col("status") == PUBLISHED).drop_nulls(("lat", "lng"))
    schema = {"row": pl.UInt32(), **dict.fromkeys(_PARTS, pl.String())}
    rows = ((row, *map(bytes.decode, make_parts(reader.read_document(row)))) for row in located["row"].sort())
    parts = pl.DataFrame(rows, schema=schema, orient="row")
    places, place_numbers = _number_texts(parts.select("place"))
    facts, fact_numbers = _number_texts(parts.select(_FACTS))
    own = parts.select(
        "row", text=pl.concat_str(_OWN), cut=pl.col("head").str.len_bytes(),
        place=pl.Series(place_numbers), facts=pl.Series(fact_numbers),
    )  # fmt: skip
    return {ITEMS: own, ITEM_PLACES: places, ITEM_FACTS: facts}


def _number_texts(texts: "pl.DataFrame") -> "tuple[pl.DataFrame, pl.Series]":
    """Return the distinct rows, in the order of their first appearance, and each row's index among them."""
    different = texts.unique(maintain_order=True)
    numbered = different.with_row_index("number")
    return different, texts.join(numbered, on=texts.columns, how="left", maintain_order="left")["number"]


class ItemParts:
    """A reader of the stored parts of one snapshot's items, by row."""

    def __init__(self, tables: Mapping[str, MappedTable]) -> None:
        items, places, facts = (tables[name] for name in ITEM_TABLES)
        self._rows = items.read_array("row")
        self._places, self._facts = items.view_array("place"), items.view_array("facts")
        self._texts, self._cuts = items.view_texts("text"), items.view_array("cut")
        self._place_texts, self._fact_texts = places.view_texts("place"), facts.view_texts("facts")
        self._timezones = [name.encode() for name in facts.read_texts("timezone")]

    def view_parts(self, rows: Rows) -> list[PartViews]:
        """Return views of the parts of published listings that have coordinates. They are copied only when joined."""
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
            for at in np.searchsorted(self._rows, rows).tolist()
        ]


def open_parts(reader: SnapshotReader) -> ItemParts:
    return ItemParts(reader.open_rendered(ITEM_TABLES, make_item_tables))


def list_items(
    parts: ItemParts, rows: Rows, *, metres: Sequence[int], starts: Sequence[tuple[int, int | None]]
) -> list[bytes]:
    """Return the `NearbyItem` of each row as JSON. `starts`: each next start in seconds, by the local clock and, for
    events, since 1970."""
    return [
        b"".join((head, b"%d" % distance, _encode_start(local, instant, timezone), place, facts, tail))
        for (head, place, facts, tail, timezone), distance, (local, instant) in zip(
            parts.view_parts(rows), metres, starts, strict=True
        )
    ]


@lru_cache(maxsize=_STARTS)
def _encode_start(local: int, instant: int | None, timezone: bytes) -> bytes:
    """Encode the members that state a start, with a comma before them."""
    zone = timezone.decode() or None
    starts_local, starts_at, _ = format_start(Start(local, instant), zone)
    return _encode_members(starts_at=starts_at, starts_local=starts_local, timezone=zone)


def round_metres(metres: NDArray[np.float64]) -> list[int]:
    """Round distances to whole metres, half up."""
    rounded: list[int] = np.floor(metres + 0.5).astype(np.int64).tolist()
    return rounded


@lru_cache(maxsize=_STARTS)
def format_start(start: Start, timezone: str | None) -> tuple[str | None, str | None, str | None]:
    """Return `starts_local`, `starts_at` and `ends_local`. Without a time zone no instant is known."""
    if start.local == NEVER:
        return None, None, None
    shown = show_local(start.local)
    ends = None if start.ends is None else show_local(start.ends)
    if start.instant is not None:
        return shown, format_instant(start.instant), ends
    # A time that clocks show twice is the first of the two; a time that they skip has the offset before the change.
    instant = None if timezone is None else format_instant(read_local(start.local).replace(tzinfo=read_zone(timezone)))
    return shown, instant, ends
