"""A plan of an answer: its ETag at once, its body when it is requested, and whether that is quick.

ETags are weak and by one rule, whether a body is stored or computed. A list's is made of the metro's snapshot, the
request with its cursor, the date and what the key may read, and of other metros or a forecast where they are in it
(`listings/planning.py`); a detail's of the row alone, so that a document that did not change keeps it across releases.
"""

import hashlib
from collections.abc import Callable

import msgspec
from msgspec import Struct

from outings.answers.renderer_version import RENDERER_VERSION
from outings.release.manifest import Export
from outings.release.objects import Bytes

_DIGITS = 32
JSON = "application/json"


class PlannedFile(Struct, frozen=True):
    """An export, and what opens its object."""

    export: Export
    open: Callable[[], Bytes]


class AnswerPlan(Struct, frozen=True):
    """`render` gives the body as parts to be joined. `is_quick`: it takes less than a millisecond of 25,000 listings.
    `reads_store`: it may wait for objects of the store, and may raise NotFound, Corrupt and StoreError then. A `file`
    may be sent as it lies there instead."""

    etag: str
    render: Callable[[], list[bytes]]
    is_quick: bool = False
    reads_store: bool = False
    media: str = JSON
    file: PlannedFile | None = None


def make_tag(*parts: object) -> str:
    """The ETag of a body that is made of these, by the program that runs."""
    digest = hashlib.sha256(msgspec.json.encode((RENDERER_VERSION, parts))).hexdigest()
    return f'W/"{digest[:_DIGITS]}"'
