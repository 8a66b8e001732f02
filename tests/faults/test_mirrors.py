"""`outings mirror` of a running server, while builds go on."""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.faults.commands import run
from tests.faults.readers import serving
from tests.faults.worlds import clock_of, make_world, write_round


def mirror(file: Path, port: int, key: str, *options: str) -> Any:
    words = ["mirror", str(file), "--url", f"http://127.0.0.1:{port}", "--json", *options]
    done = subprocess.run(
        [sys.executable, "-m", "command", *words],
        env={**os.environ, "OUTINGS_KEY": key}, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.long
def test_a_mirror_of_a_server_follows_its_builds(tmp_path: Path) -> None:
    config, file = make_world(tmp_path), tmp_path / "mirror.sqlite"
    assert run("build", "--as-of", clock_of(0), config=config).code == 0
    with serving(config) as server:
        first = mirror(file, server.port, server.key, "--check")
        assert first["changes"] >= first["records"] > 50
        assert first["different"] == []
        write_round(config, 1)
        assert run("build", "--as-of", clock_of(1), config=config).code == 0
        for _ in range(100):
            if mirror(file, server.port, server.key)["changes"]:
                break
        second = mirror(file, server.port, server.key, "--check")
    assert second["different"] == []
    assert second["records"] < first["records"]
    with closing(sqlite3.connect(file)) as database:
        marks = {name[-3:] for (name,) in database.execute("SELECT document ->> '$.name' FROM records")}
    assert "~1~" in marks
    assert "~0~" not in marks
