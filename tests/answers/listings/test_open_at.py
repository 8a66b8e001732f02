"""Places that are open at a time, by their stated hours; `now` is the metro's minute."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
from msgspec.json import decode

from outings.answers.plan import AnswerContext
from outings.answers.routes import answer, make_plan
from outings.contract.query import Entitlement
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.asking import parse
from tests.answers.documents import make_uuid
from tests.answers.worlds import World, open_release

# Of the worlds' week, which begins on Monday, August 10th 2026.
HOURS = {
    "Day": {"monday": "09:00-17:00"},
    "Night": {"sunday": "20:00-02:00"},
    "Twice": {"monday": "08:00-11:30, 14:00-18:00"},
    "Silent": {},
}


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Release:
    places = [documents.make_place(make_uuid(number), name=name) for number, name in enumerate(HOURS, 1)]
    for place in places:
        place["hours"] |= HOURS[place["name"]]
    return open_release([World(listings=places)], tmp_path_factory.mktemp("harbor"))


def ask(release: Release, path: str, params: dict[str, str], *, minute: datetime | None = None) -> tuple[Any, str]:
    query = parse(path, params)
    dates = dict.fromkeys(release.metros, date(2026, 8, 10))
    made = answer(query, release=release, dates=dates, entitlement=Entitlement(), minute=minute)
    return decode(b"".join(made.parts)), made.etag


@pytest.mark.parametrize(
    ("moment", "names"),
    [
        ("2026-08-10T09:00", ["Day", "Twice"]),
        ("2026-08-10T11:30", ["Day"]),
        ("2026-08-10T16:59", ["Day", "Twice"]),
        ("2026-08-10T17:00", ["Twice"]),
        ("2026-08-10T01:59", ["Night"]),
        ("2026-08-10T02:00", []),
        ("2026-08-11T10:00", []),
        ("2026-08-16T23:00", ["Night"]),
    ],
)
def test_a_place_is_open_from_the_first_minute_to_before_the_last(
    harbor: Release, moment: str, names: list[str]
) -> None:
    body, _ = ask(harbor, "/v1/harbor/places", {"open_at": moment})
    assert [item["name"] for item in body["data"]] == names


def test_now_is_the_minute_by_the_metros_clock(harbor: Release) -> None:
    # 10:00 and 17:30 in New York.
    ten, late = datetime(2026, 8, 10, 14, tzinfo=UTC), datetime(2026, 8, 10, 21, 30, tzinfo=UTC)
    for path, more in (("places", {}), ("search", {"q": "places open now", "match": "auto"})):
        params = more or {"open_at": "now"}
        first, tag = ask(harbor, f"/v1/harbor/{path}", params, minute=ten)
        then, later = ask(harbor, f"/v1/harbor/{path}", params, minute=late)
        assert [item["name"] for item in first["data"]] == ["Day", "Twice"]
        assert [item["name"] for item in then["data"]] == ["Twice"]
        assert tag != later
        assert first["meta"]["applied_filters"]["open_at"] == "2026-08-10T10:00"


def test_a_map_of_what_is_open_now_is_of_its_minute(harbor: Release) -> None:
    ten, late = datetime(2026, 8, 10, 14, tzinfo=UTC), datetime(2026, 8, 10, 21, 30, tzinfo=UTC)
    query = parse("/v1/harbor/places/density", {"open_at": "now"})
    tags, totals = set(), []
    for minute in (ten, late):
        dates = dict.fromkeys(harbor.metros, date(2026, 8, 10))
        plan = make_plan(query, AnswerContext(release=harbor, dates=dates, entitlement=Entitlement(), minute=minute))
        assert plan.is_now
        tags.add(plan.etag)
        totals.append(decode(b"".join(plan.render()))["meta"]["total"])
    assert (len(tags), totals) == (2, [2, 1])
