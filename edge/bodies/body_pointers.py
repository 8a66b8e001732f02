"""Decides which answers a front gets as the address of their body, and makes the headers that say so."""

from msgspec import Struct

from edge.bodies.content_coding import GZIP, IDENTITY
from edge.front_protocol import ANSWERS, CACHE_CONTROL, CODING, EXPORTS, OBJECTS, Front, name_answer, name_object
from edge.queries.planner import RequestPlan
from edge.response import Body, Lines, encode_lines
from outings.release.manifest import Export

# Each is sent to one reader, or to one key: whatever a front kept of it, nobody would ask for again.
_INLINE = frozenset({"changes", "events.ics.address"})


class BodyPointer(Struct, frozen=True, kw_only=True):
    """`body` stands in for one of `size` bytes, 0 if that is not known."""

    body: Body
    size: int


def find_pointer(front: Front, planned: RequestPlan, coding: bytes, *, made: Body | None) -> BodyPointer | None:
    """Return what stands in for the body `made` in this coding, or for one that is not made yet (None). Return None if
    the body is to be sent, or to be made before its size decides."""
    if planned.plan.file is not None:
        return _find_file_pointer(front, planned, planned.plan.file.export, coding)
    size = None if made is None else len(made.data)
    if planned.query.route in _INLINE or not _is_worth_it(front, planned, size):
        return None
    # A reader without gzip gets another address: nginx would unpack the object anew for each of them, which costs three
    # times as much as passing the body on (bench.front, 392 kB: 1,049 and 346 µs of processor).
    if planned.page is not None and coding == GZIP and OBJECTS in front.follows:
        return _point(front, planned, name_object(planned.page.object), coding=GZIP, size=size)
    if ANSWERS not in front.follows:
        return None
    address = name_answer(planned.query.text, etag=planned.etag, coding=coding)
    return _point(front, planned, address, coding=coding, size=size)


def measure_file(export: Export, coding: bytes) -> int:
    """The bytes that a reader of this coding gets."""
    return export.packed if export.coding.encode() in (coding, IDENTITY) else export.size


def _find_file_pointer(front: Front, planned: RequestPlan, export: Export, coding: bytes) -> BodyPointer | None:
    size = measure_file(export, coding)
    if EXPORTS not in front.follows or size < front.least:
        return None
    address = name_object(export.object, kind=EXPORTS)
    return _point(front, planned, address, coding=export.coding.encode(), size=size)


def replace_cache_control(head: Lines) -> Lines:
    """`Cache-Control` is of the answer: the pointer to it is for nobody's cache, and nginx would send both."""
    return head.replace(b"\r\ncache-control: ", b"\r\n%b: " % CACHE_CONTROL)


def _is_worth_it(front: Front, planned: RequestPlan, size: int | None) -> bool:
    if size is not None:
        return size >= front.least
    return front.least == 0 or (planned.page is None and not planned.plan.is_quick)


def _point(front: Front, planned: RequestPlan, address: bytes, *, coding: bytes, size: int | None) -> BodyPointer:
    fields = (
        (b"content-type", planned.plan.media.encode()),
        (b"content-length", b"0"),
        (CODING, coding or b"identity"),
        (front.header, address),
    )
    return BodyPointer(body=Body(data=b"", head=encode_lines(fields)), size=size or 0)
