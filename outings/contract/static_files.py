"""Name the file of a canonical request in a static tree. No I/O.

The path's segments are folders; the query, if there is one, is the last part: `/v1/seattle/events?free=true&page=2` is
`v1/seattle/events/free=true&page=2.json`. Lower-case letters, digits and `-._`, in a query also `=&,`, are unchanged;
any other byte is `!` and two hex digits. A path that names a file format keeps it at the end in place of `.json`, so
that hosts know its type: `/v1/seattle/events.ics?free=true` is `v1/seattle/events/free=true.ics`.
"""

import re

from msgspec.structs import replace

from outings.contract.query import Query
from outings.contract.resources.sync import EXPORT_TYPES
from outings.contract.routes import JSON

# Files of a tree that answer no request: the list of requests, the file for `sha256sum -c`, and its signature.
INDEX = "v1/index.json"
SUMS = "sha256sums.txt"
SIGNATURE = "sha256sums.sig"

# Names of all files of a tree, those of pages and of settings for hosts too. No part is hidden, or leads out of it.
_PART = r"[A-Za-z0-9_!][A-Za-z0-9._!=&,-]{0,254}(?<!\.)"
_TREE_NAME = re.compile(rf"{_PART}(?:/{_PART}){{0,15}}|\.nojekyll")

SUFFIX = ".json"
# File systems take 255 bytes in a name.
MOST_BYTES = 255
# Characters to encode, in a path and in a query.
_OTHER = re.compile(r"%[0-9A-F]{2}|[^a-z0-9._-]")
_OTHER_IN_QUERY = re.compile(r"%[0-9A-F]{2}|[^a-z0-9._=&,-]")
# Windows keeps these names for devices, whatever their extension.
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|\Z)")
_FORMAT = re.compile(rf"(?<=[^/])\.({'|'.join(EXPORT_TYPES)})\Z")


def spell_request(query: Query) -> str:
    """Return the canonical request without the parameter that its path implies: `/v1/places/{id}/events` needs no
    `place_id`."""
    values = {name: value for name, value in query.values.items() if name != query.match.route.sets}
    return replace(query, values=values).text


def name_file(request: str) -> str:
    """Return a request's file, relative to the tree. Raises ValueError for a request that can't have one."""
    path, _, query = request.partition("?")
    if query and not all("=" in piece for piece in query.split("&")):
        raise ValueError(f"{request}: has a parameter that the route ignores; allowed: the request without it")
    match = _FORMAT.search(path)
    suffix = SUFFIX if match is None else match[0]
    stem = path if match is None else path[: match.start()]
    parts = [_encode_part(part, _OTHER) for part in stem.split("/")[1:]]
    parts += [_encode_part(query, _OTHER_IN_QUERY)] if query else []
    if any(len(part) + len(suffix) > MOST_BYTES for part in parts):
        raise ValueError(f"{request}: its file would have a name of more than {MOST_BYTES} bytes")
    return "/".join(parts) + suffix


def is_tree_name(name: str) -> bool:
    """Return True if a file of a tree can have this name, relative to the tree."""
    return _TREE_NAME.fullmatch(name) is not None and not any(map(_DEVICE.match, name.lower().split("/")))


def name_media(name: str) -> str:
    """Return the media type of a file by its name."""
    match = _FORMAT.search(name)
    return JSON if match is None else EXPORT_TYPES[match[1]]


def _encode_part(text: str, other: re.Pattern[str]) -> str:
    name = other.sub(_encode_piece, text)
    # No hidden files, no `.` and `..`, and what Windows would shorten or open as a device.
    if name[:1] == "." or _DEVICE.match(name):
        name = f"!{ord(name[0]):02x}{name[1:]}"
    return f"{name[:-1]}!2e" if name[-1:] == "." else name


def _encode_piece(match: re.Match[str]) -> str:
    piece = match[0]
    return f"!{piece[1:].lower()}" if len(piece) > 1 else "".join(f"!{byte:02x}" for byte in piece.encode())
