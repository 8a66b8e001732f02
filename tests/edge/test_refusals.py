"""Hostile requests, by hand: each is refused in the contract's words, and says whose fault it was and why."""

from collections.abc import Iterator

import pytest

from tests.edge.asking import ask
from tests.edge.conftest import Service
from tests.edge.publishing import make_id

EVENTS = "/v1/harbor/events"
DETAIL = f"/v1/events/{make_id('harbor-event-1')}"
MEGABYTES = 2 * 2**20

# Query, the parameter at fault, the reason.
REFUSED: list[tuple[str, str | None, str]] = [
    # Size
    ("neighborhood=" + "a" * MEGABYTES, None, "out_of_range"),
    ("&" * MEGABYTES, None, "out_of_range"),
    ("a=b&" * (MEGABYTES // 4), None, "out_of_range"),
    ("category=" + "," * MEGABYTES, None, "out_of_range"),
    ("x" * 16_000 + "=1", "x" * 100, "unknown_parameter"),
    ("neighborhood=" + "a" * 201, "neighborhood", "out_of_range"),
    ("ids=" + ",".join(make_id(str(n)) for n in range(101)), "ids", "out_of_range"),
    # Commas
    ("category=" + "," * 16_000, "category", "invalid_value"),
    ("category=swim_water,,nature_outdoors", "category", "invalid_value"),
    ("category=", "category", "invalid_value"),
    ("weekday=monday,%2C", "weekday", "invalid_value"),
    ("age=4,5", "age", "invalid_value"),
    # NUL and other control characters, and what is no UTF-8
    ("neighborhood=%00", "neighborhood", "invalid_value"),
    ("neighborhood=bal%00lard", "neighborhood", "invalid_value"),
    ("neighborhood=bal\x00lard", "neighborhood", "invalid_value"),
    ("neighborhood=a%C2%85b", "neighborhood", "invalid_value"),
    ("neighborhood=a%E2%80%A8b", "neighborhood", "invalid_value"),
    ("category=swim_water%00", "category", "invalid_value"),
    ("limit=5%00", "limit", "invalid_value"),
    ("place_id=" + make_id("x") + "%00", "place_id", "invalid_value"),
    ("%00=1", "\x00", "unknown_parameter"),
    ("limit%00=1", "limit\x00", "unknown_parameter"),
    ("neighborhood=%FF", "neighborhood", "invalid_value"),
    ("neighborhood=%C0%AF", "neighborhood", "invalid_value"),
    ("neighborhood=%ED%A0%80", "neighborhood", "invalid_value"),
    ("neighborhood=%F4%90%80%80", "neighborhood", "invalid_value"),
    ("%FF=1", None, "invalid_value"),
    # Numbers
    ("limit=-0", "limit", "invalid_value"),
    ("limit=%2B5", "limit", "invalid_value"),
    ("limit=+5", "limit", "invalid_value"),
    ("limit=05", "limit", "invalid_value"),
    ("limit=5.0", "limit", "invalid_value"),
    ("limit=1e1", "limit", "invalid_value"),
    ("limit=0x10", "limit", "invalid_value"),
    ("limit=1_0", "limit", "invalid_value"),
    ("limit=%D9%A5", "limit", "invalid_value"),  # 5 in Arabic digits
    ("limit=%EF%BC%95", "limit", "invalid_value"),  # 5 in full width
    ("limit=%E2%82%85", "limit", "invalid_value"),  # 5 as a subscript
    ("limit=-1", "limit", "out_of_range"),
    ("limit=0", "limit", "out_of_range"),
    ("limit=201", "limit", "out_of_range"),
    ("limit=" + "9" * 10_000, "limit", "out_of_range"),
    ("limit=-" + "9" * 10_000, "limit", "out_of_range"),
    ("limit=1&limit=2", "limit", "contradictory"),
    ("page=0", "page", "out_of_range"),
    ("page=10001", "page", "out_of_range"),
    ("page=18446744073709551617", "page", "out_of_range"),
    ("age=-0", "age", "invalid_value"),
    ("age=121", "age", "out_of_range"),
    ("min_confidence=NaN", "min_confidence", "invalid_value"),
    ("min_confidence=Infinity", "min_confidence", "invalid_value"),
    ("min_confidence=1e400", "min_confidence", "invalid_value"),
    ("min_confidence=1.0000001", "min_confidence", "out_of_range"),
    ("min_confidence=0,7", "min_confidence", "invalid_value"),
    ("max_price=-0.01", "max_price", "out_of_range"),
    ("max_price=1" + "0" * 300, "max_price", "out_of_range"),
    ("lat=%D9%A4%D9%A7&lng=1", "lat", "invalid_value"),
    ("lat=91&lng=0", "lat", "out_of_range"),
    ("lat=0&lng=180.0000001", "lng", "out_of_range"),
    ("lat=47", "lng", "missing_parameter"),
    ("lng=47", "lat", "missing_parameter"),
    ("radius_m=2000", "lat", "missing_parameter"),
    ("lat=1&lng=1&radius_m=99", "radius_m", "out_of_range"),
    ("lat=1&lng=1&radius_m=50001", "radius_m", "out_of_range"),
    # Dates and times
    ("from=0000-01-01", "from", "invalid_value"),
    ("from=0000-00-00", "from", "invalid_value"),
    ("from=0001-01-01", "from", "out_of_range"),
    ("from=9999-12-31", "from", "out_of_range"),
    ("to=0001-01-01", "to", "out_of_range"),
    ("to=9999-12-31", "to", "out_of_range"),
    ("from=10000-01-01", "from", "invalid_value"),
    ("from=-0001-01-01", "from", "invalid_value"),
    ("from=2026-02-29", "from", "invalid_value"),
    ("from=2026-8-1", "from", "invalid_value"),
    ("from=20260810", "from", "invalid_value"),
    ("from=2026-W33-1", "from", "invalid_value"),
    ("from=2026-08-10T00:00:00Z", "from", "invalid_value"),
    ("from=%D9%A2%D9%A0%D9%A2%D9%A6-08-10", "from", "invalid_value"),
    ("from=2026-08-10&to=2026-08-09", "to", "contradictory"),
    ("to=2026-08-09", "to", "contradictory"),
    ("from=2026-08-10&to=2027-08-12", "to", "window_too_long"),
    ("changed_since=0000-01-01T00:00:00Z", "changed_since", "invalid_value"),
    ("changed_since=0001-01-01T00:00:00%2B14:00", "changed_since", "invalid_value"),
    ("changed_since=0001-01-01T00:00:00Z", "changed_since", "out_of_range"),
    ("changed_since=9999-12-31T23:59:59-14:00", "changed_since", "invalid_value"),
    ("changed_since=9999-12-31T23:59:59Z", "changed_since", "out_of_range"),
    ("changed_since=2026-08-10T24:00:00Z", "changed_since", "invalid_value"),
    ("changed_since=2026-08-10T23:59:60Z", "changed_since", "invalid_value"),
    ("changed_since=2026-08-10T00:00:00", "changed_since", "invalid_value"),
    ("changed_since=%D9%A2%D9%A0%D9%A2%D9%A6-08-10T00:00:00Z", "changed_since", "invalid_value"),
    ("changed_since=1786379400", "changed_since", "invalid_value"),
    ("changed_since=2026-08-10T00:00:00Z&page=1", "page", "contradictory"),
    ("changed_since=2026-08-10T00:00:00Z&occurrences=expand", "occurrences", "contradictory"),
    ("occurrences=expand&from=9999-12-31", "from", "out_of_range"),
    ("occurrences=expand&to=0001-01-01", "to", "out_of_range"),
    ("occurrences=expand&from=2026-08-10&to=2026-09-10", "to", "window_too_long"),
    ("start_after=24:00", "start_after", "invalid_value"),
    ("start_after=09:60", "start_after", "invalid_value"),
    ("start_before=09:00:00", "start_before", "invalid_value"),
    ("start_after=%D9%A0%D9%A9:00", "start_after", "invalid_value"),
    # Words
    ("free=TRUE", "free", "invalid_value"),
    ("free=1", "free", "invalid_value"),
    ("free=true&free=true", "free", "contradictory"),
    ("category=knitting", "category", "invalid_value"),
    ("team=mets", "team", "invalid_value"),
    ("audience=everyone", "audience", "invalid_value"),
    ("category=" + "swim_water" * 1_000, "category", "invalid_value"),
    ("place_id={" + make_id("x") + "}", "place_id", "invalid_value"),
    ("place_id=urn:uuid:" + make_id("x"), "place_id", "invalid_value"),
    ("fields=" + "location." * 1_500 + "lat", "fields", "invalid_value"),
    ("fields=__class__", "fields", "invalid_value"),
    ("fields=*", "fields", "invalid_value"),
    ("fields=location..lat", "fields", "invalid_value"),
    ("limt=5", "limt", "unknown_parameter"),
    ("Limit=5", "Limit", "unknown_parameter"),
    ("limit[]=5", "limit[]", "unknown_parameter"),
    ("limit;page=5", "limit;page", "unknown_parameter"),
    ("openings=true", "openings", "parameter_not_supported"),
    ("include=related", "include", "include_not_supported"),
    ("occurrences=EXPAND", "occurrences", "invalid_value"),
    # Texts
    ("q=", "q", "invalid_value"),
    ("q=a%00b", "q", "invalid_value"),
    ("q=" + "a" * 201, "q", "out_of_range"),
    ("q=" + "-" * 200, "q", "nothing_searchable"),
    ("q=" + "%22" * 199, "q", "nothing_searchable"),
    ("q=" + "OR+" * 60, "q", "nothing_searchable"),
    ("q=" + "%28" * 200, "q", "nothing_searchable"),
    ("q=%CC%81", "q", "nothing_searchable"),  # an accent alone
    ("q=%F0%9F%92%A5", "q", "nothing_searchable"),
    ("q=zoo&q=zoo", "q", "contradictory"),
    # Ids and facets
    ("ids=" + "," * 16_000, "ids", "invalid_value"),
    ("ids=" + make_id("x") + "%00", "ids", "invalid_value"),
    ("ids=%D9%A3" + make_id("x")[1:], "ids", "invalid_value"),
    ("ids=" + ",".join([make_id("x")] * 3_000), None, "out_of_range"),
    ("ids=" + make_id("x") + "&changed_since=2026-08-10T00:00:00Z", "changed_since", "contradictory"),
    ("ids=" + make_id("x") + "&cursor=AAAA", "cursor", "contradictory"),
    ("facets=category,,weekday", "facets", "invalid_value"),
    ("facets=neighborhood", "facets", "invalid_value"),
    ("facets=category&limit=-0", "limit", "invalid_value"),
    ("facets=category&limit=-1", "limit", "out_of_range"),
    # Cursors
    ("cursor=", "cursor", "invalid_value"),
    ("cursor=%00", "cursor", "invalid_value"),
    ("cursor=AAAA", "cursor", "cursor_malformed"),
    ("cursor=" + "A" * 2_001, "cursor", "cursor_malformed"),
    ("cursor=" + "A" * 16_000, "cursor", "cursor_malformed"),
    ("cursor=%F0%9F%92%A5", "cursor", "cursor_malformed"),
    ("cursor=places:10", "cursor", "cursor_malformed"),
    ("cursor=-1", "cursor", "cursor_malformed"),
    ("cursor=AAAA&cursor=AAAA", "cursor", "contradictory"),
    ("cursor=AAAA&page=2", "page", "contradictory"),
]


def check_refusal(service: Service, target: str, *, param: str | None, reason: str, kind: str = "all") -> None:
    got = service.get(target, kind=kind)
    assert (got.status, got.error["code"]) == (400, "bad_request"), got.body[:300]
    details = got.error["details"]
    assert (details.get("param"), details["reason"]) == (param, reason)
    assert len(got.body) < 3_000


@pytest.mark.parametrize(
    ("query", "param", "reason"), REFUSED, ids=[f"{n}-{query[:30]!r}" for n, (query, _, _) in enumerate(REFUSED)]
)
def test_a_hostile_query_is_refused(service: Service, query: str, param: str | None, reason: str) -> None:
    check_refusal(service, f"{EVENTS}?{query}", param=param, reason=reason)


ANSWERED = [
    "&&&&", "limit=1&&", "category=" + ",".join(["swim_water"] * 1_000),
    "&".join(["team=kraken"] * 1_000), "category=%20swim_water%20", "min_confidence=-0", "min_confidence=1e-3",
    "lat=-0&lng=-0", "lat=90&lng=-180&radius_m=50000", "from=1900-01-01", "from=2199-12-31", "to=2027-08-11",
    "%6C%69%6D%69%74=1", "from=2026-08-10&to=2027-08-11", "page=10000", "neighborhood=%F0%9F%92%A5",
    "neighborhood='%3B%20DROP%20TABLE%20listings%3B--", "neighborhood=" + "%25" * 200,
    "place_id=" + make_id("x").upper(), "start_after=23:59:59&start_before=00:00",
]  # fmt: skip


@pytest.mark.parametrize("query", ANSWERED, ids=[f"{n}-{query[:30]!r}" for n, query in enumerate(ANSWERED)])
def test_a_strange_query_that_means_something_is_answered(service: Service, query: str) -> None:
    assert service.get(f"{EVENTS}?{query}").status == 200


@pytest.mark.parametrize(
    ("query", "param", "reason"),
    [
        ("", "from", "missing_parameter"),
        ("from=2026-08-10", "to", "missing_parameter"),
        ("from=0000-01-01&to=0000-01-02", "from", "invalid_value"),
        ("from=0001-01-01&to=0001-01-02", "from", "out_of_range"),
        ("from=9999-12-30&to=9999-12-31", "from", "out_of_range"),
        ("from=2026-08-10&to=2026-08-09", "to", "contradictory"),
        ("from=2026-08-10&to=2026-10-11", "to", "window_too_long"),
        *(
            (f"from=2026-08-10&to=2026-08-11&{name}={value}", name, "parameter_not_supported")
            for name, value in {
                "cursor": "AAAA", "page": "1", "limit": "0", "fields": "date", "expand": "place", "q": "zoo",
                "changed_since": "2026-08-10T00:00:00Z", "facets": "category", "occurrences": "expand", "ids": "x",
            }.items()
        ),
    ],
)  # fmt: skip
def test_a_hostile_calendar_is_refused(service: Service, query: str, param: str, reason: str) -> None:
    check_refusal(service, f"{EVENTS}/calendar?{query}", param=param, reason=reason)


@pytest.mark.parametrize("query", ["age=4", "from=2026-08-10", "cursor=AAAA", "limit=5", "facets=category"])
def test_what_a_detail_does_not_take_is_refused(service: Service, query: str) -> None:
    check_refusal(service, f"{DETAIL}?{query}", param=query.partition("=")[0], reason="parameter_not_supported")


@pytest.mark.parametrize(
    "path",
    [
        "/v1/" + "a" * MEGABYTES, "/" * MEGABYTES, "/v1/%00/events", "/v1/harbor%00/events", "/v1/\x00/events",
        "/v1/harbor/events%00", "/v1/harbor%2Fevents", "/v1/../v1/harbor/events", "/v1/harbor/events/..",
        "/v1/%FF/events", "/v1/%ED%A0%80/events", "/v1/HARBOR/events", "/v1/h%C3%A4rbor/events",
        "/v1/events/00000000-0000-0000-0000-000000000000", "/v1/events/" + "0" * 36, f"/v1/events/{{{make_id('x')}}}",
        "/v1/events/slug/" + "a" * 5_000, "/v1/events/slug/%00", "/v1/events/slug/story-1%0A",
        "/v1/events/slug/' OR 1=1", f"/v1/organizations/{make_id('harbor-event-1')}",
    ],
    ids=lambda path: repr(path[:40]),
)  # fmt: skip
def test_a_hostile_path_is_not_found(service: Service, path: str) -> None:
    got = service.get(path)
    assert (got.status, got.error["code"]) == (404, "not_found")
    assert len(got.body) < 1_000


def test_headers_that_are_too_long_are_refused_before_the_key(service: Service) -> None:
    got = ask(service.edge, EVENTS, key="k" * 40_000)
    assert (got.status, got.error["details"]["reason"]) == (400, "out_of_range")


@pytest.fixture(scope="module")
def cursor(service: Service) -> str:
    """Return the cursor of the second page of `EVENTS`, two items a page."""
    given = service.get(f"{EVENTS}?limit=2").read_json()["meta"]["next_cursor"]
    assert isinstance(given, str)
    return given


def list_forgeries(cursor: str) -> Iterator[str]:
    """The cursor cut, joined, changed and spelt otherwise."""
    yield from (cursor[:end] for end in range(1, len(cursor)))
    yield from (cursor[start:] for start in range(1, len(cursor)))
    yield cursor + cursor
    yield cursor + "A"
    yield "A" + cursor
    yield cursor + "="
    yield cursor[::-1]
    yield cursor.swapcase()
    for at in range(0, len(cursor), 3):
        yield cursor[:at] + ("B" if cursor[at] == "A" else "A") + cursor[at + 1 :]


def test_a_cursor_that_was_tampered_with_is_malformed(service: Service, cursor: str) -> None:
    assert service.get(f"{EVENTS}?limit=2&cursor={cursor}").status == 200
    for forged in list_forgeries(cursor):
        check_refusal(service, f"{EVENTS}?limit=2&cursor={forged}", param="cursor", reason="cursor_malformed")


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        (f"{EVENTS}?", "cursor_mismatch"),
        (f"{EVENTS}?limit=3", "cursor_mismatch"),
        (f"{EVENTS}?limit=2&age=4", "cursor_mismatch"),
        (f"{EVENTS}?limit=2&fields=name", "cursor_mismatch"),
        (f"{EVENTS}?limit=2&q=story", "cursor_mismatch"),
        (f"{EVENTS}?limit=2&facets=category", "cursor_mismatch"),
        (f"{EVENTS}?limit=2&occurrences=expand", "cursor_mismatch"),
        (f"{EVENTS}?limit=2&changed_since=2026-08-01T00:00:00Z", "cursor_mismatch"),
        (f"/v1/organizations/{make_id('harbor-org')}/events?limit=2&metro=harbor", "cursor_malformed"),
        (f"/v1/places/{make_id('harbor-place')}/events?limit=2", "cursor_malformed"),
        ("/v1/lakeside/events?limit=2", "cursor_mismatch"),
        ("/v1/harbor/classes?limit=2", "cursor_malformed"),
        ("/v1/harbor/places?limit=2", "cursor_malformed"),
    ],
)
def test_a_cursor_of_another_request_is_refused(service: Service, cursor: str, target: str, reason: str) -> None:
    check_refusal(service, f"{target}&cursor={cursor}", param="cursor", reason=reason)


def test_a_cursor_is_good_for_another_key_as_far_as_the_key_goes(service: Service, cursor: str) -> None:
    """A cursor is bound to the request. It opens nothing that the key may not read."""
    target = f"{EVENTS}?limit=2&cursor={cursor}"
    first = service.get(target).read_json()
    assert service.get(target, kind="other").read_json() == first
    assert service.get(target, kind="harbor").read_json() == first
    for kind in ("lakeside", "places"):
        got = service.get(target, kind=kind)
        assert (got.status, got.error["code"]) == (403, "forbidden")
    assert ask(service.edge, target).status == 401
