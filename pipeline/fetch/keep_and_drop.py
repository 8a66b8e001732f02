"""Choose the rows of a table, or the events of a calendar, by the settings `keep` and `drop` of a feed."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from outings.configuration import FeedTable
from outings.configuration.tables import Words
from pipeline.words import fold

# What a row is counted under that is a heading of others, and no record.
HEADING = "heading"


@cache
def compile_words(words: Words) -> str:
    """Compile values to a regular expression for whole folded texts; `*` in a value stands for any text."""
    stated = words if isinstance(words, tuple) else (words,)
    return "|".join(".*".join(map(re.escape, fold(" ".join(str(word).split())).split("*"))) for word in stated)


def list_conditions(feed: FeedTable) -> Iterator[tuple[str, str, Words, bool]]:
    """Yield the name, column and values of each condition, and True if a row must have one of the values (`keep`)."""
    yield from ((f"keep {column}", column, words, True) for column, words in feed.keep.items())
    yield from ((f"drop {column}", column, words, False) for column, words in feed.drop.items())


def find_refusal(feed: FeedTable, list_texts: Callable[[str], Iterable[str]]) -> str | None:
    """Return the name of the first condition that refuses a row, or None. `list_texts`: its texts in a column."""
    for name, column, words, is_wanted in list_conditions(feed):
        pattern = re.compile(compile_words(words))
        if any(pattern.fullmatch(fold(" ".join(text.split()))) for text in list_texts(column)) != is_wanted:
            return name
    return None
