"""Servers of rows in pages, as a test wants them, and the settings of a feed that walks through them."""

import json
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import parse_qs, urlsplit

from pipeline.building import BuildResult
from pipeline.clean.feed_read import FeedRead
from tests.pipeline.fetch.web import Page

Row = dict[str, Any]
Read = Callable[..., FeedRead]
Make = Callable[..., BuildResult]
BY_OFFSET = 'pages = { by = "offset" }'
BY_NUMBER = 'pages = { by = "page" }'
MAP = """
[feeds.map]
type = { value = "event" }
source_id = "id"
name = "title"
starts_local = "start"
"""


def make_rows(count: int) -> list[Row]:
    return [{"id": number, "title": f"Event {number}", "start": "2026-12-05T10:00:00"} for number in range(count)]


def read_query(target: str) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(urlsplit(target).query).items()}


def make_json(content: Any, **members: Any) -> Page:
    headers = {"Content-Type": "application/json"} | members.pop("headers", {})
    return Page(json.dumps(content).encode(), headers=headers, **members)


def serve_offsets(
    rows: Sequence[Row], *, size: int, parameter: str = "offset", wrap: Callable[[list[Row]], Any] = lambda rows: rows
) -> Callable[[str], Page]:
    """Serve at most `size` rows from the offset on."""

    def answer(target: str) -> Page:
        begin = int(read_query(target).get(parameter, 0))
        return make_json(wrap(list(rows[begin : begin + size])))

    return answer


def serve_numbers(
    rows: Sequence[Row], *, size: int, first: int = 1, wrap: Callable[[list[Row]], Any] = lambda rows: rows
) -> Callable[[str], Page]:
    """The page of the number, `first` and up."""

    def answer(target: str) -> Page:
        begin = (int(read_query(target).get("page", first)) - first) * size
        return make_json(wrap(list(rows[begin : begin + size])))

    return answer
