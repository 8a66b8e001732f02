"""A static tree after any sequence of builds is the tree that is built from nothing."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from outings.configuration.tables import StaticTable
from pipeline.publish.static import publishing
from pipeline.publish.static.hosts import FolderHost
from pipeline.publish.static.publishing import MANIFEST, StaticResult, publish_static
from pipeline.publish.takedown.takedown import take_down
from tests.pipeline.city import FIRST, City, Record, make_event, make_place

ADULTS = "/v1/seattle/events?audience=adults"
WEEKLY = {"rrule": "FREQ=WEEKLY"}


class Dying(BaseException):
    """An exception that the program does not catch."""


class DyingHost(FolderHost):
    """Dies after so many files are written or deleted."""

    def __init__(self, folder: Path, *, steps: int) -> None:
        super().__init__(folder)
        self._left = steps

    def _step(self, step: Any) -> Any:
        if self._left == 0:
            raise Dying
        self._left -= 1
        return step

    def write(self, files: Any) -> None:
        super().write(map(self._step, files))

    def delete(self, names: Any) -> None:
        super().delete(map(self._step, names))


class World:
    """Two cities and the operator's settings, which steps change."""

    def __init__(self, folder: Path, draw: Random) -> None:
        self.folder, self.draw, self.day = folder, draw, FIRST
        self.city = City(folder, has_pages=True)
        self.table: Record = {}
        self.number = 0
        self.rows: dict[str, dict[str, Record]] = {"seattle": {}, "boston": {}}
        for metro in self.rows:
            for _ in range(6):
                self.add_row(metro)
        self.city.add_metro("boston", "America/New_York")
        self.write()

    def write(self) -> None:
        for metro, rows in self.rows.items():
            self.city.write(rows.values(), feed=metro, metro=metro)

    def add_row(self, metro: str) -> None:
        self.number += 1
        name, draw = f"r{self.number}", self.draw
        place = {"lat": 47.6, "lng": -122.3, "neighborhood": draw.choice(["Maple Hill", "Heron Flats"])}
        more: Record = {"location": place}
        if draw.random() < 0.8:
            more["organization"] = {"name": draw.choice(["Library", "Cabaret", metro])}
        if draw.random() < 0.3:
            self.rows[metro][name] = make_place(name, **more)
            return
        day = self.day + timedelta(days=draw.randrange(40))
        others = [f"{day + timedelta(days=number)}T10:00:00" for number in (7, 30, 500)]
        more |= draw.choice([
            {}, {"audience": "adults"}, WEEKLY, {"rdates": others}, {**WEEKLY, "exdates": others},
            {"place": {"source_id": "r1"}},
        ])  # fmt: skip
        more |= {"categories": draw.sample(["music_dance", "arts_creative"], 1)}
        self.rows[metro][name] = make_event(name, starts_local=f"{day}T10:00:00", **more)

    # The steps.

    def change_row(self) -> None:
        rows = self.rows[self.draw.choice([*self.rows])]
        row = self.draw.choice([*rows.values()])
        row["description"] = f"Changed on {self.day}, {self.draw.random()}."

    def add_rows(self) -> None:
        for _ in range(self.draw.randrange(1, 4)):
            self.add_row(self.draw.choice([*self.rows]))

    def remove_row(self) -> None:
        rows = self.rows[self.draw.choice([*self.rows])]
        if len(rows) > 2:
            del rows[self.draw.choice([*rows])]

    def change_nothing(self) -> None:
        pass

    def begin_day(self) -> None:
        self.day += timedelta(days=self.draw.choice([1, 1, 5, 60]))

    def change_settings(self) -> None:
        self.table = {
            "requests": self.draw.choice([(), (ADULTS,), ("/v1/metros",)]), "days": self.draw.choice([2, 3]),
            "max_objects": self.draw.choice([100, 200_000]),
            "metros": self.draw.choice([(), ("seattle",)]),
        }  # fmt: skip

    def change_site(self) -> None:
        self.city.site = self.draw.choice(['[site]\nname = "Outdoors"\n', "", "[site]\nenabled = false\n"])

    def drop_metro(self) -> None:
        if "boston" in self.rows:
            self.city.forget_metro("boston")
            del self.rows["boston"]
        else:
            self.city.add_metro("boston", "America/New_York")
            self.rows["boston"] = {}
            for _ in range(4):
                self.add_row("boston")

    def take_down(self) -> None:
        release = self.city.open()
        ids = [row for rows in release.metros.values() for row in list_ids(rows)]
        moment = datetime.combine(self.day, datetime.min.time(), UTC) + timedelta(hours=20)
        take_down(self.city.store, [self.draw.choice(ids)], reason="asked", now=moment, cache=self.city.cache)

    def publish(self, host: FolderHost) -> StaticResult:
        done = publish_static(
            self.city.store, StaticTable(url="file:tree", **self.table), host=host, read_date=lambda _: self.day,
            cache=self.city.cache, allow_shrink=True,
        )  # fmt: skip
        assert done is not None
        return done

    def publish_twin(self, folder: Path) -> dict[str, bytes]:
        """Return the tree that is made from nothing; the store then knows again what it knew."""
        path = self.folder / "var/store" / MANIFEST
        stored = path.read_bytes() if path.exists() else None
        path.unlink(missing_ok=True)
        self.publish(FolderHost(folder))
        if stored is None:
            path.unlink()
        else:
            path.write_bytes(stored)
        return read_tree(folder)


def list_ids(snapshot: Any) -> list[str]:
    from outings.release.tables import read_columns

    return read_columns(snapshot.tables["listings"], "listings", ("id",))["id"].to_list()


def read_tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


STEPS: tuple[Callable[[World], None], ...] = (
    World.change_row, World.change_row, World.add_rows, World.remove_row, World.change_nothing, World.begin_day,
    World.begin_day, World.change_settings, World.change_site, World.drop_metro, World.take_down,
)  # fmt: skip


@pytest.mark.long
def test_the_tree_after_any_sequence_of_builds_is_the_tree_built_from_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cases: int
) -> None:
    for case in range(cases):
        draw = Random(f"{case} of sequences")
        folder = tmp_path / str(case)
        folder.mkdir()
        world = World(folder, draw)
        world.city.build(world.day.isoformat())
        for number in range(8):
            step = draw.choice(STEPS)
            step(world)
            if step is not World.take_down:
                world.write()
                world.city.build(world.day.isoformat(), allow_shrink=True)
            if draw.random() < 0.2:
                monkeypatch.setattr(publishing, "_hash_program", lambda program=str(draw.random()): program)
            if draw.random() < 0.4:
                try:
                    world.publish(DyingHost(folder / "tree", steps=draw.choice([0, 1, 5, 40, 100])))
                except Dying:
                    if draw.random() < 0.3:
                        continue
            world.publish(FolderHost(folder / "tree"))
            tree, twin = read_tree(folder / "tree"), world.publish_twin(folder / f"twin{number}")
            assert tree.keys() == twin.keys(), (case, number, step)
            assert [name for name in tree if tree[name] != twin[name]] == [], (case, number, step)
