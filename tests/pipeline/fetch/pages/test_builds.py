"""Builds of a feed with pages: what is asked for again, what is kept, and what stops a build."""

import pytest
from msgspec.structs import replace

from pipeline.fetch.source import FeedError
from pipeline.resolve.shrink_guard import ShrinkRefusal
from tests.pipeline.fetch.pages.paged_rows import BY_OFFSET, Make, make_json, make_rows, serve_offsets
from tests.pipeline.fetch.web import Page, Web


def test_rows_that_are_the_same_are_not_read_again(build: Make, web: Web) -> None:
    web.pages["/rows"] = serve_offsets(make_rows(7), size=3)
    first = build()
    again = build("2026-12-02")
    read_at = again.feeds[0].memory.read_at
    assert (again.changes, again.feeds[0].memory) == ({}, replace(first.feeds[0].memory, read_at=read_at))


@pytest.mark.long
def test_pages_that_break_off_leave_the_release_as_it_is_and_a_feed_that_lost_most_is_refused(
    build: Make, web: Web
) -> None:
    web.pages["/rows"] = serve_offsets(make_rows(7), size=3)
    build()
    web.pages["/rows?offset=6"] = Page(status=500)
    stopping = f'{BY_OFFSET}\non_error = "stop"'
    with pytest.raises(FeedError):
        build("2026-12-02", stopping)
    web.pages = {"/rows": make_json([])}
    with pytest.raises(ShrinkRefusal):
        build("2026-12-02", stopping)
