"""Find entries of a directory by name or web address. Names are folded so that different spellings of one are equal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import pairwise
from typing import get_args

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.cache import remember
from outings.answers.snapshot.areas import open_areas
from outings.answers.snapshot.reader import DerivedTables, SnapshotReader
from outings.answers.snapshot.texts import LETTERS_FOR_TYPOS, SimilarTexts, make_shortenings, make_texts
from outings.contract.resources.listings import NameMatch
from outings.contract.text import split_words
from outings.lazy_polars import pl
from outings.release.mapped_table import MappedTable, encode_mapped

# Words at the end of a name that are ignored, together with an "and" before them ("& Co").
ENDINGS = frozenset(
    (
        "llc", "inc", "incorporated", "co", "company", "corp", "corporation", "ltd", "limited", "lp", "llp", "pllc",
        "pc", "plc", "com", "org", "net",
    )
)  # fmt: skip
# The ending of a name that is written as a web site's, such as "Pottery.io".
SITE_ENDINGS = ("com", "org", "net", "edu", "gov", "us", "io", "info", "biz", "co", "club", "fun", "kids", "school")
# Words that a name need not have to match, and whose letters do not count. An address may begin with the last three.
STOP_WORDS = frozenset(
    (
        "a", "an", "and", "at", "by", "de", "el", "for", "in", "la", "las", "le", "les", "los", "of", "on", "or", "the",
        "to", "with", "y", "www", "http", "https",
    )
)  # fmt: skip
# Labels before a country in hosts that are registered one level below them, such as "co.uk".
SECOND_LEVELS = frozenset(("ac", "co", "com", "edu", "gov", "net", "org"))

# Initials with periods, such as "Y.M.C.A."
_INITIALS = re.compile(r"(?<![^\W_])(?:[^\W\d_]\.){2,}[^\W\d_]?(?![^\W_])")
_SITE_ENDING = re.compile(rf"(?<=[^\W_])\.(?:{'|'.join(SITE_ENDINGS)})\W*$", re.IGNORECASE)
_ADDRESS = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+-]*:)?(?P<slashes>//)?(?:[^/?#@\s]*@)?(?P<host>[^/:?#@\s]+)(?::\d*)?(?P<rest>[/?#].*)?",
    re.IGNORECASE | re.DOTALL,
)
_HOST = re.compile(r"(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.)+[^\W\d_](?:[\w-]{0,61}[^\W_])")


class Title(Struct, frozen=True, kw_only=True):
    """A name to look for. `words`: its words without endings such as "Inc"; `host`: the host of a web address, as
    `fold_host` returns it, None for other names."""

    words: tuple[str, ...]
    host: str | None = None

    @property
    def joined(self) -> str:
        return "".join(self.words)

    def list_significant(self) -> list[str]:
        """Return the distinct words without stop words; empty if nothing is left to look for."""
        return list(dict.fromkeys(word for word in self.words if word not in STOP_WORDS))


def parse_title(text: str) -> Title:
    """Parse a name or a web address, whose words are the name of its site. Text that only might be an address, such as
    St.Mary, is a name.

    >>> parse_title("https://www.harbor-zoo.org/visit")
    Title(words=('harbor', 'zoo'), host='harbor-zoo.org')
    >>> parse_title("Harbor Zoo, Inc.").words
    ('harbor', 'zoo')
    """
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
    """Return the words of a name without endings such as "Inc"; empty if it has no others."""
    name = _INITIALS.sub(lambda match: match[0].replace(".", ""), name)
    words = split_words(_SITE_ENDING.sub("", name))
    while words and words[-1] in ENDINGS:
        words.pop()
        if words[-1:] == ["and"]:
            words.pop()
    return tuple(words)


def fold_host(text: str) -> str | None:
    """Return a host in lower case, without `www.` and in IDNA form, or None if the text is no host."""
    host = text.casefold().strip(".").removeprefix("www.")
    if not _HOST.fullmatch(host) or not name_site(host):
        return None
    try:
        return host.encode("idna").decode()
    except UnicodeError:
        return None


def name_site(host: str) -> str:
    """Return a host without its suffix: "ymca" for ymca.org and ymca.co.uk. Empty if it is only a suffix."""
    *labels, country = host.split(".")
    if len(country) == 2 and len(labels) > 1:
        is_state = country == "us" and len(labels[-1]) == 2  # seattle.wa.us
        if is_state or labels[-1] in SECOND_LEVELS:
            labels.pop()
    return ".".join(labels)


def list_parents(host: str) -> list[str]:
    """Return the hosts above this one, down to the registered one: for a.b.ymca.org, b.ymca.org and ymca.org."""
    labels, own = host.split("."), name_site(host).split(".")
    return [".".join(labels[at:]) for at in range(1, len(own))]


# Kinds of spellings of an entry: a word of its name, two adjacent words joined, the whole name joined, its host without
# the suffix, its host, and a parent of its host.
WORD, PAIR, NAME, SITE, HOST, PARENT = range(6)

# An occurrence of a spelling, packed into one number: the entry's row, the number of letters, and the kind.
_KIND_BITS, _LETTER_BITS = 4, 16
ROW_SHIFT = _KIND_BITS + _LETTER_BITS
MOST_LETTERS = (1 << _LETTER_BITS) - 1

# A spelling and its kind.
Spelled = tuple[str, int]
Places = NDArray[np.int64]


def spell_entries(name: str, entries: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return the table of the spellings of a directory's entries, each once with its places, and the table of their
    shortenings."""
    texts: list[str] = []
    places: list[int] = []
    names = entries["name"].to_list()
    domains = entries["domain"].to_list() if "domain" in entries.columns else [None] * len(names)
    for row, (entry, domain) in enumerate(zip(names, domains, strict=True)):
        for (text, kind), letters in _spell(entry, domain).items():
            texts.append(text)
            places.append((row << ROW_SHIFT) + (min(letters, MOST_LETTERS) << _KIND_BITS) + kind)
    pairs = pl.DataFrame({"text": texts, "place": places}, schema={"text": pl.String(), "place": pl.Int64()})
    grouped = pairs.group_by("text").agg(pl.col("place").sort()).sort("text")
    spellings = pl.DataFrame([*make_texts(grouped["text"]), grouped["place"].alias("places")])
    return {f"{name}_spellings": spellings, f"{name}_shortenings": make_shortenings(spellings["text"])}


ORGANIZATION_SPELLINGS = DerivedTables(
    names=("organization_spellings", "organization_shortenings"),
    columns={"organizations": ("name", "domain")},
    make=lambda tables, _: spell_entries("organization", tables["organizations"]),
)


def read_letters(places: Places) -> Places:
    return (places >> _KIND_BITS) & MOST_LETTERS


def read_kinds(places: Places) -> Places:
    return places & ((1 << _KIND_BITS) - 1)


def _spell(name: str, domain: str | None) -> Counter[Spelled]:
    """Return an entry's spellings, each with its number of letters. Stop words have 0 letters, unless the name has no
    other words."""
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
        for parent in list_parents(host):
            spelled[parent, PARENT] = len(host)
    return spelled


# Kinds of matches, the best first.
MATCHES: tuple[NameMatch, ...] = get_args(NameMatch)
EXACT = 1000
# The least score of each kind of match, and what is added for a match of all letters.
_BANDS = {"name": (800, 150), "domain": (700, 200), "fuzzy": (500, 290)}
_MOST_TYPOS = len(LETTERS_FOR_TYPOS)
# Cached look-ups of typos: one takes some milliseconds in a directory of 40,000 entries.
_CACHED = 1_024

Array = NDArray[np.int64]
# The number of a text in the index, and its number of typos.
Meaning = tuple[int, int]
# Ways in which a name has a word, the best first: 0 for the same word, 1 or 2 for so many typos, then as a prefix.
_BEGUN = _MOST_TYPOS + 1
_WAYS = _BEGUN + 1
# The fewest letters of a word with a typo, if it is the only such word of its title.
_LETTERS_OF_ONE = 4
# The fewest letters of a word that matches words that begin with it.
_LETTERS_TO_BEGIN = 3


class NameScores(Struct, frozen=True, kw_only=True, eq=False):
    """Scores of entries, by row. `scores`: in thousandths, 0 for no match; `matches`: indexes in MATCHES."""

    scores: Array
    matches: Array

    def put(self, match: NameMatch, rows: Array, scores: Array | int) -> None:
        """Set the scores of these rows where they are better than the present ones."""
        scores = np.broadcast_to(scores, rows.shape)
        better = scores > self.scores[rows]
        self.scores[rows[better]] = scores[better]
        self.matches[rows[better]] = MATCHES.index(match)


class Ranking:
    """An index that ranks the entries of one directory by a name to look for."""

    def __init__(self, tables: Iterable[MappedTable], *, size: int) -> None:
        """`tables`: the spellings and their shortenings; `size`: the number of entries."""
        spellings, shortenings = tables
        self._texts = SimilarTexts(spellings, "text", shortenings=shortenings)
        self._ends: Array
        self._places: Places
        self._ends, self._places = spellings.read_lists("places")
        self._size = size
        names = self._places[read_kinds(self._places) == NAME]
        self._letters = np.ones(size, dtype=np.int64)
        self._letters[names >> ROW_SHIFT] = np.maximum(read_letters(names), 1)
        self._list_meanings = remember(self._find_meanings, size=_CACHED)

    def rank(self, title: Title) -> NameScores:
        """Return a score for each entry: all are 0 if the title has no significant word."""
        scored = NameScores(scores=np.zeros(self._size, np.int64), matches=np.zeros(self._size, np.int64))
        significant = title.list_significant()
        if significant:
            # If both the host and the whole name are the same, the match is that of the host.
            if title.host is not None:
                scored.put("exact_domain", self._read(title.host, HOST) >> ROW_SHIFT, EXACT)
            scored.put("exact_name", self._read(title.joined, NAME) >> ROW_SHIFT, EXACT)
            self._rank_words(title, significant, scored)
            self._rank_sites(title, scored)
            self._rank_typos(title, scored)
        return scored

    def _rank_words(self, title: Title, significant: Sequence[str], scored: NameScores) -> None:
        """Score entries whose name has every word: as it is, with a typo, as a prefix, or joined with its neighbour."""
        met, typos = np.zeros(self._size, dtype=np.int64), np.zeros(self._size, dtype=np.int64)
        is_same, passed = np.ones(self._size, dtype=np.bool_), np.ones(self._size, dtype=np.bool_)
        loosened = np.zeros(self._size, dtype=np.bool_)
        for word in significant:
            best = self._meet_word(word, title.words)
            if len(word) == _LETTERS_OF_ONE and len(significant) > 1:
                loose = self._meet(self._texts.find_typos(word, least=_LETTERS_OF_ONE))
                loose[(best > 0) | loosened] = 0
                loosened |= loose > 0
                best += loose
            passed &= best > 0
            if not passed.any():
                return
            met += best & MOST_LETTERS
            way = _WAYS - (best >> ROW_SHIFT)
            is_same &= way == 0
            typos += np.where(way == _BEGUN, 0, way)
        rows = np.flatnonzero(passed)
        letters, met, typos = self._letters[rows], np.minimum(met[rows], self._letters[rows]), typos[rows]
        same = is_same[rows]
        scored.put("name", rows[same], _score("name", met[same], letters[same]))
        scored.put("fuzzy", rows[~same], _score("fuzzy", met[~same] - typos[~same], letters[~same]))

    def _meet_word(self, word: str, words: Sequence[str]) -> Array:
        """Rate, by row, how well a name has a word: by the kind of match, then by letters; 0 for no match. Only the
        last word may be incomplete."""
        best = self._meet(self._list_meanings(word))
        for at in range(len(words) - 1):
            if word in words[at : at + 2]:
                places = self._read(words[at] + words[at + 1], WORD)
                # Its letters are counted once, with the first of the two.
                letters = read_letters(places) if word == words[at] else np.zeros_like(places)
                np.maximum.at(best, places >> ROW_SHIFT, _rate(0, letters))
        if word == words[-1] and len(word) >= _LETTERS_TO_BEGIN:
            places = self._read_beginning(word)
            np.maximum.at(best, places >> ROW_SHIFT, _rate(_BEGUN, np.minimum(read_letters(places), len(word))))
        return best

    def _meet(self, meanings: Iterable[Meaning]) -> Array:
        """Rate, by row, how well a name has the best of these words."""
        best = np.zeros(self._size, dtype=np.int64)
        for number, typos in meanings:
            places = self._read_number(number)
            places = places[read_kinds(places) <= PAIR]
            np.maximum.at(best, places >> ROW_SHIFT, _rate(typos, read_letters(places)))
        return best

    def _rank_sites(self, title: Title, scored: NameScores) -> None:
        """Score entries by host: the same name before the suffix, or a parent or subdomain of the title's host."""
        scored.put("domain", self._read(title.joined, SITE) >> ROW_SHIFT, sum(_BANDS["domain"]))
        host = title.host
        if host is None:
            return
        subdomains = self._read(host, PARENT)
        scored.put("domain", subdomains >> ROW_SHIFT, _score("domain", len(host), read_letters(subdomains)))
        for parent in list_parents(host):
            rows = self._read(parent, HOST) >> ROW_SHIFT
            scored.put("domain", rows, _score("domain", len(parent), len(host)))

    def _rank_typos(self, title: Title, scored: NameScores) -> None:
        """Score entries whose whole name or site differs from the title by a typo or two, ignoring spaces."""
        for number, typos in self._list_meanings(title.joined):
            if typos:
                places = self._read_number(number)
                places = places[np.isin(read_kinds(places), (NAME, SITE))]
                letters = np.maximum(read_letters(places), 1)
                scored.put("fuzzy", places >> ROW_SHIFT, _score("fuzzy", letters - typos, letters))

    def _find_meanings(self, word: str) -> tuple[Meaning, ...]:
        """Return the numbers of the texts equal to a word or one or two typos away, each with its typos."""
        return tuple(sorted([*((number, 0) for number in self._texts.find(word)), *self._texts.find_typos(word)]))

    def _read(self, text: str, kind: int) -> Places:
        parts = [self._read_number(number) for number in self._texts.find(text)]
        places = np.concatenate(parts) if parts else self._places[:0]
        kept: Places = places[read_kinds(places) == kind]
        return kept

    def _read_beginning(self, word: str) -> Places:
        """Return the places of all words in names that begin with `word`."""
        first, end = self._texts.span_beginning(word)
        places = self._places[self._ends[first] : self._ends[end]]
        words: Places = places[read_kinds(places) == WORD]
        return words

    def _read_number(self, number: int) -> Places:
        places: Places = self._places[self._ends[number] : self._ends[number + 1]]
        return places


def _rate(way: int, letters: Array) -> Array:
    """Pack the way in which names have a word, and how many of its letters, into numbers that are greater for better
    matches."""
    return (_WAYS - way << ROW_SHIFT) + letters


def _score(match: str, part: Array | int, whole: Array | int) -> Array:
    """Return part ÷ whole, scaled to the band of scores of the match and rounded half up."""
    least, most = _BANDS[match]
    scores: Array = np.asarray(least + (2 * most * np.maximum(part, 0) + whole) // (2 * whole))
    return scores


def open_ranking(reader: SnapshotReader) -> Ranking:
    """Open the ranking of organizations."""
    return Ranking(reader.open_tables(ORGANIZATION_SPELLINGS).values(), size=len(reader.organizations))


@cache
def rank_areas(types: frozenset[str]) -> Callable[[SnapshotReader], Ranking]:
    """Return a function that opens the ranking of neighborhoods by the names in listings of these types. It is the same
    function each time, because a reader caches indexes by function."""

    def open_area_ranking(reader: SnapshotReader) -> Ranking:
        areas = reader.open_index(open_areas).narrow(types)
        made = spell_entries("area", pl.DataFrame({"name": list(areas.names)}, schema={"name": pl.String()}))
        return Ranking([MappedTable(encode_mapped(frame)) for frame in made.values()], size=len(areas))

    return open_area_ranking
