"""A path → the route that it is, with what stands in its braces."""

from collections.abc import Mapping
from urllib.parse import unquote_to_bytes

from outings.contract.route import Match, Route
from outings.contract.routes import ROUTES
from outings.contract.values import CONTROL_CHARACTERS, parse_uuid
from outings.contract.vocabulary import RESERVED_METRO_SLUGS


def match_route(path: str) -> Match | None:
    """`path` is raw: percent-encoded, without the query string. None: no such route, 404.

    An encoded slash is part of its segment. A reserved word is never a metro, an `{id}` is a uuid.
    """
    segments = _split_path(path)
    if segments is None:
        return None
    for route, template in _BY_LENGTH.get(len(segments), ()):
        values = _match_segments(template, segments)
        if values is not None:
            return Match(route=route, values=values)
    return None


def _split_path(path: str) -> list[str] | None:
    first, *raw = path.split("/")
    if first or not raw:
        return None
    try:
        segments = [unquote_to_bytes(segment).decode() if "%" in segment else segment for segment in raw]
    except UnicodeDecodeError:
        return None
    return None if any(CONTROL_CHARACTERS.search(segment) for segment in segments) else segments


def _match_segments(template: tuple[str, ...], segments: list[str]) -> dict[str, str] | None:
    values: dict[str, str] = {}
    for expected, segment in zip(template, segments, strict=True):
        if expected[:1] != "{":
            if segment != expected:
                return None
        else:
            value = _read_segment(expected[1:-1], segment)
            if value is None:
                return None
            values[expected[1:-1]] = value
    return values


def _read_segment(name: str, segment: str) -> str | None:
    if name == "id":
        return parse_uuid(segment)
    if name == "metro" and segment in RESERVED_METRO_SLUGS:
        return None
    return segment or None


def _index_routes() -> Mapping[int, tuple[tuple[Route, tuple[str, ...]], ...]]:
    templates = [(route, tuple(route.path.split("/")[1:])) for route in ROUTES]
    lengths = {len(template) for _, template in templates}
    return {length: tuple(pair for pair in templates if len(pair[1]) == length) for length in lengths}


_BY_LENGTH = _index_routes()
