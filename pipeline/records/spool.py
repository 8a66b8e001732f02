"""Cleaned records on their way from the feeds' work to the metros', in files of a scratch folder."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from uuid import uuid4

import msgspec

from outings.release.disk import write_named
from pipeline.records.record import RECORDS, Record

# Of one feed: the metros and types of which there is a file.
Spooled = tuple[tuple[str, str], ...]


def spool_records(records: Iterable[Record], *, folder: Path, feed: str) -> Spooled:
    """One file a metro and type: `<folder>/<metro>/<feed>.<type>.msgpack`; those that were written.

    Every record names its metro. The same work may be done twice at once, by a worker that was thought lost: a file is
    there whole or not at all.
    """
    parts: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in records:
        assert record.metro is not None
        parts[record.metro, record.type].append(record)
    for (metro, kind), some in parts.items():
        path = folder / metro / f"{feed}.{kind}.msgpack"
        path.parent.mkdir(exist_ok=True)  # the scratch folder itself goes with its build
        following = path.with_name(f"{path.name}.{uuid4().hex}")
        write_named(following, msgspec.msgpack.encode(some))
        following.replace(path)
    return tuple(sorted(parts))


def read_spool(folder: Path, *, metro: str, spooled: Mapping[str, Spooled]) -> list[Record]:
    """The metro's records, in the order of the feeds that `spooled` names, types and lines: the same whoever wrote the
    files first. OSError where one of them can't be seen from here."""
    found: list[Record] = []
    for feed, parts in spooled.items():
        for kind, struct in RECORDS.items():
            if (metro, kind) in parts:
                path = folder / metro / f"{feed}.{kind}.msgpack"
                found += msgspec.msgpack.decode(path.read_bytes(), type=list[struct])  # type: ignore[valid-type]
    return found
