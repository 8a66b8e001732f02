"""The spellings by which a directory's entries are found: words, neighbours written as one, whole names, addresses."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from outings.answers.directory.business_names import STOP_WORDS, fold_host, fold_title, list_parents, name_site
from outings.answers.snapshot.areas import order_neighborhoods
from outings.answers.snapshot.derived import DerivedTables, TableContext
from outings.answers.snapshot.texts import make_shortenings, make_texts
from outings.contract.tokenizer import split_words

# What a text is of an entry. SITE: its host without the ending; ABOVE: a host above its own.
WORD, PAIR, NAME, SITE, HOST, ABOVE = range(6)

# A place as one number: row, letters, kind.
_KIND_BITS, _LETTER_BITS = 4, 16
ROW_SHIFT = _KIND_BITS + _LETTER_BITS
MOST_LETTERS = (1 << _LETTER_BITS) - 1

Spelled = tuple[str, int]
Places = NDArray[np.int64]


def spell_entries(name: str, entries: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return the spellings of a directory, each text once with its places, and their shortenings."""
    grouped = _list_places(entries).group_by("text").agg(pl.col("place").sort()).sort("text")
    spellings = pl.DataFrame([*make_texts(grouped["text"]), grouped["place"].alias("places")])
    return {f"{name}_spellings": spellings, f"{name}_shortenings": make_shortenings(spellings["text"])}


def _derive_spellings(
    name: str, order: Callable[[pl.DataFrame], pl.DataFrame], entries: str, columns: Sequence[str]
) -> DerivedTables:
    """The spellings, then their shortenings. `order`: the entries as they are numbered."""

    def make_both(tables: Mapping[str, pl.DataFrame], _: TableContext) -> dict[str, pl.DataFrame]:
        return spell_entries(name, order(tables[entries]))

    names = f"{name}_spellings", f"{name}_shortenings"
    return DerivedTables(names=names, columns={entries: columns}, make=make_both)


ORGANIZATION_SPELLINGS = _derive_spellings("organization", pl.DataFrame.clone, "organizations", ("name", "domain"))
AREA_SPELLINGS = _derive_spellings("area", order_neighborhoods, "neighborhoods", ("slug", "name"))


def read_letters(places: Places) -> Places:
    return (places >> _KIND_BITS) & MOST_LETTERS


def read_kinds(places: Places) -> Places:
    return places & ((1 << _KIND_BITS) - 1)


def _list_places(entries: pl.DataFrame) -> pl.DataFrame:
    texts: list[str] = []
    places: list[int] = []
    names = entries["name"].to_list()
    domains = entries["domain"].to_list() if "domain" in entries.columns else [None] * len(names)
    for row, (name, domain) in enumerate(zip(names, domains, strict=True)):
        for (text, kind), letters in _spell(name, domain).items():
            texts.append(text)
            places.append((row << ROW_SHIFT) + (min(letters, MOST_LETTERS) << _KIND_BITS) + kind)
    return pl.DataFrame({"text": texts, "place": places}, schema={"text": pl.String(), "place": pl.Int64()})


def _spell(name: str, domain: str | None) -> Counter[Spelled]:
    """Each spelling with its letters: of a word, all that it has in the name; of the whole name, those that count."""
    words = fold_title(name) or tuple(split_words(name))
    letters = {word: 0 if word in STOP_WORDS else len(word) for word in words}
    if not any(letters.values()):
        letters = {word: len(word) for word in words}
    spelled: Counter[Spelled] = Counter()
    for word in words:
        spelled[word, WORD] += letters[word]
    for first, second in pairwise(words):
        spelled[first + second, PAIR] += letters[first] + letters[second]
    if words:
        spelled["".join(words), NAME] = sum(letters[word] for word in words)
    host = None if domain is None else fold_host(domain)
    if host is not None:
        site = "".join(split_words(name_site(host)))
        spelled[site, SITE] = len(site)
        spelled[host, HOST] = len(host)
        for above in list_parents(host):
            spelled[above, ABOVE] = len(host)
    return spelled
