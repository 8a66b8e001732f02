"""What will answer a query: its ETag at once, its body when it is asked for, and what that is planned to cost.

ETags are weak and by one rule, whether a body is stored or computed. A list's is made of the metro's snapshot, the
request with its cursor, the date and what the key may read, and of other metros or a forecast where they are in it
(`listings/planning.py`); a detail's of the row alone, so that a document that did not change keeps it across releases.
"""

import hashlib
from collections.abc import Callable

import msgspec
from msgspec import Struct

from outings.answers.cost import UNKNOWN
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
    """`render` gives the body as parts to be joined; `cost` is what that is planned to take, in microseconds, and
    `reads_store` that it may wait for objects of the store: it may raise NotFound, Corrupt and StoreError then. A
    `file` may be sent as it lies there instead."""

    etag: str
    render: Callable[[], list[bytes]]
    cost: int = UNKNOWN
    reads_store: bool = False
    media: str = JSON
    file: PlannedFile | None = None


def make_tag(*parts: object) -> str:
    """The ETag of a body that is made of these, by the program that runs."""
    digest = hashlib.sha256(msgspec.json.encode((RENDERER_VERSION, parts))).hexdigest()
    return f'W/"{digest[:_DIGITS]}"'
