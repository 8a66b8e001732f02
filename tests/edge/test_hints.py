"""A refusal says what was meant, and a notice what was asked for in vain."""

import pytest

from tests.edge.conftest import Service
from tests.edge.publishing import make_id

EVENTS = "/v1/harbor/events"
DETAIL = f"/v1/events/{make_id('harbor-event-1')}"


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("/v1/metros/", "/v1/metros"),
        ("/v1/harbor/events/", "/v1/harbor/events"),
        ("/v1/Harbor/Events", "/v1/harbor/events"),
        ("/V1/METROS", "/v1/metros"),
        ("//v1//metros", "/v1/metros"),
        (f"{DETAIL.upper()}/", DETAIL),
        ("/v1/places/slug/Library/", "/v1/places/slug/Library"),
    ],
)
def test_a_path_of_which_only_the_case_or_a_slash_is_wrong_is_reported_the_right_one(
    service: Service, path: str, meant: str
) -> None:
    got = service.get(path)
    assert (got.status, got.error["code"]) == (404, "not_found")
    assert got.error["details"]["did_you_mean"] == meant
    assert meant in got.error["message"]
    assert service.get(meant).status == (404 if "slug" in meant else 200)


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("/v1/harbor/event", "/v1/harbor/events"),
        ("/v1/harbor/neighbourhoods", "/v1/harbor/neighborhoods"),
        ("/harbor/events", "/v1/harbor/events"),
        ("/v1/events", "/v1/{metro}/events"),
        ("/search", "/v1/{metro}/search"),
        ("/v1/places/the-library", "/v1/places/slug/the-library"),
        ("/v1/harbor/places/the-library", "/v1/places/slug/the-library"),
        ("/v1/harbor/places/slug/the-library", "/v1/places/slug/the-library"),
        (DETAIL.replace("/v1", "/v1/harbor"), DETAIL),
    ],
)
def test_a_path_that_is_guessed_is_reported_the_nearest_route(service: Service, path: str, meant: str) -> None:
    assert service.get(path).error["message"] == f"There is no such route. Did you mean {meant}?"


def test_a_file_of_the_export_that_there_is_not_is_reported_the_nearest(service: Service) -> None:
    assert "Did you mean events.jsonl?" in service.get("/v1/harbor/export/events.json").error["message"]


@pytest.mark.parametrize("path", ["/v1/HARBOR/events", "/v1/Harbor-City/events", "/v1/changes?metro=Habor"])
def test_a_metro_that_is_misspelled_is_reported_the_right_one(service: Service, path: str) -> None:
    assert service.get(path).error["details"]["did_you_mean"] == "harbor"


@pytest.mark.parametrize(
    "path", ["/v1/nowhere/events", "/v1/changes?metro=nowhere", "/v1/events/slug/zoo?metro=nowhere"]
)
def test_an_unknown_metro_names_those_that_the_key_may_read(service: Service, path: str) -> None:
    assert service.get(path).error["details"] == {"metros": ["harbor", "lakeside"]}
    got = service.get(path, kind="harbor")
    assert (got.status, got.error["details"]) == (404, {"metros": ["harbor"]})
    assert got.error["message"] == "There is no metro 'nowhere'; this key may read harbor."


@pytest.mark.parametrize("path", ["/v1/harbor/venues", "/v1/harbor/events/x/y/", "/v1/a/b/c/d", "/"])
def test_a_path_that_is_none_however_it_is_written_gets_no_hint(service: Service, path: str) -> None:
    got = service.get(path)
    assert (got.status, "details" in got.error) == (404, False)


def test_a_type_that_is_not_the_keys_is_named_with_those_that_are(service: Service) -> None:
    got = service.get("/v1/harbor/classes", kind="events")
    assert (got.status, got.error["code"]) == (403, "forbidden")
    assert got.error["message"] == "This key may not read classes; it may read events."
    assert got.error["details"]["types"] == ["events"]
    results = service.get("/v1/harbor/search?q=zoo&types=places,classes", kind="events")
    assert results.error["message"] == "This key may not read classes, places; it may read events."


def test_a_metro_that_is_not_the_keys_is_named_with_those_that_are(service: Service) -> None:
    got = service.get("/v1/lakeside/classes", kind="harbor")
    assert got.error["message"] == "This key may not read lakeside; it may read harbor."
    assert got.error["details"] == {"metros": ["harbor"]}


@pytest.mark.parametrize("name", ["zip=98101", "near_zip=98101", "include_approximate=true"])
def test_what_this_deployment_has_not_is_said_of_the_deployment(service: Service, name: str) -> None:
    got = service.get(f"{EVENTS}?{name}")
    assert (got.status, got.error["code"]) == (501, "not_implemented")
    assert "deployment" in got.error["message"]
    assert "version" not in got.error["message"]


@pytest.mark.parametrize(
    ("query", "missing"),
    [
        ("fields=expanded.place.name", "expand=place"),
        ("fields=expanded.organization&expand=place", "expand=organization"),
        ("fields=name,expanded", "expand"),
        ("fields=source.url", "include=source"),
        ("fields=forecast", "include=forecast"),
    ],
)
def test_fields_of_what_nothing_asks_for_are_reported(service: Service, query: str, missing: str) -> None:
    for target in (EVENTS, DETAIL):
        got = service.get(f"{target}?{query}")
        (notice,) = got.read_json()["notices"]
        assert (got.status, notice["code"], notice["param"]) == (200, "parameter_ignored", "fields"), target
        assert f"only with {missing};" in notice["message"]


def test_fields_of_what_is_asked_for_are_no_news(service: Service) -> None:
    for query in ("fields=expanded.place.name,expanded&expand=place", "fields=source.url&include=source"):
        assert "notices" not in service.get(f"{DETAIL}?{query}").read_json(), query
