"""Names that say where: the metro's own, and those of its neighborhoods."""

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from outings.contract.words import split_words

Words = tuple[str, ...]
_IN_BRACKETS = re.compile(r"\([^()]*\)")


class Locations(Struct, frozen=True, kw_only=True):
    """Names as folded words."""

    metro: tuple[Words, ...] = ()
    neighborhoods: frozenset[Words] = frozenset()


def make_locations(metro: Iterable[str], neighborhoods: Iterable[str]) -> Locations:
    """`metro`: its name, slug and aliases, each with "city" behind it too. A neighborhood is known by its name, and by
    that without what stands in brackets: "Harlem (North)" is Harlem too."""
    names = [*_split_names(metro)]
    spelled = [form for name in neighborhoods for form in (name, _IN_BRACKETS.sub(" ", name))]
    return Locations(
        metro=tuple(dict.fromkeys([*names, *((*name, "city") for name in names)])),
        neighborhoods=frozenset(_split_names(spelled)),
    )


def _split_names(names: Iterable[str]) -> Iterator[Words]:
    return (words for name in names if (words := tuple(split_words(name))))


def find_runs(words: Sequence[str], names: Iterable[Words]) -> Iterator[tuple[int, int]]:
    """[start, end) of each run that is one of `names`, the longest at each place."""
    known = frozenset(names)
    longest = max(map(len, known), default=0)
    at = 0
    while at < len(words):
        length = next((n for n in range(min(longest, len(words) - at), 0, -1) if tuple(words[at : at + n]) in known), 0)
        if length:
            yield at, at + length
        at += max(length, 1)
