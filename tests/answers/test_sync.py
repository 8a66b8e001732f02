"""Sync mode: a mirror that reads what changed since it last read has everything, whatever is published meanwhile."""

from copy import deepcopy
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given

from outings.contract.errors import ApiError
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.asking import fetch, parse, read_all
from tests.answers.documents import make_uuid
from tests.answers.generated import STAMPS, TODAY, make_world, seeds
from tests.answers.reference import list_items
from tests.answers.worlds import COLLECTIONS, STAMP, TYPES, World, open_release, open_world

NEVER = "2020-01-01T00:00:00Z"
RELEASES = 4


def write_instant(instant: datetime) -> str:
    return instant.strftime("%Y-%m-%dT%H:%M:%SZ")


def change_world(world: World, stamp: datetime, random: Random) -> World:
    """The next release's: some rows changed, left, came back or are new, each with the stamp as its update."""
    after = deepcopy(world)
    newcomers = make_world(random, size=4)
    after.listings += newcomers.listings
    after.dates |= newcomers.dates
    changed = random.sample(after.listings, len(after.listings) // 3) + newcomers.listings
    for item in changed:
        item["updated_at"] = write_instant(stamp)
        item["audience"] = random.choice(["kids", "families", "adults"])
        item["status"] = random.choice(["published", "published", "archived"])
    return after


class Mirror:
    """A reader that syncs repeatedly. It remembers only where its next sync begins."""

    def __init__(self, path: str, random: Random) -> None:
        self.rows: dict[str, str] = {}
        self.syncs = 0
        self._path = path
        self._random = random
        self._since = NEVER
        self._cursor: str | None = None

    def read_page(self, releases: list[Release], today: date) -> None:
        """Answer from the release of the cursor if that is still open, else from the current one."""
        params = {"changed_since": self._since, "limit": "3"}
        release = releases[-1]
        if self._cursor is not None:
            params["cursor"] = self._cursor
            cursor = parse(self._path, params).cursor
            assert cursor is not None
            today = cursor.date
            kept = releases if self._random.random() < 0.5 else releases[-1:]
            page = [entry for entry in kept if write_instant(entry.metros["harbor"].stamp) == cursor.release]
            release = (page or [release])[0]
        body = fetch(release, self._path, params, today=today)
        self.rows |= {item["id"]: item["updated_at"] for item in body["data"]}
        self._cursor = body["meta"]["next_cursor"]
        if self._cursor is None:
            self.syncs += 1
            latest = max([self._since, *self.rows.values()])
            self._since = self._random.choice([body["meta"]["generated_at"], latest])


@pytest.mark.long
@given(seed=seeds)
def test_a_mirror_has_every_row_under_any_interleaving(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    random, folder = Random(seed), tmp_path_factory.mktemp("world")
    world, today = make_world(random, size=20), TODAY
    releases = [open_release([world], folder / "0")]
    mirrors = {kind: Mirror(f"/v1/harbor/{collection}", random) for kind, collection in COLLECTIONS.items()}
    for number in range(1, RELEASES):
        for _ in range(random.randint(0, 12)):
            today += timedelta(days=random.randint(0, 2))
            random.choice(list(mirrors.values())).read_page(releases, today)
        stamp = STAMP + timedelta(hours=number)
        world = change_world(world, stamp, random)
        metros = {"harbor": open_world(world, folder / str(number), stamp=stamp)}
        releases.append(Release(id=f"{number}-00000000", sequence=number, latest_version_id=0, metros=metros))
    for kind, mirror in mirrors.items():
        ended = mirror.syncs
        while mirror.syncs < ended + 2:
            mirror.read_page(releases, today)
        shown = list_items(world, kind, {"changed_since": NEVER}, today=today)
        assert {item["id"]: item["updated_at"] for item in shown}.items() <= mirror.rows.items()


def make_rows(count: int) -> World:
    return World(
        listings=[documents.make_place(make_uuid(number), updated_at=STAMPS[number % 2]) for number in range(count)]
    )


def test_rows_of_one_update_come_in_the_order_of_ids(tmp_path: Path) -> None:
    release = open_release([make_rows(9)], tmp_path)
    items = read_all(release, "/v1/harbor/places", {"changed_since": NEVER, "limit": "2"})
    keys = [(item["updated_at"], item["id"]) for item in items]
    assert keys == sorted(keys)
    assert len(keys) == 9


@pytest.mark.parametrize(
    ("since", "count"),
    [
        ("2026-07-01T07:59:59.999Z", 9),
        ("2026-07-01T08:00:00Z", 4),
        ("2026-07-01T08:00:00.001Z", 4),
        ("2026-07-02T07:59:59Z", 4),
        ("2026-07-02T07:59:59.999999Z", 4),
        ("2026-07-02T08:00:00Z", 0),
        ("2026-07-02T08:00:00.5Z", 0),
        ("2026-07-02T09:59:59+02:00", 4),
        ("1900-01-01T00:00:00Z", 9),
        ("2199-12-31T23:59:59Z", 0),
    ],
)
def test_a_row_is_there_when_its_update_is_later(tmp_path: Path, since: str, count: int) -> None:
    release = open_release([make_rows(9)], tmp_path)
    assert fetch(release, "/v1/harbor/places", {"changed_since": since})["meta"]["count"] == count


@pytest.mark.parametrize(
    ("params", "param", "reason"),
    [
        ({"page": "1"}, "page", "contradictory"),
        ({"page": "2"}, "page", "contradictory"),
        ({"occurrences": "expand"}, "occurrences", "contradictory"),
        ({"ids": make_uuid(1)}, "changed_since", "contradictory"),
        ({"changed_since": "2026-07-01"}, "changed_since", "invalid_value"),
        ({"changed_since": "2026-07-01T08:00:00"}, "changed_since", "invalid_value"),
        ({"changed_since": ""}, "changed_since", "invalid_value"),
        ({"changed_since": "1899-12-31T23:59:59Z"}, "changed_since", "out_of_range"),
        ({"changed_since": "2200-01-01T00:00:00Z"}, "changed_since", "out_of_range"),
        ({"changed_since": "1900-01-01T00:00:00+14:00"}, "changed_since", "out_of_range"),
    ],
)
def test_what_does_not_go_with_sync_mode_is_refused(params: dict[str, str], param: str, reason: str) -> None:
    with pytest.raises(ApiError) as raised:
        parse("/v1/harbor/events", {"changed_since": NEVER, **params})
    assert (raised.value.details["param"], raised.value.details["reason"]) == (param, reason)


def test_dateless_rows_are_there_and_a_window_may_be_asked_for(tmp_path: Path) -> None:
    world = World(listings=[documents.make_event(make_uuid(1))])
    for number, day in ((2, "2020-01-01"), (3, "2026-08-20"), (4, "2027-08-01")):
        local = datetime.fromisoformat(day)
        row = documents.make_event(
            make_uuid(number), has_date=True, starts_local=local.isoformat(), starts_at=f"{day}T04:00:00Z"
        )
        world.dates[row["id"]] = [local]
        world.listings.append(row)
    release = open_release([world], tmp_path)

    def read_ids(**params: str) -> list[str]:
        return [item["id"] for item in read_all(release, "/v1/harbor/events", {"changed_since": NEVER, **params})]

    assert read_ids() == [make_uuid(number) for number in (1, 2, 3, 4)]
    assert read_ids(**{"from": "2026-08-01"}) == [make_uuid(3), make_uuid(4)]
    assert read_ids(to="2026-08-31") == [make_uuid(2), make_uuid(3)]
    assert read_ids(**{"from": "2026-08-01", "to": "2026-08-31"}) == [make_uuid(3)]


def test_meta_of_sync_mode_has_no_page_and_no_window(tmp_path: Path) -> None:
    release = open_release([make_rows(3)], tmp_path)
    for kind in TYPES:
        meta: dict[str, Any] = fetch(release, f"/v1/harbor/{COLLECTIONS[kind]}", {"changed_since": NEVER})["meta"]
        assert meta["page"] is None
        assert (meta["window"]["from"], meta["window"]["to"]) == (None, None)
        assert meta["defaults_applied"] == ["min_confidence", "audience"]
        assert meta["applied_filters"] == {
            "min_confidence": 0.5 if kind == "place" else 0.7, "audience": ["not_adults"], "changed_since": NEVER,
        }  # fmt: skip
    assert datetime.fromisoformat(meta["generated_at"]).astimezone(UTC) == STAMP
