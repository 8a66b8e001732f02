"""Asks the program for the examples of `/openapi.json`, over the sample metros.

`python -m tests.edge.openapi_examples` writes them into the contract. Do so when an answer changed on purpose.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import outings.contract.openapi
from edge.app import Edge
from outings.contract.openapi.examples import FILE
from outings.contract.routes import ROUTES, match_route
from tests.edge.asking import ask
from tests.edge.sample_edge import add_client, make_edge

KEPT = Path(outings.contract.openapi.__file__).parent / FILE

EVENT = "82330365-b0c3-57dd-9b75-b3a4a304c1b0"
CLASS = "91a7d3fc-0836-52e3-bfda-aa95c03739e5"
CAMP = "77e20664-f276-5cbc-86c6-e8e6ef30977b"
PLACE, ORGANIZATION = "3a88a403-252d-51a0-aa0c-1f0dd7c10fde", "a3e3ca9e-0a46-5f72-8f78-921773799242"

# The metrics first: they count what was asked before.
REQUESTS = (
    "/metrics",
    "/.well-known/api-catalog",
    "/healthz",
    "/readyz",
    "/v1",
    "/v1/vocabulary?language=es",
    "/v1/metros",
    "/v1/seattle",
    "/v1/seattle/events?free=true&age=4&limit=1",
    f"/v1/organizations/{ORGANIZATION}/events?limit=1",
    f"/v1/places/{PLACE}/events?limit=1",
    "/v1/seattle/classes?q=swim&limit=1",
    f"/v1/organizations/{ORGANIZATION}/classes?limit=1",
    f"/v1/places/{PLACE}/classes?limit=1",
    "/v1/seattle/camps?limit=1",
    f"/v1/organizations/{ORGANIZATION}/camps?limit=1",
    "/v1/places/7b94630d-acb3-5bc3-b63b-75b529bb58da/camps?limit=1",
    "/v1/seattle/places?type_hint=library&limit=1",
    f"/v1/organizations/{ORGANIZATION}/places?limit=1",
    f"/v1/events/{EVENT}",
    "/v1/events/slug/family-drum-circle-1?metro=seattle",
    f"/v1/classes/{CLASS}",
    "/v1/classes/slug/swim-lessons-level-1?metro=seattle",
    f"/v1/camps/{CAMP}",
    "/v1/camps/slug/sailing-camp-1?metro=seattle",
    f"/v1/places/{PLACE}",
    "/v1/places/slug/alder-st-branch-library-8?metro=seattle",
    "/v1/seattle/events/density?lat=47.65&lng=-122.36&radius_m=2000",
    "/v1/seattle/classes/density?q=swim&lat=47.65&lng=-122.36&radius_m=3000",
    "/v1/seattle/camps/density?lat=47.65&lng=-122.36&radius_m=3000",
    "/v1/seattle/places/density?type_hint=library",
    f"/v1/organizations/{ORGANIZATION}",
    "/v1/seattle/organizations?q=parks&limit=1",
    "/v1/seattle/events/calendar?from=2026-08-15&to=2026-08-17",
    "/v1/seattle/classes/calendar?from=2026-08-15&to=2026-08-17",
    "/v1/seattle/camps/calendar?from=2026-08-15&to=2026-08-17",
    f"/v1/seattle/events.ics?ids={EVENT}",
    "/v1/seattle/events.ics/address?free=true",
    "/v1/seattle/search?q=drum%20circle&match=auto&limit=2",
    "/v1/seattle/suggest?q=dru&limit=3",
    "/v1/seattle/around?lat=47.65&lng=-122.36&limit=1",
    "/v1/seattle/nearby?lat=47.65&lng=-122.36&limit=1",
    "/v1/seattle/activity?lat=47.65&lng=-122.36",
    "/v1/seattle/neighborhoods?limit=1",
    "/v1/seattle/coverage",
    "/v1/seattle/export?types=events&format=jsonl",
    "/v1/seattle/export/events.jsonl",
    f"/v1/listings/{EVENT}/versions",
    "/v1/changes?limit=2",
)

# What names the release's bytes: other versions of the libraries that write them give another name.
RELEASE = "1-8f9c6a41"


def make_examples(folder: Path) -> dict[str, Any]:
    """Make examples by the names of routes, in the order of the table of routes."""
    edge = make_edge(folder)
    try:
        key = add_client(folder, edge, plan="partner")
        results = dict(_ask_all(edge, key))
    finally:
        edge.close()
    return {route.name: results[route.name] for route in ROUTES if route.name in results}


def encode_examples(examples: Mapping[str, Any]) -> str:
    return json.dumps(examples, ensure_ascii=False, indent=1) + "\n"


def _ask_all(edge: Edge, key: str) -> Iterator[tuple[str, Any]]:
    release = ask(edge, "/readyz").read_json()["release"]
    for request in REQUESTS:
        match = match_route(request.partition("?")[0])
        assert match is not None, request
        got = ask(edge, request, key=key if match.route.needs_key else None)
        assert got.status == 200, (request, got.read_body())
        text = got.read_body().decode().replace(release, RELEASE)
        media = got.headers["content-type"]
        yield match.route.name, {"request": request, "media": media, **_read_answer(text, media)}


def _read_answer(text: str, media: str) -> dict[str, Any]:
    """Parse an answer; of a file with several lines the first."""
    if media == "application/json":
        return {"answer": json.loads(text)}
    if media == "application/x-ndjson":
        return {"answer": text.split("\n", 1)[0] + "\n", "is_cut": True}
    return {"answer": text}


if __name__ == "__main__":
    with TemporaryDirectory() as made:
        KEPT.write_text(encode_examples(make_examples(Path(made))))
