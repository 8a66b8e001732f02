"""What all pages have: the words of their language, the way to each other, their styles and scripts."""

from collections.abc import Mapping
from functools import cache, partial
from typing import Any

from jinja2 import Environment
from msgspec import Struct

from outings.pages.assets import find_asset, read_assets
from outings.pages.colors import make_colors
from outings.pages.environment import open_environment
from outings.pages.page import Page
from outings.pages.words import Words, format_date, format_number, lay_words
from outings.release.site import SiteSettings

# What a page may fetch and run: what the site itself has. Who serves it says the same in a header, with
# `frame-ancestors`, which a page cannot say of itself.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'none'"
)


class Section(Struct, frozen=True):
    """An entry of the navigation. `word` names its text among the words `frame`; `needs_data`: it is there only where
    the site shows listings."""

    path: str
    word: str
    needs_data: bool = False


# In the order of the navigation. A page adds its line when it exists.
SECTIONS: tuple[Section, ...] = (
    Section("reference/", "reference"),
    Section("guides/", "guides"),
    Section("explore/", "explore", needs_data=True),
)


def render_page(
    path: str, template: str, *, settings: SiteSettings, page_words: str, values: Mapping[str, Any] = {}
) -> Page:
    """A page from its template. Beside `values` a template has `words`, those of the table `page_words`; `frame`, the
    words of all pages; `link`, which gives the address of a path of the site as this page has to write it; `asset`,
    which does so for a style or a script; and `settings`."""
    words = lay_words(settings.language, settings.words)
    link = partial(_link, path)
    shown = _open().get_template(template).render(
        **values,
        path=path,
        words=words[page_words],
        frame=words["frame"],
        settings=settings,
        policy=CONTENT_SECURITY_POLICY,
        sections=list_sections(settings),
        link=link,
        asset=lambda name: link(find_asset(name).path),
        colors=link(make_colors(settings.accent).path) if settings.accent else None,
        number=partial(format_number, words=words["frame"]),
        date=partial(format_date, words=words["frame"]),
    )  # fmt: skip
    return Page(path=path, data=shown.encode())


def list_sections(settings: SiteSettings) -> list[Section]:
    """Those that a site with these settings has."""
    return [each for each in SECTIONS if settings.shows_data or not each.needs_data]


def _link(path: str, target: str) -> str:
    """The address of one path of the site, relative to another: a static host may serve it below a folder."""
    return "../" * path.count("/") + target or "./"


def name_words(settings: SiteSettings, page_words: str) -> Words:
    """The words of one page."""
    return lay_words(settings.language, settings.words)[page_words]


def list_assets(settings: SiteSettings) -> list[Page]:
    """Every style and script that pages name."""
    return [*read_assets().values(), *([make_colors(settings.accent)] if settings.accent else [])]


@cache
def _open() -> Environment:
    return open_environment(is_html=True)
