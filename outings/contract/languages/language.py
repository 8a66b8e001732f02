"""A language as data: what its folder says, and what it leaves unsaid."""

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec
from msgspec import Struct

from outings.contract.languages.audience import AudienceWords
from outings.contract.languages.search import SearchWords
from outings.contract.languages.streets import StreetWords
from outings.contract.related import Group, RelatedError, parse_related

ENGLISH = "en"
SHIPPED = (ENGLISH, "es")
# What an expression that is left empty is read as: it is found nowhere.
NO_MATCH = r"(?!)"
FILES = ("search.toml", "audience.toml", "streets.toml", "categories.toml", "related.csv")


class Language(Struct, frozen=True, kw_only=True):
    """A part that is None or empty is not there: what it reads stays unread, and reports say so."""

    code: str
    search: SearchWords | None = None
    audience: AudienceWords | None = None
    streets: StreetWords | None = None
    categories: dict[str, str] = {}
    related: tuple[Group, ...] = ()


class LanguageError(Exception):
    """What is wrong in a file of a language."""

    def __init__(self, file: str, message: str) -> None:
        super().__init__(f"{file}: {message}")


def parse_language(code: str, contents: Mapping[str, bytes], *, are_patterns_known: bool = False) -> Language:
    """`contents`: by name, the files of FILES that are there. `are_patterns_known`: none of them has to be compiled to
    know that it can be. Raises LanguageError."""
    tables = {
        name: _parse_file(name, contents[name], are_patterns_known=are_patterns_known)
        for name in FILES
        if name in contents
    }
    return Language(
        code=code,
        search=tables.get("search.toml"),
        audience=tables.get("audience.toml"),
        streets=tables.get("streets.toml"),
        categories=tables.get("categories.toml", {}),
        related=tables.get("related.csv", ()),
    )


_KINDS: Mapping[str, object] = {
    "search.toml": SearchWords, "audience.toml": AudienceWords, "streets.toml": StreetWords,
    "categories.toml": dict[str, str],
}  # fmt: skip


def _parse_file(name: str, data: bytes, *, are_patterns_known: bool) -> Any:
    try:
        if name == "related.csv":
            return parse_related(data)
        table = msgspec.convert(tomllib.loads(data.decode()), _KINDS[name])
        if isinstance(table, SearchWords | AudienceWords | StreetWords) and not are_patterns_known:
            _check_patterns(table.list_patterns())
        if isinstance(table, SearchWords):
            table.check()
    except (UnicodeDecodeError, RelatedError, tomllib.TOMLDecodeError, msgspec.ValidationError, ValueError) as error:
        raise LanguageError(name, str(error)) from error
    return table


def _check_patterns(patterns: Iterable[str]) -> None:
    for pattern in patterns:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f'"{pattern}" is no regular expression: {error}') from error


@cache
def read_shipped_language(code: str) -> Language:
    """One of SHIPPED, whose patterns a test compiles: here that would be two thirds of the time."""
    return parse_language(code, read_shipped_files(code), are_patterns_known=True)


def read_shipped_files(code: str) -> dict[str, bytes]:
    folder = files(__package__).joinpath(code)
    return {each.name: each.read_bytes() for each in folder.iterdir() if each.name in FILES}


def find_stems(language: Language) -> str:
    """The name of the library's rules; empty: none."""
    return language.search.stems if language.search is not None else ""


def list_uncovered(language: Language, categories: Collection[str]) -> Iterator[str]:
    """What is not read in this language, a line each. `categories`: those that listings may have."""
    if language.search is None:
        yield "no words for searches (search.toml): every word of a query decides, and no age in it is a filter"
    elif not language.search.stems:
        yield "no stems (stems in search.toml): a search finds a word in the form that was typed"
    if language.audience is None:
        yield "no words for audiences (audience.toml): whom a listing is for is read from stated ages alone"
    if language.streets is None:
        yield "no words for streets (streets.toml): an address is found only as a listing writes it"
    if not language.related:
        yield "no related words (related.csv)"
    missing = [each for each in categories if each not in language.categories]
    if missing and language.code != ENGLISH:
        yield f"no words for categories (categories.toml): {', '.join(missing)} are searched by these names"
