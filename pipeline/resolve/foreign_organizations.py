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
from pipeline.records.ids import assign_id, derives_id, find_derived
from pipeline.resolve.delta_state import (
    DeltaRecords,
    Words,
    drop_words,
    encode_delta_state,
    has_words,
    parse_delta_state,
)
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
    references to those of other metros (`foreign`). `torn`: objects of the previous release that can't be read."""

    lent: bytes | None = None
    foreign: bytes | None = None
    torn: frozenset[str] = frozenset()


ALONE = SharedState()


class ForeignOrganizations:
    """An index of the organizations of all metros, read at the first look-up."""

    def __init__(self, lenders: Collection[MetroOrganizations], *, store: Store, vocabulary: Vocabulary) -> None:
        self._lenders = sorted(lenders, key=lambda lender: lender.metro)
        self._store, self._vocabulary = store, vocabulary

    def find(self, ask: ForeignReference, *, metro: str) -> ForeignOrganization | None:
        """Return the organization that a metro's reference means in the first other metro that has it."""
        loans = (*self._index.get((ask.id,), ()), *self._index.get((ask.feed, ask.source_id), ()))
        return next((loan for loan in loans if loan.metro != metro), None)

    def has_moved(self, data: bytes, *, metro: str) -> bool:
        """Return True if the references in `data` (`encode_foreign`) would resolve differently now."""
        return any(hash_foreign(self.find(ask, metro=metro)) != got for ask, got in _parse_foreign(data))

    @cached_property
    def _index(self) -> Mapping[tuple[str, ...], Sequence[ForeignOrganization]]:
        """Return the organizations by id, and by feed and `source_id`. An id that is computed from a record's feed and
        `source_id` belongs to that feed alone."""
        index = defaultdict[tuple[str, ...], list[ForeignOrganization]](list)
        derived: dict[str, str] = {}
        for lender in self._lenders:
            for entry in self._read(lender):
                head = entry.head
                if head.status != "draft":
                    loan = ForeignOrganization(metro=lender.metro, id=assign_id(head), entry=entry)
                    index[(loan.id,)].append(loan)
                    index[head.feed, head.source_id].append(loan)
                    derived |= {loan.id: head.feed} if derives_id(head) else {}
        for row_id, feed in derived.items():
            index[(row_id,)] = [loan for loan in index[(row_id,)] if loan.entry.head.feed == feed]
        return index

    def _read(self, lender: MetroOrganizations) -> Iterable[SpooledRecord]:
        """Read the organizations of one metro. Return none if their object is missing or damaged."""
        try:
            data = read_lent(lender, self._store)
            state = DeltaRecords() if data is None else parse_delta_state(data)
        except (NotFound, Corrupt, msgspec.DecodeError):
            return ()
        if has_words(self._vocabulary, state.words):
            return state.records
        return [drop_words(entry, self._vocabulary, []) for entry in state.records]


def read_lent(lender: MetroOrganizations, store: Store) -> bytes | None:
    """Read the organizations that a metro offers to others; None if it has none. Raises NotFound, Corrupt or
    StoreError."""
    if lender.file is not None:
        return lender.file.read_bytes()
    return None if lender.object is None else read_object(store, lender.object)


def read_shared_state(store: Store, manifest: Manifest) -> SharedState:
    """Read the state from a release. Objects that are missing are listed in `torn`; the next build makes them again."""
    kept, torn = dict[str, bytes](), set[str]()
    for name, sha in (("lent", manifest.lent), ("foreign", manifest.foreign)):
        try:
            kept |= {} if sha is None else {name: read_object(store, sha)}
        except (NotFound, Corrupt):
            torn |= {sha} if sha else set()
    return SharedState(lent=kept.get("lent"), foreign=kept.get("foreign"), torn=frozenset(torn))


def put_lent(
    metro: str, lent: Iterable[SpooledRecord], *, folder: Path, vocabulary: Vocabulary, words: Words
) -> MetroOrganizations:
    """Write the metro's organizations to a file in the build's spool. `words`: vocabulary that older records may
    use."""
    data = encode_delta_state(lent, words=words, vocabulary=vocabulary)
    if data is None:
        return MetroOrganizations(metro=metro)
    # The hash in its name makes equal content an equal task of other metros.
    path = folder / metro / f"lent-{hashlib.sha256(data).hexdigest()}"
    path.parent.mkdir(exist_ok=True)
    write_named(path, data)
    return MetroOrganizations(metro=metro, file=path)


def list_lent(entries: Iterable[SpooledRecord], earlier: Iterable[SpooledRecord]) -> list[SpooledRecord]:
    """Return the organizations of which a metro has a record. `entries`: what its feeds sent now, with removals;
    `earlier`: stored records that apply if the feeds do not mention them. If several have an id, the first wins, but
    before it the record from whose feed and `source_id` the id is computed."""
    stated = list(entries)
    spoken = {(entry.head.feed, entry.head.source_id) for entry in stated}
    stays = (entry for entry in earlier if (entry.head.feed, entry.head.source_id) not in spoken)
    own = [*(entry for entry in stated if not entry.head.deleted), *stays]
    derived = find_derived(entry.head for entry in own)
    lent: dict[str, SpooledRecord] = {}
    for entry in own:
        row_id = assign_id(entry.head)
        if derived.get(row_id, entry.head.feed) == entry.head.feed:
            lent.setdefault(row_id, entry)
    return list(lent.values())


def hash_foreign(loan: ForeignOrganization | None) -> bytes:
    """Return a hash of the organization that another metro has, or b"" for None."""
    if loan is None:
        return b""
    parts = (loan.metro, loan.id, loan.entry.head.feed, loan.entry.head.source_id, loan.entry.digest)
    return hashlib.sha256(msgspec.msgpack.encode(parts)).digest()[:_DIGEST_BYTES]


def encode_foreign(foreign: ForeignResolution) -> bytes | None:
    """Encode references to other metros' organizations, each with a hash of its result; None without any."""
    if not foreign:
        return None
    got = sorted((ask, hash_foreign(loan)) for ask, loan in foreign.items())
    return pack_runs([msgspec.msgpack.encode(got)])


def _parse_foreign(data: bytes) -> Iterable[tuple[ForeignReference, bytes]]:
    return (
        pair
        for run in unpack_runs(data)
        for pair in msgspec.msgpack.decode(run, type=list[tuple[ForeignReference, bytes]])
    )
