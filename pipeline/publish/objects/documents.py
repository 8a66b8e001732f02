"""Put the documents of numbered rows into packs."""

import gzip
from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np
import polars as pl

from outings.release.manifest import Pack
from outings.release.tables import TABLES
from pipeline.publish.objects.object_writer import ObjectWriter
from pipeline.tables.document_buffer import DocumentBuffer

# Bytes. A full pack is written before the next begins: a build has one in memory, and servers fetch small files.
PACK_SIZE = 1024 * 1024
# Each build adds a pack of changed documents, and servers map every pack: more small packs than this are joined.
MOST_PACKS = 32

# Of 2.5 kB documents: level 6 gives 3 % less than 5 and costs 40 % more; both are small beside the writing.
_GZIP_LEVEL = 6


class PackWriter:
    """Append documents to new packs after the `kept` ones. `put` writes an object and returns its hash."""

    def __init__(self, *, kept: Sequence[Pack] = (), put: Callable[[bytes], str], size: int = PACK_SIZE) -> None:
        self._packs, self._put, self._size = list(kept), put, size
        self._open = bytearray()

    def append(self, document: bytes) -> tuple[int, int]:
        """Append a document. Return the index of its pack in the manifest, and its offset there."""
        if self._open and len(self._open) + len(document) > self._size:
            self._close()
        offset = len(self._open)
        self._open += document
        return len(self._packs), offset

    def finish(self) -> tuple[Pack, ...]:
        """Return all packs, the kept ones first, as the manifest lists them."""
        if self._open:
            self._close()
        return tuple(self._packs)

    def _close(self) -> None:
        size = len(self._open)
        self._packs.append(Pack(object=self._put(bytes(self._open)), size=size, alive=size))
        self._open = bytearray()


def choose_packs(packs: Sequence[Pack], alive: Sequence[int]) -> Mapping[int, int]:
    """Choose the packs to keep, as a mapping of their old index to the new one. `alive`: bytes of each that are still
    used.

    Packs less than half used are dropped, and their documents written again. If more than `MOST_PACKS` small packs
    remain, only the largest half of that number is kept, so that the next such merge is many builds away.
    """
    worth = [at for at, pack in enumerate(packs) if alive[at] and 2 * alive[at] >= pack.size]
    small = [at for at in worth if 2 * packs[at].size < PACK_SIZE]
    if len(small) > MOST_PACKS:
        largest = sorted(small, key=lambda at: (-alive[at], at))[: MOST_PACKS // 2]
        worth = [at for at in worth if at not in small or at in largest]
    return {at: index for index, at in enumerate(worth)}


def pack_documents(
    tables: Mapping[str, pl.DataFrame],
    buffer: DocumentBuffer,
    *,
    packs: Sequence[Pack],
    writer: ObjectWriter,
    emptied: Collection[str] = (),
) -> tuple[dict[str, pl.DataFrame], tuple[Pack, ...]]:
    """Pack the documents of listings, then of organizations. Return the tables with the location of each row's
    document, and all packs. `packs`: those of the previous release. An unchanged document stays in its pack, unless too
    little of that pack is still used, or the pack's object is in `emptied`."""
    columns = ("pack", "offset", "length")
    named = {name: tables[name] for name in ("listings", "organizations")}
    places = pl.concat([frame.select(*columns) for frame in named.values()])
    alive = [0] * len(packs)
    for pack, size in places.drop_nulls("pack").group_by("pack").agg(pl.col("length").sum()).iter_rows():
        alive[pack] = 0 if packs[pack].object in emptied else size
    moved = choose_packs(packs, alive)
    stay = [Pack(object=packs[at].object, size=packs[at].size, alive=alive[at]) for at in moved]
    for pack in stay:
        writer.keep(pack.object)
    pack_writer = PackWriter(kept=stay, put=writer.put)
    to = np.array([moved.get(at, -1) for at in range(len(packs))] or [-1], dtype=np.int64)
    before = places["pack"]
    numbers = np.where(before.is_null(), -1, to[before.fill_null(0).to_numpy()])
    offsets = places["offset"].to_numpy().copy()
    for at in np.flatnonzero(numbers < 0).tolist():
        numbers[at], offsets[at] = pack_writer.append(buffer.read(*places.row(at)))
    given = pl.DataFrame({"pack": numbers, "offset": offsets}, schema={"pack": pl.UInt16(), "offset": pl.UInt64()})
    height = named["listings"].height
    located = {"listings": given[:height], "organizations": given[height:]}
    packed = {
        name: frame.with_columns(located[name].get_columns()).select(*TABLES[name]) for name, frame in named.items()
    }
    return {**tables, **packed}, pack_writer.finish()


def pack_body(body: bytes) -> bytes:
    """Compress with gzip, without a time in its header, so that the same body is the same object."""
    return gzip.compress(body, compresslevel=_GZIP_LEVEL, mtime=0)
