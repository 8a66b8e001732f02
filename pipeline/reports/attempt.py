"""The outcome of one `outings build`, successful or not: the object of its report."""

from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from outings.contract.values import format_instant
from pipeline.building import BuildResult
from pipeline.reports.build import describe_build, describe_feeds
from pipeline.tasks import FeedResult

STOPPED = 128 + 15  # as a shell counts SIGTERM

OUTCOMES = {0: "published", 2: "wrong", 3: "refused", 4: "kept", 5: "empty", STOPPED: "stopped"}
FAILED = "failed"


class Attempt(Struct, frozen=True, kw_only=True):
    """An attempt to build. `metros` and `as_of` are those of the command, `feeds` the results read before it ended.
    `built` is None if it published nothing; `failed_feed` is the feed that could not be read.

    Times are the machine's own, never `--as-of`.
    """

    exit_code: int
    started_at: datetime
    ended_at: datetime
    metros: tuple[str, ...]
    as_of: str | None = None
    error: str | None = None
    failed_feed: str | None = None
    feeds: tuple[FeedResult, ...] = ()
    built: BuildResult | None = None
    quarantine: Path | None = None

    @property
    def outcome(self) -> str:
        return OUTCOMES.get(self.exit_code, FAILED)

    @property
    def seconds(self) -> float:
        return (self.ended_at - self.started_at).total_seconds()


def describe_attempt(attempt: Attempt) -> dict[str, Any]:
    """Return the report as a JSON object. `build`: as `build --json` prints it, null if nothing was published. `read`:
    then the feeds that were read, of which nothing is published."""
    built = attempt.built
    read = describe_feeds(attempt.feeds) if built is None else None
    return {
        "outcome": attempt.outcome,
        "exit_code": attempt.exit_code,
        "error": attempt.error,
        "started_at": format_instant(attempt.started_at),
        "ended_at": format_instant(attempt.ended_at),
        "metros": list(attempt.metros),
        "as_of": attempt.as_of,
        "carried": [] if built is None else list(built.unchanged),
        "build": None if built is None else msgspec.to_builtins(describe_build(built, quarantine=attempt.quarantine)),
        "read": None if read is None else msgspec.to_builtins(read),
    }
