"""Find the feeds of websites among the addresses that `outings init` gets."""

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import click
from msgspec import Struct
from msgspec.structs import replace

from command.options import disarm, tell
from outings.configuration import Configuration, FeedTable
from outings.failures import OperatorError, WrongSetting
from pipeline.clean.feed_read import FeedRead
from pipeline.discovery.discovering import (
    Discovery,
    discover,
    format_discovery,
    may_be_page,
    name_site,
    open_start,
)
from pipeline.discovery.reading import Question
from pipeline.discovery.unwanted import is_no_listing, propose_drop
from pipeline.discovery.visitor import NotVisitedError, Visitor
from pipeline.drafts.drafting import FeedDraft, OpenedFile
from pipeline.drafts.metro import MetroDraft, Point, make_slug
from pipeline.drafts.values import describe_listing
from pipeline.drafts.writing import encode
from pipeline.feed_task import read_feed
from pipeline.fetch.bounded_task import run_bounded
from pipeline.fetch.source import FeedError
from pipeline.fetch.urls import show_url
from pipeline.records.record import EventRecord

_WIDTH = 80


class Websites(Struct, frozen=True, kw_only=True):
    """The feeds found at addresses. `urls`: of all feeds, by their names; `opened`: the first pages of those that were
    found at websites; `discoveries`: what was found at each website; `unread`: addresses that were not fetched."""

    urls: dict[str, str]
    opened: dict[str, OpenedFile] = {}
    discoveries: tuple[Discovery, ...] = ()
    unread: dict[str, str] = {}

    @property
    def organizations(self) -> dict[str, str]:
        """Return the name of the site by the name of its feed."""
        sites = [discovery for discovery in self.discoveries if discovery.chosen is not None]
        return {name: site.site for name, site in zip(self.opened, sites, strict=True) if site.site}

    @property
    def points(self) -> list[Point]:
        chosen = [discovery.chosen for discovery in self.discoveries]
        return [point for reading in chosen if reading is not None for point in reading.counts.points]

    @property
    def language(self) -> str:
        """Return the language that most of the sites state, "" if none does."""
        stated = [discovery.language for discovery in self.discoveries if discovery.language]
        return max(dict.fromkeys(stated), key=stated.count, default="")

    @property
    def missing(self) -> list[str]:
        """Return what was looked for and found where there is no feed."""
        told = [format_discovery(discovery) for discovery in self.discoveries if discovery.chosen is None]
        return [*told, *(f"{url}: {why}" for url, why in self.unread.items())]


def find_websites(
    urls: Mapping[str, str],
    *,
    metro: str,
    timezone: str,
    language: str,
    allow_private: bool,
    config: Path,
    scratch: Path,
) -> Websites:
    """Look at the addresses that are web pages. The others are returned as they are."""
    kept: dict[str, str] = {}
    opened: dict[str, OpenedFile] = {}
    discoveries: list[Discovery] = []
    unread: dict[str, str] = {}
    city = MetroDraft(
        slug=make_slug(metro) or "city", name=metro or "city", timezone=timezone or "UTC", language=language or "en",
        center=(0.0, 0.0), bounds=(-90.0, -180.0, 90.0, 180.0),
    )  # fmt: skip
    for stated, url in urls.items():
        if not may_be_page(url):
            kept[stated] = url
            continue
        visitor = Visitor(allow_private=allow_private)
        try:
            start = open_start(url, visitor)
        except NotVisitedError as error:
            unread[url] = str(error)
            continue
        if start is None:
            kept[stated] = url
            continue
        name = _choose_name(name_site(start.url), {*urls, *kept, *opened} - {stated})
        question = Question(
            metro=city, config=config, environ=os.environ, scratch=scratch / name,
            today=datetime.now(ZoneInfo(city.timezone) if timezone else UTC).date(),
        )  # fmt: skip
        question.scratch.mkdir()
        discovery = discover(start, name, visitor, question, tell)
        discoveries.append(discovery)
        if (chosen := discovery.chosen) is not None and chosen.opened is not None:
            opened[name], kept[name] = chosen.opened, chosen.candidate.url
    found = Websites(urls=kept, opened=opened, discoveries=tuple(discoveries), unread=unread)
    if not kept:
        raise OperatorError("\n\n".join(found.missing))
    return found


def _choose_name(name: str, taken: set[str]) -> str:
    return next(own for own in (name, *(f"{name}-{number}" for number in range(2, 1_000))) if own not in taken)


def read_feeds(configuration: Configuration, websites: Websites) -> tuple[dict[str, FeedRead], Websites]:
    """Read all feeds. Return what was read, and the websites: one whose feed can't be read to its end is `unread`, if
    others can. Raises FeedError."""
    reads: dict[str, FeedRead] = {}
    failures: dict[str, FeedError] = {}
    for feed in configuration.feeds:
        try:
            reads[feed.name] = read_feed(feed, configuration, tell=tell, run=run_bounded)
        except FeedError as error:
            if feed.name not in websites.opened:
                raise
            failures[show_url(feed.url)] = error
    if not reads:
        raise next(iter(failures.values()))
    unread = websites.unread | {url: str(error) for url, error in failures.items()}
    return reads, replace(websites, unread=unread)


def refuse_no_listing(draft: FeedDraft, read: FeedRead) -> None:
    """Raise WrongSetting for a draft whose rows are neither events nor places."""
    if is_no_listing(draft, read.records):
        raise WrongSetting(
            f"{draft.feed.name}: its rows have no dates of events, and no addresses or points of places: a list of "
            "products or posts is no listing. If they are places, say --type place; if a "
            "column is their date, --column start_date=…"
        )


def list_remarks(feed: FeedTable, read: FeedRead, city: MetroDraft) -> list[str]:
    """Return comments for the configuration: how to leave out what families do not look for."""
    proposal = propose_drop(feed, read.records, language=city.spoken)
    if proposal is None:
        return []
    column = {proposal.column: list(proposal.words)}
    return [f"{proposal}: leave them out?", *([f"drop = {encode(column)}"] if proposal.column else [])]


def show_websites(websites: Websites, reads: Sequence[FeedRead], city: MetroDraft) -> None:
    """Print what was found at each website, and the first record of its feed as it would be published."""
    by_feed = {read.feed: read for read in reads}
    found = [discovery for discovery in websites.discoveries if discovery.chosen is not None]
    for (name, opened), discovery in zip(websites.opened.items(), found, strict=True):
        click.echo(disarm(format_discovery(discovery)))
        if (read := by_feed.get(name)) is not None:
            events = [record for record in read.records if isinstance(record, EventRecord)]
            click.echo(f"  feed {name}: {len(events):,} events, {len(read.cleaned) - len(events):,} other; the first:")
            for line in (told for event in events[:1] for told in describe_listing(event)):
                click.echo(f"    {disarm(line)}"[:_WIDTH])
            if proposal := propose_drop(opened.feed, read.records, language=city.spoken):
                click.echo(
                    f"  {disarm(str(proposal))}:\n  to leave them out, take the # from drop in the configuration"
                )
        click.echo()


def show_missing(websites: Websites) -> None:
    """Print where nothing was found, behind all else: somebody has to do something there."""
    if websites.missing:
        click.echo("\nNot in the configuration:")
        for told in websites.missing:
            click.echo(disarm(told))
