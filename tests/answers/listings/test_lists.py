"""The four lists against a naive reference over documents, and rules that hold for all of their pages."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.answers.asking import fetch
from tests.answers.generated import TODAY, make_any_request, make_world, seeds
from tests.answers.reference import find_missing, list_items
from tests.answers.worlds import COLLECTIONS, TYPES, open_release

REQUESTS = 12


@given(seed=seeds, size=st.integers(min_value=0, max_value=120))
def test_a_list_is_what_the_contract_says_of_each_listing_in_order(
    tmp_path_factory: pytest.TempPathFactory, seed: int, size: int
) -> None:
    random = Random(seed)
    world = make_world(random, size=size)
    release = open_release([world], tmp_path_factory.mktemp("world"))
    for kind in TYPES:
        for _ in range(REQUESTS):
            params = make_any_request(world, kind, random)
            expected = list_items(world, kind, params, today=TODAY)
            whole = {} if "ids" in params else {"limit": "200"}
            body = fetch(release, f"/v1/harbor/{COLLECTIONS[kind]}", {**params, **whole})
            assert body["data"] == expected, (kind, params)
            assert body["meta"]["count"] == len(expected)
            assert body["meta"]["missing_ids"] == (find_missing(world, kind, params["ids"]) if "ids" in params else [])
