"""Plan a build: which metros changed, which feeds have to be read, and the stamp of all changed rows."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

import msgspec
from msgspec import Struct

from outings.configuration import Configuration, FeedTable, MetroTable
from outings.contract.languages.language import ENGLISH, Language, join_groups, list_uncovered, read_shipped_language
from outings.pages.settings import make_settings as make_site_settings
from outings.release.manifest import MetroSettings
from outings.release.root import list_withdrawn
from outings.release.site import SiteSettings
from pipeline.clock import AsOf, choose_stamp
from pipeline.fetch.source import FeedSource
from pipeline.fingerprint import make_fingerprint
from pipeline.previous_release import PreviousRelease
from pipeline.publish.metro_plan import MetroPlan
from pipeline.publish.objects.site import hash_metro_site
from pipeline.resolve.facts.centroids import read_centroids
from pipeline.resolve.facts.neighborhood_file import read_bytes


class Build(Struct, frozen=True, kw_only=True):
    """A request for a build. `metros` are slugs; None is all. `is_new_store`: build a store that lost its pointer as a
    new one."""

    configuration: Configuration
    as_of: AsOf
    metros: Collection[str] | None = None
    allow_shrink: bool = False
    is_new_store: bool = False


class BuildPlan(Struct, frozen=True, kw_only=True):
    """The plan of a build. `metros` will be built and `feeds` read. `unchanged` metros and `remembered` feeds are
    reused. `site`: settings of the pages, None for a release without any."""

    stamp: datetime
    site: SiteSettings | None
    metros: tuple[MetroPlan, ...]
    feeds: tuple[FeedTable, ...]
    unchanged: tuple[MetroPlan, ...]
    remembered: tuple[str, ...]

    @property
    def carried(self) -> tuple[str, ...]:
        """Return the slugs of metros that are not built again."""
        return tuple(metro_plan.metro.slug for metro_plan in self.unchanged)


def choose_metros(build: Build) -> list[MetroTable]:
    return [metro for metro in build.configuration.metros if build.metros is None or metro.slug in build.metros]


def choose_feeds(build: Build) -> list[FeedTable]:
    """Return the feeds that may have records of one of the build's metros."""
    slugs = {metro.slug for metro in choose_metros(build)}
    return [feed for feed in build.configuration.feeds if feed.metro is None or feed.metro in slugs]


def plan_build(build: Build, *, previous: PreviousRelease, sources: Mapping[str, FeedSource]) -> BuildPlan:
    """Plan the build. `sources`: the files or stored records of each chosen feed, by its name. Raises
    SiteSettingsError, and FeedError if the neighborhoods can't be read."""
    metros, feeds = choose_metros(build), choose_feeds(build)
    # Later than every stamp of a metro that is built: a release is never older than what it replaces.
    stamp = choose_stamp(
        (build.as_of.read_instant(metro.timezone) for metro in metros),
        previous=[previous.metros[metro.slug].manifest.stamp for metro in metros if metro.slug in previous.metros],
    )
    site = make_site_settings(build.configuration.site)

    def plan_metro(metro: MetroTable) -> MetroPlan:
        configuration = build.configuration
        settings = make_settings(metro)
        today = build.as_of.read_date(metro.timezone)
        language = find_language(configuration, metro)
        related = join_groups(language.related, configuration.related)
        own = keep_language(language)
        centroids = read_centroids(configuration.zip.centroids, metro.bounds)
        neighborhoods = b"" if metro.neighborhoods is None else read_bytes(metro.slug, metro.neighborhoods)
        # All that turns records into listings but the records and the date; then all that its build depends on.
        speaking = [feed for feed in feeds if feed.metro in (None, metro.slug)]
        readings = sorted((feed.name, feed.spans, feed.confidence) for feed in speaking)
        program = make_fingerprint(
            settings, configuration.vocabulary, own, hashlib.sha256(neighborhoods).hexdigest(), readings
        )  # fmt: skip
        inputs = make_fingerprint(
            program, related, today, centroids, hash_metro_site(site),
            sorted((feed.name, sources[feed.name].hash) for feed in speaking),
            sorted(list_withdrawn(previous.withdrawals)),
            *([configuration.geocoder.provider, configuration.geocoder.url] if configuration.geocoder.build else []),
        )  # fmt: skip
        return MetroPlan(
            metro=settings, vocabulary=configuration.vocabulary, related=related, language=own, today=today,
            stamp=stamp, inputs=inputs, cache=configuration.edge.cache, previous=previous.metros.get(metro.slug),
            centroids=centroids, site=site if site is not None and site.shows_data else None,
            program=program, neighborhoods=metro.neighborhoods,
        )  # fmt: skip

    planned = [plan_metro(metro) for metro in metros]
    changed = {
        metro_plan.metro.slug
        for metro_plan in planned
        if metro_plan.previous is None or metro_plan.previous.manifest.inputs != metro_plan.inputs
    }
    return _divide(planned, feeds, changed, stamp=stamp, site=site)


def widen_plan(build: Build, plan: BuildPlan, slugs: Collection[str]) -> BuildPlan:
    """Return the plan with these unchanged metros added to those that will be built."""
    planned = {metro_plan.metro.slug: metro_plan for metro_plan in (*plan.metros, *plan.unchanged)}
    built = {metro_plan.metro.slug for metro_plan in plan.metros}.union(slugs)
    ordered = [planned[metro.slug] for metro in choose_metros(build)]
    return _divide(ordered, choose_feeds(build), built, stamp=plan.stamp, site=plan.site)


def _divide(
    planned: Sequence[MetroPlan],
    feeds: Sequence[FeedTable],
    built: Collection[str],
    *,
    stamp: datetime,
    site: SiteSettings | None,
) -> BuildPlan:
    read = tuple(feed for feed in feeds if built and (feed.metro is None or feed.metro in built))
    return BuildPlan(
        stamp=stamp,
        site=site,
        metros=tuple(metro_plan for metro_plan in planned if metro_plan.metro.slug in built),
        feeds=read,
        unchanged=tuple(metro_plan for metro_plan in planned if metro_plan.metro.slug not in built),
        remembered=tuple(feed.name for feed in feeds if feed not in read),
    )


def find_language(configuration: Configuration, metro: MetroTable) -> Language:
    """Return the metro's language from the operator's files, else the one that ships with the program."""
    return configuration.own_languages.get(metro.language) or read_shipped_language(metro.language)


def find_uncovered(configuration: Configuration) -> dict[str, tuple[str, ...]]:
    """Return by metro the parts of search for which its language has no words, a line for each."""
    categories = configuration.vocabulary.categories
    languages = {metro.slug: find_language(configuration, metro) for metro in configuration.metros}
    return {slug: tuple(list_uncovered(language, categories)) for slug, language in languages.items()}


def keep_language(language: Language) -> Language | None:
    """Return the language as a snapshot stores it: without related words, which are stored with the operator's, and
    None for English, which is part of the program."""
    if language is read_shipped_language(ENGLISH):
        return None
    return msgspec.structs.replace(language, related=())


def make_settings(metro: MetroTable) -> MetroSettings:
    return MetroSettings(
        slug=metro.slug, name=metro.name, timezone=metro.timezone, aliases=metro.aliases,
        center=metro.center, bounds=metro.bounds,
    )  # fmt: skip
