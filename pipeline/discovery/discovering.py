"""Look at a website for its events: walk its pages, read each candidate, and choose the one that says most."""

import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

from outings.configuration.presets import recognize_preset
from pipeline.discovery.candidates import Candidate, list_candidates, rank_pages
from pipeline.discovery.reading import SHARES, Counts, Question, Reading, read_candidate
from pipeline.discovery.visitor import Answer, NotVisitedError, Visitor
from pipeline.discovery.web_page import Link, WebPage, is_page, list_sitemap, parse_page
from pipeline.drafts.metro import make_slug
from pipeline.fetch.urls import show_url

_MOST_PAGES = 8
_MOST_SITEMAPS = 2
_MOST_ABROAD = 3
# Requests that are left for reading what was found.
_KEPT, _KEPT_ABROAD = 12, 4
# Endings of files, which are no pages.
_FILES = re.compile(
    r"\.(csv|tsv|json|ndjson|jsonl|geojson|jsonld|ics|xml|rss|kml|xlsx?|ods|zip|gz|parquet|sqlite3?|db)$", re.IGNORECASE
)
_WIDTH = 78


class Discovery(Struct, frozen=True, kw_only=True):
    """The feeds found at a website. `pages`: the address and title of each that was looked at; `chosen`: the reading
    whose feed is taken, None if none is one."""

    url: str
    site: str
    language: str
    pages: tuple[tuple[str, str], ...]
    readings: tuple[Reading, ...]
    refused: dict[str, str]
    requests: int

    @property
    def chosen(self) -> Reading | None:
        fit = [reading for reading in self.readings if not reading.refusal]
        return max(fit, key=lambda reading: reading.counts.score, default=None)


def may_be_page(url: str) -> bool:
    """Return True for an address of a server that no preset recognizes, and that is no file's."""
    if re.match(r"https?:", url) is None or recognize_preset(url):
        return False
    return _FILES.search(urlsplit(url).path) is None


def name_site(url: str) -> str:
    """Return a feed's name for a site, from its host.

    >>> name_site("https://www.parks.city.example/events")
    'parks-city'
    """
    labels = (urlsplit(url).hostname or "site").removeprefix("www.").split(".")
    return make_slug("-".join(labels[:-1] if len(labels) > 1 else labels))[:50] or "site"


def open_start(url: str, visitor: Visitor) -> WebPage | None:
    """Fetch the address that a person named. Return None if it is no page. Raises NotVisitedError."""
    answer = visitor.get(url)
    return _parse(answer) if is_page(answer.content) else None


def discover(start: WebPage, name: str, visitor: Visitor, question: Question, tell: Callable[[str], None]) -> Discovery:
    """Look at a site from its first page on; where it has no feed, at pages of other servers to which it leads, as that
    of the library's calendar."""
    pages, links = [start], [*start.links, *_list_mapped(start, visitor)]
    found: dict[tuple[str, str], Reading] = {}
    for abroad in (False, True):
        pages += _walk(pages, links, visitor, abroad=abroad)
        candidates: dict[tuple[str, str], Candidate] = {}
        for candidate in (own for page in pages for own in list_candidates(page)):
            candidates.setdefault((candidate.preset, candidate.follow or candidate.url), candidate)
        # Known systems first: of what others link to, the budget may leave some unread.
        unread = ((key, own) for key, own in candidates.items() if key not in found)
        ordered = sorted(unread, key=lambda own: not own[1].preset)
        made = f"{_count(len(pages), 'page')} looked at, {_count(len(ordered), 'candidate')} to read"
        tell(f"{show_url(start.url)}: {made}")
        found |= {key: read_candidate(candidate, name, visitor, question) for key, candidate in ordered}
        if any(not reading.refusal for reading in found.values()):
            break
    return Discovery(
        url=start.url, site=_name_organization(pages), language=start.language, readings=tuple(found.values()),
        pages=tuple((page.url, page.title) for page in pages), refused=dict(visitor.refused), requests=visitor.requests,
    )  # fmt: skip


def _walk(pages: Sequence[WebPage], links: list[Link], visitor: Visitor, *, abroad: bool) -> list[WebPage]:
    """Return further pages that may list events, the surest first, and add their links to `links`. `abroad`: those of
    other servers."""
    walked, visited = list[WebPage](), {page.url.rstrip("/") for page in pages}
    most, kept = (_MOST_ABROAD, _KEPT_ABROAD) if abroad else (_MOST_PAGES - 1, _KEPT)
    for _ in range(most):
        url = next(
            (url for url in rank_pages(links, pages[0].url, abroad=abroad) if url.rstrip("/") not in visited), None
        )
        if url is None or visitor.left <= kept:
            break
        visited.add(url.rstrip("/"))
        try:
            answer = visitor.get(url)
        except NotVisitedError:
            continue
        if is_page(answer.content) and answer.url.rstrip("/") not in visited - {url.rstrip("/")}:
            visited.add(answer.url.rstrip("/"))
            walked.append(_parse(answer))
            links += walked[-1].links
    return walked


def _list_mapped(start: WebPage, visitor: Visitor) -> Iterator[Link]:
    """Yield the addresses of the site's sitemaps as links."""
    ahead = visitor.list_sitemaps(start.url)[:_MOST_SITEMAPS]
    for count in range(_MOST_SITEMAPS):
        if count >= len(ahead):
            return
        try:
            content = visitor.get(ahead[count]).content
        except NotVisitedError:
            continue
        listed = list(list_sitemap(content))
        if b"<sitemapindex" in content[:4096]:
            ahead += sorted(listed, key=lambda url: "event" not in url)
        else:
            yield from (Link(url=url) for url in listed)


def _parse(answer: Answer) -> WebPage:
    return parse_page(answer.content, answer.url, charset=answer.charset)


def _name_organization(pages: list[WebPage]) -> str:
    """Return the name of the site: as it states it, else the part that the titles of its pages share."""
    stated = next((page.site for page in pages if page.site), "")
    parts = [[part.strip() for part in re.split(r"\s[|–—·-]\s", page.title) if part.strip()] for page in pages]
    shared = [part for part in parts[0] if len(pages) > 1 and all(part in others for others in parts)]
    return stated or (shared or parts[0] or [""])[-1]


def format_discovery(discovery: Discovery) -> str:
    """Return what was found as text of at most 80 columns, but for addresses."""
    made = (_count(discovery.requests, "request"), _count(len(discovery.pages), "page"))
    lines = [f"{discovery.url}: {', '.join(made)}, {_count(len(discovery.readings), 'candidate')}"]
    chosen = discovery.chosen
    if chosen is None:
        lines += ["  no list of events was found. Looked at:"]
        lines += [f"    {url}" + (f" (its title: “{title[:80]}”)" if title else "") for url, title in discovery.pages]
        what = "calendars (iCalendar, webcal), RSS, tables, schema.org in pages, and the systems of outings presets"
        lines += [f"  {line}" for line in _wrap(f"looked for {what}")]
    else:
        lines += [f"  taken: {chosen.candidate.system}", f"    {chosen.candidate.url}"]
        lines += [f"    {line}" for line in _wrap(f"{describe_counts(chosen.counts)}. {explain_choice(discovery)}")]
    for reading in discovery.readings:
        if reading is not chosen:
            said = reading.refusal or describe_counts(reading.counts)
            lines += [f"  not taken: {reading.candidate.system}", f"    {reading.candidate.url}"]
            lines += [f"    {line}" for line in _wrap(said)]
    candidates = {show_url(reading.candidate.url) for reading in discovery.readings}
    told = {url: why for url, why in discovery.refused.items() if url not in candidates and "sitemap" not in url}
    return "\n".join([*lines, *(f"  {url} {why}" for url, why in told.items())])


def describe_counts(counts: Counts) -> str:
    many = f"{counts.events:,} of about {counts.total:,}" if counts.total > counts.events else f"{counts.events:,}"
    days = f"{counts.first} to {counts.last}" if counts.first != counts.last else f"{counts.first}"
    shares = ", ".join(f"{name} {counts.shares.get(name, 0):.0%}" for name in SHARES)
    return f"{many} events, {days}, {counts.upcoming:,} to come: {shares}"


def explain_choice(discovery: Discovery) -> str:
    """Return why the chosen candidate is taken."""
    chosen = discovery.chosen
    others = [reading for reading in discovery.readings if not reading.refusal and reading is not chosen]
    if chosen is None or not others:
        return "It is the only list of events that was found"
    second = max(others, key=lambda reading: reading.counts.score)
    if chosen.counts.score == second.counts.score:
        return "Others say the same; it was found first"
    if chosen.counts.upcoming > second.counts.upcoming:
        return "It has most events that are still to come"
    more = [name for name in SHARES if chosen.counts.shares[name] > second.counts.shares[name]]
    return f"Its events say most: {', '.join(more) or 'of all that its server has'}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _wrap(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH - 4, break_long_words=False, break_on_hyphens=False)


def describe_discovery(discovery: Discovery) -> dict[str, Any]:
    """Return what was found as an object for `--json`."""
    return {
        "url": discovery.url, "site": discovery.site, "requests": discovery.requests,
        "pages": [url for url, _ in discovery.pages],
        "why": explain_choice(discovery) if discovery.chosen else None, "not_fetched": discovery.refused,
        "candidates": [
            _describe_reading(reading, is_taken=reading is discovery.chosen) for reading in discovery.readings
        ],
    }  # fmt: skip


def _describe_reading(reading: Reading, *, is_taken: bool) -> dict[str, Any]:
    counts = reading.counts
    return {
        "system": reading.candidate.system, "preset": reading.candidate.preset, "url": reading.candidate.url,
        "page": reading.candidate.page, "taken": is_taken, "refusal": reading.refusal, "events": counts.events,
        "total": counts.total, "upcoming": counts.upcoming, "places": counts.places, "first": counts.first,
        "last": counts.last, **{name: round(counts.shares.get(name, 0.0), 3) for name in SHARES},
    }  # fmt: skip
