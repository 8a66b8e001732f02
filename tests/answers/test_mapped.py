"""The mapped form of a snapshot's tables: all that answers read, or as much of it as the build of its day made."""

from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from outings.answers.routes import prepare_snapshot
from outings.answers.rows.evaluator import make_evaluator
from outings.answers.snapshot.reader import open_snapshot
from outings.release.snapshot import Release
from tests.answers.generated import make_world, seeds
from tests.answers.requests import list_requests, read_body
from tests.answers.worlds import open_release

INDEXES = (
    "names", "organization_names", "series", "moments", "members", "words", "places", "organization_spellings", "areas",
    "row_facts",
)  # fmt: skip


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
            mapped={name: file for name, file in snapshot.mapped.items() if name in kept or name not in INDEXES},
        )
        for slug, snapshot in release.metros.items()
    }
    older = replace(release, metros=metros)
    for request in list_requests(world, random):
        assert read_body(older, request) == read_body(release, request)


LISTS = ({}, {"limit": "1"}, {"free": "true"}, {"audience": "all"}, {"max_price": "20"})


def open_unmapped(folder: Path) -> tuple[Release, Release]:
    """A release, and the same as a program of another layout reads it."""
    release = open_release([make_world(Random(3), size=16)], folder)
    unmapped = {slug: replace(metro, mapped={}) for slug, metro in release.metros.items()}
    return release, replace(release, metros=unmapped)


def test_columns_that_no_build_mapped_are_made_before_a_release_is_served(tmp_path: Path) -> None:
    release, unmapped = open_unmapped(tmp_path)
    snapshot = unmapped.metros["harbor"]
    prepare_snapshot(snapshot)
    assert open_snapshot(snapshot).find_index(make_evaluator) is not None
    for params in LISTS:
        request = ("/v1/harbor/events", params)
        assert read_body(unmapped, request) == read_body(release, request)
