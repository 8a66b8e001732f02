"""Records of feeds that say only what changed, as they stand, kept with a metro's release: the next build takes what is
not spoken of as if it was said again."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct, structs

from outings.contract.vocabulary import SETS, Vocabulary
from outings.release.objects import Corrupt, read_object
from outings.release.store import Store
from pipeline.records.record import PlaceRecord
from pipeline.records.runs import RUN, pack_runs, unpack_runs
from pipeline.records.spool import Encoded, Told, encode_record, tell_record

# Of the records in it: a program that reads others makes nothing of these.
_LAYOUT = 1


class Standing(Struct, frozen=True):
    """For the next build: the encoded `records`, if there are any. `torn`: the object of before, where it can't be
    read."""

    records: bytes | None = None
    torn: frozenset[str] = frozenset()


NOTHING = Standing()


class _Stands(Struct, frozen=True, array_like=True):
    """A record without its line, which was in another file. `crawled`: its feed's newest when it was said."""

    kind: str
    digest: bytes
    data: msgspec.Raw
    crawled: datetime | None


_decoder = msgspec.msgpack.Decoder(list[_Stands])


def encode_standing(records: Iterable[Told]) -> bytes | None:
    """Of the same records the same bytes; None of none."""
    ordered = sorted(records, key=lambda told: (told.head.feed, told.head.type, told.head.source_id))
    return pack_runs(_encode_runs(ordered)) if ordered else None


def _encode_runs(records: list[Told]) -> Iterator[bytes]:
    yield msgspec.msgpack.encode(_LAYOUT)
    for first in range(0, len(records), RUN):
        run = records[first : first + RUN]
        yield msgspec.msgpack.encode(
            [_Stands(told.head.type, told.digest, told.data, told.crawled) for told in run]
        )  # fmt: skip


def read_standing(store: Store, sha: str, *, before: Vocabulary, vocabulary: Vocabulary) -> Iterator[Told]:
    """On line 0, without words of the vocabulary before that it has no more. NotFound, Corrupt, StoreError."""
    runs = unpack_runs(read_object(store, sha))
    if next(runs) != msgspec.msgpack.encode(_LAYOUT):
        raise Corrupt("the records that stood are those of another program")
    for run in runs:
        for each in _decoder.decode(run):
            told = tell_record(Encoded(0, each.digest, each.data), each.kind, crawled=each.crawled)
            yield told if vocabulary == before else _drop_words(told, vocabulary)


def _drop_words(told: Told, vocabulary: Vocabulary) -> Told:
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
    return tell_record(encode_record(structs.replace(record, **changed)), record.type, crawled=told.crawled)
