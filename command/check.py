"""`outings check`: report what a build would report of the feeds and what it would refuse, without publishing."""

from datetime import UTC, datetime
from pathlib import Path

import click
import msgspec
from msgspec import Struct

from command.options import open_config_store, print_result, read_config, take_config, take_json, tell
from outings.configuration import Configuration
from outings.failures import EmptyFeed, GuardRefusal, OperatorError, WrongSetting
from outings.pages.settings import SiteSettingsError, make_settings
from outings.release.folder import FolderStore
from outings.release.pointer import read_current
from outings.release.root import Root
from outings.release.store import Corrupt, NotFound, Store, StoreError
from outings.release.trust import Trust, read_publisher, read_reader
from pipeline.clean.record_report import Report, explain_empty, format_report, is_empty, make_report, sum_counts
from pipeline.clock import AsOf
from pipeline.dry_run import DryRun
from pipeline.feed_task import read_feed
from pipeline.feed_warnings import FeedWarning, format_warning
from pipeline.fetch.bounded_task import run_bounded
from pipeline.fetch.source import FeedError, SettingError
from pipeline.plan import find_uncovered
from pipeline.previous_release import read_previous_release
from pipeline.records.record import Problem
from pipeline.scratch import open_scratch, sweep_scratch


class CheckResult(Struct, frozen=True, kw_only=True):
    report: Report
    warnings: tuple[FeedWarning, ...]
    errors: tuple[OperatorError, ...]

    @property
    def is_served(self) -> bool:
        """Return True if no listing is hidden, unpublished, merged or taken down, and each column has a place.

        Quarantined records do not count.
        """
        counts = self.report.feeds
        hidden = any(count.account is not None and count.account.hidden + count.account.unpublished for count in counts)
        lacks = any(count.merged or count.withdrawn or count.unplaced or count.unread for count in counts)
        return not hidden and not lacks

    @property
    def is_clean(self) -> bool:
        findings = (self.report.problems, self.report.unknown_members, self.warnings, self.errors)
        return not any(findings)


@click.command()
@take_config
@click.option("--strict", is_flag=True, help="Exit with 3 if anything is reported, so that a script notices.")
@take_json
def check(*, config: Path, strict: bool, as_json: bool) -> None:
    """Check the configuration, every feed and the neighborhoods. Publish nothing."""
    configuration = read_config(config)
    trust = (read_publisher if configuration.signing.key else read_reader)(configuration.signing)
    sweep_scratch()
    result = run_check(configuration, trust)
    described = {
        "records": sum_counts(result.report.feeds), **msgspec.structs.asdict(result.report),
        "warnings": result.warnings, "errors": [str(error) for error in result.errors],
    }  # fmt: skip
    print_result(described, format_check(result), as_json=as_json)
    refuse(result.errors)
    if strict and not result.is_clean:
        raise GuardRefusal("--strict: the report above has something to correct")
    if empty := [count for count in result.report.feeds if is_empty(count)]:
        raise EmptyFeed("\n".join(map(explain_empty, empty)))


def run_check(configuration: Configuration, trust: Trust) -> CheckResult:
    problems: list[Problem] = []
    unknown: dict[str, dict[str, int]] = {}
    decided: dict[str, tuple[str, ...]] = {}
    errors: list[OperatorError] = []
    try:
        make_settings(configuration.site)
    except SiteSettingsError as error:
        errors.append(error)
    with open_scratch() as scratch:
        store, previous_root, unread = _open_release(configuration, trust, empty=scratch / "no-store")
        dry_run = DryRun(
            configuration, as_of=AsOf(instant=datetime.now(UTC)), store=store,
            previous=read_previous_release(store, previous_root).follow(
                configuration.metros, chosen=configuration.metros, is_whole=True
            ),
            scratch=scratch,
        )  # fmt: skip
        for feed in configuration.feeds:
            try:
                read = read_feed(feed, configuration, tell=tell, run=run_bounded)
            except (FeedError, SettingError) as error:
                errors.append(error)
                continue
            dry_run.add_feed(read)
            problems += read.problems
            unknown[feed.name], decided[feed.name] = read.unknown, read.decided
            tell(f"feed {feed.name}: {read.read:,} {'record' if read.read == 1 else 'records'} read")
        for metro in configuration.metros:
            try:
                problems += dry_run.run(metro)
            except FeedError as error:
                errors.append(error)
    uncovered = find_uncovered(configuration)
    report = make_report(dry_run.counts, problems, unknown, decided=decided, uncovered=uncovered)
    return CheckResult(report=report, warnings=(*unread, *dry_run.warnings), errors=tuple(errors))


def _open_release(
    configuration: Configuration, trust: Trust, *, empty: Path
) -> tuple[Store, Root | None, tuple[FeedWarning, ...]]:
    """Return the store and the release in force. If it can't be read, return a store in the folder `empty` and a
    warning."""
    try:
        store = open_config_store(configuration)
        current = read_current(store, trust=trust)
    except (StoreError, NotFound, Corrupt) as error:
        message = f"the release in force can't be read, so nothing is known of removals: {error}"
        return FolderStore(empty), None, (FeedWarning(feed="store", code="store_unread", message=message),)
    return store, None if current is None else current.root, ()


# Codes of warnings that the report has already, in its own sections.
_IN_REPORT = ("expectation", "no_future_date", "nothing_soon")


def format_check(result: CheckResult) -> str:
    parts = [format_report(result.report)]
    if warnings := [warning for warning in result.warnings if warning.code not in _IN_REPORT]:
        parts += ["", "Feeds to look at:", *(f"  {format_warning(warning)}" for warning in warnings)]
    if result.is_clean:
        parts += ["", "Nothing is wrong." if result.is_served else "Nothing else is wrong."]
    return "\n".join(parts)


def refuse(errors: tuple[OperatorError, ...]) -> None:
    """Raise an OperatorError with all errors, one per line; a WrongSetting if any of them is one."""
    if errors:
        has_wrong_setting = any(isinstance(error, WrongSetting) for error in errors)
        raise (WrongSetting if has_wrong_setting else OperatorError)("\n".join(map(str, errors)))
