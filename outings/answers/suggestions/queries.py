"""Makes queries of what somebody has typed, beyond those that names share: with a kind, an age, a place, or a related
word. Each is a text with how many live listings it is for."""

import re
from collections.abc import Callable, Sequence
from datetime import date

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.rows.evaluator import open_evaluator
from outings.answers.rows.filters import CollectionScope, query_collections
from outings.answers.search.index import LEAST_BEGINNING, SearchIndex
from outings.answers.search.postings import OPENING
from outings.answers.search.query_places import find_region
from outings.answers.search.understanding.ages import find_ages
from outings.answers.snapshot.reader import SnapshotReader
from outings.answers.suggestions.entries import CATEGORY, find_written
from outings.answers.suggestions.index import Counts, EntryMatch, Order, SuggestionIndex
from outings.contract.languages.language import Language
from outings.contract.languages.word_lists import SearchWords
from outings.contract.text import split_words
from outings.contract.vocabulary import TYPES

Mask = NDArray[np.bool_]
Ages = tuple[int, int | None]

_AGE = re.compile(r"(?P<words>.+?) (?P<age>[0-9]|1[0-7])(?: (?P<rest>\D*))?")
# Texts that have a word which is suggested, though no name has it.
_LEAST_SPOKEN = 3
# Of the radius of the earth, along each axis: 640 metres.
_NEAR = 1e-4
# Addresses that are read to find how a region's name is written.
_MOST_READ = 16


class _Location(Struct, frozen=True):
    address: str | None = None


class _Document(Struct, frozen=True):
    """The members of a listing that queries are made of."""

    name: str
    location: _Location = _Location()


_decode = msgspec.json.Decoder(_Document).decode


class QueryMaker(Struct, frozen=True, kw_only=True):
    """Makes the queries for one text. `text`: what was typed, folded; `mark_live`: marks by row, with 1, the listings
    that are live and for some ages, both ends inclusive."""

    text: str
    index: SuggestionIndex
    order: Order
    opened: SnapshotReader
    search: SearchIndex
    mark_live: Callable[[Ages], Counts]

    @property
    def _words(self) -> SearchWords:
        return self.opened.language.search or SearchWords()

    def list_aged(self) -> dict[str, int]:
        """Return queries for an age, if the text ends with its number: "art for 5"."""
        ages, typed = self._words.ages, _AGE.fullmatch(self.text)
        if not ages.suggested or typed is None:
            return {}
        named = ages.suggested.format(age=typed["age"])
        words = self._drop_joining(typed["words"])
        if not words or f" {typed['age']} {typed['rest'] or ''}" not in f" {' '.join(split_words(named))} ":
            return {}
        age = int(typed["age"])
        topics = self.index.find_topics(words, self.order, self.mark_live((age, age)))
        return {f"{self.write(topic)} {named}": topic.count for topic in topics}

    def list_named_ages(self) -> dict[str, int]:
        """Return queries for an age that the last word begins: "swim for tod" is "swim for toddlers"."""
        head, _, _ = self.text.rpartition(" ")
        counts = {}
        for word in list_age_words(self.text, self.opened.language):
            (span,) = find_ages(self.search.words.ages, word)
            rows = self._mark_subject(self._drop_joining(head)) & (self.mark_live((span.min, span.max)) > 0)
            counts[f"{head} {word}".strip()] = int(np.count_nonzero(rows))
        return _drop_empty(counts)

    def list_regions(self) -> dict[str, int]:
        """Return queries for what is in a region, such as a borough, whose name the text begins: "kids in Bronx"."""
        text, template = self.text, self._words.names.suggested
        if not template or len(text) < LEAST_BEGINNING:
            return {}
        first, is_whole, _ = text.partition(" ")
        counts = {}
        for word in [first] if is_whole else self.search.list_region_words(text):
            if (name := self._find_region_name(word)).lower().startswith(text):
                rows = find_region(tuple(split_words(name)), self.opened, self.search)
                counts[template.format(place=name)] = int(self.order.live.listings[rows].sum())
        return _drop_empty(counts)

    def _find_region_name(self, word: str) -> str:
        """Return the name of the region that begins with a word, as an address writes it; empty if there is none."""
        if not find_region((word,), self.opened, self.search).size:
            return ""
        rows = self.search.finder.find_addressed((word,))
        for row in rows[self.search.types[rows] == TYPES.index("place")][:_MOST_READ].tolist():
            address = _decode(self.opened.read_document(row)).location.address or ""
            written = address.rpartition(",")[2].strip()
            name = tuple(split_words(written))
            if name[:1] == (word,) and find_region(name, self.opened, self.search).size:
                return written
        return ""

    def pair_kinds(self) -> dict[str, int]:
        """Return a subject with each kind that the last word begins: "swimming les" is "swimming lessons", which names
        call "Learn to Swim"."""
        head, _, last = self.text.rpartition(" ")
        kinds = [kind for kind in self._words.words.suggested.split() if kind.startswith(last)]
        if not head or not kinds:
            return {}
        rows, words, counts = self._mark_subject(head), self.search.words, {}
        for kind in kinds:
            meant = words.find_type(kind)
            own_type = TYPES.index("class") if meant is None else meant
            having = self.search.find_name_codes(kind, words.list_alike(kind), None, own_type) > 0
            counts[f"{head} {kind}"] = int(np.count_nonzero(having & rows))
        return _drop_empty(counts)

    def pair_topics(self) -> dict[str, int]:
        """Return the words before the last with what that begins: queries, then words of categories, of listings except
        places. "preschool d" is "preschool dance"."""
        head, _, last = self.text.rpartition(" ")
        if not head:
            return {}
        rows = self._mark_subject(head) & (self.search.types != TYPES.index("place"))
        topics = self.index.find_topics(last, self.order, rows.astype(np.int64))
        others = [topic for topic in topics if set(head.split()).isdisjoint(topic.text.split())]
        counts = {f"{head} {self.write(topic)}": topic.count for topic in others}
        for bit, category in enumerate(self.opened.vocabulary.categories):
            begun = [word for word in category.split("_") if word.startswith(last) and word not in head.split()]
            having = rows & self.opened.listings.share_categories(1 << bit) if begun else rows
            counts |= {f"{head} {word}": int(np.count_nonzero(having)) for word in begun}
        return _drop_empty(counts)

    def list_related(self) -> dict[str, int]:
        """Return the phrases that the text begins, if listings have others of their groups: "splash pad" for a spray
        shower."""
        counts: dict[str, int] = {}
        for phrase, group in self.search.finder.related.list_groups(self.text):
            count = int(np.logical_or.reduce([self._mark_subject(other) for other in group]).sum())
            if count > np.count_nonzero(self._mark_subject(phrase)):
                counts[phrase] = max(count, counts.get(phrase, 0))
        return counts

    def list_spoken(self, shown: Sequence[EntryMatch]) -> dict[str, int]:
        """Return the word that the text begins and most texts have, if all names that begin so are of one
        place: "library" for `lib`, where no other does but Liberty Pool. `shown`: the entries for the text."""
        first = [entry for entry in shown if not entry.is_behind]
        if len(self.text) < LEAST_BEGINNING or not all(map(self._is_one_place, first)):
            return {}
        numbers, finder = self.search.list_begun(self.text), self.search.finder
        frequent = [number for number in numbers if finder.count_postings([number], run=range(0)) >= _LEAST_SPOKEN]
        counts = {}
        for word in finder.spelling.read_names(frequent):
            if not any(word in entry.text.split() for entry in shown):
                rows = finder.mark_subject(word, least=OPENING) & (self.order.live.listings > 0)
                counts[word] = int(np.count_nonzero(rows))
        best = max(counts, key=lambda word: counts[word], default="")
        return {best: counts[best]} if counts.get(best, 0) >= _LEAST_SPOKEN else {}

    def _is_one_place(self, entry: EntryMatch) -> bool:
        """Return True if all listings that an entry is a subject of are within a few hundred metres."""
        rows = np.flatnonzero(self._mark_subject(entry.text))
        return entry.kind != CATEGORY and all(np.ptp(axis[rows]) < _NEAR for axis in self.search.vectors if rows.size)

    def write(self, query: EntryMatch) -> str:
        """Return a query as the name of a listing has it, with its accents."""
        return find_written(query.text, _decode(self.opened.read_document(query.number)).name)

    def _mark_subject(self, words: str) -> Mask:
        """Mark the live rows that all of the words are a subject of."""
        rows: Mask = self.order.live.listings > 0
        for word in words.split():
            rows = rows & self.search.finder.mark_subject(word)
        return rows

    def _drop_joining(self, words: str) -> str:
        """Return words without those at their end that only join them with an age."""
        joining, kept = {*self._words.words.fillers.split(), *self._words.ages.before.split()}, words.split()
        while kept and kept[-1] in joining:
            kept.pop()
        return " ".join(kept)


def list_age_words(text: str, language: Language) -> list[str]:
    """Return the words for ages that the last word of a text begins: "toddlers"."""
    last = text.rpartition(" ")[2]
    if language.search is None or len(last) < LEAST_BEGINNING:
        return []
    return [word for word in language.search.ages.suggested_words.split() if word.startswith(last)]


def needs_ages(text: str, language: Language) -> bool:
    """Return True if the queries for a text need the ages of all listings."""
    return _AGE.fullmatch(text) is not None or bool(list_age_words(text, language))


def mark_live(opened: SnapshotReader, *, types: tuple[str, ...], today: date, ages: Ages | None = None) -> Counts:
    """Mark by row, with 1, the listings that the default lists show, of those that are for these ages."""
    evaluator, rows = open_evaluator(opened), np.arange(len(opened.listings))
    scope = CollectionScope(route="suggest", today=today, vocabulary=opened.vocabulary, ages=ages and (ages,))
    marked = np.zeros(rows.size, dtype=np.int64)
    for collection in query_collections((), types, scope)[0].values():
        marked[evaluator.keep_rows(collection.selection, rows)] = 1
    return marked


def _drop_empty(counts: dict[str, int]) -> dict[str, int]:
    return {text: count for text, count in counts.items() if count}
