"""What columns are called, and what words of cities mean: `words.toml`."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from pipeline.fetch.table.mapping import fold


@cache
def read_words() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    tables: dict[str, Any] = tomllib.loads(files("pipeline.drafts").joinpath("words.toml").read_text("utf-8"))
    return {table: {name: tuple(words) for name, words in rows.items()} for table, rows in tables.items()}


def tidy(text: str) -> str:
    """Lower case, without accents, words parted by one blank."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text.replace("#", " number "))
    return " ".join(re.sub(r"[^a-z0-9&]+", " ", fold(spaced)).split())


def list_spellings(path: str) -> list[str]:
    """A column as its name may be looked up: its whole path, then its last steps."""
    steps = re.split(r"[.\[\]]+", path.strip("[]."))
    spelled = [tidy(" ".join(steps[first:])) for first in range(len(steps))]
    return list(dict.fromkeys(each for each in spelled if each))


def rank_name(role: str, path: str) -> tuple[int, int] | None:
    """How surely a column of this name is it: the less the surer, None is not at all. The whole path is surer than its
    last step, and the names are in their order."""
    for shortened, spelled in enumerate(list_spellings(path)):
        for place, pattern in enumerate(_compile_names(role)):
            if pattern.fullmatch(spelled):
                return shortened, place
    return None


@cache
def _compile_names(role: str) -> list[re.Pattern[str]]:
    return [re.compile(re.escape(name).replace(r"\*", r"\w+")) for name in read_words()["names"][role]]


def find_meanings(table: str, word: str) -> list[str]:
    """Our words that a city's one has a sign of, at the beginning of one of its words."""
    spelled = f" {tidy(word)}"
    return [ours for ours, signs in read_words()[table].items() if any(f" {sign}" in spelled for sign in signs)]


def is_free(word: str) -> bool:
    """Not where it is so for some alone: `Free for members`, `Free with admission`."""
    text, words = tidy(word), read_words()["words"]
    rests = [text[len(each) :].split() for each in words["free"] if each != "0" and f"{text} ".startswith(f"{each} ")]
    return any(rest[:1] == [] or rest[0] not in words["conditions"] for rest in rests)


def count_known(names: Iterable[str]) -> int:
    """How many of these are names of columns that we know."""
    return sum(any(rank_name(role, name) is not None for role in read_words()["names"]) for name in names)
