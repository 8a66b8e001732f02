"""The example as an operator runs it: what a build of the two cities reports, writes and refuses."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.examples.cities import Built, read_printed, run_outings

pytestmark = pytest.mark.xdist_group("cities")

Build = Callable[[str], Built]

ROWS = {
    "city-departments": 2,
    "nyc-events": 1757,
    "nyc-places": 6613,
    "seattle-centers": 29,
    "seattle-activities": 2228,
}
DATES = ("2026-08-10", "2024-12-01")


def list_files(store: Path) -> dict[str, bytes]:
    return {str(path.relative_to(store)): path.read_bytes() for path in store.rglob("*") if path.is_file()}


@pytest.mark.parametrize("as_of", DATES)
def test_every_row_of_every_feed_is_accounted_for(build: Build, as_of: str) -> None:
    report = build(as_of).report
    feeds = {feed["name"]: feed for feed in report["feeds"]}
    assert {name: feed["read"] for name, feed in feeds.items()} == ROWS
    for feed in [*feeds.values(), report["records"]]:
        assert feed["read"] == feed["listings"] + feed["merged"] + feed["quarantined"]
    assert report["records"]["read"] == sum(ROWS.values())
    # Five spray showers are in New York's file twice; nothing in either city is so wrong that it can't be shown.
    assert {name: feed["merged"] for name, feed in feeds.items() if feed["merged"]} == {"nyc-places": 5}
    assert report["records"]["quarantined"] == 0


@pytest.mark.parametrize("as_of", DATES)
def test_the_same_build_again_writes_nothing_and_changes_nothing(build: Build, as_of: str, tmp_path: Path) -> None:
    first = run_outings("build", "--as-of", as_of, store=tmp_path / "store")
    again = read_printed(run_outings("build", "--as-of", as_of, store=tmp_path / "store"))
    assert again["objects"]["written"] == 0
    assert set(again["changes"].values()) == {0}
    assert again["objects"]["total"] == read_printed(first)["objects"]["total"]


def test_two_builds_from_nothing_are_the_same_bytes(build: Build, tmp_path: Path) -> None:
    read_printed(run_outings("build", "--as-of", DATES[0], store=tmp_path / "store"))
    assert list_files(tmp_path / "store") == list_files(build(DATES[0]).store)


def test_the_report_says_why_a_row_is_in_quarantine(build: Build) -> None:
    report = build(DATES[0]).report
    lines = [json.loads(line) for line in Path(report["quarantine"]).read_text().splitlines()]
    assert Counter(line["feed"] for line in lines) == {}


def test_check_reads_the_same_and_publishes_nothing(build: Build, tmp_path: Path) -> None:
    report = read_printed(run_outings("check", store=tmp_path / "store"))
    assert {feed["name"]: feed["read"] for feed in report["feeds"]} == ROWS
    assert not list_files(tmp_path / "store")


def test_without_the_cities_it_says_what_is_not_set(tmp_path: Path) -> None:
    done = run_outings("check", store=tmp_path / "store", data=None)
    assert done.returncode == 2
    assert "CITY_DATA" in done.stderr
