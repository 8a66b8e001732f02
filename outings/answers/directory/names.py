"""Names of businesses and web addresses, folded so that what is written differently is the same, and the spellings by
which a directory's entries are found.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

import numpy as np
import polars as pl
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.snapshot.areas import order_neighborhoods
from outings.answers.snapshot.derived import DerivedTables, TableContext
from outings.answers.snapshot.texts import make_shortenings, make_texts
from outings.contract.text import split_words

# At the end of a name they are no part of it; "& Co" goes as a whole.
ENDINGS = frozenset(
    (
        "llc", "inc", "incorporated", "co", "company", "corp", "corporation", "ltd", "limited", "lp", "llp", "pllc",
        "pc", "plc", "com", "org", "net",
    )
)  # fmt: skip
# Of a name written as a site's: "Pottery.io". Of those in ENDINGS too, however they are joined to it.
SITE_ENDINGS = ("com", "org", "net", "edu", "gov", "us", "io", "info", "biz", "co", "club", "fun", "kids", "school")
# They need not be met, and count as nothing of a name; the last three are what an address may begin with.
STOP_WORDS = frozenset(
    (
        "a", "an", "and", "at", "by", "de", "el", "for", "in", "la", "las", "le", "les", "los", "of", "on", "or", "the",
        "to", "with", "y", "www", "http", "https",
    )
)  # fmt: skip
# What stands before a country in addresses that are registered one level further down: "co.uk".
SECOND_LEVELS = frozenset(("ac", "co", "com", "edu", "gov", "net", "org"))

# L.L.C., Y.M.C.A.
_INITIALS = re.compile(r"(?<![^\W_])(?:[^\W\d_]\.){2,}[^\W\d_]?(?![^\W_])")
_SITE_ENDING = re.compile(rf"(?<=[^\W_])\.(?:{'|'.join(SITE_ENDINGS)})\W*$", re.IGNORECASE)
_ADDRESS = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+-]*:)?(?P<slashes>//)?(?:[^/?#@\s]*@)?(?P<host>[^/:?#@\s]+)(?::\d*)?(?P<rest>[/?#].*)?",
    re.IGNORECASE | re.DOTALL,
)
_HOST = re.compile(r"(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.)+[^\W\d_](?:[\w-]{0,61}[^\W_])")


class Title(Struct, frozen=True, kw_only=True):
    """What was asked for. `words`: without endings; `host`: of a web address, as `fold_host` has it."""

    words: tuple[str, ...]
    host: str | None = None

    @property
    def joined(self) -> str:
        return "".join(self.words)

    def list_significant(self) -> list[str]:
        """Each once; empty where there is no name to look for."""
        return list(dict.fromkeys(word for word in self.words if word not in STOP_WORDS))


def parse_title(text: str) -> Title:
    """Of an address the words are its site's own name; what only might be one is read as it is: St.Mary."""
    match = _ADDRESS.fullmatch(text.strip())
    host = None if match is None else fold_host(match["host"])
    if match is None or host is None:
        return Title(words=fold_title(text))
    site = name_site(host)
    ending = host.removeprefix(site)[1:]
    is_written = match["slashes"] or match["rest"] or match["host"].lower().startswith("www.")
    is_address = is_written or ending in SITE_ENDINGS or "." in ending
    return Title(words=fold_title(site if is_address else text), host=host)


def fold_title(name: str) -> tuple[str, ...]:
    """A name's words without its endings; empty where it has nothing else."""
    name = _INITIALS.sub(lambda match: match[0].replace(".", ""), name)
    words = split_words(_SITE_ENDING.sub("", name))
    while words and words[-1] in ENDINGS:
        words.pop()
        if words[-1:] == ["and"]:
            words.pop()
    return tuple(words)


def fold_host(text: str) -> str | None:
    """In lower case, without `www.`, in the letters that the domain name system knows; None for what is no host."""
    host = text.casefold().strip(".").removeprefix("www.")
    if not _HOST.fullmatch(host) or not name_site(host):
        return None
    try:
        return host.encode("idna").decode()
    except UnicodeError:
        return None


def name_site(host: str) -> str:
    """A host without its ending: "ymca" of ymca.org and of ymca.co.uk; empty where it is nothing else."""
    *labels, country = host.split(".")
    if len(country) == 2 and len(labels) > 1:
        is_state = country == "us" and len(labels[-1]) == 2  # seattle.wa.us
        if is_state or labels[-1] in SECOND_LEVELS:
            labels.pop()
    return ".".join(labels)


def list_parents(host: str) -> list[str]:
    """The hosts above one, down to the one that is registered: of a.b.ymca.org, b.ymca.org and ymca.org."""
    labels, own = host.split("."), name_site(host).split(".")
    return [".".join(labels[at:]) for at in range(1, len(own))]


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
