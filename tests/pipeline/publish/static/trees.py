"""Publish the tree of a small city, and read its files."""

from datetime import date
from pathlib import Path
from typing import Any

from outings.configuration.tables import StaticTable
from pipeline.publish.static.hosts import Host
from pipeline.publish.static.publishing import StaticResult, publish_static
from tests.pipeline.city import City

URL = "file:tree"


def publish(city: City, host: Host, *, day: str = "2026-08-10", **options: Any) -> StaticResult:
    table = StaticTable(
        url=URL, **{name: options.pop(name) for name in ("metros", "requests", "max_objects") if name in options}
    )
    done = publish_static(
        city.store, table, host=host, read_date=lambda _: date.fromisoformat(day), cache=city.cache, **options
    )
    assert done is not None
    return done


def read_tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
