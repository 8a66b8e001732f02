"""Paging: all pages of a list, by number or by cursor, are the whole list once."""

from datetime import date, datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.answers.plan import format_stamp
from outings.contract.cursor import Cursor, encode_cursor
from outings.contract.errors import ApiError
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.asking import ask, fetch, follow_cursor, parse, read_by_number
from tests.answers.generated import TODAY, make_any_request, make_world, seeds
from tests.answers.reference import list_items
from tests.answers.worlds import COLLECTIONS, STAMP, TYPES, World, open_release, open_world

EVERYTHING = {"audience": "all", "min_confidence": "0"}


@given(seed=seeds, limit=st.integers(min_value=1, max_value=7))
def test_cursors_and_page_numbers_give_the_whole_list_once_in_order(
    tmp_path_factory: pytest.TempPathFactory, seed: int, limit: int
) -> None:
    random = Random(seed)
    world = make_world(random, size=40)
    release = open_release([world], tmp_path_factory.mktemp("world"))
    for kind in TYPES:
        params = {**EVERYTHING, **make_any_request(world, kind, random)}
        if "ids" in params:
            continue
        expected = list_items(world, kind, params, today=TODAY)
        path = f"/v1/harbor/{COLLECTIONS[kind]}"
        for read in (follow_cursor, *([] if "changed_since" in params else [read_by_number])):
            pages = read(release, path, {**params, "limit": str(limit)})
            assert [item for page in pages for item in page] == expected
            assert all(len(page) == limit for page in pages[:-1])


@given(seed=seeds)
def test_a_page_gives_a_cursor_that_goes_on_after_it(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    world = make_world(Random(seed), size=40)
    release = open_release([world], tmp_path_factory.mktemp("world"))
    for kind in TYPES:
        path, params = f"/v1/harbor/{COLLECTIONS[kind]}", {**EVERYTHING, "limit": "2"}
        second = fetch(release, path, {**params, "page": "2"})
        cursor = second["meta"]["next_cursor"]
        if cursor is not None:
            assert (
                fetch(release, path, {**params, "cursor": cursor})["data"]
                == fetch(release, path, {**params, "page": "3"})["data"]
            )


@pytest.mark.long
@given(seed=seeds)
def test_a_cursor_whose_release_is_gone_goes_on_by_key(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    """Rows that come or go meanwhile may be seen or not; all others are seen once, in order."""
    random = Random(seed)
    before = make_world(random, size=40)
    newcomers = make_world(random, size=10)
    gone = {item["id"] for item in random.sample(before.listings, 8)}
    after = World(
        listings=[listing for listing in before.listings if listing["id"] not in gone] + newcomers.listings,
        organizations=before.organizations,
        dates=before.dates | newcomers.dates,
        unending=before.unending | newcomers.unending,
    )
    before.programs.clear()
    folder = tmp_path_factory.mktemp("world")
    old = open_release([before], folder / "old")
    new = Release(
        id="2-00000000", sequence=2, latest_version_id=0,
        metros={"harbor": open_world(after, folder / "new", stamp=STAMP + timedelta(hours=1))},
    )  # fmt: skip
    for kind in TYPES:
        expected = [item["id"] for item in list_items(before, kind, EVERYTHING, today=TODAY)]
        pages = follow_cursor(old, f"/v1/harbor/{COLLECTIONS[kind]}", {**EVERYTHING, "limit": "3"}, then=new)
        ids = [item["id"] for page in pages for item in page]
        assert len(ids) == len(set(ids))
        stayed = [row_id for row_id in expected if row_id not in gone]
        assert [row_id for row_id in ids if row_id in stayed] == stayed


def test_midnight_between_two_pages_changes_nothing(tmp_path: Path) -> None:
    world = World()
    for number in range(6):
        row_id = f"00000000-0000-4000-8000-00000000000{number}"
        local = datetime(2026, 8, 10, 9 + number)
        world.dates[row_id] = [local]
        world.listings.append(
            documents.make_event(
                row_id, starts_local=local.isoformat(), starts_at=f"2026-08-10T{13 + number}:00:00Z", has_date=True
            )
        )
    release = open_release([world], tmp_path)
    first = fetch(release, "/v1/harbor/events", {"limit": "4"}, today=TODAY)
    query = parse("/v1/harbor/events", {"limit": "4", "cursor": first["meta"]["next_cursor"]})
    assert query.cursor is not None
    assert query.cursor.date == TODAY
    rest = fetch(
        release, "/v1/harbor/events", {"limit": "4", "cursor": first["meta"]["next_cursor"]}, today=query.cursor.date
    )
    assert len(first["data"]) + len(rest["data"]) == 6
    assert rest["meta"]["window"]["from"] == "2026-08-10"
    assert fetch(release, "/v1/harbor/events", {"limit": "4"}, today=TODAY + timedelta(days=1))["data"] == []


def test_listings_with_names_longer_than_a_cursor_come_once_each(tmp_path: Path) -> None:
    names = ["z" * 3000 + end for end in ("b", "a", "c", "")] + ["y" * 199, "z" * 200, "z" * 201]
    world = World(
        listings=[
            documents.make_place(f"00000000-0000-4000-8000-00000000000{number}", name=name)
            for number, name in enumerate(names)
        ]
    )
    release = open_release([world], tmp_path)
    pages = follow_cursor(release, "/v1/harbor/places", {"limit": "1"})
    assert [item["name"] for page in pages for item in page] == sorted(names)


def test_a_cursor_names_the_metros_stamp_and_nothing_of_the_release(tmp_path: Path) -> None:
    release = open_release([make_world(Random(1), size=60)], tmp_path)
    other = Release(id="9-99999999", sequence=9, latest_version_id=5, metros=release.metros)
    path, params = "/v1/harbor/places", {**EVERYTHING, "limit": "1"}
    assert ask(release, path, params) == ask(other, path, params)
    cursor = parse(path, {**params, "cursor": fetch(release, path, params)["meta"]["next_cursor"]}).cursor
    assert cursor is not None
    assert cursor.release == format_stamp(release.metros["harbor"]) == "2026-08-01T12:00:00Z"


ID = "0a000000-0000-4000-8000-000000000001"


@pytest.mark.parametrize(
    ("kind", "position"),
    [
        ("event", (1, "id")),
        ("event", (1, ID.upper())),
        ("class", ("clay", "")),
        ("place", ("zoo", ID.replace("-", ""))),
        ("camp", (None, "0x" + ID[2:])),
        ("event", ("Zoo", ID)),
        ("event", (None, ID)),
        ("event", (2**62, ID)),
        ("event", (1, None)),
        ("event", (1,)),
        ("event", ()),
        ("class", (1, ID)),
        ("place", (None, ID)),
        ("camp", (5, ID)),
        ("camp", ("2026-13-01", ID)),
        ("camp", ("soon", ID)),
    ],
)
def test_a_position_that_the_list_cannot_have_given_is_refused(
    tmp_path: Path, kind: str, position: tuple[str | int | None, ...]
) -> None:
    assert _refuse(tmp_path, kind, position=position, day=TODAY) == "cursor_malformed"


@pytest.mark.parametrize("day", [date.min, date.max])
def test_a_cursor_with_an_impossible_date_is_refused(tmp_path: Path, day: date) -> None:
    assert _refuse(tmp_path, "event", position=(1, ID), day=day) == "cursor_malformed"


def _refuse(folder: Path, kind: str, *, position: tuple[str | int | None, ...], day: date) -> object:
    release = open_release([World()], folder)
    path = f"/v1/harbor/{COLLECTIONS[kind]}"
    cursor = Cursor(route=f"{COLLECTIONS[kind]}.list", release="2026-07-01T12:00:00Z", date=day, position=position)
    with pytest.raises(ApiError) as raised:
        fetch(
            release,
            path,
            {"cursor": encode_cursor(cursor, parse(path).unpaged_text, snapshot="0" * 64)},
            today=day,
        )
    assert raised.value.details["param"] == "cursor"
    return raised.value.details["reason"]
