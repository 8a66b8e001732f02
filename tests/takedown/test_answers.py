"""What is taken down is in no answer of any release, on any route; what showed it shows nothing in its place."""

import pytest

from tests.takedown.towns import CLUB, HALL, KITE, POTTERY, WORD, Town, find_words, list_targets

pytestmark = pytest.mark.xdist_group("takedown")  # one worker builds the town

ALL = (KITE, POTTERY, HALL, CLUB)


def test_before_it_is_taken_down_it_is_everywhere(town: Town) -> None:
    """Else the tests below would find nothing whatever was done."""
    assert sum(WORD in town.get(target).read_body().decode("latin-1").lower() for target in list_targets()) > 20


def test_what_is_taken_down_is_in_no_answer(town: Town) -> None:
    oldest, *_ = reversed(town.list_ids())
    before = town.list_ids()
    done = town.run_json("takedown", *ALL)
    assert [each["type"] for each in done["withdrawn"]] == ["event", "class", "place", "organization"]
    for target in list_targets():
        for release in ("", oldest):
            joined = f"{target}{'&' if '?' in target else '?'}release={release}" if release else target
            got = town.get(joined)
            assert got.status == 200 or (release and got.status == 404), joined
            assert WORD not in got.read_body().decode("latin-1").lower(), joined
    for row_id, name in zip(ALL, ("events", "classes", "places", "organizations"), strict=True):
        assert town.get(f"/v1/{name}/{row_id}").status == 404
        assert town.get(f"/v1/listings/{row_id}/versions").status == 404
    assert town.get("/v1/seattle/search?q=kitequix").read_json()["data"] == []
    assert done["ended_releases"] == before[:-1]
    for release in before[:-1]:
        got = town.get(f"/v1/seattle/events?release={release}")
        assert (got.status, got.error["details"]["reason"]) == (400, "release_gone")
    assert find_words(town.city.store)  # until the prune
    town.prune()
    assert find_words(town.city.store) == []
