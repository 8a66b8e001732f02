"""The Jinja2 environment of our templates: an unknown name is an error, and HTML is escaped."""

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from msgspec import Struct

from outings.configuration.zones import list_american
from outings.contract.vocabulary import COLLECTIONS
from outings.pages.addresses import make_absolute, make_webcal
from outings.pages.assets import Page, find_asset, find_templates, make_colors
from outings.pages.missing_page import CONTENT_SECURITY_POLICY
from outings.pages.settings import Words, format_date, format_number, lay_words, read_language
from outings.release.site import SiteSettings


def open_environment(*, is_html: bool) -> Environment:
    """Make an environment. If `is_html` is false, each value in a template must be escaped by a filter for the
    template's own format."""
    return Environment(
        loader=FileSystemLoader(find_templates()), autoescape=is_html, undefined=StrictUndefined,  # noqa: S701
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip


class Section(Struct, frozen=True):
    """An entry of the navigation. `word` names its text among the words `frame`; `needs_data`: it is shown only if the
    site shows listings; `needs_server`: not on plain files, and only in the first language; `needs_files`: only on
    plain files."""

    path: str
    word: str
    needs_data: bool = False
    needs_server: bool = True
    needs_files: bool = False


# In the order of the navigation. A page adds its line when it exists.
SECTIONS: tuple[Section, ...] = (
    Section("explore/", "explore", needs_data=True, needs_server=False),
    Section("developers/", "developers", needs_server=False, needs_files=True),
    Section("guides/", "guides"),
    Section("reference/", "reference"),
)

# Pages that are there in each language, by the table of their words. The others are in the first alone.
_TRANSLATED = frozenset({"home", "explorer", "city", "lists", "listing", "developers"})


def render_page(
    path: str,
    template: str,
    *,
    settings: SiteSettings,
    page_words: str,
    values: Mapping[str, Any] = {},
    link: Callable[[str], str] | None = None,
    locate_asset: Callable[[str], str] = lambda name: find_asset(name).path,
) -> Page:
    """Render a page from its template. Beside `values` a template has `words`, the table `page_words`; `frame`, the
    words of all pages; `link`, which returns the address of a page in its language, relative to this page; `shared`,
    which does so for what all languages have; `subscribe`, for a calendar, to which programs subscribe if the site's
    address is known; `asset`, for a style or a script; and `settings`. `locate_asset` returns the path of a style or
    script. Pass `link` if the page is shown at other addresses than its path."""
    words = lay_words(settings.language, settings.words)
    is_placed = link is None
    root = "../" * path.count("/")
    shared = link or partial(_link, root + "../" * settings.folder.count("/"))
    link = link or partial(_link, root)
    shown = _open().get_template(template).render(
        **values,
        path=path,
        # A page that is shown at other addresses has none of its own.
        canonical=make_absolute(path, settings) if is_placed else None,
        words=words[page_words],
        frame=words["frame"],
        settings=settings,
        policy=CONTENT_SECURITY_POLICY,
        sections=list_sections(settings),
        link=link,
        shared=shared,
        subscribe=lambda path: make_webcal(path, settings) or shared(path),
        translations=_list_translations(path, settings) if page_words in _TRANSLATED else (),
        asset=lambda name: shared(locate_asset(name)),
        colors=shared(make_colors(settings.accent).path) if settings.accent else None,
        is_american=lambda timezone: timezone in list_american(),
        number=partial(format_number, words=words["frame"]),
        date=partial(format_date, words=words["frame"]),
    )  # fmt: skip
    return Page(path=settings.folder + path, data=shown.encode())


def _list_translations(path: str, settings: SiteSettings) -> list[tuple[str, str, str]]:
    """Return the code, the name and the path of a page in each language, if there are several."""
    codes = settings.languages if len(settings.languages) > 1 else ()
    return [
        (code, read_language(code)["frame"]["name"], f"{code}/{path}" if number else path)
        for number, code in enumerate(codes)
    ]


def list_sections(settings: SiteSettings) -> list[Section]:
    """Return those that a site with these settings has: most explain a server, or ask one."""
    return [
        section
        for section in SECTIONS
        if (settings.shows_data or not section.needs_data)
        and not (section.needs_server if settings.is_static else section.needs_files)
    ]


def _link(root: str, target: str) -> str:
    """Return the address of a path relative to a page, because a static host may serve the site below a folder."""
    return root + target or "./"


def name_words(settings: SiteSettings, page_words: str, timezone: str = "") -> Words:
    """Return the words of one page. `timezone`: of its metro, whose country decides how clocks are written."""
    own = settings.words
    if timezone in list_american():
        own = {**own, page_words: {"clock_hours": "12", **own.get(page_words, {})}}
    return lay_words(settings.language, own)[page_words]


def gather_words(settings: SiteSettings) -> dict[str, str]:
    """Return the texts that the script shows: its own, and the names of members for the history of a listing."""
    members = name_words(settings, "members").list_prefixed("")
    own = name_words(settings, "explorer").list_prefixed("script_")
    windows = {f"window_{name}": name_words(settings, "frame")[f"window_{name}"] for name in COLLECTIONS.values()}
    return {**{f"word_{name}": text for name, text in members.items()}, **windows, **own}


@cache
def _open() -> Environment:
    return open_environment(is_html=True)
