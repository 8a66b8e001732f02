"""The members of each resource, as structs whose field order is the order in JSON.

`fields`, OpenAPI, the documents and the tests read these declarations; rendering encodes them.
The member that moves with the day, the key or other rows stands last, so that a stored document
is completed by splicing bytes before its closing bracket.
"""

from collections.abc import Iterator
from typing import get_args

from msgspec import Struct

from outings.contract.resources.camp import Camp
from outings.contract.resources.class_ import Class
from outings.contract.resources.event import Event
from outings.contract.resources.metro import Metro
from outings.contract.resources.organization import Organization, OrganizationEntry
from outings.contract.resources.place import Place

LISTINGS: dict[str, type[Event] | type[Class] | type[Camp] | type[Place]] = {
    "event": Event,
    "class": Class,
    "camp": Camp,
    "place": Place,
}


def find_structs(annotation: object) -> Iterator[type[Struct]]:
    """Those that a member's type is made of, through unions and arrays."""
    if isinstance(annotation, type) and issubclass(annotation, Struct):
        yield annotation
    for inner in get_args(annotation):
        yield from find_structs(inner)


__all__ = ["LISTINGS", "Camp", "Class", "Event", "Metro", "Organization", "OrganizationEntry", "Place", "find_structs"]
