"""Sample metros as an operator would have them: a configuration, feeds and neighborhoods.

Real geography, made-up listings, always about now. Tests and benches use the same generator.
"""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import orjson

from command.sample_cities.geography import METROS, DemoMetro, make_feature_collection
from command.sample_cities.records import generate_records

_MARK = "# Made by `outings demo`, which writes it again at each run."


def is_world(configuration: Path) -> bool:
    """Return True if `write_world` wrote this file, so that it may be overwritten."""
    with configuration.open() as lines:
        return lines.readline().rstrip("\n") == _MARK


def write_world(
    configuration: Path,
    *,
    today: date,
    size: int = 400,
    metros: Sequence[DemoMetro] = METROS,
    key: str = "",
    has_static: bool = False,
) -> Path:
    """Write a configuration and, in files beside it, `size` listings for each metro. Its pages give `key` to every
    visitor. With `has_static` a build also publishes static files. Returns the configuration's path."""
    data = configuration.parent / "data"
    data.mkdir(parents=True, exist_ok=True)
    for metro in metros:
        (data / f"{metro.slug}-neighborhoods.geojson").write_bytes(orjson.dumps(make_feature_collection(metro)))
        with (data / f"{metro.slug}.ndjson").open("wb") as lines:
            for record in generate_records(metro, size=size, today=today):
                lines.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
    configuration.write_text(_format_configuration(metros, key=key, has_static=has_static))
    return configuration


def _format_configuration(metros: Sequence[DemoMetro], *, key: str, has_static: bool) -> str:
    site = ["[site]", 'name = "Sample cities"', *([f'key = "{key}"'] if key else [])]
    static = ["[static]", 'url = "file:var/public"', ""] if has_static else []
    store = ["[store]", 'url = "file:var/store"', ""]
    return "\n".join([_MARK, "", *store, *static, *site, "", *map(_format_metro, metros)])


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
confidence = "computed"
"""
