"""Ages that a query states: "5 year olds", "ages 3-5", "for my 18 month old", "toddlers", "under 2", "8+".

`outings.texts.ages` reads them. A number is an age only where something says so ("ages", "kids 3-5", "and up"): "5k
run", "3d printing", "2026", "class of 8", "4th of july" and "top 10" stay words.
"""

from collections.abc import Sequence

from msgspec import Struct

from outings.texts.ages import AgeReader


class AgeSpan(Struct, frozen=True):
    """An age that a phrase of a query states, in whole years. `max`: None for no limit. `start`, `end`: the characters
    [start, end) of the line. `is_word`: a word states it, such as "toddlers". `is_each`: several children of these ages
    all come: "3 and 7 year olds"."""

    min: int
    max: int | None
    start: int
    end: int
    is_word: bool = False
    is_each: bool = False

    def meets(self, start: int, end: int) -> bool:
        return self.start < end and start < self.end


def find_ages(reader: AgeReader | None, text: str) -> list[AgeSpan]:
    """Return every age phrase of a line (`line.Line.text`), in the line's order; none overlaps another."""
    return [
        AgeSpan(
            phrase.span.min or 0, phrase.span.max, phrase.begin, phrase.end,
            is_word=phrase.is_word, is_each="each" in phrase.marks,
        )
        for phrase in (reader.find(text) if reader is not None else ())
        if phrase.is_in_query
    ]  # fmt: skip


def join_ages(spans: Sequence[AgeSpan]) -> tuple[int, int | None]:
    """Return the least and the greatest age of several phrases, to filter by: the narrower age where the other contains
    it ("baby 6 months"), else from the least to the greatest ("babies and toddlers")."""
    (least, most), *others = [(span.min, span.max) for span in spans]
    for low, high in others:
        if _is_inside(low, high, least, most):
            least, most = low, high
        elif not _is_inside(least, most, low, high):
            least, most = min(least, low), None if most is None or high is None else max(most, high)
    return least, most


def are_each(spans: Sequence[AgeSpan]) -> bool:
    """Return True if the spans are the ages of several children who all come, so that no single phrase covers them."""
    return any(span.is_each for span in spans) or join_ages(spans) not in [(span.min, span.max) for span in spans]


def _is_inside(low: int, high: int | None, least: int, most: int | None) -> bool:
    return least <= low and (most is None or (high is not None and high <= most))
