"""The judged queries: read from their files, and what grade they give to a listing."""

import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

FOLDER = Path(__file__).parent
METROS = ("seattle", "new-york")
GRADES = ("3", "2", "1", "0")
# Of parents' queries: one half to work with, the other only scored.
HALVES = ("working", "held")
# Of these queries there are two editions, so that the first stays comparable: edition → the folder of its halves.
EDITIONS = {"first": FOLDER / "parents", "second": FOLDER / "parents" / "second"}
KINDS = ("ages", "beginnings", "hiding", "notions", "joins", "places", "seasons", "times", "spanish")


@dataclass(frozen=True)
class JudgedQuery:
    """`begin` is the `from` that goes with the query; `patterns`: pattern → grade. Either `patterns` or `nothing`.

    `kind` is one of KINDS for parents' queries, and empty for the others.
    """

    metro: str
    begin: str
    q: str
    patterns: Mapping[str, int]
    nothing: str | None
    kind: str = ""

    @property
    def path(self) -> str:
        """The request that is judged: the longest page, of which most measures look at the first ten."""
        return f"/v1/{self.metro}/search?{urlencode({'q': self.q, 'from': self.begin, 'limit': 50})}"

    def grade(self, identity: str) -> int:
        """Return the grade of a listing such as `event:Zumba`: that of the longest matching pattern, else 0."""
        return self._find_grade(identity) or 0

    def is_judged(self, identity: str) -> bool:
        """Return True if a pattern names the listing, even with 0."""
        return self._find_grade(identity) is not None

    def _find_grade(self, identity: str) -> int | None:
        known = identity.casefold()
        return next((grade for pattern, grade in self._longest_first if matches(pattern, known)), None)

    @cached_property
    def _longest_first(self) -> list[tuple[str, int]]:
        folded = [(pattern.casefold(), grade) for pattern, grade in self.patterns.items()]
        return sorted(folded, key=lambda value: len(value[0]), reverse=True)


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


def read_parents(half: str, *, edition: str = "first") -> list[JudgedQuery]:
    """A half of an edition of the queries that parents type, kind by kind."""
    begins = {judged.metro: judged.begin for judged in read_judged()}
    return [judged for kind in KINDS for judged in _read_kind(EDITIONS[edition] / half / f"{kind}.toml", begins)]


def choose_half(q: str) -> str:
    """Choose a half by a hash of the query, so that nobody decides."""
    return HALVES[hashlib.sha256(q.encode()).digest()[0] % 2]


def _read_metro(metro: str) -> Iterator[JudgedQuery]:
    report = tomllib.loads((FOLDER / f"{metro}.toml").read_text(encoding="utf-8"))
    zeros = tomllib.loads((FOLDER / f"{metro}-zeros.toml").read_text(encoding="utf-8"))
    unknown = zeros.keys() - {query["q"] for query in report["queries"]}
    assert not unknown, f"{metro}: {unknown}"
    for query in report["queries"]:
        whole = {**query, "0": [*query.get("0", ()), *zeros.get(query["q"], ())]}
        yield _read_query(whole, JudgedQuery(metro, report["from"], query["q"], {}, None))


def _read_kind(path: Path, begins: Mapping[str, str]) -> Iterator[JudgedQuery]:
    report = tomllib.loads(path.read_text(encoding="utf-8"))
    for metro in METROS:
        for query in report.get(metro, ()):
            yield _read_query(query, JudgedQuery(metro, begins[metro], query["q"], {}, None, path.stem))


def _read_query(query: Mapping[str, Any], judged: JudgedQuery) -> JudgedQuery:
    """`judged` with its grades, or with why there is nothing."""
    unknown = query.keys() - {"q", "nothing", *GRADES}
    assert not unknown, f"{judged.metro}, {judged.q}: {unknown}"
    named = [(pattern, int(grade)) for grade in GRADES for pattern in query.get(grade, ())]
    assert len(dict(named)) == len(named), f"{judged.metro}, {judged.q}: a pattern twice"
    return replace(judged, patterns=dict(named), nothing=query.get("nothing"))
