"""Cleaned records on their way from the feeds' work to the metros', in files of a scratch folder."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from outings.release.disk import write_named
from pipeline.record import RECORDS, Record


def spool_records(records: Iterable[Record], *, folder: Path, feed: str) -> None:
    """One file a metro and type: `<folder>/<metro>/<feed>.<type>.msgpack`. Every record names its metro."""
    parts: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in records:
        assert record.metro is not None
        parts[record.metro, record.type].append(record)
    for (metro, kind), some in parts.items():
        path = folder / metro / f"{feed}.{kind}.msgpack"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_named(path, msgspec.msgpack.encode(some))


def read_spool(folder: Path, *, metro: str, feeds: Sequence[str]) -> list[Record]:
    """The metro's records, in the order of `feeds`, types and lines: the same whoever wrote the files first."""
    found: list[Record] = []
    for feed in feeds:
        for kind, struct in RECORDS.items():
            path = folder / metro / f"{feed}.{kind}.msgpack"
            if path.exists():
                found += msgspec.msgpack.decode(path.read_bytes(), type=list[struct])  # type: ignore[valid-type]
    return found
