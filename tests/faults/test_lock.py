"""Builds of one deployment on one machine: of each metro one at a time, by a lock that ends with its process."""

import json
import re
from pathlib import Path

import pytest

from outings.release.folder import FolderStore
from tests.faults.commands import Meets, build, pause_at_swap, start
from tests.faults.whole import check_current, read_whole
from tests.faults.worlds import clock_of, copy_world, write_round

BUILD = ("build", "--workers", "1", "--as-of")


@pytest.mark.long
def test_a_second_build_of_a_metro_is_refused_by_who_holds_it_until_that_one_ends(built: Path, tmp_path: Path) -> None:
    config = copy_world(built, tmp_path / "world")
    pause = pause_at_swap()
    words = (*BUILD, clock_of(1), "--metro", "seattle")
    with start(*words, config=config, meets=Meets(operations=pause)) as first:
        assert pause.wait(first)
        everything = build(config, as_of=clock_of(1))
        assert (everything.code, everything.out, everything.trace) == (3, "", ())
        match = re.search(r"metro seattle is being built by process (\d+) on \S+, since \d{4}-", everything.err)
        assert match is not None, everything.err
        assert int(match[1]) == first.pid
        # Another metro is free, also after a build of all of them was refused.
        assert build(config, "--metro", "new-york", as_of=clock_of(1)).code == 0
        first.kill()
    # Nobody has to take away what a killed one held.
    assert build(config, "--metro", "seattle", as_of=clock_of(1)).code == 0
    assert check_current(config.parent / "var/store") == 3


@pytest.mark.long
def test_a_build_that_waits_goes_on_from_the_release_of_the_other(built: Path, tmp_path: Path) -> None:
    config = copy_world(built, tmp_path / "world")
    pause = pause_at_swap()
    with start(*BUILD, clock_of(1), config=config, meets=Meets(operations=pause)) as first:
        assert pause.wait(first)
        with start(*BUILD, clock_of(2), "--wait", "60", "--json", config=config) as second:
            while "; waiting" not in second.read_errors():
                assert second.is_alive
            write_round(config, 2)
            pause.end()
            ended = second.wait()
    assert ended.code == 0, ended.err
    assert json.loads(ended.out)["release"].startswith("3-")
    whole = read_whole(FolderStore(config.parent / "var/store"))
    assert whole is not None
    assert set(whole.marks.values()) == {2}
