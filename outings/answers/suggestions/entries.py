"""What can be suggested, and where its words begin: two tables that the build derives from a snapshot's own.

An entry is a place, an organization, a neighborhood, or all events, classes or camps of one name. Categories are words
of the vocabulary, which no table has: the index has them.
"""

from collections.abc import Iterator
from typing import get_args

import polars as pl

from outings.answers.snapshot.areas import order_neighborhoods
from outings.answers.snapshot.reader import DerivedTables, Frames
from outings.contract.resources.finding import SuggestionKind
from outings.contract.text import split_words
from outings.contract.vocabulary import TYPES
from outings.release.tables import PUBLISHED

KINDS: tuple[SuggestionKind, ...] = get_args(SuggestionKind)
CATEGORY, NEIGHBORHOOD, PLACE, ORGANIZATION, LISTING = range(len(KINDS))
# Words of a name at which a suggestion may begin: a name of more is a sentence.
MOST_WORDS = 16
# Listings of one name are one entry, except places: two libraries of one name are two places.
_SHARED = -1

_COLUMNS = {
    "listings": ("row", "type", "status", "name"),
    "organizations": ("row", "status", "name"),
    "neighborhoods": ("slug", "name"),
}


def fold_name(name: str) -> str:
    """Its words, with one space between them."""
    return " ".join(split_words(name))


def make_entries(frames: Frames) -> pl.DataFrame:
    """By kind and text. `numbers`: rows of listings or of organizations, or a neighborhood's number, rising."""
    listings, organizations = (
        frames[name].filter(pl.col("status") == PUBLISHED) for name in ("listings", "organizations")
    )
    is_place = pl.col("type") == TYPES.index("place")
    kind = pl.when(is_place).then(PLACE).otherwise(LISTING)
    single = pl.when(is_place).then(pl.col("row").cast(pl.Int64())).otherwise(_SHARED)
    areas = order_neighborhoods(frames["neighborhoods"]).with_row_index("row")
    named = pl.concat(
        (
            listings.select(pl.col("name", "row"), _name("kind", kind), single=single),
            organizations.select(
                "name", "row", _name("kind", pl.lit(ORGANIZATION)), single=pl.col("row").cast(pl.Int64())
            ),
            areas.select("name", "row", _name("kind", pl.lit(NEIGHBORHOOD)), single=pl.col("row").cast(pl.Int64())),
        )
    )
    types = pl.concat((listings["type"], pl.Series([None] * (organizations.height + areas.height), dtype=pl.UInt8())))
    names = named["name"].unique()
    texts = pl.DataFrame({"name": names, "text": [fold_name(each) for each in names]}, schema_overrides=_TEXT)
    grouped = (
        named.with_columns(types.alias("type"))
        .join(texts, on="name", how="left")
        .filter(pl.col("text") != "")
        .group_by("kind", "type", "single", "text")
        .agg(numbers=pl.col("row").sort())
    )
    return grouped.sort("kind", "text", "type", "single").select("kind", "text", "numbers")


_TEXT = {"text": pl.String()}


def _name(name: str, values: pl.Expr) -> pl.Expr:
    return values.cast(pl.UInt8()).alias(name)


def make_beginnings(entries: pl.DataFrame) -> pl.DataFrame:
    """One row a word of an entry, by what its text is from there on. `offset`: bytes before it."""
    rows = [
        (entry, offset, text[offset:])
        for entry, text in enumerate(each.encode() for each in entries["text"])
        for offset in _find_offsets(text)
    ]
    schema = {"entry": pl.UInt32(), "offset": pl.UInt16(), "rest": pl.Binary()}
    return pl.DataFrame(rows, schema=schema, orient="row").sort("rest", "entry", "offset").drop("rest")


def _find_offsets(text: bytes) -> Iterator[int]:
    """Of the first words, as far as the column's numbers go."""
    offset = 0
    for _ in range(MOST_WORDS):
        yield offset
        offset = text.find(b" ", offset) + 1
        if not 0 < offset < 1 << 16:
            return


def _make_suggestions(frames: Frames) -> Frames:
    entries = make_entries(frames)
    return {"suggestions": entries, "suggestion_beginnings": make_beginnings(entries)}


SUGGESTIONS = DerivedTables(
    names=("suggestions", "suggestion_beginnings"), columns=_COLUMNS, make=lambda frames, _: _make_suggestions(frames)
)
