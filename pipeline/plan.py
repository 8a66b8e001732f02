"""Plan a build: which metros changed, which feeds have to be read, and the stamp of all changed rows."""

from collections.abc import Collection, Mapping
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
from pipeline.fetch.source import FeedSource, name_neighborhoods, read_file
from pipeline.fingerprint import hash_listings, hash_metro
from pipeline.previous_release import PreviousRelease
from pipeline.publish.metro_plan import MetroPlan
from pipeline.publish.objects.site import hash_metro_site
from pipeline.resolve.facts.centroids import read_centroids


class Build(Struct, frozen=True, kw_only=True):
    """A request for a build. `metros` are slugs; None is all. `is_new_store`: build a store that lost its pointer as a
    new one."""

    configuration: Configuration
    as_of: AsOf
    metros: Collection[str] | None = None
    allow_shrink: bool = False
    is_new_store: bool = False


class BuildPlan(Struct, frozen=True, kw_only=True):
    """The plan of a build. Of the metros in `planned`, those in `built` will be built. Of the feeds in `chosen`, those
    with records of a metro that is built will be read. `site`: settings of the pages, None for a release without
    any."""

    stamp: datetime
    site: SiteSettings | None
    planned: tuple[MetroPlan, ...]
    chosen: tuple[FeedTable, ...]
    built: frozenset[str]

    @property
    def metros(self) -> list[MetroPlan]:
        return [metro_plan for metro_plan in self.planned if metro_plan.metro.slug in self.built]

    @property
    def unchanged(self) -> list[MetroPlan]:
        return [metro_plan for metro_plan in self.planned if metro_plan.metro.slug not in self.built]

    @property
    def feeds(self) -> list[FeedTable]:
        return [feed for feed in self.chosen if self.built and (feed.metro is None or feed.metro in self.built)]

    @property
    def remembered(self) -> list[str]:
        """Return the names of feeds that are not read again."""
        return [feed.name for feed in self.chosen if feed not in self.feeds]


def choose_metros(build: Build) -> list[MetroTable]:
    return [metro for metro in build.configuration.metros if build.metros is None or metro.slug in build.metros]


def choose_feeds(build: Build) -> list[FeedTable]:
    """Return the feeds that may have records of one of the build's metros."""
    slugs = {metro.slug for metro in choose_metros(build)}
    return [feed for feed in build.configuration.feeds if feed.metro is None or feed.metro in slugs]


def plan_build(build: Build, *, previous: PreviousRelease, sources: Mapping[str, FeedSource]) -> BuildPlan:
    """Plan the build. `sources`: the files or stored records of each chosen feed, by its name. Raises
    SiteSettingsError, and FeedError if the neighborhoods can't be read."""
    metros, feeds, configuration = choose_metros(build), choose_feeds(build), build.configuration
    # Later than every stamp of a metro that is built: a release is never older than what it replaces.
    stamp = choose_stamp(
        (build.as_of.read_instant(metro.timezone) for metro in metros),
        previous=[
            *(previous.metros[metro.slug].manifest.stamp for metro in metros if metro.slug in previous.metros),
            *(metro.manifest.stamp for metro in previous.leaving.values()),
        ],
    )
    site = make_site_settings(configuration.site)
    # A server has pages of listings if there is a key for visitors, plain files always.
    has_pages = site is not None and site.shows_data and (site.key or configuration.static is not None)
    pages = site.url if site is not None and has_pages else ""

    def plan_inputs(metro: MetroTable) -> MetroPlan:
        plan = plan_metro(build, metro, previous=previous, stamp=stamp)
        path, source = metro.neighborhoods, name_neighborhoods(metro.slug)
        neighborhoods = b"" if path is None else read_file(path, source=source)
        speaking = [feed for feed in feeds if feed.metro in (None, metro.slug)]
        program = hash_listings(
            plan.metro, vocabulary=plan.vocabulary, language=plan.language, neighborhoods=neighborhoods, feeds=speaking,
            pages=pages,
        )  # fmt: skip
        inputs = hash_metro(
            program, records={feed.name: sources[feed.name].hash for feed in speaking}, today=plan.today,
            related=plan.related, centroids=plan.centroids, site=hash_metro_site(site),
            withdrawn=list_withdrawn(previous.withdrawals), geocoder=configuration.geocoder,
        )  # fmt: skip
        shown = site if site is not None and site.shows_data else None
        return msgspec.structs.replace(plan, inputs=inputs, program=program, site=shown, pages=pages)

    planned = tuple(plan_inputs(metro) for metro in metros)
    built = frozenset(
        metro_plan.metro.slug
        for metro_plan in planned
        if metro_plan.previous is None or metro_plan.previous.manifest.inputs != metro_plan.inputs
    )
    return BuildPlan(stamp=stamp, site=site, planned=planned, chosen=tuple(feeds), built=built)


def plan_metro(build: Build, metro: MetroTable, *, previous: PreviousRelease, stamp: datetime) -> MetroPlan:
    """Plan a metro's build without pages, and without the fingerprint of its inputs."""
    configuration = build.configuration
    language, released = find_language(configuration, metro), previous.metros.get(metro.slug)
    return MetroPlan(
        metro=msgspec.convert(metro, MetroSettings, from_attributes=True),
        vocabulary=configuration.vocabulary,
        related=join_groups(language.related, configuration.related),
        language=keep_language(language),
        today=build.as_of.read_date(metro.timezone),
        stamp=stamp,
        inputs="",
        cache=configuration.edge.cache,
        previous=released,
        first_slug="" if released is None or released.first_slug == metro.slug else released.first_slug,
        centroids=read_centroids(configuration.zip.centroids, metro.bounds),
        neighborhoods=metro.neighborhoods,
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
