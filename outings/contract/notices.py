"""Notices: what an answer left out, or understood differently from the request."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from msgspec import Meta, Struct

NOTICES = (
    "include_not_permitted",
    "related_unavailable",
    "forecast_unavailable",
    "source_unavailable",
    "parameter_deprecated",
    "parameter_ignored",
    "facets_incomplete",
    "point_outside_metro",
    "rows_without_coordinates",
)


class Notice(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`links` may have `upgrade` and `docs`. Members without a value are left out."""

    code: Annotated[str, Meta(extra_json_schema={"enum": list(NOTICES)})]
    message: str
    include: str | None = None
    param: str | None = None
    details: Mapping[str, Any] | None = None
    links: Mapping[str, str] | None = None


def ignored_parameter(name: str, *, collection: str) -> Notice:
    message = f"{name} does not apply to {collection} and was ignored."
    return Notice(code="parameter_ignored", param=name, message=message)


def unattached_field(path: str, requested_by: str) -> Notice:
    """For a path in `fields` that nothing attaches. `asked_by` is the parameter that would attach it."""
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
    """`permission` and `links` are those of `include_not_permitted`."""
    return Notice(
        code="include_not_permitted",
        message=f"This key has no add-on {include!r}: the answer is without it.",
        include=include,
        param="include",
        details=permission,
        links=links or None,
    )


def unavailable_source(count: int, *, of: int) -> Notice:
    """`count` of the answer's `of` items have no source block."""
    message = "Nothing is known of where it came from." if of == 1 else f"Of {count} items no source is known."
    return Notice(code="source_unavailable", include="source", message=message, details={"without": count})


def unavailable_forecast(count: int, *, of: int, is_known: bool) -> Notice:
    """`count` of the `of` items that should have a forecast have none. `is_known` says whether there is any
    forecast."""
    message = f"The forecast says nothing of {count} of {of}." if is_known else "No forecast is known now."
    return Notice(code="forecast_unavailable", include="forecast", message=message, details={"without": count})


def unavailable_related(name: str) -> Notice:
    """For a related list that is empty."""
    message = f"related.{name} has no cards."
    return Notice(code="related_unavailable", include="related", message=message, details={"list": name})


def outside_metro(name: str) -> Notice:
    return Notice(code="point_outside_metro", message=f"The point lies outside {name}.")


def approximate_rows(ids: Sequence[str]) -> Notice:
    """For a circle with `include_approximate`."""
    return Notice(
        code="rows_without_coordinates",
        message=f"{len(ids)} of these have no coordinates: they are where the middle of their zip is.",
        param="include_approximate",
        details={"ids": list(ids)},
    )


def hidden_rows(count: int) -> Notice:
    """For an answer near a point."""
    return Notice(
        code="rows_without_coordinates",
        message=f"{count} more may be here: what has no coordinates is in no circle.",
        details={"hidden_nearby": count},
    )


# What their members mean, where outings/contract/meanings/everywhere.py does not say it.
MEANINGS = {
    "Notice.code": "What it is about.",
    "Notice.details": "More, by the code.",
    "Notice.include": "The add-on that it is about.",
    "Notice.links": "Where to get what is missing.",
    "Notice.message": "It in words, for people.",
    "Notice.param": "The parameter that it is about.",
}
