"""The edge over the sample metros of the demo, on a day that does not move."""

import shutil
from datetime import UTC, date, datetime
from pathlib import Path
from random import Random

from command.sample_cities import write_world
from edge.app import Edge
from outings.configuration import read_configuration
from outings.keys.key_text import make_key_text, split_key_text
from outings.keys.registry import Key, add_key, change_registry
from outings.release.store import open_store
from pipeline.building import build_release
from pipeline.clock import AsOf
from pipeline.executors.local import InlineExecutor
from pipeline.plan import Build
from tests.built_once import build_once
from tests.edge.conftest import CALENDAR_SECRETS

DAY = date(2026, 8, 10)
NOW = datetime(2026, 8, 10, 18, tzinfo=UTC)
SIZE = 120


def build_sample(folder: Path) -> None:
    """Build the sample metros; the folder has their feeds and their store."""
    configuration = read_configuration(write_world(folder / "outings.toml", today=DAY, size=SIZE), {})
    store = open_store(configuration.store.url)
    build_release(Build(configuration=configuration, as_of=AsOf(day=DAY)), store=store, executor=InlineExecutor())


def make_edge(folder: Path) -> Edge:
    """Serve a copy of the sample metros; the folder has its feeds, its store and its cache."""
    shutil.copytree(build_once("sample", build_sample), folder, dirs_exist_ok=True)
    store = open_store(read_configuration(folder / "outings.toml", {}).store.url)
    edge = Edge(store, cache=folder / "cache", clock=lambda: NOW, calendar_secrets=CALENDAR_SECRETS)
    edge.poll()
    return edge


def add_client(folder: Path, edge: Edge, *, plan: str) -> str:
    """A key of a client of that plan, which may read every metro and type as often as a test asks: the same text each
    time."""
    key = make_key_text(Random(plan).choice)
    id_, hash_ = split_key_text(key)
    store = open_store(read_configuration(folder / "outings.toml", {}).store.url)
    client = Key(id=id_, hash=hash_, client=plan, plan=plan, per_minute=10_000, created_at=NOW)
    change_registry(store, lambda registry: add_key(registry, client))
    edge.poll()
    return key
