"""Tables that a server gives page after page: every row is read, or the feed is not read at all."""

import json
import time
from collections.abc import Callable
from email.utils import formatdate

import pytest
from msgspec.structs import replace

from pipeline.clean.feed_read import FeedRead
from pipeline.fetch import pages
from pipeline.fetch.source import FeedError
from tests.pipeline.fetch.pages.paged_rows import (
    BY_NUMBER,
    BY_OFFSET,
    Read,
    make_json,
    make_rows,
    read_query,
    serve_numbers,
    serve_offsets,
)  # fmt: skip
from tests.pipeline.fetch.web import PATIENT, Page, Web, serve_web

BY_NEXT = 'pages = { by = "next", path = "links.next" }\nrecords = "rows"'
BY_LINK = 'pages = { by = "link" }'


def list_ids(read: FeedRead) -> list[str]:
    return [record.source_id for record in read.records]


IDS = [str(number) for number in range(7)]


def serve_next(*, total: int | None = None) -> Callable[[str], Page]:
    """Three rows a page, with the address of the next in the page."""

    def answer(target: str) -> Page:
        begin = int(read_query(target).get("from", 0))
        following = f"/rows?from={begin + 3}" if begin + 3 < 7 else None
        members = {} if total is None else {"meta": {"total": total}}
        return make_json({"rows": make_rows(7)[begin : begin + 3], "links": {"next": following}, **members})

    return answer


def serve_links(target: str) -> Page:
    begin = int(read_query(target).get("from", 0))
    links = '<https://elsewhere.example/>; rel="help"'
    if begin + 3 < 7:
        links += f', </rows?from={begin + 3}>; rel="next"'
    return make_json(make_rows(7)[begin : begin + 3], headers={"Link": links})


@pytest.mark.parametrize(
    ("settings", "answer", "requests"),
    [
        (BY_OFFSET, serve_offsets(make_rows(7), size=3), ["", "offset=3", "offset=6", "offset=7"]),
        (
            'pages = { by = "offset", parameter = "$offset", size_parameter = "$limit", size = 3 }',
            serve_offsets(make_rows(7), size=3, parameter="$offset"),
            ["$limit=3", "$limit=3&$offset=3", "$limit=3&$offset=6", "$limit=3&$offset=7"],
        ),
        (
            # The server gives fewer rows than it is asked for.
            'pages = { by = "offset", size_parameter = "limit", size = 1000, total = "count" }\nrecords = "rows"',
            serve_offsets(make_rows(7), size=4, wrap=lambda rows: {"rows": rows, "count": 7}),
            ["limit=1000", "limit=1000&offset=4"],
        ),
        (BY_NUMBER, serve_numbers(make_rows(7), size=3), ["page=1", "page=2", "page=3", "page=4"]),
        (
            'pages = { by = "page", parameter = "page", first = 0 }',
            serve_numbers(make_rows(7), size=4, first=0),
            ["page=0", "page=1", "page=2"],
        ),
        (
            'pages = { by = "page", last = "page.total" }\nrecords = "rows"',
            serve_numbers(make_rows(7), size=3, wrap=lambda rows: {"rows": rows, "page": {"total": 3}}),
            ["page=1", "page=2", "page=3"],
        ),
        (BY_NEXT, serve_next(), ["", "from=3", "from=6"]),
        (BY_LINK, serve_links, ["", "from=3", "from=6"]),
    ],
    ids=[
        "by offset", "with a size", "capped by the server", "by number", "numbered from 0", "with the last number",
        "by the next address", "by the header Link",
    ],
)  # fmt: skip
def test_all_pages_are_one_feed(
    read_pages: Read, web: Web, settings: str, answer: Callable[[str], Page], requests: list[str]
) -> None:
    web.pages["/rows"] = answer
    read = read_pages(settings)
    assert (list_ids(read), read.quarantined) == (IDS, 0)
    assert [target.partition("?")[2] for target in web.targets] == requests


def test_where_a_page_says_that_no_other_follows_none_is_asked_for(read_pages: Read, web: Web) -> None:
    web.pages["/rows"] = serve_offsets(
        make_rows(7), size=4, wrap=lambda rows: {"rows": rows, "exceeded": True} if len(rows) == 4 else {"rows": rows}
    )
    assert list_ids(read_pages('records = "rows"\npages = { by = "offset", more = "exceeded" }')) == IDS
    assert len(web.requests) == 2


def test_what_the_address_says_of_a_size_and_a_place_stays_or_goes(read_pages: Read, web: Web) -> None:
    web.pages["/rows"] = serve_offsets(make_rows(7), size=5)
    settings = 'pages = { by = "offset", size_parameter = "limit", size = 100 }'
    assert list_ids(read_pages(settings, url=f"{web.url}/rows?q=a%20b&limit=5&offset=4")) == IDS
    assert web.targets[:2] == ["/rows?q=a%20b&limit=5", "/rows?q=a%20b&limit=5&offset=5"]


def test_features_of_geojson_are_rows_and_columns_of_any_page_count(read_pages: Read, web: Web) -> None:
    rows = [{**row, "rare": {"a": 1}} if row["id"] == 6 else row for row in make_rows(7)]
    features = [{"type": "Feature", "properties": row, "geometry": None} for row in rows]
    web.pages["/rows"] = serve_offsets(
        features, size=3, wrap=lambda some: {"type": "FeatureCollection", "features": some}
    )
    assert list_ids(read_pages()) == IDS


def test_a_problem_names_its_row_through_all_pages(read_pages: Read, web: Web) -> None:
    rows = make_rows(7)
    rows[5] |= {"start": "soon"}
    web.pages["/rows"] = serve_offsets(rows, size=3)
    read = read_pages()
    assert [(problem.line, problem.source_id) for problem in read.problems] == [(6, "5")]


def test_pages_without_a_row_are_a_feed_without_records(read_pages: Read, web: Web) -> None:
    web.pages["/rows"] = make_json([])
    assert read_pages().read == 0


@pytest.mark.parametrize(
    "settings", ['pages = { by = "page", empty = "no-such-page" }', 'pages = { by = "offset", empty = "no-such-page" }']
)
def test_a_server_may_say_with_404_that_there_is_no_such_page(read_pages: Read, web: Web, settings: str) -> None:
    gone = make_json({"code": "no-such-page"}, status=404)
    web.pages["/rows"] = make_json(make_rows(2))
    web.pages["/rows?page=1"] = make_json(make_rows(2))
    web.pages["/rows?page=2"] = web.pages["/rows?offset=2"] = gone
    assert list_ids(read_pages(settings)) == ["0", "1"]
    web.pages["/rows"] = web.pages["/rows?page=1"] = Page(b"<h1>404</h1>", status=404)
    with pytest.raises(FeedError, match="answers 404"):
        read_pages(settings)


def page_three(broken: Page) -> Callable[[str], Page]:
    return lambda target: broken if "6" in read_query(target).values() else serve_next(total=7)(target)


WITH_TOTAL = 'pages = { by = "next", path = "links.next", total = "meta.total" }\nrecords = "rows"'


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (Page(status=500), "answers 500 (3 times)"),
        (Page(status=404), "answers 404"),
        (Page(b'{"rows": [', headers={"Content-Type": "application/json"}), "is cut off"),
        (Page(b"<!doctype html><title>Busy</title>"), "is a web page (its title: “Busy”)"),
        (
            make_json({"error": {"code": 400, "message": "Unable to complete operation."}}),
            "there are: error. The server says: Unable to complete operation.",
        ),
        (make_json({"rows": [], "meta": {"total": 7}}), "is the last page, and 6 of 7 rows were read: it breaks off"),
        (make_json({"rows": make_rows(6)[3:], "meta": {"total": 7}}), "has the same rows as a page before it"),
        (
            make_json({"rows": make_rows(7)[6:], "links": {"next": "/rows"}, "meta": {"total": 7}}),
            "was read already: the pages have no end",
        ),
        (
            make_json({"rows": [], "links": {"next": "http://other.example/rows"}, "meta": {"total": 7}}),
            "names a next page of another server, http://other.example/rows",
        ),
    ],
)  # fmt: skip
def test_pages_that_break_off_are_reported_with_the_page_and_nothing_is_published(
    read_pages: Read, web: Web, broken: Page, message: str
) -> None:
    web.pages["/rows"] = page_three(broken)
    with pytest.raises(FeedError) as raised:
        read_pages(WITH_TOTAL)
    assert str(raised.value).startswith(f"feed agenda: {web.url}/rows")
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("settings", "answer", "pages"),
    [
        (BY_OFFSET, serve_offsets(make_rows(7), size=3), 4),
        (BY_NUMBER, serve_numbers(make_rows(7), size=3), 4),
        (BY_NEXT, serve_next(), 3),
        (BY_LINK, serve_links, 3),
    ],
    ids=["by offset", "by number", "by the next address", "by the header Link"],
)
@pytest.mark.parametrize(
    "broken",
    [Page(status=502), Page(status=410), Page(b"[{]"), Page(b""), Page(b"[{}", length=9), make_json({"message": "no"})],
    ids=["502", "410", "no JSON", "nothing", "cut off", "an error in place of rows"],
)
def test_whichever_page_fails_the_feed_is_not_read(
    read_pages: Read, web: Web, settings: str, answer: Callable[[str], Page], pages: int, broken: Page
) -> None:
    def break_page(number: int) -> Callable[[str], Page]:
        return lambda target: broken if len(set(web.targets)) == number else answer(target)

    for failing in range(1, pages + 1):
        web.requests.clear()
        web.pages["/rows"] = break_page(failing)
        with pytest.raises(FeedError):
            read_pages(settings)
        assert len(set(web.targets)) == failing


def test_a_server_may_count_on_its_first_page_alone(read_pages: Read, web: Web) -> None:
    web.pages["/rows"] = serve_offsets(make_rows(7), size=3, wrap=lambda rows: {"rows": rows})
    first = {"rows": make_rows(3), "total": 7}
    answer = web.pages["/rows"]
    web.pages["/rows"] = lambda target: make_json(first) if target == "/rows" else answer(target)
    assert list_ids(read_pages('records = "rows"\npages = { by = "offset", total = "total" }')) == IDS
    first["total"] = 8
    with pytest.raises(FeedError, match="7 of 8 rows were read: it breaks off"):
        read_pages('records = "rows"\npages = { by = "offset", total = "total" }')


def test_pages_go_on_where_a_redirect_leads_without_the_token(read_pages: Read, web: Web) -> None:
    with serve_web() as moved:
        web.pages["/rows"] = Page(status=301, headers={"Location": f"{moved.url}/rows"})
        moved.pages["/rows"] = serve_next()
        read = read_pages(f'{BY_NEXT}\nheaders = {{ X-App-Token = "${{TOKEN}}" }}')
        assert list_ids(read) == IDS
        assert (len(web.requests), len(moved.requests)) == (1, 3)
        assert {headers.get("x-app-token") for _, headers in moved.requests} == {None}


@pytest.mark.parametrize("settings", [BY_OFFSET, BY_NUMBER])
def test_a_server_that_does_not_know_the_parameter_is_told_of(read_pages: Read, web: Web, settings: str) -> None:
    web.pages["/rows"] = make_json(make_rows(7))
    with pytest.raises(FeedError, match="has the same rows as a page before it"):
        read_pages(settings)


def test_a_page_that_says_there_is_more_and_has_nothing_breaks_off(read_pages: Read, web: Web) -> None:
    web.pages["/rows"] = make_json({"rows": make_rows(2), "exceeded": True})
    web.pages["/rows?offset=2"] = make_json({"rows": [], "exceeded": True})
    with pytest.raises(FeedError, match="says that there are more rows, and has none"):
        read_pages('records = "rows"\npages = { by = "offset", more = "exceeded" }')


def test_rows_that_change_while_they_are_read_are_read_again(read_pages: Read, web: Web) -> None:
    """The first row goes behind the first page: without a second walk the fourth would be missing."""
    rows = make_rows(7)

    def answer(target: str) -> Page:
        page = serve_offsets(list(rows), size=3, wrap=lambda some: {"rows": some, "total": len(rows)})(target)
        if len(web.requests) == 1:
            rows.pop(0)
        return page

    web.pages["/rows"] = answer
    assert list_ids(read_pages('records = "rows"\npages = { by = "offset", total = "total" }')) == IDS[1:]


def test_rows_that_never_stand_still_are_told_of(read_pages: Read, web: Web) -> None:
    web.pages["/rows"] = serve_offsets(
        make_rows(7), size=3, wrap=lambda some: {"rows": some, "total": 100 + len(web.requests)}
    )
    with pytest.raises(FeedError, match="counts other rows than the page before it"):
        read_pages('records = "rows"\npages = { by = "offset", total = "total" }')
    assert len(web.requests) == 6


def test_all_pages_together_are_bounded(read_pages: Read, web: Web) -> None:
    web.pages["/rows"] = lambda target: make_json([{"id": target, "title": "x" * 400}])
    with pytest.raises(FeedError, match="max_bytes"):
        read_pages(f"max_bytes = 5000\n{BY_NUMBER}")
    assert 10 < len(web.requests) < 14


def test_pages_are_counted(read_pages: Read, web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MOST_PAGES", 5)
    web.pages["/rows"] = lambda target: make_json([{"id": target, "title": "x"}])
    with pytest.raises(FeedError, match=r"page=6: is page 6; allowed: 5"):
        read_pages(BY_NUMBER)


def test_empty_pages_that_name_others_come_to_an_end(
    read_pages: Read, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "MOST_EMPTY", 4)
    web.pages["/rows"] = lambda target: make_json({"rows": [], "links": {"next": f"?from={len(web.requests)}"}})
    with pytest.raises(FeedError, match="is the 4th page in a row without rows, and names another"):
        read_pages(BY_NEXT)


def test_a_server_that_asks_for_a_pause_between_pages_gets_it(read_pages: Read, web: Web) -> None:
    until = int(time.time()) + 2
    busy = make_json(make_rows(7)[3:6], statuses=[429], headers={"Retry-After": formatdate(until, usegmt=True)})
    web.pages["/rows"] = serve_offsets(make_rows(7), size=3)
    web.pages["/rows?offset=3"] = busy
    assert list_ids(read_pages(policy=replace(PATIENT, rest=5.0))) == IDS
    assert time.time() >= until


def test_headers_with_a_token_go_along_with_each_page(read_pages: Read, web: Web) -> None:
    web.pages["/rows"] = serve_offsets(make_rows(7), size=3)
    read_pages(f'{BY_OFFSET}\nheaders = {{ X-App-Token = "${{TOKEN}}" }}')
    assert {headers.get("x-app-token") for _, headers in web.requests} == {"secret"}


def test_a_message_shows_the_place_of_a_page_and_no_key(read_pages: Read, web: Web) -> None:
    web.pages["/rows"] = serve_offsets(make_rows(7), size=3)
    web.pages["/rows?key=hidden&offset=3"] = Page(status=403)
    with pytest.raises(FeedError) as raised:
        read_pages(url=f"{web.url}/rows?key=hidden")
    assert "/rows?key=…&offset=3: answers 403" in str(raised.value)


def test_a_key_that_a_server_repeats_is_not_shown(read_pages: Read, web: Web) -> None:
    web.pages["/rows"] = make_json({"error": "Bearer sesame-7 and key=hidden-4 are unknown"})
    with pytest.raises(FeedError) as raised:
        read_pages(
            f'{BY_OFFSET}\nheaders = {{ Authorization = "Bearer sesame-7" }}', url=f"{web.url}/rows?key=hidden-4"
        )
    assert "The server says: … and key=… are unknown" in str(raised.value)


def test_a_body_is_read_as_its_server_says(read_pages: Read, web: Web) -> None:
    content = json.dumps([{**make_rows(1)[0], "title": "Niños"}], ensure_ascii=False).encode("cp1252")
    web.pages["/rows"] = Page(content, headers={"Content-Type": "application/json; charset=windows-1252"})
    web.pages["/rows?offset=1"] = make_json([])
    assert [record.name for record in read_pages().records] == ["Niños"]
