"""Suggestions for a mistyped name."""

from collections.abc import Iterable
from difflib import get_close_matches


def list_nearest(name: str, known: Iterable[str]) -> list[str]:
    """At most three of `known`, the nearest first; none where nothing is near."""
    by_folded = {candidate.casefold(): candidate for candidate in known}
    return [by_folded[near] for near in get_close_matches(name.casefold(), by_folded, n=3, cutoff=0.6)]


def suggest(name: str, known: Iterable[str]) -> str:
    """For the end of a message; empty where nothing is near."""
    nearest = list_nearest(name, known)
    return f"; did you mean {' or '.join(nearest)}?" if nearest else ""
