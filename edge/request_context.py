"""What is known of a request. Each middleware fills in its part."""

import re
from collections.abc import Mapping
from urllib.parse import quote

from msgspec import Struct
from starlette.types import Scope

from edge.front_protocol import FILL, FRONT, Front, Fronts
from edge.principal import Principal
from outings.contract.route import Match

MOST_HEADER_BYTES = 32_768

_TRACE_ID = re.compile(rb"[A-Za-z0-9_.:-]{1,128}")
# Version 00 is exact; a later one may say more behind it. Neither id is all zeros, and no version is ff.
_TRACE_PARENT = re.compile(
    rb"(?:(00)|(?!00|ff)[0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?(1)|(?:-.*)?)"
)


class RequestContext(Struct, kw_only=True):
    """`path` is raw, `header_bytes` is the size of all headers. `release` names the release that answers, `limits` are
    the lines of the response's head that show the limits.

    `key_texts` are all `X-API-Key` headers: two of them are no key. `query_string` is without a signature that was
    verified. `front` is whom an address of the body can be told. `fill` is the ETag of the body that a front asks for
    once more, or `any`: such a request was counted before. `pointed_bytes` are those that the front sends.
    `wants_page`: it is a browser, in which somebody opened the address.
    """

    method: str
    path: str
    query_string: bytes
    request_id: bytes
    trace_id: bytes
    header_bytes: int
    key_texts: tuple[bytes, ...] = ()
    if_none_match: bytes | None = None
    accept_encoding: bytes = b""
    wants_page: bool = False
    match: Match | None = None
    principal: Principal | None = None
    limits: bytes = b""
    release: bytes | None = None
    front: Front | None = None
    fill: bytes | None = None
    pointed_bytes: int = 0

    @property
    def is_head(self) -> bool:
        return self.method == "HEAD"


def read_context(scope: Scope, *, request_id: bytes, fronts: Fronts = Fronts()) -> RequestContext:
    """The request's line and the headers that we know."""
    texts: dict[bytes, list[bytes]] = {}
    size = 0
    for name, value in scope["headers"]:
        size += len(name) + len(value)
        if name in _KNOWN:
            texts.setdefault(name, []).append(value)
    front = _find_front(texts, fronts)
    fill = None if front is None else b",".join(texts.get(FILL, ())) or None
    return RequestContext(
        method=scope["method"],
        path=read_path(scope),
        query_string=scope["query_string"],
        request_id=request_id,
        trace_id=read_trace_id({name: values[0] for name, values in texts.items()}, request_id),
        header_bytes=size,
        # Blanks round a header's value are no part of it (RFC 9110, 5.5); the parser leaves those behind it.
        key_texts=tuple(text.strip(b" \t") for text in texts.get(b"x-api-key", ())),
        if_none_match=b",".join(texts[b"if-none-match"]) if b"if-none-match" in texts else None,
        accept_encoding=b",".join(texts.get(b"accept-encoding", ())),
        # Programs say `*/*` or what they read.
        wants_page=any(b"text/html" in text for text in texts.get(b"accept", ())),
        front=None if fill or scope["method"] != "GET" or not PRECONDITIONS.isdisjoint(texts) else front,
        fill=fill,
    )


def _find_front(texts: Mapping[bytes, list[bytes]], fronts: Fronts) -> Front | None:
    values = texts.get(FRONT, ()) if fronts.exist else ()
    return fronts.recognize(values[0]) if len(values) == 1 else None


# nginx answers 412 to these by itself, where a server takes no notice of them: their bodies are not moved by a front.
PRECONDITIONS = frozenset({b"if-match", b"if-unmodified-since"})
_KNOWN = frozenset((
    b"x-api-key", b"x-trace-id", b"traceparent", b"if-none-match", b"accept", b"accept-encoding", FRONT, FILL,
    *PRECONDITIONS,
))  # fmt: skip


def read_trace_id(headers: Mapping[bytes, bytes], request_id: bytes) -> bytes:
    """The caller's own, where it is well formed: `X-Trace-Id`, else the trace of `traceparent` (W3C Trace Context);
    else the request's id stands for it."""
    given = headers.get(b"x-trace-id")
    if given is not None and _TRACE_ID.fullmatch(given):
        return given
    parent = headers.get(b"traceparent")
    trace = None if parent is None else _TRACE_PARENT.fullmatch(parent)
    return request_id if trace is None else trace[2]


def read_path(scope: Scope) -> str:
    """As it was sent, percent-encoded."""
    raw = scope.get("raw_path")
    return quote(scope["path"]) if raw is None else raw.decode("latin-1")
