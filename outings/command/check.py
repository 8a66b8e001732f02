"""`outings check`: what a build would read, and what it would refuse; publishes nothing."""

from datetime import UTC, datetime
from pathlib import Path

import click
import msgspec

from outings.command.options import (
    ConfigurationFailure,
    print_json,
    read_config,
    read_trust,
    take_config,
    take_json,
)
from outings.release.trust import read_publisher, read_reader
from pipeline.clock import AsOf
from pipeline.dry_run import DryRun
from pipeline.feeds.reading import read_feed
from pipeline.feeds.source import FeedError, SettingError
from pipeline.neighborhoods import read_metro_neighborhoods
from pipeline.records.record import Problem
from pipeline.records.report import format_report, make_report, sum_counts
from pipeline.scratch import open_scratch, sweep_scratch


@click.command()
@take_config
@take_json
def check(*, config: Path, as_json: bool) -> None:
    """Check the configuration, every feed and the neighborhoods. Publish nothing."""
    configuration = read_config(config)
    read_trust(configuration, read_publisher if configuration.signing.key else read_reader)
    sweep_scratch()
    problems: list[Problem] = []
    unknown: dict[str, dict[str, int]] = {}
    decided: dict[str, tuple[str, ...]] = {}
    errors: list[FeedError | SettingError] = []
    with open_scratch() as scratch:
        dry_run = DryRun(configuration, as_of=AsOf(instant=datetime.now(UTC)), scratch=scratch)
        for feed in configuration.feeds:
            try:
                read = read_feed(feed, configuration, tell=_tell)
            except (FeedError, SettingError) as error:
                errors.append(error)
                continue
            dry_run.add_feed(read)
            problems += read.problems
            unknown[feed.name], decided[feed.name] = read.unknown, read.decided
            _tell(f"feed {feed.name}: {read.read:,} records read")
        for metro in configuration.metros:
            try:
                neighborhoods, wrong = read_metro_neighborhoods(metro.slug, metro.neighborhoods)
            except FeedError as error:
                errors.append(error)
                continue
            problems += (*dry_run.run(metro, neighborhoods), *wrong)
    report = make_report(dry_run.counts, problems, unknown, decided=decided)
    if as_json:
        told = [str(error) for error in errors]
        print_json({"records": sum_counts(report.feeds), **msgspec.structs.asdict(report), "errors": told})
    else:
        click.echo(format_report(report))
    refuse(errors)


def _tell(line: str) -> None:
    click.echo(line, err=True)


def refuse(errors: list[FeedError | SettingError]) -> None:
    """Every error, a line each: exit 2 where a setting is wrong, else 1."""
    if not errors:
        return
    told = "\n".join(map(str, errors))
    if any(isinstance(error, SettingError) for error in errors):
        raise ConfigurationFailure(told)
    raise click.ClickException(told)
