"""One row of the table of routes, and a path that is a route's."""

import builtins
import re
from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any, Literal
from urllib.parse import quote

from msgspec import Struct
from msgspec.structs import force_setattr

from outings.contract.parameter import Constant, DateDefault, Default, Parameter, Stability
from outings.contract.window import LIST_DAYS_AFTER

JSON = "application/json"
# What stands in a path as it is: nearly every value.
_UNRESERVED = re.compile(r"[A-Za-z0-9_.~-]*")
# What routes are for: readers find them in these groups.
Group = Literal["lists", "finding", "directories", "sync", "service"]


class Credits(Struct, frozen=True):
    """Planned only: usage is metered by request."""

    amount: int
    per: Literal["request", "record"]


class Route(Struct, frozen=True, kw_only=True):
    """`name` begins with its collection. `type` is singular: what a key must be scoped to; None where no type is.

    `parameters` are the rows with the bounds and defaults that hold here. `sets` names the one that the id in the path
    is the value of: it may be sent beside it, as `applied_filters` shows it, with no other value. `ignored` names are
    taken, change nothing, and give a notice. `max_age` in seconds; None is `no-cache`.
    With `is_now` an answer depends on the minute; `most_days` bounds a window, as how many days `to` lies after `from`.
    `is_optional`: 501 where a deployment has not set it up. `takes_signature`: the signed address of a calendar may
    stand in place of the key's header.

    `data` holds an array of `item`, or with `is_one` one alone, and `meta` stands beside it. A route without a key
    answers with the item alone. A text or bytes, of one of the types of `media`, is no JSON.

    From the parameters follow `defaults`, those of filters; `constants`, those of what is no filter; `required`, the
    names without which nothing is answered; `optional`, those that some deployments answer with 501; and `renamed`,
    old names with those that replace them.
    """

    name: str
    path: str
    meaning: str
    item: builtins.type[Any]
    meta: builtins.type[Struct] | None = None
    is_one: bool = False
    group: Group = "lists"
    media: tuple[str, ...] = (JSON,)
    type: str | None = None
    parameters: Mapping[str, Parameter] = {}
    sets: str | None = None
    ignored: tuple[str, ...] = ()
    max_age: int | None = 60
    stability: Stability = "stable"
    plan: str = "all"
    credits: Credits = Credits(1, "request")
    needs_key: bool = True
    is_now: bool = False
    needs_centre: bool = False
    most_days: int = LIST_DAYS_AFTER
    is_optional: bool = False
    takes_signature: bool = False
    defaults: Mapping[str, Default] = {}
    constants: Mapping[str, Constant] = {}
    required: tuple[str, ...] = ()
    optional: frozenset[str] = frozenset()
    renamed: Mapping[str, str] = {}

    def __post_init__(self) -> None:
        others = {name: row.default for name, row in self.parameters.items() if not row.is_filter}
        constants = {name: each for name, each in others.items() if not isinstance(each, DateDefault | None)}
        force_setattr(self, "constants", constants)
        rows = self.parameters.items()
        force_setattr(self, "defaults", list_defaults(self.parameters))
        force_setattr(self, "required", tuple(name for name, row in rows if row.required))
        force_setattr(self, "optional", frozenset(name for name, row in rows if row.is_optional))
        force_setattr(self, "renamed", {name: row.replaced_by for name, row in rows if row.replaced_by is not None})

    @property
    def collection(self) -> str:
        return self.name.partition(".")[0]

    @property
    def shown(self) -> str | None:
        """The resource whose members `fields` may name: `event`, `nearby_item`."""
        return _name_resource(self.item.__name__) if "fields" in self.parameters else None


@cache
def _name_resource(item: str) -> str:
    return re.sub("(?<=[a-z])(?=[A-Z])", "_", item).lower()


def list_defaults(parameters: Mapping[str, Parameter]) -> Mapping[str, Default]:
    """Of the filters among them that have one."""
    return {name: row.default for name, row in parameters.items() if row.is_filter and row.default is not None}


class Match(Struct, frozen=True, kw_only=True, dict=True):
    """A path that is a route's, with what stands in its braces: `metro` and `slug` as written, `id` in lower case."""

    route: Route
    values: Mapping[str, str]

    @cached_property
    def path(self) -> str:
        """The path in its canonical spelling."""
        return self.route.path.format_map({name: _encode_segment(value) for name, value in self.values.items()})


def _encode_segment(text: str) -> str:
    return text if _UNRESERVED.fullmatch(text) else quote(text, safe="")
