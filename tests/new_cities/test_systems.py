"""An address of a known system becomes a feed by `outings init`, with no editor."""

import json
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from tests.new_cities.exporting import run
from tests.pipeline.fetch.presets import calendars, portals
from tests.pipeline.fetch.web import Web, serve_web

TRIBE = "/wp-json/tribe/events/v1/events"
LAYER = "/arcgis/rest/services/Parks/FeatureServer/0"
CITY = ("--metro", "Seattle", "--center", "47.6,-122.3", "--allow-private", "--yes")


@pytest.fixture
def web() -> Iterator[Web]:
    with serve_web() as served:
        yield served


Draft = Callable[..., tuple[Result, dict[str, Any]]]


@pytest.fixture
def draft(web: Web, tmp_path: Path) -> Draft:
    """Return the output of init for an address, and the feed that it writes. `outings check` must end as expected."""

    def draft_address(path: str, *options: str, ends: int = 0) -> tuple[Result, dict[str, Any]]:
        config = tmp_path / "outings.toml"
        done = run("init", web.url + path, *CITY, *options, "-c", str(config))
        assert done.exit_code == 0, done.output
        checked = run("check", "-c", str(config))
        assert checked.exit_code == ends, checked.output
        (feed,) = tomllib.loads(config.read_text())["feeds"]
        return done, feed

    return draft_address


def test_a_site_with_the_events_calendar_needs_no_more_than_its_address(draft: Draft, web: Web) -> None:
    web.pages[TRIBE] = calendars.make_tribe([calendars.make_tribe_event(number) for number in range(1, 6)])
    done, feed = draft("", "--preset", "the-events-calendar", "--organization", "Parks")
    assert "table, 6 rows, 6 records" in done.stdout  # five events, and their venue
    assert "by the preset the-events-calendar" in done.stdout
    assert (feed["preset"], feed["url"], feed["defaults"]) == (
        "the-events-calendar", web.url, {"organization": {"name": "Parks"}},
    )  # fmt: skip
    assert not {"map", "pages", "records", "format"} & set(feed)


def test_the_events_of_a_site_are_served(draft: Draft, web: Web, tmp_path: Path) -> None:
    web.pages[TRIBE] = calendars.make_tribe([calendars.make_tribe_event(number) for number in range(1, 6)])
    draft(TRIBE)
    config = str(tmp_path / "outings.toml")
    assert run("build", "--as-of", "2026-11-30", "--workers", "1", "-c", config).exit_code == 0
    query = "SELECT name, price.min AS price_min, location.lat AS lat FROM events ORDER BY name"
    printed = run("query", query, "--format", "json", "-c", config)
    rows = json.loads(printed.stdout)["rows"]
    assert [(row["name"], row["price_min"], row["lat"]) for row in rows] == [
        (f"Tot & Play {number}", 5, 47.68) for number in range(1, 6)
    ]


def test_a_calendar_with_nothing_to_come_is_drafted_too(draft: Draft, web: Web) -> None:
    web.pages[TRIBE] = calendars.make_tribe([])
    _, feed = draft(TRIBE, ends=5)  # a feed without one listing is told
    assert feed["preset"] == "the-events-calendar"


def test_a_dataset_is_known_by_its_address_and_its_columns_by_their_names(draft: Draft, web: Web) -> None:
    web.pages["/resource/abcd-1234.json"] = portals.serve_socrata
    done, feed = draft("/resource/abcd-1234.json", "--column", "start_date=begins")
    assert (feed["preset"], feed["url"]) == ("socrata", f"{web.url}/resource/abcd-1234.json")
    assert (feed["map"]["name"], feed["map"]["starts_local"]) == ("title", "begins")
    assert "source_id" not in feed["map"]
    assert "5 rows, 5 records" in done.stdout


def test_a_layer_is_read_to_its_last_page_and_placed_by_its_preset(draft: Draft, web: Web) -> None:
    web.pages[f"{LAYER}/query"] = portals.make_arcgis(limit=2)
    done, feed = draft(LAYER)
    assert (feed["preset"], feed["map"]["name"]) == ("arcgis", "attributes.NAME")
    assert "location" not in str(feed["map"])
    assert "5 rows, 5 records" in done.stdout


def test_the_page_of_a_dataset_is_enough(draft: Draft, web: Web) -> None:
    web.pages["/api/explore/v2.1/catalog/datasets/agenda/exports/json"] = portals.serve_opendatasoft_export
    done, feed = draft("/explore/dataset/agenda/information/")
    assert (feed["preset"], feed["url"]) == ("opendatasoft", f"{web.url}/explore/dataset/agenda/information/")
    assert (feed["map"]["source_id"], feed["map"]["name"]) == ("uid", "title")
    assert "    event · Tue 2026-12-01 09:00" in done.stdout


def test_an_address_is_taken_as_it_is_where_a_person_says_so(draft: Draft, web: Web) -> None:
    web.pages["/resource/abcd-1234.json"] = portals.serve_socrata
    _, feed = draft("/resource/abcd-1234.json", "--preset", "none", "--column", "start_date=begins")
    assert (feed["format"], "preset" in feed) == ("table", False)
    assert web.targets[0] == "/resource/abcd-1234.json"


def test_an_address_that_is_none_of_the_system_is_reported_with_what_is(web: Web, tmp_path: Path) -> None:
    done = run("init", web.url, *CITY, "--preset", "arcgis", "-c", str(tmp_path / "outings.toml"))
    assert (done.exit_code, "allowed: …/FeatureServer/0, with the number of a layer" in done.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == []
