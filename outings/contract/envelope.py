"""The order of members in every body: `data`, `notices` and `facets` if there are any, then `meta`."""

from collections.abc import Sequence

import msgspec

from outings.contract.errors import ApiError
from outings.contract.notices import Notice

_encoder = msgspec.json.Encoder()


def encode_list(
    items: Sequence[bytes | memoryview],
    *,
    meta: bytes,
    notices: Sequence[Notice] = (),
    facets: bytes | None = None,
) -> list[bytes]:
    """A list's body, in parts to be joined. `items`, `meta` and `facets` are JSON texts."""
    parts = [b"]", *_encode_notices(notices)]
    if facets is not None:
        parts += [b',"facets":', facets]
    begin, end = b'{"data":[', b"".join([*parts, b',"meta":', meta, b"}"])
    if len(items) < 2:
        return [begin, *map(bytes, items), end]
    # All at once: to join the items first would copy a page of 100 kB once more.
    return [b",".join([b"".join((begin, items[0])), *items[1:-1], b"".join((items[-1], end))])]


def encode_pieces(pieces: Sequence[bytes | memoryview], *, meta: bytes, notices: Sequence[Notice] = ()) -> bytes:
    """A list's body. `pieces`: JSON of its items with the commas between them, joined at once."""
    return b"".join([b'{"data":[', *pieces, b"]", *_encode_notices(notices), b',"meta":', meta, b"}"])


def encode_detail(document: bytes, *, notices: Sequence[Notice] = ()) -> list[bytes]:
    """The body of a single listing, in parts to be joined. The document is the one that a list shows."""
    return [b'{"data":', document, *_encode_notices(notices), b"}"]


def encode_object(data: bytes, *, meta: bytes, notices: Sequence[Notice] = ()) -> list[bytes]:
    """The body of a single object that has a `meta`, in parts to be joined."""
    return [b'{"data":', data, *_encode_notices(notices), b',"meta":', meta, b"}"]


def encode_error(error: ApiError, request_id: str) -> bytes:
    """The body of an error. Without details the member `details` is left out."""
    members: dict[str, object] = {"code": error.code, "message": error.message}
    if error.details:
        members["details"] = error.details
    return _encoder.encode({"error": {**members, "request_id": request_id}})


def _encode_notices(notices: Sequence[Notice]) -> list[bytes]:
    return [b',"notices":', _encoder.encode(notices)] if notices else []
