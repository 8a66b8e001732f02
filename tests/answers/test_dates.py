"""When a local date begins."""

import zoneinfo
from collections.abc import Iterator
from datetime import UTC, date, datetime
from importlib.resources import files
from pathlib import Path

import pytest

from outings.answers.dates import find_start


@pytest.fixture
def zone_files(tmp_path: Path) -> Iterator[Path]:
    """The folder in which this machine has its zones."""
    zoneinfo.reset_tzpath([tmp_path])
    zoneinfo.ZoneInfo.clear_cache()
    yield tmp_path
    zoneinfo.reset_tzpath()
    zoneinfo.ZoneInfo.clear_cache()


def test_a_date_begins_at_the_same_instant_whatever_zone_files_the_machine_has(zone_files: Path) -> None:
    (zone_files / "America").mkdir()
    wrong = files("tzdata").joinpath("zoneinfo", "UTC").read_bytes()
    (zone_files / "America/Los_Angeles").write_bytes(wrong)
    begins = datetime(2026, 8, 3, 7, tzinfo=UTC)
    assert find_start(date(2026, 8, 3), "America/Los_Angeles") == begins.timestamp()
