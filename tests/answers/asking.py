"""Ask as a client does: a path and a query string, through the one door, to JSON."""

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from typing import Any
from urllib.parse import urlencode

from outings.answers.plan import AnswerContext
from outings.answers.routes import Answer, answer, make_plan
from outings.answers.weather import Weather
from outings.contract.parameters import ZIPS
from outings.contract.query import Entitlement, Query, parse_query
from outings.contract.routes import match_route
from outings.contract.vocabulary import Vocabulary
from outings.release.snapshot import Release
from tests.answers.generated import TODAY
from tests.contract.conformance import check_success

ALL = Entitlement()
MOST_PAGES = 500


def parse(path: str, params: Mapping[str, str] | None = None) -> Query:
    match = match_route(path)
    assert match is not None, path
    return parse_query(match, urlencode(params or {}).encode(), vocabulary=Vocabulary(), enabled=ZIPS)


def ask(
    release: Release,
    path: str,
    params: Mapping[str, str] | None = None,
    *,
    today: date = TODAY,
    minute: datetime | None = None,
    entitlement: Entitlement = ALL,
    weather: Mapping[str, Weather] = {},
) -> Answer:
    """Checks on the way that the ETag is the same without the body, and the body as the contract declares it."""
    query, dates = parse(path, params), dict.fromkeys(release.metros, today)
    minute = minute or make_noon(today)
    context: dict[str, Any] = {"dates": dates, "entitlement": entitlement, "minute": minute, "weather": weather}
    made = answer(query, release=release, **context)
    assert made.etag == make_plan(query, AnswerContext(release=release, **context)).etag
    check_success(f"{path}?{urlencode(params or {})}", b"".join(made.parts))
    return made


def make_noon(today: date) -> datetime:
    """Return noon in New York, whose zone the made-up worlds have."""
    return datetime.combine(today, time(16), UTC)


def read(made: Answer) -> dict[str, Any]:
    body = json.loads(b"".join(made.parts))
    assert isinstance(body, dict)
    return body


def fetch(release: Release, path: str, params: Mapping[str, str] | None = None, **context: Any) -> dict[str, Any]:
    return read(ask(release, path, params, **context))


def follow_cursor(
    release: Release, path: str, params: Mapping[str, str], *, today: date = TODAY, then: Release | None = None
) -> list[list[dict[str, Any]]]:
    """Return the pages of a list by cursor. All after the first come from `then` if given, as if the first release were
    closed."""
    body = fetch(release, path, params, today=today)
    pages = [body["data"]]
    while body["meta"]["next_cursor"] is not None:
        assert body["meta"]["has_more"]
        assert len(pages) < MOST_PAGES, "these pages never end"
        query = parse(path, {**params, "cursor": body["meta"]["next_cursor"]})
        assert query.cursor is not None
        body = fetch(then or release, path, {**params, "cursor": body["meta"]["next_cursor"]}, today=query.cursor.date)
        assert body["meta"].get("page") is None
        pages.append(body["data"])
    assert not body["meta"]["has_more"]
    return pages


def read_by_number(release: Release, path: str, params: Mapping[str, str]) -> list[list[dict[str, Any]]]:
    pages: list[list[dict[str, Any]]] = []
    while True:
        body = fetch(release, path, {**params, "page": str(len(pages) + 1)})
        pages.append(body["data"])
        if not body["meta"]["has_more"]:
            return pages


def read_all(release: Release, path: str, params: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return every item of the list, by cursor."""
    return [item for page in follow_cursor(release, path, params) for item in page]
