"""Names of locations: the metro's own, and those of its neighborhoods."""

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from outings.contract.text import split_words

Words = tuple[str, ...]
_IN_BRACKETS = re.compile(r"\([^()]*\)")


class Locations(Struct, frozen=True, kw_only=True):
    """Names of locations as folded words. `whole`: phrases that mean something else than the location."""

    metro: tuple[Words, ...] = ()
    neighborhoods: frozenset[Words] = frozenset()
    whole: frozenset[Words] = frozenset()


def make_locations(metro: Iterable[str], neighborhoods: Iterable[str]) -> Locations:
    """Return the locations of a metro. `metro`: its name, slug and aliases. A neighborhood is known by its name with
    and without a part in brackets: "Harlem (North)" is Harlem too."""
    spelled = [form for name in neighborhoods for form in (name, _IN_BRACKETS.sub(" ", name))]
    return Locations(
        metro=tuple(dict.fromkeys(_split_names(metro))),
        neighborhoods=frozenset(_split_names(spelled)),
    )


def list_named(names: Sequence[str]) -> dict[Words, list[int]]:
    """Return the indexes of `names` by name, with and without a part in brackets at the end."""
    numbers: dict[Words, list[int]] = {}
    for number, name in enumerate(names):
        for words in dict.fromkeys(map(tuple, map(split_words, (name, name.partition("(")[0])))):
            numbers.setdefault(words, []).append(number)
    return numbers


def _split_names(names: Iterable[str]) -> Iterator[Words]:
    return (words for name in names if (words := tuple(split_words(name))))


def find_runs(words: Sequence[str], names: frozenset[Words]) -> Iterator[tuple[int, int]]:
    """Yield the start and the end (exclusive) of each run of words that is one of `names`, the longest one at each
    start."""
    firsts, longest = _measure_names(names)
    if firsts.isdisjoint(words):
        return  # as nearly always
    at = 0
    while at < len(words):
        lengths = range(min(longest, len(words) - at), 0, -1) if words[at] in firsts else ()
        length = next((n for n in lengths if tuple(words[at : at + n]) in names), 0)
        if length:
            yield at, at + length
        at += max(length, 1)


def _measure_names(names: frozenset[Words]) -> tuple[frozenset[str], int]:
    """Return the first words of the names, and how many words the longest name has."""
    return frozenset(name[0] for name in names), max(map(len, names), default=0)
