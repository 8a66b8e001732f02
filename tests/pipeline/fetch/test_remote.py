"""Feeds over HTTP: what a server may do, and what a build makes of it."""

import gzip
import json
import time
from collections.abc import Callable
from datetime import date
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from outings.configuration import Configuration, read_configuration
from outings.release.manifest import list_references
from outings.release.root import FeedMemory
from outings.release.store import object_name, open_store, put_object
from outings.retry_policy import RetryPolicy
from pipeline.building import BuildResult, build_release
from pipeline.clean.reading import read_source
from pipeline.clock import AsOf
from pipeline.executors.local import InlineExecutor
from pipeline.fetch.opening import open_sources
from pipeline.fetch.source import FeedError, FeedSource
from pipeline.fetch.urls import choose_suffix, show_url
from pipeline.plan import Build
from tests.pipeline.city import make_event
from tests.pipeline.fetch.web import LINE, PATIENT, Page, Web, read_body, serve_web
from tests.release.memory import MemoryStore
from tests.settings import format_metro

GZIP = {"Content-Encoding": "gzip"}
EMPTY = gzip.compress(b"") * 999


@pytest.fixture
def configure(tmp_path: Path, web: Web) -> Callable[..., Configuration]:
    def write(
        path: str = "/feed", *, settings: str = "", kind: str = "ndjson", url: str | None = None
    ) -> Configuration:
        feed = f'[[feeds]]\nname = "spl"\nmetro = "seattle"\nformat = "{kind}"\nurl = "{url or web.url + path}"\n'
        feed += "allow_private = true\n"
        (tmp_path / "outings.toml").write_text(format_metro("seattle") + feed + settings)
        return read_configuration(tmp_path / "outings.toml", {})

    return write


Open = Callable[..., FeedSource]


@pytest.fixture
def open_feed(configure: Callable[..., Configuration], tmp_path: Path) -> Open:
    def open_one(path: str = "/feed", *, policy: RetryPolicy = PATIENT, **written: Any) -> FeedSource:
        configuration = configure(path, **written)
        return open_sources(configuration.feeds, configuration, scratch=tmp_path / "scratch", policy=policy)["spl"]

    return open_one


def packed(body: bytes) -> Page:
    return Page(gzip.compress(body), headers=GZIP)


@pytest.mark.parametrize(
    "page",
    [
        Page(LINE),
        Page(LINE, statuses=[500, 503]),
        Page(LINE, statuses=[429, 502]),
        Page(LINE, statuses=[503], headers={"Retry-After": "0"}),
        packed(LINE),
        Page(gzip.compress(LINE[:9]) + gzip.compress(LINE[9:]), headers={"Content-Encoding": "x-gzip"}),
    ],
    ids=["as it is", "after 500 and 503", "after 429 and 502", "with Retry-After", "gzip", "gzip in parts"],
)
def test_a_feed_is_fetched(open_feed: Open, web: Web, page: Page) -> None:
    web.pages["/feed"] = page
    assert read_body(open_feed()) == LINE


@pytest.mark.parametrize(
    ("page", "message", "times"),
    [
        (Page(LINE, status=404), "answers 404", 1),
        (Page(LINE, status=403), "answers 403, as it refuses this program", 1),
        (Page(LINE, status=204), "answers 204", 1),
        (Page(LINE, status=206), "answers 206", 1),
        (Page(LINE, status=500), "answers 500 (3 times)", 3),
        (Page(LINE, status=501), "answers 501", 1),
        (Page(LINE, status=522), "answers 522 (3 times)", 3),
        (Page(LINE, status=503, headers={"Retry-After": "99"}), "answers 503, and asks for a pause of 99 s", 1),
        (Page(LINE, status=304), "answers 304", 1),
        (Page(LINE, cut=5), "breaks off, or is not HTTP (3 times)", 3),
        (Page(LINE, length=len(LINE) + 1), "breaks off, or is not HTTP (3 times)", 3),
        (Page(is_silent=True), "sends nothing for too long (3 times)", 3),
        (Page(LINE, pause=0.05), "takes longer than 0.5 s (3 times)", 3),
        (Page(b"x" * 1000, endless=True), "has more than 1,000,000 bytes, the feed's max_bytes", 1),
        (Page(b"x" * 1_000_001), "has more than 1,000,000 bytes, the feed's max_bytes", 1),
        (packed(b"\0" * 20_000_000), "has more than 1,000,000 bytes, the feed's max_bytes", 1),
        (Page(EMPTY, headers=GZIP, endless=True), "has more than 1,000,000 bytes, the feed's max_bytes", 1),
        (Page(gzip.compress(LINE)[:-3], headers=GZIP), "ends in the middle of its gzip (3 times)", 3),
        (Page(LINE, headers=GZIP), "is not gzip", 3),
        (Page(LINE, headers={"Content-Encoding": "br"}), 'has the encoding "br", which was not requested', 1),
        (Page(LINE, headers={"Content-Encoding": "gzip, gzip"}), "was not requested", 1),
        (Page(status=302, headers={"Location": "/feed"}), "redirects too often; allowed: 5 redirects", 6),
        (Page(status=302, headers={"Location": "ftp://example.org/"}), 'leads to a "ftp" address', 1),
    ],
)  # fmt: skip
def test_what_can_not_be_fetched_is_reported_with_the_feed_and_its_address(
    open_feed: Open, web: Web, page: Page, message: str, times: int
) -> None:
    web.pages["/feed"] = page
    short = {"silence": 0.2} if page.is_silent else {"whole": 0.5} if page.pause else {}
    with pytest.raises(FeedError) as raised:
        open_feed(settings="max_bytes = 1_000_000", policy=replace(PATIENT, **short))
    assert str(raised.value).startswith(f"feed spl: {web.url}/feed: ")
    assert message in str(raised.value)
    assert len(web.requests) == times


def test_pages_that_each_come_in_time_may_not_take_for_ever(open_feed: Open, web: Web) -> None:
    """A server that sends a page every few minutes would hold a build for years."""
    web.pages["/feed"] = Page(b'{"items": [], "next": "/feed?afterChangeNumber=1"}', pause=0.02)
    web.pages["/feed?afterChangeNumber=1"] = web.pages["/feed"]
    with pytest.raises(FeedError, match=r"/feed: takes longer than 0\.5 s with all its pages"):
        open_feed(kind="rpde", settings='mode = "delta"', policy=replace(PATIENT, feed=0.5))


@pytest.mark.parametrize(
    ("kind", "settings", "message"),
    [
        ("rpde", 'mode = "delta"\nmax_memory = 200_000_000', "needs more memory than the 200,000,000 bytes that max_m"),
        (
            "table",
            'select = "s.sql"\npages = { by = "page" }\nmax_memory = 100_000_000',
            "100,000,000 bytes that max_m",
        ),
        (
            "table",
            'select = "s.sql"\npages = { by = "page" }\nmax_rows = 1000',
            "more than the 1,000 rows that max_rows",
        ),
    ],
    ids=["rpde", "table", "rows of a table"],
)
def test_a_page_that_is_much_in_memory_is_reported_with_the_setting(
    open_feed: Open, web: Web, kind: str, settings: str, message: str, tmp_path: Path
) -> None:
    """Each `1` is an object of many bytes; a feed's bounds hold for its pages too."""
    (tmp_path / "s.sql").write_text("SELECT 'event' AS type FROM feed")
    items = b"[" + b"1," * 4_000_000 + b"1]"
    body = b'{"next": "/feed?a=1", "items": ' + items + b"}" if kind == "rpde" else items
    web.pages["/feed"] = packed(body)
    with pytest.raises(FeedError, match=message):
        open_feed(kind=kind, settings=settings)


def test_a_server_that_is_not_there_is_reported(open_feed: Open) -> None:
    with pytest.raises(FeedError, match=r"feed spl: http://127\.0\.0\.1:1/feed: can't be reached \(3 times\)"):
        open_feed(url="http://127.0.0.1:1/feed")


def test_a_server_that_asks_for_a_pause_gets_it(open_feed: Open, web: Web) -> None:
    until = int(time.time()) + 2
    web.pages["/feed"] = Page(LINE, statuses=[503], headers={"Retry-After": formatdate(until, usegmt=True)})
    open_feed(policy=replace(PATIENT, rest=5.0))
    assert time.time() >= until


def test_redirects_are_followed_and_take_no_password_to_others(open_feed: Open, web: Web) -> None:
    with serve_web() as other:
        web.pages["/feed"] = Page(status=301, headers={"Location": "/there"})
        web.pages["/there"] = Page(status=307, headers={"Location": f"{other.url}/feed"})
        other.pages["/feed"] = Page(LINE)
        source = open_feed(url=web.url.replace("//", "//ann:secret@") + "/feed?key=hidden")
    assert read_body(source) == LINE
    assert [headers.get("authorization") is not None for _, headers in (*web.requests, *other.requests)] == [
        True,
        True,
        False,
    ]
    assert source.files[0].name == f"{web.url}/feed?key=…"


def test_errors_name_no_password_and_no_key(open_feed: Open, web: Web) -> None:
    with pytest.raises(FeedError) as raised:
        open_feed(url=web.url.replace("//", "//ann:secret@") + "/gone?api_key=hidden&limit=5")
    assert str(raised.value) == f"feed spl: {web.url}/gone?api_key=…&limit=5: answers 404"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (
            "https://a.example/x?afterTimestamp=7&afterId=b&token=t#f",
            "https://a.example/x?afterTimestamp=7&afterId=b&token=…",
        ),
        ("http://u:p@[::1]:8080/", "http://[::1]:8080/"),
        ("http://[", "an address that can't be read"),
        ("http://a.example/" + "x" * 400, "http://a.example/" + "x" * 283 + "…"),
    ],
)
def test_an_address_is_shown_without_what_may_be_a_secret(url: str, shown: str) -> None:
    assert show_url(url) == shown


@pytest.mark.parametrize(
    ("url", "content_type", "suffix"),
    [
        ("http://a.example/rows.CSV?x=1", "application/json", ".csv"),
        ("http://a.example/query?f=geojson", "application/geo+json; charset=utf-8", ".geojson"),
        ("http://a.example/export.php", "text/csv", ".csv"),
        ("http://a.example/export", "", ""),
    ],
)
def test_a_table_s_kind_is_its_path_s_ending_or_what_the_server_says(url: str, content_type: str, suffix: str) -> None:
    assert choose_suffix(url, content_type) == suffix


def test_no_proxy_is_used_for_this_machine_itself(open_feed: Open, web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    web.pages["/feed"] = Page(LINE)
    assert read_body(open_feed()) == LINE


CALENDAR = (
    b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:a\nSUMMARY:Storytime\nDTSTART:20260812T100000\nEND:VEVENT\nEND:VCALENDAR\n"
)


@pytest.mark.parametrize(
    ("kind", "path", "body"),
    [
        ("ndjson", "/a.ndjson", LINE), ("ics", "/a.ics", CALENDAR), ("table", "/export", b"a\n1\n"),
        ("jsonld", "/page", '{"@type": "Event", "name": "Прогулка"}'.encode("koi8-r")),
    ],
)  # fmt: skip
def test_every_format_is_read_over_http(
    configure: Callable[..., Configuration], web: Web, tmp_path: Path, kind: str, path: str, body: bytes
) -> None:
    (tmp_path / "feed.sql").write_text("SELECT 'event' AS type, a AS source_id, 'A walk' AS name FROM feed")
    web.pages[path] = Page(body, headers={"Content-Type": "text/csv; charset=koi8-r"})
    configuration = configure(path, kind=kind, settings='select = "feed.sql"' if kind == "table" else "")
    (feed,) = configuration.feeds
    source = open_sources([feed], configuration, scratch=tmp_path / "scratch", policy=PATIENT)["spl"]
    (record,) = read_source(feed, configuration, source).records
    assert (record.type, record.name == "Прогулка") == ("event", kind == "jsonld")


Make = Callable[..., BuildResult]


@pytest.fixture
def build(configure: Callable[..., Configuration]) -> Make:
    def build_city(day: str = "2026-08-10", **written: Any) -> BuildResult:
        configuration = configure(**written)
        request = Build(configuration=configuration, as_of=AsOf(day=date.fromisoformat(day)))
        return build_release(request, store=open_store(configuration.store.url), executor=InlineExecutor())

    return build_city


def test_a_feed_that_is_as_it_was_is_neither_sent_nor_read_again_and_one_that_fails_changes_nothing(
    build: Make, web: Web, configure: Callable[..., Configuration]
) -> None:
    store = open_store(configure().store.url)
    broken = LINE + b"{broken\n"
    page = web.pages["/feed"] = Page(broken, etag='W/"1"')
    first = build()
    assert first.feeds[0].memory.records in list_references(store, first.published.root)
    page.body = b"nobody sees this"
    next_day = build("2026-08-11")
    read_at = next_day.feeds[0].memory.read_at
    assert next_day.feeds[0].memory == replace(first.feeds[0].memory, read_at=read_at)
    assert next_day.feeds[0].problems == first.feeds[0].problems
    assert next_day.changes == {}
    assert web.requests[-1][1]["if-none-match"] == 'W/"1"'

    web.pages["/feed"] = Page(status=404)
    failed = build("2026-08-11")
    assert failed.unchanged == ("seattle",)
    assert "404" in (failed.published.root.feeds["spl"].failure or "")
    web.pages["/feed"] = Page(broken, etag='"2"')
    moved = build("2026-08-11")
    remembered = moved.published.root.feeds["spl"]
    assert (moved.unchanged, remembered.etag, remembered.hash) == (("seattle",), '"2"', first.feeds[0].memory.hash)

    web.pages["/feed"] = Page(LINE + json.dumps(make_event("b")).encode(), etag='"3"')
    built = build("2026-08-11")
    assert web.requests[-1][1]["if-none-match"] == '"2"'
    assert (built.changes, built.feeds[0].memory.etag) == ({"created": 1}, '"3"')


def test_what_is_unchanged_is_asked_for_again_where_it_is_torn(
    build: Make, web: Web, configure: Callable[..., Configuration]
) -> None:
    web.pages["/feed"] = Page(LINE, etag='"1"')
    kept = build().feeds[0].memory.records
    assert kept is not None
    store = open_store(configure().store.url)
    store.put(object_name(kept), b"torn")
    assert build("2026-08-11").changes == {}
    assert store.get(object_name(kept)) != b"torn"


OpenAgain = Callable[..., FeedSource]


@pytest.fixture
def open_again(configure: Callable[..., Configuration], tmp_path: Path) -> OpenAgain:
    """Opens the feed as a build does that remembers `before`, whose records are in the store."""
    store = MemoryStore()

    def open_one(before: FeedSource, *, is_kept: bool = True, **written: Any) -> FeedSource:
        configuration = configure(**written)
        memory = FeedMemory(
            hash=before.hash, read=1, listings=1, merged=0, quarantined=0, question=before.question,
            records=put_object(store, b"records") if is_kept else "0" * 64,
            etag=before.etag, last_modified=before.last_modified,
        )  # fmt: skip
        return open_sources(
            configuration.feeds, configuration, scratch=tmp_path / "again", memories={"spl": memory}, store=store,
            policy=PATIENT,
        )["spl"]  # fmt: skip

    return open_one


@pytest.mark.parametrize("validator", ["etag", "last_modified", None])
def test_what_is_unchanged_is_kept_whoever_says_so(
    open_feed: Open, open_again: OpenAgain, web: Web, validator: str | None
) -> None:
    web.pages["/feed"] = Page(LINE, **({validator: "Wed, 21 Oct 2026 07:28:00 GMT"} if validator else {}))  # type: ignore[arg-type]
    first = open_feed()
    again = open_again(first)
    assert (again.hash, again.unchanged is not None, again.files == ()) == (first.hash, True, validator is not None)


@pytest.mark.parametrize(
    "change",
    [{"path": "/other"}, {"settings": 'defaults = { description = "x" }'}, {"is_kept": False}],
    ids=["another address", "other settings", "records gone from the store"],
)
def test_where_what_is_remembered_is_no_answer_no_condition_is_made(
    open_feed: Open, open_again: OpenAgain, web: Web, change: dict[str, Any]
) -> None:
    web.pages["/feed"] = web.pages["/other"] = Page(LINE, etag='"1"')
    again = open_again(open_feed(), **change)
    assert "if-none-match" not in web.requests[-1][1]
    assert (again.unchanged, read_body(again)) == (None, LINE)
