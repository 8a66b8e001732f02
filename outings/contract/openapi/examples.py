"""Read an example for each route: a request, and the answer of a server with the sample metros.

`python -m tests.edge.openapi_examples` writes the file. A test compares it with the program's current answers.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec
from msgspec import Struct

from outings.contract.routes import Route, match_route
from outings.contract.vocabulary import SETS, Vocabulary

FILE = "examples.json"

# Members with words of the deployment's vocabulary, and the field of `Vocabulary` that has them.
_WORDS = {**{name: name for name in SETS}, "type_hint": "type_hints"}


class Example(Struct, frozen=True, kw_only=True):
    """A request with its answer. `request`: a path with query string. `answer`: JSON, or a text of the media type
    `media`. `is_cut`: True if the answer was shortened."""

    request: str
    media: str
    answer: Any
    is_cut: bool = False


@cache
def read_examples() -> Mapping[str, Example]:
    """Read the examples, by the name of their route, from a file of this package."""
    return msgspec.json.decode(files(__package__).joinpath(FILE).read_bytes(), type=dict[str, Example])


def find_example(route: Route, vocabulary: Vocabulary) -> Example | None:
    """Return a route's example in the deployment's words, or None for `/openapi.json`, which can't contain itself."""
    example = read_examples().get(route.name)
    if example is None or vocabulary == Vocabulary() or route.name == "vocabulary":
        return example
    return msgspec.structs.replace(example, answer=_fit_words(example.answer, vocabulary))


def find_path_values(route: Route) -> Mapping[str, str]:
    """Return the values of the path parameters in a route's example."""
    example = read_examples().get(route.name)
    match = match_route(example.request.partition("?")[0]) if example else None
    return match.values if match else {}


def _fit_words(value: Any, vocabulary: Vocabulary) -> Any:
    if isinstance(value, list):
        return [_fit_words(inner, vocabulary) for inner in value]
    if not isinstance(value, dict):
        return value
    return {
        name: _replace_words(member, own=getattr(vocabulary, _WORDS[name]), usual=getattr(Vocabulary(), _WORDS[name]))
        if name in _WORDS
        else _fit_words(member, vocabulary)
        for name, member in value.items()
    }


def _replace_words(member: Any, *, own: tuple[str, ...], usual: tuple[str, ...]) -> Any:
    """Replace each `usual` word by the `own` word at the same index, in a list without duplicates."""

    def find_own(word: str) -> str | None:
        return own[usual.index(word) % len(own)] if own else None

    if isinstance(member, list):
        return list(dict.fromkeys(filter(None, map(find_own, member))))
    if isinstance(member, dict):
        return {replacement: count for word, count in member.items() if (replacement := find_own(word))}
    return None if member is None else find_own(member)
