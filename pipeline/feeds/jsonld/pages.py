"""A page → the texts of its script elements with JSON-LD, and its own address.

No tree is made of it. A tree ends where it is 2,048 elements deep, without a word. It has nothing that stands behind
`</html>`, and it takes the square of the time for a tag with many attributes.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from lxml import etree

# Of texts that are not found again in the page, as lxml had to mend them: each costs a search to its end.
_MOST_MISSES = 20
_KIND = "application/ld+json"


class Page(NamedTuple):
    """`scripts`: each with the line where its text begins, from 1. `address`: by its `<link rel="canonical">`."""

    scripts: list[tuple[int, str]]
    address: str | None


class _Reader:
    """What lxml calls of a parser's target."""

    def __init__(self) -> None:
        self.scripts: list[str] = []
        self.address: str | None = None
        self._parts: list[str] | None = None

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "script" and (attributes.get("type") or "").partition(";")[0].strip().lower() == _KIND:
            self._parts = []
        elif tag == "link" and self.address is None and "canonical" in (attributes.get("rel") or "").lower().split():
            address = (attributes.get("href") or "").strip()
            self.address = address if address.startswith("http") else None

    def data(self, text: str) -> None:
        if self._parts is not None:
            self._parts.append(text)

    def end(self, tag: str) -> None:
        if tag == "script" and self._parts is not None:
            self.scripts.append("".join(self._parts))
            self._parts = None

    def close(self) -> "_Reader":
        self.end("script")  # one that breaks off with the page
        return self


def parse_page(text: str) -> Page:
    """ValueError where the page can't be read to its end."""
    text = text.replace("\r\n", "\n")
    reader = _Reader()
    parser = etree.HTMLParser(target=reader, encoding="utf-8", huge_tree=True, no_network=True)
    try:
        etree.fromstring(text.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError as error:
        raise ValueError(f"can't be read to its end: {error}") from None
    fatal = next((each for each in parser.error_log if each.level_name == "FATAL"), None)
    if fatal is not None:
        raise ValueError(f"can't be read to its end: {fatal.message} (line {fatal.line})")
    return Page([*_number_lines(reader.scripts, text)], reader.address)


def _number_lines(scripts: list[str], text: str) -> Iterator[tuple[int, str]]:
    """lxml does not say where it is. What a script holds stands in the page as it is, behind the `>` of its tag."""
    at, line, misses = 0, 1, 0
    for script in scripts:
        place = text.find(f">{script}", at) if misses < _MOST_MISSES else -1
        if place >= 0:
            line += text.count("\n", at, place)
            at = place + 1
        else:
            misses += 1
        yield line, script
