"""Failure: the envelope of every answer that is none, and what the probes say."""

from collections.abc import Mapping
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from outings.contract.errors import CODES, METHODS, REASONS

Code = Annotated[str, Meta(extra_json_schema={"enum": list(CODES)})]
Reason = Annotated[str, Meta(extra_json_schema={"enum": list(REASONS)})]
Method = Annotated[str, Meta(extra_json_schema={"enum": list(METHODS)})]


class FailureDetails(Struct, frozen=True, kw_only=True):
    """`param` is the parameter that was wrong; `allowed`, `min` and `max` are what it takes; `metros` and `types` those
    that the key may use; `plans` those that have the add-on `include`, `grantable` those whose keys may get it, `links`
    where to get it; `allow` the methods. `release` and `problems` are of `/readyz`. What does not help is left out.
    """

    param: str | UnsetType = UNSET
    reason: Reason | UnsetType = UNSET
    allowed: tuple[str, ...] | UnsetType = UNSET
    min: float | str | UnsetType = UNSET
    max: float | str | UnsetType = UNSET
    did_you_mean: str | UnsetType = UNSET
    metros: tuple[str, ...] | UnsetType = UNSET
    types: tuple[str, ...] | UnsetType = UNSET
    include: str | UnsetType = UNSET
    plans: tuple[str, ...] | UnsetType = UNSET
    grantable: tuple[str, ...] | UnsetType = UNSET
    links: Mapping[str, str] | UnsetType = UNSET
    feature: str | UnsetType = UNSET
    allow: tuple[Method, ...] | UnsetType = UNSET
    release: str | UnsetType | None = UNSET
    problems: Mapping[str, str] | UnsetType = UNSET


class FailureMembers(Struct, frozen=True, kw_only=True):
    """Branch on `code`, within `bad_request` on `details.reason`; quote `request_id` when you report a fault."""

    code: Code
    message: str
    request_id: str
    details: FailureDetails | UnsetType = UNSET


class Failure(Struct, frozen=True, kw_only=True):
    error: FailureMembers


class Health(Struct, frozen=True, kw_only=True):
    status: str


class Readiness(Struct, frozen=True, kw_only=True):
    """`release` is the one that answers; `problems` says what is wrong although it answers: part → what."""

    status: str
    release: str
    problems: Mapping[str, str]


# What their members mean, where outings/contract/meanings/everywhere.py does not say it.
MEANINGS = {
    "Failure.error": "What went wrong.",
    "FailureMembers.code": "What a program branches on.",
    "FailureMembers.details": "More, by the code.",
    "FailureMembers.message": "What went wrong, in words, for people.",
    "FailureMembers.request_id": "Names the request. Quote it when you report a fault.",
    "FailureDetails.allow": "The methods that there are.",
    "FailureDetails.allowed": "The values that the parameter takes.",
    "FailureDetails.did_you_mean": "What exists and is spelled similarly.",
    "FailureDetails.feature": "What the plan has not.",
    "FailureDetails.grantable": "The plans whose keys may be granted the add-on.",
    "FailureDetails.include": "The add-on that the key has not.",
    "FailureDetails.links": "Where to get what is missing.",
    "FailureDetails.max": "The greatest that the parameter takes.",
    "FailureDetails.metros": "The metros that the key may read, or in which the name is.",
    "FailureDetails.min": "The least that the parameter takes.",
    "FailureDetails.param": "The parameter that was wrong.",
    "FailureDetails.plans": "The plans that have the add-on.",
    "FailureDetails.problems": "Of `/readyz`: what is wrong, by part.",
    "FailureDetails.reason": "What is wrong with it, in one word.",
    "FailureDetails.release": "Of `/readyz`: the release that answers; null where there is none.",
    "FailureDetails.types": "The collections that the key may read.",
    "Health.status": "`ok`.",
    "Readiness.problems": "What is wrong although it answers, by part.",
    "Readiness.release": "The release that answers.",
    "Readiness.status": "`ok`.",
}
