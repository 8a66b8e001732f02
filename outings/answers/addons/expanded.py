"""`expanded`: the full objects behind a listing's references, as their own details show them."""

import msgspec
from msgspec import Struct

from outings.answers.documents.fields import add_member
from outings.answers.organizations import encode_organization, list_copies
from outings.answers.plan import AnswerContext, forbidden_types
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.query import Query
from outings.contract.vocabulary import TYPES
from outings.release.snapshot import Snapshot

_PLACE = TYPES.index("place")
_NULL = b"null"


class _Reference(Struct, frozen=True):
    id: str | None = None


class References(Struct, frozen=True):
    """The place and organization that a document refers to. A place refers to no place."""

    place: _Reference | None = None
    organization: _Reference = _Reference()


read_references = msgspec.json.Decoder(References).decode


def list_expanded(query: Query) -> tuple[str, ...]:
    """Return which of `place` and `organization` the query expands."""
    words = query.get_words("expand")
    return tuple(member for member in ("place", "organization") if member in words) if words else ()


def check_expanded(query: Query, context: AnswerContext) -> None:
    """Raise 403 if `place` is to be expanded and the key may not read places."""
    if "place" in query.get_words("expand") and not context.entitlement.allows_type("place"):
        raise forbidden_types(context, ["place"])


class Expansion:
    """An adder of `expanded` to one answer's items. It encodes each organization once. `members`: which of `place` and
    `organization` to add."""

    def __init__(self, members: tuple[str, ...], *, snapshot: Snapshot, context: AnswerContext) -> None:
        self._members = members
        self._snapshot = snapshot
        self._context = context
        self._organizations: dict[str | None, bytes] = {None: _NULL}

    def expand(self, document: bytes) -> bytes:
        """Return the document with `expanded` as its last member."""
        if not self._members:
            return document
        references = read_references(document)
        encoders = {"place": self._encode_place, "organization": self._encode_organization}
        block = b",".join(b'"%b":%b' % (name.encode(), encoders[name](references)) for name in self._members)
        return add_member(document, "expanded", b"{%b}" % block)

    def _encode_organization(self, references: References) -> bytes:
        row_id = references.organization.id
        if row_id not in self._organizations:
            copies = [] if row_id is None else list_copies(row_id, context=self._context)
            self._organizations[row_id] = encode_organization(copies, context=self._context) if copies else _NULL
        return self._organizations[row_id]

    def _encode_place(self, references: References) -> bytes:
        """Encode the place, or null if it is not published."""
        if references.place is None or references.place.id is None:
            return _NULL
        opened = open_snapshot(self._snapshot)
        row = opened.listings.find_visible(references.place.id, type_code=_PLACE)
        return _NULL if row is None else opened.read_document(row)
