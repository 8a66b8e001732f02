"""Draft the metro of feeds from their columns: center, bounds, language, city."""

import re
from collections.abc import Iterable, Sequence

import numpy as np
from msgspec import Struct

from outings.configuration import list_american
from outings.contract.languages.language import ENGLISH
from outings.contract.text import split_words
from outings.texts.tokens import LANGUAGES
from pipeline.drafts.columns import Column, rank_name, tidy
from pipeline.drafts.roles import fits, read_number
from pipeline.drafts.time_notation import TimeNotation
from pipeline.words import read_words

# Degrees round the outermost places, and round a center that is all that is known.
_MARGIN = 0.05
_AROUND = 0.25
# Of its places so many are left out at each side: a slip in one of them must not stretch the city.
_OUTLYING = 0.02
# Rows whose texts say what language they are in.
_READ = 200
# The least share of small words in a text of a language: Valladolid's agenda has 0.28, names of parks in Tucson 0.04.
_SPOKEN = 0.1

Point = tuple[float, float]


class MetroDraft(Struct, frozen=True, kw_only=True):
    """A drafted metro. `spoken`: the language of its feeds' texts; `language`: the one used to read them."""

    slug: str
    name: str
    timezone: str
    language: str = ENGLISH
    spoken: str = ENGLISH
    center: Point
    bounds: tuple[float, float, float, float]

    @property
    def missing_words(self) -> str:
        """Return a sentence about what is not read in the language of the texts; "" if all is."""
        if self.spoken == self.language:
            return ""
        columns = "" if self.spoken in LANGUAGES else "names of columns and months, and "
        return (
            f'The language of the texts is "{self.spoken}": dates and numbers are read as they are written there; '
            f"{columns}searches, audiences and ages within texts by English words. "
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


def find_language(files: Iterable[Sequence[Column]]) -> str:
    """Return the language with the most of its function words in the texts; English if they are few."""
    texts = [value for columns in files for column in columns for value in column.filled[:_READ] if " " in value]
    words = [word for text in texts for word in split_words(text)]
    fillers = {code: frozenset(read_words(code)["words"]["fillers"].split()) for code in LANGUAGES}
    counts = {code: sum(word in fillers[code] for word in words) for code in LANGUAGES}
    best = max(LANGUAGES, key=lambda code: counts[code])
    return best if counts[best] >= _SPOKEN * len(words) else ENGLISH


def find_city(files: Iterable[Sequence[Column]]) -> str | None:
    """Return the city that most rows name, or None."""
    cities = [column for columns in files for column in columns if rank_name("city", column.path) is not None]
    named = [value for column in cities for value in column.filled]
    best = max(dict.fromkeys(named), key=named.count, default=None)
    return None if best is None else best.title() if best.isupper() else best
