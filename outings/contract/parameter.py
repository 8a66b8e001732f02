"""One row of the table of parameters: what a name takes, and what that means."""

from enum import Enum
from typing import Literal

from msgspec import Struct

from outings.contract.values import Kind


class DateDefault(Enum):
    """A default that depends on the metro's local date. It is filled in once the request's date is known."""

    LOCAL_DATE = "today"
    FROM_PLUS_30_DAYS = "from + 30 days"


Constant = str | int | float | bool | tuple[str, ...]
Default = Constant | DateDefault
Stability = Literal["stable", "beta", "experimental"]


class Parameter(Struct, frozen=True, kw_only=True):
    """A `word` is of a closed vocabulary: of `allowed`, or of the deployment's `vocabulary`. A `path` names members of
    a resource. `minimum` and `maximum` bound a number, or the characters of a text; `most` the values of an array.

    A default of what is no filter (`limit`) is dropped from the canonical request; that of a filter is not, since
    `defaults_applied` tells a given value from a default one. `example` is a value as it stands in a query string. With
    `is_tryable` False it is refused unless something else is sent too, or in another deployment than the one it is of:
    OpenAPI shows it in words alone, because tools send what stands under `example`.

    A filter that compares one `column` of the snapshot's tables says which: one of several words, a value itself, or
    with `compares` what is at least or at most the value. `member` is the member of a listing that fills the column; a
    column without one is filled by a rule of the build.
    """

    name: str
    kind: Kind
    meaning: str
    example: str
    array: bool = False
    ordered: bool = False
    is_filter: bool = True
    required: bool = False
    allowed: tuple[str, ...] | None = None
    vocabulary: str | None = None
    minimum: float | None = None
    maximum: float | None = None
    most: int | None = None
    default: Default | None = None
    replaced_by: str | None = None
    stability: Stability = "stable"
    is_optional: bool = False
    is_tryable: bool = True
    column: str | None = None
    member: str | None = None
    compares: Literal["equal", "least", "most"] = "equal"
