"""Canonical requests: what is the same request has the same text, and that text is a request again."""

from datetime import date, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.contract.cursor import Cursor, encode_cursor
from outings.contract.errors import REASONS, ApiError
from outings.contract.parameters import PARAMETERS
from outings.contract.query import Query, parse_query
from outings.contract.routes import Match, match_route
from outings.contract.vocabulary import Vocabulary
from tests.contract.wishes import READS, VOCABULARY, match_of, spellings, wishes

_CALENDARS = ("events.calendar", "classes.calendar", "camps.calendar")
# They require parameters.
_DEMANDING = ("search", "suggest", "around", "nearby", "activity", *_CALENDARS)
_ANSWERED = [route for route in READS if route.name not in _DEMANDING]
_ALIASES = {"nyc": "new-york", "big-apple": "new-york"}


def parse(url: str, *, vocabulary: Vocabulary = VOCABULARY) -> Query:
    path, _, query_string = url.partition("?")
    match = match_route(path)
    assert match is not None
    return parse_query(match, query_string.encode(), vocabulary=vocabulary, aliases=_ALIASES)


def ask(match: Match, query_string: bytes) -> Query | ApiError:
    try:
        return parse_query(match, query_string, vocabulary=VOCABULARY)
    except ApiError as error:
        return error


@given(st.data())
def test_every_spelling_of_a_wish_is_one_canonical_request(data: st.DataObject):
    route = data.draw(st.sampled_from(_ANSWERED))
    wish = data.draw(wishes(route))
    one, other = (
        parse_query(match_of(route), data.draw(spellings(route, wish)), vocabulary=VOCABULARY) for _ in range(2)
    )
    assert one.text == other.text
    assert one == other


@given(st.data())
def test_a_canonical_text_is_a_request_with_the_same_text(data: st.DataObject):
    route = data.draw(st.sampled_from(_ANSWERED))
    query = parse_query(match_of(route), data.draw(spellings(route, data.draw(wishes(route)))), vocabulary=VOCABULARY)
    assert parse(query.text) == query


@given(st.data())
def test_requests_that_wish_for_different_values_have_different_texts(data: st.DataObject):
    route = data.draw(st.sampled_from(_ANSWERED))
    one, other = (
        parse_query(match_of(route), data.draw(spellings(route, data.draw(wishes(route)))), vocabulary=VOCABULARY)
        for _ in range(2)
    )
    assert (one.text == other.text) == (one.values == other.values and one.renamed == other.renamed)


_names = st.sampled_from(sorted(PARAMETERS)) | st.text(max_size=10)
_pairs = st.builds("{}={}".format, _names, st.text(max_size=20)).map(str.encode)


@given(
    st.sampled_from(READS),
    st.binary(max_size=200)
    | st.lists(_pairs, max_size=5).map(b"&".join)
    | st.lists(st.binary(max_size=9)).map(b",".join),
)
def test_any_bytes_are_a_query_or_a_refusal_with_a_reason_of_the_list(route, query_string: bytes):
    outcome = ask(match_of(route), query_string)
    if isinstance(outcome, Query):
        assert outcome.text.startswith("/v1/")
        assert outcome.text.isascii()
    else:
        assert outcome.status == 501 or (outcome.status == 400 and outcome.details["reason"] in REASONS)
        assert len(str(outcome.details.get("param", ""))) <= 100
        assert len(outcome.message) < 2000


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("/v1/seattle/events", "/v1/seattle/events"),
        ("/v1/seattle/events?", "/v1/seattle/events"),
        ("/v1/seattle/events?&&", "/v1/seattle/events"),
        ("/v1/seattle/events?limit=50&page=1", "/v1/seattle/events"),
        ("/v1/seattle/events?limit=20", "/v1/seattle/events?limit=20"),
        ("/v1/seattle/events?min_confidence=0.7", "/v1/seattle/events?min_confidence=0.7"),
        ("/v1/seattle/events?max_price=5.0", "/v1/seattle/events?max_price=5"),
        ("/v1/seattle/events?free=true&age=4", "/v1/seattle/events?age=4&free=true"),
        ("/v1/nyc/events?age=4", "/v1/new-york/events?age=4"),
        (
            "/v1/seattle/events?category=swim_water&category=parent_baby,%20swim_water",
            "/v1/seattle/events?category=parent_baby,swim_water",
        ),
        ("/v1/seattle/events?start_after=09:00:00", "/v1/seattle/events?start_after=09:00"),
        ("/v1/seattle/events?neighborhood=Capitol+Hill", "/v1/seattle/events?neighborhood=Capitol%20Hill"),
        (
            "/v1/seattle/classes?fields=sections.id,sections,name",
            "/v1/seattle/classes?fields=id,name,sections,type",
        ),
        ("/v1/seattle/classes?fields=id", "/v1/seattle/classes?fields=id,type"),
        ("/v1/seattle/places?free=maybe", "/v1/seattle/places?free"),
        ("/v1/seattle/places?place_type=park", "/v1/seattle/places?place_type=park"),
        ("/v1/events/slug/zoo?include_archived=false", "/v1/events/slug/zoo"),
        ("/v1/events/slug/zoo?metro=big-apple", "/v1/events/slug/zoo?metro=new-york"),
    ],
)
def test_a_request_has_its_canonical_text(url: str, text: str):
    assert parse(url).text == text


@pytest.mark.parametrize("route", READS, ids=lambda route: route.name)
def test_a_request_without_a_query_says_what_one_with_an_empty_query_says(route):
    """The first is read a shorter way."""
    plain, empty = (ask(match_of(route), value) for value in (b"", b"&"))
    if isinstance(plain, Query):
        assert plain == empty
    else:
        assert isinstance(empty, ApiError)
        assert (plain.message, plain.details) == (empty.message, empty.details)


def test_values_are_parsed_by_their_kind():
    query = parse(
        "/v1/seattle/events?from=2026-08-10&lat=47.6&lng=-122&radius_m=2000&free=false&start_before=12:00"
        "&weekday=sunday,saturday&place_id=3F2B8C1E-5D4A-4B6F-9C7D-0A1B2C3D4E5F"
    )
    assert query.values == {
        "from": date(2026, 8, 10),
        "lat": 47.6,
        "lng": -122.0,
        "radius_m": 2000,
        "free": False,
        "start_before": time(12),
        "weekday": ("saturday", "sunday"),
        "place_id": "3f2b8c1e-5d4a-4b6f-9c7d-0a1b2c3d4e5f",
    }


def test_a_query_says_what_its_path_and_route_say():
    query = parse("/v1/nyc/events")
    assert (query.route, query.resource, query.metro, query.id, query.slug) == (
        "events.list", "event", "new-york", None, None,
    )  # fmt: skip
    assert parse("/v1/camps/slug/sailing").slug == "sailing"
    assert parse("/v1/metros").metro is None


def test_a_value_that_was_not_given_is_none_for_a_filter_and_the_default_for_what_is_none():
    query = parse("/v1/seattle/events?page=3")
    assert query.get("min_confidence") is None
    assert query.get("from") is None
    assert query.get_as("limit", int) == 50
    assert query.get_as("page", int) == 3
    assert query.get_words("category") == ()
    assert parse("/v1/events/slug/zoo").get_as("include_archived", bool) is False


def test_a_value_asked_for_as_another_kind_is_a_mistake_of_ours():
    query = parse("/v1/seattle/events?age=4&category=parent_baby")
    with pytest.raises(TypeError, match="age is int, not str"):
        query.get_as("age", str)
    with pytest.raises(TypeError, match="age is int, not tuple"):
        query.get_words("age")


def test_an_ignored_parameter_gives_a_notice_and_no_value():
    query = parse("/v1/seattle/places?free=true")
    assert query.values == {}
    assert [(notice.code, notice.param) for notice in query.notices] == [("parameter_ignored", "free")]


def test_a_deprecated_parameter_gives_a_notice_and_the_value_of_its_successor():
    query = parse("/v1/seattle/places?place_type=park,library")
    assert query.values == {"type_hint": ("library", "park")}
    assert [(notice.code, notice.param) for notice in query.notices] == [("parameter_deprecated", "place_type")]


def test_the_metro_of_a_row_is_no_part_of_a_request_that_did_not_name_it():
    query = parse("/v1/organizations/3f2b8c1e-5d4a-4b6f-9c7d-0a1b2c3d4e5f/events?age=4")
    assert query.with_metro("seattle").metro == "seattle"
    assert query.with_metro("seattle").text == query.text


def test_a_metro_that_the_request_named_is_replaced_in_its_text():
    assert parse("/v1/seattle/events?age=4").with_metro("tacoma").text == "/v1/tacoma/events?age=4"
    assert parse("/v1/events/slug/zoo?metro=seattle").with_metro("tacoma").text == "/v1/events/slug/zoo?metro=tacoma"


def test_a_cursor_goes_with_the_request_that_issued_it_whatever_its_page_and_spelling():
    issued = parse("/v1/new-york/events?age=4&free=true&page=2")
    cursor = Cursor(route="events.list", release="2026-08-10T12:00:00Z", date=date(2026, 8, 10), position=(1, "x"))
    text = encode_cursor(cursor, issued.unpaged_text, snapshot="0" * 64)
    assert parse(f"/v1/nyc/events?free=true&limit=50&age=4&cursor={text}").cursor == cursor
    assert parse(f"/v1/nyc/events?free=true&age=4&cursor={text}").text == "/v1/new-york/events?age=4&free=true"
    for other in ("nyc/events?age=4", "nyc/events?free=true&age=4&limit=20", "seattle/events?age=4&free=true"):
        with pytest.raises(ApiError) as refusal:
            parse(f"/v1/{other}&cursor={text}")
        assert refusal.value.details["reason"] == "cursor_mismatch"


def test_words_are_those_of_the_deployment():
    own = Vocabulary(teams=("mets",))
    assert parse("/v1/nyc/events?team=mets", vocabulary=own).values == {"team": ("mets",)}
    with pytest.raises(ApiError) as refusal:
        parse("/v1/nyc/events?team=kraken", vocabulary=own)
    assert refusal.value.details["allowed"] == ["mets"]


def test_the_cursor_of_the_changes_feed_is_a_number_in_the_clear():
    with pytest.raises(ApiError) as refusal:
        parse("/v1/changes?cursor=-1")
    assert refusal.value.details["reason"] == "out_of_range"
    assert parse("/v1/changes?cursor=4711").values == {"cursor": 4711}
    assert parse("/v1/changes?cursor=0").text == "/v1/changes"


@pytest.mark.parametrize(
    ("url", "days"),
    [("/v1/seattle/events", 366), ("/v1/seattle/events/calendar?from=2026-08-10&to=2026-10-10", 61)],
)
def test_a_window_may_be_as_long_as_its_route_allows(url: str, days: int):
    assert parse(url).longest_window == days
