"""The examples of `/openapi.json` are what the program answers, and what tools send of them is answered."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from edge.app import Edge
from outings.contract.openapi.document import make_document
from outings.contract.openapi.examples import find_example, read_examples
from outings.contract.routes import ROUTES, Route
from outings.contract.vocabulary import Vocabulary
from tests.contract.conformance import check_success
from tests.edge.asking import Response, ask
from tests.edge.openapi_examples import KEPT, REQUESTS, encode_examples, make_examples
from tests.edge.sample_edge import add_client, make_edge

DOCUMENT = make_document(Vocabulary())
# The document is its own example.
SHOWN = [route for route in ROUTES if route.name != "openapi"]
by_route = pytest.mark.parametrize("route", SHOWN, ids=lambda route: route.name)
OTHER_WORDS = Vocabulary(
    categories=("chess", "go"), seasons=("monsoon",), occasions=("holi",), teams=(), type_hints=("temple",)
)


@dataclass(frozen=True)
class Sample:
    """The edge over the sample metros, and a key of the plan that has least."""

    edge: Edge
    key: str

    def send(self, path: str, query: dict[str, Any]) -> Response:
        encoded = urlencode({name: encode_value(value) for name, value in query.items()})
        return ask(self.edge, path + (f"?{encoded}" if encoded else ""), key=self.key)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sample]:
    folder = tmp_path_factory.mktemp("sample")
    edge = make_edge(folder)
    yield Sample(edge, add_client(folder, edge, plan="free"))
    edge.close()


def encode_value(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(value)
    return json.dumps(value) if isinstance(value, bool) else str(value)


def read_parameters(route: Route) -> list[Any]:
    shared = DOCUMENT["components"]["parameters"]
    listed = DOCUMENT["paths"][route.path]["get"]["parameters"]
    return [shared[node["$ref"].rpartition("/")[2]] if "$ref" in node else node for node in listed]


def fill_path(route: Route) -> str:
    """Fill in a path with the examples of its parameters."""
    braces = {
        parameter["name"]: parameter["example"] for parameter in read_parameters(route) if parameter["in"] == "path"
    }
    return route.path.format(**braces)


def list_examples(route: Route) -> tuple[dict[str, Any], dict[str, Any]]:
    """List the parameters that have to be sent, and all others with an example. A center has to be sent to routes
    around one, and a metro if a name is in several."""
    shown = [parameter for parameter in read_parameters(route) if parameter["in"] == "query" and "example" in parameter]
    needed = {"metro", *(("lat", "lng") if route.needs_centre else ())}
    required = {item["name"]: item["example"] for item in shown if item.get("required") or item["name"] in needed}
    return required, {item["name"]: item["example"] for item in shown if item["name"] not in required}


def test_every_route_has_one_example_and_its_request_is_of_that_route() -> None:
    assert sorted(read_examples()) == sorted(route.name for route in SHOWN), "add a request to openapi_examples.py"
    assert len(REQUESTS) == len(SHOWN)


def test_they_are_what_the_program_answers_today(tmp_path: Path) -> None:
    made = encode_examples(make_examples(tmp_path))
    assert made == KEPT.read_text(), "make them anew: python -m tests.edge.openapi_examples"


@by_route
def test_an_example_has_the_declared_form_in_any_words(route: Route) -> None:
    for vocabulary in (Vocabulary(), OTHER_WORDS):
        example = find_example(route, vocabulary)
        assert example is not None
        if example.media == "application/json":
            assert example.answer.get("data") != [], "an empty list shows nothing"
            check_success(example.request, json.dumps(example.answer).encode(), vocabulary=vocabulary)


@pytest.mark.long
@by_route
def test_each_example_of_a_parameter_is_answered_when_a_tool_sends_it(sample: Sample, route: Route) -> None:
    """Alone, and all of them at once, as a form that is filled with the examples does."""
    path = fill_path(route)
    required, others = list_examples(route)
    assert sample.send(path, required).status == 200
    refused = {
        name: got.error["message"]
        for name, value in others.items()
        if (got := sample.send(path, {**required, name: value})).status != 200
    }
    assert refused == {}
    got = sample.send(path, {**required, **others})
    assert got.status == 200, got.error["message"]
