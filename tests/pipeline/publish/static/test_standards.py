"""What the web expects of a tree: sitemaps, feeds, a manifest, structured data and addresses, each by its standard."""

import json
import re
import struct
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin

import pytest
from icalendar import Calendar
from jsonschema import validate
from lxml import etree, html

from pipeline.publish.static.hosts import FolderHost
from tests.pipeline.city import City, make_event, make_place
from tests.pipeline.publish.static.trees import publish

SITE = "https://example.org/outings"
STANDARDS = Path(__file__).parents[3] / "pages/standards"
ATOM, SITEMAPS = "{http://www.w3.org/2005/Atom}", "{http://www.sitemaps.org/schemas/sitemap/0.9}"
LIBRARY = {"name": "Ballard Library & Friends <3", "source_id": "library"}
HERE = {
    "address": "5614 22nd Ave NW, Seattle, WA 98107", "street_address": "5614 22nd Ave NW", "city": "Seattle",
    "state": "WA", "zip": "98107", "lat": 47.67, "lng": -122.38, "neighborhood": "Ballard",
}  # fmt: skip
RECORDS: list[dict[str, Any]] = [
    {"type": "organization", "confidence": 0.9, **LIBRARY},
    make_place("hall", name="Ballard Hall", location=HERE, hours={"monday": "9 am - 5 pm"}),
    make_event(
        "story", name="Story time", organization=LIBRARY, location=HERE, place={"source_id": "hall"},
        starts_local="2026-07-07T10:30:00", ends_local="2026-07-07T11:15:00", rrule="FREQ=WEEKLY;BYDAY=TU;INTERVAL=2",
        price={"type": "free"}, registration_url="https://library.example.org/story",
    ),
    make_event("gala", name="Gala & \u201cmore\u201d", price={"min": 20, "max": 35, "currency": "USD"}, location=HERE),
    make_event("sold", name="Sold out", is_sold_out=True, price={"min": 5, "currency": "USD"}, location=HERE),
    make_event("someday", name="Some day", starts_local=None),
    {
        "type": "class", "source_id": "swim", "name": "Swimming", "confidence": 0.9, "location": HERE,
        "organization": LIBRARY, "price": {"min": 120, "currency": "USD"}, "registration": {"status": "full"},
        "term": {"starts_on": "2026-09-01", "ends_on": "2026-12-01"},
        "sections": [
            {"id": "a", "name": "Mondays", "schedule": {"days": ["monday"], "start_time": "16:00:00"},
             "tuition": {"amount": 120, "currency": "USD"}, "registration": {"status": "full"}},
            {"id": "b", "name": "Tuesdays", "schedule": {"days": ["tuesday"], "start_time": "17:00:00"},
             "tuition": {"amount": 60, "currency": "USD"}, "registration": {"spots_remaining": 6},
             "ages": {"min": 7, "max": 9}},
        ],
    },
    {
        "type": "camp", "source_id": "camp", "name": "Forest camp", "confidence": 0.9, "location": HERE,
        "price": {"min": 300, "currency": "USD"},
        "sessions": [{"id": "w", "starts_on": "2026-08-17", "ends_on": "2026-08-21"}],
    },
]  # fmt: skip


def make_tree(folder: Path, *, url: str) -> Path:
    city = City(folder)
    city.site = f'[site]\nname = "Harbor & Sons"\nurl = "{url}"\n[static]\n'
    city.write(RECORDS)
    city.build()
    publish(city, FolderHost(folder / "tree"))
    return folder / "tree"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tree(tmp_path_factory.mktemp("placed"), url=SITE)


@pytest.fixture(scope="module")
def unplaced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree of which nobody said where it is."""
    return make_tree(tmp_path_factory.mktemp("unplaced"), url="")


def read_listing(tree: Path, slug: str) -> html.HtmlElement:
    (page,) = tree.glob(f"seattle/*/{slug}/index.html")
    return html.fromstring(page.read_text())


def read_structured(tree: Path, slug: str) -> Any:
    (script,) = read_listing(tree, slug).xpath("//script[@type='application/ld+json']/text()")
    return json.loads(script)


def find_file(tree: Path, address: str) -> Path:
    """The file that a host at the site's address shows at a whole address."""
    assert address.startswith(f"{SITE}/")
    path = tree / unquote(address.removeprefix(f"{SITE}/"))
    return path / "index.html" if address.endswith("/") else path


@pytest.mark.xdist_group("standards")
def test_sitemaps_are_valid_and_name_each_page_once_with_its_date_of_change(tree: Path) -> None:
    schema = etree.XMLSchema(file=STANDARDS / "sitemap.xsd")
    maps = etree.parse(tree / "sitemap.xml")
    schema.assertValid(maps)
    addresses = []
    for found in maps.iter(f"{SITEMAPS}loc"):
        part = etree.parse(find_file(tree, found.text))
        schema.assertValid(part)
        addresses += [(node.findtext(f"{SITEMAPS}loc"), node.findtext(f"{SITEMAPS}lastmod")) for node in part.getroot()]
    files = [find_file(tree, address).relative_to(tree).as_posix() for address, _ in addresses if address]
    pages = {path.relative_to(tree).as_posix() for path in tree.rglob("*.html")}
    alone = {
        "index.html",
        "404.html",
        "explore/index.html",
        "cities/seattle/numbers/index.html",
        "developers/index.html",
    }
    assert len(files) == len(set(files))
    assert set(files) == pages - alone
    assert all(
        changed for address, changed in addresses if re.search(r"/(events|classes|camps|places)/[^/]+/$", address or "")
    )
    assert f"Sitemap: {SITE}/sitemap.xml\n" in (tree / "robots.txt").read_text()


@pytest.mark.xdist_group("standards")
@pytest.mark.parametrize("is_placed", [True, False])
def test_feeds_are_valid_atom_and_lead_to_pages(tree: Path, unplaced: Path, *, is_placed: bool) -> None:
    folder = tree if is_placed else unplaced
    schema = etree.RelaxNG(file=STANDARDS / "atom.rng")
    feeds = sorted(folder.rglob("feed.xml"))
    assert len(feeds) == 5
    for path in feeds:
        feed = etree.parse(path)
        assert schema.validate(feed), (path, schema.error_log)
        ids = [node.text for node in feed.iter(f"{ATOM}id")]
        assert len(ids) == len(set(ids))
        for link in feed.iter(f"{ATOM}link"):
            address = urljoin(f"{SITE}/{path.relative_to(folder).as_posix()}", link.get("href"))
            assert find_file(folder, address).is_file(), address
            assert link.get("href").startswith("https://") == is_placed
    titles = {node.text for node in etree.parse(folder / "cities/seattle/feed.xml").iter(f"{ATOM}title")}
    assert titles == {"seattle", *(item["name"] for item in RECORDS if item["type"] != "organization")}


@pytest.mark.xdist_group("standards")
def test_the_manifest_has_what_a_browser_needs_to_install_the_site(tree: Path) -> None:
    manifest = json.loads((tree / "manifest.json").read_text())
    text = {"type": "string", "minLength": 1}
    icon = {
        "type": "object", "required": ["src", "sizes", "type"],
        "properties": {"src": text, "sizes": {"pattern": r"^(any|\d+x\d+)$"}, "purpose": {"enum": ["any", "maskable"]}},
    }  # fmt: skip
    members = {
        "name": text, "short_name": text, "start_url": text, "icons": {"type": "array", "minItems": 1, "items": icon},
        "display": {"enum": ["fullscreen", "standalone", "minimal-ui", "browser"]}, "lang": text,
        "dir": {"enum": ["ltr", "rtl"]},
    }  # fmt: skip
    validate(manifest, {"type": "object", "required": [*members], "properties": members})
    assert manifest["name"] == "Harbor & Sons"
    icons = {icon["type"]: (tree / icon["src"]).read_bytes() for icon in manifest["icons"]}
    assert icons.keys() == {"image/svg+xml", "image/png"}
    assert icons["image/png"][:24].endswith(b"IHDR" + struct.pack(">II", 192, 192))
    assert (
        '<link rel="manifest" href="../../../manifest.json">'
        in (tree / "seattle/events/gala-more/index.html").read_text()
    )


@pytest.mark.xdist_group("standards")
def test_structured_data_has_what_google_requires_and_recommends_of_events(tree: Path) -> None:
    for slug in ("story-time", "gala-more", "sold-out", "forest-camp"):
        event = read_structured(tree, slug)
        assert event["@type"] == "Event"
        # A date, or a time with its distance from UTC.
        start, end = event["startDate"], event.get("endDate")
        assert len(start) == 10 or datetime.fromisoformat(start).utcoffset() is not None
        assert end is None or end >= start
        address = event["location"]["address"]
        assert event["location"]["@type"] == "Place"
        assert address["streetAddress"] == HERE["street_address"]
        assert event["eventStatus"] == "https://schema.org/EventScheduled"
        assert event["url"] == f"{SITE}/seattle/{'camps' if slug == 'forest-camp' else 'events'}/{slug}/"
        offer = event["offers"]
        assert offer["priceCurrency"] == "USD"
        assert offer["url"].startswith("https://")
        assert offer["availability"] == f"https://schema.org/{'SoldOut' if slug == 'sold-out' else 'InStock'}"
    assert read_structured(tree, "gala-more")["offers"]["highPrice"] == 35
    assert read_listing(tree, "some-day").xpath("//script[@type='application/ld+json']") == []


@pytest.mark.xdist_group("standards")
def test_a_series_has_its_next_date_and_its_rule(tree: Path) -> None:
    event = read_structured(tree, "story-time")
    # Every second Tuesday from 7 July; the tree is of 10 August.
    assert (event["startDate"], event["endDate"]) == ("2026-08-18T10:30:00-07:00", "2026-08-18T11:15:00-07:00")
    schedule = event["eventSchedule"]
    assert (schedule["repeatFrequency"], schedule["byDay"]) == ("P2W", ["https://schema.org/Tuesday"])
    assert (schedule["startDate"], schedule["startTime"], schedule["endTime"]) == ("2026-07-07", "10:30:00", "11:15:00")


@pytest.mark.xdist_group("standards")
def test_a_course_has_an_instance_for_each_section(tree: Path) -> None:
    course = read_structured(tree, "swimming")
    assert course["@type"] == "Course"
    assert course["provider"]["name"] == LIBRARY["name"]
    instances = course["hasCourseInstance"]
    assert [one["courseSchedule"]["byDay"] for one in instances] == [
        ["https://schema.org/Monday"], ["https://schema.org/Tuesday"],
    ]  # fmt: skip
    assert {one["courseMode"] for one in instances} == {"Onsite"}


@pytest.mark.xdist_group("standards")
def test_a_listing_says_of_each_section_its_price_ages_and_places_left(tree: Path) -> None:
    page = read_listing(tree, "swimming")
    mondays, tuesdays = (" ".join(item.text_content().split()) for item in page.xpath("//ul[@class='sessions']/li"))
    assert mondays.startswith("Mondays")
    assert mondays.endswith("$120 Full")
    assert tuesdays.endswith("$60 Ages 7 to 9 6 spots left")
    # The class says that it is full, one section that it is not.
    assert page.xpath("//p[@class='spots']") == []
    text = html.fromstring((tree / "seattle/classes/index.html").read_text()).xpath("string(//ol)")
    assert "Swimming" in text
    assert "$60" in text
    assert "6 spots left" in text
    assert "Full" not in text


@pytest.mark.xdist_group("standards")
def test_whole_addresses_are_used_where_they_are_known(tree: Path, unplaced: Path) -> None:
    page, other = read_listing(tree, "story-time"), read_listing(unplaced, "story-time")
    own = f"{SITE}/seattle/events/story-time/"
    assert page.xpath("//link[@rel='canonical']/@href") == page.xpath("//meta[@property='og:url']/@content") == [own]
    webcal = "webcal://example.org/outings/seattle/events/story-time/story-time.ics"
    assert webcal in page.xpath("//a/@href")
    calendar = find_file(tree, webcal.replace("webcal:", "https:")).read_bytes()
    assert Calendar.from_ical(calendar).walk("VEVENT")
    events = (tree / "seattle/events/index.html").read_text()
    assert 'href="webcal://example.org/outings/v1/seattle/events.ics"' in events
    assert other.xpath("//link[@rel='canonical']") == []
    assert not any(link.startswith("webcal:") for link in other.xpath("//a/@href"))
    assert 'href="../../v1/seattle/events.ics"' in (unplaced / "seattle/events/index.html").read_text()
    assert not (unplaced / "sitemap.xml").exists()
    assert "Sitemap" not in (unplaced / "robots.txt").read_text()


@pytest.mark.xdist_group("standards")
def test_each_document_and_row_has_the_address_of_its_page(tree: Path, unplaced: Path) -> None:
    found = 0
    for path in tree.glob("v1/seattle/*.json"):
        items = json.loads(path.read_text())["data"]
        for item in items if path.stem in ("events", "classes", "camps", "places") else ():
            page = item["links"]["page"]
            assert find_file(tree, f"{page}/").is_file()
            assert read_listing(tree, item["slug"]).xpath("//link[@rel='canonical']/@href") == [f"{page}/"]
            (detail,) = tree.glob(f"v1/*/{item['id']}.json")
            assert json.loads(detail.read_text())["data"]["links"]["page"] == page
            found += 1
    assert found > 5
    other = json.loads((unplaced / "v1/seattle/events.json").read_text())["data"]
    assert {item["links"]["page"] for item in other} == {None}


@pytest.mark.parametrize(("settings", "has_page"), [('key = "ldk_k"', True), ("", False), ("enabled = false", False)])
def test_only_what_has_a_page_says_where_it_is(tmp_path: Path, settings: str, *, has_page: bool) -> None:
    city = City(tmp_path)
    city.site = f'[site]\nurl = "{SITE}"\n{settings}\n'
    city.write([make_event("a"), make_event("b", adults_only=True)])
    city.build()
    own, adults = (city.ask(f"/v1/seattle/events?audience={name}")["data"] for name in ("not_adults", "adults"))
    page = f"{SITE}/seattle/events/event-a" if has_page else None
    assert [item["links"]["page"] for item in (*own, *adults)] == [page, None]


@pytest.mark.xdist_group("standards")
def test_the_page_for_a_wrong_address_finds_its_files_below_a_path(tree: Path, unplaced: Path) -> None:
    page = html.fromstring((tree / "404.html").read_text())
    links = [*page.xpath("//link/@href"), *page.xpath("//a/@href"), *page.xpath("//script/@src")]
    links = [link for link in links if link != "#content"]
    assert len(links) > 5
    for link in links:
        assert find_file(tree, urljoin(f"{SITE}/no/such/page", link)).is_file(), link
    assert 'href="/assets/' in (unplaced / "404.html").read_text()
