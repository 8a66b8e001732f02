"""`outings check` reads everything, publishes nothing, and its exit code says whose fault a failure is."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from command import main
from tests.settings import format_metro

METRO = format_metro()
GOOD = '[[feeds]]\nname = "good"\nmetro = "seattle"\nformat = "ndjson"\nurl = "good.ndjson"\n'
TABLE = '[[feeds]]\nname = "table"\nmetro = "seattle"\nformat = "table"\nurl = "t.csv"\nselect = "t.sql"\n'
GONE = '[[feeds]]\nname = "gone"\nmetro = "seattle"\nformat = "ndjson"\nurl = "gone.ndjson"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    record = {"type": "event", "source_id": "1", "name": "Storytime", "colour": "red", "image_url": "x"}
    bad = {**record, "source_id": "2", "price": {"min": "free"}}
    (tmp_path / "good.ndjson").write_text("\n".join(map(json.dumps, [record, bad, record])))
    (tmp_path / "t.csv").write_text("a\n1\n")
    (tmp_path / "t.sql").write_text("SELECT 'event' AS type, a AS source_id, a AS name FROM feed")
    return tmp_path


def check(folder: Path, feeds: str, *options: str) -> Result:
    (folder / "outings.toml").write_text(METRO + feeds)
    return CliRunner().invoke(main, ["check", "-c", str(folder / "outings.toml"), *options])


def test_a_good_configuration_is_reported_and_nothing_is_published(folder: Path) -> None:
    before = {path.name for path in folder.iterdir()}
    result = check(folder, GOOD + TABLE)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[:3] == [
        "good   3 read = 1 listing + 1 merged + 1 quarantined",
        "table  1 read = 1 listing",
        "all    4 read = 2 listings + 1 merged + 1 quarantined",
    ]
    assert 'good: price.min: 1 × wrong_type: expected a number; as line 2 (2): "free"' in result.stdout
    assert "good: image_url: 2 × wrong_type" in result.stdout
    assert "good: colour (3)" in result.stdout
    assert {path.name for path in folder.iterdir()} == before | {"outings.toml"}


def test_json_is_one_object_on_standard_output(folder: Path) -> None:
    result = check(folder, GOOD, "--json")
    assert result.exit_code == 0
    report = json.loads(result.stdout)
    assert report["records"] == {"read": 3, "listings": 1, "merged": 1, "quarantined": 1}
    counts = {"read": 3, "listings": 1, "merged": 1, "quarantined": 1, "repeated": 1, "account": {"undated": 1}}
    assert report["feeds"] == [{"feed": "good", **counts}]
    assert report["unknown_members"] == {"good": {"colour": 3}}
    assert [(group["field"], group["count"], group["quarantined"]) for group in report["problems"]] == [
        ("price.min", 1, True), ("image_url", 2, False),
    ]  # fmt: skip
    assert report["errors"] == []


def test_a_feed_that_can_not_be_read_fails_and_the_others_are_reported(folder: Path) -> None:
    result = check(folder, GONE + GOOD, "--json")
    assert result.exit_code == 1
    report = json.loads(result.stdout)
    assert [feed["feed"] for feed in report["feeds"]] == ["good"]
    assert report["errors"] == ["feed gone: gone.ndjson: can't be read: No such file or directory"]
    assert "feed gone: gone.ndjson: can't be read" in result.stderr


def test_a_wrong_select_is_a_wrong_configuration(folder: Path) -> None:
    (folder / "t.sql").write_text("SELECT a AS nme FROM feed")
    result = check(folder, GONE + TABLE)
    assert result.exit_code == 2
    assert f"feed table: select {folder}/t.sql: has the column nme" in result.stderr
    assert "feed gone" in result.stderr


def test_bad_polygons_are_reported_and_what_is_no_geojson_fails(folder: Path) -> None:
    point = {"type": "Point", "coordinates": [0, 0]}
    feature = {"type": "Feature", "properties": {"name": "Ballard"}, "geometry": point}
    (folder / "n.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": [feature]}))
    result = check(folder, 'neighborhoods = "n.geojson"\n' + GOOD)
    assert result.exit_code == 0
    assert "neighborhoods of seattle: 1 × feature 1 (Ballard) is left out: its geometry is 'Point'" in result.stdout
    (folder / "n.geojson").write_text("<html>")
    result = check(folder, 'neighborhoods = "n.geojson"\n' + GOOD)
    assert result.exit_code == 1
    assert f"feed neighborhoods of seattle: {folder}/n.geojson: no JSON" in result.stderr
    result = check(folder, 'neighborhoods = "gone.geojson"\n' + GOOD)
    assert (result.exit_code, "gone.geojson: can't be read: No such file" in result.stderr) == (1, True)


def test_a_wrong_configuration_stops_before_any_feed_with_all_its_problems(folder: Path) -> None:
    result = check(folder, GOOD + GOOD + GONE.replace('"seattle"', '"boston"'), "--json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert 'outings.toml: feeds: "good" is named 2 times' in result.stderr
    assert 'outings.toml: feeds.gone.metro: is "boston"; allowed: seattle' in result.stderr


def test_records_are_put_together_as_in_a_build(folder: Path) -> None:
    """A reference to nothing is told, one to an organization of another metro is found."""
    club = "6f1f8a0e-5d0a-5c43-9a58-000000000001"
    event = {"type": "event", "metro": "seattle", "name": "Walk"}
    records = [
        {"type": "organization", "metro": "boston", "source_id": "club", "name": "Club", "id": club},
        {**event, "source_id": "1", "organization": {"id": club, "source_id": "no-club"}},
        {**event, "source_id": "2", "place": {"source_id": "nowhere"}},
        {**event, "source_id": "3", "id": club[:-1] + "3"},
        {**event, "source_id": "4", "id": club[:-1] + "3"},
    ]
    (folder / "all.ndjson").write_text("\n".join(map(json.dumps, records)))
    boston = METRO.replace("seattle", "boston").replace("Seattle", "Boston")
    result = check(folder, boston + GOOD.replace("good", "all").replace('metro = "seattle"\n', ""), "--json")
    report = json.loads(result.stdout)
    assert report["records"] == {"read": 5, "listings": 4, "merged": 0, "quarantined": 1}
    assert [(problem["field"], problem["code"], problem["example"]["line"]) for problem in report["problems"]] == [
        ("id", "duplicate_id", 5),
        ("place", "unknown_reference", 3),
    ]


def test_a_configuration_that_is_not_there_is_named(folder: Path) -> None:
    result = CliRunner().invoke(main, ["check", "--config", str(folder / "none.toml")])
    assert result.exit_code == 2
    assert "none.toml: there is no such file" in result.stderr
