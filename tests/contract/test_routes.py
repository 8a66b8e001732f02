import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.contract.parameters import PARAMETERS
from outings.contract.routes import ROUTES, match_route
from outings.contract.vocabulary import RESERVED_METRO_SLUGS

_ID = "3f2b8c1e-5d4a-4b6f-9c7d-0a1b2c3d4e5f"

# The endpoint table of the contract, and what the decisions add to it.
_PATHS = {
    "/v1": "directory",
    "/v1/vocabulary": "vocabulary",
    "/v1/metros": "metros",
    "/v1/seattle": "metros.detail",
    "/v1/seattle/search": "search",
    "/v1/seattle/events": "events.list",
    **{f"/v1/seattle/{name}/calendar": f"{name}.calendar" for name in ("events", "classes", "camps")},
    **{f"/v1/seattle/{name}/density": f"{name}.density" for name in ("events", "classes", "camps", "places")},
    f"/v1/events/{_ID}": "events.detail",
    "/v1/events/slug/story-time": "events.slug",
    f"/v1/places/{_ID}/events": "events.at_place",
    f"/v1/organizations/{_ID}/events": "events.of_organization",
    "/v1/seattle/classes": "classes.list",
    f"/v1/classes/{_ID}": "classes.detail",
    "/v1/classes/slug/swimming": "classes.slug",
    f"/v1/places/{_ID}/classes": "classes.at_place",
    f"/v1/organizations/{_ID}/classes": "classes.of_organization",
    "/v1/seattle/camps": "camps.list",
    f"/v1/camps/{_ID}": "camps.detail",
    "/v1/camps/slug/sailing": "camps.slug",
    f"/v1/places/{_ID}/camps": "camps.at_place",
    f"/v1/organizations/{_ID}/camps": "camps.of_organization",
    "/v1/seattle/places": "places.list",
    f"/v1/places/{_ID}": "places.detail",
    "/v1/places/slug/library": "places.slug",
    f"/v1/organizations/{_ID}/places": "places.of_organization",
    f"/v1/organizations/{_ID}": "organizations.detail",
    "/v1/seattle/organizations": "organizations.list",
    "/v1/seattle/neighborhoods": "neighborhoods",
    "/v1/seattle/suggest": "suggest",
    "/v1/seattle/around": "around",
    "/v1/seattle/activity": "activity",
    "/v1/seattle/nearby": "nearby",
    "/v1/seattle/coverage": "coverage",
    f"/v1/listings/{_ID}/versions": "versions",
    "/v1/changes": "changes",
    "/v1/seattle/export": "export",
    "/v1/seattle/export/events.jsonl": "export.file",
    "/v1/seattle/events.ics": "events.ics",
    "/v1/seattle/events.ics/address": "events.ics.address",
    "/openapi.json": "openapi",
    "/.well-known/api-catalog": "catalog",
    "/healthz": "healthz",
    "/readyz": "readyz",
    "/metrics": "metrics",
}

_DATED = "from to season free max_price weekday start_after start_before place_id sort"
_EVERY = (
    "ids q where category audience age age_min age_max min_confidence neighborhood lat lng radius_m zip near_zip "
    "include_approximate organization_id changed_since fields expand include include_mode facets limit page cursor"
)
_SENSED = "indoor outdoor good_for_rainy sensory"
_TAKEN = {
    "events.list": f"{_EVERY} {_DATED} occasion {_SENSED} team has_time recurring ends_after occurrences",
    "classes.list": f"{_EVERY} {_DATED} occasion {_SENSED} meets schedule_day enrollment_type openings "
    "starts_from starts_to",
    "camps.list": f"{_EVERY} {_DATED} meets year overnight",
    "places.list": f"{_EVERY} {_SENSED} open_at type_hint place_type has_birthday_parties has_classes",
}


def _name_of(path: str) -> str | None:
    match = match_route(path)
    return None if match is None else match.route.name


@pytest.mark.parametrize(("path", "name"), _PATHS.items())
def test_every_path_of_the_contract_is_a_route(path: str, name: str):
    assert _name_of(path) == name


def test_there_is_no_other_route():
    differing = {route.name for route in ROUTES} ^ set(_PATHS.values())
    assert not differing, f"{sorted(differing)}: not both in the table of routes and promised by _PATHS in this file"
    assert len({route.name for route in ROUTES}) == len(ROUTES)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "/v1/",
        "/v1/metros/",
        "/v1/seattle/events/",
        "//v1/metros",
        "/v1//events",
        "/V1/metros",
        "/v1/Seattle/Events",
        "/v1/seattle/event",
        "/v1/seattle/search/more",
        "/v1/events/not-a-uuid",
        f"/v1/events/{_ID[:-1]}",
        f"/v1/events/{_ID.replace('-', '')}",
        f"/v1/events/{_ID}/",
        "/v1/events/slug/",
        "/v1/organizations/slug/ymca",
        f"/v1/listings/{_ID}",
        f"/v1/places/{_ID}/places",
        "/v1/seattle/events%2Fcalendar",
        "/v1/x%ff/events",
        "/v1/x%00/events",
        "/v1/events/slug/a%0Ab",
    ],
)
def test_any_other_path_is_no_route(path: str):
    assert _name_of(path) is None


@pytest.mark.parametrize("word", sorted(RESERVED_METRO_SLUGS))
@pytest.mark.parametrize("collection", ["events", "classes", "camps", "places", "organizations", "search"])
def test_a_reserved_word_is_never_a_metro(word: str, collection: str):
    assert _name_of(f"/v1/{word}/{collection}") is None


def test_an_id_in_upper_case_is_lowered():
    match = match_route(f"/v1/events/{_ID.upper()}")
    assert match is not None
    assert match.values == {"id": _ID}
    assert match.path == f"/v1/events/{_ID}"


def test_encoded_segments_are_decoded_one_by_one():
    match = match_route("/v1/%65vents/slug/caf%C3%A9%2Fzoo")
    assert match is not None
    assert match.route.name == "events.slug"
    assert match.values == {"slug": "café/zoo"}
    assert match.path == "/v1/events/slug/caf%C3%A9%2Fzoo"


@given(st.text(max_size=60) | st.from_regex(r"/v1(/[a-z%0-9.-]{0,9}){1,4}", fullmatch=True))
def test_any_text_is_a_route_or_none_and_a_canonical_path_is_its_own(path: str):
    match = match_route(path)
    if match is not None:
        assert match_route(match.path) == match


@pytest.mark.parametrize(("name", "taken"), _TAKEN.items())
def test_a_list_takes_what_the_contract_gives_it(name: str, taken: str):
    route = next(route for route in ROUTES if route.name == name)
    differing = set(route.parameters) ^ set(taken.split())
    assert not differing, f"{sorted(differing)}: not both taken by {name} and promised by _TAKEN in this file"


@pytest.mark.parametrize("collection", ["events", "classes", "camps", "places"])
def test_a_relationship_list_takes_what_the_metros_list_takes_and_at_places_no_organization(collection: str):
    taken = {route.name: set(route.parameters) for route in ROUTES}
    every = taken[f"{collection}.list"]
    assert taken[f"{collection}.of_organization"] == every | {"metro"}
    if collection != "places":
        assert taken[f"{collection}.at_place"] == every - {"organization_id"}


@pytest.mark.parametrize("collection", ["events", "classes", "camps", "places"])
def test_a_detail_takes_the_detail_parameters_and_by_slug_a_metro(collection: str):
    taken = {route.name: set(route.parameters) for route in ROUTES}
    every = {"include_archived", "fields", "expand", "include", "include_mode"}
    assert taken[f"{collection}.detail"] == every
    assert taken[f"{collection}.slug"] == every | {"metro"}


def test_the_detail_of_an_organization_takes_the_detail_parameters_and_refers_to_nothing():
    route = next(route for route in ROUTES if route.name == "organizations.detail")
    assert {*route.parameters, *route.ignored} == {
        "include_archived", "fields", "expand", "include", "include_mode",
    }  # fmt: skip
    assert route.ignored == ("expand",)


def test_the_calendar_takes_the_event_filters_and_no_paging():
    taken = {route.name: set(route.parameters) for route in ROUTES}
    missing = "ids q changed_since occurrences sort limit page cursor fields expand facets"
    assert taken["events.calendar"] == taken["events.list"] - set(missing.split())


@pytest.mark.parametrize("collection", ["events", "classes", "camps", "places"])
def test_a_density_takes_the_filters_of_its_list_and_words(collection: str):
    taken = {route.name: set(route.parameters) for route in ROUTES}
    missing = "ids changed_since occurrences sort limit page cursor fields expand facets include include_mode"
    assert taken[f"{collection}.density"] == taken[f"{collection}.list"] - set(missing.split())


def test_every_parameter_of_a_route_is_a_row_of_the_table():
    for route in ROUTES:
        assert {*route.parameters, *route.ignored} <= set(PARAMETERS)
        assert not set(route.parameters) & set(route.ignored)
        assert all(name == row.name for name, row in route.parameters.items())


@pytest.mark.parametrize(
    ("name", "max_age"),
    [("metros", 3600), ("events.list", 60), ("places.detail", 300), ("classes.slug", 300), ("changes", None),
     ("around", 60), ("search", 60), ("coverage", 60), ("versions", 60), ("organizations.detail", 300)],
)  # fmt: skip
def test_an_answer_may_be_kept_as_long_as_the_contract_says(name: str, max_age: int | None):
    assert next(route for route in ROUTES if route.name == name).max_age == max_age


def test_operations_alone_need_no_key():
    assert {route.name for route in ROUTES if not route.needs_key} == {
        "openapi", "catalog", "healthz", "readyz", "metrics", "directory", "vocabulary"
    }  # fmt: skip
    assert all(route.plan == "all" for route in ROUTES)
