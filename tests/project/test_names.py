"""Names say what a thing is, in the words of the field: docs/glossary.md has them."""

import ast
import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = ("command", "outings", "pipeline", "edge")
FILES = sorted(path for folder in (*PROGRAM, "bench", "tests", "tools") for path in (ROOT / folder).rglob("*.py"))

# A word that is in no name of a class, function or file → what the field says. A word stands for its plural too.
REPLACED = {
    "breaker": "circuit_breaker: a circuit breaker that is open, half-open or closed",
    "drawer": "document_buffer",
    "exchange": "request_context",
    "holder": "principal for a key that was recognized, owner for a lock",
    "numbering": "index",
    "occupied": "full, as in PoolFull",
    "patience": "retry_policy for time-outs and retries",
    "recalled": "cache",
    "rehearsal": "dry_run",
    "rehearse": "run",
    "shortcut": "fast_path",
    "sieve": "filter or candidates",
    "suitability": "audience",
    "unkeyed": "public",
    "unplaced": "unlocated: without coordinates",
    "wire": "protocol or connection",
}
# A word of speech that is no name of anything, parameters, variables and attributes included → what the field says.
SPEECH = {
    "asked": "requested, request, question or params",
    "found": "what was looked for: match, rows, results",
    "held": "what holds: locks, is_match, before",
    "said": "stated, message, text or detail",
    "seen": "visited, latest or shown",
    "settled": "what the function makes",
    "told": "reported, report, message or problems",
}
# A word that is no whole name of a variable, parameter or attribute → what to say. Compounds may have it.
PRONOUNS = {
    "about": "what it holds, such as context or description",
    "each": "the singular of what the loop runs over, such as listing or row",
    "them": "what they are, such as listings or rows",
    "those": "what they are, such as listings or rows",
}
# In these compounds a word above is the field's own.
COMPOUNDS = ("circuit_breaker",)

# Participles that classes were named by. `-ed` and `-ing` are found by their ending.
PARTICIPLES = {
    "asked", "begun", "built", "caught", "done", "found", "given", "gone", "grown", "held", "kept", "known", "left",
    "lost", "made", "met", "said", "seen", "sent", "shown", "spent", "stood", "stuck", "taken", "told", "took", "torn",
}  # fmt: skip
# Nouns that end as participles do, and names that follow a member of the API.
NOUNS = {
    "expanded", "feed", "interpreted", "listing", "meaning", "nested", "pooling", "ranking", "reading", "related",
    "ring", "setting", "spelling", "string", "timing", "warning",
}  # fmt: skip
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
# HTTP's own term.
TERMS = {"NotFound", "not_found"}
# Where a name may begin to be one: most files have none, and their trees need no walk.
BINDS_SPEECH = re.compile(
    rf"\b(?:\w*(?:{'|'.join(SPEECH)})\w*\b(?! \w)|(?:{'|'.join(PRONOUNS)})(?:\b(?! \w)| in\b))", flags=re.IGNORECASE
)


def split_words(name: str) -> list[str]:
    """`RequestPlan`, `request_plan` and `HTTPServer` → lower-case words."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name)]


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


def list_names(path: Path) -> Iterator[str]:
    """List the names of a file and its definitions. Names of tests are sentences, and may have any word."""
    yield path.stem
    yield from (item.name for item in list_definitions(path) if item.name and not item.name.startswith("test_"))


@cache
def list_bound_names(path: Path) -> frozenset[str]:
    """Names of functions, classes, parameters, variables and attributes that the file itself defines."""
    text = path.read_text()
    return frozenset(_list_bound_names(text)) if BINDS_SPEECH.search(text) else frozenset()


def _list_bound_names(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield "" if name.startswith("test_") else name
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name


def find_replaced(name: str) -> str | None:
    plain = "_".join(split_words(name))
    for compound in COMPOUNDS:
        plain = plain.replace(compound, "")
    return next(
        (REPLACED[value] for word in plain.split("_") for value in (word, word.removesuffix("s")) if value in REPLACED),
        None,
    )


def is_participle(name: str) -> bool:
    """Return True if the last word is a participle. The words before it describe: a `ParsedQuery` is a query."""
    *_, last = split_words(name) or [""]
    if last in NOUNS or name in TERMS:
        return False
    return last in PARTICIPLES or re.fullmatch(r"[a-z]{2,}(ed|ing)", last) is not None


def find_odd_opening(docstring: str) -> str | None:
    words = re.findall(r"[a-z'`]+", docstring.lower())[:2]
    return next((opening for opening in (*words[:1], " ".join(words)) if opening in ODD_OPENINGS), None)


def explain(path: Path, fault: object) -> str:
    return f"{path.relative_to(ROOT)}: {fault}"


def test_no_name_has_a_word_that_the_glossary_replaced() -> None:
    faults = [
        explain(path, f"{name}: say {instead}")
        for path in FILES
        for name in list_names(path)
        if (instead := find_replaced(name))
    ]
    assert faults == [], "\n".join(faults)


def test_no_name_is_a_word_of_speech_where_the_field_has_one() -> None:
    faults = {
        explain(path, f"{name}: say {SPEECH[word]}")
        for path in FILES
        for name in list_bound_names(path)
        if name not in TERMS
        for word in split_words(name)
        if word in SPEECH
    }
    assert faults == set(), "\n".join(sorted(faults))


def test_no_variable_is_named_by_a_pronoun() -> None:
    faults = {
        explain(path, f"{name}: say {PRONOUNS[name]}")
        for path in FILES
        for name in list_bound_names(path)
        if name in PRONOUNS
    }
    assert faults == set(), "\n".join(sorted(faults))


def test_no_class_is_named_by_a_participle() -> None:
    faults = [
        explain(path, f"{item.name}: name it by a noun, what it is (PruneResult, not Pruned)")
        for path in FILES
        for item in list_definitions(path)
        if item.is_class and is_participle(item.name)
    ]
    assert faults == [], "\n".join(faults)


def test_each_docstring_begins_with_what_the_thing_does_or_is() -> None:
    faults = [
        explain(
            path, f"{item.name or 'the file'}: begins with {opening!r}; say what it does (Return …) or is (A page of …)"
        )
        for path in FILES
        if path.relative_to(ROOT).parts[0] != "tests"
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
    assert [fault for fault in faults if "tests/project/test_names.py" not in fault] == []


@pytest.mark.parametrize(
    ("name", "is_wrong"),
    [
        ("Told", True), ("_Held", True), ("LockHeld", True), ("Planning", True),
        ("Graded", True), ("Nested", False), ("PlaceExpanded", False), ("DistanceRing", False),
        ("ParsedQuery", False), ("NotFound", False),
    ],
)  # fmt: skip
def test_a_participle_is_known_by_the_last_word_of_a_name(name: str, is_wrong: bool) -> None:
    assert is_participle(name) is is_wrong


def test_the_glossary_has_at_most_forty_terms_and_each_names_its_file() -> None:
    page = (ROOT / "docs/glossary.md").read_text()
    section = page.partition("| Term | Means | File |\n|---|---|---|\n")[2].partition("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines()]
    assert 0 < len(rows) <= 40
    for term, _, link in rows:
        path = re.search(r"\((.+)\)", link)
        assert path, term
        assert (ROOT / "docs" / path[1]).is_file(), f"{term}: {path[1]} is gone; name its file in the glossary"
