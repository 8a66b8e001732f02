"""Makers of JSON-LD, and how its records are shown."""

from collections.abc import Callable
from typing import Any

import msgspec

from pipeline.clean.feed_read import FeedRead

ReadJsonld = Callable[..., FeedRead]
CONTEXT = {"@context": "https://schema.org"}
ADDRESS = {"streetAddress": "1 Pine St", "addressLocality": "Seattle", "addressRegion": "WA", "postalCode": 98101}
WRITTEN = "1 Pine St, Seattle, WA 98101"


def page(*scripts: str, head: str = "") -> bytes:
    elements = "".join(f'<script type="application/ld+json">{script}</script>\n' for script in scripts)
    return f"<!DOCTYPE html>\n<html><head>{head}\n{elements}</head><body><p>Hello</body></html>".encode()


def event(**members: Any) -> dict[str, Any]:
    return {**CONTEXT, "@type": "Event", "@id": "https://a.example/1", "name": "A walk", **members}


def show(record: msgspec.Struct) -> dict[str, Any]:
    """Return only the stated members."""
    built: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(record))
    return {name: value for name, value in built.items() if value not in (None, [], {}, "", False)}


def the_one(feed: FeedRead) -> dict[str, Any]:
    assert [problem for problem in feed.problems if problem.quarantined] == []
    (record,) = feed.records
    return show(record)
