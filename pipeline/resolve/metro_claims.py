"""Decide which metro gets an id that several claim: an id belongs to one listing of one metro and one feed."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

from msgspec import Struct

from outings.release.cache import fetch_object
from outings.release.manifest import Manifest
from outings.release.store import Store
from pipeline.clean.feed_read import SpooledRecord
from pipeline.records.ids import derives_id, make_id
from pipeline.records.record import ORGANIZATION

_ID_BYTES = 16


class Claimant(NamedTuple):
    """The owner of a record that claims an id in a metro. `is_derived`: the id was made from the record's feed, type
    and source_id; `is_live`: the metro has it in the previous release; `is_organization`: other metros may have it
    too."""

    feed: str
    is_derived: bool
    is_live: bool
    is_organization: bool


# The ids of a metro, 16 bytes each, by claimant.
Claims = Mapping[Claimant, bytes]


class _Claim(Struct, frozen=True, kw_only=True):
    metro: str
    is_built: bool
    claimant: Claimant

    def conflicts_with(self, better: "_Claim") -> bool:
        own, other = self.claimant, better.claimant
        if own.is_organization and other.is_organization:
            return other.is_derived and not own.is_derived and other.feed != own.feed
        return self.is_built


def collect_claims(
    by_id: Mapping[str, SpooledRecord], carried: Mapping[str, str], published: Collection[str]
) -> Claims:
    """Collect a metro's claims to ids.

    Args:
        by_id: the metro's records.
        carried: the sources, by id, of rows that remain although no feed sent their record again.
        published: the ids that the metro has in the previous release.
    """
    groups = defaultdict[tuple[str, bool, bool, bool], list[str]](list)  # a million objects would take long
    for row_id, entry in by_id.items():
        head = entry.head
        groups[head.feed, derives_id(head), row_id in published, head.type == ORGANIZATION].append(row_id)
    for row_id, source in carried.items():
        groups[_name_row(row_id, source, is_live=row_id in published)].append(row_id)
    return {Claimant(*claimant): _pack(ids) for claimant, ids in groups.items()}


def collect_row_claims(rows: Iterable[tuple[str, str]]) -> Claims:
    """Collect the claims of published rows, by id and source."""
    groups = defaultdict[Claimant, list[str]](list)
    for row_id, source in rows:
        groups[_name_row(row_id, source, is_live=True)].append(row_id)
    return {claimant: _pack(ids) for claimant, ids in groups.items()}


def _name_row(row_id: str, source: str, *, is_live: bool) -> Claimant:
    feed, kind, source_id = source.split("/", 2)
    is_derived = row_id == make_id(feed, kind, source_id)
    return Claimant(feed, is_derived, is_live, kind == ORGANIZATION)


def list_arrived(claims: Iterable[Claims]) -> set[str]:
    """Return the ids that are new in a metro since the previous release."""
    return {str(UUID(bytes=data)) for some in claims for data in _list_new(some)}


def read_standing_claims(
    store: Store, manifests: Mapping[str, Manifest], ids: Collection[str], *, cache: Path
) -> dict[str, Claims]:
    """Return by metro the claims of published rows to these ids. `manifests`: of the metros that are not built. Raises
    NotFound, Corrupt or StoreError."""
    # Imports Polars, which a build without a new listing does not need.
    import polars as pl

    from outings.release.tables import PUBLISHED, read_columns

    def list_rows(manifest: Manifest, name: str) -> Iterator[tuple[str, str]]:
        path = fetch_object(store, manifest.tables[name].object, folder=cache)
        is_home = name == "organizations"
        frame = read_columns(path, name, ["id", "status", "source", *(["home"] if is_home else [])])
        own = frame.filter(pl.col("status") == PUBLISHED, pl.col("id").is_in(list(ids)))
        shown = own.filter(pl.col("home").is_null()) if is_home else own
        # Leave out rows without a record.
        return (row for row in shown.select("id", "source").drop_nulls().iter_rows() if not row[1].startswith("/"))

    return {
        slug: collect_row_claims(row for name in ("listings", "organizations") for row in list_rows(manifest, name))
        for slug, manifest in manifests.items()
    }


def find_refused(
    claims: Mapping[str, Claims],
    *,
    feeds: Collection[str],
    find_standing: Callable[[Collection[str]], Mapping[str, Claims]],
) -> dict[str, dict[str, str]]:
    """Return, for each built metro that loses ids to another one, the reason by id.

    Args:
        claims: the claims of each built metro, by slug.
        feeds: the names of the feeds, in the configuration's order.
        find_standing: returns the claims on the given ids in the metros that were not built.
    """
    contested, arrived = _find_contested(claims)
    standing = find_standing([str(UUID(bytes=data)) for data in arrived]) if arrived else {}
    contested.update(data for some in standing.values() for data in _list_ids(some))
    rivals = defaultdict[bytes, list[_Claim]](list)
    for is_built, metros in ((False, standing), (True, claims)):
        for metro, some in metros.items() if contested else ():
            for claimant, packed in some.items():
                for data in contested.intersection(_split(packed)):
                    rivals[data].append(_Claim(metro=metro, is_built=is_built, claimant=claimant))
    order = {name: number for number, name in enumerate(feeds)}

    def rank(claim: _Claim) -> tuple[bool, bool, bool, int, str]:
        own = claim.claimant
        return claim.is_built, not own.is_derived, not own.is_live, order.get(own.feed, len(order)), claim.metro

    refused = defaultdict[str, dict[str, str]](dict)
    for row_id, several in rivals.items():
        several.sort(key=rank)
        for number, claim in enumerate(several):
            winner = next((other for other in several[:number] if claim.conflicts_with(other)), None)
            if winner is not None:
                reason = f"duplicate_id: {winner.claimant.feed} has it in {winner.metro}"
                refused[claim.metro][str(UUID(bytes=row_id))] = reason
    return dict(refused)


def _find_contested(claims: Mapping[str, Claims]) -> tuple[set[bytes], set[bytes]]:
    """Return two sets: the ids that several metros claim, and the ids that are new in a metro."""
    visited, contested, arrived = set[bytes](), set[bytes](), set[bytes]()
    for some in claims.values():
        own = set(_list_ids(some))
        contested |= visited & own
        visited |= own
        arrived.update(_list_new(some))
    return contested, arrived


def _list_new(claims: Claims) -> Iterator[bytes]:
    return (data for claimant, packed in claims.items() if not claimant.is_live for data in _split(packed))


def _list_ids(claims: Claims) -> Iterator[bytes]:
    return (data for packed in claims.values() for data in _split(packed))


def _pack(ids: Collection[str]) -> bytes:
    return bytes.fromhex("".join(ids).replace("-", ""))


def _split(packed: bytes) -> Iterator[bytes]:
    return (packed[at : at + _ID_BYTES] for at in range(0, len(packed), _ID_BYTES))
