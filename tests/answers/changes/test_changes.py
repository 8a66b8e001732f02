"""The feed of changes, held against a plain list: what each key is shown, filters, pages, and what a page costs."""

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from outings.answers.changes import MOST_SCANNED
from outings.contract.errors import ApiError
from outings.contract.query import Entitlement
from outings.release.log import Version
from outings.release.snapshot import Release
from tests.answers.asking import ALL, ask, fetch
from tests.answers.documents import make_camp, make_event, make_organization, make_place
from tests.answers.logs import NOON, SEGMENT, Shelf, change, make_changes
from tests.answers.worlds import World, open_release
from tests.release.worlds import listing_id

PATH = "/v1/changes"
IDS = [listing_id(f"row {number}") for number in range(40)]
KEYS = [
    ALL,
    Entitlement(metros=frozenset({"harbor"})),
    Entitlement(metros=frozenset({"lakeside"})),
    Entitlement(types=frozenset({"event", "camp"})),
    Entitlement(metros=frozenset({"lakeside"}), types=frozenset({"place"})),
    Entitlement(metros=frozenset(), types=frozenset()),
]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Two metros; the organization of the second id is in both."""
    worlds = [
        World(
            slug=slug,
            listings=[
                make_event(listing_id(f"{slug} event"), metro=slug),
                make_camp(listing_id(f"{slug} camp"), metro=slug),
                make_place(listing_id(f"{slug} place"), metro=slug),
            ],
            organizations=[make_organization(listing_id(f"{slug} organization")), make_organization(IDS[1])],
        )
        for slug in ("harbor", "lakeside")
    ]
    return open_release(worlds, tmp_path_factory.mktemp("changes"))


def with_log(release: Release, changes: Sequence[Version], *, shelf: Shelf | None = None) -> Release:
    history = (Shelf() if shelf is None else shelf).make_history(changes, steps=3)
    return replace(release, history=history, latest_version_id=len(changes))


def follow_pages(release: Release, params: dict[str, str], *, entitlement: Entitlement = ALL) -> list[dict[str, Any]]:
    """Every item, page by page, as a mirror goes on."""
    items, cursor = [], 0
    while True:
        body = fetch(release, PATH, {**params, "cursor": str(cursor)}, entitlement=entitlement)
        items += body["data"]
        meta = body["meta"]
        assert meta["count"] == len(body["data"])
        assert meta["has_more"] == (meta["next_cursor"] < meta["latest_version_id"])
        if not meta["has_more"]:
            assert meta["next_cursor"] == meta["latest_version_id"]
            return items
        assert meta["next_cursor"] > cursor, "the cursor did not advance"
        assert all(cursor < item["version_id"] <= meta["next_cursor"] for item in body["data"])
        cursor = meta["next_cursor"]


def may_see(made: Version, key: Entitlement) -> bool:
    """Written by hand from the contract."""
    mine = {"harbor", "lakeside"} if key.metros is None else set(key.metros)
    if made.type != "organization":
        return made.metro in mine and (key.types is None or made.type in key.types)
    homes = {"harbor", "lakeside"} if made.metro is None else {made.metro}
    return bool(mine & homes) and not mine & set(made.known_in)


def list_expected(changes: Sequence[Version], key: Entitlement) -> list[dict[str, Any]]:
    collections = {"event": "events", "class": "classes", "camp": "camps", "place": "places"}
    return [
        {
            "version_id": number, "listing_id": value.listing_id, "type": value.type, "metro": value.metro,
            "slug": value.slug, "kind": value.kind, "reason": value.reason, "replaced_by": value.replaced_by,
            "changed_at": f"{value.changed_at:%Y-%m-%dT%H:%M:%SZ}", "fields": list(value.fields),
            "links": {
                "self": f"/v1/{collections.get(value.type, 'organizations')}/{value.listing_id}",
                "versions": f"/v1/listings/{value.listing_id}/versions",
            },
        }
        for number, value in enumerate(changes, start=1)
        if may_see(value, key)
    ]  # fmt: skip


@given(st.integers(0, 2**32), st.integers(0, 1_500), st.sampled_from(KEYS), st.integers(150, 1_000))
def test_paging_shows_every_change_that_the_key_may_see_once_and_in_order(
    release: Release, seed: int, count: int, key: Entitlement, limit: int
) -> None:
    changes = make_changes(Random(seed), IDS, count)
    made = with_log(release, changes)
    assert follow_pages(made, {"limit": str(limit)}, entitlement=key) == list_expected(changes, key)


@given(st.integers(0, 2**32), st.sampled_from(KEYS), st.data())
def test_paging_with_a_filter_gives_all_changes_filtered(
    release: Release, seed: int, key: Entitlement, data: st.DataObject
) -> None:
    made = with_log(release, make_changes(Random(seed), IDS, 700))
    whole = follow_pages(made, {"limit": "1000"}, entitlement=key)
    types = ["organization", *sorted(("class", "event", "place") if key.types is None else key.types)]
    given_types = data.draw(st.lists(st.sampled_from(types), unique=True, max_size=2))
    kinds = data.draw(st.lists(st.sampled_from(["created", "updated", "removed", "restored"]), unique=True, max_size=2))
    metros = ["harbor", "lakeside"] if key.metros is None else sorted(key.metros)
    metro = data.draw(st.sampled_from([None, *metros]))
    params = {"type": ",".join(given_types), "kind": ",".join(kinds), "metro": metro, "limit": "300"}
    sent = {name: value for name, value in params.items() if value}
    assert follow_pages(made, sent, entitlement=key) == [
        version
        for version in whole
        if (not given_types or version["type"] in given_types)
        and (not kinds or version["kind"] in kinds)
        and (metro is None or version["metro"] in (metro, None))
    ]


def test_a_cursor_goes_on_after_its_change_when_more_is_published(release: Release) -> None:
    changes = make_changes(Random(7), IDS, 900)
    ids, cursor = [], 0
    for published in (100, 100, 450, 899, 900):
        made = with_log(release, changes[:published])
        body = fetch(made, PATH, {"cursor": str(cursor), "limit": "1000"})
        ids += body["data"]
        cursor = body["meta"]["next_cursor"]
    assert ids == list_expected(changes, ALL)


def test_a_page_costs_the_same_at_the_log_s_start_and_at_its_end(release: Release) -> None:
    shelf = Shelf()
    made = with_log(release, make_changes(Random(1), IDS, 20 * SEGMENT), shelf=shelf)
    assert len(made.history.log.sealed) == 20
    costs = []
    for cursor in (10, 7 * SEGMENT + 10, 19 * SEGMENT + 10):
        shelf.read.clear()
        ask(made, PATH, {"cursor": str(cursor), "limit": "100"})
        costs.append(len(shelf.read))
    assert costs[0] == costs[1] == costs[2] == 2  # one block, and its place in the index


def test_where_nothing_is_new_nothing_is_read(release: Release) -> None:
    shelf = Shelf()
    made = with_log(release, make_changes(Random(1), IDS, 1_000), shelf=shelf)
    body = fetch(made, PATH, {"cursor": "1000"})
    assert body["data"] == []
    assert (body["meta"]["next_cursor"], body["meta"]["has_more"]) == (1_000, False)
    assert shelf.read == []


def test_a_filter_that_nothing_passes_goes_on_by_empty_pages_of_bounded_cost(release: Release) -> None:
    shelf = Shelf()
    changes = [change(IDS[0])] * (MOST_SCANNED + 300) + [change(IDS[0], kind="removed", reason="expired")]
    made = with_log(release, changes, shelf=shelf)
    shelf.read.clear()
    first = fetch(made, PATH, {"kind": "removed"})
    assert first["data"] == []
    assert (first["meta"]["next_cursor"], first["meta"]["has_more"]) == (MOST_SCANNED, True)
    objects = len(shelf.read)
    (removal,) = follow_pages(made, {"kind": "removed"})
    assert (removal["version_id"], removal["reason"]) == (len(changes), "expired")
    assert objects < 2 * (MOST_SCANNED // 256 + MOST_SCANNED // SEGMENT + 2)


def test_meta_says_where_the_log_begins_and_ends_and_who_asks(release: Release) -> None:
    made = with_log(release, make_changes(Random(3), IDS, 5))
    meta = fetch(made, PATH, {"limit": "2"})["meta"]
    assert {name: meta[name] for name in ("limit", "count", "has_more", "next_cursor")} == {
        "limit": 2, "count": 2, "has_more": True, "next_cursor": 2,
    }  # fmt: skip
    assert (meta["earliest_version_id"], meta["latest_version_id"]) == (1, 5)
    assert meta["generated_at"] == "2026-08-01T12:00:00Z"
    empty = fetch(with_log(release, []), PATH)
    assert empty["data"] == []
    assert {name: empty["meta"][name] for name in ("next_cursor", "latest_version_id", "has_more")} == {
        "next_cursor": 0, "latest_version_id": 0, "has_more": False,
    }  # fmt: skip


def test_scope_is_of_metros_and_types_and_of_nothing_else(release: Release) -> None:
    made = with_log(release, [])
    scopes = {key: fetch(made, PATH, entitlement=key)["meta"]["scope"] for key in KEYS}
    assert len(set(scopes.values())) == len(KEYS)
    granted = Entitlement(addons=frozenset({"source"}))
    assert fetch(made, PATH, entitlement=granted)["meta"]["scope"] == scopes[ALL]


def test_a_cursor_past_the_latest_is_ahead_and_one_at_it_is_not(release: Release) -> None:
    made = with_log(release, make_changes(Random(3), IDS, 5))
    assert fetch(made, PATH, {"cursor": "5"})["data"] == []
    with pytest.raises(ApiError) as raised:
        ask(made, PATH, {"cursor": "6"})
    assert (raised.value.code, raised.value.details) == (
        "bad_request", {"param": "cursor", "reason": "cursor_ahead", "max": 5},
    )  # fmt: skip


REFUSED = [
    pytest.param({"metro": "atlantis"}, ALL, "not_found", None, id="unknown metro"),
    pytest.param({"metro": "lakeside"}, KEYS[1], "forbidden", ["harbor"], id="metro outside the key"),
    pytest.param({"type": "class"}, KEYS[3], "forbidden", ["harbor", "lakeside"], id="type outside the key"),
    pytest.param({"type": "event,place"}, KEYS[4], "forbidden", ["lakeside"], id="one of two types outside"),
]


@pytest.mark.parametrize(("params", "key", "code", "metros"), REFUSED)
def test_a_filter_that_names_what_the_key_may_not_read_is_refused(
    release: Release, params: dict[str, str], key: Entitlement, code: str, metros: list[str] | None
) -> None:
    with pytest.raises(ApiError) as raised:
        ask(with_log(release, []), PATH, params, entitlement=key)
    assert raised.value.code == code
    assert raised.value.details.get("metros") == metros


def test_every_key_may_ask_for_organizations(release: Release) -> None:
    made = with_log(release, [change(IDS[0], type="organization", metro="lakeside")])
    assert [len(follow_pages(made, {"type": "organization"}, entitlement=key)) for key in KEYS] == [1, 0, 1, 1, 1, 0]


def test_the_tag_is_another_when_the_log_the_request_or_the_scope_is(release: Release, tmp_path: Path) -> None:
    changes = make_changes(Random(3), IDS, 5)
    made, more = with_log(release, changes[:4]), with_log(release, changes)
    tags = [
        ask(value, PATH, params, entitlement=key).etag
        for value in (made, more)
        for params in ({}, {"cursor": "1"}, {"limit": "3"}, {"kind": "created"})
        for key in KEYS[:3]
    ]
    assert len(set(tags)) == len(tags)
    assert ask(made, PATH, {"cursor": "0", "limit": "200"}).etag == ask(made, PATH).etag


def test_times_are_whole_seconds_in_utc(release: Release) -> None:
    (shown,) = follow_pages(with_log(release, [change(IDS[0], changed_at=NOON)]), {})
    assert shown["changed_at"] == "2026-08-01T12:00:00Z"
