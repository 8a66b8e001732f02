"""Pages for the operator: builds, and the gaps and problems of feeds."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from datetime import date
from functools import partial
from typing import Any

from markupsafe import Markup
from msgspec import Struct

from outings.pages.assets import Page, find_asset
from outings.pages.city import MEMBERS
from outings.pages.layout import name_words, render_page
from outings.pages.settings import BuildRow, Words
from outings.release.root import FeedTally
from outings.release.site import SiteSettings
from pipeline.records.record import Problem

# They are never part of a release: only `outings site --internal` writes them.
FOLDER = "internal/"
_MOST_BUILDS = 12


class ReleaseColumn(Struct, frozen=True, kw_only=True):
    """`versions`: how many listings and organizations the release changed; null where that is not known. `feeds` by
    name."""

    id: str
    built_on: date
    versions: int | None
    feeds: Mapping[str, FeedTally]


class WrongGroup(Struct, frozen=True, kw_only=True):
    """Problems with one cause. `code` says which, `allowed` what may stand there, in the program's own words. `lines`
    are the first of `count`. `quarantined`: the records are not published, else the value alone is left out."""

    field: str | None
    code: str
    allowed: str
    quarantined: bool
    count: int
    lines: tuple[Problem, ...]


class FeedReport(Struct, frozen=True, kw_only=True):
    """A feed in the current release. `brought` and `lost`: how many listings are new or gone since the last release in
    which the feed was different (`before`; None if none is kept). `*_names`: the first of their names. `account`: what
    is lost or hidden of it, a line each, with the setting that changes it. `incomplete_listings`: the first of them,
    with their name, their `source_id`, and whether they state each of MEMBERS."""

    name: str
    counts: FeedTally
    account: tuple[str, ...]
    before: date | None
    brought: int
    brought_names: tuple[str, ...]
    lost: int
    lost_names: tuple[str, ...]
    groups: tuple[WrongGroup, ...]
    published: int
    incomplete: int
    incomplete_listings: Sequence[Mapping[str, Any]]


def render_feeds(
    settings: SiteSettings,
    releases: Sequence[ReleaseColumn],
    feeds: Sequence[FeedReport],
    *,
    builds: Sequence[BuildRow],
) -> tuple[Page, ...]:
    """`releases` and `builds`: the newest first; `feeds` are those of the newest release, by name."""
    troubled = sorted(feeds, key=lambda feed: (-feed.counts.quarantined, -feed.lost, feed.name))
    values = {"releases": releases, "feeds": troubled, "builds": builds[:_MOST_BUILDS]}
    index = render_page(FOLDER, "feeds.html", settings=settings, page_words="feeds", values=values)
    built_on = releases[0].built_on
    return (index, *(_render_feed(settings, feed, built_on=built_on, builds=builds) for feed in feeds))


def _render_feed(settings: SiteSettings, feed: FeedReport, *, built_on: date, builds: Sequence[BuildRow]) -> Page:
    """Render a page that can be sent as one file: its styles are in it, and its content policy allows only these, by
    their hash."""
    style = find_asset("site.css").data
    digest = base64.b64encode(hashlib.sha256(style).digest()).decode()
    values = {
        "feed": feed,
        "built_on": built_on,
        "failed_build": builds[0] if builds and builds[0].feed == feed.name else None,
        "name_field": partial(_name_field, name_words(settings, "members")),
        "members": MEMBERS,
        "style": Markup(style.decode()),  # noqa: S704 our own
        "own_policy": f"default-src 'none'; style-src 'sha256-{digest}'",
    }
    return render_page(f"{FOLDER}{feed.name}.html", "feed.html", settings=settings, page_words="feed", values=values)


def _name_field(words: Words, field: str) -> str:
    """Return the field's name for people: `sections[].ages.min` becomes "groups, ages". Empty if no part of it has a
    word."""
    labels = (words.get(part.removesuffix("[]")) for part in field.split("."))
    return ", ".join(word for word in labels if word)
