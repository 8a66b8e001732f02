"""Cut documents to the members that an answer sends, and insert members."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from outings.contract.members import RESOURCES
from outings.contract.query import Query
from outings.contract.resources.listings import find_structs
from outings.contract.resources.shared import Price


class NamedDocument(Struct, frozen=True):
    """The few members that answers read when they show only a part of a document."""

    id: str
    type: str
    slug: str
    name: str


class Schedule(Struct, frozen=True):
    timezone: str | None
    start_time: str | None = None


_NULL = Raw(b"null")


class ShownDocument(NamedDocument, frozen=True):
    """The members of a listing that its short forms show, most of them as raw JSON."""

    ages: Raw
    categories: Raw
    image_url: Raw
    place: Raw = _NULL
    price: Raw = Raw(msgspec.json.encode(Price()))
    timezone: str | None = None
    schedule: Schedule | None = None

    @property
    def zone(self) -> str | None:
        """Return the time zone of the listing's start."""
        return self.timezone if self.schedule is None else self.schedule.timezone


# The end of a class's document. Cards of its program's other listings are inserted between the brackets.
_NO_SESSIONS = b'"sessions":[]}'


def add_member(document: bytes, name: str, value: bytes) -> bytes:
    """Return the document with one more member at its end. `value` is JSON."""
    return b'%b,"%b":%b}' % (document[:-1], name.encode(), value)


def add_members(document: bytes, members: bytes) -> bytes:
    """Return the document with more members at its end. `members`: a JSON object that has them."""
    return b"%b,%b" % (document[:-1], members[1:])


def fill_sessions(document: bytes, cards: Sequence[bytes]) -> bytes:
    """Return the document of a class with these cards in its array `sessions`, which is empty in stored documents."""
    return b'%b"sessions":[%b]}' % (document.removesuffix(_NO_SESSIONS), b",".join(cards))


# The wanted members by name, each with the wanted members in it; an empty tree means all of them.
Tree = Mapping[str, "Tree"]

# Cached functions: an app sends the same few values of `fields`.
_CHOICES = 256
_encode = msgspec.json.Encoder().encode


def choose_fields(query: Query) -> Callable[[bytes], bytes]:
    """Return a function that cuts a document to the members in `fields`; without `fields` it returns the document."""
    paths, shown = query.get_words("fields"), query.match.route.shown
    if not paths:
        return lambda document: document
    assert shown is not None, "the contract refuses `fields` on other routes"
    return cut_document(shown, paths)


@lru_cache(maxsize=_CHOICES)
def cut_document(resource: str, paths: tuple[str, ...]) -> Callable[[bytes], bytes]:
    """Return a function that cuts a document to these normalized paths, which go through arrays. Paths that the
    resource lacks are ignored."""
    tree: dict[str, Any] = {}
    for path in paths:
        branch = tree
        for member in path.split("."):
            branch = branch.setdefault(member, {})
    # The type has only the wanted members, because msgspec skips all others without decoding them.
    decode = msgspec.json.Decoder(_narrow_type(RESOURCES[resource], tree)).decode
    return lambda document: _encode(decode(document))


def _narrow_type(resource: type[Struct], tree: Tree) -> type[Struct]:
    """Return the type that decodes only the wanted members. Members that are wanted whole are not decoded."""
    members: list[tuple[str, Any, Any]] = []
    for member in msgspec.structs.fields(resource):
        if member.encode_name in tree:
            inner = tree[member.encode_name]
            kept: Any = Raw
            if inner:
                narrowed = _narrow_type(next(find_structs(member.type)), inner)
                kept = narrowed | list[narrowed] | None  # type: ignore[valid-type]
            members.append((member.name, kept | UnsetType, UNSET))
    names = {member.name: member.encode_name for member in msgspec.structs.fields(resource)}
    return msgspec.defstruct(resource.__name__, members, rename=names)
