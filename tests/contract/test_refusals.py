"""Every refusal names the parameter and its reason, and what would be allowed."""

import pytest

from outings.contract.errors import ApiError
from outings.contract.query import parse_query
from outings.contract.routes import match_route
from outings.contract.vocabulary import Vocabulary

_ID = "3f2b8c1e-5d4a-4b6f-9c7d-0a1b2c3d4e5f"
_IDS = ",".join(f"{n:08x}{_ID[8:]}" for n in range(101))


def refuse(url: str | bytes) -> ApiError:
    path, _, query_string = (url if isinstance(url, bytes) else url.encode()).partition(b"?")
    match = match_route(path.decode())
    assert match is not None
    with pytest.raises(ApiError) as refusal:
        parse_query(match, query_string, vocabulary=Vocabulary())
    return refusal.value


@pytest.mark.parametrize(
    ("url", "param", "reason"),
    [
        ("events?colour=red", "colour", "unknown_parameter"),
        ("events?Category=parent_baby", "Category", "unknown_parameter"),
        ("events?category[]=parent_baby", "category[]", "unknown_parameter"),
        ("events?=1", "", "unknown_parameter"),
        ("places?from=2026-08-10", "from", "parameter_not_supported"),
        ("places?season=fall", "season", "parameter_not_supported"),
        ("places?place_id=" + _ID, "place_id", "parameter_not_supported"),
        ("camps?occasion=halloween", "occasion", "parameter_not_supported"),
        ("camps?indoor=true", "indoor", "parameter_not_supported"),
        ("classes?team=kraken", "team", "parameter_not_supported"),
        ("classes?has_time=true", "has_time", "parameter_not_supported"),
        ("classes?occurrences=expand", "occurrences", "parameter_not_supported"),
        ("events?openings=true", "openings", "parameter_not_supported"),
        ("events?include_archived=true", "include_archived", "parameter_not_supported"),
        ("events?metro=seattle", "metro", "parameter_not_supported"),
        ("places?sort=soonest", "sort", "parameter_not_supported"),
        ("events/calendar?from=2026-08-10&to=2026-08-11&limit=5", "limit", "parameter_not_supported"),
        ("events/calendar?from=2026-08-10&to=2026-08-11&q=zoo", "q", "parameter_not_supported"),
        ("events/calendar?from=2026-08-10", "to", "missing_parameter"),
        ("search?limit=5", "q", "missing_parameter"),
        ("events?lat=47", "lng", "missing_parameter"),
        ("events?lng=-122", "lat", "missing_parameter"),
        ("events?radius_m=500", "lat", "missing_parameter"),
        ("nearby", "lat", "missing_parameter"),
        ("search?q=zoo&sort=nearest", "lat", "missing_parameter"),
        ("events?category=", "category", "invalid_value"),
        ("events?category", "category", "invalid_value"),
        ("events?category=parent_baby,", "category", "invalid_value"),
        ("events?category=,,,,", "category", "invalid_value"),
        ("events?category=Parent_Baby", "category", "invalid_value"),
        ("events?category=all", "category", "invalid_value"),
        ("events?audience=babies", "audience", "invalid_value"),
        ("events?team=yankees", "team", "invalid_value"),
        ("events?weekday=Monday", "weekday", "invalid_value"),
        ("events?season=autumn", "season", "invalid_value"),
        ("events?free=1", "free", "invalid_value"),
        ("events?free=", "free", "invalid_value"),
        ("events?from=tomorrow", "from", "invalid_value"),
        ("events?from=0000-01-01", "from", "invalid_value"),
        ("events?to=9999-12-31", "to", "out_of_range"),
        ("events?from=0001-01-01", "from", "out_of_range"),
        ("events?start_before=12:00:00", "start_before", "invalid_value"),
        ("events?start_after=25:00", "start_after", "invalid_value"),
        ("events?age=four", "age", "invalid_value"),
        ("events?age=%D9%A4", "age", "invalid_value"),
        ("events?age=4.0", "age", "invalid_value"),
        ("events?age=-1", "age", "out_of_range"),
        ("events?age=" + "9" * 5000, "age", "out_of_range"),
        ("events?limit=-0", "limit", "invalid_value"),
        ("events?limit=0", "limit", "out_of_range"),
        ("events?limit=201", "limit", "out_of_range"),
        ("search?q=zoo&limit=51", "limit", "out_of_range"),
        ("events?page=0", "page", "out_of_range"),
        ("events?page=10001", "page", "out_of_range"),
        ("events?min_confidence=1.01", "min_confidence", "out_of_range"),
        ("events?min_confidence=nan", "min_confidence", "invalid_value"),
        ("events?max_price=1e999", "max_price", "invalid_value"),
        ("events?max_price=-1", "max_price", "out_of_range"),
        ("events?lat=47&lng=-122&radius_m=99", "radius_m", "out_of_range"),
        ("events?lat=47&lng=-122&radius_m=50001", "radius_m", "out_of_range"),
        ("events?lat=91&lng=0", "lat", "out_of_range"),
        ("events?lat=0&lng=180.5", "lng", "out_of_range"),
        ("camps?year=2019", "year", "out_of_range"),
        ("events?neighborhood=" + "x" * 201, "neighborhood", "out_of_range"),
        ("events?neighborhood=%00", "neighborhood", "invalid_value"),
        ("events?place_id=7", "place_id", "invalid_value"),
        ("events?ids=" + _IDS, "ids", "out_of_range"),
        ("events?ids=7", "ids", "invalid_value"),
        ("events?changed_since=2026-08-10", "changed_since", "invalid_value"),
        ("events?fields=nam", "fields", "invalid_value"),
        ("events?expand=venue", "expand", "invalid_value"),
        ("events?expand=sessions", "expand", "invalid_value"),
        ("places?facets=weekday", "facets", "invalid_value"),
        ("events?age=4&age=4", "age", "contradictory"),
        ("events?page=2&cursor=AAAA", "page", "contradictory"),
        ("events?page=1&cursor=AAAA", "page", "contradictory"),
        ("events?page=2&changed_since=2026-08-10T00:00:00Z", "page", "contradictory"),
        ("events?from=2026-08-10&to=2026-08-09", "to", "contradictory"),
        (f"events?ids={_ID}&age=4", "age", "contradictory"),
        (f"events?ids={_ID}&limit=5", "limit", "contradictory"),
        ("places?type_hint=park&place_type=park", "type_hint", "contradictory"),
        ("classes?starts_from=2026-09-02&starts_to=2026-09-01", "starts_to", "contradictory"),
        ("events?lat=47&lng=-122&near_zip=98101", "near_zip", "contradictory"),
        ("events?from=2026-08-10&to=2027-08-12", "to", "window_too_long"),
        ("events/calendar?from=2026-08-10&to=2026-10-11", "to", "window_too_long"),
        ("events?occurrences=expand&from=2026-08-10&to=2026-09-10", "to", "window_too_long"),
        ("events?include=related", "include", "include_not_supported"),
        ("places?include=forecast", "include", "include_not_supported"),
        ("search?q=zoo&include=related", "include", "include_not_supported"),
        ("events/calendar?from=2026-08-10&to=2026-08-11&include=source", "include", "include_not_supported"),
        ("events?include=weather", "include", "invalid_value"),
        ("events?cursor=AAAA", "cursor", "cursor_malformed"),
        ("events?cursor=" + "A" * 3000, "cursor", "cursor_malformed"),
        ("around?lat=1&lng=1&cursor=AAAA", "cursor", "invalid_value"),
    ],
)
def test_a_wrong_request_is_refused_by_its_parameter_and_reason(url: str, param: str, reason: str):
    error = refuse(f"/v1/seattle/{url}")
    assert (error.status, error.details["param"], error.details["reason"]) == (400, param, reason)


@pytest.mark.parametrize(
    ("query_string", "param"), [(b"age=%ff", "age"), (b"neighborhood=\xff", "neighborhood"), (b"%ff=1", None)]
)
def test_a_query_that_is_not_utf_8_is_an_invalid_value(query_string: bytes, param: str | None):
    error = refuse(b"/v1/seattle/events?" + query_string)
    assert (error.details["reason"], error.details.get("param")) == ("invalid_value", param)


def test_a_query_string_that_is_too_long_says_how_long_it_may_be():
    error = refuse("/v1/seattle/events?q=" + "x" * 2_000_000)
    assert (error.details["reason"], error.details["max"]) == ("out_of_range", 16_384)


def test_the_longest_honest_request_is_not_too_long():
    fields = "&".join("fields=sections.registration.has_spots_available" for _ in range(50))
    error = refuse(f"/v1/seattle/classes?ids={_IDS[37:].replace(',', '%2C')}&{fields}&limit=1")
    assert (error.details["param"], error.details["reason"]) == ("limit", "contradictory")


@pytest.mark.parametrize(
    ("url", "meant"),
    [
        ("events?categories=parent_baby", "category"),
        ("events?organisation_id=1", "organization_id"),
        ("events?min_confidense=1", "min_confidence"),
        ("events?AGE=4", "age"),
        ("events?start_date=2026-08-10", "from"),
        ("events?end_date=2026-08-10", "to"),
        ("events?date=2026-08-10", "from"),
        ("events?per_page=5", "limit"),
        ("events?lon=-122", "lng"),
        ("events?radius=500", "radius_m"),
        ("classes?StartDate=2026-08-10", "from"),
        ("places?search=zoo", "q"),
        ("events?near=47.6,-122.3", "lat"),
        ("events/calendar?month=2026-12", "from"),
        ("nearby?lat=47.6&lng=-122.3&page=2", "cursor"),
        ("nearby?lat=47.6&lng=-122.3&type=events", "types"),
        ("events?ages=4", "age"),
        ("search?q=zoo&order=soonest", "sort"),
        ("events?category=swimwater", "swim_water"),
        ("events?weekday=Monday", "monday"),
        ("events?fields=location.latt", "location.lat"),
        ("classes?fields=section.name", "sections.name"),
    ],
)
def test_a_word_that_is_almost_right_is_met_with_the_right_one(url: str, meant: str):
    assert refuse(f"/v1/seattle/{url}").details["did_you_mean"] == meant


def test_a_word_that_is_like_nothing_gets_no_suggestion():
    assert "did_you_mean" not in refuse("/v1/seattle/events?xyzzyplugh=1").details
    assert "did_you_mean" not in refuse("/v1/seattle/places?sort=soonest").details


def test_an_unknown_member_is_reported_with_all_that_exist():
    assert refuse("/v1/seattle/events?fields=nam").message == "fields has no 'nam'; did you mean name?"
    assert refuse("/v1/seattle/events?fields=title").message == "fields has no 'title'; /openapi.json has all."


def test_a_closed_vocabulary_is_listed():
    assert refuse("/v1/seattle/events?team=yankees").details["allowed"] == [
        "mariners", "seahawks", "kraken", "sounders", "storm",
    ]  # fmt: skip
    assert refuse("/v1/seattle/events?free=yes").details["allowed"] == ["true", "false"]


def test_bounds_are_reported():
    details = refuse("/v1/seattle/events?limit=999").details
    assert (details["min"], details["max"]) == (0, 200)


@pytest.mark.parametrize(
    ("query_string", "hinted"),
    [
        ("lat=-122.33&lng=47.61", True),
        ("lat=-122.33&lng=147.61", False),
        ("lat=-222&lng=47.61", False),
        ("lat=91", False),
    ],
)
def test_coordinates_that_look_swapped_get_the_hint(query_string: str, hinted: bool):
    assert ("lat and lng may be swapped" in refuse(f"/v1/seattle/events?{query_string}").message) == hinted


@pytest.mark.parametrize(
    ("path", "name"),
    [(f"places/{_ID}/events", "organization_id"), (f"places/{_ID}/events", "metro"),
     (f"organizations/{_ID}/places", "place_id"), (f"organizations/{_ID}/places", "from"),
     (f"events/{_ID}", "metro"), (f"events/{_ID}", "age"), (f"organizations/{_ID}", "facets")],
)  # fmt: skip
def test_what_a_path_does_not_know_is_not_a_parameter(path: str, name: str):
    error = refuse(f"/v1/{path}?{name}={_ID}")
    assert (error.details["param"], error.details["reason"]) == (name, "parameter_not_supported")


@pytest.mark.parametrize(
    ("text", "reason"),
    [("%21%3F", "nothing_searchable"), ("-", "nothing_searchable"), ("%22%22", "nothing_searchable"),
     ("OR", "nothing_searchable"), ("", "invalid_value"), ("+", "invalid_value"), ("a" * 201, "out_of_range"),
     ("zoo&q=art", "contradictory"), ("a%00b", "invalid_value"), ("%ff", "invalid_value")],
)  # fmt: skip
@pytest.mark.parametrize("path", ["seattle/events", "seattle/places", f"organizations/{_ID}/camps"])
def test_a_text_without_words_or_past_its_bounds_is_refused(path: str, text: str, reason: str):
    error = refuse(f"/v1/{path}?q={text}")
    assert (error.details["param"], error.details["reason"]) == ("q", reason)


@pytest.mark.parametrize(("path", "name"), [("places", "place_id"), ("organizations", "organization_id")])
def test_what_a_path_says_is_not_said_otherwise(path: str, name: str):
    error = refuse(f"/v1/{path}/{_ID}/events?{name}={_IDS[:36]}")
    assert (error.details["param"], error.details["reason"]) == (name, "contradictory")


@pytest.mark.parametrize(
    "query_string",
    ["zip=98101", "near_zip=98101", "include_approximate=true"],
)  # fmt: skip
def test_what_is_not_answered_yet_says_so(query_string: str):
    error = refuse(f"/v1/seattle/events?{query_string}")
    assert (error.status, error.code) == (501, "not_implemented")


def test_a_long_unknown_name_is_cut_short_in_the_refusal():
    error = refuse("/v1/seattle/events?" + "x" * 9000 + "=1")
    assert len(str(error.details["param"])) == 100
    assert len(error.message) < 200
