"""Texts of feeds as plain text: no control characters, no markup, white space that means something."""

import re
from collections.abc import Iterator
from html import unescape

# C0 and C1 controls, the byte order mark, lone surrogates, and Unicode's own line and paragraph separators.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]")
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]+")
_CONTROLS_IN_LINE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\ufeff\ud800-\udfff]+")
_SPACES = re.compile(r"[^\S\n ][^\S\n]*| [^\S\n]+")
_BREAKS = re.compile(r" ?\n ?")
_MANY_BREAKS = re.compile(r"\n{3,}")
# None of these goes back over what it has passed, so a hostile text costs no more than its length.
_TAG = re.compile(r"</?[a-zA-Z]")
_MARKUP = re.compile(r"<(?:!--|!\[|[!?]|(/?)([a-zA-Z][^\s/>]*+)|/)")
# The rest of a start tag: only behind `=` do quotes hide its end.
_REST = re.compile(r"""(?:[^>=]++|=\s*+(?:"[^"]*+"|'[^']*+')?+)*+>""")
_ENDS = {"<!--": "-->", "<![": "]>"}
_ENTITY = re.compile(r"&(#\d+|#[xX][0-9a-fA-F]+|[a-zA-Z][a-zA-Z0-9]*);")

# What ends a line when a page is shown; other tags stand within a line.
_BLOCKS = frozenset(
    {
        "address", "article", "blockquote", "br", "dd", "div", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6",
        "hr", "li", "ol", "p", "pre", "section", "table", "td", "th", "tr", "ul",
    }
)  # fmt: skip
_UNSEEN = frozenset({"script", "style", "template"})
# Nothing within these is markup.
_RAW = frozenset({"script", "style"})


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
    if not (_TAG.search(text, 0, max(0, text.rfind(">"))) or "<!--" in text[: max(0, text.rfind("-->"))]):
        return _ENTITY.sub(lambda match: unescape(match[0]), text) if "&" in text else text
    return "".join(_list_shown(text))


def _list_shown(text: str) -> Iterator[str]:
    """Yield what a page would show of `text`, with a line end for each tag that ends a line."""
    at = unseen = 0
    lasts = {begin: text.rfind(end) for begin, end in _ENDS.items()}
    last = text.rfind(">")
    searched = 0
    while (match := _MARKUP.search(text, searched)) is not None and match.end() <= last:
        begin, name = match[0], (match[2] or "").lower()
        if match.end() > lasts.get(begin, last):
            searched = match.end()
            continue
        if not unseen:
            yield unescape(text[at : match.start()])
        if name and not match[1]:
            rest = _REST.match(text, match.end())
            assert rest is not None, "the last > is not behind the tag"
            at, closes = rest.end(), rest[0].endswith("/>")
            unseen += name in _UNSEEN and not closes
            if name in _BLOCKS:
                yield "\n" * (1 + (closes and name != "br"))
            if name in _RAW and not closes:
                end = re.compile(rf"</{name}\s*+>", re.IGNORECASE).search(text, at)
                at = len(text) if end is None else end.start()
        else:
            end_mark = _ENDS.get(begin, ">")
            at = text.index(end_mark, match.end()) + len(end_mark)
            unseen = max(0, unseen - (name in _UNSEEN))
            if name in _BLOCKS and name != "br":
                yield "\n"
        searched = at
    if not unseen:
        yield unescape(text[at:])
