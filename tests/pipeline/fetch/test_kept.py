"""What was read is kept whole."""

import json

from pipeline.clean.feed_read import put_cached_read, read_cached_read
from tests.pipeline.city import make_event, make_place
from tests.pipeline.fetch.settings import ReadNdjson
from tests.release.memory import MemoryStore


def test_what_was_read_of_a_feed_comes_back_as_it_was(read_ndjson: ReadNdjson) -> None:
    types = ("organization", "class", "camp")
    records = [
        *(make_event(str(n), rdates=["2026-08-13T10:00:00"], price={"min": 5, "max": 7}) for n in range(3)),
        make_place("a"), make_event("b"), {"type": "event"}, {**make_place("c"), "images": ["no address"], "nope": 1},
        *({"type": kind, "source_id": kind, "name": kind} for kind in types),
    ]  # fmt: skip
    read = read_ndjson(b"\n".join(json.dumps(record).encode() for record in records))
    assert (len(read.records), read.quarantined, read.unknown) == (9, 1, {"nope": 1})
    store = MemoryStore()
    assert read_cached_read(store, put_cached_read(store, read)) == read


def test_a_long_feed_is_kept_in_runs(read_ndjson: ReadNdjson) -> None:
    read = read_ndjson(b"\n".join(b'{"type": "event", "source_id": "%d", "name": "A"}' % n for n in range(5_001)))
    store = MemoryStore()
    assert read_cached_read(store, put_cached_read(store, read)).records == read.records
