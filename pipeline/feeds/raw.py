"""One record as a reader of a format gives it, before it is cleaned."""

from typing import NamedTuple


class Note(NamedTuple):
    """What was left out of a record, or taken for granted, before it was one; the record stands."""

    field: str
    reason: str
    value: str | None


class RawRecord(NamedTuple):
    """One record as it came. `reason` is set where it could not be decoded; then `value` is how it begins, and
    `source_id` whose it is, where that could be read. Of a feed of items: `item` is the one that says all of this, and
    `is_superseded` that it says something else later. `passed_over`: it is no record, but something of this
    type, which is none of ours. `file`: of several, where `line` counts in it. `encoded`: its JSON, where it is decoded
    only once it is known to be another than before; then `value` is null.
    """

    line: int
    value: object
    reason: str | None = None
    source_id: str | None = None
    item: str | None = None
    is_superseded: bool = False
    passed_over: str | None = None
    notes: tuple[Note, ...] = ()
    file: str | None = None
    encoded: bytes | None = None
