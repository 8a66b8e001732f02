"""A simulated year: whatever befalls feeds and builds, what readers and mirrors are told is what a dict would say."""

import contextlib
from pathlib import Path
from random import Random

import pytest

from tests.simulation.year import Year

BUILDS = 400
KILLED = 12
RACED = 16


@pytest.mark.long
def test_a_year_of_builds_is_what_its_feeds_said(tmp_path: Path, cases: int) -> None:
    """400 builds from 136 cases on; fewer have their share of killed and raced ones, one of each at least."""
    builds = min(BUILDS, max(3, 3 * cases - 6))
    killed, raced = (max(1, builds * share // BUILDS) for share in (KILLED, RACED))
    fates = ["killed"] * killed + ["raced"] * raced + ["let be"] * (builds - killed - raced - 1)
    Random(7).shuffle(fates)
    with contextlib.closing(Year(tmp_path, builds=builds, seed=7)) as year:
        for fate in ["let be", *fates]:
            year.live(fate)
        year.end()
        assert (year.fates["raced"], year.fates["killed"]) == (raced, killed)
        assert year.sequence > builds // 2
        print(dict(year.fates), dict(year.exits), f"{year.sequence} releases, {len(year.logged)} versions")
