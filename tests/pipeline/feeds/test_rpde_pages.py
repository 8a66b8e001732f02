"""What software writes round pages of RPDE, and means nothing by."""

import asyncio
import json
from io import BytesIO

import pytest

from pipeline.feeds.rpde.walking import walk_pages


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
    asked: list[str] = []

    async def fetch(url: str, *, most: int) -> bytes:
        assert most == 10_000
        asked.append(url)
        items = [{"id": "1"}] if len(asked) == 1 else []
        return mark + json.dumps({"next": following, "items": items}).encode()

    target = BytesIO()
    walk = asyncio.run(walk_pages(begin, fetch=fetch, target=target, most=10_000, tell=asked.append))
    assert (walk.items, target.getvalue()) == (1, b'{"id": "1"}\n')
    assert len(asked) == 2
