"""A law of what feeds say: told bit by bit, or all at once, it is the same."""

from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.pipeline.city import FIRST, City, Record, make_event, read_sample

COLLECTIONS = ("events", "classes", "camps", "places", "organizations")


class Twins:
    """A city that is told what changed, and one that is told everything each time."""

    def __init__(self, folder: Path, random: Random) -> None:
        self.random, self.day, self.count = random, FIRST, 0
        self.small, self.whole = City(folder / "small"), City(folder / "whole")
        for city in (self.small, self.whole):
            city.folder.mkdir()
        # How fresh a record is depends on its feed's others, which only the whole feed says again.
        sample = [record | {"confidence": 0.9} for record in read_sample(folder / "sample")]
        self.stands = {(record["type"], record["source_id"]): record for record in sample}
        self.news = dict(self.stands)

    def build(self) -> None:
        self.small.write(self.news.values(), mode="delta")
        self.whole.write(self.stands.values())
        for city in (self.small, self.whole):
            city.build(self.day.isoformat(), allow_shrink=True)
        self.news = {}

    def move(self) -> None:
        for _ in range(4):
            self.random.choice((self.change, self.change, self.repeat, self.remove, self.add, self.republish))()
        self.day += timedelta(days=self.random.choice((0, 1, 30, 200)))

    def say(self, record: Record) -> None:
        self.news[record["type"], record["source_id"]] = record
        self.stands[record["type"], record["source_id"]] = record

    def pick(self, *kinds: str) -> Record:
        return self.random.choice([record for record in self.stands.values() if not kinds or record["type"] in kinds])

    def name(self) -> str:
        self.count += 1
        return f"Name {self.count}"

    def change(self) -> None:
        """Change the members of a place or an organization that other listings show."""
        self.say({**self.pick(*self.random.choice(((), ("place", "organization")))), "name": self.name()})

    def repeat(self) -> None:
        self.say({**self.pick("event"), "rrule": self.random.choice(("FREQ=WEEKLY", "FREQ=DAILY;COUNT=900"))})

    def republish(self) -> None:
        self.say({**self.pick(), "status": self.random.choice(("draft", "published", "archived"))})

    def add(self) -> None:
        organization = {"name": f"Only named {self.random.randrange(3)}"}
        self.say(make_event(f"new-{self.random.randrange(5)}", name=self.name(), organization=organization))

    def remove(self) -> None:
        gone = self.pick()
        key = gone["type"], gone["source_id"]
        del self.stands[key]
        self.news[key] = {"type": key[0], "source_id": key[1], "deleted": True}

    def read(self, city: City) -> dict[str, Any]:
        day = self.day.isoformat()
        return {name: city.ask(f"/v1/seattle/{name}?limit=200", day=day)["data"] for name in COLLECTIONS}


@pytest.mark.long
def test_what_a_delta_says_bit_by_bit_is_what_a_full_feed_says_at_once(tmp_path: Path, cases: int) -> None:
    for case in range(max(cases // 2, 1)):
        (tmp_path / str(case)).mkdir()
        twins = Twins(tmp_path / str(case), Random(case))
        for step in range(5):
            twins.build()
            assert twins.read(twins.small) == twins.read(twins.whole), (case, step)
            assert twins.small.read_versions() == twins.whole.read_versions(), (case, step)
            twins.move()
