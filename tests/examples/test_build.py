"""The example as an operator runs it: what a build of the two cities reports, writes and refuses."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.examples.cities import DATA, BuiltExample, copy_example, read_printed, run_outings

pytestmark = pytest.mark.xdist_group("cities")

Build = Callable[[str], BuiltExample]

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


@pytest.mark.parametrize("as_of", [DATES[0], pytest.param(DATES[1], marks=pytest.mark.long)])
def test_every_row_of_every_feed_is_accounted_for(build: Build, as_of: str) -> None:
    report = build(as_of).report
    feeds = {feed["feed"]: feed for feed in report["feeds"]}
    assert {name: feed["read"] for name, feed in feeds.items()} == ROWS
    for feed in [*feeds.values(), report["records"]]:
        assert feed["read"] == feed["listings"] + feed["merged"] + feed["quarantined"]
    assert report["records"]["read"] == sum(ROWS.values())
    # Five spray showers are in New York's file twice.
    assert {name: feed["merged"] for name, feed in feeds.items() if feed["merged"]} == {"nyc-places": 5}
    assert report["unknown_members"] == {}


@pytest.mark.parametrize("as_of", [DATES[0], pytest.param(DATES[1], marks=pytest.mark.long)])
def test_the_report_says_why_a_row_is_in_quarantine(build: Build, as_of: str) -> None:
    """Every row of both cities can be shown. A value that can't be read is null in its record."""
    built = build(as_of)
    lines = [json.loads(line) for line in Path(built.report["quarantine"]).read_text().splitlines()]
    assert lines == []
    assert built.report["records"]["quarantined"] == 0


@pytest.mark.long
def test_a_row_that_breaks_a_rule_is_named_in_quarantine(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    data = tmp_path / "data"
    shutil.copytree(DATA / "seattle", data / "seattle", copy_function=shutil.copyfile)
    (data / "seattle").chmod(0o755)
    (data / "us").symlink_to(DATA / "us")
    catalogue = data / "seattle" / "parks-activity-catalog.json"
    rows = json.loads(catalogue.read_text())
    assert rows[0]["Activity_ID"] == 67414
    rows[0]["AgesMin"] = 700
    catalogue.write_text(json.dumps(rows))
    example = copy_example(tmp_path / "example")
    done = run_outings("build", "--metro", "sea", "--as-of", DATES[1], "--json", example=example, data=data)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    (line,) = [json.loads(line) for line in Path(report["quarantine"]).read_text().splitlines()]
    assert (line["feed"], line["source_id"], line["field"]) == ("seattle-activities", "67414", "ages.min")
    assert (line["value"], line["reason"]) == ("700", "out_of_range: expected an age from 0 to 120")
    assert report["records"]["quarantined"] == 1


@pytest.mark.long
@pytest.mark.parametrize("as_of", DATES[:2])
def test_the_same_build_again_writes_nothing_and_changes_nothing(build: Build, as_of: str, tmp_path: Path) -> None:
    first = build(as_of)
    assert sum(first.report["changes"].values()) == first.report["changes"]["created"]
    again = BuiltExample(tmp_path / "again", {})
    shutil.copytree(first.example, again.example)
    report = read_printed("build", "--as-of", as_of, example=again.example)
    assert report["objects"] == {"total": first.report["objects"]["total"], "written": 0, "bytes_written": 0}
    assert set(report["changes"].values()) == {0}


@pytest.mark.long
def test_two_builds_from_nothing_are_the_same_bytes(build: Build, tmp_path: Path) -> None:
    again = BuiltExample(copy_example(tmp_path / "elsewhere"), {})
    read_printed("build", "--as-of", DATES[0], example=again.example)
    # Keys are no part of a release: another test may have made one.
    ours, theirs = (list_files(built.store) for built in (build(DATES[0]), again))
    ours.pop("keys.json", None)
    ours.pop("keys.copy.json", None)
    # What the store knows of the static files names their folder, which is another.
    trees = [json.loads(files.pop("static.json"))["tree"] for files in (ours, theirs)]
    assert trees[0] == trees[1]
    assert ours == theirs


@pytest.mark.long
def test_check_reads_the_same_and_publishes_nothing(tmp_path: Path) -> None:
    checked = BuiltExample(copy_example(tmp_path / "example"), {})
    report = read_printed("check", example=checked.example)
    assert {feed["feed"]: feed["read"] for feed in report["feeds"]} == ROWS
    assert not checked.store.exists() or not list_files(checked.store)


def test_without_the_cities_it_says_what_is_not_set(tmp_path: Path) -> None:
    done = run_outings("check", example=copy_example(tmp_path / "example"), data=None)
    assert done.returncode == 2
    assert "${CITY_DATA}, which is not set" in done.stderr
