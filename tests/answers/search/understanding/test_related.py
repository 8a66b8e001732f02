"""Related words: one for the other within a group, in any form, and no further."""

from itertools import permutations

import pytest

from outings.answers.search.understanding.locations import Locations
from outings.answers.search.understanding.query import parse_search
from outings.answers.search.understanding.related import Alternatives, RelatedWords
from outings.answers.search.understanding.words import read_english
from outings.contract.errors import ApiError
from outings.contract.languages.language import read_shipped_language

RELATED = RelatedWords(
    (("pottery", "ceramics", "clay"), ("clay", "plasticine"), ("storytime", "story hour"), ("tae kwon do", "karate"))
)


def test_a_word_has_the_others_of_its_groups() -> None:
    assert RELATED.list("pottery") == (("ceramics",), ("clay",))
    assert RELATED.list("clay") == (("pottery",), ("ceramics",), ("plasticine",))
    assert RELATED.list("painting") == ()


def test_groups_that_share_a_word_stay_apart() -> None:
    assert ("plasticine",) not in RELATED.list("pottery")


@pytest.mark.parametrize("form", ["ceramic", "ceramics"])
def test_a_word_is_related_in_any_of_its_forms(form: str) -> None:
    assert RELATED.list(form) == (("pottery",), ("clay",))


def test_several_words_are_one_phrase() -> None:
    assert RELATED.list("story", "hour") == (("storytime",),)
    assert RELATED.list("story") == ()
    assert RELATED.list("storytime") == (("story", "hour"),)


def test_filler_words_of_a_phrase_are_not_looked_for_in_a_query() -> None:
    (word, *_) = read = parse_search("tae kwon do", places=Locations()).words
    assert word == "tae"
    assert RELATED.list(*read) == (("karate",),)
    assert RELATED.list("karate") == (("tae", "kwon", "do"),)


def test_the_runs_of_a_query_are_found() -> None:
    assert list(RELATED.find(("kids", "story", "hour", "clay"))) == [
        Alternatives(1, 3, (("storytime",),)),
        Alternatives(3, 4, (("pottery",), ("ceramics",), ("plasticine",))),
    ]
    assert list(RELATED.find(())) == []


def test_the_shipped_groups_are_read_and_symmetric() -> None:
    """Phrases that differ only in filler words are left out, because a query can't tell them apart."""
    groups = read_shipped_language("en").related
    assert len(groups) > 100
    related = RelatedWords(groups)
    for group in groups:
        for one, other in permutations(group, 2):
            is_same = drop_fillers(one) == drop_fillers(other)
            assert is_same or tuple(other.split()) in related.list(*one.split()), (one, other)


def drop_fillers(phrase: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for word in phrase.split() if word not in read_english().fillers))


def test_the_contracts_examples_are_shipped() -> None:
    related = RelatedWords(read_shipped_language("en").related)
    assert ("ceramics",) in related.list("pottery")
    assert ("cooking",) in related.list("baking")


def test_each_shipped_group_can_be_asked_for() -> None:
    """All words of one of its phrases decide. Others may be there to be found: a course for who asks for training."""
    for group in read_shipped_language("en").related:
        assert any(decides(phrase) for phrase in group), group


def decides(phrase: str) -> bool:
    try:
        return parse_search(phrase, places=Locations()).words == drop_fillers(phrase)
    except ApiError:
        return False
