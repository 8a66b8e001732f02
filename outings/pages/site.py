"""Render all pages of a release: home and explorer here, the others in their own files."""

import json
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache
from itertools import chain
from typing import Any

import msgspec

from outings.configuration.zones import list_american
from outings.contract.expression_columns import list_columns
from outings.contract.languages.language import ENGLISH, SHIPPED, list_translations, read_shipped_language
from outings.contract.languages.word_lists import FILTER_PARTS
from outings.contract.routes import JSON
from outings.contract.vocabulary import COLLECTIONS, TIME_BLOCKS, WEEKDAYS, Vocabulary
from outings.pages.assets import Page, find_templates, list_assets
from outings.pages.city import render_city
from outings.pages.highlighting import highlight_code
from outings.pages.layout import gather_words, list_sections, name_words, render_page
from outings.pages.listed import Listed
from outings.pages.lists import Lists
from outings.pages.missing_page import render_missing_page
from outings.pages.reference import render_reference
from outings.pages.settings import MetroFigures, lay_words
from outings.pages.web_files import make_manifest, make_robots
from outings.release.site import SiteSettings
from outings.release.snapshot import Snapshot

# The request that is shown: it works as it is wherever the program serves the sample cities.
SAMPLE_METRO = "seattle"
SAMPLE_QUERY = "events?free=true&recurring=false&limit=2&fields=name,starts_local,ages.text"
# Kinds of readers, by the beginning of their words, and the page that each begins with.
WAYS = {
    "readers": "explore/",
    "developers": "guides/first-steps/",
    "operators": "guides/builds/",
    "staff": "guides/feed/",
}

# Cities whose weekend the home page shows: each takes three requests.
MOST_WEEKENDS = 4


@cache
def _read_sample() -> str:
    """Return the answer to the home page's sample request, for the sample cities on a fixed day."""
    return (find_templates() / "sample_answer.json").read_text(encoding="utf-8").rstrip()


def render_home(
    settings: SiteSettings, metros: Sequence[MetroFigures], *, cities: Sequence[Lists] = ()
) -> Page:  # fmt: skip
    """Render the home page, which shows the metros where the settings say so. `cities`: on plain files, whose weekend
    it has."""
    if settings.is_static:
        from outings.pages.whats_on import WEEKEND_ROWS, list_weekends

        values = {
            "metros": metros, "weekends": list_weekends(cities), "most": WEEKEND_ROWS,
            "lists": name_words(settings, "lists"),
        }  # fmt: skip
        return render_page("", "static_home.html", settings=settings, page_words="home", values=values)
    metros = metros if settings.shows_data else ()
    # The first of which something comes back.
    slugs = [*(metro.slug for metro in metros if metro.total), *(metro.slug for metro in metros), SAMPLE_METRO]
    sections = {section.path for section in list_sections(settings)}
    request = f"/v1/{slugs[0]}/{SAMPLE_QUERY}"
    origin = name_words(settings, "home")["origin"]
    sample = _read_sample()
    code = f'curl -H "X-API-Key: {settings.key or "$KEY"}" \\\n  "{origin}{request}"'
    values = {
        "metros": metros,
        "kinds": tuple(COLLECTIONS.values()),
        "weekends": sorted(metros, key=lambda metro: metro.total, reverse=True)[:MOST_WEEKENDS] if settings.key else [],
        "script_words": gather_words(settings),
        "sample_day": json.loads(sample)["meta"]["window"]["from"],
        "request": request.removeprefix("/"),
        "code": highlight_code(code, "sh", origin=origin),
        "answer": highlight_code(sample, "json", origin=""),
        "ways": {way: path if f"{path.split('/')[0]}/" in sections else None for way, path in WAYS.items()},
    }
    return render_page("", "home.html", settings=settings, page_words="home", values=values)


PATH = "explore/"
VIEWS = ("list", "map", "calendar")
# What the choice of a price sends: nothing, `free=true`, or `max_price`.
PRICES = ("", "free", "20", "50", "100")


def render_explorer(settings: SiteSettings, metros: Sequence[MetroFigures]) -> Page:
    """Render the explorer, which has no listings. It names the metros if everybody may read them, so that it need not
    ask for them. On plain files it reads their indexes, not the API."""
    values = {
        "script_words": gather_words(settings),
        "metros": [*map(_describe_metro, metros)] if settings.key or settings.is_static else None,
        "types": tuple(COLLECTIONS.values()),
        "views": VIEWS,
        "prices": PRICES,
        "times": ("", *TIME_BLOCKS),
        "weekdays": WEEKDAYS,
        "columns": {collection: sorted(list_columns(name)) for name, collection in COLLECTIONS.items()},
    }
    return render_page(PATH, "explorer.html", settings=settings, page_words="explorer", values=values)


def _describe_metro(metro: MetroFigures) -> dict[str, Any]:
    described: dict[str, Any] = msgspec.to_builtins(metro)
    del described["changed_on"]  # of a build, while the page is of what the metro has
    return {**described, "is_american": metro.timezone in list_american()}


def render_words(settings: SiteSettings) -> Page:
    """Render the words by which the explorer understands what somebody types, in each language that the program has."""
    tables = {}
    for code in SHIPPED:
        language = read_shipped_language(code)
        line = lay_words(code, settings.words if code == settings.language else {})["explorer"].list_prefixed("line_")
        tables[code] = {"search": language.search, "texts": language.texts, "related": language.related, "line": line}
    groups = [translation.groups for translation in list_translations(ENGLISH)]
    words = {"parts": FILTER_PARTS, "languages": tables, "translations": [*chain(*groups)]}
    return Page(path=f"{PATH}words.json", media=JSON, data=msgspec.json.encode(words))


def render_site(
    settings: SiteSettings, metros: Sequence[MetroFigures], *, vocabulary: Vocabulary = Vocabulary()
) -> tuple[Page, ...]:
    """Every page that belongs to no metro, with the styles and scripts of all. A pure function. `metros` are those of
    the release, by slug; what they show is there only where the settings say so. `vocabulary` is the deployment's."""
    # What reads Markdown is not for those that render a metro's pages alone, as each process of a build does.
    from outings.pages.guides import render_guides

    return (
        *(page for own in settings.list_languages() for page in _render_translated(own, metros)),
        *((render_words(settings),) if settings.shows_data else ()),
        *render_reference(settings, vocabulary),
        *render_guides(settings),
        render_missing_page(settings),
        make_robots(settings),
        *list_assets(settings),
    )


def _render_translated(
    settings: SiteSettings, metros: Sequence[MetroFigures], cities: Sequence[Lists] = ()
) -> Iterator[Page]:
    """Yield the pages of no metro that each language has."""
    yield render_home(settings, metros, cities=cities)
    if settings.shows_data:
        yield render_explorer(settings, metros)
    yield make_manifest(settings)


def render_static_site(
    settings: SiteSettings, metros: Sequence[MetroFigures], listed: Sequence[Listed]
) -> tuple[Page, ...]:
    """Render the pages of no metro that a host of files can show, with the styles and scripts of all."""
    pages = (
        page
        for own in settings.list_languages()
        for page in _render_translated(own, metros, [Lists(city, own) for city in listed])
    )
    return (
        *pages, render_words(settings), render_missing_page(settings), make_robots(settings), *list_assets(settings),
    )  # fmt: skip


def render_metro(snapshot: Snapshot, *, today: date, settings: SiteSettings) -> tuple[Page, ...]:
    """Render the pages of one metro, from its snapshot alone, for the metro's local date. Called only if the site shows
    listings."""
    return tuple(render_city(snapshot, today=today, settings=own) for own in settings.list_languages())


def render_static_metro(listed: Listed, settings: SiteSettings) -> tuple[Page, ...]:
    """Render the pages of one metro on plain files that are made whenever anything of it changed."""
    from outings.pages.whats_on import render_whats_on

    cities = (render_whats_on(Lists(listed, own)) for own in settings.list_languages())
    return (*cities, *render_metro(listed.snapshot, today=listed.today, settings=settings))
