"""Open a snapshot to answer: its documents, look-ups by row, id and slug, and derived tables."""

import threading
import weakref
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from datetime import date
from typing import Any, TypeAlias, TypeVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.snapshot.distance import Vectors, make_unit_vectors
from outings.answers.snapshot.texts import HashedTexts, make_texts
from outings.configuration import read_zone
from outings.contract.languages.language import ENGLISH, Language, read_shipped_language
from outings.lazy_polars import pl
from outings.release.cache import LazyFiles, MappedFile
from outings.release.mapped_table import MappedTable, encode_mapped
from outings.release.snapshot import LazyPacks, Snapshot
from outings.release.store import Bytes
from outings.release.tables import ARCHIVED, PUBLISHED, read_columns

Frames: TypeAlias = "Mapping[str, pl.DataFrame]"


class TableContext(Struct, frozen=True, kw_only=True):
    """The values beside other tables from which tables are derived: the build's local date and the metro's language."""

    today: date
    language: Language


class DerivedTables(Struct, frozen=True, kw_only=True):
    """A group of tables that are derived together. `columns`: by name of another table, the columns that they are made
    of; `make`: a function that makes them of these columns and the context."""

    names: tuple[str, ...]
    columns: Mapping[str, Sequence[str]]
    make: Callable[[Frames, TableContext], Frames]

    def make_again(self, files: Mapping[str, MappedFile], context: TableContext) -> Mapping[str, MappedTable]:
        """Make the tables in memory from a snapshot's files. Raises an error of Polars if one is broken."""
        read = ((name, read_columns(files.get(name), name, columns)) for name, columns in self.columns.items())
        made = self.make(dict(read), context)
        return {name: MappedTable(encode_mapped(made[name])) for name in self.names}


def derive_table(name: str, make: "Callable[..., pl.DataFrame]", columns: Mapping[str, Sequence[str]]) -> DerivedTables:
    """Return the derivation of one table without context. `make`: gets the tables in the order of `columns`."""
    return DerivedTables(names=(name,), columns=columns, make=lambda frames, _: {name: make(*frames.values())})


_HASH_BYTES = 32
_HALF = (1 << 64) - 1
# The value of a time that is not stated.
_NEVER = -1

# The columns from which row indexes are made. Organizations have no type; in their index all have type 0.
_ROWS = ("id", "slug", "status", "categories", "pack", "offset", "length", "hash", "created_at", "updated_at")
_LISTING_COLUMNS, _ORGANIZATION_COLUMNS = ("type", *_ROWS), ("home", *_ROWS)


def make_row_index(frame: "pl.DataFrame") -> "pl.DataFrame":
    """Make the table for `RowIndex`, in the order of `frame` except for the columns sorted by id or checksum. Raises
    what Polars raises if an id is no uuid."""
    types = frame["type"] if "type" in frame.columns else pl.zeros(frame.height, pl.UInt8(), eager=True)
    is_own = pl.col("home").is_null() if "home" in frame.columns else pl.lit(value=True)
    frame = frame.with_columns(types.alias("type"), is_own.cast(pl.UInt8()).alias("is_own"))
    raw = frame["id"].str.replace_all("-", "", literal=True).str.decode("hex")
    halves = np.frombuffer(b"".join(raw.to_list()), dtype=">u8").reshape(-1, 2).astype(np.uint64)
    order = np.argsort(halves[:, 0], kind="stable")
    return pl.DataFrame(
        [
            *frame.select("type", "status", "is_own", "pack", "offset", "length", "hash"),
            *frame.select(pl.col("categories").fill_null(0), pl.col("created_at", "updated_at").fill_null(_NEVER)),
            *make_texts(frame["slug"]),
            pl.Series("by_id", order, dtype=pl.UInt32()),
            pl.Series("id_high", halves[order, 0], dtype=pl.UInt64()),
            pl.Series("id_low", halves[order, 1], dtype=pl.UInt64()),
        ]
    )


LISTING_INDEX = derive_table("names", make_row_index, {"listings": _LISTING_COLUMNS})
ORGANIZATION_INDEX = derive_table("organization_names", make_row_index, {"organizations": _ORGANIZATION_COLUMNS})


class RowIndex:
    """An index of the rows of `listings` or `organizations`."""

    def __init__(self, table: MappedTable) -> None:
        self._count = len(table)
        self._id_rows = table.view_array("by_id")
        self._highs, self._lows = table.view_array("id_high"), table.view_array("id_low")
        self._slugs = HashedTexts(table, "slug")
        self._types, self._statuses = table.view_array("type"), table.view_array("status")
        self._packs, self._offsets = table.view_array("pack"), table.view_array("offset")
        self._lengths = table.view_array("length")
        self._created, self._updated = table.view_array("created_at"), table.view_array("updated_at")
        self._categories, self._own = table.view_array("categories"), table.view_array("is_own")
        _, self._hashes = table.view_texts("hash")

    def __len__(self) -> int:
        return self._count

    def find_id(self, row_id: str, *, type_code: int = 0) -> int | None:
        """Return the row of that type with this UUID (lower case), whatever its status, or None."""
        places, low = self._span_id(row_id)
        rows = (self._id_rows[at] for at in places if self._lows[at] == low)
        return next((row for row in rows if self._types[row] == type_code), None)

    def _span_id(self, row_id: str) -> tuple[range, int]:
        """Return the range of the ids with the same first half, and the second half."""
        number = int(row_id.replace("-", ""), 16)
        first = bisect_left(self._highs, number >> 64)
        return range(first, bisect_right(self._highs, number >> 64, first)), number & _HALF

    def find_visible(self, row_id: str, *, type_code: int = 0, include_archived: bool = False) -> int | None:
        """Return the row that `find_id` returns if it `is_visible`, else None."""
        row = self.find_id(row_id, type_code=type_code)
        return row if row is not None and self.is_visible(row, include_archived=include_archived) else None

    def count_ids(self, row_id: str) -> int:
        """Count the rows, of all types, that have this uuid or one before it."""
        places, low = self._span_id(row_id)
        return places.start + sum(self._lows[at] <= low for at in places)

    def read_id(self, row: int, *, rank: int) -> str:
        """Return a row's id. `rank`: its rank by id. Among ids that share their first half, the row is searched for."""
        at = bisect_left(self._highs, self._highs[rank]) if self._id_rows[rank] != row else rank
        while self._id_rows[at] != row:
            at += 1
        digits = f"{self._highs[at]:016x}{self._lows[at]:016x}"
        return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))

    def find_slug(self, slug: str, *, type_code: int) -> Iterator[int]:
        """Yield the rows of that type with this slug, whatever their status."""
        return (row for row in self._slugs.find(slug) if self._types[row] == type_code)

    def is_visible(self, row: int, *, include_archived: bool) -> bool:
        """Return True for a published row, and for an archived one if requested; drafts are never visible."""
        status = self._statuses[row]
        return status == PUBLISHED or (include_archived and status == ARCHIVED)

    def is_own(self, row: int) -> bool:
        """Return True unless an organization's record is in another metro."""
        return bool(self._own[row])

    def find_published(self) -> NDArray[np.bool_]:
        """Mark the published rows."""
        published: NDArray[np.bool_] = np.asarray(self._statuses) == PUBLISHED
        return published

    def share_categories(self, bits: int) -> NDArray[np.bool_]:
        """Mark by row the listings with any category of a bit set over the vocabulary."""
        shared: NDArray[np.bool_] = (np.asarray(self._categories) & np.uint64(bits)) != 0
        return shared

    def locate_document(self, row: int) -> tuple[int, int, int]:
        """Return the pack, the offset and the length of a row's document."""
        return self._packs[row], self._offsets[row], self._lengths[row]

    def view_documents(self, rows: Sequence[int], packs: Mapping[int, memoryview]) -> list[memoryview]:
        """Return views of the rows' documents in the packs."""
        numbers, offsets, lengths = self._packs, self._offsets, self._lengths
        return [packs[numbers[row]][(at := offsets[row]) : at + lengths[row]] for row in rows]

    def read_hash(self, row: int) -> bytes:
        """Return the row's hash, 32 bytes."""
        return bytes(self._hashes[row * _HASH_BYTES : (row + 1) * _HASH_BYTES])

    def read_stamps(self, row: int) -> tuple[int, int]:
        """Return `created_at` and `updated_at` in seconds since 1970; -1 if not stated."""
        return self._created[row], self._updated[row]


def number_programs() -> "pl.Expr":
    """Return an expression that numbers the programs that several published listings share; -1 for other listings."""
    key = pl.when(pl.col("status") == PUBLISHED).then("program_key")
    number = pl.when(key.is_not_null() & key.is_duplicated()).then(key).rank("dense") - 1
    return number.fill_null(-1).cast(pl.Int32())


_LISTINGS = ("row", "type", "id", "status", "program_key", "audience", "confidence", "lat", "lng")


def make_row_facts(listings: "pl.DataFrame") -> "pl.DataFrame":
    """Make the table for `RowFacts`. `x`, `y`, `z`: a point of the unit sphere; NaN without coordinates."""
    x, y, z = make_unit_vectors(*(listings[name].fill_null(float("nan")).to_numpy() for name in ("lat", "lng")))
    return listings.select(
        "type",
        audience=pl.col("audience").fill_null(255),
        confidence=pl.col("confidence").fill_null(0.0),
        program=number_programs(),
        id_rank=(pl.col("id").rank("ordinal") - 1).cast(pl.UInt32()),
        x=pl.Series(x),
        y=pl.Series(y),
        z=pl.Series(z),
    )


ROW_FACTS = derive_table("row_facts", make_row_facts, {"listings": _LISTINGS})


class RowFacts:
    """The types, points, programs, audiences and confidences of a snapshot's listings, by row."""

    def __init__(self, table: MappedTable) -> None:
        self.types: NDArray[np.uint8] = table.read_array("type")
        self.id_ranks: NDArray[np.uint32] = table.read_array("id_rank")
        self.programs: NDArray[np.int32] = table.read_array("program")
        self.audiences, self.confidences = table.view_array("audience"), table.view_array("confidence")
        self.vectors: Vectors = (table.read_array("x"), table.read_array("y"), table.read_array("z"))


_Index = TypeVar("_Index")


class Programs:
    """The programs of a snapshot's classes, by number. A listing without a program has -1."""

    def __init__(self, facts: RowFacts) -> None:
        self._facts = facts
        members = np.flatnonzero(facts.programs >= 0)
        numbers = facts.programs[members]
        self._rows = members[np.argsort(numbers, kind="stable")]
        self._ends = [0, *np.cumsum(np.bincount(numbers)).tolist()]

    def find_programs(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of each row's program."""
        return self._facts.programs[rows].astype(np.int64)

    def list_members(self, program: int) -> list[int]:
        """List a program's published rows, in natural order."""
        members: list[int] = self._rows[self._ends[program] : self._ends[program + 1]].tolist()
        return members

    def find_others(self, row: int, *, audiences: Collection[int], min_confidence: float) -> list[int]:
        """List the program's other published rows with one of these audiences and at least this confidence."""
        program = int(self._facts.programs[row])
        if program < 0:
            return []
        stated, confidences = self._facts.audiences, self._facts.confidences
        return [
            other
            for other in self.list_members(program)
            if other != row and stated[other] in audiences and confidences[other] >= min_confidence
        ]


class SnapshotReader:
    """A reader of one snapshot, whose look-ups do not add to `QUERIES`. It holds the snapshot's parts but not the
    snapshot, and so can be cached for the snapshot's life without prolonging it."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.hash, self.metro, self.vocabulary = snapshot.hash, snapshot.metro, snapshot.vocabulary
        self.related = snapshot.related
        self.language = snapshot.language or read_shipped_language(ENGLISH)
        self.tables = snapshot.tables
        # The metro's local date when it last changed, for tables that depend on the build's date and are made here.
        self.date = snapshot.stamp.astimezone(read_zone(snapshot.metro.timezone)).date()
        self._packs, self._mapped = _PackViews(snapshot.packs), snapshot.mapped
        self._indexes: dict[Hashable, Any] = {}
        self._locks: dict[Hashable, threading.RLock] = {}
        # Caches that all snapshots share, and functions that open indexes later, have only this weak reference.
        self.reference = weakref.ref(self)
        self.fetch((*LISTING_INDEX.names, *ORGANIZATION_INDEX.names, *ROW_FACTS.names))
        self.listings = RowIndex(self.open_table(LISTING_INDEX))
        self.organizations = RowIndex(self.open_table(ORGANIZATION_INDEX))
        self.rows = RowFacts(self.open_table(ROW_FACTS))
        self.programs = Programs(self.rows)

    def fetch(self, names: Collection[str]) -> None:
        """Fetch several mapped tables at once, before they are read one after the other."""
        if isinstance(self._mapped, LazyFiles):
            self._mapped.open(names)

    def read_document(self, row: int) -> bytes:
        """Return the document of a listing, as stored."""
        return _read(self._packs, *self.listings.locate_document(row))

    def fetch_documents(self, rows: Iterable[int]) -> None:
        """Fetch the packs of several documents at once, before these are read one after the other."""
        if not self._packs.is_whole:
            self._packs.fetch({self.listings.locate_document(row)[0] for row in rows})

    def open_packs(self) -> None:
        """Open every pack, so that no list has to look for one."""
        self._packs.open()

    def view_documents(self, rows: Sequence[int]) -> list[memoryview]:
        """Return views of the rows' documents, so that a page of them is copied only once, as a whole."""
        return self.listings.view_documents(rows, self._packs)

    def read_organization(self, row: int) -> bytes:
        """Return the document of an organization, as stored: without `categories`, `metros` and `counts`."""
        return _read(self._packs, *self.organizations.locate_document(row))

    def open_index(self, make: Callable[["SnapshotReader"], _Index]) -> _Index:
        """Return the index that `make` makes of this snapshot. The first call makes it, in one thread, and it is cached
        as long as this reader. It must not refer to this reader, which would keep both alive (see `defer`)."""
        try:
            index: _Index = self._indexes[make]
        except KeyError:
            return self._make_index(make)
        return index

    def find_index(self, make: Callable[["SnapshotReader"], _Index]) -> _Index | None:
        """Return an index that `open_index` has made, else None."""
        return self._indexes.get(make)

    def defer(self, make: Callable[["SnapshotReader"], _Index]) -> Callable[[], _Index]:
        """Return a function that opens an index when called. It does not keep this reader alive."""
        reference = self.reference

        def open_later() -> _Index:
            reader = reference()
            assert reader is not None, "callers hold the reader"
            return reader.open_index(make)

        return open_later

    def _make_index(self, make: Callable[["SnapshotReader"], _Index]) -> _Index:
        with self._locks.setdefault(make, threading.RLock()):
            if make not in self._indexes:
                self._indexes[make] = make(self)
            made: _Index = self._indexes[make]
        return made

    def open_table(self, derived: DerivedTables) -> MappedTable:
        """Return the first table of a derivation."""
        return self.open_tables(derived)[derived.names[0]]

    def open_tables(self, derived: DerivedTables) -> Mapping[str, MappedTable]:
        """Return the tables of a derivation, by name. If a file is missing, all are made in memory, which raises an
        error of Polars if a source table is broken."""
        mapped = self._find_all(derived.names)
        return mapped or derived.make_again(self.tables, TableContext(today=self.date, language=self.language))

    def open_rendered(
        self, names: Sequence[str], make: Callable[["SnapshotReader"], Frames]
    ) -> Mapping[str, MappedTable]:
        """Return tables derived from documents: the build's files or, if one is missing, tables made in memory."""
        mapped = self._find_all(names)
        return mapped or {name: MappedTable(encode_mapped(frame)) for name, frame in make(self).items()}

    def _find_all(self, names: Sequence[str]) -> Mapping[str, MappedTable]:
        """Return the tables that the build mapped; an empty mapping if one is missing."""
        is_whole = self._mapped.keys() >= {*names}
        return {name: MappedTable(self._mapped[name]) for name in names} if is_whole else {}


class _PackViews(dict[int, memoryview]):
    """Views of packs by number, each made when it is first read."""

    def __init__(self, packs: Sequence[Bytes]) -> None:
        self._packs, self.is_whole = packs, False

    def __missing__(self, number: int) -> memoryview:
        pack = self._packs[number]
        view = self[number] = pack.view if isinstance(pack, MappedFile) else memoryview(pack[:])
        self.is_whole = len(self) == len(self._packs)
        return view

    def open(self) -> None:
        for number in range(len(self._packs)):
            self[number]

    def fetch(self, numbers: Set[int]) -> None:
        if isinstance(self._packs, LazyPacks):
            self._packs.files.open(map(str, numbers - self.keys()))


def _read(packs: Mapping[int, memoryview], pack: int, offset: int, length: int) -> bytes:
    return packs[pack][offset : offset + length].tobytes()


def find_reader(snapshot: Snapshot) -> SnapshotReader | None:
    """Return the reader of a snapshot if one is open, else None."""
    return snapshot.__dict__.get("reader")


_lock = threading.Lock()


def open_snapshot(snapshot: Snapshot) -> SnapshotReader:
    """Return the only reader of a snapshot, which the snapshot holds.

    Raises an error of Polars if a table is broken.
    """
    reader: SnapshotReader | None = snapshot.__dict__.get("reader")
    if reader is None:
        with _lock:
            reader = snapshot.__dict__.get("reader") or SnapshotReader(snapshot)
            snapshot.__dict__["reader"] = reader
    return reader
