"""The guides: Markdown of `docs/guides/`, which reads well on a code host, as pages."""

import re
from collections.abc import Mapping
from functools import cache, partial

from msgspec import Struct

from outings.pages.folders import find_guides
from outings.pages.highlighting import highlight_code
from outings.pages.layout import render_page
from outings.pages.markdown import Document, render_document
from outings.pages.page import Page
from outings.release.site import SiteSettings

# The guide that lists the others, and gives them their order.
INDEX = "README"
FOLDER = "guides/"
# How examples name the server that they ask; who follows a guide that has the command below asks a server of their own.
_SERVER = "http://127.0.0.1:8000"
_SERVES = "\noutings serve\n"


class Guide(Struct, frozen=True, kw_only=True):
    """`path` is that of its page. `is_keyed`: its examples ask this server, with a key."""

    path: str
    document: Document
    is_keyed: bool


def render_guides(settings: SiteSettings) -> tuple[Page, ...]:
    """The page that lists the guides, then theirs, each with the way to the one before and after it."""
    guides = _read_guides()
    return tuple(
        render_page(
            guide.path,
            "guide.html",
            settings=settings,
            page_words="guides",
            values={
                "guide": guide.document,
                "export": highlight_code(f"export KEY={settings.key}", "sh", origin=""),
                "has_key": guide.is_keyed and bool(settings.key),
                "is_index": place == 0,
                "index": FOLDER,
                "previous": guides[place - 1] if place > 1 else None,
                "following": guides[place + 1] if 0 < place < len(guides) - 1 else None,
            },
        )
        for place, guide in enumerate(guides)
    )


@cache
def _read_guides() -> tuple[Guide, ...]:
    return parse_guides({path.stem: path.read_text(encoding="utf-8") for path in find_guides().glob("*.md")})


def parse_guides(texts: Mapping[str, str]) -> tuple[Guide, ...]:
    """In the order in which the index names them, which comes first itself. A guide that it does not name is an error:
    nobody would find it."""
    order = list(dict.fromkeys(re.findall(r"\]\(([\w-]+)\.md\)", texts[INDEX])))
    if {*order} != texts.keys() - {INDEX}:
        raise ValueError(f"{INDEX}.md names {sorted(order)}, and there are {sorted(texts.keys() - {INDEX})}")
    return tuple(
        Guide(
            path=FOLDER if name == INDEX else f"{FOLDER}{name}/",
            document=render_document(
                texts[name], direct=partial(_direct_link, is_index=name == INDEX), origin=_find_origin(texts[name])
            ),
            is_keyed="$KEY" in texts[name] and bool(_find_origin(texts[name])),
        )
        for name in (INDEX, *order)
    )


def _find_origin(text: str) -> str:
    return "" if _SERVES in text else _SERVER


def _direct_link(href: str, *, is_index: bool) -> str | None:
    """A page is a folder, so what lies beside a guide's file lies beside its page's folder."""
    path, hash_, anchor = href.partition("#")
    if "://" in href or not path:
        return href
    guide = re.fullmatch(r"([\w-]+)\.md", path)
    if guide is None:
        return None
    folder = "" if guide[1] == INDEX else f"{guide[1]}/"
    return f"{'./' if is_index else '../'}{folder}{hash_}{anchor}"
