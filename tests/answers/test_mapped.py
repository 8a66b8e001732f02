"""The mapped form of a snapshot's tables: all that answers read, or as much of it as the build of its day made."""

from collections.abc import Iterator
from datetime import timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from outings.answers.answer import answer
from outings.contract.entitlement import Entitlement
from outings.release.snapshot import Release
from tests.answers.asking import ask, parse
from tests.answers.generated import TODAY, make_any_request, make_world
from tests.answers.listings.test_lists import COLLECTIONS, seeds
from tests.answers.worlds import TYPES, World, open_release

INDEXES = (
    "names", "organization_names", "series", "moments", "members", "words", "places", "organization_spellings", "areas",
    "area_spellings", "groups",
)  # fmt: skip

Request = tuple[str, dict[str, str]]


def list_requests(world: World, random: Random) -> Iterator[Request]:
    for kind in TYPES:
        for _ in range(2):
            yield f"/v1/harbor/{COLLECTIONS[kind]}", make_any_request(world, kind, random)
        yield f"/v1/harbor/{COLLECTIONS[kind]}", {"q": "story time"}
    yield "/v1/harbor/events", {"occurrences": "expand", "audience": "all", "min_confidence": "0"}
    yield "/v1/harbor/events/calendar", {"from": TODAY.isoformat(), "to": (TODAY + timedelta(days=30)).isoformat()}
    yield "/v1/harbor/classes", {"facets": "category,weekday,organization"}
    for each in world.listings[:6]:
        if each["status"] == "published":
            yield f"/v1/{COLLECTIONS[each['type']]}/{each['id']}", {}
            yield f"/v1/{COLLECTIONS[each['type']]}/slug/{each['slug']}", {}
    for each in world.organizations:
        if each["status"] == "published":
            yield f"/v1/organizations/{each['id']}", {}
    yield "/v1/metros", {}
    yield "/v1/harbor/organizations", {"min_count": "0", "q": "org"}
    yield "/v1/harbor/neighborhoods", {"q": "town"}
    yield "/v1/harbor/coverage", {}


def read_body(release: Release, request: Request) -> tuple[str, bytes]:
    dates = dict.fromkeys(release.metros, TODAY)
    made = answer(parse(*request), release=release, dates=dates, entitlement=Entitlement())
    return made.etag, b"".join(made.parts)


@given(seed=seeds)
def test_nothing_else_is_read_where_the_tables_are_mapped(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    random = Random(seed)
    world = make_world(random, size=16)
    release = open_release([world], tmp_path_factory.mktemp("world"))
    without = replace(release, metros={slug: replace(snapshot, tables={}) for slug, snapshot in release.metros.items()})
    for request in list_requests(world, random):
        found = read_body(without, request)  # first: the two are the same snapshot, opened once
        made = ask(release, *request)
        assert found == (made.etag, b"".join(made.parts))


@given(seed=seeds, kept=st.sets(st.sampled_from(INDEXES), max_size=len(INDEXES) - 1))
def test_a_release_from_before_an_index_was_mapped_is_answered_alike(
    tmp_path_factory: pytest.TempPathFactory, seed: int, kept: set[str]
) -> None:
    random = Random(seed)
    world = make_world(random, size=16)
    release = open_release([world], tmp_path_factory.mktemp("world"))
    metros = {
        slug: replace(
            snapshot,
            mapped={name: path for name, path in snapshot.mapped.items() if name in kept or name not in INDEXES},
        )
        for slug, snapshot in release.metros.items()
    }
    older = replace(release, metros=metros)
    for request in list_requests(world, random):
        assert read_body(older, request) == read_body(release, request)
