"""The routes as the page shows them: grouped, with what each takes and answers."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from msgspec import Struct

from outings.contract.members import RESOURCES
from outings.contract.openapi.examples import Example, find_example
from outings.contract.openapi.operations import make_body
from outings.contract.openapi.schemas import is_struct
from outings.contract.routes import LISTS, ROUTES, Group, Route
from outings.contract.vocabulary import Vocabulary
from outings.pages.reference.value_types import Form, read_form


class ParameterEntry(Struct, frozen=True, kw_only=True):
    """A parameter on one route, or as its shared row says it."""

    name: str
    form: Form
    meaning: str
    example: str = ""
    is_in_path: bool = False
    is_required: bool = False
    is_deprecated: bool = False
    stability: str = "stable"


class RouteEntry(Struct, frozen=True, kw_only=True):
    """`like` is the list whose parameters the route takes too: `parameters` has those alone that differ, and `without`
    names those that it does not take. `body` describes the members beside `data`."""

    route: Route
    operation: Mapping[str, Any]
    parameters: Sequence[ParameterEntry]
    like: Route | None
    without: Sequence[str]
    example: Example | None
    answered: Form | None
    meta: str
    failures: Sequence[str]


def list_groups(document: Mapping[str, Any], vocabulary: Vocabulary) -> Mapping[str, Sequence[RouteEntry]]:
    """Every route of the table under its group, those of a collection side by side."""
    return {
        group: [
            _make_entry(route, document=document, vocabulary=vocabulary)
            for collection in dict.fromkeys(route.collection for route in ROUTES if route.group == group)
            for route in ROUTES
            if route.collection == collection
        ]
        for group in get_args(Group)
    }


def read_parameter(node: Mapping[str, Any], shared: Mapping[str, Any]) -> ParameterEntry:
    """Of the document: a parameter itself, or a reference to one of `shared`."""
    parameter = shared[node["$ref"].rpartition("/")[2]] if "$ref" in node else node
    return ParameterEntry(
        name=parameter["name"],
        form=read_form(parameter["schema"]),
        meaning=parameter["description"],
        example=_write_example(parameter.get("example")),
        is_in_path=parameter["in"] == "path",
        is_required=parameter.get("required", False),
        is_deprecated=parameter.get("deprecated", False),
        stability=parameter.get("x-stability", "stable"),
    )


def _make_entry(route: Route, *, document: Mapping[str, Any], vocabulary: Vocabulary) -> RouteEntry:
    operation = document["paths"][route.path]["get"]
    shared = document["components"]["parameters"]
    listed = [read_parameter(node, shared) for node in operation["parameters"]]
    like = _find_like(route)
    of_list = [] if like is None else document["paths"][like.path]["get"]["parameters"]
    known = [read_parameter(node, shared) for node in of_list]
    names = {each.name for each in listed}
    return RouteEntry(
        route=route,
        operation=operation,
        parameters=[each for each in listed if each not in known],
        like=like,
        without=[each.name for each in known if each.name not in names and not each.is_in_path],
        example=find_example(route, vocabulary),
        answered=_read_answered(route),
        meta=route.meta.__name__ if route.meta else "",
        failures=[status for status in operation["responses"] if int(status) >= 400],
    )


def _find_like(route: Route) -> Route | None:
    """The list of the route's type, where most of its parameters are the route's too."""
    like = None if route.type is None else LISTS[route.type]
    if like is None or like == route:
        return None
    shared = like.parameters.keys() & route.parameters.keys()
    return like if len(shared) > len(like.parameters) / 2 else None


def _read_answered(route: Route) -> Form | None:
    """What stands in `data`, or the whole body of a route without a key. None for what is no JSON of ours."""
    if not is_struct(route.item):
        return None
    if route.shown:
        name = RESOURCES[route.shown].__name__
        return Form(name=name, shape=name, is_array=not route.is_one)
    body = make_body(route)
    return read_form(body["properties"]["data"] if route.needs_key else body)


def _write_example(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return ",".join(map(str, value))
    if isinstance(value, float):
        return f"{value:g}"
    return str(value).lower() if isinstance(value, bool) else str(value)
