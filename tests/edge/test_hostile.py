"""Hostile requests: each gets an answer of the contract, and none crashes the server."""

from hypothesis import given
from hypothesis import strategies as st

from outings.contract.errors import CODES
from outings.contract.parameters import PARAMETERS
from tests.edge.asking import Response, ask
from tests.edge.conftest import Service
from tests.edge.publishing import make_id

WORDS = [
    "v1", "harbor", "lakeside", "harbor-city", "events", "classes", "camps", "places", "organizations", "metros",
    "slug",
    "calendar", "changes", "story-1", make_id("harbor-event-1"), make_id("harbor-org"), "..", ".", "", "%2e%2e", "%00",
    "%2F", "%", "%zz", "%ff%fe", "\xe9", "a" * 3000, "null", "-1", "healthz", "readyz", "*", "http:", "{metro}",
    "%0d%0a",
]  # fmt: skip
VALUES = [
    "", "1", "0", "-1", "true", "1e999", "NaN", "-0", "9" * 400, "2026-02-30", "2026-08-10", "0000-00-00", "9999-12-31",
    "0001-01-01", "%00", "%ff", "%", "a,,b", ",", "seattle", "harbor", "monday", "24:00", "12:60", "kids", "all", "id",
    "name.first", "+", "💥", "'; DROP TABLE listings; --", "%' OR 1=1", "../../etc/passwd", make_id("harbor-place"),
    "AAAA", "gAAAAA", "x" * 5000, "90.0000001", "180", "٣",
]  # fmt: skip

segments = st.one_of(
    st.sampled_from(WORDS), st.text(max_size=12), st.binary(max_size=8).map(lambda b: b.decode("latin-1"))
)
pairs = st.tuples(
    st.one_of(st.sampled_from(sorted(PARAMETERS)), st.text(max_size=8)),
    st.one_of(st.sampled_from(VALUES), st.text(max_size=12)),
)
resources = st.sampled_from(["/v1/harbor/events", "/v1/harbor/classes", "/v1/harbor/camps", "/v1/harbor/places",
                             f"/v1/events/{make_id('harbor-event-1')}", "/v1/events/slug/story-1", "/v1/metros",
                             f"/v1/organizations/{make_id('harbor-org')}", "/v1/changes"])  # fmt: skip


def make_sendable(text: str) -> str:
    """Encode text as the bytes that a client without percent-encoding would send."""
    return text.encode("utf-8", "replace").decode("latin-1").replace("?", "%3F").replace("#", "%23")


def check_answer(got: Response) -> None:
    assert got.status in {200, 304, *(code.status for code in CODES.values())} - {500, 503}, (got.status, got.body)
    if got.status >= 400:
        assert CODES[got.error["code"]].status == got.status


@given(path=st.lists(segments, max_size=6))
def test_any_path_is_answered(service: Service, path: list[str]) -> None:
    check_answer(service.get(make_sendable("/" + "/".join(path))))


@given(resource=resources, query=st.lists(pairs, max_size=5))
def test_any_query_is_answered(service: Service, resource: str, query: list[tuple[str, str]]) -> None:
    text = "&".join(f"{name}={value}" for name, value in query)
    check_answer(service.get(f"{resource}?{make_sendable(text)}"))


@given(resource=resources, query=st.binary(max_size=64))
def test_any_bytes_of_a_query_are_answered(service: Service, resource: str, query: bytes) -> None:
    check_answer(service.get(f"{resource}?{query.decode('latin-1')}"))


@given(
    key=st.one_of(st.none(), st.text(st.characters(max_codepoint=255), max_size=60), st.just("ldk_")),
    tag=st.text(st.characters(max_codepoint=255), max_size=30),
    coding=st.text(st.characters(max_codepoint=255), max_size=30),
    trace=st.text(st.characters(max_codepoint=255), max_size=30),
    method=st.sampled_from(["GET", "HEAD", "OPTIONS", "POST", "\x00", "é"]),
)
def test_any_header_is_answered(
    service: Service, key: str | None, tag: str, coding: str, trace: str, method: str
) -> None:
    sent = {"if_none_match": tag, "accept_encoding": coding, "x_trace_id": trace}
    got = ask(service.edge, "/v1/harbor/events", key=key, method=method, **sent)
    assert got.status in (204, 401, 405)
    for value in got.headers.values():
        assert "\r" not in value
        assert "\n" not in value
    assert service.get("/v1/harbor/events", **sent).status in (200, 304)
