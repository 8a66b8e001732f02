"""Organizations that several metros share: records of a metro may refer to an organization of another metro.

A metro's references are stored with it. If they would resolve differently now, the metro is built again.
"""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import msgspec
from msgspec import Struct

from outings.contract.vocabulary import Vocabulary
from outings.release.folder import write_named
from outings.release.manifest import Manifest
from outings.release.store import Corrupt, NotFound, Store, read_object
from pipeline.clean.feed_read import SpooledRecord, pack_runs, unpack_runs
from pipeline.records.ids import assign_id, find_derived
from pipeline.resolve.delta_state import drop_words, encode_delta_state, parse_delta_state, read_state
from pipeline.resolve.references import ForeignOrganization, ForeignReference, ForeignResolution

_DIGEST_BYTES = 16


class MetroOrganizations(Struct, frozen=True, kw_only=True):
    """The place where a metro's organizations are stored: a `file` of this build, an `object` of the previous release,
    or neither if it has none."""

    metro: str
    file: Path | None = None
    object: str | None = None


class SharedState(Struct, frozen=True, kw_only=True):
    """State that a metro stores for the next build: the encoded records of its organizations (`lent`), and its
    references to those of other metros (`foreign`). None if there are none, or if they can't be read."""

    lent: bytes | None = None
    foreign: bytes | None = None


class ForeignOrganizations:
    """An index of the organizations of all metros, read at the first look-up."""

    def __init__(self, organizations: Collection[MetroOrganizations], *, store: Store, vocabulary: Vocabulary) -> None:
        self._metros = sorted(organizations, key=lambda stored: stored.metro)
        self._store, self._vocabulary = store, vocabulary

    def find(self, reference: ForeignReference, *, metro: str) -> ForeignOrganization | None:
        """Return the organization that a metro's reference means in the first other metro that has it."""
        by_source = self._index.get((reference.feed, reference.source_id), ())
        matches = (*self._index.get((reference.id,), ()), *by_source)
        return next((match for match in matches if match.metro != metro), None)

    def has_moved(self, data: bytes, *, metro: str) -> bool:
        """Return True if the references in `data` (`encode_foreign`) would resolve differently now."""
        (encoded,) = unpack_runs(data)
        references = msgspec.msgpack.decode(encoded, type=list[tuple[ForeignReference, bytes]])
        return any(hash_foreign(self.find(reference, metro=metro)) != earlier for reference, earlier in references)

    @cached_property
    def _index(self) -> Mapping[tuple[str, ...], Sequence[ForeignOrganization]]:
        """Return the organizations by id, and by feed and `source_id`. An id that is computed from a record's feed and
        `source_id` belongs to that feed alone."""
        organizations = [
            ForeignOrganization(metro=stored.metro, id=assign_id(entry.head), entry=entry)
            for stored in self._metros
            for entry in self._read(stored)
            if entry.head.status != "draft"
        ]
        derived = find_derived(organization.entry.head for organization in organizations)
        index = defaultdict[tuple[str, ...], list[ForeignOrganization]](list)
        for organization in organizations:
            head = organization.entry.head
            index[head.feed, head.source_id].append(organization)
            if derived.get(organization.id, head.feed) == head.feed:
                index[(organization.id,)].append(organization)
        return index

    def _read(self, stored: MetroOrganizations) -> Iterable[SpooledRecord]:
        """Read the organizations of one metro. Return none if their object is missing or damaged."""
        try:
            data = read_organizations(stored, self._store)
            records = () if data is None else parse_delta_state(data)
        except (NotFound, Corrupt, msgspec.DecodeError):
            return ()
        return [drop_words(entry, self._vocabulary, []) for entry in records]


def read_organizations(stored: MetroOrganizations, store: Store) -> bytes | None:
    """Read the organizations that a metro offers to others; None if it has none. Raises NotFound, Corrupt or
    StoreError."""
    if stored.file is not None:
        return stored.file.read_bytes()
    return None if stored.object is None else read_object(store, stored.object)


def read_shared_state(store: Store, manifest: Manifest) -> SharedState:
    return SharedState(lent=read_state(store, manifest.lent), foreign=read_state(store, manifest.foreign))


def put_organizations(metro: str, records: Iterable[SpooledRecord], *, folder: Path) -> MetroOrganizations:
    """Write the metro's organizations to a file in the build's spool."""
    data = encode_delta_state(records)
    if data is None:
        return MetroOrganizations(metro=metro)
    path = folder / metro / ".organizations"  # no feed has this name
    path.parent.mkdir(exist_ok=True)
    write_named(path, data)
    return MetroOrganizations(metro=metro, file=path)


def list_own_organizations(entries: Iterable[SpooledRecord], earlier: Iterable[SpooledRecord]) -> list[SpooledRecord]:
    """Return the organizations of which a metro has a record. `entries`: what its feeds sent now, with removals;
    `earlier`: stored records that apply if the feeds do not mention them. If several have an id, the first wins, but
    before it the record from whose feed and `source_id` the id is computed."""
    stated = list(entries)
    mentioned = {(entry.head.feed, entry.head.source_id) for entry in stated}
    standing = (entry for entry in earlier if (entry.head.feed, entry.head.source_id) not in mentioned)
    own = [*(entry for entry in stated if not entry.head.deleted), *standing]
    derived = find_derived(entry.head for entry in own)
    by_id: dict[str, SpooledRecord] = {}
    for entry in own:
        row_id = assign_id(entry.head)
        if derived.get(row_id, entry.head.feed) == entry.head.feed:
            by_id.setdefault(row_id, entry)
    return list(by_id.values())


def hash_foreign(organization: ForeignOrganization | None) -> bytes:
    """Return a hash of the organization that another metro has, or b"" for None."""
    if organization is None:
        return b""
    head = organization.entry.head
    parts = (organization.metro, organization.id, head.feed, head.source_id, organization.entry.digest)
    return hashlib.sha256(msgspec.msgpack.encode(parts)).digest()[:_DIGEST_BYTES]


def encode_foreign(foreign: ForeignResolution) -> bytes | None:
    """Encode references to other metros' organizations, each with a hash of its result; None without any."""
    if not foreign:
        return None
    pairs = sorted((reference, hash_foreign(organization)) for reference, organization in foreign.items())
    return pack_runs([msgspec.msgpack.encode(pairs)])
