"""The views over a release's tables."""

from datetime import date
from pathlib import Path
from random import Random

import pytest

from outings.answers.sql_views import MetroTables, ViewDatabase
from tests.answers.generated import make_world
from tests.answers.worlds import open_world


def test_a_query_that_takes_too_long_ends_and_says_so(tmp_path: Path) -> None:
    metro = MetroTables(snapshot=open_world(make_world(Random(3), size=5), tmp_path), today=date(2026, 8, 10))
    with (
        ViewDatabase([metro], release_id="1-00000000") as database,
        pytest.raises(ValueError, match=r"^took longer than the 0\.2 seconds of --max-seconds$"),
    ):
        database.run("SELECT count(*) FROM range(9999999) a, range(9999999) b WHERE a.range * b.range = 7", seconds=0.2)
