"""Reads a release whole, sharing no code with the program but the store's own `get`: JSON, gzip, Parquet, SHA-256."""

import gzip
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from outings.release.folder import FolderStore
from outings.release.manifest import list_references
from outings.release.pointer import list_releases
from outings.release.snapshot import open_release
from outings.release.store import Store
from tests.faults.worlds import read_marks
from tests.release.worlds import read_checked, read_current, read_log

PUBLISHED = 0


@dataclass(frozen=True)
class Listing:
    slug: str
    is_published: bool
    updated_at: int


@dataclass(frozen=True)
class Whole:
    """`marks`: each metro's round. `listings`: of all metros, organizations too, by metro and id."""

    sequence: int
    sha: str
    root: dict[str, Any]
    marks: dict[str, int]
    listings: dict[tuple[str, str], Listing]
    log: list[dict[str, Any]]


def read_whole(store: Store) -> Whole | None:
    """The release in force, every object of it read and checked; None before the first."""
    current = read_current(store)
    if current is None:
        return None
    root = json.loads(read_checked(store, current["root"]))
    assert (root["sequence"], root["log"]["latest_version_id"]) == (current["sequence"], current["latest_version_id"])
    for feed in root["feeds"].values():
        if feed["problems"]:
            read_checked(store, feed["problems"])
    for segment in [*root["log"]["sealed"], *filter(None, [root["log"]["tail"]])]:
        read_checked(store, segment["index"])
    marks, listings = {}, {}
    for slug, part in root["parts"].items():
        marks[slug], listed = _read_metro(store, json.loads(read_checked(store, part["manifest"])))
        listings.update({(slug, id_): value for id_, value in listed.items()})
    log = read_log(store, root)
    check_log(log)
    assert len(log) == root["log"]["latest_version_id"]
    return Whole(current["sequence"], current["root"], root, marks, listings, log)


def _read_metro(store: Store, manifest: dict[str, Any]) -> tuple[int, dict[str, Listing]]:
    tables = {
        name: pl.read_parquet(io.BytesIO(read_checked(store, table["object"])))
        for name, table in manifest["tables"].items()
    }
    packs = [read_checked(store, pack["object"]) for pack in manifest["packs"]]
    names, listings = [], {}
    for name in ("listings", "organizations"):
        for row in tables[name].iter_rows(named=True):
            document = json.loads(packs[row["pack"]][row["offset"] : row["offset"] + row["length"]])
            assert (document["id"], document["name"]) == (row["id"], row["name"])
            is_published = row["status"] == PUBLISHED
            listings[row["id"]] = Listing(row["slug"], is_published, row["updated_at"])
            if is_published:
                names.append(row["name"])
    for page in manifest["pages"].values():
        body = json.loads(gzip.decompress(read_checked(store, page["object"])))
        names += [item["name"] for item in body["data"] if "name" in item]  # the calendar's days have none
    for export in manifest["exports"].values():
        read_checked(store, export["object"])
    marks = read_marks(names)
    assert len(marks) == 1, f"a mixture of rounds {marks}"
    return marks.pop(), listings


def check_log(log: list[dict[str, Any]]) -> None:
    """Ids rise by one, time never goes back, and a listing is created once, then changed, gone and back in turn."""
    assert [version["version_id"] for version in log] == [*range(1, len(log) + 1)]
    assert [version["changed_at"] for version in log] == sorted(version["changed_at"] for version in log)
    last: dict[str, str] = {}
    allowed = {
        None: {"created"},
        "created": {"updated", "removed"},
        "updated": {"updated", "removed"},
        "restored": {"updated", "removed"},
        "removed": {"restored"},
    }
    for version in _list_visible(log):
        assert version["kind"] in allowed[last.get(version["listing_id"])], version
        last[version["listing_id"]] = version["kind"]


def _list_visible(log: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """List the versions that readers of all metros see. For them an organization that comes to another metro is no
    change."""
    return [entry for entry in log if not entry.get("known_in")]


def replay(log: list[dict[str, Any]]) -> dict[str, str]:
    """Return what a mirror has that read the log: slugs by id."""
    documents: dict[str, str] = {}
    for version in _list_visible(log):
        if version["kind"] == "removed":
            del documents[version["listing_id"]]
        else:
            documents[version["listing_id"]] = version["slug"]
    return documents


def list_published(whole: Whole) -> dict[str, str]:
    """Return what readers see: slugs by id. Of an organization in several metros the newest copy counts, then the first
    metro's."""
    published: dict[str, tuple[int, str]] = {}
    for (_, id_), listing in sorted(whole.listings.items()):
        if listing.is_published and (id_ not in published or listing.updated_at > published[id_][0]):
            published[id_] = (listing.updated_at, listing.slug)
    return {id_: slug for id_, (_, slug) in published.items()}


def check_current(folder: Path) -> int:
    """The release in force is whole and its log leads to it; its number, 0 before the first."""
    whole = read_whole(FolderStore(folder))
    if whole is None:
        return 0
    assert replay(whole.log) == list_published(whole)
    return whole.sequence


def check_listed(folder: Path) -> list[str]:
    """Every release that is listed is whole, and the program opens it; their ids, newest first."""
    store = FolderStore(folder)
    ids = []
    for listed in list_releases(store):
        open_release(store, listed, cache=folder.with_name("cache-of-reader"))
        for sha in list_references(store, listed.root):
            read_checked(store, sha)
        ids.append(listed.id)
    assert [int(value.partition("-")[0]) for value in ids] == [*range(int(ids[0].partition("-")[0]), 0, -1)][: len(ids)]
    return ids
