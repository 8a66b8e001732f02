"""Docstrings say what a thing does or is, and comments name documents and exceptions that there are."""

import ast
import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = ("command", "outings", "pipeline", "edge", "bench", "tools")
FILES = sorted(path for folder in PROGRAM for path in (ROOT / folder).rglob("*.py"))

# What a docstring may say is raised though no class of ours is called so.
FOREIGN = {"BrokenProcessPool", "DuckDB", "GeoJSON", "Polars", "SQL", *dir(builtins)}
# First words after which a reader does not know yet whether a function, a value or a condition is described.
ODD_OPENINGS = {
    "about", "after", "again", "also", "and", "anything", "as", "at", "because", "before", "behind", "beside",
    "between", "but", "by", "else", "for which", "for whom", "from", "how", "in", "it", "its", "least", "less",
    "many", "more", "most", "much", "neither", "never", "no", "none", "not", "nothing", "of", "on", "once",
    "one of", "only", "or", "out", "over", "same", "so", "such", "than", "that", "the same", "them", "then", "there",
    "they", "those", "through", "to", "under", "until", "up", "what", "whatever", "where", "whether", "which",
    "while", "who", "whoever", "whose", "why", "with", "without",
}  # fmt: skip


@dataclass(frozen=True)
class Definition:
    """A definition of a class, a function or, with an empty name, a whole file."""

    name: str
    is_class: bool
    docstring: str


@cache
def list_definitions(path: Path) -> tuple[Definition, ...]:
    """The file itself first. Trees are not kept: the garbage collector would walk through all of them, for 30 s."""
    tree = ast.parse(path.read_text())
    return tuple(_list_definitions(tree))


def _list_definitions(node: ast.AST) -> Iterator[Definition]:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    if isinstance(node, kinds):
        name = getattr(node, "name", "")
        yield Definition(name, isinstance(node, ast.ClassDef), ast.get_docstring(node) or "")
    # What is defined stands in a block of statements, never in an expression.
    for block in ("body", "orelse", "handlers", "finalbody", "cases"):
        for value in getattr(node, block, ()) if isinstance(getattr(node, block, ()), list) else ():
            yield from _list_definitions(value)


def find_odd_opening(docstring: str) -> str | None:
    words = re.findall(r"[a-z'`]+", docstring.lower())[:2]
    return next((opening for opening in (*words[:1], " ".join(words)) if opening in ODD_OPENINGS), None)


def explain(path: Path, fault: object) -> str:
    return f"{path.relative_to(ROOT)}: {fault}"


def test_each_docstring_begins_with_what_the_thing_does_or_is() -> None:
    faults = [
        explain(
            path, f"{item.name or 'the file'}: begins with {opening!r}; say what it does (Return …) or is (A page of …)"
        )
        for path in FILES
        for item in list_definitions(path)
        if (opening := find_odd_opening(item.docstring))
    ]
    assert faults == [], "\n".join(faults)


def test_each_exception_that_a_docstring_names_is_a_class() -> None:
    classes = FOREIGN.union(item.name for path in FILES for item in list_definitions(path) if item.is_class)
    faults = [
        explain(path, f"{item.name or 'the file'} says that it raises {name}; say what it is called now")
        for path in FILES
        for item in list_definitions(path)
        for sentence in re.findall(r"\bRaises\s+([^.:;]*)", item.docstring)
        for name in re.findall(r"(?<!`)\b[A-Z][A-Za-z]+\b", sentence)
        if name not in classes
    ]
    assert faults == [], "\n".join(faults)


def test_no_comment_cites_a_document_that_is_not_here() -> None:
    cited = re.compile(
        r"(?<![\w/.-])(?:docs/)?((?:api|decisions|design|feeds|libraries|styles)\.md)\b"
        r"|\b[Dd]ecisions(?:, (?:section|[A-Z])| §|: ?\w)"
    )
    faults = [
        explain(path, f"line {number}: {line.strip()}")
        for path in FILES
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if (match := cited.search(line)) and not (ROOT / "docs" / (match[1] or "none")).is_file()
    ]
    assert faults == []


def test_the_glossary_has_at_most_forty_terms_and_each_names_its_file() -> None:
    page = (ROOT / "docs/glossary.md").read_text()
    section = page.partition("| Term | Means | File |\n|---|---|---|\n")[2].partition("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines()]
    assert 0 < len(rows) <= 40
    for term, _, link in rows:
        path = re.search(r"\((.+)\)", link)
        assert path, term
        assert (ROOT / "docs" / path[1]).is_file(), f"{term}: {path[1]} is gone; name its file in the glossary"
