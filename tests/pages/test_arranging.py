"""The explorer shows of each class and camp what one can still have, and sets apart what is full or over."""

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.conftest import ROOT
from tests.pages.node_index import NODE

SATURDAY_NOON = "2026-11-28T12:05:00"
TODAY = {"from": "2026-11-28", "to": "2026-11-28"}


def arrange_rows(items: list[dict[str, Any]], filters: dict[str, str], *, now: str) -> dict[str, list[Any]]:
    command = [NODE, Path(__file__).with_name("arrange_rows.mjs"), ROOT / "site/scripts"]
    sent = json.dumps({"items": items, "filters": filters, "now": now})
    done = subprocess.run(command, input=sent, capture_output=True, text=True, timeout=60, check=True)
    arranged: dict[str, list[Any]] = json.loads(done.stdout)
    return arranged


def make_class(*sections: tuple[str, str, str, int]) -> dict[str, Any]:
    """Return a class with a section for each weekday, first hour, last hour, and number of places that are left."""
    return {
        "type": "class", "id": "1", "name": "Swimming", "ages": {"min": 4, "max": 7}, "price": {"min": 180},
        "sections": [
            {
                "schedule": {"days": [day], "start_time": start, "end_time": end},
                "term": {"starts_on": "2026-11-08", "ends_on": "2026-12-20"},
                "registration": {"status": "open", "spots_remaining": spots},
            }
            for day, start, end, spots in sections
        ],
    }  # fmt: skip


def test_a_class_that_met_this_morning_is_over_today_though_another_section_meets_on_another_day() -> None:
    item = make_class(("thursday", "10:00:00", "11:00:00", 3), ("saturday", "10:00:00", "11:00:00", 3))
    arranged = arrange_rows([item], TODAY, now=SATURDAY_NOON)
    assert {name: len(rows) for name, rows in arranged.items()} == {"ahead": 0, "closed": 0, "over": 1}
    assert arranged["over"][0]["schedule"]["days"] == ["saturday"]


def test_of_two_sections_of_today_the_one_that_is_still_to_come_is_shown() -> None:
    item = make_class(("saturday", "10:00:00", "11:00:00", 3), ("saturday", "15:00:00", "16:00:00", 3))
    [row] = arrange_rows([item], TODAY, now=SATURDAY_NOON)["ahead"]
    assert (row["schedule"]["start_time"], row["moment"]["start"]) == ("15:00:00", "2026-11-28T15:00:00")


def test_a_class_is_full_only_if_each_of_its_sections_is() -> None:
    full, free = ("saturday", "15:00:00", "16:00:00", 0), ("saturday", "17:00:00", "18:00:00", 6)
    arranged = arrange_rows([make_class(full, free), make_class(full)], TODAY, now=SATURDAY_NOON)
    assert [row["schedule"]["start_time"] for row in arranged["ahead"]] == ["17:00:00"]
    assert [row["schedule"]["start_time"] for row in arranged["closed"]] == ["15:00:00"]
