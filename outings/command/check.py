"""`outings check`: what a build would read, and what it would refuse; publishes nothing."""

from pathlib import Path

import click
import msgspec

from outings.command.options import (
    WrongConfiguration,
    print_json,
    read_config,
    read_trust,
    take_config,
    take_json,
)
from outings.release.trust import read_publisher, read_reader
from pipeline.feeds.reading import FeedRead, read_feed
from pipeline.feeds.source import FeedError, SettingError
from pipeline.neighborhoods import read_metro_neighborhoods
from pipeline.records.record import Problem
from pipeline.records.report import FeedCount, format_report, make_report, sum_counts
from pipeline.scratch import sweep_scratch


@click.command()
@take_config
@take_json
def check(*, config: Path, as_json: bool) -> None:
    """Read the configuration, every feed and the neighborhoods; report, publish nothing."""
    configuration = read_config(config)
    read_trust(configuration, read_publisher if configuration.signing.key else read_reader)
    sweep_scratch()
    counts: list[FeedCount] = []
    problems: list[Problem] = []
    unknown: dict[str, dict[str, int]] = {}
    errors: list[FeedError | SettingError] = []
    for feed in configuration.feeds:
        try:
            read = read_feed(feed, configuration, tell=_tell)
        except (FeedError, SettingError) as error:
            errors.append(error)
            continue
        counts.append(count_feed(read))
        problems += read.problems
        unknown[feed.name] = read.unknown
        _tell(f"feed {feed.name}: {read.read:,} records read")
    for metro in configuration.metros:
        try:
            problems += read_metro_neighborhoods(metro.slug, metro.neighborhoods)[1]
        except FeedError as error:
            errors.append(error)
    report = make_report(counts, problems, unknown)
    if as_json:
        told = [str(error) for error in errors]
        print_json({"records": sum_counts(counts), **msgspec.structs.asdict(report), "errors": told})
    else:
        click.echo(format_report(report))
    refuse(errors)


def _tell(line: str) -> None:
    click.echo(line, err=True)


def count_feed(read: FeedRead) -> FeedCount:
    return FeedCount(
        feed=read.feed,
        read=read.read,
        listings=len(read.records),
        merged=read.merged,
        quarantined=read.quarantined,
    )


def refuse(errors: list[FeedError | SettingError]) -> None:
    """Every error, a line each: exit 2 where a setting is wrong, else 1."""
    if not errors:
        return
    told = "\n".join(map(str, errors))
    if any(isinstance(error, SettingError) for error in errors):
        raise WrongConfiguration(told)
    raise click.ClickException(told)
