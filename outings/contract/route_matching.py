"""A path → the route that it is, with what stands in its braces."""

from functools import lru_cache
from urllib.parse import unquote_to_bytes

from outings.contract.route import Match, Route
from outings.contract.routes import ROUTES
from outings.contract.values import CONTROL_CHARACTERS, parse_uuid
from outings.contract.vocabulary import RESERVED_METRO_SLUGS

_Template = tuple[str, ...]

_REMEMBERED = 1_024


def match_route(path: str) -> Match | None:
    """`path` is raw: percent-encoded, without the query string. None: no such route, 404.

    An encoded slash is part of its segment. A reserved word is never a metro, an `{id}` is a uuid.
    """
    segments = _split_path(path)
    if segments is None or len(segments) > _LONGEST:
        return None
    words = tuple([segment if segment in PATH_WORDS else "" for segment in segments])
    for route, template in _list_candidates(words):
        values = _match_segments(template, segments)
        if values is not None:
            return Match(route=route, values=values)
    return None


def _split_path(path: str) -> list[str] | None:
    first, *raw = path.split("/")
    if first or not raw:
        return None
    if "%" in path:
        try:
            raw = [unquote_to_bytes(segment).decode() for segment in raw]
        except UnicodeDecodeError:
            return None
    return None if CONTROL_CHARACTERS.search("".join(raw)) else raw


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


@lru_cache(maxsize=_REMEMBERED)
def _list_candidates(words: tuple[str, ...]) -> tuple[tuple[Route, _Template], ...]:
    """In the contract's order, what has these words where it has words at all: of most paths one. `words`: the path's
    segments, with nothing for what is no word of any route."""
    return tuple(
        (route, template)
        for route, template in _TEMPLATES
        if len(template) == len(words)
        and all(expected in (word, "") for expected, word in zip(_list_words(template), words, strict=True))
    )


def _list_words(template: _Template) -> _Template:
    return tuple("" if each[:1] == "{" else each for each in template)


_TEMPLATES = tuple((route, tuple(route.path.split("/")[1:])) for route in ROUTES)
_LONGEST = max(len(template) for _, template in _TEMPLATES)
PATH_WORDS = frozenset(word for _, template in _TEMPLATES for word in _list_words(template))
