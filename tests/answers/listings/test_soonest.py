"""`sort=soonest`: a list by the next date in its window."""

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.contract.errors import ApiError
from tests.answers import documents
from tests.answers.asking import fetch, follow_cursor, parse
from tests.answers.generated import make_any_request, make_request, make_world, seeds
from tests.answers.worlds import COLLECTIONS, World, open_release

DATED = ("event", "class", "camp")
FIRST, SECOND = (documents.make_uuid(number) for number in (1, 2))


def list_ids(body: dict[str, Any]) -> list[str]:
    return [item["id"] for item in body["data"]]


@given(seed=seeds, size=st.integers(min_value=0, max_value=120))
def test_events_come_by_their_first_date_of_the_window_that_matches(
    tmp_path_factory: pytest.TempPathFactory, seed: int, size: int
) -> None:
    random = Random(seed)
    world = make_world(random, size=size)
    release = open_release([world], tmp_path_factory.mktemp("world"))
    for _ in range(8):
        params = {**make_request(world, "event", random), "limit": "200"}
        pages = follow_cursor(release, "/v1/harbor/events", {**params, "occurrences": "expand"})
        dates: dict[str, str] = {}
        for item in (item for page in pages for item in page):
            dates.setdefault(item["id"], item["occurrence"]["starts_local"])
        sorted_ids = list_ids(fetch(release, "/v1/harbor/events", {**params, "sort": "soonest"}))
        assert sorted_ids == sorted(dates, key=lambda row_id: (dates[row_id], row_id)), params


@given(seed=seeds, size=st.integers(min_value=0, max_value=120))
def test_cursors_and_pages_go_through_the_same_listings_once(
    tmp_path_factory: pytest.TempPathFactory, seed: int, size: int
) -> None:
    random = Random(seed)
    world = make_world(random, size=size)
    release = open_release([world], tmp_path_factory.mktemp("world"))
    for kind in DATED:
        path = f"/v1/harbor/{COLLECTIONS[kind]}"
        sent = make_any_request(world, kind, random)
        params = {name: value for name, value in sent.items() if name not in ("ids", "changed_since")}
        everything = list_ids(fetch(release, path, {**params, "limit": "200", "sort": "soonest"}))
        assert sorted(everything) == sorted(list_ids(fetch(release, path, {**params, "limit": "200"})))
        pages = follow_cursor(release, path, {**params, "limit": "7", "sort": "soonest"})
        assert [item["id"] for page in pages for item in page] == everything
        second = fetch(release, path, {**params, "limit": "7", "sort": "soonest", "page": "2"})
        assert list_ids(second) == everything[7:14]


def test_classes_and_camps_come_by_the_section_or_session_that_matches(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    def make_class(row_id: str, **days: str) -> dict[str, Any]:
        sections = [
            documents.make_section(
                documents.make_uuid(number + 100 * int(row_id[-2:])),
                term=documents.make_term(starts_on=start, ends_on="2027-01-31"),
            )
            for number, start in enumerate(days.values())
        ]
        for section, day in zip(sections, days, strict=True):
            section["schedule"]["days"] = [day]
        return documents.make_class(row_id, name=f"Class {row_id[-1]}", sections=sections)

    sessions = (("2026-12-20", FIRST), ("2026-09-01", SECOND))
    camps = [
        documents.make_camp(
            documents.make_uuid(50 + number),
            sessions=[documents.make_session(row_id, starts_on=start, ends_on="2026-12-31")],
        )
        for number, (start, row_id) in enumerate(sessions)
    ]
    classes = [
        make_class(FIRST, monday="2026-12-07"),
        make_class(SECOND, tuesday="2026-12-01", monday="2026-12-14"),
    ]
    release = open_release([World(listings=[*classes, *camps])], tmp_path_factory.mktemp("world"))
    sort = {"sort": "soonest"}
    assert list_ids(fetch(release, "/v1/harbor/classes", {**sort, "from": "2026-11-01"})) == [SECOND, FIRST]
    mondays = {**sort, "schedule_day": "monday", "from": "2026-11-01"}
    assert list_ids(fetch(release, "/v1/harbor/classes", mondays)) == [FIRST, SECOND]
    assert list_ids(fetch(release, "/v1/harbor/camps", sort)) == [camp["id"] for camp in reversed(camps)]


@pytest.mark.parametrize(
    ("path", "params", "reason"),
    [
        ("places", {"sort": "soonest"}, "parameter_not_supported"),
        ("events", {"sort": "nearest"}, "invalid_value"),
        ("events", {"sort": "soonest", "changed_since": "2026-07-01T00:00:00Z"}, "contradictory"),
        ("events", {"sort": "soonest", "ids": FIRST}, "contradictory"),
    ],
)
def test_other_orders_are_refused(path: str, params: dict[str, str], reason: str) -> None:
    with pytest.raises(ApiError) as refused:
        parse(f"/v1/harbor/{path}", params)
    assert refused.value.details["reason"] == reason
