"""Failure: the envelope of every answer that is none, and what the probes say."""

from collections.abc import Mapping
from typing import Annotated

from msgspec import UNSET, Struct, UnsetType

from outings.contract.errors import CODES, METHODS, REASONS
from outings.contract.resources.words import means, one_of

Code = Annotated[str, one_of(*CODES)]
Reason = Annotated[str, one_of(*REASONS)]
Method = Annotated[str, one_of(*METHODS)]


class FailureDetails(Struct, frozen=True, kw_only=True):
    """`param` is the parameter that was wrong; `allowed`, `min` and `max` are what it takes; `metros` and `types` those
    that the key may use; `plans` those that have the add-on `include`, `grantable` those whose keys may get it, `links`
    where to get it; `allow` the methods. `release` and `problems` are of `/readyz`. What does not help is left out.
    """

    param: Annotated[str | UnsetType, means("The parameter that was wrong.")] = UNSET
    reason: Annotated[Reason | UnsetType, means("What is wrong with it, in one word.")] = UNSET
    allowed: Annotated[tuple[str, ...] | UnsetType, means("The values that the parameter takes.")] = UNSET
    min: Annotated[float | str | UnsetType, means("The least that the parameter takes.")] = UNSET
    max: Annotated[float | str | UnsetType, means("The greatest that the parameter takes.")] = UNSET
    did_you_mean: Annotated[str | UnsetType, means("What exists and is spelled similarly.")] = UNSET
    metros: Annotated[
        tuple[str, ...] | UnsetType, means("The metros that the key may read, or in which the name is.")
    ] = UNSET
    types: Annotated[tuple[str, ...] | UnsetType, means("The collections that the key may read.")] = UNSET
    include: Annotated[str | UnsetType, means("The add-on that the key has not.")] = UNSET
    plans: Annotated[tuple[str, ...] | UnsetType, means("The plans that have the add-on.")] = UNSET
    grantable: Annotated[tuple[str, ...] | UnsetType, means("The plans whose keys may be granted the add-on.")] = UNSET
    links: Annotated[Mapping[str, str] | UnsetType, means("Where to get what is missing.")] = UNSET
    feature: Annotated[str | UnsetType, means("What the plan has not.")] = UNSET
    allow: Annotated[tuple[Method, ...] | UnsetType, means("The methods that there are.")] = UNSET
    release: Annotated[
        str | UnsetType | None, means("Of `/readyz`: the release that answers; null where there is none.")
    ] = UNSET
    problems: Annotated[Mapping[str, str] | UnsetType, means("Of `/readyz`: what is wrong, by part.")] = UNSET


class FailureMembers(Struct, frozen=True, kw_only=True):
    """Branch on `code`, within `bad_request` on `details.reason`; quote `request_id` when you report a fault."""

    code: Annotated[Code, means("What a program branches on.")]
    message: Annotated[str, means("What went wrong, in words, for people.")]
    request_id: Annotated[str, means("Names the request. Quote it when you report a fault.")]
    details: Annotated[FailureDetails | UnsetType, means("More, by the code.")] = UNSET


class Failure(Struct, frozen=True, kw_only=True):
    error: Annotated[FailureMembers, means("What went wrong.")]


class Health(Struct, frozen=True, kw_only=True):
    status: Annotated[str, means("`ok`.")]


class Readiness(Struct, frozen=True, kw_only=True):
    """`release` is the one that answers; `problems` says what is wrong although it answers: part → what."""

    status: Annotated[str, means("`ok`.")]
    release: Annotated[str, means("The release that answers.")]
    problems: Annotated[Mapping[str, str], means("What is wrong although it answers, by part.")]
