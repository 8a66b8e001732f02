"""Builds of a feed with pages: what is asked for again, what is kept, and what stops a build."""

from collections.abc import Callable

import pytest

from pipeline.feeds import pages
from pipeline.feeds.source import FeedError
from pipeline.shrink_guard import ShrinkRefusal
from tests.pipeline.feeds.pages.paged_rows import BY_OFFSET, Make, make_json, make_rows, serve_offsets
from tests.pipeline.feeds.web import Page, Web


def serve_with_etags(count: int) -> dict[str, Page | Callable[[str], Page]]:
    rows = make_rows(count)
    pages = {f"/rows?offset={begin}": make_json(rows[begin : begin + 3]) for begin in (3, 6, count)}
    pages["/rows"] = make_json(rows[:3])
    for page in pages.values():
        page.etag = f'"{hash(page.body)}"'
    return dict(pages)


def test_pages_that_are_all_as_they_were_are_neither_sent_nor_read_again(build: Make, web: Web) -> None:
    web.pages = serve_with_etags(7)
    first = build()
    assert first.changes == {"created": 7}
    web.requests.clear()
    again = build("2026-12-02")
    assert [headers.get("if-none-match") is not None for _, headers in web.requests] == [True] * 4
    assert (again.changes, again.feeds[0].memory) == ({}, first.feeds[0].memory)

    web.pages = serve_with_etags(8)
    assert build("2026-12-02").changes == {"created": 1}
    web.pages = serve_with_etags(7)
    assert build("2026-12-02").changes == {"removed": 1}


def test_rows_that_are_the_same_without_validators_are_not_read_again(build: Make, web: Web) -> None:
    web.pages["/rows"] = serve_offsets(make_rows(7), size=3)
    first = build()
    again = build("2026-12-02")
    assert (again.changes, again.feeds[0].memory) == ({}, first.feeds[0].memory)
    assert first.feeds[0].memory.pages == ()


def test_validators_of_very_many_pages_are_not_kept(build: Make, web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MOST_REMEMBERED", 3)
    web.pages = serve_with_etags(7)
    assert build().feeds[0].memory.pages == ()


@pytest.mark.long
def test_a_walk_that_broke_off_leaves_the_release_as_it_is_and_one_that_lost_most_is_stopped(
    build: Make, web: Web
) -> None:
    web.pages["/rows"] = serve_offsets(make_rows(7), size=3)
    build()
    web.pages["/rows?offset=6"] = Page(status=500)
    with pytest.raises(FeedError):
        build("2026-12-02", f"{BY_OFFSET}\n")
    web.pages = {"/rows": make_json([])}
    with pytest.raises(ShrinkRefusal):
        build("2026-12-02")
