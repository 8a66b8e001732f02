"""The expected result of a request, and the words in which the lists of requests write it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Answer:
    """An answer to a request, with the local date on which it was sent."""

    status: int
    headers: dict[str, str]
    body: Any
    today: str
    days: Callable[[int], str]
    known: dict[str, str]

    @property
    def data(self) -> Any:
        return self.body["data"]

    @property
    def meta(self) -> Any:
        return self.body["meta"]

    @property
    def error(self) -> Any:
        return self.body["error"]

    @property
    def applied(self) -> Any:
        return self.meta["applied_filters"]


Expectation = Callable[[Answer], bool]


@dataclass(frozen=True, kw_only=True)
class WrittenRequest:
    """A request as somebody would write it: `{event}`, `{d+7}` stand for what the deployment has and for dates."""

    request: str
    status: int
    holds: Expectation
    key: str = "partner"
    headers: dict[str, str] = field(default_factory=dict)


def write(request: str, status: int, holds: Expectation, *, key: str = "partner", **headers: str) -> WrittenRequest:
    sent = {name.replace("_", "-").lower(): value for name, value in headers.items()}
    return WrittenRequest(request=request, status=status, holds=holds, key=key, headers=sent)


def all_items(fits: Callable[[Any], bool]) -> Expectation:
    """Return a check that there are items and that each fits."""
    return lambda answer: len(answer.data) > 0 and all(fits(item) for item in answer.data)


def any_item(fits: Callable[[Any], bool]) -> Expectation:
    return lambda answer: any(fits(item) for item in answer.data)


def every(fits: Callable[[Any], bool]) -> Expectation:
    """Each item fits, if there are any."""
    return lambda answer: all(fits(item) for item in answer.data)


def applied(**members: object) -> Expectation:
    return lambda answer: all(answer.applied.get(name.rstrip("_")) == value for name, value in members.items())


def bad(param: str) -> Expectation:
    """The answer says which parameter is wrong."""
    return lambda answer: answer.error["code"] == "bad_request" and answer.error["details"]["param"] == param


def coded(code: str) -> Expectation:
    return lambda answer: (
        answer.error["code"] == code and bool(answer.error["message"]) and "request_id" in answer.error
    )


def both(*expectations: Expectation) -> Expectation:
    return lambda answer: all(holds(answer) for holds in expectations)


def has(*names: str) -> Expectation:
    """The one that was read, or each item of a list, has these members."""
    return lambda answer: all(
        name in item for item in (answer.data if isinstance(answer.data, list) else [answer.data]) for name in names
    )
