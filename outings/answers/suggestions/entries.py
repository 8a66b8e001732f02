"""Make the tables of suggestions: the entries, and where the words begin by which they are found.

An entry is a place, an organization, a neighborhood, all events, classes or camps of one name, or a query: one to four
words that several names share. Categories are no entries, as they are in the vocabulary."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import get_args

from outings.answers.snapshot.areas import order_neighborhoods
from outings.answers.snapshot.reader import DerivedTables, Frames, TableContext
from outings.answers.snapshot.spelling import make_stem
from outings.contract.languages.language import Language, find_stems
from outings.contract.languages.word_lists import SearchWords
from outings.contract.resources.finding import SuggestionKind
from outings.contract.text import split_words
from outings.contract.vocabulary import TYPES
from outings.lazy_polars import pl
from outings.release.tables import PUBLISHED

KINDS: tuple[SuggestionKind, ...] = get_args(SuggestionKind)
CATEGORY, NEIGHBORHOOD, PLACE, ORGANIZATION, QUERY, LISTING = range(len(KINDS))
# A query is in at least this many names; the name of one thing is an entry of its own.
LEAST_NAMES = 2
# Words of a name at which a suggestion may begin: a name of more is a sentence.
_MOST_WORDS = 16
_MOST_QUERY_WORDS = 4
_LEAST_LETTERS = 3
# Listings of one name are one entry, except places: two libraries of one name are two places.
_SHARED = -1
_COLUMNS = {
    "listings": ("row", "type", "status", "name"),
    "organizations": ("row", "status", "name"),
    "neighborhoods": ("slug", "name"),
}
_UNSEARCHABLE = ("fillers", "kinds", "prices", "times", "city")
# Words on both sides of these are not one phrase: "Hope Park: spray shower".
_SEPARATORS = re.compile(r"[:;,.!?/|()\[\]\"“”–—]|\s-|-\s|\+")
_WRITTEN_WORD = re.compile(r"&|[^\W_]+(?:['’][^\W_]+)*")


def fold_name(name: str) -> str:
    """Return the words of a name, with one space between them."""
    return " ".join(split_words(name))


def make_entries(frames: Frames, language: Language) -> pl.DataFrame:
    """Return the entries by kind and text, with the rows of their listings or organizations, or the number of a
    neighborhood, as `numbers`. Entries with the same number in one of these columns are alike.

    `alike`: in text; `form`: queries of which one has other forms of the other's words; `phrase`: in the phrase that a
    listing's or a place's name begins with, which may be a query. `tail`: the `form` of the longest query that a query
    ends with, else -1.
    """
    listings, organizations = (
        frames[name].filter(pl.col("status") == PUBLISHED) for name in ("listings", "organizations")
    )
    is_place = pl.col("type") == TYPES.index("place")
    kind = pl.when(is_place).then(PLACE).otherwise(LISTING)
    single = pl.when(is_place).then(pl.col("row").cast(pl.Int64())).otherwise(_SHARED)
    areas = order_neighborhoods(frames["neighborhoods"]).with_row_index("row")
    own_row = pl.col("row").cast(pl.Int64())
    named = pl.concat(
        (
            listings.select("name", "row", "type", kind=kind, single=single),
            organizations.select("name", "row", type=None, kind=pl.lit(ORGANIZATION), single=own_row),
            areas.select("name", "row", type=None, kind=pl.lit(NEIGHBORHOOD), single=own_row),
        ),
        how="vertical_relaxed",
    )
    names = named["name"].unique()
    texts = pl.DataFrame(
        {
            "name": names,
            "text": [fold_name(name) for name in names],
            "phrase": [fold_name(_SEPARATORS.split(name.strip(), maxsplit=1)[0]) for name in names],
        },
        schema_overrides={"text": pl.String(), "phrase": pl.String()},
    )
    grouped = (
        named.join(texts, on="name", how="left")
        .filter(pl.col("text") != "")
        .group_by("kind", "type", "single", "text")
        .agg(pl.col("phrase").min(), numbers=pl.col("row").sort())
        .with_columns(form=pl.lit(""))
    )
    queries = find_queries(listings.select("name", "row"), language)
    queries = queries.with_columns(kind=pl.lit(QUERY), type=None, single=pl.lit(_SHARED), phrase=pl.col("text"))
    entries = pl.concat((grouped, queries.select(grouped.columns)), how="vertical_relaxed")
    return _number_alike(entries.sort("kind", "text", "type", "single"))


def _number_alike(entries: pl.DataFrame) -> pl.DataFrame:
    is_query, single = pl.col("kind") == QUERY, pl.format("\n{}", pl.row_index())
    has_phrase = pl.col("kind").is_in([PLACE, QUERY, LISTING])
    numbered = entries.select(
        pl.col("kind").cast(pl.UInt8()),
        "text",
        "numbers",
        alike=pl.col("text").rank("dense").cast(pl.Int64()),
        form=pl.when(is_query).then("form").otherwise(single).rank("dense").cast(pl.Int64()),
        phrase=pl.when(has_phrase).then("phrase").otherwise(single).rank("dense").cast(pl.Int64()),
    )
    forms = dict(numbered.filter(kind=QUERY).select("text", "form").iter_rows())
    tails = [
        _find_tail(text, forms) if kind == QUERY else -1 for kind, text in numbered.select("kind", "text").iter_rows()
    ]
    return numbered.with_columns(tail=pl.Series(tails, dtype=pl.Int64()))


def _find_tail(text: str, forms: Mapping[str, int]) -> int:
    words = text.split()
    tails = (" ".join(words[start:]) for start in range(1, len(words)))
    return next((forms[tail] for tail in tails if tail in forms), -1)


def find_queries(named: pl.DataFrame, language: Language) -> pl.DataFrame:
    """Return what several names share in any form of its words, as a folded text, with the stems of these as `form`,
    and `numbers`: the rows of the listings. `named` has the `name` and `row` of each listing.

    Which forms there are depends on all names, which a key may not read. So it is the names of all forms together that
    have to be several: what the rows of a key say is then the same, whatever other rows say.
    """
    names = named["name"].unique().sort()
    spoken = ((name, word) for name in names for word, _ in split_phrases(name))
    words = pl.DataFrame(spoken, schema={"name": pl.String(), "word": pl.String()}, orient="row")
    is_end = pl.col("word").str.contains(r"\p{L}") & (pl.col("word").str.len_chars() >= _LEAST_LETTERS)
    known_words = (language.search or SearchWords()).words
    # No query begins or ends with a filler word, and none consists of words that find nothing if they are alone.
    is_end &= ~pl.col("word").is_in(known_words.fillers.split())
    unsearchable = " ".join(getattr(known_words, role) for role in _UNSEARCHABLE).split()
    words = words.with_columns(is_end=is_end, is_searchable=~pl.col("word").is_in(unsearchable))
    stem, known = make_stem(find_stems(language)), words["word"].unique()
    stems = pl.DataFrame({"word": known, "stem": pl.Series([stem(word) for word in known], dtype=pl.String())})
    words = words.join(stems, on="word", how="left", maintain_order="left")
    phrases = pl.concat(_join_words(words, count) for count in range(1, _MOST_QUERY_WORDS + 1))
    shared = phrases.filter(pl.col("name").n_unique().over("form") >= LEAST_NAMES)
    return shared.join(named, on="name").group_by("text", "form").agg(numbers=pl.col("row").sort())


def _join_words(words: pl.DataFrame, count: int) -> pl.DataFrame:
    """Return the runs of so many words of one phrase, each once a name."""
    runs = [words, *(words.select(pl.all().shift(-step)) for step in range(1, count))]
    joined = words.select(
        "name",
        text=pl.concat_str([run["word"] for run in runs], separator=" "),
        form=pl.concat_str([run["stem"] for run in runs], separator=" "),
        is_whole=words["is_end"] & runs[-1]["is_end"] & (words["name"] == runs[-1]["name"]),
        is_searchable=pl.any_horizontal([run["is_searchable"] for run in runs]),
        is_cut=pl.any_horizontal([run["word"] == "" for run in runs]),
    )
    return joined.filter("is_whole", "is_searchable", ~pl.col("is_cut")).select("name", "text", "form").unique()


def split_phrases(name: str) -> list[tuple[str, str]]:
    """Return a name's first words, folded and as they are written, with a pair of empty ones between phrases."""
    pairs: list[tuple[str, str]] = []
    for phrase in _SEPARATORS.split(name):
        folded, written = split_words(phrase), _WRITTEN_WORD.findall(phrase.lower())
        pairs += zip(folded, written if len(written) == len(folded) else folded, strict=True)
        pairs.append(("", ""))
    return pairs[:_MOST_WORDS]


def find_written(text: str, name: str) -> str:
    """Return a folded text as a name that has it writes it, in lower case."""
    pairs, words = split_phrases(name), text.split()
    for start in range(len(pairs) - len(words) + 1):
        run = pairs[start : start + len(words)]
        if [word for word, _ in run] == words:
            return " ".join(written for _, written in run)
    return text


def make_beginnings(entries: pl.DataFrame) -> pl.DataFrame:
    """Return one row a word at which an entry may begin, by what its text is from there on. `offset`: bytes before it.
    A query begins at its first word: what is behind it is a query itself."""
    rows = [
        (entry, offset, text[offset:])
        for entry, (kind, text) in enumerate(zip(entries["kind"], entries["text"].cast(pl.Binary()), strict=True))
        for offset in ((0,) if kind == QUERY else _find_offsets(text))
    ]
    schema = {"entry": pl.UInt32(), "offset": pl.UInt16(), "rest": pl.Binary()}
    return pl.DataFrame(rows, schema=schema, orient="row").sort("rest", "entry", "offset").drop("rest")


def _find_offsets(text: bytes) -> Iterator[int]:
    """Yield where the first words begin, as far as the column's numbers go."""
    offset = 0
    for _ in range(_MOST_WORDS):
        yield offset
        offset = text.find(b" ", offset) + 1
        if not 0 < offset < 1 << 16:
            return


def _make_suggestions(frames: Frames, context: TableContext) -> Frames:
    entries = make_entries(frames, context.language)
    return {"suggestions": entries, "suggestion_beginnings": make_beginnings(entries)}


SUGGESTIONS = DerivedTables(names=("suggestions", "suggestion_beginnings"), columns=_COLUMNS, make=_make_suggestions)
