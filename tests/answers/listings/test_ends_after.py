"""Events that are not over at a time, by the metro's clock; `now` is its minute."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from msgspec.json import decode

from outings.answers.plan import AnswerContext
from outings.answers.routes import make_plan
from outings.contract.errors import ApiError
from outings.contract.query import Entitlement
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.asking import fetch, parse
from tests.answers.worlds import World, find_instant, open_release

MONDAY = date(2026, 8, 10)
# Of Monday: the name, the clock time and how long it lasts, in hours; a name without a clock time is of whole days.
EVENTS: dict[str, tuple[int | None, int | None]] = {
    "Puppets": (9, 2),
    "Silent": (14, None),
    "Night": (20, 6),
    "Day": (None, None),
    "Days": (None, 48),
    "Half": (None, 30),
}
# On Monday and on Tuesday from 12:00 to 13:00.
TWICE = "Twice"


def make_harbor() -> World:
    world = World()
    for number, (name, (hour, hours)) in enumerate([*EVENTS.items(), (TWICE, (12, 1))], 1):
        row_id, first = documents.make_uuid(number), datetime(2026, 8, 10, hour or 0)
        world.dates[row_id] = [first, first + timedelta(days=1)] if name == TWICE else [first]
        if hours is not None:
            world.lasts[row_id] = timedelta(hours=hours)
        instant = datetime.fromtimestamp(find_instant(first, documents.ZONE), UTC)
        world.listings.append(documents.make_event(
            row_id, name=name, has_date=True, has_time=hour is not None, is_recurring=name == TWICE,
            starts_local=first.isoformat(), starts_at=instant.strftime("%Y-%m-%dT%H:%M:%SZ"),
            location=documents.make_location(lat=40.0, lng=-74.0),
        ))  # fmt: skip
    return world


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return open_release([make_harbor()], tmp_path_factory.mktemp("harbor"))


def ask(release: Release, path: str, params: dict[str, str], *, minute: datetime) -> tuple[Any, str]:
    dates = dict.fromkeys(release.metros, MONDAY)
    context = AnswerContext(release=release, dates=dates, entitlement=Entitlement(), minute=minute)
    plan = make_plan(parse(path, params), context)
    assert plan.is_now == ("now" in params.values())
    return decode(b"".join(plan.render())), plan.etag


@pytest.mark.parametrize(
    ("moment", "over"),
    [
        ("2026-08-10T00:00", set()),
        ("2026-08-10T10:59", set()),
        ("2026-08-10T11:00", {"Puppets"}),
        ("2026-08-10T13:59", {"Puppets"}),
        ("2026-08-10T14:00", {"Puppets", "Silent"}),
        ("2026-08-10T23:59", {"Puppets", "Silent"}),
        ("2026-08-11T00:00", {"Puppets", "Silent", "Day"}),
        ("2026-08-11T01:59", {"Puppets", "Silent", "Day"}),
        ("2026-08-11T02:00", {"Puppets", "Silent", "Day", "Night"}),
        ("2026-08-11T13:00", {"Puppets", "Silent", "Day", "Night", TWICE}),
        ("2026-08-11T23:59", {"Puppets", "Silent", "Day", "Night", TWICE}),
        ("2026-08-12T00:00", {*EVENTS, TWICE}),
    ],
)
def test_an_event_is_over_at_its_end_and_without_one_when_it_has_begun_or_its_last_day_is_over(
    harbor: Release, moment: str, over: set[str]
) -> None:
    params = {"from": "2026-08-10", "ends_after": moment}
    names = {item["name"] for item in fetch(harbor, "/v1/harbor/events", params)["data"]}
    assert names == {*EVENTS, TWICE} - over


def test_each_date_of_a_series_is_over_by_itself(harbor: Release) -> None:
    params = {"from": "2026-08-10", "recurring": "true", "occurrences": "expand", "ends_after": "2026-08-10T13:00"}
    body = fetch(harbor, "/v1/harbor/events", {**params, "facets": "weekday"})
    assert [item["starts_local"] for item in body["data"]] == ["2026-08-11T12:00:00"]
    assert {bucket["value"]: bucket["count"] for bucket in body["facets"]["weekday"] if bucket["count"]} == {
        "tuesday": 1
    }


@pytest.mark.parametrize(
    ("path", "more"),
    [
        ("events", {"facets": "weekday", "limit": "0"}),
        ("events/calendar", {"from": "2026-08-10", "to": "2026-08-11"}),
        ("events/density", {}),
        ("search", {"q": "puppets", "types": "events"}),
    ],
)
def test_now_is_the_minute_by_the_metros_clock_on_every_route_of_lists(
    harbor: Release, path: str, more: dict[str, str]
) -> None:
    # 10:00 and 11:00 in New York, where the puppets end.
    earlier, later = datetime(2026, 8, 10, 14, tzinfo=UTC), datetime(2026, 8, 10, 15, tzinfo=UTC)
    params = {**more, "ends_after": "now"}
    first, tag = ask(harbor, f"/v1/harbor/{path}", params, minute=earlier)
    then, next_tag = ask(harbor, f"/v1/harbor/{path}", params, minute=later)
    assert tag != next_tag
    assert first["meta"]["applied_filters"]["ends_after"] == "2026-08-10T10:00"
    counts = [len(body["data"]) if path == "search" else count_all(body) for body in (first, then)]
    assert counts[0] - counts[1] == 1


def count_all(body: Any) -> int:
    """The listings of a map and of facets, the dates of a calendar."""
    total: int = body["facets"]["total"] if "facets" in body else body["meta"]["total"]
    return total


def test_a_calendar_file_of_what_is_not_over_is_of_its_minute(harbor: Release) -> None:
    query = parse("/v1/harbor/events.ics", {"ends_after": "now"})
    tags, files = set(), []
    for hour in (14, 15):
        context = AnswerContext(
            release=harbor, dates=dict.fromkeys(harbor.metros, MONDAY), entitlement=Entitlement(),
            minute=datetime(2026, 8, 10, hour, tzinfo=UTC),
        )  # fmt: skip
        plan = make_plan(query, context)
        assert plan.is_now
        tags.add(plan.etag)
        files.append(b"".join(plan.render()).count(b"SUMMARY:Puppets"))
    assert (len(tags), files) == (2, [1, 0])


@pytest.mark.parametrize("wrong", ["today", "2026-08-10", "14:00", "2026-08-10T25:00", "2026-08-10T14:00Z"])
def test_what_is_no_local_time_is_an_error_that_says_what_is_allowed(wrong: str) -> None:
    with pytest.raises(ApiError) as refusal:
        parse("/v1/harbor/events", {"ends_after": wrong})
    problem = str(refusal.value)
    assert refusal.value.status == 400
    assert "ends_after" in problem
    assert wrong in problem
    assert "now or a local time YYYY-MM-DDTHH:MM" in problem
