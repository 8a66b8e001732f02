"""Decide which metro gets an id that several claim: an id belongs to one listing of one metro and one feed."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from outings.release.cache import fetch_object
from outings.release.manifest import Manifest
from outings.release.store import Store
from pipeline.clean.feed_read import SpooledRecord
from pipeline.records.ids import derives_id, make_id
from pipeline.records.record import ORGANIZATION


class Claimant(NamedTuple):
    """The owner of a record that claims an id in a metro. `is_derived`: the id was made from the record's feed, type
    and source_id; `is_live`: the metro has it in the previous release; `is_organization`: other metros may have it
    too."""

    feed: str
    is_derived: bool
    is_live: bool
    is_organization: bool


# The ids of a metro by claimant.
Claims = Mapping[Claimant, Collection[str]]


class _Claim(Struct, frozen=True, kw_only=True):
    metro: str
    is_built: bool
    claimant: Claimant

    def conflicts_with(self, better: "_Claim") -> bool:
        """Return True if the metro can't have the id because the `better` claim has it."""
        own, other = self.claimant, better.claimant
        if own.is_organization and other.is_organization:
            return other.is_derived and not own.is_derived and other.feed != own.feed
        return self.is_built


def collect_claims(
    by_id: Mapping[str, SpooledRecord], unchanged: Mapping[str, str], published: Collection[str]
) -> Claims:
    """Collect a metro's claims to ids.

    Args:
        by_id: the metro's records.
        unchanged: the sources, by id, of rows that remain although no feed sent their record again.
        published: the ids that the metro has in the previous release.
    """
    groups = defaultdict[Claimant, list[str]](list)
    for row_id, entry in by_id.items():
        head = entry.head
        groups[Claimant(head.feed, derives_id(head), row_id in published, head.type == ORGANIZATION)].append(row_id)
    for row_id, source in unchanged.items():
        groups[_name_claimant(row_id, source, is_live=row_id in published)].append(row_id)
    return dict(groups)


def _name_claimant(row_id: str, source: str, *, is_live: bool) -> Claimant:
    feed, kind, source_id = source.split("/", 2)
    return Claimant(feed, row_id == make_id(feed, kind, source_id), is_live, kind == ORGANIZATION)


def list_arrived(claims: Iterable[Claims]) -> set[str]:
    """Return the ids that are new in a metro since the previous release."""
    return {row_id for some in claims for claimant, ids in some.items() if not claimant.is_live for row_id in ids}


def read_unbuilt_claims(
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

    claims: dict[str, dict[Claimant, list[str]]] = {slug: defaultdict(list) for slug in manifests}
    for slug, manifest in manifests.items():
        for row_id, source in chain(list_rows(manifest, "listings"), list_rows(manifest, "organizations")):
            claims[slug][_name_claimant(row_id, source, is_live=True)].append(row_id)
    return {**claims}


def find_refused(
    claims: Mapping[str, Claims],
    *,
    feeds: Collection[str],
    find_unbuilt: Callable[[Collection[str]], Mapping[str, Claims]],
) -> dict[str, dict[str, str]]:
    """Return, for each built metro that loses ids to another one, the reason by id.

    Args:
        claims: the claims of each built metro, by slug.
        feeds: the names of the feeds, in the configuration's order.
        find_unbuilt: returns the claims on the given ids in the metros that were not built.
    """
    metros = Counter(row_id for some in claims.values() for row_id in {*chain.from_iterable(some.values())})
    contested = {row_id for row_id, count in metros.items() if count > 1}
    arrived = list_arrived(claims.values())
    unbuilt = find_unbuilt(arrived) if arrived else {}
    contested.update(row_id for some in unbuilt.values() for ids in some.values() for row_id in ids)
    rivals = defaultdict[str, list[_Claim]](list)
    for is_built, by_metro in ((False, unbuilt), (True, claims)):
        for metro, some in by_metro.items() if contested else ():
            for claimant, ids in some.items():
                for row_id in contested.intersection(ids):
                    rivals[row_id].append(_Claim(metro=metro, is_built=is_built, claimant=claimant))
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
                refused[claim.metro][row_id] = f"duplicate_id: {winner.claimant.feed} has it in {winner.metro}"
    return dict(refused)
