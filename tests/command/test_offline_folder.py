"""`outings site --offline`: what is in the folder that needs no server. What its page shows of it, Chromium tests."""

import base64
import io
import json
import re
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner, Result

from outings.command import main
from pipeline.takedown.takedown import take_down
from tests.pipeline.city import City, make_event, make_place

WALK = "0d5c0000-0000-4000-8000-0000000000a1"
ADULTS = {"ages": {"min": 21}, "name": "Wine night"}


@pytest.fixture
def city(tmp_path: Path) -> City:
    city = City(tmp_path)
    city.site = '[site]\nname = "Harbor"\n'
    city.write(
        [make_event("walk", id=WALK, name="Walk"), make_place("hall", name="Hall"), make_event("wine", **ADULTS),
         make_event("rumor", name="Rumor", confidence=0.3)]
    )  # fmt: skip
    city.build()
    return city


def write(city: City, *words: str) -> Result:
    folder = str(city.folder / "pages")
    return CliRunner().invoke(main, ["site", folder, "-c", str(city.folder / "outings.toml"), *words])


def read_names(city: City) -> list[str]:
    """Of all listings in the folder's data."""
    [data] = (city.folder / "pages/offline/seattle/assets").glob("data.*.js")
    parquet = base64.b64decode(json.loads(data.read_text().partition(" = ")[2].rstrip(";\n"))["cards"])
    return [json.loads(card)["name"] for card in pl.read_parquet(io.BytesIO(parquet))["card"]]


def test_it_has_what_lists_show_and_nothing_that_they_hide(city: City) -> None:
    assert write(city, "--offline", "seattle").exit_code == 0
    assert read_names(city) == ["Walk", "Hall"]
    page = (city.folder / "pages/offline/seattle/index.html").read_text()
    named = re.findall(r'(?:src|href)="([^#"]+)"', page)
    assert len(named) > 5
    assert all((city.folder / "pages/offline/seattle" / name).is_file() for name in named)


def test_it_goes_with_the_next_run_that_does_not_ask_for_it(city: City) -> None:
    write(city, "--offline", "seattle")
    assert write(city).exit_code == 0
    assert not list((city.folder / "pages").rglob("data.*.js"))


@pytest.mark.long
def test_what_was_taken_down_is_not_in_the_next_one(city: City) -> None:
    write(city, "--offline", "seattle")
    assert "Walk" in read_names(city)
    now = datetime(2026, 8, 11, 18, tzinfo=UTC)
    take_down(city.store, [WALK], reason="asked", now=now, cache=city.cache)
    write(city, "--offline", "seattle")
    assert read_names(city) == ["Hall"]


def test_a_metro_without_listings_has_a_folder_too(city: City) -> None:
    city.write([])
    city.build("2026-08-11", allow_shrink=True)
    assert write(city, "--offline", "seattle").exit_code == 0
    assert read_names(city) == []


def test_a_metro_that_there_is_not_is_refused_with_those_that_there_are(city: City) -> None:
    refused = write(city, "--offline", "boston")
    assert refused.exit_code == 2
    assert "--offline boston" in refused.output
    assert "allowed: seattle" in refused.output
    assert not (city.folder / "pages").exists()
