"""Syntax that runs on every Python that pyproject.toml allows."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("command", "outings", "pipeline", "edge", "bench")


def list_hidden_types(source: str) -> Iterator[str]:
    """Members of classes whose type goes by the name of a member. From Python 3.14 on, annotations are evaluated when
    they are read, in the finished class, where that name is the member's."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef):
            annotated = [value for value in node.body if isinstance(value, ast.AnnAssign)]
            members = {entry.target.id for entry in annotated if isinstance(entry.target, ast.Name)}
            members |= {entry.name for entry in node.body if isinstance(entry, ast.FunctionDef | ast.AsyncFunctionDef)}
            for entry in annotated:
                names = {name.id for name in ast.walk(entry.annotation) if isinstance(name, ast.Name)}
                yield from (f"{node.name}: {ast.unparse(entry)}" for name in sorted(names & members))


def test_a_hidden_type_is_found() -> None:
    assert list(list_hidden_types("class A:\n    date: date | None\n    at: time\n")) == ["A: date: date | None"]
    assert list(list_hidden_types("class A:\n    all: list[int]\n    def list(self): ...\n")) == ["A: all: list[int]"]


def test_no_member_hides_the_type_of_one() -> None:
    paths = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    assert len(paths) > 100
    assert [f"{path}: {line}" for path in paths for line in list_hidden_types(path.read_text())] == []
