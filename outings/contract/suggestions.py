"""Suggestions for a mistyped name or word."""

from collections.abc import Iterable

_COMPARED_CHARACTERS = 64


def list_nearest(name: str, known: Iterable[str], *, most: int = 3) -> list[str]:
    """At most `most` of `known`, the nearest first; none where nothing is near."""
    # Most builds have no name to look for, and do without the import.
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    by_folded = {candidate.casefold(): candidate for candidate in sorted(known)}
    matches = process.extract(
        name[:_COMPARED_CHARACTERS].casefold(),
        list(by_folded),
        scorer=OSA.normalized_similarity,
        score_cutoff=0.6,
        limit=most,
    )
    return [by_folded[near] for near, _, _ in matches]


def find_nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that this one is a typo of."""
    return next(iter(list_nearest(name, known, most=1)), None)


def suggest(name: str, known: Iterable[str]) -> str:
    """For the end of a message; empty where nothing is near."""
    nearest = list_nearest(name, known)
    return f"; did you mean {' or '.join(nearest)}?" if nearest else ""
