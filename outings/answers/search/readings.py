"""The filters that the words of a query state in `match=auto`, and the order in which they are given up."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import date
from functools import cache, partial

import numpy as np
from msgspec import Struct

from outings.answers.rows.evaluator import open_evaluator
from outings.answers.rows.filters import Selection, make_conditions
from outings.answers.search.index import SearchIndex
from outings.answers.search.query_places import find_at_place
from outings.answers.search.understanding.phrases import Phrase, find_season
from outings.answers.search.understanding.query import ParsedQuery
from outings.answers.search.understanding.words import QueryWords
from outings.answers.search.word_matches import IN_NAME, SAME, SAYS_WHERE, STANDINGS, Mask, Numbers
from outings.answers.snapshot.reader import SnapshotReader
from outings.contract.routes import LISTS
from outings.contract.text import split_words
from outings.contract.values import Value
from outings.contract.vocabulary import COLLECTIONS, TYPES

# Parameters from the one that is given up first.
ORDER = (
    "start_after", "start_before", "weekday", "meets", "from", "to", "starts_from", "starts_to", "season", "openings",
    "open_at", "neighborhood", "zip", "good_for_rainy", "indoor", "outdoor", "sensory", "types", "type_hint",
    "max_price", "free",
)  # fmt: skip
# Parameters of filters that a first screen with few results gives up. No other date, time or opening hour is an answer.
SOFT = frozenset(
    {
        "season", "good_for_rainy", "indoor", "outdoor", "sensory", "types", "type_hint", "neighborhood", "zip",
        "openings", "max_price", "free",
    }
)  # fmt: skip
# Types of which alone a filter says something: no class is "open now", no event "starts" a term.
_ONLY = {"open_at": ("place",), "sensory": ("event", "class", "place"), "starts_from": ("class", "camp")}
# Parameters that stand or fall together.
_WINDOW = frozenset({"from", "to", "meets", "starts_from", "starts_to"})
WHEN = _WINDOW | {"weekday", "start_after", "start_before"}
_DATED = ("event", "class", "camp")
# What a listing may not state where such a filter is given up: that it is full, or a price at all.
_PRICED: Sequence[Mapping[str, Value]] = ({"free": True}, {"free": False}, {"max_price": 1_000_000})
_EXCLUDED = {"openings": ({"openings": False},), "max_price": _PRICED, "free": _PRICED}
_BOUNDS: Mapping[str, Callable[..., Value]] = {"start_after": min, "start_before": max}


class Reading(Struct, frozen=True, kw_only=True, eq=False):
    """A filter that a query states. `text`: as written; `values`: the parameters that say about the same; `find_rows`:
    returns the listings that pass, if the parameters would not do; `overridden_by`: a parameter of the request that
    counts in its place; `weaker`: what filters where this one is given up."""

    text: str
    values: Mapping[str, Value]
    find_rows: Callable[[], Numbers] | None = None
    overridden_by: str | None = None
    weaker: tuple["Reading", ...] = ()

    def list_rows(self) -> Numbers:
        """Return the listings that pass; none if parameters say which do."""
        return np.empty(0, dtype=np.int64) if self.find_rows is None else self.find_rows()

    def mark_passing(self, types: Numbers) -> Mask:
        """Mark the listings that pass, as far as no parameter says so. `types`: the type of each listing."""
        if self.find_rows is not None:
            marks: Mask = np.zeros(types.size, dtype=np.bool_)
            marks[self.find_rows()] = True
            return marks
        meant = next((_ONLY[name] for name in self.values if name in _ONLY), TYPES)
        return np.isin(types, list(map(TYPES.index, meant)))

    @property
    def strength(self) -> int:
        return max(map(ORDER.index, self.values))


class Places(Struct, frozen=True, kw_only=True):
    """The snapshot and the request for which readings are resolved. `given`: the request's own parameters; `words`: of
    the query's language."""

    opened: SnapshotReader
    index: SearchIndex
    words: QueryWords
    today: date
    given: Mapping[str, Value]


def list_readings(parsed: ParsedQuery, places: Places) -> Iterator[Reading]:
    """Yield the filters of a query in the order of its words; those of places are last."""
    vocabulary, starting = places.opened.vocabulary, any(phrase.words.starts for phrase, _ in parsed.phrases)
    for phrase, text in parsed.phrases:
        values = places.words.filters.list_values(phrase, today=places.today, vocabulary=vocabulary)
        if starting and "from" in values:
            values |= {"starts_from": values["from"], "starts_to": values["to"]}
        if values:
            yield _make_reading(text, values, places, find_rows=_find_rows(phrase, values, places))
    for name in parsed.locations:
        is_zip = len(name) == 1 and name[0].isdigit()
        values = {"zip": name} if is_zip else {"neighborhood": " ".join(name)}
        yield _make_reading(" ".join(name), values, places, find_rows=partial(_find_place, name, places))


def _make_reading(
    text: str, values: Mapping[str, Value], places: Places, *, find_rows: Callable[[], Numbers] | None
) -> Reading:
    """Make a filter without what a parameter of the request says otherwise."""
    others = {name for name in values if name in places.given}
    overridden = others.union(_WINDOW) if others & _WINDOW else others
    kept = {name: value for name, value in values.items() if name not in overridden}
    excluded = next((_EXCLUDED[name] for name in kept if name in _EXCLUDED), None)
    silent = None if excluded is None else cache(partial(_find_silent, excluded, places))
    return Reading(
        text=text,
        values=kept or values,
        find_rows=None if find_rows is None else cache(find_rows),
        overridden_by=None if kept else next(name for name in values if name in others),
        weaker=() if silent is None else (Reading(text=text, values={}, find_rows=silent),),
    )


def _find_rows(phrase: Phrase, values: Mapping[str, Value], places: Places) -> Callable[[], Numbers] | None:
    for name, find in (("types", _find_types), ("type_hint", _find_kinds), ("season", _find_season)):
        if name in values:
            return partial(find, phrase, values, places)
    return partial(_find_named, phrase, values, places) if phrase.words.is_name else None


def _find_named(phrase: Phrase, values: Mapping[str, Value], places: Places) -> Numbers:
    """Return what the parameters keep, and the listings whose names have the phrase: "After School Art"."""
    finder = places.index.finder
    codes = finder.encode(finder.find_phrase(split_words(phrase.text), SAME, is_loose=True))
    kept = [_select(name, values, places) for name in TYPES if name != "place"]
    return np.unique(np.concatenate([np.flatnonzero(IN_NAME.take(codes) > 0), *kept]))


def _find_place(name: Sequence[str], places: Places) -> Numbers:
    """Return the listings in a place, or that name it."""
    finder = places.index.finder
    naming = np.flatnonzero(STANDINGS.take(finder.encode([finder.find_name(name)])) >= SAYS_WHERE)
    return np.union1d(find_at_place(name, places.opened, places.index), naming)


def _find_types(phrase: Phrase, values: Mapping[str, Value], places: Places) -> Numbers:
    """Return the listings of a type, and those whose name says that they are."""
    types = [TYPES.index(name) for name, collection in COLLECTIONS.items() if (collection,) == values["types"]]
    return np.flatnonzero(np.isin(places.index.types, types) | _mark_named(phrase, places))


def _find_kinds(phrase: Phrase, values: Mapping[str, Value], places: Places) -> Numbers:
    """Return the places of a kind, and those that state none and of which the head of the name says that they are."""
    stated = _select("place", {"type_hint": values["type_hint"]}, places)
    words = places.index.finder.spelling.list_stemmed(split_words(phrase.text)[-1])
    kinds = _select("place", {"type_hint": places.opened.vocabulary.type_hints}, places)
    return np.union1d(stated, np.setdiff1d(places.index.namesakes.find_headed(words), kinds))


def _find_season(_: Phrase, values: Mapping[str, Value], places: Places) -> Numbers:
    """Return the listings that state a season, those that state none and have a date in it, and all places."""
    (season,) = _list(values["season"])
    first, last = find_season(season, places.today, is_south=places.opened.metro.center.lat < 0)
    parts = [np.flatnonzero(places.index.types == TYPES.index("place"))]
    for name in _DATED:
        stated = _select(name, {"season": places.opened.vocabulary.seasons}, places)
        when = {"from": first, "to": last, **({} if name == "event" else {"meets": "true"})}
        dated = _select(name, when, places)
        parts += [_select(name, {"season": (season,)}, places), np.setdiff1d(dated, stated)]
    return np.unique(np.concatenate(parts))


def _find_silent(excluded: Sequence[Mapping[str, Value]], places: Places) -> Numbers:
    """Return the listings that state none of these values."""
    types = [name for name in _DATED if excluded[0].keys() <= LISTS[name].parameters.keys()]
    stating = [_select(name, values, places) for name in types for values in excluded]
    return np.setdiff1d(np.arange(places.index.types.size), np.concatenate(stating))


def _select(listing_type: str, values: Mapping[str, object], places: Places) -> Numbers:
    conditions = make_conditions(listing_type, values, places.opened.vocabulary)
    selection = Selection(type=listing_type, conditions=conditions, start=places.today, folds_programs=False)
    return open_evaluator(places.opened).keep_rows(selection, np.arange(places.index.types.size))


def _mark_named(phrase: Phrase, places: Places) -> Numbers:
    """Mark the listings whose names have the last word of a phrase, in any form."""
    word = split_words(phrase.text)[-1]
    codes = places.index.find_name_codes(word, frozenset(), None, None)
    marked: Numbers = IN_NAME.take(codes) > 0
    return marked


def combine_values(readings: Sequence[Reading], *, with_named: bool = False) -> dict[str, Value]:
    """Return the parameters of all readings that parameters state: any of the weekdays, and the longest part of the
    day; of other parameters the first. `with_named`: also the days and hours of readings that a name may meet, too."""
    combined: dict[str, Value] = {}
    for reading in readings:
        for name, value in reading.values.items():
            if reading.find_rows is not None and not (with_named and name in WHEN):
                continue
            if name in _BOUNDS and name in combined:
                combined[name] = _BOUNDS[name](combined[name], value)
            elif name == "weekday" and name in combined:
                combined[name] = tuple(sorted({*_list(combined[name]), *_list(value)}))
            else:
                combined.setdefault(name, value)
    return combined


def _list(value: Value) -> tuple[str, ...]:
    assert isinstance(value, tuple)
    return value


def list_attempts(readings: Sequence[Reading], *, giving_up: Collection[str] = ORDER) -> Iterator[tuple[Reading, ...]]:
    """Yield the readings without one, the weakest first, then without more and more of the weakest. `giving_up`: the
    parameters of the readings that may be given up."""
    weak = [reading for reading in reversed(readings) if reading.values and reading.values.keys() <= set(giving_up)]
    weak.sort(key=lambda reading: reading.strength)
    for lost in (*([reading] for reading in weak), *(weak[:count] for count in range(2, len(weak) + 1))):
        yield tuple(left for reading in readings for left in (reading.weaker if reading in lost else (reading,)))
