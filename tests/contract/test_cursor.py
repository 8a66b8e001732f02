import string
from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.contract.cursor import MOST_CHARACTERS, Cursor, encode_cursor, is_sealed, parse_cursor
from outings.contract.errors import ApiError

_REQUEST = "/v1/seattle/events?age=4"
_SNAPSHOT = "5e" * 32
_positions = st.lists(
    st.none() | st.integers(-(2**63), 2**64 - 1) | st.text(st.characters(codec="utf-8"), max_size=40), max_size=5
).map(tuple)
_cursors = st.builds(
    Cursor,
    route=st.sampled_from(["events.list", "classes.list"]),
    release=st.datetimes(datetime(1900, 1, 1), datetime(2199, 12, 31)).map(lambda at: f"{at:%Y-%m-%dT%H:%M:%SZ}"),
    date=st.dates(date(1900, 1, 1), date(2199, 12, 31)),
    position=_positions,
)
_ALPHABET = string.ascii_letters + string.digits + "-_"
_DAY = date(2026, 8, 10)
_SAMPLE = Cursor(route="events.list", release="2026-08-10T12:00:00Z", date=_DAY, position=(1_786_000_000, "id", None))


def _refuse(text: str, *, route: str = "events.list", request: str = _REQUEST) -> str:
    with pytest.raises(ApiError) as refusal:
        parse_cursor(text, route=route, request_text=request)
    assert (refusal.value.status, refusal.value.details["param"]) == (400, "cursor")
    return str(refusal.value.details["reason"])


@given(_cursors)
def test_a_cursor_comes_back_as_it_was_to_the_request_that_issued_it(cursor: Cursor):
    text = encode_cursor(cursor, _REQUEST, snapshot=_SNAPSHOT)
    assert set(text) <= set(_ALPHABET)
    assert parse_cursor(text, route=cursor.route, request_text=_REQUEST)[0] == cursor


@given(_cursors, st.data())
def test_a_cursor_with_any_character_changed_is_malformed(cursor: Cursor, data: st.DataObject):
    text = encode_cursor(cursor, _REQUEST, snapshot=_SNAPSHOT)
    at = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.sampled_from(_ALPHABET).filter(lambda letter: letter != text[at]))
    assert _refuse(text[:at] + other + text[at + 1 :], route=cursor.route) == "cursor_malformed"


@given(_cursors, st.data())
def test_a_cursor_that_is_cut_or_joined_is_malformed(cursor: Cursor, data: st.DataObject):
    text = encode_cursor(cursor, _REQUEST, snapshot=_SNAPSHOT)
    assert _refuse(text[: data.draw(st.integers(0, len(text) - 1))], route=cursor.route) == "cursor_malformed"
    assert _refuse(text[data.draw(st.integers(1, len(text))) :], route=cursor.route) == "cursor_malformed"
    assert _refuse(text + text, route=cursor.route) == "cursor_malformed"


@given(st.text(max_size=300))
def test_no_text_of_others_is_a_cursor_of_ours(text: str):
    assert _refuse(text) == "cursor_malformed"


@pytest.mark.parametrize(
    "request_text",
    ["/v1/seattle/events", "/v1/new-york/events?age=4", "/v1/seattle/events?age=4&limit=20"],
)
def test_a_cursor_of_another_request_of_the_same_list_is_a_mismatch(request_text: str):
    assert _refuse(encode_cursor(_SAMPLE, _REQUEST, snapshot=_SNAPSHOT), request=request_text) == "cursor_mismatch"


def test_a_cursor_of_another_route_is_malformed():
    assert _refuse(encode_cursor(_SAMPLE, _REQUEST, snapshot=_SNAPSHOT), route="classes.list") == "cursor_malformed"


def test_a_cursor_in_another_spelling_of_its_bytes_is_malformed():
    text = encode_cursor(_SAMPLE, _REQUEST, snapshot=_SNAPSHOT)
    assert _refuse(text + "=" * (-len(text) % 4 or 4)) == "cursor_malformed"
    assert _refuse(f" {text}") == "cursor_malformed"


@given(_cursors, _cursors)
def test_a_seal_is_that_of_one_cursor_one_request_and_one_snapshot(cursor: Cursor, other: Cursor):
    text = encode_cursor(cursor, _REQUEST, snapshot=_SNAPSHOT)
    parsed, seal = parse_cursor(text, route=cursor.route, request_text=_REQUEST)
    assert is_sealed(parsed, seal, _REQUEST, snapshot=_SNAPSHOT)
    assert is_sealed(other, seal, _REQUEST, snapshot=_SNAPSHOT) == (other == cursor)
    assert not is_sealed(parsed, seal, "/v1/seattle/events?age=5", snapshot=_SNAPSHOT)
    assert not is_sealed(parsed, seal, _REQUEST, snapshot="5f" * 32)
    assert not is_sealed(parsed, b"", _REQUEST, snapshot=_SNAPSHOT)


def test_the_same_cursor_is_the_same_text():
    """Pages that are stored hold cursors, and two builds of the same are the same bytes."""
    assert encode_cursor(_SAMPLE, _REQUEST, snapshot=_SNAPSHOT) == encode_cursor(_SAMPLE, _REQUEST, snapshot=_SNAPSHOT)


def test_a_position_that_no_cursor_can_hold_is_a_mistake_of_ours():
    long = Cursor(route="places.list", release="2026-08-10T12:00:00Z", date=_DAY, position=("n" * 2000, "id"))
    with pytest.raises(ValueError, match="at most 2000"):
        encode_cursor(long, _REQUEST, snapshot=_SNAPSHOT)


def test_a_name_of_a_thousand_bytes_fits_into_a_cursor():
    long = Cursor(route="places.list", release="2026-08-10T12:00:00Z", date=_DAY, position=("n" * 1000, "i" * 36))
    assert len(encode_cursor(long, _REQUEST, snapshot=_SNAPSHOT)) <= MOST_CHARACTERS
