"""Organizations that span metros: each metro lends the records that it has of its own to those that refer to them.

What a metro asked for, and what it got, is kept with it: it is built again once it would get something else.
"""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import msgspec
from msgspec import Struct

from outings.contract.vocabulary import Vocabulary
from outings.release.disk import write_named
from outings.release.manifest import Manifest
from outings.release.objects import Corrupt, read_object
from outings.release.store import NotFound, Store
from pipeline.listings.identity import assign_id
from pipeline.listings.references import Ask, Loan
from pipeline.objects.standing import Stood, Words, drop_words, encode_standing, has_words, parse_standing
from pipeline.records.runs import pack_runs, unpack_runs
from pipeline.records.spool import Told

_DIGEST_BYTES = 16


class Lender(Struct, frozen=True, kw_only=True):
    """Where a metro's records of organizations lie: in a `file` of this build, or in an `object` of the release before;
    nowhere, if it has none."""

    metro: str
    file: Path | None = None
    object: str | None = None


class Spanning(Struct, frozen=True, kw_only=True):
    """What a metro keeps for the next build: the encoded records that it lends (`list_lent`), and what it `asked`
    (`encode_asked`). `torn`: such objects of before that can't be read."""

    lent: bytes | None = None
    asked: bytes | None = None
    torn: frozenset[str] = frozenset()


ALONE = Spanning()


class Lenders:
    """Opened once somebody asks."""

    def __init__(self, lenders: Collection[Lender], *, store: Store, vocabulary: Vocabulary) -> None:
        self._lenders = sorted(lenders, key=lambda lender: lender.metro)
        self._store, self._vocabulary = store, vocabulary

    def find(self, ask: Ask, *, metro: str) -> Loan | None:
        """Of several other metros that have it the first by its slug lends it; the same record wherever `metro` is."""
        ids, sources = self._index
        for loan in (*ids.get(ask.id, ()), *sources.get((ask.feed, ask.source_id), ())):
            if loan.metro != metro:
                return loan
        return None

    def has_moved(self, data: bytes, *, metro: str) -> bool:
        """Whether who asked so (`encode_asked`) would get something else now."""
        return any(hash_loan(self.find(ask, metro=metro)) != got for ask, got in _parse_asked(data))

    @cached_property
    def _index(self) -> tuple[Mapping[str, Sequence[Loan]], Mapping[tuple[str, str], Sequence[Loan]]]:
        ids, sources = defaultdict[str, list[Loan]](list), defaultdict[tuple[str, str], list[Loan]](list)
        for lender in self._lenders:
            for told in self._read(lender):
                head = told.head
                if head.status != "draft":
                    loan = Loan(metro=lender.metro, id=assign_id(head), told=told)
                    ids[loan.id].append(loan)
                    sources[head.feed, head.source_id].append(loan)
        return ids, sources

    def _read(self, lender: Lender) -> Iterable[Told]:
        """Where they are gone the metro lends again once it is built."""
        try:
            data = read_lent(lender, self._store)
            stood = Stood() if data is None else parse_standing(data)
        except (NotFound, Corrupt, msgspec.DecodeError):
            return ()
        if has_words(self._vocabulary, stood.words):
            return stood.records
        return [drop_words(told, self._vocabulary, []) for told in stood.records]


def read_lent(lender: Lender, store: Store) -> bytes | None:
    """NotFound, Corrupt, StoreError."""
    if lender.file is not None:
        return lender.file.read_bytes()
    return None if lender.object is None else read_object(store, lender.object)


def keep_spanning(store: Store, manifest: Manifest) -> Spanning:
    """As that release has it. What is gone of it is lent and asked again by the next build of the metro."""
    kept, torn = dict[str, bytes](), set[str]()
    for name, sha in (("lent", manifest.lent), ("asked", manifest.asked)):
        try:
            kept |= {} if sha is None else {name: read_object(store, sha)}
        except (NotFound, Corrupt):
            torn |= {sha} if sha else set()
    return Spanning(lent=kept.get("lent"), asked=kept.get("asked"), torn=frozenset(torn))


def put_lent(metro: str, lent: Iterable[Told], *, folder: Path, vocabulary: Vocabulary, words: Words) -> Lender:
    """What the metro lends, in a file of a build's spool. `words`: those that records of before may have."""
    data = encode_standing(lent, words=words, vocabulary=vocabulary)
    if data is None:
        return Lender(metro=metro)
    path = folder / metro / "lent"
    path.parent.mkdir(exist_ok=True)
    write_named(path, data)
    return Lender(metro=metro, file=path)


def list_lent(said: Iterable[Told], stood: Iterable[Told]) -> list[Told]:
    """A metro's own organizations. `said`: what its feeds say now, removals too; `stood`: what stands if they say no
    more of it. Of one id the first wins."""
    spoken: dict[tuple[str, str], None] = {}
    found: dict[str, Told] = {}
    for told in said:
        spoken[told.head.feed, told.head.source_id] = None
        if not told.head.deleted:
            found.setdefault(assign_id(told.head), told)
    for told in stood:
        if (told.head.feed, told.head.source_id) not in spoken:
            found.setdefault(assign_id(told.head), told)
    return list(found.values())


def hash_loan(loan: Loan | None) -> bytes:
    """Of nothing: nothing."""
    if loan is None:
        return b""
    parts = (loan.metro, loan.id, loan.told.head.feed, loan.told.head.source_id, loan.told.digest)
    return hashlib.sha256(msgspec.msgpack.encode(parts)).digest()[:_DIGEST_BYTES]


def encode_asked(asked: Mapping[Ask, Loan | None]) -> bytes | None:
    """None of nothing: whoever asks for nothing is built again for nobody."""
    if not asked:
        return None
    got = sorted((ask, hash_loan(loan)) for ask, loan in asked.items())
    return pack_runs([msgspec.msgpack.encode(got)])


def _parse_asked(data: bytes) -> Iterable[tuple[Ask, bytes]]:
    return (each for run in unpack_runs(data) for each in msgspec.msgpack.decode(run, type=list[tuple[Ask, bytes]]))
