"""Stored records are complete."""

import json
from collections import Counter
from pathlib import Path

import pytest

from pipeline.clean.cleaning import CleaningResult, Origin, clean_record
from pipeline.clean.feed_read import FeedRead, put_cached_read, read_cached_read
from pipeline.clean.reading import read_source
from pipeline.fetch.opening import open_sources
from tests.pipeline.city import make_event, make_place
from tests.pipeline.fetch.settings import Configure, ReadNdjson
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


def test_a_record_as_it_was_is_not_cleaned_again_and_says_the_same_wherever_it_stands(
    configure: Configure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, odd, wrong = (
        json.dumps({"type": "event", "source_id": key, "name": key, **rest})
        for key, rest in (("a", {}), ("b", {"image_url": "no address", "nope": 1}), ("c", {"starts_local": "soon"}))
    )
    configuration = configure('format = "ndjson"\nurl = "feed.ndjson"\nmetro = "seattle"')
    feed, path = configuration.feeds[0], tmp_path / "feed.ndjson"

    def read(before: FeedRead | None = None) -> FeedRead:
        source = open_sources([feed], configuration, scratch=tmp_path)[feed.name]
        return read_source(feed, configuration, source, before=() if before is None else before.cleaned)

    path.write_text("\n".join((good, odd, wrong)))
    before = read()
    path.write_text("\n".join((wrong, odd, good, good.replace('"a"', '"d"'))))
    anew = read()
    cleaned: list[int] = []

    def clean(raw: object, *, line: int, origin: Origin, unknown: Counter[str]) -> CleaningResult:
        cleaned.append(line)
        return clean_record(raw, line=line, origin=origin, unknown=unknown)

    monkeypatch.setattr("pipeline.clean.reading.clean_record", clean)
    assert read(before) == anew
    assert cleaned == [1, 2, 4]  # what has a problem is looked at again
