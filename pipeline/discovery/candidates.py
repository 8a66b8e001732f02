"""List what may be a feed of events in a page, and the links that lead to more."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from outings.configuration.presets import find_marks, read_presets, recognize_preset
from pipeline.discovery.web_page import Link, WebPage
from pipeline.words import fold, merge_words

# Files that hold tables, by their ending.
TABLES = (".csv", ".tsv", ".xlsx", ".ods", ".geojson", ".json", ".ndjson", ".parquet")
_CALENDAR = re.compile(r"\.ics(\?|$)|[?&](ical|outlook-ical)=|[?&]format=ical\b|/ical/?$|ical_subscribe", re.IGNORECASE)
_FEEDS = {"text/calendar": "iCalendar", "application/rss+xml": "RSS", "application/json": "JSON"}
# Links to one event, a file, an account: no lists of events.
_NO_LIST = re.compile(
    r"/\d{4}/\d|\d{4}-\d\d-\d\d|/feed/?$|/tag/|/author/|/wp-json|[?&](share|replytocom|month|date|p)=|login|signin|\.\w{2,4}$"
)
_MOST_CALENDARS = 4
# Linked pages that make a list of events.
_LEAST_PAGES = 3


class Candidate(Struct, frozen=True, kw_only=True):
    """An address that may be a feed. `system`: what it seems to be; `preset`: if it is a known system; `page`: where it
    was found; `follow`: a pattern of the pages that it links to, if these have the events."""

    url: str
    system: str
    preset: str = ""
    page: str = ""
    follow: str = ""


def list_candidates(page: WebPage) -> Iterator[Candidate]:
    """Yield the candidates of a page: those of known systems first."""
    links = "\n".join(link.url for link in page.links)
    for name, url in find_marks(page.url, f"{page.source}\n{links}"):
        yield Candidate(url=url, system=read_presets()[name].title, preset=name, page=page.url)
    if page.has_linked_events:
        yield Candidate(url=page.url, system="schema.org events in the page", page=page.url)
    if follow := find_event_pages(page):
        yield Candidate(url=page.url, system="schema.org events in linked pages", page=page.url, follow=follow)
    calendars = 0
    for link in page.links:
        system = _name_system(link)
        calendars += system == "iCalendar"
        if system and (system != "iCalendar" or calendars <= _MOST_CALENDARS):
            preset = recognize_preset(link.url) or ""
            yield Candidate(url=link.url, system=system, preset=preset, page=page.url)


def _name_system(link: Link) -> str:
    """Return what a link leads to, "" if it is no feed."""
    if link.relation == "calendar" or _CALENDAR.search(link.url):
        return "iCalendar"
    if "alternate" in link.relation.split():
        kind = _FEEDS.get(link.kind.partition(";")[0].strip().lower(), "")
        return "" if kind == "JSON" and "/wp-json" in link.url else kind
    ending = re.search(r"\.\w+$", urlsplit(link.url).path.lower())
    if link.relation == "a" and ending and ending[0] in TABLES and rate_link(link):
        return f"a table ({ending[0]})"
    return ""


def find_event_pages(page: WebPage) -> str:
    """Return a pattern of the pages, one for each event, that a page links to; "" if they are few. These lie together
    in a folder whose name says events."""
    own, folders = urlsplit(page.url), Counter[str]()
    for path in {urlsplit(link.url).path for link in page.links if urlsplit(link.url).netloc == own.netloc}:
        folder, _, name = path.rstrip("/").rpartition("/")
        steps = [_split(step) for step in folder.split("/") if step]
        if name and steps and any(step in _list_words() or re.search(r"\bevents?\b", step) for step in steps):
            folders[folder] += 1
    folder, count = max(folders.items(), key=lambda item: item[1], default=("", 0))
    return f"^{re.escape(folder)}/[^/]+/?$" if count >= _LEAST_PAGES else ""


def rate_link(link: Link) -> int:
    """Return how surely a link leads to events: 3 if its text says so as a whole, 2 if its path does, 1 if its text has
    such a word, else 0."""
    text = _split(link.text)
    path = [_split(step) for step in unquote(urlsplit(link.url).path).split("/") if step]
    words = _list_words()
    if text in words:
        return 3
    if any(step.removesuffix(" html").removesuffix(" php") in words for step in path):
        return 2
    return int(any(f" {word} " in f" {text} " for word in words))


@cache
def _list_words() -> frozenset[str]:
    return frozenset(merge_words("websites")["pages"])


def _split(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", fold(text)))


def rank_pages(links: Iterable[Link], site: str, *, abroad: bool) -> list[str]:
    """Return the addresses of links within a site that lead to lists of events, the surest and shortest first.
    `abroad`: of those to other servers that surely do."""
    own = urlsplit(site).hostname or ""
    rated: dict[str, tuple[int, int]] = {}
    for link in links:
        parts = urlsplit(link.url)
        host = parts.hostname or ""
        is_near = host == own or host.endswith("." + own.removeprefix("www."))
        if link.relation == "a" and not _NO_LIST.search(f"{parts.path}?{parts.query}"):
            rate = rate_link(link)
            rating = (-rate, len(parts.path.strip("/").split("/")))
            if is_near != abroad and rate >= (2 if abroad else 1):
                rated[link.url] = min(rating, rated.get(link.url, rating))
    return sorted(rated, key=lambda url: rated[url])
