"""An organization's own site."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import pytest
from msgspec import Struct

from outings.contract.vocabulary import STATUSES
from pipeline.resolve.listings.rows import Row
from pipeline.resolve.websites import FeedLinks, choose_websites, encode_links, find_domain


class Part(Struct, frozen=True):
    url: str | None = None


class RegisteredPart(Struct, frozen=True):
    registration: Part


class Members(Struct, omit_defaults=True):
    website_url: str | None = None
    registration_url: str | None = None
    ticket_url: str | None = None
    registration: Part = Part()
    sections: tuple[RegisteredPart, ...] = ()


def make_row(members: Any, *, organization: str = "a", status: str = "published", carried: bool = False) -> Row:
    columns = {"id": "x", "organization_id": organization, "status": STATUSES.index(status)}
    if carried:
        return Row(kind="event", columns=columns, document=msgspec.json.encode(members))
    return Row(kind="event", columns=columns, members=members)


def links(organization_id: str, *urls: str, page: str | None = None) -> Row:
    parts = tuple(RegisteredPart(Part(url)) for url in urls)
    return make_row(Members(website_url=page, sections=parts), organization=organization_id)


def find(*rows: Row, stated: Mapping[str, str] = {}, organizations: Iterable[str] = "a") -> str | None:
    """Return the website of the organization `a` if all of it is in one feed."""
    links = FeedLinks()
    links.stated.update(stated)
    for row in rows:
        if (encoded := encode_links(row)) is not None:
            links.add(row.columns["organization_id"], encoded)
    return choose_websites(dict.fromkeys(organizations, "feed"), {"feed": links})["a"]


CASES: list[tuple[str, dict[str, str], list[Row], str | None]] = [
    ("nothing is known", {}, [], None),
    ("the record's own", {"a": "https://a.org/kids"}, [links("a", "https://b.org/1", page="https://c.org")],
     "https://a.org/kids"),
    ("what its one place states", {}, [links("a", "https://b.org/1", page="https://a.org/pool")], "https://a.org/pool"),
    ("what all its places state", {}, [links("a", page="https://a.org/x"), links("a", page="https://a.org/x")],
     "https://a.org/x"),
    ("its places' common origin", {}, [links("a", page="https://a.org/x"), links("a", page="https://a.org/y")],
     "https://a.org"),
    ("a place's page also where another has the site", {},
     [links("a", page="https://city.gov/a"), links("b", page="https://city.gov/b")], "https://city.gov/a"),
    ("places and links of several origins", {},
     [links("a", "https://b.org", page="https://c.org"), links("a", page="https://d.org")], None),
    ("the origin that its links share", {}, [links("a", "https://a.org/1", "https://a.org/2"),
     links("a", "https://a.org/3")], "https://a.org"),
    ("one link", {}, [links("a", "https://a.org/1")], "https://a.org"),
    ("https where any is", {}, [links("a", "http://a.org/1", "https://A.org:443/2")], "https://a.org"),
    ("http where all are", {}, [links("a", "http://a.org:80/1")], "http://a.org"),
    ("with its port", {}, [links("a", "http://a.org:8080/1")], "http://a.org:8080"),
    ("another host among its links", {}, [links("a", "https://a.org/1", "https://tickets.com/2")], None),
    ("www is another host", {}, [links("a", "https://a.org/1", "https://www.a.org/2")], None),
    ("an origin that another links to as well", {},
     [links("a", "https://tickets.com/1"), links("b", "https://tickets.com/2", "https://b.org")], None),
    ("an origin that is another's site", {"b": "https://a.org"}, [links("a", "https://a.org/1")], None),
    ("an origin that is another's place's", {}, [links("a", "https://a.org/1"), links("b", page="https://a.org/2")],
     None),
    ("what is no web address", {}, [links("a", "mailto:x@a.org")], None),
    ("an address with a bad port", {}, [links("a", "https://a.org:port/")], None),
    ("others' links do not count", {}, [links("b", "https://b.org/1")], None),
]  # fmt: skip


@pytest.mark.parametrize(("stated", "listings", "url"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_site_is_the_records_or_its_places_or_the_origin_that_its_links_alone_share(
    stated: dict[str, str], listings: list[Row], url: str | None
) -> None:
    assert find(*listings, stated=stated) == url
    assert find(*reversed(listings), stated=stated, organizations="ba") == url


@pytest.mark.parametrize(
    ("url", "domain"),
    [
        (None, None),
        ("", None),
        ("https://www.Example.org/kids?x=1", "example.org"),
        ("http://example.org:8080", "example.org"),
        ("https://parks.example.org", "parks.example.org"),
        ("example.org", None),
        ("ftp://example.org", None),
    ],
)
def test_a_domain_is_the_host_without_www(url: str | None, domain: str | None) -> None:
    assert find_domain(url) == domain


@pytest.mark.parametrize("carried", [False, True])
@pytest.mark.parametrize(
    "members",
    [
        Members(website_url="https://www.a.org"),
        Members(registration_url="https://www.a.org/1", ticket_url="https://www.a.org/2"),
        Members(registration=Part("https://www.a.org/1")),
        Members(sections=(RegisteredPart(Part("https://www.a.org/1")), RegisteredPart(Part()))),
    ],
)
def test_links_are_read_from_made_rows_and_from_documents_alike(members: Members, carried: bool) -> None:
    assert find(make_row(members, carried=carried)) == "https://www.a.org"


def test_only_published_listings_count() -> None:
    members = Members(registration_url="https://a.org/1")
    for status in ("archived", "draft"):
        assert find(make_row(members, status=status)) is None
    assert find(make_row(members, organization="b")) is None
    assert find(make_row(members), make_row(members, organization="b", status="archived")) == "https://a.org"


def test_an_organization_that_was_carried_over_keeps_its_site_to_itself() -> None:
    row, site = make_row(Members(registration_url="https://a.org/1")), "https://a.org"
    assert find(row, stated={"b": site}) is None
    assert find(row, stated={"a": site, "b": site}) == site
