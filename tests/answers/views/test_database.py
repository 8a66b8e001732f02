"""The views over a release's tables, also where an older program wrote these."""

from datetime import date
from pathlib import Path
from random import Random

import polars as pl
import pytest
from msgspec.structs import replace

from outings.answers.sql_views import MetroTables, ViewDatabase
from outings.release.cache import MappedFile
from tests.answers.generated import make_world
from tests.answers.worlds import TODAY, open_world


def test_a_column_that_an_older_release_has_not_is_null(tmp_path: Path) -> None:
    snapshot = open_world(make_world(Random(3), size=40), tmp_path)
    older = tmp_path / "older.parquet"
    pl.read_parquet(snapshot.tables["sections"].path).drop("openings").write_parquet(older)
    snapshot = replace(snapshot, tables={**snapshot.tables, "sections": MappedFile(older)}, mapped={})
    with ViewDatabase([MetroTables(snapshot=snapshot, today=TODAY, exports={})], release_id="1-00000000") as database:
        rows = database.run("SELECT count(*) > 0, count(registration.has_spots_available) FROM sections").fetchall()
    assert rows == [(True, 0)]


def test_a_query_that_takes_too_long_ends_and_says_so(tmp_path: Path) -> None:
    snapshot = open_world(make_world(Random(3), size=5), tmp_path)
    metro = MetroTables(snapshot=snapshot, today=date(2026, 8, 10), exports={})
    with (
        ViewDatabase([metro], release_id="1-00000000") as database,
        pytest.raises(ValueError, match=r"^took longer than the 0\.2 seconds of --max-seconds$"),
    ):
        database.run("SELECT count(*) FROM range(9999999) a, range(9999999) b WHERE a.range * b.range = 7", seconds=0.2)
