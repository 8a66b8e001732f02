"""The dotted paths that `fields` may name, collected from the resources' structs, also through arrays."""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain

from msgspec import Struct
from msgspec.structs import fields

from outings.contract.resources import find_structs
from outings.contract.routes import ROUTES


@cache
def walk_members(resource: type[Struct]) -> frozenset[str]:
    """All paths of a resource: `location`, `location.lat`, `sections.schedule.days`."""
    paths = set()
    for field in fields(resource):
        paths.add(field.encode_name)
        inner = chain.from_iterable(map(walk_members, find_structs(field.type)))
        # What is expanded is not expanded further.
        paths.update(f"{field.encode_name}.{path}" for path in inner if path.partition(".")[0] != "expanded")
    return frozenset(paths)


# What `fields` may choose from, by `Route.shown`.
RESOURCES: Mapping[str, type[Struct]] = {route.shown: route.item for route in ROUTES if route.shown is not None}
MEMBERS: Mapping[str, frozenset[str]] = {name: walk_members(struct) for name, struct in RESOURCES.items()}

# A card, an event's occurrence and an organization's counts are part of the document, so they can be named too.
ALWAYS_KEPT = ("id", "type")


def settle_paths(paths: frozenset[str]) -> tuple[str, ...]:
    """The canonical form of a choice of fields: sorted, with `id` and `type`, and without paths whose parent is
    chosen."""
    chosen = paths.union(ALWAYS_KEPT)
    return tuple(sorted(path for path in chosen if not any(parent in chosen for parent in _parents(path))))


def _parents(path: str) -> Iterator[str]:
    while "." in path:
        path = path.rpartition(".")[0]
        yield path
