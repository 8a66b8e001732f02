"""The mapped form of a snapshot's tables: all that answers read, or as much of it as the build of its day made."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.answers.asking import ask
from tests.answers.generated import make_world, seeds
from tests.answers.requests import list_requests, read_body
from tests.answers.worlds import open_release

INDEXES = (
    "names", "organization_names", "series", "moments", "members", "words", "places", "organization_spellings", "areas",
    "area_spellings", "groups",
)  # fmt: skip







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
