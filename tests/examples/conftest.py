"""The example of two cities, run as its README says.

What a row should become is read from the export itself, by `csv` and `json`; the example's SQL shares nothing with it.
"""

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from starlette.testclient import TestClient

from edge.app import Edge
from edge.services.geocoder import LocalGeocoder
from outings.release.folder import FolderStore
from tests.contract.conformance import check_response
from tests.examples.cities import Ask, BuiltExample, Row, Rows, copy_example, read_export, read_printed, select_records

# The root's own list does not hold where this folder is what pytest is asked for.
collect_ignore_glob = [] if os.environ.get("CITY_DATA") else ["test_*.py"]


def remember(read: Callable[[str], list[Row]]) -> Rows:
    kept: dict[str, list[Row]] = {}
    return lambda feed: kept.get(feed) or kept.setdefault(feed, read(feed))


@pytest.fixture(scope="session")
def export() -> Rows:
    return remember(read_export)


@pytest.fixture(scope="session")
def records() -> Rows:
    return remember(select_records)


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], BuiltExample]:
    """The two cities built from nothing as of a date, once a date; to be read only."""
    done: dict[str, BuiltExample] = {}

    def build_once(as_of: str) -> BuiltExample:
        if as_of not in done:
            example = copy_example(tmp_path_factory.mktemp("cities") / as_of)
            done[as_of] = BuiltExample(example, read_printed("build", "--as-of", as_of, example=example))
        return done[as_of]

    return build_once


@pytest.fixture(scope="session")
def fetch(build: Callable[[str], BuiltExample], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """The body of one request to the edge; LookupError where it is refused.

    Checks on the way that each response is as the contract declares it.
    """
    built = build("2026-08-10")
    # Tests ask as fast as they can.
    terms = ("--plan", "partner", "--per-minute", "1000000000")
    key = read_printed("keys", "create", *terms, example=built.example)["key"]
    edge = Edge(
        FolderStore(built.store),
        cache=tmp_path_factory.mktemp("cache"),
        clock=lambda: datetime(2026, 8, 10, 16, tzinfo=UTC),
        geocoder=LocalGeocoder(),
    )
    with TestClient(edge, headers={"X-API-Key": key}) as client:

        def fetch_one(path: str) -> Any:
            response = client.get(path)
            check_response(
                response.request.url.raw_path.decode("ascii"),
                status=response.status_code,
                headers=response.headers,
                body=response.content,
            )
            if response.status_code != 200:
                raise LookupError(f"{response.status_code} {response.text}")
            return response.json()

        yield fetch_one


@pytest.fixture(scope="session")
def ask(fetch: Ask) -> Ask:
    """The `data` of a request, a list's over all its pages."""

    def ask_whole(path: str) -> Any:
        body = fetch(path)
        data = body["data"]
        while body.get("meta", {}).get("next_cursor"):
            body = fetch(f"{path}&cursor={body['meta']['next_cursor']}")
            data += body["data"]
        return data

    return ask_whole
