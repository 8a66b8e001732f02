"""Schemathesis reads the document and asks what it says of every operation: no fault, and answers as declared.

Its own checks judge by the published document; `check_response` judges the same responses by the closed one. It takes
seconds to import, so only the worker that runs these tests does.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from starlette.types import ASGIApp, Receive, Scope, Send

from edge.app import Edge
from outings.contract.openapi.document import make_document
from outings.contract.parameters import ZIPS
from outings.contract.routes import ROUTES
from outings.contract.vocabulary import COLLECTIONS, Vocabulary
from tests.contract.conformance import check_response
from tests.edge.asking import ask
from tests.edge.sample_edge import add_client, make_edge

if TYPE_CHECKING:
    from schemathesis import APIOperation, Case, Response


@cache
def list_checks() -> list[Any]:
    """List Schemathesis' checks, except that a valid value is accepted. It may still be refused beside another, which
    no schema of single parameters says: `lat` goes with `lng`, a window ends after it starts. `test_openapi` of the
    contract sends each value alone."""
    from schemathesis.checks import CHECKS, load_all_checks

    load_all_checks()
    return [CHECKS.get_one(name) for name in CHECKS.get_all_names() if name != "positive_data_acceptance"]


def read_operations(app: ASGIApp) -> dict[str, APIOperation]:
    """Return the operations by path. Those that this deployment lacks are left out, so that no 5xx is expected."""
    import schemathesis

    document = make_document(Vocabulary(), refused=ZIPS)
    schema = schemathesis.openapi.from_dict(document)
    schema.config.update(base_url="http://testserver")
    schema.app = app
    return {all_operation.ok().path: all_operation.ok() for all_operation in schema.get_all_operations()}


# Schemathesis filters what it makes: most of all, what its mutations left valid.
PATIENT = settings(settings.default, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
PATHS = [route.path for route in ROUTES]
TAKING = [route.path for route in ROUTES if route.parameters]


@dataclass(frozen=True)
class Samples:
    """The edge over the sample metros, a key that may read everything, and what stands in paths."""

    edge: Edge
    key: str
    ids: Mapping[str, list[str]]
    slugs: Mapping[str, list[str]]

    @cached_property
    def operations(self) -> dict[str, APIOperation]:
        return read_operations(self)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer without the edge's own polling, which is no part of these tests."""
        if scope["type"] == "http":
            await self.edge(scope, receive, send)
            return
        while scope["type"] == "lifespan":
            message = await receive()
            await send({"type": message["type"] + ".complete"})
            if message["type"] == "lifespan.shutdown":
                return

    def list_names(self, path: str) -> dict[str, list[str]]:
        """List existing names for the parameters of a path."""
        collection = path.removeprefix("/v1/").partition("/")[0]
        named = {
            "metro": ["seattle", "new-york"],
            "id": self.ids.get(collection, []),
            "slug": self.slugs.get(collection, []),
            "file": ["events.jsonl", "places.parquet", "events.ics"],
        }
        return {name: values for name, values in named.items() if f"{{{name}}}" in path}


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Samples]:
    folder = tmp_path_factory.mktemp("samples")
    edge = make_edge(folder)
    key = add_client(folder, edge, plan="partner")
    items: dict[str, list[Any]] = {
        collection: ask(edge, f"/v1/seattle/{collection}?limit=20&min_confidence=0", key=key).read_json()["data"]
        for collection in COLLECTIONS.values()
    }
    assert all(items.values())
    ids = {collection: [item["id"] for item in listed] for collection, listed in items.items()}
    published = {item["organization"]["id"] for listed in items.values() for item in listed}
    ids["organizations"] = sorted(published - {None})
    ids["listings"] = [listed[0] for listed in ids.values()]
    slugs = {collection: [item["slug"] for item in listed] for collection, listed in items.items()}
    yield Samples(edge, key, ids, slugs)
    edge.close()


def send_case(case: Case, samples: Samples) -> Response:
    return case.call(headers={"X-API-Key": samples.key})


def is_sent_whole(case: Case, response: Response) -> bool:
    """Return True if what is wrong with a query reaches its parser. A value that has no text, an empty array for one,
    is not sent, and control characters around a text are trimmed."""
    sent = parse_qsl(urlsplit(str(response.request.url)).query, keep_blank_values=True)
    return set(case.query or ()) <= {name for name, _ in sent} and all(text == text.strip() for _, text in sent)


def check_answer(case: Case, response: Response, samples: Samples) -> int:
    """Holds the response against the document twice, and gives its status."""
    url = urlsplit(str(response.request.url))
    # With `fields` members are absent: `check_response` knows which.
    is_cut = "fields=" in url.query
    checks = [check for check in list_checks() if not (is_cut and check.__name__ == "response_schema_conformance")]
    case.validate_response(response, checks=checks, headers={"X-API-Key": samples.key})
    check_response(
        url.path + (f"?{url.query}" if url.query else ""),
        status=response.status_code,
        headers={name.lower(): ", ".join(values) for name, values in response.headers.items()},
        body=response.content,
        method=case.method,
    )
    return response.status_code


# Each path costs a quarter of a second and more; these have most kinds of parameters between them.
_ALWAYS = ("/v1/metros", "/v1/{metro}/events", "/v1/{metro}/nearby", "/v1/changes")


def vary(paths: Iterable[str]) -> pytest.MarkDecorator:
    marked = [pytest.param(path, marks=() if path in _ALWAYS else pytest.mark.long) for path in paths]
    return pytest.mark.parametrize("path", marked)


# One of several parameters must say where: no schema of a parameter tells that.
CENTRED = {f"/v1/{{metro}}/{name}" for name in ("around", "nearby", "activity")}


def list_required(operation: APIOperation) -> dict[str, Any]:
    """The query of the plainest request: examples of what must be sent, and the metro where a name may be in two."""
    names = {"metro", *(("lat", "lng") if operation.path in CENTRED else ())}
    return {
        entry.name: entry.definition["example"] for entry in operation.query if entry.is_required or entry.name in names
    }


@vary(PATHS)
def test_what_the_document_allows_is_answered_as_it_says(samples: Samples, path: str) -> None:
    """Two parameters of a generated case are kept: many would contradict each other, and nothing else be seen.

    A cursor is never valid where it is made up; the tests of paging send true ones.
    """
    operation, named = samples.operations[path], samples.list_names(path)
    required = list_required(operation)
    plain = operation.Case(path_parameters={name: values[0] for name, values in named.items()}, query=required)
    assert check_answer(plain, send_case(plain, samples), samples) == 200

    @PATIENT
    @given(st.data())
    def check(data: st.DataObject) -> None:
        filled = {name: data.draw(st.sampled_from(values)) for name, values in named.items()}
        case = data.draw(operation.as_strategy(path_parameters=filled or None))
        sent = {name: value for name, value in (case.query or {}).items() if name != "cursor"}
        kept = data.draw(st.sets(st.sampled_from(sorted(sent)), max_size=2)) if sent else set()
        case.query = {**required, **{name: sent[name] for name in kept}}
        assert check_answer(case, send_case(case, samples), samples) in (200, 400, 404)

    check()


@vary(TAKING)
def test_what_the_document_forbids_is_refused(samples: Samples, path: str) -> None:
    """`negative_data_rejection` is among the checks."""
    from schemathesis import GenerationMode

    @PATIENT
    @given(st.data())
    def check(data: st.DataObject) -> None:
        case = data.draw(
            operation.as_strategy(generation_mode=GenerationMode.NEGATIVE, headers={"X-API-Key": samples.key})
        )
        response = send_case(case, samples)
        assume(is_sent_whole(case, response))
        assert check_answer(case, response, samples) < 500

    operation = samples.operations[path]
    check()


def test_the_document_that_is_served_is_the_one_that_is_read_here(samples: Samples) -> None:
    """Except that it has one response for all failures of an operation."""
    served = ask(samples.edge, "/openapi.json").read_json()
    read = json.loads(json.dumps(make_document(Vocabulary(), refused=ZIPS)))
    for document in (served, read):
        del document["components"]["responses"]
        for operation in document["paths"].values():
            del operation["get"]["responses"]
    assert served == read
