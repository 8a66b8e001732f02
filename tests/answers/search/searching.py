"""Listings made for a case → a release; words → what a search of them answers."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from outings.contract.errors import ApiError
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.asking import fetch, parse
from tests.answers.documents import make_uuid
from tests.answers.worlds import World, open_release

Document = dict[str, Any]

PATH = "/v1/harbor/search"
LEVELS = ["all_terms", "related", "partial"]
EVERY = {"match": ",".join(LEVELS)}


def open_listings(folder: Path, *listings: Document, **members: Any) -> Release:
    return open_release([World(listings=list(listings), **members)], folder)


def name_places(*names: str) -> list[Document]:
    """Places that say nothing but their names; ids rise."""
    return [documents.make_place(make_uuid(number), name=name) for number, name in enumerate(names, 1)]


def search(release: Release, q: str, params: Mapping[str, str] | None = None, **context: Any) -> Document:
    """Search in every level unless `params` names one."""
    return fetch(release, PATH, {"q": q, **EVERY, **(params or {})}, **context)


def find(release: Release, q: str, params: Mapping[str, str] | None = None, **context: Any) -> dict[str, str]:
    """Name → match, in the order of the answer."""
    return {item["name"]: item["match"] for item in search(release, q, params, **context)["data"]}


def score(release: Release, q: str, params: Mapping[str, str] | None = None) -> dict[str, float]:
    """Name → score, in the order of the answer."""
    return {item["name"]: item["score"] for item in search(release, q, params)["data"]}


def refuse(release: Release, q: str, params: Mapping[str, str] | None = None, **context: Any) -> ApiError:
    with pytest.raises(ApiError) as refused:
        search(release, q, params, **context)
    return refused.value


def follow_pages(
    release: Release, q: str, params: Mapping[str, str] | None = None, **context: Any
) -> list[list[Document]]:
    """Return the pages of a search, by cursor."""
    pages, sent = [], {**EVERY, **(params or {})}
    while True:
        body = search(release, q, sent, **context)
        pages.append(body["data"])
        assert body["meta"]["has_more"] == (body["meta"]["next_cursor"] is not None)
        if not body["meta"]["has_more"]:
            return pages
        sent["cursor"] = body["meta"]["next_cursor"]
        assert parse(PATH, {"q": q, **sent}).cursor is not None
        assert len(pages) < 500, "these pages never end"


def read_all(release: Release, q: str, params: Mapping[str, str] | None = None, **context: Any) -> list[Document]:
    """Return every result, in pages of 50."""
    return [item for page in follow_pages(release, q, {"limit": "50", **(params or {})}, **context) for item in page]
