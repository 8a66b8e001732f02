"""The history of builds on this machine, successful or not: a line of JSON each, the newest last.

A build that published nothing is in no release, so after the next report only this history has it.
"""

import contextlib
from pathlib import Path

import msgspec

from outings.pages.settings import BuildRow
from outings.release.folder import replace_file
from pipeline.reports.attempt import Attempt

FILE = "builds.jsonl"
# A day of builds every quarter of an hour.
MOST = 96


def record_build(attempt: Attempt, folder: Path) -> None:
    """Add a build to the history. The caller must hold the lock of records. Raises OSError."""
    row = BuildRow(
        outcome=attempt.outcome,
        started_at=attempt.started_at.replace(microsecond=0),
        seconds=round(attempt.seconds, 1),
        metros=attempt.metros,
        release=None if attempt.built is None else attempt.built.published.id,
        error=attempt.error,
        feed=attempt.failed_feed,
    )
    kept = [*reversed(read_builds(folder)[: MOST - 1]), row]
    replace_file(folder / FILE, msgspec.json.Encoder().encode_lines(kept))


def read_builds(folder: Path) -> tuple[BuildRow, ...]:
    """Return the builds, the newest first. Lines of other versions of the program are skipped."""
    try:
        lines = (folder / FILE).read_bytes().splitlines()
    except FileNotFoundError:
        return ()
    builds = []
    for line in reversed(lines):
        with contextlib.suppress(msgspec.MsgspecError):
            builds.append(msgspec.json.decode(line, type=BuildRow))
    return tuple(builds)
