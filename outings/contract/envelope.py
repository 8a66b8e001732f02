"""The frame of every body: `data` first, `notices` when there are any, `facets` when asked, `meta` last."""

from collections.abc import Sequence

import msgspec

from outings.contract.errors import ApiError
from outings.contract.notices import Notice

_encoder = msgspec.json.Encoder()


def encode_list(
    items: Sequence[bytes],
    *,
    meta: bytes,
    notices: Sequence[Notice] = (),
    facets: bytes | None = None,
) -> list[bytes]:
    """A list's body as parts to be joined. `items`, `meta` and `facets` are JSON texts already."""
    parts = [b'{"data":[', b",".join(items), b"]", *_encode_notices(notices)]
    if facets is not None:
        parts += [b',"facets":', facets]
    return [*parts, b',"meta":', meta, b"}"]


def encode_detail(document: bytes, *, notices: Sequence[Notice] = ()) -> list[bytes]:
    """A single read's body as parts to be joined: the document is what a list holds of it."""
    return [b'{"data":', document, *_encode_notices(notices), b"}"]


def encode_object(data: bytes, *, meta: bytes, notices: Sequence[Notice] = ()) -> list[bytes]:
    """The same of one object that has `meta` beside it."""
    return [b'{"data":', data, *_encode_notices(notices), b',"meta":', meta, b"}"]


def encode_error(error: ApiError, request_id: str) -> bytes:
    """`details` is left out when there are none."""
    members: dict[str, object] = {"code": error.code, "message": error.message}
    if error.details:
        members["details"] = error.details
    return _encoder.encode({"error": {**members, "request_id": request_id}})


def _encode_notices(notices: Sequence[Notice]) -> list[bytes]:
    return [b',"notices":', _encoder.encode(notices)] if notices else []
