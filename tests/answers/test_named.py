"""`ids`: the listings that a reader names, in its order."""

from pathlib import Path

import pytest

from outings.contract.errors import ApiError
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.asking import fetch, parse
from tests.answers.documents import make_uuid
from tests.answers.worlds import World, open_release

DULL, ADULT, ARCHIVED, DRAFT, CLASS, NOBODY = (make_uuid(number) for number in range(1, 7))


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Dateless events, each with a reason not to be in a list; and a metro that has others."""
    world = World(
        listings=[
            documents.make_event(DULL, confidence=0.1),
            documents.make_event(ADULT, audience="adults"),
            documents.make_event(ARCHIVED, status="archived"),
            documents.make_event(DRAFT, status="draft"),
            documents.make_class(CLASS),
        ]
    )
    other = World(slug="lakeside", listings=[documents.make_event(make_uuid(9))])
    return open_release([world, other], tmp_path_factory.mktemp("named"))


def read_ids(release: Release, ids: list[str], **params: str) -> tuple[list[str], list[str]]:
    """Return the ids that are shown, and those that are missing."""
    body = fetch(release, "/v1/harbor/events", {"ids": ",".join(ids), **params})
    return [item["id"] for item in body["data"]], body["meta"]["missing_ids"]


def test_their_order_is_kept_and_doubles_are_the_first(release: Release) -> None:
    assert read_ids(release, [ADULT, DULL, ADULT]) == ([ADULT, DULL], [])
    assert read_ids(release, [DULL, ADULT.upper(), DULL]) == ([DULL, ADULT], [])


def test_what_is_unknown_of_another_type_of_another_metro_or_not_active_is_missing(release: Release) -> None:
    missing = [NOBODY, ARCHIVED, CLASS, DRAFT, make_uuid(9)]
    assert read_ids(release, [*missing, DULL, NOBODY]) == ([DULL], missing)


def test_what_a_sent_filter_drops_is_neither_shown_nor_missing(release: Release) -> None:
    assert read_ids(release, [ADULT, DULL, NOBODY], min_confidence="0.5") == ([ADULT], [NOBODY])
    assert read_ids(release, [ADULT, DULL], audience="not_adults") == ([DULL], [])
    assert read_ids(release, [ADULT, DULL], audience="kids", min_confidence="0.5") == ([], [])


def test_meta_names_what_is_in_effect_and_nothing_else(release: Release) -> None:
    meta = fetch(release, "/v1/harbor/events", {"ids": f"{DULL},{NOBODY}", "audience": "all"})["meta"]
    assert meta["applied_filters"] == {"audience": ["all"], "ids": [DULL, NOBODY]}
    assert meta["defaults_applied"] == []
    assert meta["min_confidence"] == 0
    assert (meta["window"]["from"], meta["window"]["to"]) == (None, None)
    assert (meta["limit"], meta["count"], meta["has_more"]) == (100, 1, False)
    assert meta["next_cursor"] is meta["page"] is None


def test_a_hundred_may_be_named_and_all_are_answered_at_once(tmp_path: Path) -> None:
    ids = [make_uuid(number) for number in range(100)]
    release = open_release([World(listings=[documents.make_place(value) for value in ids])], tmp_path)
    body = fetch(release, "/v1/harbor/places", {"ids": ",".join(ids[::-1])})
    assert [item["id"] for item in body["data"]] == ids[::-1]
    with pytest.raises(ApiError) as raised:
        parse("/v1/harbor/places", {"ids": ",".join([*ids, make_uuid(100)])})
    assert (raised.value.details["reason"], raised.value.details["max"]) == ("out_of_range", 100)


@pytest.mark.parametrize("ids", ["", ",", "1", DULL + ",", DULL[:-1]])
def test_an_id_that_is_no_uuid_is_refused(ids: str) -> None:
    with pytest.raises(ApiError) as raised:
        parse("/v1/harbor/events", {"ids": ids})
    assert (raised.value.details["param"], raised.value.details["reason"]) == ("ids", "invalid_value")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("limit", "10"), ("limit", "50"), ("page", "1"), ("cursor", "AAAA"), ("from", "2026-08-10"), ("q", "swim"),
        ("category", "swim_water"), ("lat", "40"), ("free", "true"), ("facets", "category"),
        ("changed_since", "2026-01-01T00:00:00Z"), ("occurrences", "expand"), ("organization_id", NOBODY),
    ],
)  # fmt: skip
def test_ids_are_refused_beside_filters_and_paging(name: str, value: str) -> None:
    with pytest.raises(ApiError) as raised:
        parse("/v1/harbor/events", {"ids": DULL, name: value})
    assert (raised.value.details["param"], raised.value.details["reason"]) == (name, "contradictory")


def test_programs_are_no_cards_and_fields_hold(tmp_path: Path) -> None:
    world = World(listings=[documents.make_class(make_uuid(number)) for number in (1, 2)])
    world.programs = {make_uuid(1): "clay", make_uuid(2): "clay"}
    release = open_release([world], tmp_path)
    body = fetch(release, "/v1/harbor/classes", {"ids": f"{make_uuid(2)},{make_uuid(1)}", "fields": "sessions"})
    assert body["data"] == [{"id": make_uuid(number), "type": "class", "sessions": []} for number in (2, 1)]
