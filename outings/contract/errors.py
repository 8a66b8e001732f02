"""Errors of the contract: twelve codes, a closed list of reasons, and one constructor for each."""

from collections.abc import Iterable, Mapping

# `error.code` → status. A client branches on the code.
CODES: Mapping[str, int] = {
    "bad_request": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "include_not_permitted": 403,
    "feature_not_in_plan": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "rate_limited": 429,
    "quota_exceeded": 429,
    "internal": 500,
    "not_implemented": 501,
    "unavailable": 503,
}

# `details.reason` of a `bad_request`.
REASONS = (
    "unknown_parameter",
    "parameter_not_supported",
    "missing_parameter",
    "invalid_value",
    "out_of_range",
    "contradictory",
    "window_too_long",
    "nothing_searchable",
    "metro_required",
    "include_not_supported",
    "cursor_malformed",
    "cursor_mismatch",
    "cursor_expired",
    "cursor_ahead",
    "release_gone",
)

METHODS = ("GET", "HEAD", "OPTIONS")

Details = Mapping[str, object]


class ApiError(Exception):
    """An error as the client sees it: status, code, message, details, and additional headers."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        details: Details | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = CODES[code]
        self.message = message
        self.details: Details = details or {}
        self.headers: Mapping[str, str] = headers or {}

    def __repr__(self) -> str:
        return f"ApiError({self.code!r}, {self.message!r}, details={dict(self.details)!r})"


def bad_request(*, reason: str, message: str, param: str | None = None, **details: object) -> ApiError:
    """400. `details` may have `allowed`, `min`, `max`, `did_you_mean` and `metros`. Those that are None are left
    out."""
    if reason not in REASONS:
        raise ValueError(f"{reason!r} is no reason of the contract; allowed: {', '.join(REASONS)}")
    named: dict[str, object] = {} if param is None else {"param": param}
    stated = {name: value for name, value in details.items() if value is not None}
    return ApiError("bad_request", message, details={**named, "reason": reason, **stated})


def unauthorized() -> ApiError:
    return ApiError(
        "unauthorized",
        "Send a valid key in the header X-API-Key.",
        headers={"WWW-Authenticate": "ApiKey"},
    )


def forbidden(
    *, metros: Iterable[str], types: Iterable[str] | None = None, message: str = "This key is not scoped to that metro."
) -> ApiError:
    """403. `metros` are slugs that the key may use. `types` are the collections that it may read, if the type is the
    problem."""
    named = {} if types is None else {"types": sorted(types)}
    return ApiError("forbidden", message, details={"metros": sorted(metros), **named})


def include_not_permitted(include: str, *, permission: Details, links: Mapping[str, str]) -> ApiError:
    """403. `permission` names the `plans` that have the add-on and those on which it is `grantable`. `links` say where
    to get it."""
    return ApiError(
        "include_not_permitted",
        f"This key has no add-on {include!r}; include_mode=lenient answers without it.",
        details={"param": "include", "include": include, **permission, **({"links": links} if links else {})},
    )


def feature_not_in_plan(feature: str) -> ApiError:
    return ApiError("feature_not_in_plan", f"This key's plan has no {feature!r}.", details={"feature": feature})


def not_found(message: str, *, did_you_mean: str | None = None) -> ApiError:
    """404. `did_you_mean` is something that exists and is spelled similarly."""
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
    """429. `retry_after` in whole seconds, at least 1."""
    return ApiError("rate_limited", "Too many requests in this minute.", headers={"Retry-After": str(retry_after)})


def quota_exceeded(retry_after: int) -> ApiError:
    """429. `retry_after`: whole seconds until the UTC month rolls over."""
    return ApiError(
        "quota_exceeded",
        "The allowance of this month is spent.",
        headers={"Retry-After": str(retry_after)},
    )


def internal() -> ApiError:
    return ApiError("internal", "The server failed; try once more, then report the request_id.")


def not_enabled(what: str, *, param: str | None = None) -> ApiError:
    """501, for a route or a parameter that this deployment does not have."""
    return not_implemented(f"{what} is not enabled on this deployment.", param=param)


def not_implemented(message: str, *, param: str | None = None) -> ApiError:
    return ApiError("not_implemented", message, details={"param": param} if param else None)


def unavailable(retry_after: int = 5) -> ApiError:
    """503. `retry_after` in whole seconds, at least 1; by default what a store that can't be reached, or a server that
    starts, is given to come back."""
    return ApiError("unavailable", "Not available for a moment.", headers={"Retry-After": str(retry_after)})
