"""Names of locations: the metro's own, and those of its neighborhoods."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from outings.contract.text import split_words

Words = tuple[str, ...]
# Parts of a name that are names themselves, of so many letters at least: "Chelsea-Hudson Yards".
_JOINS, _LEAST_LETTERS = re.compile(r"[-–—/]"), 4
# The end of longer names: so many words of them, in so many names at least.
_END, _LEAST_ENDS = 2, 2
_IN_BRACKETS = re.compile(r"\([^()]*\)")


class Locations(Struct, frozen=True, kw_only=True):
    """Names as folded words. `whole`: of places, that have the metro's name in theirs."""

    metro: tuple[Words, ...] = ()
    neighborhoods: frozenset[Words] = frozenset()
    whole: frozenset[Words] = frozenset()


def make_locations(metro: Iterable[str], neighborhoods: Iterable[str]) -> Locations:
    """`metro`: its name, slug and aliases. A neighborhood is known by its name, and by that without what stands in
    brackets: "Harlem (North)" is Harlem too."""
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


def list_quarters(names: Sequence[str]) -> dict[Words, list[int]]:
    """Return the indexes of `names` by each part of a name. A whole name is no part."""
    parts: dict[Words, list[int]] = {}
    ends: dict[Words, list[int]] = {}
    for number, name in enumerate(names):
        for part in map(split_words, _JOINS.split(_IN_BRACKETS.sub(" ", name))):
            parts.setdefault(tuple(part), []).append(number)
            if len(part) > _END:
                ends.setdefault(tuple(part[-_END:]), []).append(number)
    for end, numbers in ends.items():
        if len(numbers) >= _LEAST_ENDS:
            parts.setdefault(end, []).extend(numbers)
    whole = make_locations((), names).neighborhoods
    is_long = {part: len("".join(part)) >= _LEAST_LETTERS for part in parts}
    return {part: numbers for part, numbers in parts.items() if is_long[part] and part not in whole}


def _split_names(names: Iterable[str]) -> Iterator[Words]:
    return (words for name in names if (words := tuple(split_words(name))))


def has_first(words: Sequence[str], names: frozenset[Words]) -> bool:
    """Return True if any of the words is the first word of a name."""
    return not _measure_names(names)[0].isdisjoint(words)


def find_runs(words: Sequence[str], names: frozenset[Words]) -> Iterator[tuple[int, int]]:
    """[start, end) of each run that is one of `names`, the longest at each place."""
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


@lru_cache(maxsize=256)
def _measure_names(names: frozenset[Words]) -> tuple[frozenset[str], int]:
    """Their first words, and how many words the longest has."""
    return frozenset(name[0] for name in names), max(map(len, names), default=0)
