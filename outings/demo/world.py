"""A folder with the samples as an operator would have them: a configuration, feeds and neighborhoods."""

import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from outings.demo.geography import METROS, DemoMetro, make_feature_collection
from outings.demo.records import generate_records

CONFIGURATION = "outings.toml"


def write_world(
    folder: Path, *, today: date, size: int = 400, seed: int = 1, metros: Sequence[DemoMetro] = METROS
) -> Path:
    """`size` listings a metro. Returns the configuration's path."""
    data = folder / "data"
    data.mkdir(parents=True, exist_ok=True)
    for metro in metros:
        (data / f"{metro.slug}-neighborhoods.geojson").write_text(json.dumps(make_feature_collection(metro)))
        with (data / f"{metro.slug}.ndjson").open("w") as lines:
            for record in generate_records(metro, size=size, today=today, seed=seed):
                lines.write(json.dumps(record, separators=(",", ":")) + "\n")
    path = folder / CONFIGURATION
    path.write_text(_format_configuration(metros))
    return path


def _format_configuration(metros: Sequence[DemoMetro]) -> str:
    return "\n".join(["[store]", 'url = "file:var/store"', "", *map(_format_metro, metros)])


def _format_metro(metro: DemoMetro) -> str:
    south, west, north, east = metro.bounds
    lat, lng = metro.center
    return f"""[[metros]]
slug = "{metro.slug}"
name = "{metro.name}"
timezone = "{metro.timezone}"
aliases = ["{metro.alias}"]
center = {{ lat = {lat}, lng = {lng} }}
bounds = {{ south = {south}, west = {west}, north = {north}, east = {east} }}
neighborhoods = "data/{metro.slug}-neighborhoods.geojson"

[[feeds]]
name = "{metro.slug}-samples"
metro = "{metro.slug}"
format = "ndjson"
url = "data/{metro.slug}.ndjson"
"""
