"""Publishes one of two states of a city's static tree, for a test that kills the publisher."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

from outings.configuration.tables import StaticTable
from outings.release.store import open_store
from pipeline.publish.static.hosts import FolderHost
from pipeline.publish.static.publishing import StaticResult, publish_static

ADULTS = "/v1/seattle/events?audience=adults"
# Their lists are of different days, and one has requests that the other has not.
STATES = ((date(2026, 8, 10), (ADULTS,)), (date(2026, 8, 11), ()))


def publish_state(
    folder: Path, state: int, *, tree: str = "tree", progress: Callable[[str], None] = lambda _: None
) -> StaticResult:
    day, requests = STATES[state]
    done = publish_static(
        open_store(f"file:{folder / 'var/store'}"), StaticTable(url=f"file:{tree}", requests=requests),
        host=FolderHost(folder / tree), read_date=lambda _: day, cache=folder / "var/cache", allow_shrink=True,
        progress=progress,
    )  # fmt: skip
    assert done is not None
    return done
