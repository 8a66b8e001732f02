"""Towns that a test may change: they are built once and copied."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.takedown.towns import Town


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("takedown") / "town"
    folder.mkdir()
    Town(folder)
    return folder


@pytest.fixture
def town(built: Path, tmp_path: Path) -> Iterator[Town]:
    folder = tmp_path / "town"
    shutil.copytree(built, folder)
    made = Town(folder, releases=0)
    made.write(2)
    yield made
    made.close()
