"""Directories at the edge: whose types count, and in which order what is wrong is told."""

import pytest

from tests.edge.conftest import Service

PATHS = ["/v1/harbor/organizations", "/v1/harbor/neighborhoods", "/v1/harbor/coverage"]


@pytest.mark.parametrize("path", PATHS)
def test_a_key_of_some_types_is_narrowed_to_them(service: Service, path: str) -> None:
    narrowed = service.get(path, kind="events")
    named = service.get(f"{path}?types=events")
    assert narrowed.status == 200
    assert narrowed.read_json()["data"] == named.read_json()["data"]
    assert narrowed.headers["etag"] != service.get(path).headers["etag"]


@pytest.mark.parametrize("path", PATHS)
def test_an_alias_answers_as_its_metro(service: Service, path: str) -> None:
    whole, alias = service.get(path), service.get(path.replace("harbor", "harbor-city"))
    assert (whole.body, whole.headers["etag"]) == (alias.body, alias.headers["etag"])
    assert whole.headers["cache-control"] == "private, max-age=60"


def test_coverage_names_the_release_that_answers(service: Service) -> None:
    got = service.get("/v1/harbor/coverage")
    assert got.read_json()["data"]["release"]["id"] == got.headers["x-release"]
