"""Texts of feeds as plain text: no control characters, no markup, white space that means something."""

import re
from html import unescape
from html.parser import HTMLParser

# C0 and C1 controls, the byte order mark, lone surrogates, and Unicode's own line and paragraph separators.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]")
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]+")
_CONTROLS_IN_LINE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\ufeff\ud800-\udfff]+")
_SPACES = re.compile(r"[^\S\n ][^\S\n]*| [^\S\n]+")
_BREAKS = re.compile(r" ?\n ?")
_MANY_BREAKS = re.compile(r"\n{3,}")
_TAG = re.compile(r"<(/?[a-zA-Z][^>]*|!--.*?--)>", re.DOTALL)
_ENTITY = re.compile(r"&(#\d+|#[xX][0-9a-fA-F]+|[a-zA-Z][a-zA-Z0-9]*);")

# What ends a line when a page is shown; other tags stand within a line.
_BLOCKS = frozenset(
    {
        "address", "article", "blockquote", "br", "dd", "div", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6",
        "hr", "li", "ol", "p", "pre", "section", "table", "td", "th", "tr", "ul",
    }
)  # fmt: skip
_UNSEEN = frozenset({"script", "style", "template"})


def tidy_line(text: str) -> str:
    """One line: runs of white space and control characters are one space; none at the ends."""
    if text.isprintable() and "  " not in text:  # most are: a tenth of the time of what follows
        return text.strip(" ")
    return " ".join(_CONTROLS.sub(" ", text).split())


def tidy_prose(text: str) -> str:
    """Lines and paragraphs stay, at most one empty line between them; else as `tidy_line`."""
    if text.isprintable() and "  " not in text:
        return text.strip(" ")
    if _CONTROL.search(text):
        text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n\n")
        text = _CONTROLS_IN_LINE.sub(" ", text)
        text = _MANY_BREAKS.sub("\n\n", _BREAKS.sub("\n", _SPACES.sub(" ", text)))
    else:
        text = _SPACES.sub(" ", text)
    return text.strip()


def strip_markup(text: str) -> str:
    """Without HTML's tags and with its entities as characters; a text with neither stays as it is (`a < b`)."""
    if "<" not in text or not _TAG.search(text):
        return _ENTITY.sub(lambda match: unescape(match[0]), text) if "&" in text else text
    reader = _Reader(convert_charrefs=True)
    reader.feed(text)
    reader.close()
    return "".join(reader.parts)


class _Reader(HTMLParser):
    """Gathers what a page would show as text."""

    def __init__(self, *, convert_charrefs: bool) -> None:
        super().__init__(convert_charrefs=convert_charrefs)
        self.parts: list[str] = []
        self.unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 HTMLParser's own
        self.unseen += tag in _UNSEEN
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self.unseen = max(0, self.unseen - (tag in _UNSEEN))
        if tag in _BLOCKS and tag != "br":
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.unseen:
            self.parts.append(data)
