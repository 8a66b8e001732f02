"""The quarantine file has one JSON line for each refused record: `{feed, line, source_id, field, reason, value}`.

If the feed has several files, `file` names one of them and `line` counts in it.
"""

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import orjson
from msgspec import structs

from pipeline.records.record import Problem

# A build every quarter of an hour leaves one each: those of the last days are enough to see when something began.
KEPT_FILES = 100


class QuarantineFile:
    """The quarantine file of the release that a build is about to publish, written before the release takes effect.
    `path`: None if it was not written; `error`: the reason. `folder`: the setting `[build] quarantine`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._own: int | None = None
        self.path: Path | None = None
        self.error: OSError | None = None

    def write(self, release_id: str, problems: Iterable[Problem]) -> None:
        """Write the file, and delete the one written for a release that did not take effect."""
        self.discard()
        was_there = (self._folder / f"{release_id}.ndjson").exists()
        try:
            self.path = write_quarantine(problems, folder=self._folder, name=release_id)
            self._own = None if was_there else self.path.stat().st_ino
        except OSError as error:
            self.error = error

    def discard(self) -> None:
        """Delete the written file, unless another build wrote it too: then it belongs to that build's release."""
        if self.path is not None:
            with contextlib.suppress(OSError):
                if self.path.stat().st_ino == self._own:
                    self.path.unlink()
            self.path = None


def encode_quarantine(problems: Iterable[Problem]) -> bytes:
    """Encode the problems that quarantined a record as JSON lines, in the order given."""
    shown = (_show(problem) for problem in problems if problem.quarantined)
    return b"".join(orjson.dumps(problem, option=orjson.OPT_APPEND_NEWLINE) for problem in shown)


def write_quarantine(problems: Iterable[Problem], *, folder: Path, name: str) -> Path:
    """Write `<name>.ndjson` into the folder, or if that fails, into a temporary one."""
    encoded = encode_quarantine(problems)
    try:
        return _write_file(encoded, folder=folder, name=name)
    except OSError:
        return _write_file(encoded, folder=Path(tempfile.gettempdir()) / "outings-quarantine", name=name)


def strip_files(folder: Path, is_unwanted: Callable[[str, str | None], bool]) -> int:
    """Remove the lines of unwanted records from all quarantine files. Return how many files changed. `is_unwanted` gets
    a record's feed and `source_id`."""
    changed = 0
    for path in folder.glob("*.ndjson"):
        lines = path.read_bytes().splitlines(keepends=True)
        kept = [line for line in lines if not is_unwanted(*_name_record(line))]
        if len(kept) < len(lines):
            _write_file(b"".join(kept), folder=folder, name=path.stem)
            changed += 1
    return changed


def _name_record(line: bytes) -> tuple[str, str | None]:
    """Return the feed and `source_id` of a line, or "" and None if another program wrote it."""
    try:
        record = orjson.loads(line)
        return record["feed"], record["source_id"]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return "", None


def _show(problem: Problem) -> dict[str, object]:
    unshown = {"quarantined"} if problem.file is not None else {"quarantined", "file"}
    return {name: value for name, value in structs.asdict(problem).items() if name not in unshown}


def _write_file(encoded: bytes, *, folder: Path, name: str) -> Path:
    """Write a quarantine file atomically, then delete the oldest ones in its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.ndjson"
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(encoded)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    written = sorted(folder.glob("*.ndjson"), key=lambda file: file.stat().st_mtime_ns)
    for old in written[:-KEPT_FILES]:
        old.unlink(missing_ok=True)
    return path
