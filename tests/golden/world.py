"""The fixed world of the golden answers: the two sample cities, and a city in which every listing is an edge case."""

import hashlib
import shutil
from datetime import UTC, date, datetime
from pathlib import Path

from command.sample_cities import write_world
from edge.app import Edge
from edge.services.geocoder import LocalGeocoder
from outings.configuration import read_configuration
from outings.release.store import open_store
from pipeline.building import build_release
from pipeline.clock import AsOf
from pipeline.executors.local import InlineExecutor
from pipeline.plan import Build

DAY = date(2026, 10, 20)
NOW = datetime(2026, 10, 20, 18, 30, tzinfo=UTC)
CALENDAR_SECRETS = ("golden answers sign with these words",)
_SIZE = 150
_FEEDS = ("edges.ndjson", "edges.ics")

# The clocks of this city go back on 25 October, five days after the build, and forward on 28 March.
_CITY = """
[[metros]]
slug = "edges"
name = "Edges"
timezone = "Europe/Dublin"
aliases = ["rim"]
center = { lat = 53.35, lng = -6.26 }
bounds = { south = 53.2, west = -6.5, north = 53.5, east = -6.0 }

[[feeds]]
name = "records"
metro = "edges"
format = "ndjson"
url = "data/edges.ndjson"
spans = "first"
confidence = "computed"

[[feeds]]
name = "calendar"
metro = "edges"
format = "ics"
url = "data/edges.ics"
spans = "first"
confidence = "computed"
defaults = { categories = ["festivals_seasonal"], organization = { name = "Calendar Company, Inc." } }
"""


def make_edge(folder: Path) -> Edge:
    """Build the world in `folder` as of `DAY`, and serve it at `NOW`."""
    path = write_world(folder / "outings.toml", today=DAY, size=_SIZE)
    with path.open("a") as lines:
        lines.write(_CITY)
    for name in _FEEDS:
        shutil.copy(Path(__file__).with_name(name), folder / "data")
    configuration = read_configuration(path, {})
    store = open_store(configuration.store.url)
    build_release(Build(configuration=configuration, as_of=AsOf(day=DAY)), store=store, executor=InlineExecutor())
    edge = Edge(
        store, cache=folder / "cache", clock=lambda: NOW, calendar_secrets=CALENDAR_SECRETS, geocoder=LocalGeocoder()
    )
    edge.poll()
    return edge


def hash_world(folder: Path) -> str:
    """Return the hash of the feeds in `folder`, so that another world is not taken for another renderer."""
    files = sorted(path for path in (folder / "data").iterdir() if path.is_file())
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()[:16]
