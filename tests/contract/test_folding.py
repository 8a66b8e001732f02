"""Names compared without case, accents and punctuation."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.contract.text import fold_text


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Capitol Hill", "capitol hill"),
        ("  Capitol \t Hill\n", "capitol hill"),
        ("CAPITOL HILL", "capitol hill"),
        ("Niñós", "ninos"),
        ("Nin\u0303os", "ninos"),
        ("Café-Théâtre", "cafetheatre"),
        ("North Beach/Blue Ridge", "north beachblue ridge"),
        ("Bedford-Stuyvesant (West)", "bedfordstuyvesant west"),
        ("St. John's", "st johns"),
        ("St. John’s", "st johns"),
        ("Parks & Recreation", "parks recreation"),
        ("“Quoted” – dashed…", "quoted dashed"),
        ("¡Olé!", "ole"),
        ("Straße", "strasse"),
        ("ﬁne ﬂoor", "fine floor"),
        ("İstanbul", "istanbul"),
        ("Ⅷ", "viii"),
        ("full　width　ＡＢＣ", "full width abc"),
        ("snake_case", "snakecase"),
        ("C+ Kids", "c+ kids"),
        ("故事 时间", "故事 时间"),
        ("Ελλάς", "ελλασ"),
        ("ΕΛΛΆΣ", "ελλασ"),
        ("", ""),
        ("?!", ""),
    ],
)
def test_a_name_folds(text: str, folded: str) -> None:
    assert fold_text(text) == folded


@given(st.text())
def test_folding_again_changes_nothing(text: str) -> None:
    assert fold_text(fold_text(text)) == fold_text(text)


@given(st.text())
def test_nothing_is_left_that_does_not_count(text: str) -> None:
    folded = fold_text(text)
    assert not [sign for sign in folded if unicodedata.combining(sign) or unicodedata.category(sign)[0] == "P"]
    assert folded == " ".join(folded.split())


@given(st.text(alphabet=st.characters(codec="ascii")))
def test_plain_text_folds_as_the_long_way_does(text: str) -> None:
    kept = "".join(sign for sign in text if unicodedata.category(sign)[0] != "P")
    assert fold_text(text) == " ".join(kept.casefold().split())
