"""Pages of RPDE one after the other: what software writes round them and means nothing by, and which have no end."""

import asyncio
import json
from io import BytesIO

import pytest

from pipeline.feeds.addresses import WalkError
from pipeline.feeds.rpde import MOST_EMPTY, walk_pages


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
def test_a_scheme_s_own_port_is_no_other_server_and_a_mark_before_a_page_no_fault(
    begin: str, following: str, mark: bytes
) -> None:
    requests: list[str] = []

    async def fetch(url: str, *, most: int) -> bytes:
        assert most == 10_000
        requests.append(url)
        items = [{"id": "1"}] if len(requests) == 1 else []
        return mark + json.dumps({"next": following, "items": items}).encode()

    target = BytesIO()
    walk = asyncio.run(walk_pages(begin, fetch=fetch, target=target, most=10_000, tell=requests.append))
    assert (walk.items, target.getvalue()) == (1, b'{"id": "1"}\n')
    assert len(requests) == 2


def test_pages_that_are_empty_and_each_name_another_end_with_an_error() -> None:
    requests: list[str] = []

    async def fetch(url: str, *, most: int) -> bytes:
        requests.append(url)
        return json.dumps({"next": f"/feed?p={len(requests)}", "items": []}).encode()

    with pytest.raises(WalkError, match="is the 100th page in a row without items, and not the last"):
        asyncio.run(walk_pages("https://a.example/", fetch=fetch, target=BytesIO(), most=10_000, tell=requests.append))
    assert len(requests) == MOST_EMPTY


def test_pages_that_are_empty_between_others_are_read_on() -> None:
    """As where a publisher takes a page of what it has and leaves out what is not for all."""
    requests: list[str] = []

    async def fetch(url: str, *, most: int) -> bytes:
        requests.append(url)
        number = len(requests)
        items = [{"id": number}] if number % 90 == 0 else []
        return json.dumps({"next": f"/feed?p={min(number, 300)}", "items": items}).encode()

    walk = asyncio.run(
        walk_pages("https://a.example/", fetch=fetch, target=BytesIO(), most=100_000, tell=lambda _: None)
    )
    assert (walk.items, len(requests)) == (3, 301)


def test_half_a_sign_or_no_number_costs_no_more_than_itself() -> None:
    page = b'{"next": "/feed", "items": [{"id": "1", "name": "cut \\ud83d"}, {"id": "2", "price": NaN}]}'
    pages = iter([page.replace(b"/feed", b"/feed?p=2"), b'{"next": "/feed?p=2", "items": []}'])

    async def fetch(url: str, *, most: int) -> bytes:
        return next(pages)

    target = BytesIO()
    asyncio.run(walk_pages("https://a.example/feed", fetch=fetch, target=target, most=1_000, tell=lambda _: None))
    assert [json.loads(line) for line in target.getvalue().splitlines()] == [
        {"id": "1", "name": "cut ?"},
        {"id": "2", "price": None},
    ]


def test_an_empty_feed_is_its_own_last_page() -> None:
    async def fetch(url: str, *, most: int) -> bytes:
        return json.dumps({"next": url, "items": []}).encode()

    walk = asyncio.run(walk_pages("https://a.example/", fetch=fetch, target=BytesIO(), most=100, tell=lambda _: None))
    assert (walk.items, walk.next) == (0, "https://a.example/")


def test_a_web_page_in_place_of_a_page_of_items_is_told() -> None:
    async def fetch(url: str, *, most: int) -> bytes:
        return b"<!DOCTYPE html>\n<title>Sign in</title>"

    with pytest.raises(WalkError, match=r"is a web page \(its title: “Sign in”\)"):
        asyncio.run(walk_pages("https://a.example/", fetch=fetch, target=BytesIO(), most=100, tell=print))
