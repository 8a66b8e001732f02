"""An organization's website: the one in its record, else the one that its listings agree on."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any
from urllib.parse import SplitResult, urlsplit

import msgspec
from msgspec import Struct

from outings.release.tables import PUBLISHED
from pipeline.records.record import OrganizationRecord
from pipeline.resolve.listings.rows import Row

# Scheme and host.
Origin = tuple[str, str]
# An address that needs no normalization, as nine of ten.
_PLAIN = re.compile(r"(https?)://([a-z0-9.-]+)(?=[/?#]|\Z)")


class Website(Struct, frozen=True, kw_only=True):
    """A website and its `domain`: the host in lower case, without `www.` and port."""

    website_url: str | None = None
    domain: str | None = None


class Links(Struct, frozen=True, kw_only=True):
    """The links of one published listing of an organization; only places state `website_url`."""

    organization_id: str
    website_url: str | None = None
    links: tuple[str, ...] = ()


class LinkIndex:
    """The links of each organization's published listings: the websites that places state, and the origins of all
    links."""

    def __init__(self) -> None:
        self.pages: dict[str, set[str]] = defaultdict(set)
        self.origins: dict[str, set[Origin | None]] = defaultdict(set)

    def add(self, links: Links | None) -> None:
        if links is not None:
            self._add(links.organization_id, links.website_url, _find_origins(links))

    def add_encoded(self, organization_id: str, encoded: str) -> None:
        self._add(organization_id, *_encoded_decoder.decode(encoded))

    def _add(self, organization_id: str, page: str | None, origins: Iterable[Origin | None]) -> None:
        if page:
            self.pages[organization_id].add(page)
        self.origins[organization_id].update(origins)


def encode_links(links: Links | None) -> str | None:
    """Encode the links of a listing as JSON, the same for all listings with the same origins."""
    if links is None:
        return None
    origins = sorted(set(_find_origins(links)), key=lambda origin: origin or ())
    return msgspec.json.encode((links.website_url, origins)).decode()


def _find_origins(links: Links) -> list[Origin | None]:
    return [_find_origin(url) for url in (links.website_url, *links.links) if url]


def find_websites(
    organizations: Mapping[str, OrganizationRecord], *, carried: Mapping[str, str | None], linked: LinkIndex
) -> dict[str, Website]:
    """Return the website of each organization by id. `carried`: the websites of unchanged organizations; `linked`:
    the links of the metro's listings."""
    stated = {row_id: record.website_url for row_id, record in organizations.items() if record.website_url}
    urls = choose_websites(organizations, stated={**carried, **stated}, linked=linked)
    return {row_id: Website(website_url=urls[row_id], domain=find_domain(urls[row_id])) for row_id in organizations}


def choose_websites(
    organizations: Iterable[str], *, stated: Mapping[str, str | None], linked: LinkIndex
) -> dict[str, str | None]:
    """Return the website of each organization: the record's; else the one that its places state, or the origin that
    they share; else the origin that its listings' links share, if no other organization has it; else None."""
    owners = _list_owners(stated, linked)
    websites = {}
    for row_id in organizations:
        pages = linked.pages.get(row_id, set())
        page = next(iter(pages)) if len(pages) == 1 else _share_origin({_find_origin(page) for page in pages})
        website = stated.get(row_id) or page
        shared = _share_origin(linked.origins.get(row_id, set()))
        if website is None and shared is not None and owners[_find_host(shared)] <= {row_id}:
            website = shared
        websites[row_id] = website
    return websites


def find_domain(url: str | None) -> str | None:
    parts = _split_url(url) if url else None
    return None if parts is None or parts.hostname is None else parts.hostname.removeprefix("www.")


class _Registration(Struct, frozen=True, kw_only=True):
    url: str | None = None


class _Part(Struct, frozen=True, kw_only=True):
    registration: _Registration | None = None


class _DocumentLinks(Struct, frozen=True, kw_only=True):
    """The links in a document of any type."""

    website_url: str | None = None
    registration_url: str | None = None
    ticket_url: str | None = None
    registration: _Registration | None = None
    sections: tuple[_Part, ...] = ()
    sessions: tuple[_Part, ...] = ()


_decoder = msgspec.json.Decoder(_DocumentLinks)
_encoded_decoder = msgspec.json.Decoder(tuple[str | None, list[Origin | None]])


def read_links(row: Row) -> Links | None:
    """Return the row's links, or None if it is not published or has no organization."""
    organization_id = row.columns.get("organization_id")
    if organization_id is None or row.columns["status"] != PUBLISHED:
        return None
    # A row that was carried over has its document alone.
    if row.members is None:
        return read_document_links(organization_id, row.document or b"{}")
    return _make_links(organization_id, row.members)


def read_document_links(organization_id: str, document: bytes) -> Links:
    return _make_links(organization_id, _decoder.decode(document))


def _make_links(organization_id: str, members: Any) -> Links:
    return Links(
        organization_id=organization_id,
        website_url=getattr(members, "website_url", None),
        links=tuple(url for url in _list_urls(members) if url),
    )


def _list_urls(members: Any) -> Iterator[str | None]:
    yield getattr(members, "registration_url", None)
    yield getattr(members, "ticket_url", None)
    for part in (members, *getattr(members, "sections", ()), *getattr(members, "sessions", ())):
        registration = getattr(part, "registration", None)
        yield None if registration is None else registration.url


def _list_owners(stated: Mapping[str, str | None], linked: LinkIndex) -> dict[str | None, set[str]]:
    """Return by host the organizations whose website or any link has that host."""
    owners: dict[str | None, set[str]] = defaultdict(set)
    for row_id, url in stated.items():
        owners[_find_host(url)].add(row_id)
    for row_id, origins in linked.origins.items():
        for origin in origins:
            owners[None if origin is None else origin[1]].add(row_id)
    return owners


def _share_origin(origins: Set[Origin | None]) -> str | None:
    """Return the origin if all have one host, with `https` if any has it; else None."""
    hosts = {origin and origin[1] for origin in origins}
    if len(hosts) != 1 or None in hosts:
        return None
    scheme = "https" if any(origin is not None and origin[0] == "https" for origin in origins) else "http"
    return f"{scheme}://{hosts.pop()}"


def _find_host(url: str | None) -> str | None:
    origin = _find_origin(url) if url else None
    return None if origin is None else origin[1]


def _find_origin(url: str) -> Origin | None:
    if plain := _PLAIN.match(url):
        return plain[1], plain[2]
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
