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

from command import explain_error, find_exit_code
from outings.configuration import Configuration
from outings.release.folder import hold_lock
from pipeline.building import BuildResult
from pipeline.reports.attempt import STOPPED, Attempt, describe_attempt
from pipeline.reports.history import record_build
from pipeline.scratch import discard_scratch
from pipeline.tasks import FeedResult


class BuildRecorder:
    """`end` records the first outcome only."""

    def __init__(self, *, report: Path | None, as_of: str | None, config: Path | None = None) -> None:
        """`config`: where a configuration that turns out to be wrong lies. What the environment says of places holds
        all the same, so that whoever watches them learns of it."""
        self._started_at = datetime.now(UTC)
        self._as_of = as_of
        self._report = report or _find_place("OUTINGS_BUILD_REPORT", config)
        self._metrics = _find_place("OUTINGS_BUILD_METRICS", config)
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
        self._metrics = configuration.build.metrics

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
        self._write(attempt)
        return True

    def _write(self, attempt: Attempt) -> None:
        """Each file for itself: a full disk takes no alert away that lies on another."""
        configured = self._configuration
        with contextlib.ExitStack() as stack:
            if configured is not None:
                with _telling():
                    # Builds of two metros may end at once.
                    stack.enter_context(hold_lock(configured.build.lock / "record.lock"))
                    record_build(attempt, configured.build.lock)
            # Templates and the client of Prometheus: only who asks for them waits for their import.
            if self._report is not None:
                from pipeline.reports.page import render_reports, write_reports

                with _telling():
                    write_reports(render_reports(describe_attempt(attempt)), self._report)
            if self._metrics is not None:
                from pipeline.reports.metrics import write_metrics

                with _telling():
                    write_metrics(
                        attempt,
                        self._metrics,
                        metros=None if configured is None else frozenset(metro.slug for metro in configured.metros),
                        feeds=None if configured is None else frozenset(feed.name for feed in configured.feeds),
                    )


@contextlib.contextmanager
def _telling() -> Iterator[None]:
    """A file that can't be written is told, and changes nothing: by then the release is in force, or it is not."""
    try:
        yield
    except OSError as failed:
        where = f"{failed.filename}: " if failed.filename else ""
        click.echo(f"the report on this build can't be written: {where}{failed.strerror}", err=True)


def _find_place(variable: str, config: Path | None) -> Path | None:
    named = os.environ.get(variable)
    return config.absolute().parent / named if named and config is not None else None


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
