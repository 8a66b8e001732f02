"""The examples in the docstrings of parsers say what the parsers return."""

import doctest
from importlib import import_module

import pytest

PARSERS = (
    "outings.answers.expressions.parsing",
    "outings.contract.values",
    "outings.texts.ages",
    "outings.texts.amounts",
    "outings.texts.days",
    "outings.texts.hours",
    "pipeline.dates.rule_days",
    "pipeline.dates.zones",
)


@pytest.mark.parametrize("name", PARSERS)
def test_the_examples_of_a_parser_are_true(name: str) -> None:
    result = doctest.testmod(import_module(name))
    assert (result.attempted > 0, result.failed) == (True, 0)
