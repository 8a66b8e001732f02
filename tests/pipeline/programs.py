"""Other programs than this one: copies of its source, changed, that build as a process of their own."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

ROOT = Path(__file__).parents[2]
_PACKAGES = ("outings", "pipeline", "edge")
_PATIENCE = 120


class Edit(Struct, frozen=True):
    """In place of a text that stands in a file once."""

    path: str
    before: str
    after: str


def add_line(path: str, *, after: str, line: str) -> Edit:
    return Edit(path, after, after + line)


def copy_program(folder: Path, edits: Iterable[Edit]) -> Path:
    for name in _PACKAGES:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for edit in edits:
        text = (folder / edit.path).read_text()
        assert text.count(edit.before) == 1, edit
        (folder / edit.path).write_text(text.replace(edit.before, edit.after))
    return folder


def run_program(program: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Its `outings` with these words. Fails where the command does."""
    return subprocess.run(
        [sys.executable, "-m", "outings.command", *words],
        env={**os.environ, "PYTHONPATH": str(program)}, cwd=program, capture_output=True, text=True, check=True,
        timeout=_PATIENCE,
    )  # fmt: skip
