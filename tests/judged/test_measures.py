"""The measures, beside what they are by hand."""

import math

import pytest

from tests.judged.measures import QueryGrades, fold_things, measure_all, measure_ndcg, measure_recall


def test_the_best_order_has_1_and_nothing_found_has_0() -> None:
    assert measure_ndcg([3, 2, 1], [1, 2, 3]) == pytest.approx(1)
    assert measure_ndcg([], [3]) == 0
    assert measure_ndcg([0, 0], [3]) == 0


def test_an_order_is_discounted_by_the_logarithm_of_the_rank() -> None:
    # Gains 7 and 3: 3 / log2(2) + 7 / log2(3) of 7 / log2(2) + 3 / log2(3).
    assert measure_ndcg([2, 3], [3, 2]) == pytest.approx((3 + 7 / 1.5849625) / (7 + 3 / 1.5849625))
    # Gain 1 at the third rank, log2(4) = 2, of gain 1 at the first.
    assert measure_ndcg([0, 0, 1], [1]) == pytest.approx(0.5)


def test_only_the_first_page_counts() -> None:
    assert measure_ndcg([0] * 10 + [3], [3]) == 0
    # Twelve that fit: ten of them are a perfect page.
    assert measure_ndcg([3] * 10, [3] * 12) == pytest.approx(1)


def test_what_a_search_may_not_show_lowers_the_ceiling() -> None:
    shown, exported = [2], [3, 2]
    assert measure_ndcg(shown, exported) == pytest.approx(3 / (7 + 3 / 1.5849625))


def test_recall_asks_for_what_serves_and_no_more_than_a_page_holds() -> None:
    assert measure_recall([3, 1, 2], [3, 2, 2, 1, 1], depth=10) == pytest.approx(2 / 3)
    assert measure_recall([3] * 10, [3] * 40, depth=10) == 1
    assert measure_recall([0] * 10 + [2], [2], depth=10) == 0


def test_only_the_first_result_of_one_thing_counts() -> None:
    things = {"a": "class:piano", "b": "event:Zumba", "c": "class:piano", "d": "event:Zumba"}
    assert fold_things("bacd", things) == ["b", "a"]


def test_queries_with_nothing_to_find_are_in_no_mean() -> None:
    graded = [
        QueryGrades(grades=[3], exported=[3], shown=[3], expects_nothing=False),
        QueryGrades(grades=[], exported=[3], shown=[3], expects_nothing=False),
        QueryGrades(grades=[0], exported=[0], shown=[0], expects_nothing=True),
        QueryGrades(grades=[], exported=[0], shown=[0], expects_nothing=True),
    ]
    measured = measure_all(graded)
    assert (measured.ndcg, measured.recall_10, measured.without_results) == (0.5, 0.5, 0.5)
    assert measured.unwanted_results == 1


def test_of_what_nobody_judged_the_mean_is_counted() -> None:
    graded = [
        QueryGrades(grades=[3, 0, 0], exported=[3], shown=[3], expects_nothing=False, unjudged=2),
        QueryGrades(grades=[3, 0], exported=[3], shown=[3], expects_nothing=False, unjudged=1),
        QueryGrades(grades=[0] * 10, exported=[0], shown=[0], expects_nothing=True, unjudged=10),
    ]
    assert measure_all(graded).unjudged == 1.5


def test_where_nothing_is_to_be_found_there_is_no_mean() -> None:
    nothing = QueryGrades(grades=[0], exported=[0], shown=[0], expects_nothing=True)
    measured = measure_all([nothing])
    assert math.isnan(measured.ndcg)
    assert measured.unwanted_results == 1
