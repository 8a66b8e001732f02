"""The static tree follows the release in force, whichever command publishes it."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from outings.command import main
from tests.pipeline.city import City, make_event


@pytest.fixture
def city(tmp_path: Path) -> City:
    city = City(tmp_path)
    city.site = '[static]\nurl = "file:var/public"\nmetros = ["seattle"]\n'
    return city


def write(city: City, names: Iterable[str]) -> None:
    """Events that the list of today and of tomorrow shows, whenever the test runs."""
    soon = (datetime.now(UTC) + timedelta(days=5)).date()
    city.write([make_event(name, name=name, starts_local=f"{soon}T10:00:00") for name in names])
    assert city.configuration.static is not None


def call(city: City, *words: str, code: int = 0) -> Result:
    done = CliRunner().invoke(main, [*words, "-c", str(city.folder / "outings.toml")])
    assert done.exit_code == code, done.stderr
    return done


def read_events(folder: Path) -> dict[str, str]:
    """The ids of the events in the tree's list, by name."""
    body = json.loads((folder / "var/public/v1/seattle/events.json").read_bytes())
    return {each["name"]: each["id"] for each in body["data"]}


def test_the_tree_follows_a_build_a_takedown_and_a_rollback(city: City, tmp_path: Path) -> None:
    write(city, "abcd")
    built = call(city, "build", "--workers", "1")
    assert f"static files of release {city.current.id}: " in built.stderr
    assert read_events(tmp_path).keys() == set("abcd")

    gone = read_events(tmp_path)["a"]
    call(city, "takedown", gone)
    assert read_events(tmp_path).keys() == set("bcd")
    public = [path for path in (tmp_path / "var/public").rglob("*") if path.is_file()]
    assert not [path for path in public if gone.encode() in str(path).encode() + path.read_bytes()]

    before = city.current.id
    write(city, "e")
    refused = call(city, "build", "--workers", "1", code=3)
    assert "max_shrink" in refused.stderr
    call(city, "build", "--workers", "1", "--allow-shrink")
    assert read_events(tmp_path).keys() == {"e"}
    call(city, "releases", "rollback", before)
    assert read_events(tmp_path).keys() == set("bcd")
    assert json.loads((tmp_path / "var/public/v1/index.json").read_bytes())["release"] == city.current.id


def test_without_the_table_nothing_is_written(city: City, tmp_path: Path) -> None:
    city.site = ""
    city.write([make_event("a")])
    assert city.configuration.static is None
    assert "static" not in call(city, "build", "--workers", "1").stderr
    assert {path.name for path in (tmp_path / "var").iterdir()} <= {"store", "lock", "quarantine", "cache"}
    assert not city.store.exists("static.json")
