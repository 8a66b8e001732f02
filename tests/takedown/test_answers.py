"""Withdrawn listings are in no answer of any release, on any route. Answers that showed them show nothing in their
place."""

import pytest

from tests.takedown.towns import CLUB, HALL, KITE, POTTERY, WORD, Town, find_words, list_targets

pytestmark = pytest.mark.xdist_group("takedown")  # one worker builds the town

ALL = (KITE, POTTERY, HALL, CLUB)


def test_before_it_is_taken_down_it_is_everywhere(town: Town) -> None:
    """Otherwise the tests below would pass without any takedown."""
    assert sum(WORD in town.get(target).read_body().decode("latin-1").lower() for target in list_targets()) > 20


def test_what_is_taken_down_is_in_no_answer(town: Town) -> None:
    before = town.list_ids()
    done = town.run_json("takedown", *ALL)
    assert [item["type"] for item in done["withdrawn"]] == ["event", "class", "place", "organization"]
    for target in list_targets():
        got = town.get(target)
        assert got.status == 200, target
        assert WORD not in got.read_body().decode("latin-1").lower(), target
    for row_id, name in zip(ALL, ("events", "classes", "places", "organizations"), strict=True):
        assert town.get(f"/v1/{name}/{row_id}").status == 404
        assert town.get(f"/v1/listings/{row_id}/versions").status == 404
    assert town.get("/v1/seattle/search?q=kitequix").read_json()["data"] == []
    assert done["ended_releases"] == before[:-1]
    for release, code in zip(before, (2, 2, 0), strict=True):
        town.run("query", "select count(*) from listings", "--release", release, code=code)
    assert find_words(town.city.store)  # until the prune
    town.prune()
    assert find_words(town.city.store) == []
