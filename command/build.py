"""`outings build`: build one new release from feeds, and record how it went."""

import contextlib
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

import click
from msgspec.structs import replace

from command import explain_error, find_exit_code
from command.options import open_config_store, print_result, read_config, take_config, take_json, tell
from command.static_tree import publish_tree
from outings.configuration import Configuration
from outings.configuration.tables import SigningTable
from outings.failures import EmptyFeed, KeptVersion
from outings.release.folder import hold_lock
from outings.release.trust import read_publisher
from pipeline.building import BuildResult, Expect, TellRelease, build_release
from pipeline.clean.quarantine_file import QuarantineFile
from pipeline.clean.record_report import describe_kept, explain_empty, is_empty
from pipeline.clock import AsOf, parse_as_of
from pipeline.executors.cluster import open_cluster, parse_cluster
from pipeline.executors.local import LocalExecutor
from pipeline.fetch.source import FeedError
from pipeline.lock import hold_metros
from pipeline.plan import Build
from pipeline.process_memory import collect_seldom
from pipeline.reports.attempt import STOPPED, Attempt, describe_attempt
from pipeline.reports.build import count_feeds, describe_build, format_build
from pipeline.reports.history import record_build
from pipeline.scratch import discard_scratch
from pipeline.tasks import FeedResult


class BuildRecorder:
    """Records how one build goes. Its attributes are filled as the build goes on; `end` reports them, once."""

    def __init__(self, *, report: Path | None, as_of: str | None, config: Path | None = None) -> None:
        """Start the clock of a build. `config`: the path of its configuration.

        Even if it can't be read, the report and metrics that the environment names are written for monitoring.
        """
        self._started_at = datetime.now(UTC)
        self._as_of = as_of
        self._report = report or _find_place("OUTINGS_BUILD_REPORT", config)
        self._metrics = _find_place("OUTINGS_BUILD_METRICS", config)
        self._configuration: Configuration | None = None
        self.metros: tuple[str, ...] = ()
        self._feeds: tuple[FeedResult, ...] = ()
        self.built: BuildResult | None = None
        self.quarantine: Path | None = None
        self.failed_feed: str | None = None
        self._ending = threading.Lock()

    def configure(self, configuration: Configuration) -> None:
        self._configuration = configuration
        self._report = self._report or configuration.build.report
        self._metrics = configuration.build.metrics

    def tell_feeds(self, feeds: Sequence[FeedResult]) -> None:
        self._feeds = tuple(feeds)

    def end(self, exit_code: int, error: str | None = None) -> bool:
        """Record the outcome. Return False if one was recorded before, or is being recorded."""
        if not self._ending.acquire(blocking=False):
            return False
        attempt = Attempt(
            exit_code=exit_code, started_at=self._started_at, ended_at=datetime.now(UTC), metros=self.metros,
            as_of=self._as_of, error=error, feeds=self._feeds, built=self.built, quarantine=self.quarantine,
            failed_feed=self.failed_feed,
        )  # fmt: skip
        self._write(attempt)
        return True

    def _write(self, attempt: Attempt) -> None:
        """Write the record, the report and the metrics, each on its own: one full disk must not stop the others."""
        configured = self._configuration
        with contextlib.ExitStack() as stack:
            if configured is not None:
                with _reporting_unwritten():
                    # Builds of two metros may end at once.
                    stack.enter_context(hold_lock(configured.build.lock / "record.lock"))
                    record_build(attempt, configured.build.lock)
            # Templates and the Prometheus client take time to import.
            if self._report is not None:
                from pipeline.reports.page import render_reports, write_reports

                with _reporting_unwritten():
                    write_reports(render_reports(describe_attempt(attempt)), self._report)
            if self._metrics is not None:
                from pipeline.reports.metrics import write_metrics

                with _reporting_unwritten():
                    write_metrics(
                        attempt,
                        self._metrics,
                        metros=None if configured is None else frozenset(metro.slug for metro in configured.metros),
                        feeds=None if configured is None else frozenset(feed.name for feed in configured.feeds),
                    )


@contextlib.contextmanager
def _reporting_unwritten() -> Iterator[None]:
    """Report a file that can't be written instead of failing: by now the release is in force, or the build has
    failed."""
    try:
        yield
    except OSError as failed:
        where = f"{failed.filename}: " if failed.filename else ""
        click.echo(f"the report on this build can't be written: {where}{failed.strerror}", err=True)


def _find_place(variable: str, config: Path | None) -> Path | None:
    """Return the path in an environment variable, which is relative to the configuration's folder, or None."""
    named = os.environ.get(variable)
    return config.absolute().parent / named if named and config is not None else None


@contextlib.contextmanager
def recording(recorder: BuildRecorder) -> Iterator[None]:
    """Record any exception that ends the block with `recorder`, then raise it again."""
    with _recording_sigterm(recorder):
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
def _recording_sigterm(recorder: BuildRecorder) -> Iterator[None]:
    """Handle SIGTERM: record the outcome and end the process and its workers at once. Do nothing if an outcome was
    recorded already: the process is ending anyway."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        if recorder.end(STOPPED, "stopped by SIGTERM"):
            discard_scratch()
            os._exit(STOPPED)

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


PROCESSES = "processes"

_WORKER_DIED = (
    "a worker process of this build died, perhaps because memory ran out; nothing was published. "
    "Run the build again, with fewer --workers if memory is short"
)


@click.command()
@take_config
@click.option("--metro", "metros", multiple=True, metavar="SLUG", help="Build only this metro. Repeat for several.")
@click.option("--as-of", metavar="TIME", help="The build's clock: a date (its 00:00 in each metro) or an instant.")
@click.option("--allow-shrink", is_flag=True, help="Publish even if a feed lost more than its max_shrink.")
@click.option(
    "--new-store",
    is_flag=True,
    help="Start again in a store that lost its pointer: at version 1, without earlier takedowns.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="How many processes to use. If not given: as many as the work is worth, at most one for each core.",
)
@click.option(
    "--executor",
    default=PROCESSES,
    show_default=True,
    metavar="HOW",
    help="Where to build: processes on this machine, or a Dask cluster (dask://HOST:PORT).",
)
@click.option(
    "--wait",
    type=click.FloatRange(min=0),
    default=0,
    metavar="SECONDS",
    help="Wait for a build that runs on this machine.",
)
@click.option(
    "--report", type=click.Path(path_type=Path, file_okay=False), help="A folder for the report on this build."
)
@take_json
def build(
    *,
    config: Path,
    metros: tuple[str, ...],
    as_of: str | None,
    allow_shrink: bool,
    new_store: bool,
    workers: int | None,
    executor: str,
    wait: float,
    report: Path | None,
    as_json: bool,
) -> None:
    """Read every feed, build the metros, and publish one new release."""
    recorder = BuildRecorder(report=report, as_of=as_of, config=config)
    with recording(recorder):
        cluster = _parse_executor(executor, workers)
        configuration = read_config(config)
        recorder.configure(configuration)
        chosen = _check_metros(metros, configuration)
        slugs = sorted(chosen or (metro.slug for metro in configuration.metros))
        recorder.metros = tuple(slugs)
        _parse_as_of(as_of)  # an error is reported before the wait for the lock
        with hold_metros(slugs, folder=configuration.build.lock, patience=wait, clock=_read_clock, progress=tell):
            request = Build(
                configuration=configuration, as_of=_parse_as_of(as_of), metros=chosen, allow_shrink=allow_shrink,
                is_new_store=new_store,
            )  # fmt: skip
            quarantine = QuarantineFile(configuration.build.quarantine)
            built = run_build(
                request, workers=workers, cluster=cluster, recorder=recorder, tell_release=quarantine.write
            )
        if quarantine.path is None:  # the release is in force by now, so nothing else has failed
            name = built.published.id
            tell(f"release {name} is published, but its quarantine file can't be written: {quarantine.error}")
        recorder.quarantine = quarantine.path
        described = describe_build(built, quarantine=quarantine.path)
        print_result(described, format_build(built, quarantine=quarantine.path), as_json=as_json)
        publish_tree(configuration, read_date=request.as_of.read_date, allow_shrink=allow_shrink)
        _refuse_success(built)


def _refuse_success(built: BuildResult) -> None:
    """Raise, after publishing, if a feed kept its last good version, or if none of its listings is published."""
    counts = count_feeds(built.feeds, built.accounts)
    failed = [describe_kept(count) for count in counts if count.failure]
    failed += [
        f"feed {count.feed}: all of its records ({count.quarantined:,}) are quarantined; earlier versions stay "
        f"({count.last_good:,})"
        for count in counts
        if not count.failure and count.last_good and count.quarantined == count.read
    ]
    empty = [count for count in counts if is_empty(count)]
    if failed or empty:
        reasons = [*failed, *(explain_empty(count) for count in empty if not count.failure)]
        told = reasons[0] if len(reasons) == 1 else "\n".join(["", *reasons])
        raise (EmptyFeed if empty else KeptVersion)(f"release {built.published.id} is published, but {told}")


def _read_clock() -> datetime:
    return datetime.now(UTC)


def run_build(
    request: Build,
    *,
    recorder: BuildRecorder,
    workers: int | None = None,
    cluster: str | None = None,
    tell_release: TellRelease = lambda *_: None,
) -> BuildResult:
    """Run one build with its progress on standard error. `cluster`: the address of a Dask scheduler."""
    collect_seldom()
    trust = read_publisher(request.configuration.signing)
    # Workers get the configuration without the secrets that they do not need.
    configuration = request.configuration
    edge = replace(configuration.edge, rate_storage="local", calendar_secrets="")
    request = replace(request, configuration=replace(configuration, signing=SigningTable(), edge=edge))
    try:
        with _open_executor(request, workers=workers, cluster=cluster, recorder=recorder) as (executor, expect):
            built = build_release(
                request,
                store=open_config_store(configuration),
                executor=executor,
                expect=expect,
                progress=tell,
                tell_feeds=recorder.tell_feeds,
                tell_release=tell_release,
                trust=trust,
            )
    except FeedError as failed:
        recorder.failed_feed = failed.feed
        raise
    except BrokenExecutor as broken:
        raise click.ClickException(_WORKER_DIED) from broken
    recorder.built = built
    return built


def _parse_executor(text: str, workers: int | None) -> str | None:
    """Return the address of a cluster's scheduler, or None if processes of this machine do the work."""
    if text == PROCESSES:
        return None
    try:
        address = parse_cluster(text)
    except ValueError as error:
        allowed = f"{PROCESSES}, or dask://HOST:PORT of a Dask scheduler"
        raise click.UsageError(f"--executor {text}: allowed: {allowed}") from error
    if workers is not None:
        raise click.UsageError(
            f"--workers {workers} can't be combined with --executor {text}: the cluster has its own workers"
        )
    return address


@contextlib.contextmanager
def _open_executor(
    request: Build, *, workers: int | None, cluster: str | None, recorder: BuildRecorder
) -> Iterator[tuple[Executor, Expect]]:
    if cluster is not None:
        with open_cluster(cluster) as executor:
            yield executor, lambda *_: None
        return

    def abandon_build() -> None:
        """Record the failure and end this process at once. Its worker processes end with it."""
        click.echo(f"Error: {_WORKER_DIED}", err=True)
        recorder.end(1, _WORKER_DIED)
        discard_scratch()
        os._exit(1)

    tasks = len(request.configuration.feeds) + len(request.configuration.metros)
    limit = min(workers or os.cpu_count() or 1, max(1, tasks))
    with LocalExecutor(limit if workers else None, limit=limit, abandon=abandon_build, tell=tell) as local:
        yield local, local.expect


def _parse_as_of(text: str | None) -> AsOf:
    try:
        return parse_as_of(text, now=_read_clock)
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def _check_metros(slugs: tuple[str, ...], configuration: Configuration) -> frozenset[str] | None:
    slug_of = configuration.metro_slugs
    for slug in slugs:
        if slug not in slug_of:
            allowed = ", ".join(metro.slug for metro in configuration.metros)
            raise click.UsageError(f"--metro {slug}: there is no such metro; allowed: {allowed}")
    return frozenset(slug_of[slug] for slug in slugs) or None
