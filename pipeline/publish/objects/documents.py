"""Puts the documents of numbered rows into packs."""

import gzip
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import polars as pl
from msgspec import Struct

from outings.release.packs import Pack, PackWriter, choose_kept
from outings.release.tables import TABLES
from pipeline.publish.objects.object_writer import ObjectWriter
from pipeline.tables.document_buffer import DocumentBuffer

# Of 2.5 kB documents: level 6 gives 3 % less than 5 and costs 40 % more; both are small beside the writing.
_GZIP_LEVEL = 6


class PackedDocuments(Struct, frozen=True, kw_only=True):
    """The packs, and the `tables` with each row's place in them."""

    tables: Mapping[str, pl.DataFrame]
    packs: tuple[Pack, ...]


def pack_documents(
    tables: Mapping[str, pl.DataFrame],
    buffer: DocumentBuffer,
    *,
    packs: Sequence[Pack],
    writer: ObjectWriter,
    emptied: Collection[str] = (),
) -> PackedDocuments:
    """Of listings, then of organizations. `packs`: the base's. Unchanged documents stay where they are, unless too
    little of their pack is alive, or it is one of those to be `emptied`, by its object."""
    columns = ("pack", "offset", "length")
    named = {name: tables[name] for name in ("listings", "organizations")}
    places = pl.concat([frame.select(*columns) for frame in named.values()])
    alive = [0] * len(packs)
    for pack, size in places.drop_nulls("pack").group_by("pack").agg(pl.col("length").sum()).iter_rows():
        alive[pack] = 0 if packs[pack].object in emptied else size
    moved = choose_kept(packs, alive)
    stay = [Pack(object=packs[at].object, size=packs[at].size, alive=alive[at]) for at in moved]
    for pack in stay:
        writer.keep(pack.object)
    pack_writer = PackWriter(kept=stay, put=writer.put)
    to = np.array([moved.get(at, -1) for at in range(len(packs))] or [-1], dtype=np.int64)
    before = places["pack"]
    numbers = np.where(before.is_null(), -1, to[before.fill_null(0).to_numpy()])
    offsets = places["offset"].to_numpy().copy()
    for at in np.flatnonzero(numbers < 0).tolist():
        place = pack_writer.append(buffer.read(*places.row(at)))
        numbers[at], offsets[at] = place.pack, place.offset
    given = pl.DataFrame({"pack": numbers, "offset": offsets}, schema={"pack": pl.UInt16(), "offset": pl.UInt64()})
    height = named["listings"].height
    packed = {
        "listings": named["listings"].with_columns(given[:height]["pack"], given[:height]["offset"]),
        "organizations": named["organizations"].with_columns(given[height:]["pack"], given[height:]["offset"]),
    }
    return PackedDocuments(
        tables={**tables, **{name: frame.select(*TABLES[name]) for name, frame in packed.items()}},
        packs=pack_writer.finish(),
    )


def pack_body(body: bytes) -> bytes:
    """gzip without a time in its header, so that the same body is the same object."""
    return gzip.compress(body, compresslevel=_GZIP_LEVEL, mtime=0)
