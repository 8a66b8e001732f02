"""The request of a static file: the way back from its name, by which tests show that no two requests share a file."""

import re

_NAME = re.compile(r"(.+?)(?:\.json|(\.(?:ics|jsonl|parquet)))")
_ESCAPE = re.compile(r"!([0-9a-f]{2})")
# What canonical requests write without an escape.
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def parse_file(name: str) -> str:
    """Return the canonical request of a file."""
    match = _NAME.fullmatch(name)
    assert match is not None, name
    *folders, last = match[1].split("/")
    query = f"?{_decode(last, plain=b':')}" if "=" in last else ""
    path = "/".join(_decode(part) for part in (folders if query else [*folders, last]))
    return f"/{path}{match[2] or ''}{query}"


def _decode(text: str, *, plain: bytes = b"") -> str:
    kept = _UNRESERVED.union(plain)
    return _ESCAPE.sub(lambda value: chr(code) if (code := int(value[1], 16)) in kept else f"%{code:02X}", text)
