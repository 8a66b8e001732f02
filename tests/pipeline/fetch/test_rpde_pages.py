"""Pages of RPDE one after the other: what software writes round them and means nothing by, and which have no end."""

import asyncio
import json
from collections.abc import Callable
from io import BytesIO
from typing import cast

import httpx2
import pytest

from outings.configuration import FeedTable
from pipeline.fetch.http_client import FeedClient, FetchResult
from pipeline.fetch.opening import RETRY_POLICY
from pipeline.fetch.pages import MOST_EMPTY, PagingError
from pipeline.fetch.rpde import MOST_PAGES, ItemPageReader


class AnsweredPageReader(ItemPageReader, kw_only=True):
    """A reader whose pages `answer` gives, by their number from 1 and their address."""

    answer: Callable[[int, str], bytes]
    requests: list[str]

    async def fetch_page(self, url: str) -> tuple[bytes, FetchResult]:
        self.requests.append(url)
        return self.answer(len(self.requests), url), FetchResult(is_unchanged=False, url=url)


def read_pages(begin: str, answer: Callable[[int, str], bytes]) -> AnsweredPageReader:
    feed = FeedTable(name="oa", format="rpde", url=begin)
    client = FeedClient(cast("httpx2.AsyncClient", None), feed, RETRY_POLICY)
    reader = AnsweredPageReader(
        client=client, target=BytesIO(), tell=print, left=100_000, most=MOST_PAGES, answer=answer, requests=[]
    )  # fmt: skip
    reader.last = asyncio.run(reader.run(begin))
    return reader


def read_target(reader: AnsweredPageReader) -> bytes:
    return cast("BytesIO", reader.target).getvalue()


@pytest.mark.parametrize(
    ("begin", "following"),
    [
        ("https://a.example/feed", "https://a.example:443/feed?p=2"),
        ("https://a.example:443/feed", "https://a.example/feed?p=2"),
        ("http://a.example/feed", "http://a.example:80/feed?p=2"),
        ("https://a.example/feed", "http://a.example:80/feed?p=2"),
        ("http://a.example/feed", "https://a.example/feed?p=2"),
    ],
)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_default_port_is_the_same_server_and_a_byte_order_mark_no_fault(
    begin: str, following: str, mark: bytes
) -> None:
    reader = read_pages(
        begin,
        lambda number, _: mark + json.dumps({"next": following, "items": [{"id": "1"}][: 2 - number]}).encode(),
    )
    assert (reader.rows, read_target(reader)) == (1, b'{"id": "1"}\n')
    assert len(reader.requests) == 2


def test_pages_that_are_empty_and_each_name_another_end_with_an_error() -> None:
    requests: list[int] = []

    def answer(number: int, _: str) -> bytes:
        requests.append(number)
        return json.dumps({"next": f"/feed?p={number}", "items": []}).encode()

    with pytest.raises(PagingError, match="is the 100th page in a row without rows, and names another"):
        read_pages("https://a.example/", answer)
    assert len(requests) == MOST_EMPTY


def test_pages_that_are_empty_between_others_are_read_on() -> None:
    """A publisher may leave out private items of a page and send it empty."""

    def answer(number: int, _: str) -> bytes:
        items = [{"id": number}] if number % 90 == 0 else []
        return json.dumps({"next": f"/feed?p={min(number, 300)}", "items": items}).encode()

    reader = read_pages("https://a.example/", answer)
    assert (reader.rows, len(reader.requests)) == (3, 301)


def test_half_a_surrogate_pair_becomes_a_question_mark_and_nan_null() -> None:
    page = b'{"next": "/feed?p=2", "items": [{"id": "1", "name": "cut \\ud83d"}, {"id": "2", "price": NaN}]}'
    pages = [page, b'{"next": "/feed?p=2", "items": []}']
    reader = read_pages("https://a.example/feed", lambda number, _: pages[number - 1])
    assert [json.loads(line) for line in read_target(reader).splitlines()] == [
        {"id": "1", "name": "cut ?"},
        {"id": "2", "price": None},
    ]


def test_an_empty_feed_is_its_own_last_page() -> None:
    reader = read_pages("https://a.example/", lambda _, url: json.dumps({"next": url, "items": []}).encode())
    assert (reader.rows, reader.last) == (0, "https://a.example/")


def test_a_web_page_in_place_of_a_page_of_items_is_an_error() -> None:
    with pytest.raises(PagingError, match=r"is a web page \(its title: “Sign in”\)"):
        read_pages("https://a.example/", lambda *_: b"<!DOCTYPE html>\n<title>Sign in</title>")
