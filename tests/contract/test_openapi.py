"""The document tells what the program does: its bounds are the request reader's, its words the deployment's."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator
from openapi_spec_validator import validate

from outings.contract.errors import CODES, REASONS, ApiError
from outings.contract.members import EVERYWHERE
from outings.contract.openapi.document import encode_document, make_document
from outings.contract.parameters import PARAMETERS
from outings.contract.query import parse_query
from outings.contract.routes import ROUTES, Route
from outings.contract.values import Parameter
from outings.contract.vocabulary import Vocabulary
from tests.contract.wishes import match_of

VOCABULARY = Vocabulary()
DOCUMENT = make_document(VOCABULARY)
SCHEMAS = DOCUMENT["components"]["schemas"]
by_route = pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)


def follow(node: Any) -> Any:
    if "$ref" not in node:
        return node
    results: Any = DOCUMENT
    for key in node["$ref"].split("/")[1:]:
        results = results[key]
    return results


def find_operation(route: Route) -> Any:
    return DOCUMENT["paths"][route.path]["get"]


def find_parameter(route: Route, name: str) -> Any:
    (parameter,) = [item for item in map(follow, find_operation(route)["parameters"]) if item["name"] == name]
    return parameter


def find_item(route: Route, row: Parameter) -> Any:
    """The schema of one value."""
    schema = follow(find_parameter(route, row.name)["schema"])
    return follow(schema["items"] if row.array else schema)


def is_valid(schema: Any, value: object) -> bool:
    whole = {**schema, "components": {"schemas": SCHEMAS}} if "$ref" in str(schema) else schema
    return Draft202012Validator(whole, validate_formats=True).is_valid(value)


def read_refusal(route: Route, query: str) -> tuple[object, object] | None:
    """Return whose fault a request is and why, as far as one parameter shows; None if the program reads it."""
    try:
        parse_query(match_of(route), query.encode(), vocabulary=VOCABULARY)
    except ApiError as error:
        reason = error.details.get("reason")
        return None if reason in ("missing_parameter", "cursor_malformed", None) else (error.details["param"], reason)
    return None


def test_the_document_is_openapi_31():
    validate(DOCUMENT)
    assert DOCUMENT["openapi"].startswith("3.1")


def test_the_same_words_give_the_same_bytes():
    assert encode_document(Vocabulary()) == encode_document(Vocabulary())
    assert encode_document(Vocabulary()) != encode_document(Vocabulary(teams=("mets",)))


def test_the_document_has_every_route_and_no_other():
    assert set(DOCUMENT["paths"]) == {route.path for route in ROUTES}
    names = [find_operation(route)["operationId"] for route in ROUTES]
    assert len(names) == len(set(names))


@by_route
def test_an_operation_has_the_parameters_of_its_route(route: Route):
    listed = [follow(parameter) for parameter in find_operation(route)["parameters"]]
    in_path = [item["name"] for item in listed if item["in"] == "path"]
    in_query = [item["name"] for item in listed if item["in"] == "query"]
    assert sorted(f"{{{name}}}" for name in in_path) == sorted(part for part in route.path.split("/") if "{" in part)
    assert sorted(in_query) == sorted([*route.parameters, *route.ignored])


@by_route
def test_an_operation_says_what_is_promised_of_it(route: Route):
    operation = find_operation(route)
    assert operation.get("x-stability", "stable") == route.stability
    assert operation["x-plan"] == "all"
    assert operation["x-credits"] == {"planned": route.credits.amount, "per": route.credits.per}
    assert operation["summary"]
    assert (operation.get("security") == []) == (not route.needs_key)


def test_the_calendar_file_alone_takes_a_signed_address_in_place_of_a_key():
    schemes = DOCUMENT["components"]["securitySchemes"]
    params = {
        path: value["get"]["security"] for path, value in DOCUMENT["paths"].items() if value["get"].get("security")
    }
    assert list(params) == ["/v1/{metro}/events.ics"]
    shown = {name: tuple(scheme.get(key, "") for key in ("in", "name")) for name, scheme in schemes.items()}
    shown["Bearer"] = (schemes["Bearer"]["type"], schemes["Bearer"]["scheme"])
    ways = [[shown[name] for name in way] for way in params["/v1/{metro}/events.ics"]]
    assert ways == [
        [("header", "X-API-Key")], [("http", "bearer")], [("query", "key_id"), ("query", "signature")],
    ]  # fmt: skip


def test_the_document_says_which_plans_have_add_ons_and_what_they_are_planned_to_add():
    assert DOCUMENT["x-add-ons"] == {
        name: {"plans": ["partner"], "grantable": ["standard"], "credits": {"planned": planned, "per": "record"}}
        for name, planned in {"source": 2, "forecast": 2, "related": 0}.items()
    }


def test_the_published_document_has_one_response_for_all_failures():
    published = json.loads(encode_document(VOCABULARY))
    validate(published)
    for path, node in published["paths"].items():
        responses = node["get"]["responses"]
        assert responses["4XX"] == responses["5XX"] == {"$ref": "#/components/responses/Failure"}
        whole = DOCUMENT["paths"][path]["get"]["responses"]
        assert responses.keys() == {"4XX", "5XX", *(status for status in whole if status < "400" or status == "416")}
    failure = published["components"]["responses"]["Failure"]
    assert failure["content"]["application/json"]["examples"].keys() == CODES.keys()
    assert all(f"`{status}`: " in failure["description"] for status, _ in CODES.values())


@by_route
def test_a_route_has_a_success_and_a_501_where_it_needs_something_of_the_deployment(route: Route):
    operation = find_operation(route)
    assert "200" in operation["responses"]
    optional = {"address", *(name for name, row in route.parameters.items() if row.is_optional)}
    assert ("501" in operation["responses"]) == (route.is_optional or not optional.isdisjoint(route.parameters))


@by_route
def test_a_parameter_says_what_it_means(route: Route):
    for name, row in route.parameters.items():
        parameter = find_parameter(route, name)
        assert parameter["description"].startswith(row.meaning)
        assert parameter.get("deprecated", False) == (row.replaced_by is not None)
        assert parameter.get("x-stability", "stable") == row.stability
        assert ("501" in parameter["description"]) == row.is_optional
        assert parameter.get("required", False) == row.required


@by_route
def test_an_example_is_valid_by_the_document_and_by_the_reader_of_requests(route: Route):
    for name, row in route.parameters.items():
        parameter = find_parameter(route, name)
        shown = row.allowed != () and (row.is_tryable or row.required)
        assert ("example" in parameter) == shown
        if shown:
            assert is_valid(parameter["schema"], parameter["example"])
        if row.allowed != ():
            assert read_refusal(route, f"{name}={row.example}") is None


def list_edges(schema: Mapping[str, Any]) -> Iterator[tuple[str, object, bool]]:
    """A value as it is sent, as the document knows it, and whether the document takes it."""
    for keyword, step in (("minimum", -1), ("maximum", 1)):
        if keyword in schema:
            bound = schema[keyword]
            yield str(bound), bound, True
            yield str(bound + step), bound + step, False
    for keyword, step in (("minLength", -1), ("maxLength", 1)):
        if keyword in schema and not {"enum", "format"} & set(schema) and ":" not in schema.get("pattern", ""):
            yield "a" * schema[keyword], "a" * schema[keyword], True
            yield "a" * (schema[keyword] + step), "a" * (schema[keyword] + step), False
    for value in schema.get("enum", ()):
        yield value, value, True
    if "enum" in schema:
        yield "no_such_word", "no_such_word", False


LITERALS = {
    "integer": [("7.5", 7.5), ("seven", "seven"), ("-0", None), ("٣", "٣"), ("+7", None), ("0x7", None)],
    "number": [("seven", "seven"), ("NaN", None), ("1e999", None), ("٣", "٣"), (".5", None)],
    "boolean": [("1", 1), ("yes", "yes"), ("True", "True")],
    "date": [("2026-02-30", "2026-02-30"), ("0000-01-01", "0000-01-01"), ("9999-12-31", "9999-12-31"),
             ("1899-12-31", "1899-12-31"), ("2200-01-01", "2200-01-01"), ("2026-8-1", "2026-8-1"), ("٢٠٢٦-01-01",) * 2],
    "date-time": [("2026-08-10", "2026-08-10"), ("2026-08-10T16:00:00", "2026-08-10T16:00:00"),
                  ("9999-12-31T00:00:00Z", "9999-12-31T00:00:00Z")],
    "moment": [("2026-08-10", "2026-08-10"), ("2026-08-10T24:00",) * 2, ("2026-08-10T16:00Z",) * 2, ("Now", "Now")],
    "clock": [("24:00", "24:00"), ("9:00", "9:00"), ("09:60", "09:60"), ("09:00:60", "09:00:60")],
    "minute": [("24:00", "24:00"), ("09:00:00", "09:00:00")],
    "uuid": [("3f2b8c1e", "3f2b8c1e"), ("urn:uuid:3f2b8c1e-5d4a-4b6f-9c7d-0a1b2c3d4e5f",) * 2],
    "text": [("a\x00b", "a\x00b"), ("a\x85b", "a\x85b")],
    "group-cursor": [("places", "places"), ("places:-1", "places:-1")],
}  # fmt: skip


@by_route
def test_what_the_document_takes_is_what_is_read(route: Route):
    """Each bound and the values just beyond it are tried. A value that JSON can't write (`None`) is refused by the
    program alone."""
    for name, row in route.parameters.items():
        if row.kind in ("expression", "path"):
            continue  # a text of any length may be none: tests/edge/test_where.py, tests/answers/test_fields.py
        schema = find_item(route, row)
        edges = [*list_edges(schema), *((text, value, False) for text, value in LITERALS.get(row.kind, ()))]
        for text, value, taken in edges:
            if value is not None:
                assert is_valid(schema, value) is taken, (name, value)
            refusal = read_refusal(route, f"{name}={text}")
            if name == "limit" and text == "0":
                assert refusal == ("limit", "out_of_range")  # it goes with `facets` alone
            elif row.kind != "cursor" or taken:  # a cursor that is too long is told as what it is: malformed
                assert (refusal is None) is taken, (name, text, refusal)
                assert refusal is None or refusal[0] == name


@by_route
def test_an_array_takes_as_many_values_as_the_document_says(route: Route):
    for name, row in route.parameters.items():
        schema = find_parameter(route, name)["schema"]
        assert (schema.get("type") == "array") == row.array
        if "maxItems" in schema:
            some = [f"{number:05}" if row.kind == "text" else f"{number:08x}-5d4a-4b6f-9c7d-0a1b2c3d4e5f"
                    for number in range(schema["maxItems"] + 1)]  # fmt: skip
            assert read_refusal(route, f"{name}={','.join(some[:-1])}") is None
            assert read_refusal(route, f"{name}={','.join(some)}") == (name, "out_of_range")


def test_a_default_is_reported_where_it_does_not_depend_on_the_day():
    lists = {route.name: route for route in ROUTES}
    defaults = {
        (name, parameter): find_parameter(lists[name], parameter)["schema"].get("x-default")
        for name, parameter in [
            ("events.list", "min_confidence"), ("places.list", "min_confidence"), ("events.list", "limit"),
            ("search", "limit"), ("around", "limit"), ("changes", "limit"), ("events.list", "audience"),
            ("events.list", "radius_m"), ("events.list", "from"), ("events.list", "to"),
        ]
    }  # fmt: skip
    assert list(defaults.values()) == [0.7, 0.5, 50, 20, 10, 200, ["not_adults"], 5000, None, None]
    assert "Default: `5000`." in find_parameter(lists["events.list"], "radius_m")["description"]
    assert "Default: `all_terms`, `related`." in find_parameter(lists["search"], "match")["description"]
    assert "Default: `false`." in find_parameter(lists["events.detail"], "include_archived")["description"]
    assert "Default: today." in find_parameter(lists["events.list"], "from")["description"]
    assert "Default: from + 30 days." in find_parameter(lists["events.list"], "to")["description"]
    assert "Default" not in find_parameter(lists["classes.list"], "to")["description"]


def list_nodes(node: Any) -> Iterator[Mapping[str, Any]]:
    """Every object in it, itself too."""
    if isinstance(node, dict):
        yield node
    for value in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from list_nodes(value)


@pytest.mark.parametrize("vocabulary", [VOCABULARY, Vocabulary(teams=(), type_hints=())], ids=["usual", "no teams"])
def test_generators_of_clients_can_read_it_and_what_they_make_is_not_refused(vocabulary: Vocabulary):
    """openapi-python-client stops at an empty `enum` and at a schema that is `false`. It sends each `default`, as
    others do: with a radius and no centre, every list would be refused."""
    document = make_document(vocabulary)
    nodes = [*list_nodes(document["paths"]), *list_nodes(document["components"])]
    assert [] not in [node.get("enum") for node in nodes]
    assert False not in [node.get("items") for node in nodes]
    parameters = [node for node in nodes if node.get("in") == "query" and "schema" in node]
    assert len(parameters) > 100
    assert not [node["name"] for node in parameters if "default" in str(node["schema"]).replace("x-default", "")]
    hint = document["components"]["schemas"]["Place"]["properties"]["type_hint"]
    place = Draft202012Validator({**hint, "components": document["components"]})
    assert place.is_valid(None)
    assert place.is_valid("library") == bool(vocabulary.type_hints)


def test_what_takes_no_word_takes_nothing():
    search = next(route for route in ROUTES if route.name == "search")
    assert not is_valid(find_parameter(search, "include")["schema"], ["source"])


def test_a_deployments_own_words_are_in_parameters_and_in_members():
    own = Vocabulary(
        categories=("chess",), seasons=("monsoon",), occasions=("holi",), teams=("mets",), type_hints=("temple",)
    )
    document = make_document(own)
    parameters, schemas = document["components"]["parameters"], document["components"]["schemas"]
    for name, words in (("category", "chess"), ("season", "monsoon"), ("occasion", "holi"), ("team", "mets"),
                        ("type_hint", "temple"), ("place_type", "temple")):  # fmt: skip
        target = parameters[name]["schema"]["items"]["$ref"].rpartition("/")[2]
        assert schemas[target]["enum"] == [words]
    for name, words in (("Category", "chess"), ("Occasion", "holi"), ("Team", "mets"), ("Season", "monsoon"),
                        ("TypeHint", "temple")):  # fmt: skip
        assert schemas[name] == {"type": "string", "enum": [words]}
    assert schemas["Event"]["properties"]["categories"]["items"] == {"$ref": "#/components/schemas/Category"}
    assert schemas["Place"]["properties"]["type_hint"]["anyOf"][0] == {"$ref": "#/components/schemas/TypeHint"}
    assert parameters["category"]["example"] == ["chess"]
    assert b"arts_creative" not in encode_document(own)


def test_codes_and_reasons_are_closed_lists():
    assert SCHEMAS["FailureMembers"]["properties"]["code"]["enum"] == list(CODES)
    assert SCHEMAS["FailureDetails"]["properties"]["reason"]["enum"] == list(REASONS)


def test_every_code_has_an_example_under_its_status():
    shown = {}
    for path in DOCUMENT["paths"].values():
        for status, node in path["get"]["responses"].items():
            content = follow(node).get("content", {}).get("application/json", {})
            for example in content.get("examples", {}).values():
                assert is_valid(content["schema"], example["value"])
                shown[example["value"]["error"]["code"]] = int(status)
    not_of_a_get = {"method_not_allowed"}
    assert shown == {code: value.status for code, value in CODES.items() if code not in not_of_a_get}


def test_members_of_the_contract_are_there_and_null_is_said():
    event = SCHEMAS["Event"]
    assert set(event["properties"]) - set(event["required"]) == {
        "occurrence", "expanded", "source", "forecast", "related",
    }  # fmt: skip
    assert event["properties"]["type"]["const"] == "event"
    assert event["properties"]["verified_at"]["type"] == ["string", "null"]
    assert event["properties"]["has_date"]["type"] == "boolean"
    assert SCHEMAS["Tuition"]["properties"]["from"]["type"] == ["number", "null"]
    assert set(SCHEMAS["Window"]["required"]) == {"from", "to", "timezone"}
    assert set(SCHEMAS["Organization"]["required"]) == set(SCHEMAS["Organization"]["properties"])
    assert SCHEMAS["Notice"]["required"] == ["code", "message"]


def test_every_member_says_what_it_means_and_no_meaning_is_of_a_member_that_there_is_not():
    """A new member has its words beside its type, or in `EVERYWHERE`."""
    members = {(name, member) for name, schema in SCHEMAS.items() for member in schema.get("properties", ())}
    whole = {(name, member) for name, member in members if "data" not in SCHEMAS[name]["properties"]}
    by_name: defaultdict[str, set[str]] = defaultdict(set)
    for name, member in whole:
        meaning = SCHEMAS[name]["properties"][member]["description"]
        assert meaning[0].isupper() or meaning[0] == "`", (name, member)
        assert meaning.endswith("."), (name, member)
        by_name[member].add(meaning)
    assert all(meaning in by_name[member] for member, meaning in EVERYWHERE.items())


def test_what_some_deployments_answer_is_said_in_words_and_nothing_is_called_unimplemented():
    """Tools leave out what is marked so, and a server with postal codes answers it."""
    assert "x-implemented" not in json.dumps(DOCUMENT)
    optional = {name for name, row in PARAMETERS.items() if row.is_optional}
    assert optional == {"zip", "near_zip", "include_approximate"}
    shared = DOCUMENT["components"]["parameters"]
    assert {name for name, row in shared.items() if "else `501`" in row["description"]} == optional


def test_readers_may_be_sent_members_that_come_later():
    assert "additionalProperties" not in SCHEMAS["Event"]
    assert "additionalProperties" not in SCHEMAS["Failure"]


@by_route
def test_headers_are_reported_of_every_answer(route: Route):
    for status, node in find_operation(route)["responses"].items():
        headers = set(follow(node)["headers"])
        assert {"Cache-Control", "X-Release"} <= headers
        assert {"X-Request-Id", "X-Trace-Id", "Vary"} <= headers or status < "400"  # `info.description` says it
        assert ("Retry-After" in headers) == (status in ("429", "503"))
        if route.needs_key:
            assert ("ETag" in headers) == (status in ("200", "206", "304", "416"))
