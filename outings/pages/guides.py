"""Render the guides from Markdown."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup
from msgspec import Struct

from outings.pages.assets import Page, find_guides
from outings.pages.highlighting import highlight_code, mark_code
from outings.pages.layout import render_page
from outings.release.site import SiteSettings

# Languages of a block that shows what the block right above it answers.
ANSWERS = ("json", "text")

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")

# The address that a link becomes; None where the site has no such page.
Directing = Callable[[str], str | None]


class Document(Struct, frozen=True, kw_only=True):
    """A rendered document. `lead`: the opening paragraph; `body`: all after it; `outline`: the anchor and text of its
    main headings."""

    title: str
    lead: Markup
    body: Markup
    outline: tuple[tuple[str, str], ...]


def render_document(text: str, *, direct: Directing, origin: str = "") -> Document:
    """Render a document that opens with its title and one paragraph. `origin`: the address of this server in its
    examples."""
    tokens = _MARKDOWN.parse(text)
    outline = tuple(_anchor_headings(tokens))
    _label_cells(tokens)
    for token in tokens:
        if token.children:
            token.children = list(_direct_links(token.children, direct))
    return Document(
        title=tokens[1].content,
        lead=_render(tokens[3:6], origin),
        body=_render(tokens[6:], origin),
        outline=outline,
    )


def _render(tokens: Sequence[Token], origin: str) -> Markup:
    # HTML in the Markdown is off, and the rules below escape what they show.
    return Markup(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {"origin": origin}))  # noqa: S704


def _anchor_headings(tokens: Sequence[Token]) -> Iterator[tuple[str, str]]:
    """Give each heading below the title the anchor that code hosts give it, and yield the main ones."""
    for token, content in pairwise(tokens):
        if token.type == "heading_open" and token.tag != "h1":
            text = "".join(part.content for part in content.children or ())
            anchor = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            token.attrSet("id", anchor)
            if token.tag == "h2":
                yield anchor, text


def _label_cells(tokens: Sequence[Token]) -> None:
    """Label each cell with the heading of its column, for narrow screens where a row is shown as a block."""
    heads: list[str] = []
    column = 0
    for token, content in pairwise(tokens):
        if token.type == "thead_open":
            heads = []
        elif token.type == "th_open":
            heads.append("".join(part.content for part in content.children or ()))
        elif token.type == "tr_open":
            column = 0
        elif token.type == "td_open":
            token.attrSet("data-label", heads[column])
            column += 1


def _direct_links(tokens: Sequence[Token], direct: Directing) -> Iterator[Token]:
    """Yield the tokens with rewritten links. A link that leads to no page becomes its text."""
    is_dropped = False
    for token in tokens:
        if token.type == "link_open":
            address = direct(str(token.attrGet("href")))
            is_dropped = address is None
            token.attrSet("href", address or "")
        if not (is_dropped and token.type in ("link_open", "link_close")):
            yield token
        if token.type == "link_close":
            is_dropped = False


def _render_block(
    _: RendererHTML, tokens: Sequence[Token], index: int, __: object, environment: Mapping[str, str]
) -> str:
    token = tokens[index]
    language = token.info.partition(" ")[0]
    is_answer = language in ANSWERS and index > 0 and tokens[index - 1].type == "fence"
    return Markup('<pre class="{}" tabindex="0"><code>{}</code></pre>\n').format(
        "code answer" if is_answer else "code", highlight_code(token.content, language, origin=environment["origin"])
    )


def _render_words(
    _: RendererHTML, tokens: Sequence[Token], index: int, __: object, environment: Mapping[str, str]
) -> str:
    return Markup("<code>{}</code>").format(mark_code(tokens[index].content, origin=environment["origin"]))


# A wide table moves sideways within its own frame, not the page.
_MARKDOWN.add_render_rule("table_open", lambda *_: '<div class="wide" tabindex="0">\n<table>\n')
_MARKDOWN.add_render_rule("table_close", lambda *_: "</table>\n</div>\n")
_MARKDOWN.add_render_rule("fence", _render_block)
_MARKDOWN.add_render_rule("code_inline", _render_words)


# The guide that lists the others, and gives them their order.
INDEX = "README"
FOLDER = "guides/"
# How examples name the server that they ask; who follows a guide that has the command below asks a server of their own.
_SERVER = "http://127.0.0.1:8000"
_SERVES = "\noutings serve\n"


class Guide(Struct, frozen=True, kw_only=True):
    """A guide. `path`: that of its page. `is_keyed`: its examples send requests to this server, with a key."""

    path: str
    document: Document
    is_keyed: bool


def render_guides(settings: SiteSettings) -> tuple[Page, ...]:
    """Render the page that lists the guides, then each guide with links to the previous and next one."""
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
    """Return the guides in the order in which the index links to them, the index first. A guide without a link there
    raises ValueError: nobody would find it."""
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
    """Rewrite a link from one guide's file to another as a link between their pages, which are folders. Return None if
    it leads to no page."""
    path, hash_, anchor = href.partition("#")
    if "://" in href or not path:
        return href
    guide = re.fullmatch(r"([\w-]+)\.md", path)
    if guide is None:
        return None
    folder = "" if guide[1] == INDEX else f"{guide[1]}/"
    return f"{'./' if is_index else '../'}{folder}{hash_}{anchor}"
