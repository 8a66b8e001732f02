"""The sentences that explain codes, reasons and notices."""

from collections.abc import Iterable

import pytest

from outings.contract import errors
from outings.contract.envelope import NOTICES


@pytest.mark.parametrize(
    "meanings",
    [[code.meaning for code in errors.CODES.values()], errors.REASONS.values(), NOTICES.values()],
    ids=["codes", "reasons", "notices"],
)
def test_each_meaning_is_a_sentence(meanings: Iterable[str]) -> None:
    assert all(meaning[0] in "`ABCDEFGHIJKLMNOPQRSTUVWXYZ" and meaning.endswith(".") for meaning in meanings)
