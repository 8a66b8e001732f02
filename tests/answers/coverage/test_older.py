"""A release from before what sources say was kept: all that it can tell is told."""

import json
from pathlib import Path
from random import Random

import polars as pl
from msgspec.structs import replace

from outings.release.cache import MappedFile
from tests.answers.asking import fetch
from tests.answers.coverage.worlds import PATH, enrich
from tests.answers.generated import make_world
from tests.answers.requests import read_body
from tests.answers.worlds import open_release

KEPT_LATER = [
    "verified_at", "source_url", "crawled_at", "verification", "checked_at", "changed_fields", "has_image", "has_price",
    "has_clock", "has_date",
]  # fmt: skip


def test_a_release_without_the_columns_is_answered(tmp_path: Path) -> None:
    world, random = make_world(Random(7), size=40), Random(7)
    enrich(world, random)
    release = open_release([world], tmp_path)
    today = fetch(release, PATH)["data"]
    snapshot = release.metros["harbor"]
    path = tmp_path / "older.parquet"
    pl.read_parquet(snapshot.tables["listings"].path).drop(KEPT_LATER).write_parquet(path)
    older = replace(snapshot, hash="0" * 64, tables={**snapshot.tables, "listings": MappedFile(path)}, mapped={})
    _, body = read_body(replace(release, metros={"harbor": older}), (PATH, {}))
    data = json.loads(body)["data"]
    assert data["listings"] == {name: {**listing, "dateless": 0} for name, listing in today["listings"].items()}
    for name in ("mean_confidence", "with_coordinates_share", "with_ages_share"):
        assert data["quality"][name] == today["quality"][name]
    assert data["quality"]["with_image_share"] == 0
    assert data["freshness"]["newest_crawled_at"] is None
    assert data["neighborhoods"] == today["neighborhoods"]
