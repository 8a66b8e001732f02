"""Built worlds, made once a worker and copied by whoever changes them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.commands import build
from tests.faults.worlds import clock_of, copy_world, make_world, write_round

Copy = Callable[[str], Path]


@pytest.fixture(scope="session")
def unbuilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The configuration of two metros; nothing of them was built."""
    return make_world(tmp_path_factory.mktemp("unbuilt"))


@pytest.fixture(scope="session")
def built(unbuilt: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A world with one release, of round 0; its feeds are of round 1."""
    config = copy_world(unbuilt, tmp_path_factory.mktemp("built") / "world")
    ended = build(config, as_of=clock_of(0))
    assert ended.code == 0, ended.err
    write_round(config, 1)
    return config
