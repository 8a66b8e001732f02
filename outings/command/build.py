"""`outings build`: feeds to one new release."""

import contextlib
import os
from collections.abc import Collection, Iterator
from concurrent.futures import BrokenExecutor, Executor
from datetime import UTC, datetime
from pathlib import Path

import click
from msgspec.structs import replace

from outings.answers.semantic.model_error import ModelError
from outings.command import ConfigurationFailure, GuardRefusal
from outings.command.build_recorder import BuildRecorder, recording
from outings.command.options import open_config_store, print_json, read_config, read_trust, take_config, take_json
from outings.configuration import Configuration
from outings.configuration.tables import SigningTable
from outings.pages.assets import AssetsError
from outings.pages.settings import SiteSettingsError
from outings.release.publishing import BuildTooLong, ConcurrentPublication
from outings.release.trust import read_publisher
from pipeline.building import BuildResult, Expect, TellRelease, build_release
from pipeline.clock import AsOf, parse_as_of
from pipeline.executors.cluster import ClusterError, open_cluster, parse_cluster
from pipeline.executors.local import LocalExecutor
from pipeline.feeds.source import FeedError, SettingError
from pipeline.lock import MetroLockError, hold_metros
from pipeline.plan import Build
from pipeline.records.quarantine import QuarantineFile
from pipeline.reports.build import describe_build, format_build
from pipeline.scratch import discard_scratch
from pipeline.shrink_guard import ShrinkRefusal

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
    workers: int | None,
    executor: str,
    wait: float,
    report: Path | None,
    as_json: bool,
) -> None:
    """Read every feed, build the metros, and publish one new release."""
    recorder = BuildRecorder(report=report, as_of=as_of)
    with recording(recorder):
        cluster = _parse_executor(executor, workers)
        configuration = read_config(config)
        recorder.configure(configuration)
        chosen = _check_metros(metros, configuration)
        slugs = sorted(chosen or (metro.slug for metro in configuration.metros))
        recorder.tell_metros(slugs)
        _parse_as_of(as_of)  # what is wrong is told before anyone waits
        with _hold_metros(slugs, configuration, patience=wait):
            request = Build(
                configuration=configuration, as_of=_parse_as_of(as_of), metros=chosen, allow_shrink=allow_shrink
            )
            quarantine = QuarantineFile(configuration.build.quarantine)
            try:
                built = run_build(
                    request, workers=workers, cluster=cluster, recorder=recorder, tell_release=quarantine.write
                )
            except (GuardRefusal, BuildTooLong):
                quarantine.discard()
                raise
        _tell_unwritten(quarantine, built)
        recorder.tell_quarantine(quarantine.path)
    if as_json:
        print_json(describe_build(built, quarantine=quarantine.path))
    else:
        click.echo(format_build(built, quarantine=quarantine.path))


@contextlib.contextmanager
def _hold_metros(slugs: Collection[str], configuration: Configuration, *, patience: float) -> Iterator[None]:
    try:
        with hold_metros(slugs, folder=configuration.build.lock, patience=patience, clock=_read_clock, progress=_tell):
            yield
    except MetroLockError as held:
        raise GuardRefusal(str(held)) from held


def _read_clock() -> datetime:
    return datetime.now(UTC)


def _tell(line: str) -> None:
    click.echo(line, err=True)


def _tell_unwritten(quarantine: QuarantineFile, built: BuildResult) -> None:
    """The release is in force by now: where there is no room for the file, that is all that failed."""
    if quarantine.path is None:
        name = built.published.id
        _tell(f"release {name} is published, but its quarantine file can't be written: {quarantine.error}")


def run_build(
    request: Build,
    *,
    recorder: BuildRecorder,
    workers: int | None = None,
    cluster: str | None = None,
    tell_release: TellRelease = lambda *_: None,
) -> BuildResult:
    """One build with its progress on standard error; refusals become the command's exit codes. `cluster`: the address
    of a Dask scheduler."""
    trust = read_trust(request.configuration, read_publisher)
    # Workers get the configuration with their work, and none of its secrets that they need not know.
    configuration = request.configuration
    edge = replace(
        configuration.edge, rate_storage="local", legacy_key_secret="", calendar_secrets="", front_secret=""
    )
    request = replace(request, configuration=replace(configuration, signing=SigningTable(), edge=edge))
    try:
        with _open_executor(request, workers=workers, cluster=cluster, recorder=recorder) as (executor, expect):
            built = build_release(
                request,
                store=open_config_store(configuration),
                executor=executor,
                expect=expect,
                progress=_tell,
                tell_feeds=recorder.tell_feeds,
                tell_release=tell_release,
                trust=trust,
            )
    except (ShrinkRefusal, ConcurrentPublication) as refused:
        raise GuardRefusal(str(refused)) from refused
    except (SettingError, ModelError, SiteSettingsError) as wrong:
        raise ConfigurationFailure(str(wrong)) from wrong
    except FeedError as failed:
        recorder.tell_failed_feed(failed.feed)
        raise click.ClickException(str(failed)) from failed
    except (ClusterError, AssetsError) as failed:
        raise click.ClickException(str(failed)) from failed
    except BrokenExecutor as broken:
        raise click.ClickException(_WORKER_DIED) from broken
    recorder.tell_built(built)
    return built


def _parse_executor(text: str, workers: int | None) -> str | None:
    """The address of a cluster's scheduler; None where processes of this machine do the work."""
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
        """The process ends as if it were killed, which leaves nothing half done; its other workers end with it."""
        click.echo(f"Error: {_WORKER_DIED}", err=True)
        recorder.end(1, _WORKER_DIED)
        discard_scratch()
        os._exit(1)

    tasks = len(request.configuration.feeds) + len(request.configuration.metros)
    limit = min(workers or os.cpu_count() or 1, max(1, tasks))
    with LocalExecutor(limit if workers else None, limit=limit, abandon=abandon_build, tell=_tell) as local:
        yield local, local.expect


def _parse_as_of(text: str | None) -> AsOf:
    try:
        return parse_as_of(text, now=_read_clock)
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def _check_metros(slugs: tuple[str, ...], configuration: Configuration) -> frozenset[str] | None:
    known = {name: metro.slug for metro in configuration.metros for name in (metro.slug, *metro.aliases)}
    for slug in slugs:
        if slug not in known:
            allowed = ", ".join(metro.slug for metro in configuration.metros)
            raise click.UsageError(f"--metro {slug}: there is no such metro; allowed: {allowed}")
    return frozenset(known[slug] for slug in slugs) or None
