"""Pages are served to anybody, by what is in them."""

import gzip
import json
import re
from collections.abc import Callable

import brotli
import pytest
from icalendar import Calendar
from markupsafe import escape

from outings.pages.assets import HTML
from outings.release.pointer import read_current
from outings.release.publishing import SiteObjects, publish
from outings.release.site import Basemap, Site, SiteSettings, pack_files
from outings.release.store import encode_canonical, hash_of, put_object
from tests.edge.asking import Response, ask
from tests.edge.conftest import Service
from tests.edge.publishing import NOW

STYLE = "assets/site.0123456789.css"
HOME = b"<!doctype html><title>Home</title>" + b"<p>What families can do</p>" * 100
MISSING = b'<!doctype html><title>Nothing</title><a href="/">Home</a><a href="/reference/">Reference</a>'
FILES = {
    "": (HTML, HOME),
    "reference/": (HTML, b"<!doctype html><title>Reference</title>"),
    STYLE: ("text/css; charset=utf-8", b"body { margin: 0 }"),
    "404.html": (HTML, MISSING),
}


def put_site(service: Service, files: dict[str, tuple[str, bytes]], *, settings: SiteSettings = SiteSettings()) -> None:
    """One more release, with these files as its site."""
    current = read_current(service.store)
    assert current is not None
    packed, data = pack_files((path, media, content) for path, (media, content) in files.items())
    site = encode_canonical(Site(settings=settings, pages=packed))
    publish(
        service.store, base=current.root, parts={}, changes=[], feeds={}, now=NOW,
        make_site=lambda *_: SiteObjects(site=hash_of(site), objects=(data, site)),
    )  # fmt: skip
    service.edge.poll()


@pytest.fixture
def service(make_own: Callable[..., Service]) -> Service:
    made = make_own()
    put_site(made, FILES)
    return made


def get(service: Service, target: str, *, method: str = "GET", **headers: str) -> Response:
    return ask(service.edge, target, method=method, **headers)


def test_the_home_page_needs_no_key(service: Service) -> None:
    got = get(service, "/")
    assert (got.status, got.body) == (200, HOME)
    assert got.headers["content-type"] == "text/html; charset=utf-8"
    assert got.headers["cache-control"] == "no-cache"
    assert got.headers["content-security-policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    assert not [name for name in got.headers if "ratelimit" in name]


@pytest.mark.parametrize(
    ("accepted", "coding", "decode"),
    [
        ("gzip, deflate, br, zstd", "br", brotli.decompress),
        ("gzip", "gzip", gzip.decompress),
        ("br;q=0.1, gzip", "gzip", gzip.decompress),
    ],
)
def test_a_page_comes_compressed_as_it_is_stored(
    service: Service, accepted: str, coding: str, decode: Callable[[bytes], bytes]
) -> None:
    got = get(service, "/", accept_encoding=accepted)
    assert got.headers["content-encoding"] == coding
    assert decode(got.body) == HOME
    assert len(got.body) == int(got.headers["content-length"]) < len(HOME) / 10


def test_a_page_that_did_not_change_is_not_sent_again(service: Service) -> None:
    etag = get(service, "/").headers["etag"]
    got = get(service, "/", if_none_match=etag, accept_encoding="br")
    assert (got.status, got.body, got.headers["etag"]) == (304, b"", etag)


def test_a_head_has_the_headers_alone(service: Service) -> None:
    got = get(service, "/", method="HEAD")
    assert (got.status, got.body, got.headers["content-length"]) == (200, b"", str(len(HOME)))


def test_a_folder_without_its_slash_leads_to_it(service: Service) -> None:
    got = get(service, "/reference?q=walk")
    assert (got.status, got.headers["location"]) == (308, "reference/?q=walk")


def test_a_style_is_kept_for_good(service: Service) -> None:
    assert get(service, f"/{STYLE}").headers["cache-control"] == "public, max-age=31536000, immutable"


def test_a_page_takes_no_other_method(service: Service) -> None:
    got = get(service, "/", method="POST")
    assert (got.status, got.error["code"]) == (405, "method_not_allowed")


def test_what_is_no_page_and_no_route_is_not_found(service: Service) -> None:
    for path in ("/nothing", "/reference/nothing", "//", "/assets/", "/../reference/"):
        assert get(service, path).status == 404


BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.mark.parametrize(("path", "root"), [("/nothing", "./"), ("/cities/nowhere/", "../../"), ("/404.html", "./")])
def test_a_browser_at_no_address_gets_a_page_that_leads_on(service: Service, path: str, root: str) -> None:
    got = get(service, path, **BROWSER)
    assert (got.status, got.headers["content-type"]) == (404, HTML)
    assert got.body == MISSING.replace(b'"/', b'"' + root.encode())
    assert (got.headers["cache-control"], got.headers["vary"]) == ("no-store", "Accept")
    assert get(service, path, method="HEAD", **BROWSER).headers["content-length"] == str(len(got.body))


def test_a_program_gets_an_error_of_the_api_and_so_does_a_browser_at_its_paths(service: Service) -> None:
    assert get(service, "/nothing").error["code"] == "not_found"
    for path in ("/v1/nothing/at/all", "/v1/", "/V1/seattle/events", "/healthz/"):
        got = get(service, path, **BROWSER)
        assert (got.status, got.error["code"]) == (404, "not_found"), path
    assert get(service, "/nothing", method="POST", **BROWSER).headers["content-type"] == "application/json"


def test_a_page_changes_with_the_release_and_the_style_of_the_one_before_stays(service: Service) -> None:
    new = {"": (HTML, b"<title>New</title>"), "assets/site.9999999999.css": ("text/css; charset=utf-8", b"new {}")}
    put_site(service, new)
    assert get(service, "/").body == b"<title>New</title>"
    assert get(service, "/reference/").status == 404
    assert get(service, f"/{STYLE}").status == 200


def test_a_release_without_pages_has_none(make_own: Callable[..., Service]) -> None:
    assert get(make_own(), "/").status == 404


def test_before_the_first_release_there_is_no_page(make_own: Callable[..., Service]) -> None:
    assert get(make_own(published=False), "/").status == 404


@pytest.mark.parametrize("coding", ["", "gzip", "br"])
def test_clients_that_take_a_page_slowly_hold_the_same_bytes(service: Service, coding: str) -> None:
    first, second = (get(service, "/", accept_encoding=coding).body for _ in range(2))
    assert first is second


LISTS = "/v1/harbor/{}?limit=200&min_confidence=0&audience=all"


@pytest.fixture
def shown(make_own: Callable[..., Service]) -> Service:
    """A site that shows listings, by a key for visitors."""
    made = make_own()
    put_site(made, FILES, settings=SiteSettings(shows_data=True, key=made.keys["all"], languages=("en", "es")))
    return made


def test_a_listing_has_a_page_in_each_language_of_the_site(shown: Service) -> None:
    (item, *_) = shown.get(LISTS.format("places")).read_json()["data"]
    path = f"harbor/places/{item['slug']}"
    pages = {code: get(shown, path, accept="text/html") for code, path in (("en", f"/{path}"), ("es", f"/es/{path}"))}
    for code, page in pages.items():
        assert f'<html lang="{code}"' in page.body.decode()
    assert f'<link rel="alternate" hreflang="en" href="../../../{path}">' in pages["es"].body.decode()
    assert f'href="../../es/{path}" hreflang="es"' in pages["en"].body.decode()
    assert pages["en"].headers["etag"] != pages["es"].headers["etag"]
    assert get(shown, f"/fr/{path}", accept="text/html").status == 404


@pytest.mark.parametrize("kind", ["events", "classes", "camps", "places"])
def test_each_listing_but_those_for_adults_has_a_page(shown: Service, kind: str) -> None:
    for item in shown.get(LISTS.format(kind)).read_json()["data"]:
        got = get(shown, f"/harbor/{kind}/{item['slug']}", accept="text/html")
        assert got.status == (404 if item["audience"] == "adults" else 200)
        if got.status == 200:
            page = got.body.decode()
            assert f'<meta property="og:title" content="{escape(item["name"])}">' in page
            found = re.findall(r'<script type="application/ld\+json">(.*?)</script>', page)
            # What has no date is no event.
            is_dated = kind in ("classes", "places") or item.get("starts_local") or item.get("starts_on")
            assert [json.loads(structured)["name"] for structured in found] == [item["name"]] * bool(is_dated)
            assert f"../../{STYLE}" in page  # the release's own, whichever program built it
            assert "x-ratelimit-limit" not in got.headers
            again = get(shown, f"/harbor/{kind}/{item['slug']}", if_none_match=got.headers["etag"])
            assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize("kind", ["events", "classes", "camps", "places"])
def test_each_listing_with_dates_has_a_calendar(shown: Service, kind: str) -> None:
    dated = 0
    for item in shown.get(LISTS.format(kind)).read_json()["data"]:
        got = get(shown, f"/harbor/{kind}/{item['slug']}.ics", accept="text/calendar, text/html")
        if got.status == 200:
            calendar = Calendar.from_ical(got.body)
            (name,) = {str(event["summary"]) for event in calendar.walk("VEVENT")}
            assert name == item["name"]
            dated += 1
    assert dated or kind != "events"
    assert not dated or kind != "places"


def test_the_calendar_of_an_event_has_the_dates_that_the_api_gives(shown: Service) -> None:
    events = [item for item in shown.get(LISTS.format("events")).read_json()["data"] if item["audience"] != "adults"]
    assert events
    for item in events:
        page = get(shown, f"/harbor/events/{item['slug']}.ics", accept="text/calendar")
        api = shown.get(f"/v1/harbor/events.ics?ids={item['id']}&audience=all&min_confidence=0")
        own, whole = (
            [event.to_ical() for event in Calendar.from_ical(body).walk("VEVENT")] for body in (page.body, api.body)
        )
        assert own == whole


@pytest.mark.parametrize("settings", [SiteSettings(), SiteSettings(shows_data=True)])
def test_a_listing_has_no_page_where_visitors_may_read_none(
    make_own: Callable[..., Service], settings: SiteSettings
) -> None:
    made = make_own()
    put_site(made, FILES, settings=settings)
    slug = made.get(LISTS.format("places")).read_json()["data"][0]["slug"]
    assert get(made, f"/harbor/places/{slug}", accept="text/html").status == 404


def test_a_page_shows_what_the_visitors_key_may_read(make_own: Callable[..., Service]) -> None:
    made = make_own()
    put_site(made, FILES, settings=SiteSettings(shows_data=True, key=made.keys["places"]))
    for kind, status in (("places", 200), ("events", 404)):
        items = made.get(LISTS.format(kind)).read_json()["data"]
        slug = next(item["slug"] for item in items if item["audience"] != "adults")
        assert get(made, f"/harbor/{kind}/{slug}", accept="text/html").status == status


def test_what_is_no_listing_has_a_page_that_says_so(shown: Service) -> None:
    for path in ("/harbor/places/nothing-of-this-name", "/nowhere/places/park", "/harbor/places/%00"):
        got = get(shown, path, accept="text/html")
        assert (got.status, got.headers["content-type"]) == (404, "text/html; charset=utf-8")


def test_a_base_map_is_sent_by_ranges_to_anybody(service: Service) -> None:
    tiles = bytes(range(256)) * 1000
    basemap = Basemap(object=put_object(service.store, tiles), size=len(tiles), zoom=10)
    put_site(service, FILES, settings=SiteSettings(basemap=basemap))
    got = get(service, f"/{basemap.path}")
    assert (got.status, got.body) == (200, tiles)
    assert got.headers["accept-ranges"] == "bytes"
    assert "immutable" in got.headers["cache-control"]
    for sent, begin, end in (
        ("bytes=0-126", 0, 127),
        ("bytes=70000-199999", 70_000, 200_000),
        ("bytes=-10", 255_990, 256_000),
    ):
        got = get(service, f"/{basemap.path}", range=sent)
        assert (got.status, got.body) == (206, tiles[begin:end])
        assert got.headers["content-range"] == f"bytes {begin}-{end - 1}/256000"
    assert get(service, f"/{basemap.path}", if_none_match=got.headers["etag"]).status == 304
    assert get(service, f"/{basemap.path}", method="HEAD").headers["content-length"] == "256000"
