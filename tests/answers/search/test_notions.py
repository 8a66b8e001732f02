"""Notions of several words, in `match=auto`: one thing, which is meant only where its words stand side by side."""

import pytest

from outings.release.snapshot import Release
from tests.answers.search.searching import find, name_places, open_listings, search

AUTO = {"match": "auto"}
NAMES = [
    "Ice Skating", "Ice Cream and Roller Skating", "Hiphop Dance", "Hop on Hip Pain", "Basic Bootcamp",
    "Camp Boot Hill",
    # The metro's own: four names have both side by side, and one apart.
    "Zephyr Quay Steps", "Zephyr Quay Lawn", "Zephyr Quay Pier", "Zephyr Quay", "Quay of the Zephyr",
]  # fmt: skip


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return open_listings(tmp_path_factory.mktemp("harbor"), *name_places(*NAMES))


@pytest.mark.parametrize(
    ("q", "names"),
    [
        ("ice skating", ["Ice Skating"]),
        ("ice skate", ["Ice Skating"]),
        ("iceskating", ["Ice Skating"]),
        ("ice skatting", ["Ice Skating"]),
        ("hip hop", ["Hiphop Dance"]),
        ("hiphop", ["Hiphop Dance"]),
        ("boot camp", ["Basic Bootcamp"]),
        ("zephyr quay", ["Zephyr Quay", "Zephyr Quay Lawn", "Zephyr Quay Pier", "Zephyr Quay Steps"]),
        # No notion: nothing and nobody has these two side by side.
        ("skating ice", ["Ice Cream and Roller Skating", "Ice Skating"]),
    ],
)
def test_only_what_has_the_words_side_by_side_has_them_all(harbor: Release, q: str, names: list[str]) -> None:
    results = find(harbor, q, AUTO)
    assert sorted(name for name, match in results.items() if match == "all_terms") == names
    assert list(results)[: len(names)] == sorted(results, key=lambda name: results[name] != "all_terms")[: len(names)]


def test_a_word_alone_is_a_trace_that_is_worth_half(harbor: Release) -> None:
    scores = {item["name"]: item["score"] for item in search(harbor, "ice skating", AUTO)["data"]}
    apart = {item["name"]: item["score"] for item in search(harbor, "skating ice", AUTO)["data"]}
    name = "Ice Cream and Roller Skating"
    assert 0.45 * apart[name] < scores[name] < 0.55 * apart[name]


def test_only_auto_knows_notions(harbor: Release) -> None:
    assert set(find(harbor, "ice skating").values()) == {"all_terms"}
