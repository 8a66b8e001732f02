"""The judged queries: read from their files, and what grade they give to a listing."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import urlencode

FOLDER = Path(__file__).parent
METROS = ("seattle", "new-york")
GRADES = ("3", "2", "1", "0")


@dataclass(frozen=True)
class JudgedQuery:
    """`begin` is the `from` that goes with the query; `patterns`: pattern → grade. Either `patterns` or `nothing`."""

    metro: str
    begin: str
    q: str
    patterns: Mapping[str, int]
    nothing: str | None

    @property
    def path(self) -> str:
        """The request that is judged: the longest page, of which most measures look at the first ten."""
        return f"/v1/{self.metro}/search?{urlencode({'q': self.q, 'from': self.begin, 'limit': 50})}"

    def grade(self, identity: str) -> int:
        """Of a listing known as `event:Zumba`: that of the longest pattern that matches, else 0."""
        known = identity.casefold()
        return next((grade for pattern, grade in self._longest_first if matches(pattern, known)), 0)

    @cached_property
    def _longest_first(self) -> list[tuple[str, int]]:
        folded = [(pattern.casefold(), grade) for pattern, grade in self.patterns.items()]
        return sorted(folded, key=lambda each: len(each[0]), reverse=True)


def matches(pattern: str, text: str) -> bool:
    """`*` stands for any text, none too; any other character for itself."""
    first, *rest = pattern.split("*")
    if not rest:
        return pattern == text
    last, at = rest.pop(), len(first)
    if not text.startswith(first):
        return False
    for part in rest:
        at = text.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return len(text) - at >= len(last) and text.endswith(last)


def read_judged() -> list[JudgedQuery]:
    return [judged for metro in METROS for judged in _read_metro(metro)]


def _read_metro(metro: str) -> Iterator[JudgedQuery]:
    told = tomllib.loads((FOLDER / f"{metro}.toml").read_text(encoding="utf-8"))
    for query in told["queries"]:
        unknown = query.keys() - {"q", "nothing", *GRADES}
        assert not unknown, f"{metro}.toml, {query['q']}: {unknown}"
        named = [(pattern, int(grade)) for grade in GRADES for pattern in query.get(grade, ())]
        assert len(dict(named)) == len(named), f"{metro}.toml, {query['q']}: a pattern twice"
        yield JudgedQuery(metro, told["from"], query["q"], dict(named), query.get("nothing"))
