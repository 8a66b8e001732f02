"""The history of one listing: order, pages, and who may read it."""

from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from outings.contract.cursor import Cursor, encode_cursor
from outings.contract.errors import ApiError
from outings.contract.query import Entitlement
from outings.release.snapshot import Release
from tests.answers.asking import ALL, ask, fetch, follow_cursor, parse
from tests.answers.documents import make_class, make_event, make_organization
from tests.answers.logs import SEGMENT, Shelf, change, make_changes
from tests.answers.worlds import World, open_release
from tests.release.worlds import listing_id

EVENT, ARCHIVED, DRAFT, CLASS, ORGANIZATION, ELSEWHERE = (
    listing_id(name) for name in ("event", "archived", "draft", "class", "organization", "elsewhere")
)
HARBOR = Entitlement(metros=frozenset({"harbor"}))


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Release:
    harbor = World(
        listings=[
            make_event(EVENT),
            make_event(ARCHIVED, status="archived"),
            make_event(DRAFT, status="draft"),
            make_class(CLASS),
        ],
        organizations=[make_organization(ORGANIZATION)],
    )
    lakeside = World(slug="lakeside", listings=[make_event(ELSEWHERE, metro="lakeside")])
    return open_release([harbor, lakeside], tmp_path_factory.mktemp("versions"))


@pytest.fixture(scope="module")
def release(bare: Release) -> Release:
    """A long log in which everything has a past; that of the class is two versions among many others'."""
    others = [listing_id(f"other {number}") for number in range(30)]
    changes = [
        replace(value, type="event", metro="harbor", metros=(), known_in=())
        for value in make_changes(Random(5), [EVENT, ARCHIVED, DRAFT, *others], 3 * SEGMENT)
    ]
    changes[3] = change(CLASS, type="class")
    changes[-3] = change(CLASS, type="class", kind="updated", fields=("sections",))
    changes[-2] = change(ORGANIZATION, type="organization")
    changes[-1] = change(ELSEWHERE, metro="lakeside")
    return replace(bare, history=Shelf().make_history(changes, steps=4))


def path_of(row_id: str) -> str:
    return f"/v1/listings/{row_id}/versions"


def read_log(release: Release, row_id: str) -> list[dict[str, Any]]:
    """Read a listing's versions from the feed of changes, oldest first."""
    items, cursor = [], 0
    while cursor < release.history.log.latest_version_id:
        body = fetch(release, "/v1/changes", {"cursor": str(cursor), "limit": "1000"})
        cursor = body["meta"]["next_cursor"]
        items += [item for item in body["data"] if item["listing_id"] == row_id]
    members = ("version_id", "changed_at", "kind", "fields", "reason")
    return [{name: item[name] for name in members} for item in items]


def test_a_changed_section_is_a_change_of_its_class(release: Release) -> None:
    body = fetch(release, path_of(CLASS))
    assert [(item["kind"], item["fields"]) for item in body["data"]] == [("updated", ["sections"]), ("created", [])]
    assert body["meta"] == {
        "limit": 50, "count": 2, "has_more": False, "next_cursor": None, "generated_at": "2026-08-01T12:00:00Z",
    }  # fmt: skip


@pytest.mark.parametrize("row_id", [EVENT, ARCHIVED, CLASS, ORGANIZATION])
def test_a_history_has_the_changes_of_its_listing_newest_or_oldest_first(release: Release, row_id: str) -> None:
    versions = read_log(release, row_id)
    assert versions
    for order, expected in (("asc", versions), ("desc", versions[::-1])):
        pages = follow_cursor(release, path_of(row_id), {"order": order, "limit": "7"})
        assert [value for page in pages for value in page] == expected
        assert all(len(page) == 7 for page in pages[:-1])
    assert fetch(release, path_of(row_id), {"limit": "200"})["data"] == versions[::-1][:200]


@given(st.integers(15, 200), st.sampled_from(["asc", "desc"]))
def test_paging_shows_each_version_once_whatever_the_page_size(release: Release, limit: int, order: str) -> None:
    pages = follow_cursor(release, path_of(EVENT), {"order": order, "limit": str(limit)})
    ids = [version["version_id"] for page in pages for version in page]
    assert ids == sorted(set(ids), reverse=order == "desc")
    assert len(ids) == len(read_log(release, EVENT))


def test_paging_goes_on_while_more_is_published(bare: Release) -> None:
    changes = [change(EVENT, kind="created"), *[change(EVENT, kind="updated", fields=("name",))] * 9]
    before, after = (replace(bare, history=Shelf().make_history(changes[:count])) for count in (6, 10))
    for order, ids in (("asc", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), ("desc", [6, 5, 4, 3, 2, 1])):
        pages = follow_cursor(before, path_of(EVENT), {"order": order, "limit": "4"}, then=after)
        assert [version["version_id"] for page in pages for version in page] == ids


def test_a_listing_without_changes_has_no_versions(bare: Release) -> None:
    assert fetch(bare, path_of(EVENT))["data"] == []


REFUSED = [
    pytest.param(listing_id("nobody"), ALL, "not_found", None, id="unknown"),
    pytest.param(DRAFT, ALL, "not_found", None, id="a draft, which has a past"),
    pytest.param(ELSEWHERE, HARBOR, "forbidden", ["harbor"], id="in another metro"),
    pytest.param(
        CLASS, Entitlement(types=frozenset({"event"})), "forbidden", ["harbor", "lakeside"], id="of another type"
    ),
]


@pytest.mark.parametrize(("row_id", "key", "code", "metros"), REFUSED)
def test_what_may_not_be_read_has_no_history(
    release: Release, row_id: str, key: Entitlement, code: str, metros: list[str] | None
) -> None:
    with pytest.raises(ApiError) as raised:
        ask(release, path_of(row_id), entitlement=key)
    assert raised.value.code == code
    assert raised.value.details.get("metros") == metros


def test_any_key_of_its_metro_reads_an_organizations_history(release: Release) -> None:
    key = Entitlement(metros=frozenset({"harbor"}), types=frozenset({"place"}))
    assert len(fetch(release, path_of(ORGANIZATION), entitlement=key)["data"]) == 1


def test_a_cursor_belongs_to_its_listing_order_and_limit(release: Release) -> None:
    cursor = fetch(release, path_of(EVENT), {"limit": "2"})["meta"]["next_cursor"]
    for row_id, params in (
        (ARCHIVED, {"limit": "2"}),
        (EVENT, {"limit": "3"}),
        (EVENT, {"limit": "2", "order": "asc"}),
    ):
        with pytest.raises(ApiError) as raised:
            ask(release, path_of(row_id), {**params, "cursor": cursor})
        assert raised.value.details["reason"] == "cursor_mismatch"


@pytest.mark.parametrize("position", [(), ("x",), (None,), (1, 2), (0,), (-1,), (1 << 60,)])
def test_a_cursor_with_a_forged_position_is_malformed(release: Release, position: Any) -> None:
    query = parse(path_of(EVENT))
    made_up = Cursor(route="versions", release="2026-07-01T12:00:00Z", date=date(1970, 1, 1), position=position)
    with pytest.raises(ApiError) as raised:
        ask(release, path_of(EVENT), {"cursor": encode_cursor(made_up, query.unpaged_text, snapshot="0" * 64)})
    assert raised.value.details["reason"] == "cursor_malformed"


def test_a_history_reads_the_index_of_each_segment_and_only_its_own_blocks(bare: Release, tmp_path: Path) -> None:
    shelf = Shelf()
    changes = [change(listing_id(f"other {number}")) for number in range(20 * SEGMENT)]
    changes[5 * SEGMENT] = changes[11 * SEGMENT] = change(EVENT)
    made = replace(bare, history=shelf.make_history(changes))
    shelf.read.clear()
    ask(made, path_of(EVENT))
    # One index each of 20 segments, and two blocks with their place in the index.
    assert len(shelf.read) == 20 + 2 * 2
