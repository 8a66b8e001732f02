"""Search as the explorer's page does, in Node: the index of a city, by MiniSearch."""

import tempfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from bench.engines import Engine
from outings.contract.vocabulary import TYPES
from outings.release.folder import FolderStore
from outings.release.pointer import read_current
from outings.release.snapshot import open_release
from outings.release.tables import read_columns
from tests.judged.judging import JudgedQuery
from tests.pages.node_index import ask_index


def open_browser(folder: Path, judged: Sequence[JudgedQuery]) -> Engine:
    """Ask all queries at once, as starting Node takes longer than a search. `folder`: a store."""
    store = FolderStore(folder)
    current = read_current(store)
    assert current is not None
    found: dict[tuple[str, str], list[str]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        release = open_release(store, current.listed, cache=Path(scratch) / "cache")
        for metro, snapshot in release.metros.items():
            listings = read_columns(snapshot.tables["listings"], "listings", ("id", "type", "slug"))
            ids = {(TYPES[number], slug): listing_id for listing_id, number, slug in listings.iter_rows()}
            own = [entry for entry in judged if entry.metro == metro]
            noon = datetime.fromisoformat(f"{own[0].begin}T20:00:00+00:00")
            paths = [entry.path.removeprefix("/v1/") for entry in own]
            for entry, body in zip(own, ask_index(snapshot, paths, Path(scratch), now=noon), strict=True):
                found[metro, entry.q] = [ids[item["type"], item["slug"]] for item in body["data"]]
    return Engine("the page's index", lambda metro, q: found[metro, q])
