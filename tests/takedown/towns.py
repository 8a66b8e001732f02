"""Two metros in which each thing that may be taken down has a word of its own, all of them ending alike; the commands
and a server over them; and a search of all that the store holds, unpacked."""

import io
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid5

import polars as pl
import zstandard
from click.testing import CliRunner, Result

from command import main
from edge.app import Edge
from outings.release.pointer import list_releases
from outings.release.store import Store
from pipeline.records.ids import NAMESPACE
from tests.edge.asking import Response, ask
from tests.edge.conftest import Clock
from tests.edge.publishing import add_keys
from tests.pipeline.city import City, Record, make_event, make_place

WORD = "quix"
ID = "0d5c0000-0000-4000-8000-0000000000{}"
KITE, POTTERY, HALL, CLUB = (ID.format(end) for end in ("a1", "a2", "a3", "a4"))
METROS = ("seattle", "boston")


def make_kite(**members: Any) -> Record:
    return make_event(
        "kitequix-1", id=KITE, name="Kitequix day", description="Fly a kitequix.", categories=["sports_active_play"],
        keywords=["flyquix"], registration_url="https://kitequix.example/", rrule="FREQ=WEEKLY;COUNT=9",
        organization={"name": "Parks"}, **members,
    )  # fmt: skip


def make_class(source_id: str, **members: Any) -> Record:
    return {
        "type": "class", "source_id": source_id, "name": "Clay", "confidence": 0.9, "program_key": "clay",
        "term": {"starts_on": "2026-08-01", "ends_on": "2026-12-01"}, "categories": ["arts_creative"], **members,
    }  # fmt: skip


def list_records(metro: str, *, number: int = 2) -> list[Record]:
    """List the records of a release. Release 0 has none of the words that are taken down later."""
    records = [
        make_event(f"{metro} {n}", name=f"Walk {n}", categories=["sports_active_play"], location={"lat": 47.6 + n / 1e3,
                   "lng": -122.3, "address": f"{n} Elm St"})
        for n in range(6)
    ]  # fmt: skip
    records += [make_class("clay 1"), make_class("clay 2"), make_place("shed"), make_event("late", name="Late walk")]
    if number == 0:
        return records
    club = {"type": "organization", "source_id": "clubquix", "id": CLUB, "name": "Clubquix"}
    hall = make_place(
        "hallquix", id=HALL, name="Hallquix", organization={"source_id": "clubquix"},
        location={"lat": 47.62, "lng": -122.35, "address": "7 Hallquix Lane", "neighborhood": "Hallquix Hill"},
        is_indoor=True, is_outdoor=False, good_for_rainy=True, is_sensory_friendly=True,
    )  # fmt: skip
    if metro == "boston":
        return [*records, make_event("guest", name="Guest walk", organization={"id": CLUB})]
    return [
        *records, club, hall,
        make_kite(image_url=f"https://images.example/{number}quix.png"),
        make_class("potteryquix", id=POTTERY, description="Potteryquix wheels."),
        make_event(
            "in hall", name="Hall walk", place={"source_id": "hallquix"}, organization={"source_id": "clubquix"}
        ),
        make_event("at hall", name="Other hall walk", place={"id": HALL}),
        make_event("of club", name="Club walk", organization={"name": "CLUBQUIX"}),
        make_event("own", name="Own walk", place={"id": HALL}, location={"lat": 47.6, "lng": -122.3}),
    ]  # fmt: skip


class Town:
    """Releases 0, 1 and 2 of the records of these numbers, a command line and a server."""

    def __init__(self, folder: Path, *, releases: int = 3, settings: str = "") -> None:
        self.city = City(folder, has_pages=True)
        self.city.add_metro("boston", "America/New_York")
        self._settings = settings
        for number in range(releases):
            self.write(number)
            self.city.build()
        self.config = folder / "outings.toml"
        self.config.write_text(self.config.read_text() + settings)
        self.keys = add_keys(self.city.store, {"all": {}})
        self._edge: Edge | None = None

    def write(self, number: int) -> None:
        for metro in METROS:
            self.city.write(list_records(metro, number=number), feed=metro, metro=metro)

    @property
    def edge(self) -> Edge:
        if self._edge is None:
            self._edge = Edge(self.city.store, cache=self.city.folder / "edge", clock=Clock())
        self._edge.poll()
        return self._edge

    def close(self) -> None:
        if self._edge is not None:
            self._edge.close()

    def run(self, *words: str, code: int = 0) -> Result:
        result = CliRunner().invoke(main, [*words, "-c", str(self.config)])
        assert result.exit_code == code, result.output
        return result

    def run_json(self, *words: str) -> Any:
        return json.loads(self.run(*words, "--json").stdout)

    def build(self) -> Any:
        return self.run_json("build", "--as-of", "2026-08-10", "--workers", "1")

    def get(self, target: str) -> Response:
        return ask(self.edge, target, key=self.keys["all"])

    def prune(self) -> None:
        """Releases of these tests are of a day in August, takedowns of today."""
        self.run("releases", "prune", "--clock-is-right")

    def list_ids(self) -> list[str]:
        """List the ids of the releases that can be found, newest first."""
        return [release.id for release in list_releases(self.city.store)]

    def walk_changes(self) -> list[dict[str, Any]]:
        changes: list[dict[str, Any]] = self.get("/v1/changes?limit=1000").read_json()["data"]
        return changes


def list_targets() -> Iterator[str]:
    """Every list, directory, search and file that there is."""
    for metro in METROS:
        base = f"/v1/{metro}"
        yield from (f"{base}/{name}?limit=100" for name in ("events", "classes", "camps", "places"))
        yield from (f"{base}/{name}" for name in ("organizations?min_count=0", "neighborhoods", "coverage"))
        yield f"{base}/events?changed_since=1970-01-01T00:00:00Z"
        yield f"{base}/events?occurrences=expand&facets=category,organization"
        yield f"{base}/classes?expand=sessions,organization"
        yield f"{base}/events/density"
        yield f"{base}/events/calendar?from=2026-08-10&to=2026-08-30"
        yield f"{base}/events.ics"
        yield f"{base}/search?q=walk"
        yield f"{base}/suggest?q=w"
        yield f"{base}/search?q=clay"
        yield f"{base}/nearby?lat=47.6&lng=-122.3&radius_m=50000"
        yield f"{base}/activity?lat=47.6&lng=-122.3&radius_m=50000"
        yield f"{base}/around?lat=47.6&lng=-122.3&radius_m=50000"
        for name in ("events", "classes", "places"):
            yield from (f"{base}/export/{name}.{file}" for file in ("jsonl", "parquet"))
        yield f"{base}/export/events.ics"
    for source_id in ("seattle/event/at hall", "seattle/event/seattle 1", "boston/event/guest"):
        yield f"/v1/events/{uuid5(NAMESPACE, source_id)}?include=related,source&expand=organization"
    yield "/v1/changes?limit=1000"
    yield "/v1/metros"


def find_words(store: Store, word: str = WORD) -> list[str]:
    """The objects that have it, however they are packed."""
    return [entry.name for entry in store.list("objects/") if word.encode() in _unpack(store.get(entry.name)).lower()]


def _unpack_members(data: bytes) -> bytes:
    """Unpack the gzip files of a site. A test of pages compares them with those in Brotli."""
    unpacked = b""
    while data[:2] == b"\x1f\x8b":
        member = zlib.decompressobj(wbits=31)
        unpacked += member.decompress(data)
        data = member.unused_data
    return unpacked


def _unpack(data: bytes) -> bytes:
    if data[:2] == b"\x1f\x8b":
        return _unpack_members(data)
    if data[:4] == b"\x28\xb5\x2f\xfd":
        return zstandard.ZstdDecompressor().decompressobj().decompress(data)
    if data[:4] == b"PAR1":
        frame = pl.read_parquet(io.BytesIO(data))
        binary = [name for name, kind in frame.schema.items() if kind == pl.Binary]
        return frame.drop(binary).write_json().encode() + b"".join(
            drop_null for name in binary for drop_null in frame[name].drop_nulls()
        )
    return data
