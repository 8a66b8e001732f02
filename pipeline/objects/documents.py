"""Documents of settled rows into packs, and details as objects of their own for a CDN."""

import gzip
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from outings.contract.envelope import encode_detail
from outings.release.packs import Pack, PackWriter, choose_kept
from pipeline.changes.diff import DRAFT, Settled
from pipeline.listings.previous import Previous
from pipeline.objects.writing import ObjectWriter
from pipeline.tables.frames import Place

# Of 2.5 kB documents: level 6 gives 3 % less than 5 and costs 40 % more; both are small beside the writing.
GZIP_LEVEL = 6


class Packed(Struct, frozen=True, kw_only=True):
    packs: tuple[Pack, ...]
    places: Mapping[str, Place]  # by id
    details: tuple[bytes, ...]  # SHA-256 of each detail object


def pack_documents(
    ordered: Sequence[Settled],
    previous: Previous,
    *,
    packs: Sequence[Pack],
    writer: ObjectWriter,
    details: bool,
) -> Packed:
    """`packs`: the base's. Unchanged documents stay where they are, unless too little of their pack is alive."""
    kept = {each.row.id: old for each in ordered if (old := _find_kept(each, previous)) is not None}
    alive = [0] * len(packs)
    for old in kept.values():
        alive[old["pack"]] += old["length"]
    moved = choose_kept(packs, alive)
    stay = [Pack(object=packs[at].object, size=packs[at].size, alive=alive[at]) for at in moved]
    for pack in stay:
        writer.keep(pack.object)
    pack_writer = PackWriter(kept=stay, put=writer.put)
    places: dict[str, Place] = {}
    for each in ordered:
        row_id = each.row.id
        unchanged = kept.get(row_id)
        if unchanged is not None and unchanged["pack"] in moved:
            places[row_id] = Place(
                pack=moved[unchanged["pack"]], offset=unchanged["offset"], length=unchanged["length"],
                object=_keep_detail(each, unchanged, previous, writer=writer, details=details),
            )  # fmt: skip
            continue
        document = each.document if each.document is not None else previous.read_document(row_id)
        at = pack_writer.append(document)
        places[row_id] = Place(
            pack=at.pack, offset=at.offset, length=at.length,
            object=_put_detail(each, document, writer=writer) if details else None,
        )  # fmt: skip
    hashes = sorted({place.object for place in places.values() if place.object is not None})
    return Packed(packs=pack_writer.finish(), places=places, details=tuple(hashes))


def _find_kept(each: Settled, previous: Previous) -> Mapping[str, Any] | None:
    return previous.get(each.row.id) if each.document is None else None


def _keep_detail(
    each: Settled,
    unchanged: Mapping[str, Any],
    previous: Previous,
    *,
    writer: ObjectWriter,
    details: bool,
) -> bytes | None:
    """The base's object, when there is one and details are still wanted as objects."""
    if not details:
        return None
    found: bytes | None = unchanged.get("object")
    if found is None:
        return _put_detail(each, previous.read_document(each.row.id), writer=writer)
    writer.keep(found.hex())
    return found


def _put_detail(each: Settled, document: bytes, *, writer: ObjectWriter) -> bytes | None:
    """None for what is made when answering: series, whose next date moves, and organizations, whose counts do."""
    row = each.row
    if row.kind == "organization" or row.columns["status"] == DRAFT or row.columns.get("is_recurring"):
        return None
    body = b"".join(encode_detail(document))
    return bytes.fromhex(writer.put(pack_body(body)))


def pack_body(body: bytes) -> bytes:
    """gzip without a time in its header, so that the same body is the same object."""
    return gzip.compress(body, compresslevel=GZIP_LEVEL, mtime=0)
