"""The audience check does as well on the labelled texts as its document says."""

from pathlib import Path

from outings.contract.vocabulary import AUDIENCES
from tests.judged.audiences import format_measures, list_shown, measure_agreement, read_labelled

DOCUMENT = Path(__file__).parents[2] / "docs" / "audiences.md"
TEXTS = read_labelled()
READ_ONCE = ("Clubs", "Museums", "Libraries", "Sports halls", "Museos", "Bibliotecas", "Polideportivos", "Museen",
             "Bibliotheken", "Sporthallen")  # fmt: skip


def test_the_document_has_what_is_measured() -> None:
    assert "\n".join(format_measures(TEXTS)) in DOCUMENT.read_text(encoding="utf-8")


def test_labels_are_of_the_vocabulary_and_no_text_stands_twice() -> None:
    assert len(TEXTS) >= 2_000
    assert {text.audience for text in TEXTS} | {text.second for text in TEXTS if text.second} <= {*AUDIENCES}
    assert len({(text.name, text.text) for text in TEXTS}) == len(TEXTS)


def test_a_tenth_of_the_first_texts_was_read_twice() -> None:
    first = [text for text in TEXTS if text.source not in READ_ONCE]
    twice, agreeing = measure_agreement(first)
    assert twice >= len(first) // 11
    assert agreeing >= 0.9


def test_few_texts_for_adults_are_shown_to_families() -> None:
    adults = [text for text in TEXTS if text.audience == "adults"]
    assert len(list_shown(TEXTS)) <= len(adults) * 0.02
