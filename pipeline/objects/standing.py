"""Records of feeds that say only what changed, as they stand, kept with a metro's release: the next build takes what is
not spoken of as if it was said again."""

import mmap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from tempfile import TemporaryFile
from typing import Any

import msgspec
from msgspec import Struct, structs

from outings.contract.vocabulary import SETS, Vocabulary
from outings.release.objects import Corrupt, read_object
from outings.release.store import Store
from pipeline.records.record import PlaceRecord, Problem
from pipeline.records.runs import RUN, pack_runs, unpack_runs
from pipeline.records.spool import Encoded, Told, encode_record, tell_record
from pipeline.tables.drawer import naming_folder

# Of the records in it: a program that reads others makes nothing of these.
LAYOUT = 1
_HINTS = "type_hints"

# Words by the member of a vocabulary that has them.
Words = Mapping[str, Sequence[str]]


class Standing(Struct, frozen=True):
    """For the next build: the encoded `records`, if there are any. `torn`: the object of before, where it can't be
    read."""

    records: bytes | None = None
    torn: str | None = None


NOTHING = Standing()


class _Head(Struct, frozen=True, array_like=True):
    """`words`: all that its records may have."""

    layout: int
    words: dict[str, tuple[str, ...]]


class _Stands(Struct, frozen=True, array_like=True):
    """A record without its line, which was in another file. `crawled`: its feed's newest when it was said."""

    kind: str
    digest: bytes
    data: msgspec.Raw
    crawled: datetime | None


class Stood(Struct, frozen=True):
    """Records on line 0, and the words that they may have."""

    records: Sequence[Told] = ()
    words: Words = {}


_decoder = msgspec.msgpack.Decoder(list[_Stands])


def encode_standing(records: Iterable[Told], *, words: Words, vocabulary: Vocabulary) -> bytes | None:
    """Of the same records the same bytes; None of none. `words`: those that records of before may have."""
    ordered = sorted(records, key=lambda told: (told.head.feed, told.head.type, told.head.source_id))
    known = {
        name: tuple(sorted({*words.get(name, ()), *getattr(vocabulary, name)})) for name in (*SETS, _HINTS)
    }  # fmt: skip
    return pack_runs(_encode_runs(ordered, _Head(LAYOUT, known))) if ordered else None


def _encode_runs(records: Sequence[Told], head: _Head) -> Iterator[bytes]:
    yield msgspec.msgpack.encode(head)
    for first in range(0, len(records), RUN):
        run = records[first : first + RUN]
        yield msgspec.msgpack.encode(
            [_Stands(told.head.type, told.digest, told.data, told.crawled) for told in run]
        )  # fmt: skip


def read_standing(store: Store, sha: str) -> Stood:
    """NotFound, Corrupt, StoreError."""
    return parse_standing(read_object(store, sha))


def parse_standing(data: bytes) -> Stood:
    """Corrupt, msgspec.DecodeError."""
    runs = unpack_runs(data)
    head = msgspec.msgpack.decode(next(runs), type=_Head)
    if head.layout != LAYOUT:
        raise Corrupt("the records that stood are those of another program")
    return Stood(list(_read_runs(runs)), head.words)


def _read_runs(runs: Iterable[bytes]) -> Iterator[Told]:
    """Records stay where they lie, in a nameless file's pages: of a million they would be gigabytes."""
    with TemporaryFile() as file:
        with naming_folder():
            sizes = [file.write(run) for run in runs]
            file.flush()
        if not sizes:
            return
        data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    at = 0
    for size in sizes:
        for each in _decoder.decode(data[at : at + size]):
            yield tell_record(Encoded(0, each.digest, each.data), each.kind, crawled=each.crawled)
        at += size


def drop_words(told: Told, vocabulary: Vocabulary, problems: list[Problem]) -> Told:
    """The record without the words that the vocabulary has no more. What stands keeps them: they may come back."""
    record = told.read_record()
    changed: dict[str, Any] = {}
    for name in SETS:
        words = getattr(record, name, ())
        if not set(words) <= set(getattr(vocabulary, name)):
            changed[name] = tuple(word for word in words if word in getattr(vocabulary, name))
    if isinstance(record, PlaceRecord) and record.type_hint not in (None, *vocabulary.type_hints):
        changed["type_hint"] = None
    if not changed:
        return told
    problems += [
        Problem(
            feed=record.feed, line=0, source_id=record.source_id, field=name,
            reason="unknown_word: the vocabulary has it no more", value=str(getattr(record, name)), quarantined=False,
        )
        for name in changed
    ]  # fmt: skip
    return tell_record(encode_record(structs.replace(record, **changed)), record.type, crawled=told.crawled)


def has_words(vocabulary: Vocabulary, words: Words) -> bool:
    return all(set(some) <= set(getattr(vocabulary, name)) for name, some in words.items())
