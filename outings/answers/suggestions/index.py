"""Find the suggestions of which a word begins with some letters, by a binary search over where words begin."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import chain, combinations, islice

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import OSA

from outings.answers.cache import LruCache
from outings.answers.snapshot.reader import SnapshotReader
from outings.answers.suggestions.entries import (
    CATEGORY,
    KINDS,
    LEAST_NAMES,
    LISTING,
    NEIGHBORHOOD,
    ORGANIZATION,
    PLACE,
    QUERY,
    SUGGESTIONS,
    fold_name,
)
from outings.contract.languages.word_lists import SearchWords

Counts = NDArray[np.int64]

# Sets of types × dates whose order is cached, each of some bytes an entry.
_MOST_ORDERS = 8
# Letters of the first part of a word that may be two. The second may be half typed.
_LEAST_PART = 2
# Of a word with a typo, so much is as in the word that is meant.
_LEAST_SIMILARITY = 0.8
_LEAST_TYPED = 5
# Entries that are read for one that is shown, and words by which those of a series are alike.
_MOST_READ, _SERIES_WORDS = 8, 3
# A query that fewer listings have, for each of a shorter one, is left out beside that: "playground south".
_LEAST_SHARE = 20
# Each word of a text is compared with all that are known: more of them were not typed by a parent.
_MOST_CORRECTED = 4


class Live(Struct, frozen=True, kw_only=True, eq=False):
    """The listings that are live on a date. `listings` has 1 or 0 for each row. The others have how many each has:
    `places` (with the place itself) and `organizations` by row, `neighborhoods` by number, `categories` by their place
    in the vocabulary."""

    listings: Counts
    places: Counts
    organizations: Counts
    neighborhoods: Counts
    categories: Counts


class Order(Struct, frozen=True, kw_only=True, eq=False):
    """The entries that are shown on a date, in their order. `counts` has the live listings of each entry; `ranks` its
    place by kind, then most of these, then text, or -1 for what is not shown. `words`: those of all that are shown."""

    live: Live
    counts: Counts
    ranks: NDArray[np.int64]
    words: Sequence[str]


class EntryMatch(Struct, frozen=True):
    """An entry that begins with what was typed.

    `number` is the row of the first live listing for a listing or a query, the row of an organization, else the entry's
    own number. `count` has its live listings. `is_behind`: the letters are not of its first word.
    """

    kind: int
    number: int
    text: str
    count: int
    is_behind: bool = False


class SuggestionIndex:
    """The entries of one snapshot, which are found by their beginnings."""

    def __init__(self, reader: SnapshotReader) -> None:
        tables = reader.open_tables(SUGGESTIONS)
        entries, beginnings = (tables[name] for name in SUGGESTIONS.names)
        self._kinds: NDArray[np.uint8] = entries.read_array("kind")
        self._ends, self._numbers = entries.read_lists("numbers")
        self._text_ends, self._texts = entries.view_texts("text")
        self._entries: NDArray[np.uint32] = beginnings.read_array("entry")
        self._offsets: NDArray[np.uint16] = beginnings.read_array("offset")
        self._single_entries, self._single_offsets = (beginnings.view_array(name) for name in ("entry", "offset"))
        self._alike, self._forms, self._phrases, self._tails = (
            entries.read_array(name) for name in ("alike", "form", "phrase", "tail")
        )
        self._owners = np.repeat(np.arange(self._kinds.size), np.diff(self._ends))
        self._owner_kinds = self._kinds[self._owners]
        size = len(reader.listings)
        self._row_texts = self._name_rows(self._alike, size)
        # What is in a park bears its name, too: of places the first phrase counts.
        names = np.where(self._kinds == PLACE, self._phrases, self._phrases.size + 1 + self._alike)
        self._row_names = self._name_rows(names, size)
        self._categories: Sequence[str] = [fold_name(word) for word in reader.vocabulary.categories]
        words = (reader.language.search or SearchWords()).words
        # Words that say the sort of a thing, and not what it is.
        self.general = frozenset(f"{words.forms} {words.kinds}".split())
        self.orders: LruCache[tuple[tuple[str, ...], date], Order] = LruCache(size=_MOST_ORDERS)

    def _name_rows(self, names: Counts, size: int) -> Counts:
        """Spread a number of each entry over the rows of its listings."""
        are_names = np.isin(self._owner_kinds, (PLACE, LISTING))
        named = np.zeros(size, dtype=np.int64)
        named[self._numbers[are_names]] = names[self._owners[are_names]]
        return named

    def make_order(self, live: Live) -> Order:
        """Return the order of what is live: by kind, then most listings, of the forms of a query the one with most of
        its own first. A query that is always the end of another is left out: "fish pool", where each is Hamilton Fish
        Pool."""
        own = self._count_live(live)
        counts = np.where(self._kinds == QUERY, self._count_queries(live), own)
        shown = np.flatnonzero((own > 0) & (counts > 0))
        longer, form_counts = shown[self._tails[shown] >= 0], np.zeros(self._forms.size + 1, dtype=np.int64)
        form_counts[self._forms[shown]] = counts[shown]
        tails = self._tails[longer]
        shown = shown[~np.isin(self._forms[shown], tails[form_counts[tails] == counts[longer]])]
        shown = shown[np.lexsort((shown, -own[shown], -counts[shown], self._kinds[shown]))]
        ranks = np.full(counts.size, -1, dtype=np.int64)
        ranks[shown] = np.arange(shown.size)
        words = sorted(set(chain.from_iterable(self._read_text(entry).split() for entry in shown.tolist())))
        return Order(live=live, counts=counts, ranks=ranks, words=words)

    def _count_live(self, live: Live) -> Counts:
        kinds, numbers = self._owner_kinds, self._numbers
        values = np.zeros(numbers.size, dtype=np.int64)
        for kind, counts in (
            (NEIGHBORHOOD, live.neighborhoods),
            (ORGANIZATION, live.organizations),
            (PLACE, live.places),
            (QUERY, live.listings),
            (LISTING, live.listings),
        ):
            values[kinds == kind] = counts[numbers[kinds == kind]]
        return np.add.reduceat(values, self._ends[:-1]) if values.size else values

    def _count_queries(self, live: Live) -> Counts:
        """Count by entry the live listings that have a query in any form. Zero where fewer than two of their names are
        live. Entries of other kinds have forms of their own, and zero."""
        are_queries, size = self._owner_kinds == QUERY, self._forms.size + 1
        forms, rows = self._forms[self._owners[are_queries]], self._numbers[are_queries]
        are_live = live.listings[rows] > 0
        forms, rows = forms[are_live], rows[are_live]
        # A listing and a place of one text are one name, as in the build: else what others say would decide.
        texts = _count_pairs(forms, self._row_texts[rows], size=size)
        phrases = _count_pairs(forms, self._row_names[rows], size=size)
        counts = np.where(np.minimum(texts, phrases) >= LEAST_NAMES, _count_pairs(forms, rows, size=size), 0)
        by_entry: Counts = counts[self._forms]
        return by_entry

    def find(self, text: str, order: Order, *, limit: int) -> list[EntryMatch]:
        """Return the entries that begin with a folded text, each text once: queries and categories in half of the
        room, then names, then what is left. If there is room, those follow that have two of the words as one, or one
        as two; and where there is nothing at all, those of the words that were meant."""
        matches: dict[str, EntryMatch] = {}
        for spaced in (text, *_list_respaced(text)):
            for match in self._list_matches(spaced, order, limit=limit) if len(matches) < limit else ():
                known = matches.get(match.text)
                if known is None or match.count > known.count:
                    matches[match.text] = match
        if not matches and (meant := _correct(text, order.words)) is not None:
            matches = {match.text: match for match in self._list_matches(meant, order, limit=limit)}
        topics = [match for match in matches.values() if match.kind in (QUERY, CATEGORY)]
        names = [match for match in matches.values() if match.kind not in (QUERY, CATEGORY)]
        room = max((limit + 1) // 2, limit - len(names))
        return [*topics[:room], *names, *topics[room:]][:limit]

    def find_topics(self, text: str, order: Order, rows: Counts) -> list[EntryMatch]:
        """Return the queries that begin with a folded text, with how many of these rows (1 or 0) they have: first those
        that have it as a whole word."""
        topics: dict[int, EntryMatch] = {}
        for query in self._list_queries(text):
            numbers, form = self._read_numbers(query), int(self._forms[query])
            having = numbers[rows[numbers] > 0]
            if order.ranks[query] >= 0 and having.size > (topics[form].count if form in topics else 0):
                topics[form] = EntryMatch(QUERY, int(having[0]), self._read_text(query), having.size)
        return sorted(topics.values(), key=lambda topic: (not f"{topic.text} ".startswith(f"{text} "), -topic.count))

    def _list_queries(self, text: str) -> list[int]:
        """Return the entries of the queries that begin with a folded text, ordered by text."""
        low, high = self._span(text.encode())
        entries = self._entries[low:high]
        queries: list[int] = entries[self._kinds[entries] == QUERY].tolist()
        return queries

    def _list_matches(self, text: str, order: Order, *, limit: int) -> list[EntryMatch]:
        """Return the best of each kind that begin with a text, the best first: those whose first word does so, then by
        kind and count. Queries and categories stand together. Of names that begin with the same phrase one is enough,
        and none where that phrase is a query itself."""
        matches = list(self._find_categories(text, order.live.categories))
        low, high = self._span(text.encode())
        if low == high:  # as mostly where a space is moved
            return sorted(matches, key=_rank_match)
        entries, are_behind = self._entries[low:high].astype(np.int64), self._offsets[low:high] > 0
        keys = order.ranks[entries] + are_behind * order.ranks.size
        shown = np.flatnonzero(order.ranks[entries] >= 0)
        shown = shown[np.lexsort((keys[shown], self._kinds[entries[shown]] != QUERY))]
        shown = _take_firsts(shown, np.where(are_behind, -entries - 1, self._phrases[entries]))
        shown = _take_firsts(shown, self._forms[entries])
        for kind in range(len(KINDS)):
            own = shown[self._kinds[entries[shown]] == kind]
            best = (low + own[np.argsort(keys[own], kind="stable")[: _MOST_READ * limit]]).tolist()
            read = (self._read(entry, order, is_behind=is_behind) for entry, is_behind in self._fold_series(best))
            if kind == QUERY:
                queries = list(read)
                parts = list_parts({query.text: query.count for query in queries}, typed=text, general=self.general)
                read = (query for query in queries if query.text not in parts)
            matches += islice(read, limit)
        return sorted(matches, key=_rank_match)

    def _fold_series(self, beginnings: Sequence[int]) -> Iterator[tuple[int, bool]]:
        """Yield the entries of some beginnings, and True where the beginning is not the entry's first word. Of those
        that go on alike from the word before it one is enough: "Astoria Pool: Lap Swim", "Faber Pool: Lap Swim"."""
        series = set()
        for at in beginnings:
            entry, offset = self._single_entries[at], self._single_offsets[at]
            if offset:
                start, end = self._text_ends[entry], self._text_ends[entry + 1]
                before = bytes(self._texts[start : start + offset]).split()[-1]
                following = tuple(bytes(self._texts[start + offset : end]).split()[:_SERIES_WORDS])
                if (before, following) in series:
                    continue
                series.add((before, following))
            yield entry, bool(offset)

    def _find_categories(self, text: str, counts: Counts) -> Iterator[EntryMatch]:
        for number, words in enumerate(self._categories):
            if counts[number] and f" {text}" in f" {words}":
                is_behind = not words.startswith(text)
                yield EntryMatch(CATEGORY, number, words, int(counts[number]), is_behind)

    def _span(self, text: bytes) -> tuple[int, int]:
        """Return the first beginning that has the text, and the one behind the last."""
        beginnings = range(len(self._single_entries))
        low = bisect_left(beginnings, text, key=self._read_beginning)
        return low, bisect_left(beginnings, text + b"\xff", lo=low, key=self._read_beginning)

    def _read_beginning(self, at: int) -> bytes:
        entry = self._single_entries[at]
        start, end = self._text_ends[entry], self._text_ends[entry + 1]
        return bytes(self._texts[start + self._single_offsets[at] : end])

    def _read_text(self, entry: int) -> str:
        return bytes(self._texts[self._text_ends[entry] : self._text_ends[entry + 1]]).decode()

    def _read_numbers(self, entry: int) -> NDArray[np.integer]:
        numbers: NDArray[np.integer] = self._numbers[self._ends[entry] : self._ends[entry + 1]]
        return numbers

    def _read(self, entry: int, order: Order, *, is_behind: bool) -> EntryMatch:
        kind, numbers = int(self._kinds[entry]), self._read_numbers(entry)
        if kind in (NEIGHBORHOOD, ORGANIZATION):
            number = int(numbers[0])
        else:
            number = int(numbers[np.argmax(order.live.listings[numbers] > 0)])
        return EntryMatch(kind, number, self._read_text(entry), int(order.counts[entry]), is_behind)


def list_parts(counts: Mapping[str, int], *, typed: str, general: frozenset[str]) -> set[str]:
    """Return the queries to leave out, except for what was typed. Of two with as many listings one is left out if it is
    part of the other: the longer if it adds only `general` words ("pottery level"), else the part ("soccer flag" of
    "soccer flag football"). So are those that few of the listings of a query have with which they begin. `counts`: the
    number of listings, by query."""
    parts = set()
    for text, count in counts.items():
        words = text.split()
        for start, end in combinations(range(len(words) + 1), 2):
            part = " ".join(words[start:end])
            if part == text or part not in counts:
                continue
            if counts[part] == count:
                parts.add(text if start == 0 and general.issuperset(words[end:]) else part)
            if counts[part] > _LEAST_SHARE * count and start == 0:
                parts.add(text)
    return parts - {typed}


def _rank_match(match: EntryMatch) -> tuple[bool, int, int]:
    kind = CATEGORY if match.kind == QUERY else match.kind
    return match.is_behind, kind, -match.count


def _count_pairs(owners: Counts, values: Counts, *, size: int) -> Counts:
    """Count the different values of each owner. No value is negative."""
    most = int(values.max(initial=0)) + 1
    return np.bincount(np.unique(owners * most + values) // most, minlength=size)


def _take_firsts(entries: Counts, groups: Counts) -> Counts:
    """Return the first entry of each group, in their order."""
    return entries[np.sort(np.unique(groups[entries], return_index=True)[1])]


def _list_respaced(text: str) -> Iterator[str]:
    """Yield a text with one space less or more: "millrace" is Mill-Race too."""
    for at in range(_LEAST_PART, len(text)):
        if text[at] == " ":
            yield text[:at] + text[at + 1 :]
        elif " " not in text[at - _LEAST_PART : at]:
            yield f"{text[:at]} {text[at:]}"


def _correct(text: str, vocabulary: Sequence[str]) -> str | None:
    """Return a text with each word corrected to the word of `vocabulary` that it misspells; None if a word resembles
    none."""
    words = text.split()
    if len(words) > _MOST_CORRECTED:
        return None
    meant = [_correct_word(word, vocabulary, is_last=number == len(words) - 1) for number, word in enumerate(words)]
    return None if None in meant else " ".join(filter(None, meant))


def _correct_word(word: str, vocabulary: Sequence[str], *, is_last: bool) -> str | None:
    at = bisect_left(vocabulary, word)
    if at < len(vocabulary) and (vocabulary[at] == word or (is_last and vocabulary[at].startswith(word))):
        return word
    if len(word) < _LEAST_TYPED:
        return None
    best = process.extractOne(word, vocabulary, scorer=OSA.normalized_similarity, score_cutoff=_LEAST_SIMILARITY)
    return None if best is None else str(best[0])


def open_suggestions(reader: SnapshotReader) -> SuggestionIndex:
    return SuggestionIndex(reader)
