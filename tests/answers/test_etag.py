"""ETags: what changes them and what does not."""

import re
from datetime import date, timedelta
from pathlib import Path

import pytest

from outings.contract.query import Entitlement
from outings.release.snapshot import Release
from tests.answers.asking import ask, read
from tests.answers.documents import make_place, make_uuid
from tests.answers.generated import TODAY
from tests.answers.listings.details import PLACE, SERIES, make_worlds
from tests.answers.worlds import STAMP, World, open_release, open_world

PLACE_PATH, SERIES_PATH = f"/v1/places/{PLACE}", f"/v1/events/{SERIES}"
LIST, METROS = "/v1/harbor/places", "/v1/metros"


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return open_release(make_worlds(), tmp_path_factory.mktemp("worlds"))


def reopen(worlds: list[World], folder: Path) -> Release:
    """A later release, whose stamp is another."""
    metros = {world.slug: open_world(world, folder / world.slug, stamp=STAMP + timedelta(days=1)) for world in worlds}
    return Release(id="2-00000000", sequence=2, latest_version_id=1, metros=metros)


@pytest.mark.parametrize("path", [PLACE_PATH, SERIES_PATH, LIST, METROS])
def test_tags_are_weak(release: Release, path: str) -> None:
    assert re.fullmatch(r'W/"[0-9a-f]{32}"', ask(release, path).etag)


@pytest.mark.parametrize(("path", "age"), [(PLACE_PATH, 300), (LIST, 60), (METROS, 3600)])
def test_each_kind_of_answer_says_how_long_it_may_be_kept(release: Release, path: str, age: int) -> None:
    assert ask(release, path).max_age == age


def test_a_document_that_did_not_change_keeps_its_tag_across_releases(release: Release, tmp_path: Path) -> None:
    later = reopen(make_worlds(), tmp_path)
    assert ask(later, PLACE_PATH).etag == ask(release, PLACE_PATH).etag
    assert ask(later, SERIES_PATH).etag == ask(release, SERIES_PATH).etag
    assert ask(later, LIST).etag != ask(release, LIST).etag


@pytest.mark.parametrize("member", ["name", "updated_at", "created_at"])
def test_a_document_that_changed_has_another_tag(release: Release, tmp_path: Path, member: str) -> None:
    worlds = make_worlds()
    worlds[0].get(PLACE)[member] = "2026-02-03T00:00:00Z"
    assert ask(reopen(worlds, tmp_path), PLACE_PATH).etag != ask(release, PLACE_PATH).etag


def test_the_day_moves_the_tags_of_lists_and_of_series_alone(release: Release) -> None:
    day = timedelta(days=1)
    assert ask(release, LIST, today=TODAY + day).etag != ask(release, LIST).etag
    assert ask(release, PLACE_PATH, today=TODAY + day).etag == ask(release, PLACE_PATH).etag
    assert ask(release, SERIES_PATH, today=TODAY + day).etag != ask(release, SERIES_PATH).etag
    same = date(2026, 8, 12)  # between two dates of the series
    assert ask(release, SERIES_PATH, today=same).etag == ask(release, SERIES_PATH, today=same + day).etag


def test_what_a_key_may_read_tells_lists_apart_and_not_keys(release: Release) -> None:
    harbor, again = (Entitlement(metros=frozenset({"harbor"})) for _ in range(2))
    assert ask(release, LIST, entitlement=harbor).etag == ask(release, LIST, entitlement=again).etag
    assert ask(release, LIST, entitlement=harbor).etag != ask(release, LIST).etag
    assert ask(release, PLACE_PATH, entitlement=harbor).etag == ask(release, PLACE_PATH).etag


def test_fields_tell_details_apart(release: Release) -> None:
    tags = {ask(release, PLACE_PATH, {"fields": fields}).etag for fields in ("name", "slug", "slug,name", "name,slug")}
    assert len(tags | {ask(release, PLACE_PATH).etag}) == 4


def test_an_explicit_default_of_a_filter_has_the_same_data_and_another_tag(release: Release) -> None:
    plain, explicit = ask(release, LIST), ask(release, LIST, {"min_confidence": "0.5"})
    assert plain.etag != explicit.etag
    assert ask(release, LIST, {"limit": "50", "page": "1"}) == plain


def test_every_page_of_a_list_has_its_own_tag(tmp_path: Path) -> None:
    world = World(listings=[make_place(make_uuid(number)) for number in range(1, 6)])
    release = open_release([world], tmp_path)
    tags, params = set(), {"limit": "1"}
    for _ in range(5):
        made = ask(release, LIST, params)
        tags.add(made.etag)
        params = {"limit": "1", "cursor": read(made)["meta"]["next_cursor"] or ""}
    assert len(tags) == 5
