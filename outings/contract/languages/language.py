"""Read the words of a language from a folder of files, related words, and translations between languages."""

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec
from msgspec import Struct

from outings.contract.languages.word_lists import DAY_PARTS, AudienceWords, SearchWords, StreetWords, expand
from outings.contract.text import split_words

# Phrases of about the same meaning. A phrase is its folded words with single spaces: "tai chi".
Group = tuple[str, ...]

MOST_GROUPS = 1_000
MOST_PHRASES = 20
MOST_WORDS = 4
MOST_LETTERS = 60

_ALLOWED = (
    f"one group a line, of 2 to {MOST_PHRASES} different phrases of at most {MOST_WORDS} words, with commas between"
)


class RelatedError(Exception):
    """An error: all problems of a file of related words, in order. Each names its line, unless it is of the file."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = tuple(problems)


def parse_related(data: bytes) -> tuple[Group, ...]:
    """Parse UTF-8 with one group on each line, separated by commas. Empty lines and lines that begin with "#" are
    ignored. Raises RelatedError.

    >>> parse_related(b"kids, Children")
    (('kids', 'children'),)
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RelatedError([f"is not UTF-8 (byte {error.start}); allowed: {_ALLOWED}"]) from None
    groups: list[Group] = []
    problems: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            groups.append(tuple(" ".join(split_words(part)) for part in line.split(",")))
            problems += [f"line {number}: {fault}; allowed: {_ALLOWED}" for fault in _list_wrong(groups[-1], line)]
    if len(groups) > MOST_GROUPS:
        problems.append(f"has {len(groups)} groups; allowed: at most {MOST_GROUPS}")
    if problems:
        raise RelatedError(problems)
    return tuple(groups)


def join_groups(*files: Sequence[Group]) -> tuple[Group, ...]:
    """Join files of groups into one tuple without repeated groups. Groups that share a phrase are not merged."""
    return tuple(dict.fromkeys(group for groups in files for group in groups))


def _list_wrong(phrases: Sequence[str], line: str) -> Iterator[str]:
    if len(phrases) == 1:
        yield f'"{_cut(line.strip())}" has no other phrase in its group'
    if len(phrases) > MOST_PHRASES:
        yield f"has {len(phrases)} phrases"
    for part, phrase in zip(line.split(","), phrases, strict=True):
        if not phrase:
            yield f'"{_cut(part.strip())}" has no word'
        elif len(phrase.split()) > MOST_WORDS or len(phrase) > MOST_LETTERS:
            yield f'"{_cut(phrase)}" is too long'
    for phrase in dict.fromkeys(phrase for phrase in phrases if phrase and phrases.count(phrase) > 1):
        yield f'"{_cut(phrase)}" is in it twice'


def _cut(text: str) -> str:
    return text if len(text) <= MOST_LETTERS else text[:MOST_LETTERS] + "…"


ENGLISH = "en"
SHIPPED = (ENGLISH, "es")
# The regular expression in place of an empty one. It matches nothing.
NO_MATCH = r"(?!)"
_SHARED_TEXTS = frozenset({"to", "and", "or", "between", "from", "up_to", "up", "beside", "midnight", "am", "pm"})
# What each reader of texts needs beside its tables.
_NEEDED_TEXTS = frozenset({
    "ages", "amounts", "hours", "shared", "days", "weekdays", "months", "numbers", "weekday_signs",
    "weekdays_together", "named", "schools", "ordinals", "ordinal_ends", "currency", "years", "people", "under", "over",
})  # fmt: skip
FILES = ("texts.toml", "search.toml", "audience.toml", "streets.toml", "categories.toml", "related.csv")


class Language(Struct, frozen=True, kw_only=True):
    """The words of a language. A part that is None or empty is missing: search does without it, and reports say so."""

    code: str
    texts: dict[str, Any] = {}
    search: SearchWords | None = None
    audience: AudienceWords | None = None
    streets: StreetWords | None = None
    categories: dict[str, str] = {}
    related: tuple[Group, ...] = ()


class LanguageError(Exception):
    """An error in one of the files of a language."""

    def __init__(self, file: str, message: str) -> None:
        super().__init__(f"{file}: {message}")


def parse_language(code: str, contents: Mapping[str, bytes], *, are_patterns_known: bool = False) -> Language:
    """Parse the files of a language. `contents`: the bytes of each file by its name, one of FILES; any may be missing.
    `are_patterns_known`: do not check regular expressions by compiling them. Raises LanguageError."""
    present = [name for name in FILES if name in contents]
    tables = {name: _parse_file(name, contents[name], are_patterns_known=are_patterns_known) for name in present}
    texts, search = tables.get("texts.toml") or _read_shipped_texts(code), tables.get("search.toml")
    return Language(
        code=code,
        texts=texts,
        search=_name_days(search, texts) if search is not None and texts else search,
        audience=tables.get("audience.toml"),
        streets=tables.get("streets.toml"),
        categories=tables.get("categories.toml", {}),
        related=tables.get("related.csv", ()),
    )


def _name_days(search: SearchWords, texts: Mapping[str, Any]) -> SearchWords:
    """Return the words for searches with the months and weekdays of `texts`: in its calendar, among its words for
    times, and as the parts `<months>` and `<days>` of its phrases."""
    calendar = search.calendar
    without, beside = calendar.without.split(), calendar.beside.split()
    named = {
        table: [[name for name in expand(names) if name not in without] for names in texts[table]]
        for table in ("months", "weekdays")
    }
    patterns = {
        table: getattr(calendar, table) or " ".join("|".join(names).replace(" ", "[ -]") for names in lists)
        for table, lists in named.items()
    }
    times = (name for lists in named.values() for names in lists for name in names if " " not in name)
    parts = {part: f"(?:{'|'.join(patterns[table].split())})" for part, table in DAY_PARTS.items()}
    return msgspec.structs.replace(
        search,
        calendar=msgspec.structs.replace(calendar, **patterns),
        words=msgspec.structs.replace(
            search.words, times=" ".join([search.words.times, *(name for name in times if name not in beside)])
        ),
        phrases=msgspec.structs.replace(search.phrases, parts=parts | search.phrases.parts),
    )


_KINDS: Mapping[str, object] = {
    "texts.toml": dict[str, Any], "search.toml": SearchWords, "audience.toml": AudienceWords,
    "streets.toml": StreetWords, "categories.toml": dict[str, str],
}  # fmt: skip


def _parse_file(name: str, data: bytes, *, are_patterns_known: bool) -> Any:
    try:
        if name == "related.csv":
            return parse_related(data)
        given = tomllib.loads(data.decode())
        table = msgspec.convert(given, _KINDS[name])
        _refuse_unknown(given, msgspec.to_builtins(table))
        is_checked = isinstance(table, SearchWords | StreetWords) and not are_patterns_known
        for pattern in table.list_patterns() if is_checked else ():
            _check_pattern(pattern)
        if isinstance(table, SearchWords):
            table.check()
        if name == "texts.toml" and not are_patterns_known:
            _check_texts(given, _read_shipped_texts(ENGLISH))
    except (UnicodeDecodeError, RelatedError, tomllib.TOMLDecodeError, msgspec.ValidationError, ValueError) as error:
        raise LanguageError(name, str(error)) from error
    return table


def _refuse_unknown(given: Any, known: Any, path: str = "$") -> None:
    """Raise ValueError for a name in a parsed file, `given`, that its decoded form, `known`, lacks. Structs that forbid
    unknown names could not be read from manifests of later programs."""
    if isinstance(given, dict) and isinstance(known, dict):
        for name, value in given.items():
            if name not in known:
                raise ValueError(f"Object contains unknown field `{name}` - at `{path}`")
            _refuse_unknown(value, known[name], f"{path}.{name}")
    elif isinstance(given, list) and isinstance(known, list | tuple):
        for number, (value, own) in enumerate(zip(given, known, strict=True)):
            _refuse_unknown(value, own, f"{path}[{number}]")


def _check_texts(given: Mapping[str, Any], english: Mapping[str, Any], path: str = "$") -> None:
    """Raise ValueError for a word list that the readers of texts do not know, or that lacks one they need."""
    for name, value in given.items():
        known = english.get(name, "" if path != "$" and name in _SHARED_TEXTS else None)
        if known is None:
            raise ValueError(f"Object contains unknown field `{name}` - at `{path}`")
        if type(value) is not type(known):
            raise ValueError(f"Expected `{type(known).__name__}` - at `{path}.{name}`")
        if isinstance(value, dict) and name != "weekdays_together":
            _check_texts(value, known, f"{path}.{name}")
    if missing := [name for name in english if name not in given and name in _NEEDED_TEXTS]:
        raise ValueError(f"Object missing required field `{missing[0]}` - at `{path}`")


def _check_pattern(pattern: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f'"{pattern}" is no regular expression: {error}') from error


@cache
def read_shipped_language(code: str) -> Language:
    """Read a language in SHIPPED. Its regular expressions are not checked, because a test does, and because that takes
    two thirds of the time."""
    return parse_language(code, read_shipped_files(code), are_patterns_known=True)


def _read_shipped_texts(code: str) -> dict[str, Any]:
    file = files(__package__).joinpath(code, "texts.toml")
    return tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}


@cache
def read_labels(code: str) -> Mapping[str, str]:
    """Return what people call the words of vocabularies, by word. `code`: one of SHIPPED."""
    return tomllib.loads(files(__package__).joinpath(code, "labels.toml").read_text("utf-8"))


def name_value(value: str, code: str) -> str:
    """Return the label of a vocabulary's word, or the word itself without underscores if it has none."""
    return read_labels(code).get(value) or value.replace("_", " ").capitalize()


def read_shipped_files(code: str) -> dict[str, bytes]:
    folder = files(__package__).joinpath(code)
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.name in FILES}


def find_stems(language: Language) -> str:
    """Return the name of the stemmer, or "" if the language has none."""
    return language.search.stems if language.search is not None else ""


def list_uncovered(language: Language, categories: Collection[str]) -> Iterator[str]:
    """Yield a line for each part of search that lacks words in this language. `categories`: the deployment's slugs."""
    if not language.texts:
        yield "no words for ages (texts.toml): no age in a query, a name or a description is read"
    if language.search is None:
        yield "no words for searches (search.toml): every word of a query decides"
    elif not language.search.stems:
        yield "no stems (stems in search.toml): a search finds a word in the form that was typed"
    if language.audience is None:
        yield "no words for audiences (audience.toml): whom a listing is for is read from stated ages alone"
    if language.streets is None:
        yield "no words for streets (streets.toml): an address is found only as a listing writes it"
    if not language.related:
        yield "no related words (related.csv)"
    missing = [category for category in categories if category not in language.categories]
    if missing and language.code != ENGLISH:
        yield f"no words for categories (categories.toml): {', '.join(missing)} are searched by these names"


class Translation(Struct, frozen=True, kw_only=True):
    """Phrases to translate from the language `code` to a metro's language. `groups`: phrases with equal meaning in
    both; `phrases`: all of these in `code`; `known`: all of these in the metro's language."""

    code: str
    groups: tuple[Group, ...]
    phrases: frozenset[str]
    known: frozenset[str]


@cache
def list_translations(code: str) -> tuple[Translation, ...]:
    """Return translations to the language `code`, from each other language in which its metros are searched."""
    if code == ENGLISH:
        return tuple(_make_translation(other) for other in SHIPPED if other != ENGLISH)
    if code in SHIPPED:
        other = _make_translation(code)
        return (Translation(code=ENGLISH, groups=other.groups, phrases=other.known, known=other.phrases),)
    return ()


def _make_translation(code: str) -> Translation:
    """Make the translation from language `code` to English."""
    assert __package__ is not None
    groups = parse_related(files(__package__).joinpath(code, "english.csv").read_bytes())
    english = (phrase for _, *others in groups for phrase in others)
    return Translation(code=code, groups=groups, phrases=frozenset(own for own, *_ in groups), known=frozenset(english))
