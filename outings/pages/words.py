"""Every word of the pages, by page and name, in one file a language, so that a city can translate them."""

import tomllib
from collections.abc import Iterator, Mapping
from datetime import date
from functools import cache

from outings.pages.folders import find_words


class Words:
    """The words of one page. A template reads them by name: `words.title`. A name that there is not is an error."""

    __slots__ = ("_texts",)

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def __getitem__(self, name: str) -> str:
        return self._texts[name]

    def get(self, name: str) -> str | None:
        """None where there is no such word: a name that comes from outside."""
        return self._texts.get(name)

    def list_prefixed(self, prefix: str) -> Mapping[str, str]:
        """For a script: those whose name begins so, without that beginning."""
        return {name[len(prefix) :]: text for name, text in self._texts.items() if name.startswith(prefix)}


@cache
def read_language(language: str) -> Mapping[str, Mapping[str, str]]:
    """The program's own words, by page and name."""
    return tomllib.loads((find_words() / f"{language}.toml").read_text(encoding="utf-8"))


def lay_words(language: str, own: Mapping[str, Mapping[str, str]]) -> Mapping[str, Words]:
    """The words of each page, with the operator's in place of the program's."""
    return {page: Words({**texts, **own.get(page, {})}) for page, texts in read_language(language).items()}


def list_unknown(own: Mapping[str, object]) -> Iterator[str]:
    """What an operator's words have that no page shows, or that is no text."""
    known = read_language("en")
    for page, texts in own.items():
        if page not in known or not isinstance(texts, Mapping):
            yield page
        else:
            yield from (f"{page}.{name}" for name, text in texts.items() if not _is_word(known[page], name, text))


def _is_word(known: Mapping[str, str], name: str, text: object) -> bool:
    return name in known and isinstance(text, str)


def format_number(number: int, words: Words) -> str:
    """With the language's mark between thousands: `12,345`."""
    return f"{number:,}".replace(",", words["thousands"])


def format_date(day: date, words: Words) -> str:
    """As the language writes it: `22 November 2026`."""
    month = words["months"].split()[day.month - 1]
    return words["date"].format(day=day.day, month=month, year=day.year)
