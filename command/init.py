"""`outings init`: look at files or addresses, and write a configuration that passes `outings check`."""

import os
import re
import sys
import textwrap
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, cast

import click
from msgspec.structs import replace

from command.options import disarm, print_json, read_config, take_config, take_json
from command.websites import (
    Websites,
    find_websites,
    list_remarks,
    read_feeds,
    refuse_no_listing,
    show_missing,
    show_websites,
)
from outings.configuration import (
    Configuration,
    ConfigurationError,
    FeedTable,
    is_zone,
    read_configuration,
)
from outings.configuration.presets import read_presets
from outings.contract.languages.language import ENGLISH, SHIPPED
from outings.failures import WrongSetting
from outings.release.folder import FolderStore
from pipeline.clean.feed_read import FeedRead
from pipeline.clean.record_report import FeedCount
from pipeline.clock import AsOf
from pipeline.discovery.discovering import describe_discovery
from pipeline.drafts.columns import ROLES
from pipeline.drafts.drafting import NO_PRESET, FeedDraft, OpenedFile, draft_feed, make_feed, open_files
from pipeline.drafts.metro import (
    MetroDraft,
    Spoken,
    find_bounds,
    find_center,
    find_city,
    find_language,
    find_points,
    make_slug,
)
from pipeline.drafts.roles import STATED
from pipeline.drafts.writing import DRAFTED, describe_draft, explain_change, format_draft, write_toml
from pipeline.dry_run import DryRun
from pipeline.fetch.raw_records import find_timezone
from pipeline.fetch.table.mapping import compile_mapping
from pipeline.fetch.table.reading import open_engine, open_table
from pipeline.previous_release import PreviousRelease
from pipeline.scratch import open_scratch, sweep_scratch

# A feed's draft, what was read of it, and what would become of that in a build.
Drafted = tuple[FeedDraft, FeedRead, FeedCount]


class Degrees(click.ParamType[tuple[float, ...]]):
    """A click parameter type: comma-separated numbers of degrees."""

    def __init__(self, name: str, count: int) -> None:
        self.name, self.count = name, count

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, ...]:
        if isinstance(value, tuple):
            return value
        try:
            numbers = tuple(float(number) for number in str(value).split(","))
        except ValueError:
            numbers = ()
        # Latitudes and longitudes by turns. What is no number is in no range.
        in_range = [-limit <= number <= limit for number, limit in zip(numbers, (90, 180, 90, 180), strict=False)]
        if len(numbers) != self.count or not all(in_range):
            self.fail(f"{value}: expected {self.name}, from -90 to 90 and from -180 to 180", param, ctx)
        return numbers


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE or ADDRESS]…")
@take_config
@click.option("--metro", default="", help="The city's name.")
@click.option("--timezone", default="", help="The city's time zone, such as America/New_York.")
@click.option("--language", default="", help="The language of its texts, such as en, es or de.")
@click.option("--center", type=Degrees("LAT,LNG", 2), help="The city's center.")
@click.option("--bounds", type=Degrees("SOUTH,WEST,NORTH,EAST", 4), help="The city's bounds.")
@click.option("--organization", default="", help="Who offers what the files list.")
@click.option("--type", "type_", type=click.Choice(["event", "class", "camp", "place"]), help="What a row is.")
@click.option(
    "--column", "columns", multiple=True, metavar="ROLE=COLUMN", help="What a column is, such as name=TITULO."
)
@click.option(
    "--preset",
    type=click.Choice([*read_presets(), NO_PRESET]),
    metavar="NAME",
    help="The known system of the addresses, as outings presets lists them; none: take each address as it is.",
)
@click.option("--allow-private", is_flag=True, help="Fetch from private addresses too.")
@click.option("--sql", is_flag=True, help="Print the mapping as a SELECT, and write nothing.")
@click.option("--force", is_flag=True, help="Draft again over a configuration that init has drafted.")
@click.option("--yes", is_flag=True, help="Ask nothing.")
@take_json
def init(
    *,
    files: tuple[str, ...],
    config: Path,
    organization: str,
    type_: str | None,
    columns: tuple[str, ...],
    preset: str | None,
    allow_private: bool,
    sql: bool,
    force: bool,
    yes: bool,
    as_json: bool,
    **city_options: Any,
) -> None:
    """Look at files, addresses of feeds, or websites, and draft a configuration. Of a website the feed that says most
    of its events is taken. Only its own draft is overwritten, and only with --force.

    With --sql and no file: the SELECT of each mapped feed of the configuration."""
    sweep_scratch()
    if not files:
        if not sql:
            raise click.UsageError("name a file or an address to look at, as in: outings init agenda.csv")
        _print_sql(read_config(config))
        return
    if not config.absolute().parent.is_dir():
        raise WrongSetting(f"{config}: there is no folder {config.parent}; make it first, or name another file with -c")
    if config.exists() and not sql:
        _check_draft(config, force=force)
    asks = not yes and not as_json and sys.stdin.isatty()
    stated = _parse_columns(columns)
    try:
        with open_scratch() as scratch:
            websites = _find_websites(files, config, scratch, preset, allow_private=allow_private, **city_options)
            opened = _open_all(websites, config, scratch, preset, allow_private=allow_private)
            city = _describe_metro(opened, websites, asks=asks, **city_options)
            drafts = [_draft(file, city, stated, type_=type_ or "", asks=asks) for file in opened]
        if sql:
            click.echo("\n".join(draft.sql for draft in drafts if draft.sql), nl=False)
            return
        drafted, websites = _write_checked(
            config, city, drafts, websites, organization=organization, force=force, is_typed=type_ is not None
        )
    except ConfigurationError as error:
        raise WrongSetting("\n".join(f"{problem.key}: {problem.message}" for problem in error.problems)) from error
    if as_json:
        found = {"websites": [describe_discovery(own) for own in websites.discoveries], "unread": websites.unread}
        print_json({"config": str(config), "feeds": [describe_draft(*own) for own in drafted], **found})
    else:
        _show(drafted, websites, city, config)


def _show(drafted: Sequence[Drafted], websites: Websites, city: MetroDraft, config: Path) -> None:
    show_websites(websites, [read for _, read, _ in drafted], city)
    for own in drafted:
        if own[0].feed.name not in websites.opened or own[0].own:  # without a mapping of its own, nothing is to decide
            click.echo(disarm(format_draft(*own)))
    show_missing(websites)
    click.echo(f"\n{textwrap.fill(city.about_language, 80)}")
    click.echo(f"\n{config} is written. Look at it, then: outings check, outings build, outings serve")


def _find_websites(
    files: Sequence[str], config: Path, scratch: Path, preset: str | None, *, allow_private: bool, **city_options: Any
) -> Websites:
    """Look at the addresses that are websites, but not at those that have a stated preset."""
    urls = _name_files(files, config)
    if preset:
        return Websites(urls=urls)
    center = city_options["center"]
    return find_websites(
        urls, metro=city_options["metro"], language=city_options["language"], allow_private=allow_private,
        timezone=city_options["timezone"] or (_find_zone(center) if center else ""), config=config, scratch=scratch,
    )  # fmt: skip


def _open_all(
    websites: Websites, config: Path, scratch: Path, preset: str | None, *, allow_private: bool
) -> list[OpenedFile]:
    """Open the files of all feeds, but those of websites, whose first pages are open already."""
    feeds = [
        make_feed(name, url, preset=preset or "", allow_private=allow_private, config=config, environ=os.environ)
        for name, url in websites.urls.items()
        if name not in websites.opened
    ]
    files = open_files(feeds, config.absolute().parent, scratch)
    # Points of a preset's events bring their venues.
    named = [replace(file, feed=replace(file.feed, venues="location.lat" in file.known)) for file in files]
    return [*named, *websites.opened.values()]


def _draft(
    file: OpenedFile, city: MetroDraft, stated: Mapping[str, Sequence[str]], *, type_: str, asks: bool
) -> FeedDraft:
    """Draft a feed. If its rows made a column doubtful and `asks`, leave it to the user whether that is used."""
    configuration = Configuration(directory=Path.cwd())
    draft = draft_feed(file, city, configuration, type_=type_, stated=stated)
    wanted = {
        change.role: [*stated.get(change.role, ()), change.column]
        for change in (draft.changes if asks else ())
        if change.is_dropped and not click.confirm(disarm(f"{explain_change(change)}. Leave it out?"), default=True)
    }
    return draft_feed(file, city, configuration, type_=type_, stated={**stated, **wanted}) if wanted else draft


def _check_draft(config: Path, *, force: bool) -> None:
    """Raise `WrongSetting` unless the file is a draft that may be written again."""
    is_draft = config.read_text("utf-8", "replace").startswith(DRAFTED)
    if not force or not is_draft:
        what = "say --force to draft it again" if is_draft else "init overwrites only drafts of its own; delete it"
        raise WrongSetting(f"{config} exists: {what}, or name another file with -c")


def _name_files(files: Sequence[str], config: Path) -> dict[str, str]:
    """Return the URL of each file by the name of its feed. A path is relative to the configuration's folder."""
    urls: dict[str, str] = {}
    for place, stated in enumerate(files):
        file = re.sub("^webcals?:", "https:", stated)  # "Subscribe" links
        remote = re.match(r"(https?|s3):", file) is not None
        stem = re.sub(r"[?#].*", "", file).rstrip("/").rpartition("/")[2].partition(".")[0]
        name = make_slug(stem)[:50] or "feed"
        name = name if name not in urls else f"{name}-{place + 1}"
        urls[name] = file if remote else os.path.relpath(file, config.absolute().parent)
    return urls


def _parse_columns(columns: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the columns of each role. Several files may name theirs differently."""
    stated: dict[str, list[str]] = {}
    for text in columns:
        role, equals, column = text.partition("=")
        if not equals or role not in (*ROLES, *STATED):
            allowed = ", ".join((*ROLES, *STATED))
            raise click.UsageError(f"--column {text}: expected ROLE=COLUMN, where a role is one of: {allowed}")
        stated.setdefault(role, []).append(column)
    return stated


def _describe_metro(
    opened: list[OpenedFile],
    websites: Websites,
    *,
    metro: str,
    timezone: str,
    language: str,
    center: tuple[float, float] | None,
    bounds: tuple[float, float, float, float] | None,
    asks: bool,
) -> MetroDraft:
    """Describe the metro by the options, otherwise by the files, otherwise by what the user answers in the terminal."""
    files = [file for file in opened if file.feed.name not in websites.opened]
    points = [*websites.points, *(point for file in files for point in find_points(file.columns))]
    middle = center or find_center(points)
    city = metro or find_city(file.columns for file in opened) or ""
    if asks:
        city = metro or click.prompt("The city's name", default=city or None)
    if asks and middle is None:
        middle = cast(
            "tuple[float, float]", click.prompt("The city's center, such as 47.61,-122.33", type=Degrees("LAT,LNG", 2))
        )
    zone = timezone or ("" if middle is None else _find_zone(middle))
    if asks and not timezone:
        zone = click.prompt("The city's time zone", default=zone or None)
    missing = [f"--{what}" for what, value in (("metro", city), ("center", middle), ("timezone", zone)) if not value]
    if missing or middle is None:
        raise click.UsageError(
            f"the files do not say which city they are from; give {', '.join(missing)}, as in: "
            "--metro Valladolid --center 41.65,-4.72 --timezone Europe/Madrid"
        )
    if not is_zone(zone):
        raise click.UsageError(f"--timezone {zone}: expected a name of the IANA database, as America/New_York")
    spoken = find_language((file.columns for file in opened), (file.text for file in opened))
    if language or (websites.language and not files):
        spoken = Spoken(language or websites.language, "--language" if language else "its pages")
    return MetroDraft(
        slug=make_slug(city) or "city", name=city, timezone=zone, spoken=spoken.code, evidence=spoken.evidence,
        language=spoken.code if spoken.code in SHIPPED else ENGLISH,
        center=middle, bounds=bounds or find_bounds(points, middle),
    )  # fmt: skip


def _find_zone(point: tuple[float, float]) -> str:
    from tzfpy import get_tz

    return str(get_tz(point[1], point[0]))


def _write_checked(
    config: Path,
    city: MetroDraft,
    drafts: Sequence[FeedDraft],
    websites: Websites,
    *,
    organization: str,
    force: bool,
    is_typed: bool,
) -> tuple[list[Drafted], Websites]:
    """Write the configuration, but only if every feed in it can be read. Return what was read and what would become of
    it in a first build today, and the websites: one whose feed can't be read to its end is left out. `is_typed`: the
    user said what a row is."""
    draft = config.with_name(f".{config.name}.draft")
    own = websites.organizations
    write = partial(write_toml, city, organization=organization, urls=websites.urls, organizations=own)
    try:
        draft.write_text(write(drafts), encoding="utf-8")
        configuration = read_configuration(draft, os.environ)
        reads, websites = read_feeds(configuration, websites)
        drafts = [read for read in drafts if read.feed.name in reads]
        for own_draft in () if is_typed else drafts:
            refuse_no_listing(own_draft, reads[own_draft.feed.name])
        remarks = {name: list_remarks(feed, reads[name], city) for name, feed in _by_name(configuration, reads).items()}
        draft.write_text(write(drafts, remarks=remarks), encoding="utf-8")
        configuration = read_configuration(draft, os.environ)
        with open_scratch() as scratch:
            store = FolderStore(scratch / "no-store")
            clock = AsOf(instant=datetime.now(UTC))
            dry_run = DryRun(configuration, as_of=clock, store=store, previous=PreviousRelease(), scratch=scratch)
            for read in reads.values():
                dry_run.add_feed(read)
            for metro in configuration.metros:
                dry_run.run(metro)
            counts = dry_run.counts
        if force:
            draft.replace(config)
        else:
            os.link(draft, config)  # fails where another has made it meanwhile
    finally:
        draft.unlink(missing_ok=True)
    return list(zip(drafts, reads.values(), counts, strict=True)), websites


def _by_name(configuration: Configuration, reads: Mapping[str, FeedRead]) -> dict[str, FeedTable]:
    return {feed.name: feed for feed in configuration.feeds if feed.name in reads}


def _print_sql(configuration: Configuration) -> None:
    mapped = [feed for feed in configuration.feeds if feed.map]
    if not mapped:
        raise click.UsageError("no feed of the configuration has a map")
    for feed in mapped:
        with open_scratch() as scratch:
            click.echo(f"-- {feed.name}\n{_compile(feed, configuration, scratch)}", nl=False)


def _compile(feed: FeedTable, configuration: Configuration, scratch: Path) -> str:
    from pipeline.fetch.opening import open_sources

    files = open_sources([feed], configuration, scratch=scratch)[feed.name].files
    with open_engine(scratch, feed) as connection:
        open_table(connection, feed, files, scratch=scratch)
        table = connection.table("feed")
        types = dict(zip(table.columns, table.types, strict=True))
        zone = find_timezone(feed, configuration)
        return compile_mapping(feed.map, types, vocabulary=configuration.vocabulary, zone=zone)
