"""The errors of the API: their codes, their reasons, a function that makes each, and their JSON."""

from collections.abc import Iterable, Mapping
from typing import Annotated, NamedTuple

from msgspec import UNSET, Struct, UnsetType

from outings.contract.resources.shared import means, one_of


class Code(NamedTuple):
    status: int
    meaning: str


# Values of `error.code`.
CODES: Mapping[str, Code] = {
    "bad_request": Code(
        400,
        "A parameter is wrong, or two contradict each other: `details.reason` says how, `details.param` which one. "
        "Change the request.",
    ),
    "unauthorized": Code(401, "The key is missing, unknown, revoked or expired. Send a valid one in `X-API-Key`."),
    "forbidden": Code(
        403, "The key may not read this metro or type. `details.metros` has the metros that it may read."
    ),
    "include_not_permitted": Code(403, "The key has no such add-on. `include_mode=lenient` answers without it."),
    "feature_not_in_plan": Code(403, "The key may not send this parameter: `details.plans` has the plans that may."),
    "not_found": Code(
        404, "Nothing of that name may be shown: it never existed, is archived, or its metro does not exist."
    ),
    "method_not_allowed": Code(405, "The API is read-only. Send `GET`, `HEAD` or `OPTIONS`."),
    "rate_limited": Code(429, "Too many requests in this minute. Wait as long as `Retry-After` says."),
    "quota_exceeded": Code(429, "The month's answers are used up. `Retry-After` is the time to the next month."),
    "internal": Code(500, "The server failed. Try once more, then report `request_id`."),
    "not_implemented": Code(501, "This deployment has no such route or parameter. Trying again will not help."),
    "unavailable": Code(503, "Not available at the moment. Try again after `Retry-After`."),
}

# Values of `details.reason` in a `bad_request`, with their meaning.
REASONS: Mapping[str, str] = {
    "unknown_parameter": "There is no parameter of that name. `did_you_mean` has the nearest.",
    "parameter_not_supported": "The parameter exists, but this route does not take it.",
    "missing_parameter": "The route, or another parameter that was sent, needs this one.",
    "invalid_value": "The value has another form, or is none of `allowed`.",
    "out_of_range": "The value is below `min` or above `max`, or there are too many values.",
    "contradictory": "Two parameters, or one and the path, exclude each other, or a window ends before it starts.",
    "window_too_long": "`to` lies too many days after `from`.",
    "nothing_searchable": "No word of `q` says what to look for.",
    "metro_required": "The name is in several metros. Send one of `details.metros` as `metro`.",
    "include_not_supported": "This route has no such add-on.",
    "cursor_malformed": "The cursor was changed, or is no cursor.",
    "cursor_mismatch": "The cursor is of another request. Send it with the request that gave it.",
    "cursor_expired": "Paging can't continue from here. Start again without a cursor.",
    "cursor_ahead": "The cursor is greater than the latest version.",
}

METHODS = ("GET", "HEAD", "OPTIONS")

Details = Mapping[str, object]


class ApiError(Exception):
    """An error as the client sees it: status, code, message, details, and the headers that belong to it."""

    def __init__(
        self, code: str, message: str, *, details: Details | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = CODES[code].status
        self.message = message
        self.details: Details = details or {}
        self.headers: Mapping[str, str] = headers or {}


def bad_request(*, reason: str, message: str, param: str | None = None, **details: object) -> ApiError:
    """Make a 400. `details`: `allowed`, `min`, `max`, `did_you_mean` and `metros`; those that are None are left out."""
    if reason not in REASONS:
        raise ValueError(f"{reason!r} is no reason of the contract; allowed: {', '.join(REASONS)}")
    named: dict[str, object] = {} if param is None else {"param": param}
    stated = {name: value for name, value in details.items() if value is not None}
    return ApiError("bad_request", message, details={**named, "reason": reason, **stated})


def unauthorized() -> ApiError:
    message = "Send a valid key in the header X-API-Key, or as Authorization: Bearer."
    return ApiError("unauthorized", message, headers={"WWW-Authenticate": "ApiKey, Bearer"})


def forbidden(
    *, metros: Iterable[str], types: Iterable[str] | None = None, message: str = "This key may not read that metro."
) -> ApiError:
    """Make a 403. `metros`: the slugs that the key may use. `types`: the collections that it may read, if the type is
    the problem."""
    named = {} if types is None else {"types": sorted(types)}
    return ApiError("forbidden", message, details={"metros": sorted(metros), **named})


def include_not_permitted(include: str, *, permission: Details, links: Mapping[str, str]) -> ApiError:
    """Make a 403. `permission` names the `plans` that have the add-on and those on which it is `grantable`. `links` are
    URLs where to get it."""
    return ApiError(
        "include_not_permitted",
        f"This key has no add-on {include!r}; include_mode=lenient answers without it.",
        details={"param": "include", "include": include, **permission, **({"links": links} if links else {})},
    )


def feature_not_in_plan(feature: str, *, permission: Details, links: Mapping[str, str]) -> ApiError:
    """Make a 403. `permission` and `links` are those of `include_not_permitted`."""
    return ApiError(
        "feature_not_in_plan",
        f"This key may not send {feature}; leave it out, or ask for the grant {feature}.",
        details={"param": feature, "feature": feature, **permission, **({"links": links} if links else {})},
    )


def not_found(message: str, *, did_you_mean: str | None = None) -> ApiError:
    """Make a 404. `did_you_mean`: an existing name that is spelled similarly."""
    if did_you_mean is None:
        return ApiError("not_found", message)
    return ApiError("not_found", f"{message} Did you mean {did_you_mean}?", details={"did_you_mean": did_you_mean})


def method_not_allowed() -> ApiError:
    return ApiError(
        "method_not_allowed",
        f"This API is read-only: use {', '.join(METHODS)}.",
        details={"allow": list(METHODS)},
        headers={"Allow": ", ".join(METHODS)},
    )


def rate_limited(retry_after: int) -> ApiError:
    """Make a 429. `retry_after`: whole seconds, at least 1."""
    message = f"Too many requests in this minute; try again in {retry_after} s."
    return ApiError("rate_limited", message, headers={"Retry-After": str(retry_after)})


def quota_exceeded(retry_after: int) -> ApiError:
    """Make a 429. `retry_after`: whole seconds until the next month begins in UTC."""
    message = "The answers of this month are used up; wait for the next month, or ask for a larger quota."
    return ApiError("quota_exceeded", message, headers={"Retry-After": str(retry_after)})


def internal() -> ApiError:
    return ApiError("internal", "The server failed; try once more, then report the request_id.")


def not_enabled(what: str, *, param: str | None = None) -> ApiError:
    """Make a 501 for a route or a parameter that this deployment does not have."""
    return not_implemented(f"{what} is not enabled on this deployment.", param=param)


def not_implemented(message: str, *, param: str | None = None) -> ApiError:
    return ApiError("not_implemented", message, details={"param": param} if param else None)


def unavailable(retry_after: int = 5) -> ApiError:
    """Make a 503. `retry_after`: whole seconds, at least 1; the default suits a store that fails or a server that
    starts."""
    message = f"Not available at the moment; try again in {retry_after} s."
    return ApiError("unavailable", message, headers={"Retry-After": str(retry_after)})


CodeWord = Annotated[str, one_of(*CODES)]
Reason = Annotated[str, one_of(*REASONS)]
Method = Annotated[str, one_of(*METHODS)]


class FailureDetails(Struct, frozen=True, kw_only=True):
    """Details of an error. Those that do not apply are left out."""

    param: Annotated[str | UnsetType, means("The wrong parameter.")] = UNSET
    reason: Annotated[Reason | UnsetType, means("What is wrong with it, in one word.")] = UNSET
    allowed: Annotated[tuple[str, ...] | UnsetType, means("The values that the parameter takes.")] = UNSET
    min: Annotated[float | str | UnsetType, means("The least value that the parameter takes.")] = UNSET
    max: Annotated[float | str | UnsetType, means("The greatest value that the parameter takes.")] = UNSET
    did_you_mean: Annotated[str | UnsetType, means("A name that exists and is spelled similarly.")] = UNSET
    metros: Annotated[tuple[str, ...] | UnsetType, means("Metros that the key may read, or with that name.")] = UNSET
    types: Annotated[tuple[str, ...] | UnsetType, means("The collections that the key may read.")] = UNSET
    include: Annotated[str | UnsetType, means("The add-on that the key lacks.")] = UNSET
    plans: Annotated[tuple[str, ...] | UnsetType, means("The plans that have the add-on.")] = UNSET
    grantable: Annotated[tuple[str, ...] | UnsetType, means("The plans whose keys may be granted the add-on.")] = UNSET
    links: Annotated[Mapping[str, str] | UnsetType, means("Where to get what is missing.")] = UNSET
    feature: Annotated[str | UnsetType, means("The feature that the plan lacks.")] = UNSET
    position: Annotated[int | UnsetType, means("The wrong character of the value, counted from 1.")] = UNSET
    allow: Annotated[tuple[Method, ...] | UnsetType, means("The methods that are allowed.")] = UNSET
    release: Annotated[str | UnsetType | None, means("For `/readyz`: the release that answers; or null.")] = UNSET
    problems: Annotated[Mapping[str, str] | UnsetType, means("For `/readyz`: what is wrong, by part.")] = UNSET


class FailureMembers(Struct, frozen=True, kw_only=True):
    """An error. Programs branch on `code` and, for `bad_request`, on `details.reason`."""

    code: Annotated[CodeWord, means("The code that programs branch on.")]
    message: Annotated[str, means("What went wrong, in words, for people.")]
    request_id: Annotated[str, means("The id of the request. Quote it when you report a fault.")]
    details: Annotated[FailureDetails | UnsetType, means("More, by the code.")] = UNSET


class Problem(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An error as RFC 9457 has it, for clients whose `Accept` names `application/problem+json`."""

    title: Annotated[CodeWord, means("The same as `code`.")]
    status: Annotated[int, means("The status of the response.")]
    detail: Annotated[str, means("What went wrong, in words, for people.")]
    code: Annotated[CodeWord, means("The code that programs branch on.")]
    request_id: Annotated[str, means("The id of the request. Quote it when you report a fault.")]
    details: Annotated[FailureDetails | UnsetType, means("More, by the code.")] = UNSET


class Failure(Struct, frozen=True, kw_only=True):
    error: Annotated[FailureMembers, means("What went wrong.")]


class Health(Struct, frozen=True, kw_only=True):
    status: Annotated[str, means("`ok`.")]


class Readiness(Struct, frozen=True, kw_only=True):
    status: Annotated[str, means("`ready`.")]
    release: Annotated[str, means("The release that answers.")]
    problems: Annotated[Mapping[str, str], means("What is wrong although it answers, by part.")]
