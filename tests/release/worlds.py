"""Small releases, and readers of them that share no code with the program: standard JSON, gzip and SHA-256."""

import gzip
import hashlib
import json
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from outings.contract.resources.directories import Bounds, Center
from outings.contract.vocabulary import Vocabulary
from outings.release.log import Version
from outings.release.manifest import (
    LAYOUT,
    Export,
    Manifest,
    MetroSettings,
    Pack,
    PrecomputedPage,
    Table,
    hash_snapshot,
)
from outings.release.root import FeedMemory, Part
from outings.release.store import Store, encode_canonical, hash_of, name_of

NOON = datetime(2026, 8, 10, 12, tzinfo=UTC)


def minutes(count: int) -> datetime:
    return NOON + timedelta(minutes=count)


def listing_id(number: int | str) -> str:
    return str(uuid5(NAMESPACE_URL, str(number)))


def change(number: int | str, *, stamp: datetime = NOON, kind: str = "created") -> Version:
    return Version(
        listing_id=listing_id(number),
        type="event",
        metro="seattle",
        slug=f"listing-{number}",
        kind=kind,
        reason=None,
        replaced_by=None,
        changed_at=stamp,
        fields=("name",) if kind == "updated" else (),
    )


def remember(text: str, *, problems: str | None = None) -> FeedMemory:
    return FeedMemory(hash=text, read=1, listings=1, merged=0, quarantined=0, problems=problems)


def put_metro(store: Store, slug: str, content: str, *, stamp: datetime = NOON) -> Part:
    """Write a metro whose every object has `content` in it."""
    kinds = ("table", "rows", "pack", "page", "export")
    table, rows, pack, page, export = (f"{slug} {kind} {content}".encode() for kind in kinds)
    manifest = Manifest(
        layout=LAYOUT,
        renderer=1,
        metro=MetroSettings(
            slug=slug,
            name=slug.title(),
            timezone="America/Los_Angeles",
            center=Center(lat=47.6, lng=-122.3),
            bounds=Bounds(south=47.0, west=-123.0, north=48.0, east=-122.0),
        ),
        stamp=stamp,
        date=date(2026, 8, 10),
        vocabulary=Vocabulary(),
        inputs="fingerprint",
        tables={"listings": Table(object=hash_of(table), size=len(table), rows=1)},
        mapped={"rows": Table(object=hash_of(rows), size=len(rows), rows=1)},
        packs=(Pack(object=hash_of(pack), size=len(pack), alive=len(pack)),),
        pages={"/v1/events@2026-08-10": PrecomputedPage(object=hash_of(page), size=len(page))},
        exports={
            "events.jsonl": Export(
                object=hash_of(export), packed=len(export), coding="", size=len(export), sha256=hash_of(export), rows=1,
                rows_hash="0" * 64, version=1,
            )
        },
    )  # fmt: skip
    data = encode_canonical(manifest)
    store.put_many((name_of(value), value) for value in (table, rows, pack, page, export, data))
    return Part(manifest=hash_of(data), stamp=stamp, snapshot=hash_snapshot(manifest))


def read_checked(store: Store, sha: str) -> bytes:
    data = store.get(f"objects/{sha[:2]}/{sha}")
    assert hashlib.sha256(data).hexdigest() == sha
    return data


def read_current(store: Store) -> dict[str, Any] | None:
    versioned = store.read_versioned("current.json")
    return None if versioned is None else json.loads(versioned.data)


def read_chain(store: Store, *, most: int = 1_000_000) -> list[dict[str, Any]]:
    """The roots from the current one back to the first that is gone, or the first `most` of them."""
    current, chain = read_current(store), []
    sha = current and current["root"]
    while sha and len(chain) < most and (not chain or store.exists(f"objects/{sha[:2]}/{sha}")):
        chain.append(json.loads(read_checked(store, sha)))
        sha = chain[-1]["previous"]
    return chain


def read_whole(store: Store, root: dict[str, Any]) -> dict[str, str]:
    """Read and check every object that a root names; each metro's table as text."""
    tables = {}
    for segment in [*root["log"]["sealed"], *filter(None, [root["log"]["tail"]])]:
        read_checked(store, segment["index"])
        read_checked(store, segment["object"])
    for feed in root["feeds"].values():
        if feed["problems"]:
            read_checked(store, feed["problems"])
    for slug, part in root["parts"].items():
        manifest = json.loads(read_checked(store, part["manifest"]))
        for group in (manifest["packs"], manifest["pages"].values(), manifest["exports"].values()):
            for item in group:
                read_checked(store, item["object"])
        tables[slug] = read_checked(store, manifest["tables"]["listings"]["object"]).decode()
    return tables


def read_log(store: Store, root: dict[str, Any]) -> list[dict[str, Any]]:
    """Every version of a root's log, as `zcat` would show them."""
    segments = [*root["log"]["sealed"], *filter(None, [root["log"]["tail"]])]
    text = b"".join(gzip.decompress(read_checked(store, segment["object"])) for segment in segments)
    return [json.loads(line) for line in text.splitlines()]
