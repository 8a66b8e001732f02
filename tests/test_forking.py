"""A process that forks must not have used an engine: threads don't survive a fork, and a query would wait forever."""

import re
import subprocess
import sys

import pytest

from tests.forking import PRELOADED

LIST_THREADS = """
import importlib, pathlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
print(*(path.read_text().strip() for path in pathlib.Path("/proc/self/task").glob("*/comm")), sep="\\n")
"""


@pytest.mark.long
def test_importing_what_children_are_forked_from_runs_no_query() -> None:
    words = [sys.executable, "-c", LIST_THREADS, *PRELOADED]
    listed = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split("\n")
    assert [name for name in listed if re.fullmatch(r"polars-\d+", name)] == []
