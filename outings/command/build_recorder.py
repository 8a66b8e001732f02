"""Records a build, however it ends: its report, and the metrics to alert on."""

import contextlib
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

import click

from outings.command import explain_error, find_exit_code
from outings.configuration import Configuration
from outings.release.disk import hold_lock
from pipeline.building import BuildResult
from pipeline.reports.attempt import STOPPED, Attempt, describe_attempt
from pipeline.reports.history import record_build
from pipeline.scratch import discard_scratch
from pipeline.tasks import FeedResult


class BuildRecorder:
    """`end` records the first outcome only. If a file can't be written, standard error says so and nothing changes:
    by then the release is in force, or it is not.
    """

    def __init__(self, *, report: Path | None, as_of: str | None) -> None:
        self._started_at = datetime.now(UTC)
        self._as_of = as_of
        self._report = report
        self._configuration: Configuration | None = None
        self._metros: tuple[str, ...] = ()
        self._feeds: tuple[FeedResult, ...] = ()
        self._built: BuildResult | None = None
        self._quarantine: Path | None = None
        self._failed_feed: str | None = None
        self._ending = threading.Lock()

    def configure(self, configuration: Configuration) -> None:
        self._configuration = configuration
        self._report = self._report or configuration.build.report

    def tell_metros(self, slugs: Sequence[str]) -> None:
        self._metros = tuple(slugs)

    def tell_feeds(self, feeds: Sequence[FeedResult]) -> None:
        self._feeds = tuple(feeds)

    def tell_built(self, built: BuildResult) -> None:
        self._built = built

    def tell_quarantine(self, path: Path | None) -> None:
        self._quarantine = path

    def tell_failed_feed(self, name: str) -> None:
        self._failed_feed = name

    def end(self, exit_code: int, error: str | None = None) -> bool:
        """False where another was first, and may be at it still."""
        if not self._ending.acquire(blocking=False):
            return False
        attempt = Attempt(
            exit_code=exit_code, started_at=self._started_at, ended_at=datetime.now(UTC), metros=self._metros,
            as_of=self._as_of, error=error, feeds=self._feeds, built=self._built, quarantine=self._quarantine,
            failed_feed=self._failed_feed,
        )  # fmt: skip
        try:
            self._write(attempt)
        except OSError as failed:
            where = f"{failed.filename}: " if failed.filename else ""
            click.echo(f"the report on this build can't be written: {where}{failed.strerror}", err=True)
        return True

    def _write(self, attempt: Attempt) -> None:
        with contextlib.ExitStack() as stack:
            if self._configuration is not None:
                # Builds of two metros may end at once.
                stack.enter_context(hold_lock(self._configuration.build.lock / "record.lock"))
                record_build(attempt, self._configuration.build.lock)
            # Templates and the client of Prometheus: only who asks for them waits for their import.
            if self._report is not None:
                from pipeline.reports.page import render_reports, write_reports

                write_reports(render_reports(describe_attempt(attempt)), self._report)
            if self._configuration is not None and self._configuration.build.metrics is not None:
                from pipeline.reports.metrics import write_metrics

                write_metrics(
                    attempt,
                    self._configuration.build.metrics,
                    metros=frozenset(metro.slug for metro in self._configuration.metros),
                    feeds=frozenset(feed.name for feed in self._configuration.feeds),
                )


@contextlib.contextmanager
def recording(recorder: BuildRecorder) -> Iterator[None]:
    """Whatever ends the block is told to `recorder`, then goes on its way."""
    with _stopping(recorder):
        try:
            yield
        except click.ClickException as refused:
            recorder.end(refused.exit_code, refused.format_message())
            raise
        except KeyboardInterrupt:
            recorder.end(1, "interrupted")
            raise
        except Exception as error:
            recorder.end(find_exit_code(error), explain_error(error))
            raise
        recorder.end(0)


@contextlib.contextmanager
def _stopping(recorder: BuildRecorder) -> Iterator[None]:
    """On SIGTERM the outcome is recorded, then the process ends at once with its workers. If an outcome was recorded
    already, nothing is done: the process is ending anyway."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        if recorder.end(STOPPED, "stopped by SIGTERM"):
            discard_scratch()
            os._exit(STOPPED)

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
