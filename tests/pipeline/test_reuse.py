"""A build makes again what changed, and gives the same bytes as one that makes everything."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from outings.release.manifest import read_manifest
from outings.release.store import object_name
from pipeline import plan
from pipeline.building import BuildResult
from pipeline.publish import metro
from pipeline.resolve import row_maker
from pipeline.tables.similar import make_related
from tests.pipeline.city import FIRST, City, Record, make_event, make_place, read_sample

# Rules whose dates end in sight, end later, never end, and can't be read.
RULES = ("FREQ=WEEKLY;COUNT=5", "FREQ=DAILY;UNTIL=20271001", "FREQ=WEEKLY;BYDAY=TU", "FREQ=MONTHLY;COUNT=400", "often")


class Twins:
    """Two cities of the same feeds; before each build the other forgets what its listings and records were made of."""

    def __init__(self, folder: Path, random: Random) -> None:
        self.random = random
        self.cities = [City(folder / name) for name in ("one", "other")]
        for city in self.cities:
            city.folder.mkdir()
        self.day = FIRST
        self.records = read_sample(folder / "sample")
        self.absent: list[Record] = []
        self.delta: list[Record] = [make_event(f"d{n}", rrule=RULES[n % len(RULES)]) for n in range(6)]
        self.broken: set[int] = set()

    def build(self) -> list[BuildResult]:
        lines: list[Record | str] = [
            record if number not in self.broken else {**record, "starts_local": "soon", "sections": 3, "sessions": 3}
            for number, record in enumerate(self.records)
        ]
        for city in self.cities:
            city.write(lines)
            city.write(self.delta, feed="small", mode="delta")
        forget(self.cities[1])
        return [city.build(self.day.isoformat(), allow_shrink=True) for city in self.cities]

    def move(self) -> None:
        moves: list[Callable[[], None]] = [
            self.change_some, self.change_some, self.rename, self.repeat, self.lose, self.regain, self.reorder,
            self.spoil, self.mend, self.wait, self.wait, self.speak, self.crawl, self.republish, self.overstate,
            self.relocate,
        ]  # fmt: skip
        for move in self.random.sample(moves, 3):
            move()

    def pick(self) -> Record:
        return self.random.choice(self.records)

    def change_some(self) -> None:
        for _ in range(3):
            self.pick()["description"] = f"Now {self.random.randrange(1000)}, for children."

    def rename(self) -> None:
        """A place or an organization: listings elsewhere show its name."""
        kinds = [record for record in self.records if record["type"] in ("place", "organization")]
        self.random.choice(kinds)["name"] = f"Hall {self.random.randrange(1000)}"

    def repeat(self) -> None:
        events = [record for record in self.records if record["type"] == "event"]
        self.random.choice(events)["rrule"] = self.random.choice(RULES)

    def lose(self) -> None:
        for _ in range(3):
            self.absent.append(self.records.pop(self.random.randrange(len(self.records))))

    def regain(self) -> None:
        self.records += self.absent
        self.absent = []

    def reorder(self) -> None:
        self.random.shuffle(self.records)

    def spoil(self) -> None:
        self.broken = set(self.random.sample(range(len(self.records)), 4))

    def mend(self) -> None:
        self.broken = set()

    def wait(self) -> None:
        self.day += timedelta(days=self.random.choice((1, 1, 7, 90)))

    def speak(self) -> None:
        some = self.random.sample(self.delta, 2)
        self.delta = [{**record, "name": f"Walk {self.random.randrange(9)}"} for record in some]
        self.delta += [make_event(f"d{self.random.randrange(12, 20)}", rrule=self.random.choice(RULES))]

    def crawl(self) -> None:
        """The newest crawl of a feed decides how fresh all others are."""
        self.pick()["source"] = {"crawled_at": f"{self.day.isoformat()}T00:00:00Z"}

    def overstate(self) -> None:
        """Members that no record has, and one that is left out of it."""
        self.pick().update(nope=1, nor={"this": True}, image_url="no address")

    def relocate(self) -> None:
        """A listing says otherwise where it is, and may be elsewhere."""
        listings = [record for record in self.records if record["type"] != "organization"]
        self.random.choice(listings)["location"] = {
            "lat": 47.61, "lng": self.random.choice((-122.33, -122.34)),
            "address": f"{self.random.randrange(9)} Pine St",
        }  # fmt: skip

    def republish(self) -> None:
        self.pick()["status"] = self.random.choice(("draft", "published", "archived"))


def forget(city: City) -> None:
    if not (city.folder / "var/store/current.json").exists():
        return
    root = city.current.root
    manifests = [read_manifest(city.store, part.manifest) for part in root.parts.values()]
    for sha in {
        *(manifest.origins.object for manifest in manifests if manifest.origins is not None),
        *(memory.records for memory in root.feeds.values() if memory.records is not None),
    }:
        (city.folder / "var/store" / object_name(sha)).unlink()


@pytest.mark.long
def test_what_stays_is_what_would_be_made_again(tmp_path: Path, cases: int) -> None:
    """Roots are compared, which name everything: objects, versions, problems, what is remembered of feeds."""
    for case in range(max(cases // 2, 1)):
        (tmp_path / str(case)).mkdir()
        twins = Twins(tmp_path / str(case), Random(case))
        for step in range(6):
            one, other = twins.build()
            assert one.published.root == other.published.root, (case, step)
            assert one.changes == other.changes
            if step:
                twins.move()
            else:
                twins.change_some()  # descriptions alone, so that tables made of other columns stay


@pytest.fixture
def city(tmp_path: Path) -> City:
    city = City(tmp_path)
    city.write([make_place("hall"), *(make_event(str(n), place={"source_id": "hall"}) for n in range(9))])
    city.build()
    return city


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of listings that are made, as they are."""
    names: list[str] = []
    score = row_maker.score_confidence

    def tell(record: Any, **others: Any) -> Any:
        names.append(record.name)
        return score(record, **others)

    monkeypatch.setattr(row_maker, "score_confidence", tell)
    return names


def write_changed(city: City, **members: Any) -> None:
    others = (make_event(str(n), place={"source_id": "hall"}) for n in range(1, 9))
    city.write([make_place("hall"), make_event("0", place={"source_id": "hall"}, **members), *others])


def test_one_that_changed_is_made_and_no_other(city: City, made: list[str]) -> None:
    write_changed(city, name="Another")
    assert city.build().changes == {"updated": 1}
    assert made == ["Another"]


def test_a_day_later_nothing_is_made(city: City, made: list[str]) -> None:
    city.build("2026-08-11")
    assert made == []


def test_a_table_is_made_again_if_one_of_its_columns_changed(city: City, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    def tell(tables: Any, **others: Any) -> Any:
        made.append(tables["listings"].height)
        return make_related(tables, **others)

    monkeypatch.setattr(metro, "make_related", tell)
    write_changed(city, description="For birds.")
    assert city.build().changes == {"updated": 1}
    assert made == []  # `related` is made of names, but of no descriptions
    write_changed(city, name="Another", description="For birds.")
    city.build()
    assert made == [10]
    city.build("2026-08-11")
    assert made == [10, 10]  # another day's listings are live


def test_what_names_a_place_is_made_when_its_name_changes(city: City, made: list[str]) -> None:
    city.write([make_place("hall", name="Barn"), *(make_event(str(n), place={"source_id": "hall"}) for n in range(9))])
    assert city.build().changes == {"updated": 10}
    assert len(made) == 10


def test_another_program_makes_everything(city: City, made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "hash_listings", lambda *_, **__: "another")
    write_changed(city, name="Another")
    assert city.build().changes == {"updated": 1}
    assert len(made) == 10


@pytest.mark.parametrize("spoil", [lambda path: path.unlink(), lambda path: path.write_bytes(path.read_bytes()[:40])])
def test_origins_that_are_gone_or_torn_are_written_again(
    city: City, made: list[str], spoil: Callable[[Path], None]
) -> None:
    (part,) = city.current.root.parts.values()
    origins = read_manifest(city.store, part.manifest).origins
    assert origins is not None
    path = city.folder / "var/store" / object_name(origins.object)
    path.chmod(0o644)
    spoil(path)
    city.build("2026-08-11")
    assert len(made) == 10
    city.build("2026-08-12")
    assert len(made) == 10


def test_records_that_are_torn_are_read_again(city: City, made: list[str]) -> None:
    before = city.current.root.feeds["samples"]
    assert before.records is not None
    path = city.folder / "var/store" / object_name(before.records)
    whole = path.read_bytes()
    path.chmod(0o644)
    path.write_bytes(whole[:40])
    built = city.build("2026-08-11")
    assert (built.feeds[0].memory.records, path.read_bytes(), made) == (before.records, whole, [])
