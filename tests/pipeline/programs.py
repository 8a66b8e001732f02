"""Other programs than this one: an older commit of it, or its source with lines changed. Each runs as a process."""

import io
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

ROOT = Path(__file__).parents[2]
# The program of 27 November 2026.
OLDER = "910084edd1a8d11b852df3fb31df95c958665c86"
_PACKAGES = ("command", "outings", "pipeline", "edge")
_PATIENCE = 120


class Edit(Struct, frozen=True):
    """A replacement of a text that occurs once in a file."""

    path: str
    before: str
    after: str


def add_line(path: str, *, after: str, line: str) -> Edit:
    return Edit(path, after, after + line)


def copy_program(folder: Path, edits: Iterable[Edit]) -> Path:
    for name in (*_PACKAGES, "site", "dist/site", "docs/guides"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
    for edit in edits:
        text = (folder / edit.path).read_text()
        assert text.count(edit.before) == 1, edit
        (folder / edit.path).write_text(text.replace(edit.before, edit.after))
    return folder


def has_commit(commit: str) -> bool:
    """False in a shallow clone, and where the tests were unpacked without their history."""
    words = ["git", "cat-file", "-e", f"{commit}^{{commit}}"]
    return shutil.which("git") is not None and subprocess.run(words, cwd=ROOT, capture_output=True).returncode == 0


def export_program(folder: Path, commit: str) -> Path:
    """The packages of a commit of this repository."""
    archive = subprocess.run(["git", "archive", commit, *_PACKAGES, "site"], cwd=ROOT, capture_output=True, check=True)
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
        files.extractall(folder, filter="data")
    return folder


def run_program(program: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run `outings` of the program with these arguments. Fail if the command does."""
    done = subprocess.run(
        [sys.executable, "-m", "command", *words],
        env=point_at(program), cwd=program, capture_output=True, text=True, timeout=_PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done


def point_at(program: Path) -> dict[str, str]:
    """Return the environment in which Python finds it before what is installed. It has temporary files of its own, so
    that no build beside it removes them."""
    scratch = program / "tmp"
    scratch.mkdir(exist_ok=True)
    return {**os.environ, "PYTHONPATH": str(program), "TMPDIR": str(scratch)}
