"""The one place where a stored document's bytes are cut and joined: it is JSON, without spaces, and ends in a brace.

- `documents/occurrence.py` adds the next occurrence of an event.
- `details/document.py` adds what only the answer about one listing has.
- `addons/` adds the source, the forecast and the objects that a listing refers to.
- `organizations/copies.py` adds what an organization's copies in several metros say together.
- `listings/lists.py` puts the other listings of a program into a class.
"""

from collections.abc import Sequence

# How a class's document ends: its program's other listings go between the brackets.
_NO_SESSIONS = b'"sessions":[]}'


def add_member(document: bytes, name: str, value: bytes) -> bytes:
    """The document with one more member, its last; the value as JSON."""
    return b'%b,"%b":%b}' % (document[:-1], name.encode(), value)


def add_members(document: bytes, members: bytes) -> bytes:
    """The document with the members of another one behind its own."""
    return b"%b,%b" % (document[:-1], members[1:])


def fill_sessions(document: bytes, cards: Sequence[bytes]) -> bytes:
    """A class's document with these in its empty `sessions`."""
    return b'%b"sessions":[%b]}' % (document.removesuffix(_NO_SESSIONS), b",".join(cards))
