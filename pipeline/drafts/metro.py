"""Draft the metro of feeds from their columns: center, bounds, language, city."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from outings.configuration import list_american
from outings.contract.languages.language import ENGLISH
from outings.contract.languages.word_lists import expand
from outings.contract.text import split_words
from outings.texts.tokens import LANGUAGES
from outings.texts.tokens import read_words as read_texts
from pipeline.drafts.columns import Column, list_spellings, rank_name, tidy
from pipeline.drafts.roles import fits, read_number
from pipeline.drafts.time_notation import TimeNotation
from pipeline.words import read_words

# Degrees round the outermost places, and round a center that is all that is known.
_MARGIN = 0.05
_AROUND = 0.25
# Of its places so many are left out at each side: a slip in one of them must not stretch the city.
_OUTLYING = 0.02
# Texts of a column that say what language they are in.
_READ = 200
_MARKUP = re.compile(r"<[^>]*>|\S+://\S+")
# What a column's name counts beside a word of the texts.
_NAME = 3
# So many words tell a language, if another has clearly fewer.
_LEAST_TELLING, _CLEARLY = 3, 1.3
_SHOWN_WORDS = 6

Point = tuple[float, float]


class MetroDraft(Struct, frozen=True, kw_only=True):
    """A drafted metro. `spoken`: the language of its feeds' texts, with its `evidence`; `language`: the one used to
    read them."""

    slug: str
    name: str
    timezone: str
    language: str = ENGLISH
    spoken: str = ENGLISH
    evidence: str = ""
    center: Point
    bounds: tuple[float, float, float, float]

    @property
    def about_language(self) -> str:
        """Return a sentence about the language of the texts, how it was found, and what is not read in it."""
        found = f"by {self.evidence}" if self.evidence else "its words tell no other; --language says another"
        if self.spoken == self.language:
            return f'The language of the texts is "{self.spoken}" ({found}).'
        columns = "" if self.spoken in LANGUAGES else "names of columns and months, and "
        return (
            f'The language of the texts is "{self.spoken}" ({found}): dates and numbers are read as they are written '
            f"there; {columns}searches, audiences and ages within texts by English words. "
            "docs/configuration.md says how to add a language."
        )

    @property
    def is_american(self) -> bool:
        return self.timezone in list_american()


def make_slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", tidy(name)).strip("-")


def find_points(columns: Sequence[Column]) -> list[Point]:
    """Return the coordinates in the rows of one file, without those that are missing or 0."""
    lat, lng = (_find_axis(columns, role) for role in ("lat", "lng"))
    if lat is None or lng is None:
        return []
    pairs = zip(map(read_number, lat.values), map(read_number, lng.values), strict=True)
    return [(north, east) for north, east in pairs if north and east]


def _find_axis(columns: Sequence[Column], role: str) -> Column | None:
    named = [(rank, column) for column in columns if (rank := rank_name(role, column.path)) is not None]
    right = [(rank, column) for rank, column in named if column.filled and fits(role, column, TimeNotation())]
    return min(right, key=lambda pair: pair[0], default=(None, None))[1]


def find_center(points: Sequence[Point]) -> Point | None:
    """Return the median of each coordinate, or None without points."""
    if not points:
        return None
    lat, lng = np.sort(points, axis=0)[len(points) // 2]
    return round(float(lat), 4), round(float(lng), 4)


def find_bounds(points: Sequence[Point], center: Point) -> tuple[float, float, float, float]:
    """Return south, west, north and east of a box around nearly all points and the center."""
    near = [point for point in points if abs(point[0] - center[0]) < 2 and abs(point[1] - center[1]) < 2]
    least = most = np.array(center)
    margin = _AROUND
    if len(near) >= 3:
        ordered, margin = np.sort([*near, center], axis=0), _MARGIN
        left_out = int(len(ordered) * _OUTLYING)
        least = np.minimum(ordered[left_out], center)
        most = np.maximum(ordered[-1 - left_out], center)
    south, west, north, east = (round(float(edge), 2) for edge in (*(least - margin), *(most + margin)))
    return south, west, north, east


class Spoken(NamedTuple):
    """The language of texts. `evidence`: its words that occur most often; "" if too few words tell a language."""

    code: str
    evidence: str = ""


def find_language(files: Iterable[Sequence[Column]], texts: Iterable[str] = ()) -> Spoken:
    """Return the language whose words and column names the files have most of; English if these tell none."""
    columns = [column for file in files for column in file]
    shown = [value for column in columns for value in column.distinct[:_READ] if " " in value]
    words = Counter(word for text in (*shown, *texts) for word in split_words(_MARKUP.sub(" ", text)) if len(word) > 1)
    names = Counter(name.replace(" ", "") for column in columns for name in list_spellings(column.path)[:1])
    found = {code: dict[str, float]() for code in LANGUAGES}
    for words_of, telling, worth in ((words, _list_telling(), 1), (names, _list_names(), _NAME)):
        for word, count in words_of.items():
            for code in telling.get(word, ()):
                # English names of columns stand in files of every language.
                if words_of is words or ENGLISH not in telling[word]:
                    found[code][word] = found[code].get(word, 0) + worth * count / len(telling[word])
    ranked = sorted(LANGUAGES, key=lambda code: -sum(found[code].values()))
    most, second = (sum(found[code].values()) for code in ranked[:2])
    if most < _LEAST_TELLING or most < _CLEARLY * second:
        return Spoken(ENGLISH)
    counts = found[ranked[0]]
    return Spoken(ranked[0], ", ".join(sorted(counts, key=lambda word: -counts[word])[:_SHOWN_WORDS]))


@cache
def _list_telling() -> Mapping[str, Collection[str]]:
    """Return the languages of each word that tells one: small words, months, weekdays."""
    telling: dict[str, set[str]] = {}
    for code in LANGUAGES:
        texts = read_texts(code)
        dated = [word for names in (*texts["months"], *texts["weekdays"]) for word in expand(names) if len(word) > 3]
        for word in (*read_words(code)["words"]["fillers"].split(), *dated):
            telling.setdefault(" ".join(split_words(word)), set()).add(code)
    return telling


@cache
def _list_names() -> Mapping[str, Collection[str]]:
    names: dict[str, set[str]] = {}
    for code in LANGUAGES:
        for name in (name for own in read_words(code)["names"].values() for name in own):
            names.setdefault(name.replace(" ", ""), set()).add(code)
    return names


def find_city(files: Iterable[Sequence[Column]]) -> str | None:
    """Return the city that most rows name, or None."""
    cities = [column for columns in files for column in columns if rank_name("city", column.path) is not None]
    named = [value for column in cities for value in column.filled]
    best = max(dict.fromkeys(named), key=named.count, default=None)
    return None if best is None else best.title() if best.isupper() else best
