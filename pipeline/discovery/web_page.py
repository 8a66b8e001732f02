"""Parse a web page: its links, its name, and its source with the marks of known systems."""

import re
from collections.abc import Iterator, Mapping
from html import unescape
from urllib.parse import urljoin, urlsplit

from lxml import etree
from msgspec import Struct

from pipeline.fetch.text_files import HEAD, decode_text, is_xml

# Of a page, in characters. Marks are looked for in so much of it.
_MOST_SOURCE = 1 << 21
_MOST_LINKS = 2_000


class Link(Struct, frozen=True, kw_only=True):
    """A link of a page. `relation`: its `rel`, "a" for one to click; `kind`: the media type that it states."""

    url: str
    text: str = ""
    relation: str = "a"
    kind: str = ""


class WebPage(Struct, frozen=True, kw_only=True):
    """A parsed page. `source`: its HTML without entities; `site`: the name of the site; `language`: as it states it."""

    url: str
    source: str
    title: str = ""
    site: str = ""
    language: str = ""
    links: tuple[Link, ...] = ()

    @property
    def has_linked_events(self) -> bool:
        """Return True if the page has events in JSON-LD or microdata."""
        if re.search(r"""itemtype=["']https?://schema\.org/\w*(Event|Festival)""", self.source):
            return True
        is_linked = "application/ld+json" in self.source
        return is_linked and re.search(r'"@type"\s*:\s*\[?\s*"[^"]*(Event|Festival)', self.source) is not None


class _PageCollector:
    """A target of lxml's parser that collects links and names."""

    def __init__(self, url: str) -> None:
        self.url, self.language, self.title, self.site = url, "", "", ""
        self.links: list[Link] = []
        self._text: list[str] | None = None
        self._open: tuple[str, str] | None = None

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "html":
            self.language = (attributes.get("lang") or "").partition("-")[0].lower()
        elif tag == "meta" and attributes.get("property") == "og:site_name":
            self.site = self.site or " ".join((attributes.get("content") or "").split())
        elif tag == "link":
            self._add(attributes.get("href"), relation=attributes.get("rel") or "", kind=attributes.get("type") or "")
        elif tag in ("iframe", "embed"):
            self._add(attributes.get("src"), relation=tag)
        elif tag in ("a", "title"):
            self._text, self._open = [], (tag, attributes.get("href") or "")

    def data(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def end(self, tag: str) -> None:
        if self._open is not None and tag == self._open[0]:
            text = " ".join("".join(self._text or ()).split())
            if tag == "title":
                self.title = self.title or text
            else:
                self._add(self._open[1], text=text)
            self._text = self._open = None

    def close(self) -> None:
        pass

    def _add(self, address: str | None, *, relation: str = "a", text: str = "", kind: str = "") -> None:
        try:
            url = urljoin(self.url, (address or "").strip())
            parts = urlsplit(url)
        except ValueError:
            return
        if address and parts.scheme in ("http", "https", "webcal", "webcals") and len(self.links) < _MOST_LINKS:
            secure = re.sub("^webcals?:", "https:", url)
            relation = "calendar" if secure != url else relation
            self.links.append(Link(url=secure.partition("#")[0], text=text[:200], relation=relation, kind=kind))


def is_page(content: bytes) -> bool:
    """Return True if a file begins as a web page does."""
    return content[:HEAD].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") and not is_xml(content)


def parse_page(content: bytes, url: str, *, charset: str | None = None) -> WebPage:
    """Parse a page. What can't be parsed has no links.

    >>> page = parse_page(b"<title>Zoo</title><a href='/events'>What's on</a>", "https://zoo.example/")
    >>> page.title, page.links[0].url
    ('Zoo', 'https://zoo.example/events')
    """
    source = decode_text(content, charset=charset).text[:_MOST_SOURCE]
    collector = _PageCollector(url)
    parser = etree.HTMLParser(target=collector, encoding="utf-8", huge_tree=True, no_network=True)
    try:
        etree.fromstring(source.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        collector.links.clear()
    return WebPage(
        url=url, source=unescape(source).replace("\\/", "/"), title=collector.title, language=collector.language,
        site=collector.site, links=tuple(collector.links),
    )  # fmt: skip


def list_sitemap(content: bytes) -> Iterator[str]:
    """Yield the addresses of a sitemap, or of the sitemaps in an index."""
    yield from (
        unescape(found) for found in re.findall(r"<loc>\s*([^<\s]+)\s*</loc>", content.decode("utf-8", "replace"))
    )
