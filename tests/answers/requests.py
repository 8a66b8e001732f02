"""Requests of every route, made of a world, and what they are answered with."""

from collections.abc import Iterator
from datetime import timedelta
from random import Random

from outings.answers.routes import answer
from outings.contract.query import Entitlement
from outings.release.snapshot import Release
from tests.answers.asking import parse
from tests.answers.generated import TODAY, make_any_request
from tests.answers.worlds import COLLECTIONS, TYPES, World

Request = tuple[str, dict[str, str]]


def list_requests(world: World, random: Random) -> Iterator[Request]:
    for kind in TYPES:
        for _ in range(2):
            yield f"/v1/harbor/{COLLECTIONS[kind]}", make_any_request(world, kind, random)
        yield f"/v1/harbor/{COLLECTIONS[kind]}", {"q": "story time"}
    yield "/v1/harbor/events", {"occurrences": "expand", "audience": "all", "min_confidence": "0"}
    yield "/v1/harbor/events/calendar", {"from": TODAY.isoformat(), "to": (TODAY + timedelta(days=30)).isoformat()}
    yield "/v1/harbor/events/density", {"min_confidence": "0"}
    yield "/v1/harbor/classes", {"facets": "category,weekday,organization"}
    for listing in world.listings[:6]:
        if listing["status"] == "published":
            yield f"/v1/{COLLECTIONS[listing['type']]}/{listing['id']}", {}
            yield f"/v1/{COLLECTIONS[listing['type']]}/slug/{listing['slug']}", {}
    for organization in world.organizations:
        if organization["status"] == "published":
            yield f"/v1/organizations/{organization['id']}", {}
    yield "/v1/metros", {}
    yield "/v1/harbor/organizations", {"min_count": "0", "q": "org"}
    yield "/v1/harbor/neighborhoods", {"q": "town"}
    yield "/v1/harbor/coverage", {}
    yield "/v1/harbor/suggest", {"q": "n"}
    yield "/v1/harbor/suggest", {"q": "o", "limit": "20", "types": "classes,places"}


def read_body(release: Release, request: Request) -> tuple[str, bytes]:
    dates = dict.fromkeys(release.metros, TODAY)
    made = answer(parse(*request), release=release, dates=dates, entitlement=Entitlement())
    return made.etag, b"".join(made.parts)
