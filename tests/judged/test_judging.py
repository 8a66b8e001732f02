"""The files of judged queries, without the cities' data."""

import pytest

from tests.judged.judging import EDITIONS, HALVES, KINDS, JudgedQuery, choose_half, matches, read_judged, read_parents


def test_there_are_80_queries_40_a_city_none_twice() -> None:
    judged = read_judged()
    assert [judgement.metro for judgement in judged] == ["seattle"] * 40 + ["new-york"] * 40
    assert len({(judgement.metro, judgement.q) for judgement in judged}) == 80


def test_each_names_what_serves_or_says_why_nothing_does() -> None:
    for judged in read_judged():
        if judged.nothing is None:
            assert max(judged.patterns.values()) >= 2, judged.q
        else:
            assert judged.nothing.endswith("."), judged.q
            assert not judged.patterns, judged.q
    assert sum(judged.nothing is not None for judged in read_judged()) == 6


def test_a_hash_of_the_query_says_in_which_half_a_parents_query_is() -> None:
    every = {(edition, half): read_parents(half, edition=edition) for edition in EDITIONS for half in HALVES}
    assert [len(queries) for queries in every.values()] == [84, 66, 52, 52]
    assert not [query.q for (_, half), queries in every.items() for query in queries if choose_half(query.q) != half]
    known = [(query.metro, query.q) for queries in [read_judged(), *every.values()] for query in queries]
    assert len(set(known)) == len(known)


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("half", HALVES)
def test_each_half_has_each_kind_of_a_parents_query(half: str, edition: str) -> None:
    assert {parent.kind for parent in read_parents(half, edition=edition)} == set(KINDS)


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("half", HALVES)
def test_each_query_of_a_parent_names_what_serves_or_says_why_nothing_does(half: str, edition: str) -> None:
    for judged in read_parents(half, edition=edition):
        if judged.nothing is None:
            assert max(judged.patterns.values()) >= 2, judged.q
        else:
            assert judged.nothing.endswith("."), judged.q
            assert not judged.patterns, judged.q


def test_the_longest_pattern_decides_whatever_the_case() -> None:
    patterns = {"class:learn *": 1, "class:Learn to Swim *": 3, "class:dive": 2}
    judged = JudgedQuery("seattle", "2024-12-01", "swim", patterns, None)
    assert judged.grade("class:learn to swim adult") == 3
    assert judged.grade("class:learn to dive") == 1
    assert judged.grade("class:dive") == 2
    assert judged.grade("event:dive") == 0


def test_a_listing_judged_0_is_reported_from_one_that_nobody_judged() -> None:
    judged = JudgedQuery("seattle", "2024-12-01", "swim", {"class:dive": 0}, None)
    assert (judged.grade("class:Dive"), judged.is_judged("class:Dive")) == (0, True)
    assert (judged.grade("class:piano"), judged.is_judged("class:piano")) == (0, False)


def test_the_zeros_of_a_city_belong_to_its_queries() -> None:
    owls = next(judged for judged in read_judged() if judged.q == "owl walk")
    assert owls.is_judged("class:lap swim drop in")
    assert not owls.is_judged("class:piano lessons")


@pytest.mark.parametrize(
    ("pattern", "text", "matched"),
    [
        ("a*c", "abc", True),
        ("a*c", "ac", True),
        ("a*c", "acb", False),
        ("a*a", "a", False),
        ("*b*", "abc", True),
        ("*b*b*", "abc", False),
        ("a (b)?", "a (b)?", True),
        ("a (b)?", "a b", False),
    ],
)
def test_a_star_is_any_text_and_all_else_is_itself(pattern: str, text: str, *, matched: bool) -> None:
    assert matches(pattern, text) is matched
