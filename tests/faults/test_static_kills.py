"""A static tree whose publisher is killed by SIGKILL at random moments."""

import random
import signal
import time
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import pytest

from tests.conftest import CASES
from tests.faults.static_publisher import STATES, publish_state
from tests.pipeline.city import City, make_event, make_place

Tree = dict[str, bytes]


def read_tree(folder: Path) -> Tree:
    """Read all files that have a name which can be requested and is not random."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths if not path.name.startswith(".writing-")}


def publish(folder: Path, state: int, begun: Connection) -> None:
    publish_state(folder, state, progress=lambda _: begun.send(None))


def start_publisher(folder: Path, state: int) -> tuple[ForkServerProcess, Connection]:
    """Return the process when it begins to write, and what it reports to while that is open."""
    context = get_context("forkserver")
    context.set_forkserver_preload([publish_state.__module__])
    receive, send = context.Pipe(duplex=False)
    process = context.Process(target=publish, args=(folder, state, send))
    process.start()
    send.close()
    receive.recv()
    return process, receive


@pytest.mark.long
def test_every_file_is_whole_after_a_kill_at_a_random_moment_and_the_next_publisher_completes_the_tree(
    tmp_path: Path,
) -> None:
    city, draw = City(tmp_path), random.Random(40)
    events = [make_event(f"e{number}", organization={"name": "Library"}) for number in range(60)]
    hidden = [make_event("a", name="Burlesque", audience="adults"), make_event("d", name="Sketchy", status="draft")]
    city.write([*events, *hidden, *(make_place(f"p{number}") for number in range(8))])
    city.build()
    whole: list[Tree] = []
    for state in range(len(STATES)):
        publish_state(tmp_path, state, tree=f"whole{state}")
        whole.append(read_tree(tmp_path / f"whole{state}"))
    publish_state(tmp_path, 0)
    process, reports = start_publisher(tmp_path, 1)
    begun = time.monotonic()
    process.join()
    reports.close()
    window = time.monotonic() - begun

    killed = partial = 0
    for number in range(CASES):
        state = number % 2
        process, reports = start_publisher(tmp_path, state)
        process.join(draw.uniform(0, window))
        process.kill()
        process.join()
        reports.close()
        killed += process.exitcode == -signal.SIGKILL
        tree = read_tree(tmp_path / "tree")
        partial += tree not in whole
        torn = [name for name, data in tree.items() if data not in (whole[0].get(name), whole[1].get(name))]
        assert torn == []
        assert [name for name, data in tree.items() if b"Sketchy" in data] == []
        if draw.random() < 0.5:  # else killed again before anybody completes it
            publish_state(tmp_path, state)
            assert read_tree(tmp_path / "tree") == whole[state]
    print(f"{killed} of {CASES} were killed while they published, {partial} left a tree between two states")
    assert killed
    publish_state(tmp_path, 0)
    assert read_tree(tmp_path / "tree") == whole[0]
