"""`outings init` on one agenda in each kind of file and over HTTP, and with the answers of a person at a terminal."""

import json
import os
import pty
import sqlite3
import subprocess
import sys
import tomllib
from contextlib import closing
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.new_cities.exporting import run
from tests.pipeline.fetch.web import Page, Web, serve_web

ROWS: list[dict[str, Any]] = [
    {"id": "1", "title": "Storytime", "start": "2026-12-05 10:30", "price": "0", "lat": "43.61", "lng": "-116.20"},
    {"id": "2", "title": "Swim", "start": "2026-12-06 09:00", "price": "12.50", "lat": "43.62", "lng": "-116.21"},
    {"id": "3", "title": "Chess", "start": "2026-12-07 18:15", "price": "5", "lat": "43.60", "lng": "-116.19"},
]
CITY = ("--metro", "Boise", "--timezone", "America/Boise")


def make_csv() -> bytes:
    lines = [",".join(ROWS[0]), *(",".join(row.values()) for row in ROWS)]
    return "\n".join(lines).encode() + b"\n"


def write_csv(path: Path) -> None:
    path.write_bytes(make_csv())


def write_geojson(path: Path) -> None:
    features = [
        {
            "type": "Feature",
            "geometry": {"type": "Point", "coordinates": [float(row["lng"]), float(row["lat"])]},
            "properties": {name: row[name] for name in ("id", "title", "start", "price")},
        }
        for row in ROWS
    ]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))


def write_parquet(path: Path) -> None:
    frame = pl.DataFrame(ROWS).with_columns(
        pl.col("start").str.to_datetime("%Y-%m-%d %H:%M"), pl.col("price", "lat", "lng").cast(pl.Float64)
    )
    frame.write_parquet(path)


def write_sqlite(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE agenda (id INTEGER, title TEXT, start TEXT, price REAL, lat REAL, lng REAL)")
        database.executemany("INSERT INTO agenda VALUES (:id, :title, :start, :price, :lat, :lng)", ROWS)
        database.commit()


def write_json(path: Path) -> None:
    path.write_text(json.dumps({"meta": {"page": 1}, "data": {"events": ROWS}}))


def write_lines(path: Path) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))


WRITERS = {
    "agenda.csv": write_csv, "agenda.geojson": write_geojson, "agenda.parquet": write_parquet,
    "agenda.sqlite": write_sqlite, "agenda.json": write_json, "agenda.jsonl": write_lines,
}  # fmt: skip
# A text and a database; the others are read in tests/pipeline/fetch, too.
ALWAYS = ("agenda.csv", "agenda.sqlite")


def read_served(config: Path) -> list[tuple[str, str, float, float]]:
    """Return what a build makes of the configuration: names, times, prices, latitudes."""
    built = run("build", "--as-of", "2026-12-01", "--workers", "1", "--json", "-c", str(config))
    assert built.exit_code == 0, built.output
    starts = "strftime(starts_at AT TIME ZONE 'America/Boise', '%Y-%m-%d %H:%M') AS starts"
    query = f"SELECT name, {starts}, price.min AS price_min, location.lat AS lat FROM events ORDER BY starts"
    printed = run("query", query, "--format", "json", "-c", str(config))
    assert printed.exit_code == 0, printed.output
    rows = json.loads(printed.stdout)["rows"]
    return [(row["name"], row["starts"], row["price_min"], row["lat"]) for row in rows]


SERVED = [(row["title"], row["start"], float(row["price"]), float(row["lat"])) for row in ROWS]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in ALWAYS else pytest.mark.long) for name in WRITERS]
)
def test_the_same_agenda_is_served_whatever_kind_of_file_it_is(tmp_path: Path, name: str) -> None:
    WRITERS[name](tmp_path / name)
    config = tmp_path / "outings.toml"
    done = run("init", str(tmp_path / name), *CITY, "--yes", "-c", str(config))
    assert done.exit_code == 0, done.output
    (metro,) = tomllib.loads(config.read_text())["metros"]
    assert metro["center"] == {"lat": 43.61, "lng": -116.2}
    assert run("check", "-c", str(config)).exit_code == 0
    assert read_served(config) == SERVED


@pytest.fixture
def web() -> Any:
    with serve_web() as web:
        yield web


def test_an_address_is_drafted_and_served_as_a_file_is(tmp_path: Path, web: Web) -> None:
    web.pages["/export"] = Page(make_csv(), headers={"Content-Type": "text/csv"})
    config = tmp_path / "outings.toml"
    words = ("init", f"{web.url}/export?format=csv", *CITY, "--yes", "-c", str(config))
    refused = run(*words)
    assert (refused.exit_code, config.exists()) == (1, False)
    assert "private" in refused.stderr
    done = run(*words, "--allow-private")
    assert done.exit_code == 0, done.output
    (feed,) = tomllib.loads(config.read_text())["feeds"]
    assert (feed["url"], feed["allow_private"]) == (f"{web.url}/export?format=csv", True)
    assert read_served(config) == SERVED


def test_an_address_that_answers_with_a_page_leaves_no_file_behind(tmp_path: Path, web: Web) -> None:
    web.pages["/export"] = Page(b"<!doctype html><title>Sign in</title>", headers={"Content-Type": "text/html"})
    config = tmp_path / "outings.toml"
    done = run("init", f"{web.url}/export", *CITY, "--yes", "--allow-private", "-c", str(config))
    assert (done.exit_code, list(tmp_path.iterdir())) == (1, [])
    assert "no list of events was found" in done.stderr
    assert "/export (its title: “Sign in”)" in done.stderr


def type_answers(folder: Path, file: str, *answers: str) -> "subprocess.CompletedProcess[str]":
    """`outings init` at a terminal, and what a person types there."""
    terminal, end = pty.openpty()
    try:
        os.write(terminal, "".join(f"{answer}\n" for answer in answers).encode())
        words = [sys.executable, "-m", "command", "init", file]
        return subprocess.run(words, cwd=folder, stdin=end, capture_output=True, text=True, timeout=120, check=False)
    finally:
        os.close(terminal)
        os.close(end)


def test_at_a_terminal_init_asks_for_the_city_and_proposes_the_zone_of_its_middle(tmp_path: Path) -> None:
    write_csv(tmp_path / "agenda.csv")
    done = type_answers(tmp_path, "agenda.csv", "Boise", "")
    assert done.returncode == 0, done.stderr
    assert "The city's name: " in done.stdout
    assert "The city's center" not in done.stdout
    assert "The city's time zone [America/Boise]: " in done.stdout
    (metro,) = tomllib.loads((tmp_path / "outings.toml").read_text())["metros"]
    assert (metro["slug"], metro["name"], metro["timezone"]) == ("boise", "Boise", "America/Boise")


def test_it_asks_for_the_middle_where_rows_have_none_and_asks_again_after_a_slip(tmp_path: Path) -> None:
    (tmp_path / "agenda.csv").write_text("id,title,start\n1,Storytime,2026-12-05 10:30\n")
    done = type_answers(tmp_path, "agenda.csv", "Boise", "in the west", "43.6,-116.2", "")
    assert done.returncode == 0, done.stderr
    assert "in the west: expected LAT,LNG" in done.stdout + done.stderr
    (metro,) = tomllib.loads((tmp_path / "outings.toml").read_text())["metros"]
    assert (metro["center"], metro["timezone"]) == ({"lat": 43.6, "lng": -116.2}, "America/Boise")


def test_the_address_of_a_subscribe_link_is_one_of_the_web(tmp_path: Path) -> None:
    done = run(
        "init", "webcal://127.0.0.1:9/town.ics", "-c", str(tmp_path / "outings.toml"), "--metro", "Boise", "--yes"
    )
    assert "https://127.0.0.1:9/town.ics: is at 127.0.0.1, an address of this machine" in done.output
