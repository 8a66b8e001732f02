"""The quarantine file of every release is there, wherever its build was killed."""

import json
import signal
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from outings.release.folder import FolderStore
from tests.faults.commands import Meets, build
from tests.faults.worlds import clock_of, copy_world, read_feed, write_feed, write_round
from tests.release.doubles import Act, Watch, kill, kill_after
from tests.release.worlds import read_current

LINE = 3


@pytest.fixture(scope="module")
def world(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each metro's feed has one record without a name."""
    config = copy_world(built, tmp_path_factory.mktemp("spoilt") / "world")
    spoil_feeds(config, 1)
    return config


def spoil_feeds(config: Path, number: int) -> None:
    write_round(config, number)
    for slug in ("seattle", "new-york"):
        records = read_feed(config, slug)
        records[LINE - 1]["name"] = None
        write_feed(config, slug, records)


def find_release(config: Path) -> str:
    current = read_current(FolderStore(config.parent / "var/store"))
    assert current is not None
    return f"{current['sequence']}-{current['root'][:8]}"


def read_quarantine(config: Path) -> dict[str, list[dict[str, Any]]]:
    """Read quarantined records by release."""
    files = (config.parent / "var/quarantine").glob("*.ndjson")
    return {path.stem: [json.loads(line) for line in path.read_text().splitlines()] for path in files}


def find_places(quarantined: list[dict[str, Any]]) -> list[tuple[str, int, str]]:
    return sorted((item["feed"], item["line"], item["field"]) for item in quarantined)


def meet_swap(fault: Watch, operation: str, act: Act) -> Any:
    return fault(operation, act) if operation == "put_if" else act()


EXPECTED = [("new-york-samples", LINE, "name"), ("seattle-samples", LINE, "name")]


@pytest.mark.long
@pytest.mark.parametrize("fault", [kill, kill_after], ids=["before", "after"])
def test_a_build_killed_around_its_swap_leaves_the_file_of_the_release_in_force(
    fault: Watch, world: Path, tmp_path: Path
) -> None:
    config = copy_world(world, tmp_path / "killed")
    ended = build(config, as_of=clock_of(1), meets=Meets(operations=partial(meet_swap, fault)))
    assert ended.code == -signal.SIGKILL, ended.err
    if fault is kill:
        assert build(config, as_of=clock_of(1)).code == 0
    release = find_release(config)
    assert release.startswith("2-")
    quarantined = read_quarantine(config)
    assert find_places(quarantined[release]) == EXPECTED
    # Of a release that was never in force there is none.
    assert quarantined.keys() <= {release, find_release(world)}
