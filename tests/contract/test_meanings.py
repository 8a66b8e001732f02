"""Each code, reason and notice has its words, and no words are of one that there is not."""

from collections.abc import Iterable, Mapping

import pytest

from outings.contract import errors, notices
from outings.contract.meanings import codes


@pytest.mark.parametrize(
    ("meanings", "names"),
    [(codes.CODES, errors.CODES), (codes.REASONS, errors.REASONS), (codes.NOTICES, notices.NOTICES)],
    ids=["codes", "reasons", "notices"],
)
def test_each_has_a_meaning_in_the_order_in_which_they_are_declared(
    meanings: Mapping[str, str], names: Iterable[str]
) -> None:
    assert list(meanings) == list(names)
    assert all(meaning[0] in "`ABCDEFGHIJKLMNOPQRSTUVWXYZ" and meaning.endswith(".") for meaning in meanings.values())
