"""The JSON around the data of an answer: `data`, `notices`, `facets` and `meta`, in this order, or `error`."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Struct

from outings.contract.errors import ApiError
from outings.contract.resources.shared import means, one_of

# Meaning of each notice's code.
NOTICES: Mapping[str, str] = {
    "include_not_permitted": "The key lacks the add-on, which `include_mode=lenient` left out.",
    "related_unavailable": "A list of `related` has no cards.",
    "forecast_unavailable": "No forecast is known for some of the items.",
    "source_unavailable": "No source is known for some of the items.",
    "parameter_deprecated": "A parameter has a new name, which `details.replaced_by` says. It still works.",
    "parameter_ignored": "A parameter, or a path of `fields`, changes nothing here.",
    "facets_incomplete": "A count is cut short.",
    "point_outside_metro": "The point lies outside of the metro's box.",
    "neighborhood_unknown": "The metro has no such neighborhood. `details.did_you_mean` has the nearest ones.",
    "rows_without_coordinates": "Rows have no coordinates: they are left out, or are placed by their postal code.",
}


class Notice(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A warning beside the data of an answer. Members without a value are left out."""

    code: Annotated[str, one_of(*NOTICES), means("The kind of warning.")]
    message: Annotated[str, means("The warning in words, for people.")]
    include: Annotated[str | None, means("The add-on that is concerned.")] = None
    param: Annotated[str | None, means("The parameter that is concerned.")] = None
    details: Annotated[Mapping[str, Any] | None, means("More, by the code.")] = None
    links: Annotated[Mapping[str, str] | None, means("Where to get the add-on: `upgrade`, `docs`.")] = None


def ignored_parameter(name: str, *, collection: str) -> Notice:
    message = f"{name} does not apply to {collection} and was ignored."
    return Notice(code="parameter_ignored", param=name, message=message)


def unattached_field(path: str, requested_by: str) -> Notice:
    """Return the notice for a path in `fields` that has no effect without the parameter `requested_by`."""
    message = f"fields names {path}, which is there only with {requested_by}; it was ignored."
    return Notice(code="parameter_ignored", param="fields", message=message)


def deprecated_parameter(name: str, *, replaced_by: str) -> Notice:
    return Notice(
        code="parameter_deprecated",
        param=name,
        message=f"{name} is the old spelling of {replaced_by}.",
        details={"replaced_by": replaced_by},
    )


def missing_include(include: str, *, permission: Mapping[str, Any], links: Mapping[str, str]) -> Notice:
    """Return the notice that the API key lacks an add-on, which was left out. `permission`: the plans that have it."""
    return Notice(
        code="include_not_permitted",
        message=f"This key has no add-on {include!r}: the answer is without it.",
        include=include,
        param="include",
        details=permission,
        links=links or None,
    )


def unavailable_source(count: int, *, of: int) -> Notice:
    """Return the notice that `count` of the `of` items have no known source."""
    message = "Nothing is known of where it came from." if of == 1 else f"Of {count} items no source is known."
    return Notice(code="source_unavailable", include="source", message=message, details={"without": count})


def unavailable_forecast(count: int, *, of: int, is_known: bool) -> Notice:
    """Return the notice that `count` of the `of` items lack a forecast. `is_known`: the metro has a forecast."""
    message = f"The forecast says nothing of {count} of {of}." if is_known else "No forecast is known now."
    return Notice(code="forecast_unavailable", include="forecast", message=message, details={"without": count})


def unavailable_related(name: str) -> Notice:
    """Return the notice that the list `name` in `related` is empty."""
    message = f"related.{name} has no cards."
    return Notice(code="related_unavailable", include="related", message=message, details={"list": name})


def unknown_neighborhood(text: str, *, metro: str, nearest: Sequence[str]) -> Notice:
    """Return the notice that no neighborhood has this slug or name. `nearest`: slugs that are spelled similarly."""
    hint = f"did you mean {' or '.join(nearest)}?" if nearest else f"/v1/{metro}/neighborhoods lists them."
    return Notice(
        code="neighborhood_unknown",
        param="neighborhood",
        message=f"There is no neighborhood {text} in {metro}; {hint}",
        details={"did_you_mean": list(nearest)},
    )


def outside_metro(name: str) -> Notice:
    return Notice(code="point_outside_metro", message=f"The point lies outside {name}.")


def approximate_rows(ids: Sequence[str]) -> Notice:
    """Return the notice for listings without coordinates that are placed in the middle of their postal code."""
    return Notice(
        code="rows_without_coordinates",
        message=f"{len(ids)} of these have no coordinates: they are where the middle of their zip is.",
        param="include_approximate",
        details={"ids": list(ids)},
    )


def hidden_rows(count: int) -> Notice:
    """Return the notice that `count` listings may be near but have no coordinates."""
    return Notice(
        code="rows_without_coordinates",
        message=f"{count} more may be here: what has no coordinates is in no circle.",
        details={"hidden_nearby": count},
    )


_encoder = msgspec.json.Encoder()


def encode_list(
    items: Sequence[bytes | memoryview], *, meta: bytes, notices: Sequence[Notice] = (), facets: bytes | None = None
) -> list[bytes]:
    """Encode the body of a list, in parts to be joined. `items`, `meta` and `facets` are JSON."""
    counts = [] if facets is None else [b',"facets":', facets]
    return [b'{"data":[', b",".join(items), b"]", *_encode_notices(notices), *counts, b',"meta":', meta, b"}"]


def encode_detail(document: bytes, *, meta: bytes | None = None, notices: Sequence[Notice] = ()) -> list[bytes]:
    """Encode the body of a single object, in parts to be joined. `document`: its JSON."""
    end = [b"}"] if meta is None else [b',"meta":', meta, b"}"]
    return [b'{"data":', document, *_encode_notices(notices), *end]


PROBLEM = "application/problem+json"


def encode_error(error: ApiError, request_id: str, *, is_problem: bool = False) -> bytes:
    """Encode the body of an error, with `is_problem` as RFC 9457 has it. `details` are left out if there are none."""
    members: dict[str, object] = {"code": error.code, "message": error.message}
    if error.details:
        members["details"] = error.details
    members["request_id"] = request_id
    if is_problem:
        return _encoder.encode(
            {"title": error.code, "status": error.status, "detail": members.pop("message"), **members}
        )
    return _encoder.encode({"error": members})


def _encode_notices(notices: Sequence[Notice]) -> list[bytes]:
    return [b',"notices":', _encoder.encode(notices)] if notices else []
