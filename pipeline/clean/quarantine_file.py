"""The quarantine file has one JSON line for each refused record: `{feed, line, source_id, field, reason, value}`.

If the feed has several files, `file` names one of them and `line` counts in it.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

import orjson
from msgspec import structs

from outings.release.folder import replace_file
from pipeline.records.record import Problem

# A build every quarter of an hour leaves one each: those of the last days are enough to see when something began.
KEPT_FILES = 100


class QuarantineFile:
    """The quarantine file of the release that a build is about to publish, written before the release takes effect.
    `path`: None if it was not written; `error`: the reason. `folder`: the setting `[build] quarantine`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.path: Path | None = None
        self.error: OSError | None = None

    def write(self, release_id: str, problems: Iterable[Problem]) -> None:
        """Write `<release_id>.ndjson`. A build that another one forestalled calls this again, with another id."""
        try:
            self.path = write_quarantine(problems, folder=self._folder, name=release_id)
        except OSError as error:
            self.path, self.error = None, error


def write_quarantine(problems: Iterable[Problem], *, folder: Path, name: str) -> Path:
    """Write the problems that quarantined a record to `<name>.ndjson` in the folder, in the order given, and delete the
    oldest such files."""
    path, lines = folder / f"{name}.ndjson", []
    for problem in problems:
        if problem.quarantined:
            unshown = {"quarantined"} if problem.file is not None else {"quarantined", "file"}
            shown = {name: value for name, value in structs.asdict(problem).items() if name not in unshown}
            lines.append(orjson.dumps(shown, option=orjson.OPT_APPEND_NEWLINE))
    replace_file(path, b"".join(lines))
    written = sorted(folder.glob("*.ndjson"), key=lambda file: file.stat().st_mtime_ns)
    for old in written[:-KEPT_FILES]:
        old.unlink(missing_ok=True)
    return path


def strip_files(folder: Path, is_unwanted: Callable[[str, str | None], bool]) -> int:
    """Remove the lines of unwanted records from all quarantine files. Return how many files changed. `is_unwanted` gets
    a record's feed and `source_id`."""
    changed = 0
    for path in folder.glob("*.ndjson"):
        lines = path.read_bytes().splitlines(keepends=True)
        records = map(orjson.loads, lines)
        kept = [
            line
            for line, record in zip(lines, records, strict=True)
            if not is_unwanted(record["feed"], record["source_id"])
        ]
        if len(kept) < len(lines):
            replace_file(path, b"".join(kept))
            changed += 1
    return changed
