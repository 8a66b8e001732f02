"""v1 is frozen: nothing of the last version's document is gone or narrowed. And the comparison sees what would be."""

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from outings.contract.openapi.document import make_document
from outings.contract.vocabulary import Vocabulary
from tests.contract.compatibility import FROZEN, list_losses

Document = dict[str, Any]
Change = Callable[[Document], Any]

NOW = make_document(Vocabulary())
TEXT = json.dumps(NOW)  # read again in a fifth of the time that a deep copy takes
EVENTS = "/v1/{metro}/events"
DETAIL = "/v1/events/{id}"


def test_nothing_of_the_last_version_is_gone_or_narrowed():
    assert list_losses(json.loads(FROZEN.read_text()), NOW) == []


def find_parameter(document: Document, path: str, name: str) -> Document:
    """Find an operation's parameter, with references resolved."""
    parameters = document["paths"][path]["get"]["parameters"]
    for number, node in enumerate(parameters):
        parameter = node
        if "$ref" in node:
            parameter = deepcopy(document["components"]["parameters"][node["$ref"].rpartition("/")[2]])
        if parameter["name"] == name:
            parameters[number] = parameter
            return parameter
    raise AssertionError(name)


def drop_parameter(document: Document, path: str, name: str) -> None:
    document["paths"][path]["get"]["parameters"].remove(find_parameter(document, path, name))


def operation(document: Document, path: str = EVENTS) -> Document:
    node: Document = document["paths"][path]["get"]
    return node


def shared(document: Document, name: str) -> Document:
    node: Document = document["components"]["parameters"][name]["schema"]
    return node


def members(document: Document, name: str) -> Document:
    node: Document = document["components"]["schemas"][name]["properties"]
    return node


def body_of(document: Document, path: str = EVENTS) -> Document:
    node: Document = content_of(document, path)["application/json"]["schema"]
    return node


def content_of(document: Document, path: str = EVENTS) -> Document:
    name = operation(document, path)["responses"]["200"]["$ref"].rpartition("/")[2]
    node: Document = document["components"]["responses"][name]["content"]
    return node


LOSSES: list[tuple[Change, str]] = [
    (lambda d: d["paths"].pop(EVENTS), f"get {EVENTS} is gone"),
    (lambda d: d["paths"].pop("/v1/{metro}/search"), "get /v1/{metro}/search is gone"),
    (lambda d: operation(d).update({"x-stability": "beta"}), f"get {EVENTS} is beta"),
    (lambda d: operation(d).update({"x-implemented": False}), f"get {EVENTS} is not answered"),
    (lambda d: operation(d).update({"x-plan": "partner"}), f"get {EVENTS}: x-plan was all, is partner"),
    (lambda d: operation(d).update({"operationId": "x"}), f"get {EVENTS}: operationId was events_list, is x"),
    (lambda d: operation(d)["responses"].pop("304"), f"get {EVENTS}: 304 is gone"),
    (lambda d: drop_parameter(d, EVENTS, "age"), f"get {EVENTS}: age is gone"),
    (lambda d: find_parameter(d, EVENTS, "age").update(required=True), f"get {EVENTS}: age is required"),
    (lambda d: find_parameter(d, EVENTS, "age").update({"x-implemented": False}), f"get {EVENTS}: age is not answered"),
    (lambda d: find_parameter(d, EVENTS, "age").update({"x-stability": "beta"}), f"get {EVENTS}: age is beta"),
    (lambda d: operation(d)["parameters"].append({"name": "new", "in": "query", "required": True, "schema": {}}),
     f"get {EVENTS}: new is required"),
    (lambda d: find_parameter(d, EVENTS, "age")["schema"].update(type="boolean"),
     f"get {EVENTS}: age: type was ['integer'], is ['boolean']"),
    (lambda d: find_parameter(d, EVENTS, "age")["schema"].update(minimum=1),
     f"get {EVENTS}: age: minimum was 0, is 1"),
    (lambda d: find_parameter(d, EVENTS, "age")["schema"].update(maximum=18),
     f"get {EVENTS}: age: maximum was 120, is 18"),
    (lambda d: find_parameter(d, EVENTS, "limit")["schema"].update({"x-default": 20}),
     f"get {EVENTS}: limit: default was 50, is 20"),
    (lambda d: find_parameter(d, EVENTS, "neighborhood")["schema"].update(maxLength=20),
     f"get {EVENTS}: neighborhood: maxLength was 200, is 20"),
    (lambda d: find_parameter(d, EVENTS, "age")["schema"].update(enum=[1]),
     f"get {EVENTS}: age: its values were any, are [1]"),
    (lambda d: find_parameter(d, EVENTS, "place_id")["schema"].update(pattern="^7"),
     f"get {EVENTS}: place_id: pattern was None, is ^7"),
    (lambda d: find_parameter(d, EVENTS, "category")["schema"].update(maxItems=3),
     f"get {EVENTS}: category: maxItems was None, is 3"),
    (lambda d: d["components"]["schemas"]["Weekday"]["enum"].remove("sunday"),
     f"get {EVENTS}: weekday: items: sunday is gone"),
    (lambda d: members(d, "Event").pop("rrule"), f"get {DETAIL}: 200: data: rrule is gone"),
    (lambda d: members(d, "Location").pop("lat"), f"get {DETAIL}: 200: data: location: lat is gone"),
    (lambda d: members(d, "Event")["starts_at"].update(type="string"),
     f"get {DETAIL}: 200: data: starts_at: type was ['null', 'string'], is ['string']"),
    (lambda d: members(d, "Event")["name"].update(type=["string", "null"]),
     f"get {DETAIL}: 200: data: name: type was ['string'], is ['null', 'string']"),
    (lambda d: d["components"]["schemas"]["Event"]["required"].remove("teams"),
     f"get {DETAIL}: 200: data: teams may be absent"),
    (lambda d: d["components"]["schemas"]["PriceUnit"]["enum"].remove("per_week"),
     f"get {DETAIL}: 200: data: price: unit: per_week is gone"),
    (lambda d: members(d, "Event")["start_time"].pop("pattern"),
     f"get {DETAIL}: 200: data: start_time: pattern was ^[0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}$, is None"),
    (lambda d: members(d, "Event")["id"].pop("format"), f"get {DETAIL}: 200: data: id: format was uuid, is None"),
    (lambda d: members(d, "Notice").pop("param"), f"get {DETAIL}: 200: notices: items: param is gone"),
    (lambda d: members(d, "ListMeta").pop("missing_ids"), f"get {EVENTS}: 200: meta: missing_ids is gone"),
    (lambda d: members(d, "EventList").pop("facets"), f"get {EVENTS}: 200: facets is gone"),
    (lambda d: members(d, "FailureMembers").pop("request_id"), f"get {EVENTS}: 400: error: request_id is gone"),
    (lambda d: members(d, "FailureDetails")["reason"]["enum"].remove("cursor_expired"),
     f"get {EVENTS}: 400: error: details: reason: cursor_expired is gone"),
    (lambda d: d["components"]["responses"]["TooMany"]["headers"].pop("Retry-After"),
     f"get {EVENTS}: 429: header Retry-After is gone"),
    (lambda d: content_of(d).update({"text/html": {"schema": {}}}) or content_of(d).pop("application/json"),
     f"get {EVENTS}: 200: application/json is gone"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), LOSSES, ids=[message for _, message in LOSSES])
def test_removed_or_narrowed_parts_of_the_contract_are_reported(change: Change, message: str):
    later = json.loads(TEXT)
    change(later)
    assert message in list_losses(NOW, later)


def test_a_key_where_none_was_needed_is_reported():
    earlier = deepcopy(NOW)
    operation(earlier)["security"] = []
    assert list_losses(earlier, NOW) == [f"get {EVENTS} needs a key"]


ADDITIONS: list[Change] = [
    lambda d: d["paths"].update({"/v1/new": operation(d)}),
    lambda d: operation(d)["parameters"].append({"name": "new", "in": "query", "schema": {"type": "string"}}),
    lambda d: members(d, "Event").update(new={"type": "string"}),
    lambda d: members(d, "FailureMembers")["code"]["enum"].append("new_code"),
    lambda d: d["components"]["schemas"]["PriceType"]["enum"].append("barter"),
    lambda d: find_parameter(d, EVENTS, "age")["schema"].update(maximum=200, minimum=-1),
    lambda d: d["components"]["schemas"]["Weekday"]["enum"].append("today"),
    lambda d: find_parameter(d, EVENTS, "place_id")["schema"].pop("format"),
    lambda d: d["components"]["schemas"]["Event"]["required"].append("occurrence"),
    # Outside of the promise: what was never answered, and what is marked.
    lambda d: drop_parameter(d, EVENTS, "zip"),
    lambda d: d["paths"].pop("/v1/{metro}/around"),
    lambda d: d["paths"].pop("/healthz"),
]


@pytest.mark.parametrize("change", ADDITIONS)
def test_what_is_added_or_was_never_promised_is_no_loss(change: Change):
    later = deepcopy(NOW)
    change(later)
    assert later != NOW
    assert list_losses(NOW, later) == []


def test_the_document_loses_nothing_of_itself():
    assert list_losses(NOW, NOW) == []
