"""A command is called as a person calls it: words in; exit code, standard output and standard error out."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from command import main
from tests.release.conftest import s3_endpoint

__all__ = ["s3_endpoint"]

CONFIGURATION = """
[store]
url = "file:store"

[[metros]]
slug = "seattle"
name = "Seattle"
timezone = "America/Los_Angeles"
aliases = ["sea"]
center = { lat = 47.6062, lng = -122.3321 }
bounds = { south = 47.3, west = -122.6, north = 47.9, east = -121.9 }

[[metros]]
slug = "new-york"
name = "New York"
timezone = "America/New_York"
center = { lat = 40.7128, lng = -74.0060 }
bounds = { south = 40.4, west = -74.3, north = 41.0, east = -73.6 }
"""

Run = Callable[..., Result]


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A configuration of two metros whose store is a folder beside it."""
    path = tmp_path / "outings.toml"
    path.write_text(CONFIGURATION)
    return path


@pytest.fixture
def run(config: Path) -> Run:
    """`run("keys", "list")`: the command with that configuration; `given` is its standard input."""

    def call(*words: str, given: str = "") -> Result:
        return CliRunner().invoke(main, [*words, "-c", str(config)], input=given)

    return call


def read_json(result: Result) -> Any:
    assert result.exit_code == 0, result.stderr
    assert result.stdout.count("\n") == 1
    return json.loads(result.stdout)
