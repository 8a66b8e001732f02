"""Read a request and its headers, the key (`X-API-Key`) and the trace's id among them."""

import re
from collections.abc import Mapping, Sequence
from random import getrandbits
from urllib.parse import quote

from msgspec import Struct
from starlette.types import Scope

from edge.limits.limiter import LimitDecision, Principal
from outings.contract.envelope import PROBLEM
from outings.contract.query import Entitlement
from outings.contract.routes import Match

Header = tuple[bytes, bytes]
MOST_HEADER_BYTES = 32_768
_KNOWN = frozenset((
    b"x-api-key", b"authorization", b"x-trace-id", b"traceparent", b"if-none-match", b"range", b"if-range", b"accept",
    b"accept-encoding", b"x-forwarded-for",
))  # fmt: skip
_TRACE_ID = re.compile(rb"[A-Za-z0-9_.:-]{1,128}")
# Version 00 has this length; later ones may be longer. Neither id is all zeros, and no version is ff.
_TRACE_PARENT = re.compile(
    rb"(?:(00)|(?!00|ff)[0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?(1)|(?:-.*)?)"
)


class Request(Struct, frozen=True, kw_only=True, gc=False):
    """A request as it was sent, and behind the blank line what each step of `respond` adds.

    Attributes:
        path: raw, percent-encoded.
        query_string: raw; authentication removes a verified signature.
        client: the address of the connection's peer; None over a Unix socket.
        request_id: made by this server; `trace_id` is the caller's if it sent one.
        header_bytes: the size of all headers.
        key_text: `X-API-Key`, else the token of `Authorization: Bearer`. Repeated headers are joined by commas, so two
            keys match none.
        range_text: `Range`; `if_range`: the ETag for which alone it holds.
        wants_page: True if a browser navigates to the address.
        wants_problem: True if an error is to be a problem of RFC 9457.

        page: the form of a listing to send in place of JSON: `ics`, or `html` after the folder of its language; empty
            for JSON.
        match: the route, and the values in its path; None for a page.
        principal: the key's owner and rights.
        limit: the decision of the key's limits; None if they were not read.
    """

    method: str
    path: str
    query_string: bytes
    client: str | None
    request_id: bytes
    trace_id: bytes
    header_bytes: int
    key_text: bytes | None = None
    if_none_match: bytes | None = None
    range_text: bytes = b""
    if_range: bytes | None = None
    accept_encoding: bytes = b""
    forwarded_for: bytes = b""
    wants_page: bool = False
    wants_problem: bool = False
    page: str = ""
    match: Match | None = None
    principal: Principal | None = None
    limit: LimitDecision | None = None

    @property
    def is_head(self) -> bool:
        return self.method == "HEAD"

    @property
    def key_id(self) -> str:
        assert self.principal is not None
        return self.principal.key.id

    @property
    def entitlement(self) -> Entitlement:
        assert self.principal is not None
        return self.principal.entitlement


def read_request(
    *, method: str, path: str, query_string: bytes, headers: Sequence[Header], client: str | None
) -> Request:
    """Read a request's line and the headers that we know. Header names are in lower case."""
    texts: dict[bytes, bytes] = {}
    size = 0
    for name, value in headers:
        size += len(name) + len(value)
        if name in _KNOWN:
            if name in texts:
                value = b"%b,%b" % (texts[name], value)
            texts[name] = value
    request_id, read = make_request_id(), texts.get
    key_text = read(b"x-api-key")
    if key_text is None and b"authorization" in texts:
        scheme, _, token = texts[b"authorization"].partition(b" ")
        key_text = token if scheme.lower() == b"bearer" else None
    return Request(
        method=method,
        path=path,
        query_string=query_string,
        client=client,
        request_id=request_id,
        trace_id=_read_trace_id(texts, request_id) if len(texts) > 1 else request_id,
        header_bytes=size,
        # Blanks around a header's value are no part of it (RFC 9110, 5.5). The parser keeps those after it.
        key_text=None if key_text is None else key_text.strip(b" \t"),
        if_none_match=read(b"if-none-match"),
        range_text=read(b"range", b""),
        if_range=read(b"if-range"),
        accept_encoding=read(b"accept-encoding", b""),
        forwarded_for=read(b"x-forwarded-for", b""),
        wants_page=b"text/html" in read(b"accept", b""),  # programs say `*/*` or what they read
        wants_problem=PROBLEM.encode() in read(b"accept", b""),
    )


def read_scope(scope: Scope) -> Request:
    """Read the request of an ASGI server."""
    raw, client = scope.get("raw_path"), scope.get("client")
    return read_request(
        method=scope["method"],
        path=quote(scope["path"]) if raw is None else raw.decode("latin-1"),
        query_string=scope["query_string"],
        headers=scope["headers"],
        client=client[0] if client else None,
    )


def make_request_id() -> bytes:
    return b"%032x" % getrandbits(128)  # it names a request and guards nothing


def _read_trace_id(headers: Mapping[bytes, bytes], request_id: bytes) -> bytes:
    """Return a well-formed `X-Trace-Id`, else the trace of `traceparent` (W3C Trace Context), else the request's id."""
    given = headers.get(b"x-trace-id")
    if given is not None and _TRACE_ID.fullmatch(given):
        return given
    parent = headers.get(b"traceparent")
    trace = None if parent is None else _TRACE_PARENT.fullmatch(parent)
    return request_id if trace is None else trace[2]
