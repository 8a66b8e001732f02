"""An organization's website: the one in its record, else the one that the listings of one feed agree on: of its
record's feed, else of the first feed with such listings."""

from collections import defaultdict
from collections.abc import Mapping, Set
from functools import cached_property
from urllib.parse import SplitResult, urlsplit

import msgspec
from msgspec import Struct

from outings.release.tables import PUBLISHED
from pipeline.resolve.listings.rows import Row

# Scheme and host.
Origin = tuple[str, str]


class _Registration(Struct, frozen=True):
    url: str | None = None


class _Part(Struct, frozen=True):
    registration: _Registration = _Registration()


class DocumentLinks(_Part, frozen=True):
    """The links in a document of any type; only places state `website_url`."""

    website_url: str | None = None
    registration_url: str | None = None
    ticket_url: str | None = None
    sections: tuple[_Part, ...] = ()
    sessions: tuple[_Part, ...] = ()

    def list_urls(self) -> list[str]:
        parts = (self, *self.sections, *self.sessions)
        urls = (self.website_url, self.registration_url, self.ticket_url, *(part.registration.url for part in parts))
        return [url for url in urls if url]


read_links = msgspec.json.Decoder(DocumentLinks).decode
_read_encoded = msgspec.json.Decoder(tuple[str | None, list[Origin | None]]).decode


def encode_links(row: Row) -> str | None:
    """Encode a listing's website and the origins of its links as JSON, the same for all listings with the same origins.
    Return None if it is not published or has no organization."""
    if row.columns.get("organization_id") is None or row.columns["status"] != PUBLISHED:
        return None
    # A row that was carried over has its document alone.
    if row.document is not None:
        links = read_links(row.document)
    else:
        links = msgspec.convert(row.members, DocumentLinks, from_attributes=True)
    origins = sorted({_find_origin(url) for url in links.list_urls()}, key=lambda origin: origin or ())
    return msgspec.json.encode((links.website_url, origins)).decode()


class FeedLinks:
    """The links that one feed gives of organizations, by id: the websites in its records of them (`stated`), those that
    their published places state (`pages`), and the origins of all links of their published listings."""

    def __init__(self) -> None:
        self.stated: dict[str, str] = {}
        self.pages: dict[str, set[str]] = defaultdict(set)
        self.origins: dict[str, set[Origin | None]] = defaultdict(set)

    def add(self, organization_id: str, encoded: str) -> None:
        """Add the links of one listing (`encode_links`)."""
        page, origins = _read_encoded(encoded)
        if page:
            self.pages[organization_id].add(page)
        self.origins[organization_id].update(origins)

    def choose_website(self, organization_id: str) -> str | None:
        """Return the stated website; else the one that the organization's places state, or the origin that they share;
        else the origin that its listings' links share, if no other organization of the feed has it; else None."""
        pages = self.pages.get(organization_id, set())
        page = next(iter(pages)) if len(pages) == 1 else _share_origin({_find_origin(page) for page in pages})
        shared = _share_origin(self.origins.get(organization_id, set()))
        is_own = shared is not None and self._owners[_find_host(shared)] <= {organization_id}
        return self.stated.get(organization_id) or page or (shared if is_own else None)

    @cached_property
    def _owners(self) -> Mapping[str | None, Set[str]]:
        """Return by host the organizations whose website or any link has that host."""
        owners: dict[str | None, set[str]] = defaultdict(set)
        for row_id, url in self.stated.items():
            owners[_find_host(url)].add(row_id)
        for row_id, origins in self.origins.items():
            for origin in origins:
                owners[None if origin is None else origin[1]].add(row_id)
        return owners


def choose_websites(organizations: Mapping[str, str], links: Mapping[str, FeedLinks]) -> dict[str, str | None]:
    """Return the website of each organization by id. `organizations`: the feed of each one's record, by id; `links`: of
    each feed, in the configuration's order."""
    websites = {
        row_id: links[feed].choose_website(row_id) if feed in links else None for row_id, feed in organizations.items()
    }
    for of_feed in links.values():
        for row_id in of_feed.origins:
            if row_id in websites and websites[row_id] is None:
                websites[row_id] = of_feed.choose_website(row_id)
    return websites


def find_domain(url: str | None) -> str | None:
    parts = _split_url(url) if url else None
    return None if parts is None or parts.hostname is None else parts.hostname.removeprefix("www.")


def _share_origin(origins: Set[Origin | None]) -> str | None:
    """Return the origin if all have one host, with `https` if any has it; else None."""
    hosts = {origin and origin[1] for origin in origins}
    if len(hosts) != 1 or None in hosts:
        return None
    scheme = "https" if any(origin is not None and origin[0] == "https" for origin in origins) else "http"
    return f"{scheme}://{hosts.pop()}"


def _find_host(url: str) -> str | None:
    origin = _find_origin(url)
    return None if origin is None else origin[1]


def _find_origin(url: str) -> Origin | None:
    parts = _split_url(url)
    return None if parts is None else (parts.scheme, parts.netloc)


def _split_url(url: str) -> SplitResult | None:
    """Split a URL: the host in lower case, without a default port. Return None for other texts."""
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return None
    own = {"http": 80, "https": 443}[parts.scheme]
    host = parts.hostname if port in (None, own) else f"{parts.hostname}:{port}"
    return parts._replace(netloc=host)
