"""The examples in the docstrings of parsers say what the parsers return, and no parser of a feed lacks one."""

import ast
import doctest
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PARSERS = (
    "outings.answers.directory.ranking",
    "outings.answers.expressions.parsing",
    "outings.configuration.mapping",
    "outings.configuration.query_string",
    "outings.contract.languages.language",
    "outings.contract.query",
    "outings.contract.text",
    "outings.contract.values",
    "outings.release.root",
    "outings.texts.ages",
    "outings.texts.amounts",
    "outings.texts.days",
    "outings.texts.hours",
)
# It takes the bytes of a release, not what people write.
_WITHOUT = {"parse_delta_state"}


def list_parsers() -> dict[str, list[ast.FunctionDef]]:
    """List the public functions `parse_…` of the build, by module."""
    parsers = {}
    for path in sorted((ROOT / "pipeline").rglob("*.py")):
        if "parse_" not in (text := path.read_text()):
            continue
        functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
        if own := [node for node in functions if node.name.startswith("parse_") and node.name not in _WITHOUT]:
            parsers[".".join(path.relative_to(ROOT).with_suffix("").parts)] = own
    return parsers


def test_every_parser_of_the_build_has_an_example() -> None:
    parsers = [(module, node) for module, nodes in list_parsers().items() for node in nodes]
    assert [f"{module}.{node.name}" for module, node in parsers if ">>>" not in (ast.get_docstring(node) or "")] == []
    assert len(parsers) > 20


@pytest.mark.parametrize("name", [*PARSERS, "pipeline.clean.reading", "pipeline.dates.zones", *list_parsers()])
def test_the_examples_of_a_parser_are_true(name: str) -> None:
    result = doctest.testmod(import_module(name))
    assert (result.attempted > 0, result.failed) == (True, 0)
