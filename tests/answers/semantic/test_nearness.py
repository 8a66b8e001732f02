"""A model may add listings to `related`, and moves nothing else."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.answers.search.matches import SearchMatches
from outings.answers.search.nearness import add_near, open_semantic
from outings.answers.semantic.model import Model
from outings.contract.resources.finding import LEVELS
from tests.answers.semantic.networks import write_model
from tests.pipeline.city import City, make_event

Result = tuple[str, int]


def add(matched: dict[int, Result], similarities: list[float], *, least: float = 0.5) -> dict[int, Result]:
    """Row → level and score, before and after."""
    rows = sorted(matched)
    given = SearchMatches(
        np.array(rows, dtype=np.int64),
        np.array([LEVELS.index(matched[row][0]) for row in rows], dtype=np.int64),
        lambda some: np.array([matched[row][1] for row in some.tolist()], dtype=np.int64),
    )
    matches = add_near(given, np.array(similarities, dtype=np.float32), least=least)
    assert matches.rows.tolist() == sorted(matches.rows.tolist())
    levels = [LEVELS[level] for level in matches.levels.tolist()]
    return dict(zip(matches.rows.tolist(), zip(levels, matches.score(matches.rows).tolist(), strict=True), strict=True))


def test_a_near_listing_is_related_and_a_far_one_is_not_there() -> None:
    assert add({}, [0.9, 0.49, -1, 0.5]) == {0: ("related", 540), 3: ("related", 300)}


def test_what_has_only_some_words_becomes_related_and_keeps_the_better_score() -> None:
    assert add({0: ("partial", 100), 1: ("partial", 450), 2: ("partial", 70)}, [0.5, 0.5, 0.1]) == {
        0: ("related", 300),
        1: ("related", 450),
        2: ("partial", 70),
    }


def test_what_has_all_words_or_related_ones_stays_as_it_is() -> None:
    matched = {0: ("all_terms", 20), 1: ("related", 30)}
    assert add(matched, [1, 1]) == matched
    assert add(matched, [0, 0]) == matched


@given(
    st.dictionaries(st.integers(0, 29), st.tuples(st.sampled_from(LEVELS), st.integers(1, 1000))),
    st.lists(st.floats(-1, 1, width=32), min_size=30, max_size=30),
)
def test_no_listing_leaves_none_falls_and_each_is_judged_by_itself(
    matched: dict[int, Result], similarities: list[float]
) -> None:
    results = add(matched, similarities)
    for row, (level, score) in matched.items():
        new_level, new_score = results[row]
        assert LEVELS.index(new_level) <= LEVELS.index(level)
        assert new_score >= score
    assert all(results[row][0] == "related" for row in results.keys() - matched.keys())
    for row in range(30):
        alone = [each if other == row else -1.0 for other, each in enumerate(similarities)]
        kept = {row: matched[row]} if row in matched else {}
        assert add(kept, alone).get(row) == results.get(row)


@pytest.fixture
def city(tmp_path: Path) -> City:
    city = City(tmp_path)
    city.model = write_model(tmp_path / "tiny")
    city.write([make_event("a", name="Ceramics", description=None), make_event("b", name="Robots", description=None)])
    city.build()
    return city


def test_a_snapshot_is_ranked_by_the_model_that_made_its_vectors_and_by_no_other(city: City, tmp_path: Path) -> None:
    assert city.model is not None
    snapshot = city.open().metros["seattle"]
    model = Model(city.model)
    assert open_semantic(snapshot, None) is None
    semantic = open_semantic(snapshot, model)
    assert semantic is not None
    assert sorted(semantic.measure(("pottery",)).round(1).tolist()) == [0, 1]
    (city.model / "outings.json").write_text('{"least_similarity": 0.8}')
    stricter = Model(city.model)
    assert stricter.hash == model.hash
    other = open_semantic(snapshot, stricter)
    assert other is not None
    assert other.tag != semantic.tag
    assert open_semantic(snapshot, Model(write_model(tmp_path / "other", {"[UNK]": (0, 1), "a": (1, 0)}))) is None
