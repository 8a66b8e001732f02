"""The input of pages: the settings of `[site]`, words by language, figures of metros and builds."""

import tomllib
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct

from outings.configuration.tables import SiteTable
from outings.contract.languages.language import read_labels
from outings.contract.resources.directories import Bounds
from outings.contract.resources.listings import Counts
from outings.contract.vocabulary import WEEKDAYS, Vocabulary
from outings.failures import WrongSetting
from outings.pages.assets import explain_no_assets, find_words
from outings.pages.basemap import read_basemap
from outings.release.site import Basemap, SiteSettings


class BuildRow(Struct, frozen=True, kw_only=True):
    """A build of this machine, successful or not. `outcome` is as in its report; `release` is what it published,
    `error` why it did not, `feed` the unreadable one. Times are the machine's own."""

    outcome: str
    started_at: datetime
    seconds: float
    metros: tuple[str, ...]
    release: str | None = None
    error: str | None = None
    feed: str | None = None


class MetroFigures(Struct, frozen=True, kw_only=True):
    """A metro as the home page and the explorer have it: what its lists hold, and the local date of its last change."""

    slug: str
    name: str
    timezone: str
    bounds: Bounds
    counts: Counts
    changed_on: date

    @property
    def total(self) -> int:
        return self.counts.events + self.counts.classes + self.counts.camps + self.counts.places


class Words:
    """The words of one page. A template reads them by name: `words.title`. An unknown name is an error."""

    __slots__ = ("_texts",)

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def __getitem__(self, name: str) -> str:
        return self._texts[name]

    def get(self, name: str) -> str | None:
        """Return the word, or None if there is none. For names that come from outside."""
        return self._texts.get(name)

    def replace(self, texts: Mapping[str, str]) -> "Words":
        """Return these words with some in place of others."""
        return Words({**self._texts, **texts})

    def list_prefixed(self, prefix: str) -> Mapping[str, str]:
        """Return the texts whose name has this prefix, for a script, by the rest of their names."""
        return {name[len(prefix) :]: text for name, text in self._texts.items() if name.startswith(prefix)}


@cache
def read_language(language: str) -> Mapping[str, Mapping[str, str]]:
    """Return the program's own words, by page and name."""
    words = tomllib.loads((find_words() / f"{language}.toml").read_text(encoding="utf-8"))
    labels, vocabulary = read_labels(language), Vocabulary()
    shown = (*vocabulary.categories, *vocabulary.type_hints, *WEEKDAYS)
    words["explorer"] |= {f"script_word_{word}": labels[word] for word in shown}
    return words


def lay_words(language: str, own: Mapping[str, Mapping[str, str]]) -> Mapping[str, Words]:
    """Return the words of each page, with the operator's in place of the program's."""
    return {page: Words({**texts, **own.get(page, {})}) for page, texts in read_language(language).items()}


def list_unknown(own: Mapping[str, object]) -> Iterator[str]:
    """Yield the names of an operator's own words that no page uses or that are no text."""
    english = read_language("en")
    for page, texts in own.items():
        if page not in english or not isinstance(texts, Mapping):
            yield page
        else:
            for name, text in texts.items():
                if name not in english[page] or not isinstance(text, str):
                    yield f"{page}.{name}"


def format_number(number: int, words: Words) -> str:
    """Format a number with the language's mark between thousands: `12,345`."""
    return f"{number:,}".replace(",", words["thousands"])


def format_date(day: date, words: Words) -> str:
    """Format a date as the language writes it: `22 November 2026`. A date of the year that `words` name has none."""
    month = words["months"].split()[day.month - 1]
    form = "date_of_year" if words.get("year") == str(day.year) else "date"
    return words[form].format(day=day.day, month=month, year=day.year)


class SiteSettingsError(WrongSetting):
    """A file of words or of the base map that can't be read or has another format, or an extra that is missing."""


def make_settings(table: SiteTable | None) -> SiteSettings | None:
    """Return the settings of the pages, or None where a release has no pages: they are turned off, or their styles and
    scripts were not built. Without the table there are only the pages that show no listing. Raises
    SiteSettingsError."""
    if (table is not None and not table.enabled) or explain_no_assets() is not None:
        return None
    if table is None:
        return SiteSettings()
    if table.pictures and find_spec("PIL") is None:
        raise SiteSettingsError(
            "[site] pictures: this needs the extra `pictures`, which is not installed: install the program with it, as "
            "in `pip install '.[pictures]'`, or remove the setting"
        )
    return SiteSettings(
        name=table.name,
        url=table.url,
        key=table.key,
        language=(*table.languages, table.language)[0],
        languages=tuple(dict.fromkeys(table.languages)),
        words={} if table.words is None else _read_words(table.words),
        accent=table.colors.accent,
        shows_data=True,
        basemap=None if table.basemap is None else _read_basemap(table.basemap),
        pictures=tuple(sorted(set(table.pictures))),
    )


def _read_basemap(path: Path) -> Basemap:
    try:
        return read_basemap(path)
    except (OSError, ValueError) as error:
        raise SiteSettingsError(f"[site] basemap: {path} is no map that pages can draw: {error}") from error


def _read_words(path: Path) -> dict[str, dict[str, str]]:
    try:
        words = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SiteSettingsError(f"[site] words: {path} can't be read as TOML: {error}") from error
    unknown = list(list_unknown(words))
    if unknown:
        raise SiteSettingsError(
            f"[site] words: {path} has {', '.join(unknown)}, which no page shows as text; the tables and names that "
            "exist are in site/words/en.toml of the program"
        )
    return words
