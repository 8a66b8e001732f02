"""`include=forecast`: what the weather will be on the calendar's dates and of events, by rules told here by hand."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from outings.answers.weather import Forecast, HalfDay, Hour, Weather
from outings.contract.query import Entitlement
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.asking import ask, fetch
from tests.answers.documents import make_uuid
from tests.answers.worlds import World, open_release

TODAY = date(2026, 8, 10)
ZONE = ZoneInfo("America/New_York")
HAS = Entitlement(addons=frozenset({"forecast"}))
INCLUDE = {"include": "forecast"}
STAMPS = {"issued_at": "2026-08-10T14:20:00Z", "expires_at": "2026-08-11T02:20:00Z"}
CALENDAR = "/v1/harbor/events/calendar"
Requests = list[tuple[str, dict[str, str]]]
MEMBERS = ["summary", "temperature_f", "precipitation_chance_max", "wet_hours", "issued_at", "expires_at"]
# The hour from which the forecast speaks, and how many hours it has: to the end of 15 August, and some of the 16th.
FIRST = datetime(2026, 8, 10, 10)
HOURS = 14 + 5 * 24 + 6


def tell_hour(local: datetime) -> dict[str, Any]:
    """Return the weather of an hour: as many degrees as the day of the month, and one more each hour; wet from 14 to
    17, and on the 12th from 22 to 2."""
    is_wet = local.hour in (14, 15, 16) or local.isoformat()[:13] in (
        "2026-08-12T22", "2026-08-12T23", "2026-08-13T00", "2026-08-13T01",
    )  # fmt: skip
    return {
        "temperature_f": local.day + local.hour,
        "precipitation_chance": 50 + local.hour if is_wet else 49,
        "summary": "Rain" if is_wet else "Sunny",
    }


def place(local: datetime) -> datetime:
    return local.replace(tzinfo=ZONE).astimezone(UTC)


def make_weather(**replaced: Any) -> Weather:
    hours = tuple(
        Hour(starts_at=place(local), **tell_hour(local)) for local in (FIRST + timedelta(hours=n) for n in range(HOURS))
    )
    half_days = []
    for day in range(10, 18):
        for is_daytime, start, lasts in ((True, 6, 12), (False, 18, 12)):
            if (day, is_daytime) == (17, False):
                continue
            local = datetime(2026, 8, day, start)
            half_days.append(
                HalfDay(
                    starts_at=place(local),
                    ends_at=place(local + timedelta(hours=lasts)),
                    is_daytime=is_daytime,
                    temperature_f=90 if is_daytime else 60,
                    precipitation_chance=20 if is_daytime else 80,
                    summary="Hot" if is_daytime else "Showers",
                )
            )
    members: dict[str, Any] = {
        "issued_at": datetime(2026, 8, 10, 14, 20, tzinfo=UTC), "expires_at": datetime(2026, 8, 11, 2, 20, tzinfo=UTC),
        "hours": hours, "half_days": tuple(half_days),
    }  # fmt: skip
    return Weather(Forecast(**{**members, **replaced}), timezone="America/New_York")


WEATHER = {"harbor": make_weather()}


def make_event(number: int, starts: str, **members: Any) -> dict[str, Any]:
    stated = {"has_date": True, "has_time": True, "starts_local": starts, "starts_at": starts + "Z"}
    location = documents.make_location(lat=40.0, lng=-74.0)
    return documents.make_event(make_uuid(number), **{**stated, "location": location, **members})


# Of an event: when it begins, how long it lasts, and the hours that its block is of; a date: its day's; None: no block.
EVENTS: list[tuple[str, timedelta | None, list[str] | date | None, dict[str, Any]]] = [
    ("2026-08-11T10:00:00", timedelta(hours=2), ["2026-08-11T10", "2026-08-11T11"], {}),
    ("2026-08-11T10:30:00", timedelta(hours=2), ["2026-08-11T10", "2026-08-11T11", "2026-08-11T12"], {}),
    ("2026-08-11T13:45:00", None, ["2026-08-11T13"], {}),
    ("2026-08-11T13:00:00", timedelta(0), ["2026-08-11T13"], {}),
    ("2026-08-12T21:00:00", timedelta(hours=6), [
        "2026-08-12T21", "2026-08-12T22", "2026-08-12T23", "2026-08-13T00", "2026-08-13T01", "2026-08-13T02",
    ], {}),
    # Begun before the forecast's first hour, or going on after its last: by the date.
    ("2026-08-10T09:00:00", timedelta(hours=2), date(2026, 8, 10), {}),
    ("2026-08-16T05:00:00", timedelta(hours=2), date(2026, 8, 16), {}),
    ("2026-08-12T08:00:00", timedelta(hours=25), date(2026, 8, 12), {}),
    ("2026-08-17T10:00:00", timedelta(hours=2), date(2026, 8, 17), {}),
    # The eighth day from today on, yesterday, no time, another country's clock, and far away.
    ("2026-08-18T10:00:00", timedelta(hours=2), None, {}),
    ("2026-08-09T10:00:00", timedelta(hours=2), None, {}),
    ("2026-08-11T00:00:00", None, None, {"has_time": False}),
    ("2026-08-11T10:00:00", timedelta(hours=2), None, {"timezone": "America/Toronto"}),
    ("2026-08-11T10:00:00", timedelta(hours=2), None, {"location": documents.make_location(lat=40.5, lng=-74.0)}),
    ("2026-08-11T10:00:00", timedelta(hours=2), ["2026-08-11T10", "2026-08-11T11"], {
        "location": documents.make_location(lat=40.4, lng=-74.0),
    }),
    ("2026-08-11T10:00:00", timedelta(hours=2), ["2026-08-11T10", "2026-08-11T11"], {
        "location": documents.make_location(),
    }),
]  # fmt: skip


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Publish dated events, a weekly series on Mondays at ten that began a month before, and a class."""
    world = World()
    for number, (starts, lasts, _, members) in enumerate(EVENTS):
        world.listings.append(make_event(number, starts, **members))
        world.dates[make_uuid(number)] = [datetime.fromisoformat(starts)]
        if lasts is not None:
            world.lasts[make_uuid(number)] = lasts
    weekly = [datetime(2026, 7, 13, 11) + timedelta(days=7 * week) for week in range(10)]
    world.listings.append(make_event(99, "2026-07-13T11:00:00", is_recurring=True, rrule="FREQ=WEEKLY;COUNT=10"))
    world.dates[make_uuid(99)] = weekly
    world.lasts[make_uuid(99)] = timedelta(hours=1)
    world.listings.append(documents.make_class(make_uuid(200), location=documents.make_location(lat=40.0, lng=-74.0)))
    return open_release([world], tmp_path_factory.mktemp("forecast"))


def read(release: Release, path: str, params: Mapping[str, str] = {}, **context: Any) -> dict[str, Any]:
    context = {"entitlement": HAS, "today": TODAY, "weather": WEATHER, **context}
    return fetch(release, path, {**INCLUDE, **params}, **context)


def foretell_hours(names: list[str]) -> dict[str, Any]:
    """An event's block, of the hours of these names."""
    hours = [(datetime.fromisoformat(name), tell_hour(datetime.fromisoformat(name))) for name in names]
    wet = [local for local, item in hours if item["summary"] == "Rain"]
    pairs: list[list[int]] = []
    for local in wet:
        if pairs and pairs[-1][1] == local.hour:
            pairs[-1][1] += 1
        else:
            pairs.append([local.hour, local.hour + 1])
    dry = len(hours) - len(wet)
    return {
        "covers": "event_hours",
        "summary": "Rain" if len(wet) > dry else "Sunny",
        "temperature_f": {
            "min": min(item["temperature_f"] for _, item in hours),
            "max": max(item["temperature_f"] for _, item in hours),
        },
        "precipitation_chance_max": max(item["precipitation_chance"] for _, item in hours),
        "wet_hours": pairs,
        "hours": [{"starts_local": local.isoformat(), **value} for local, value in hours],
        **STAMPS,
    }  # fmt: skip


# Written out by hand. The 10th is known from ten on; the 16th and 17th by half-days alone.
DAYS: dict[date, dict[str, Any]] = {
    date(2026, 8, 10): {"temperature_f": {"min": 20, "max": 33}, "wet_hours": [[14, 17]], "chance": 66},
    date(2026, 8, 11): {"temperature_f": {"min": 11, "max": 34}, "wet_hours": [[14, 17]], "chance": 66},
    date(2026, 8, 12): {"temperature_f": {"min": 12, "max": 35}, "wet_hours": [[14, 17], [22, 24]], "chance": 73},
    date(2026, 8, 13): {"temperature_f": {"min": 13, "max": 36}, "wet_hours": [[0, 2], [14, 17]], "chance": 66},
    date(2026, 8, 14): {"temperature_f": {"min": 14, "max": 37}, "wet_hours": [[14, 17]], "chance": 66},
    date(2026, 8, 15): {"temperature_f": {"min": 15, "max": 38}, "wet_hours": [[14, 17]], "chance": 66},
    date(2026, 8, 16): {"temperature_f": {"min": 60, "max": 90}, "wet_hours": [[18, 24]], "chance": 80},
    date(2026, 8, 17): {"temperature_f": {"min": None, "max": 90}, "wet_hours": [], "chance": 20},
}


def foretell_day(day: date) -> dict[str, Any]:
    day_words = DAYS[day]
    return {
        "summary": "Hot" if day.day > 15 else "Sunny", "temperature_f": day_words["temperature_f"],
        "precipitation_chance_max": day_words["chance"], "wet_hours": day_words["wet_hours"], **STAMPS,
    }  # fmt: skip


def foretell(expected: list[str] | date) -> dict[str, Any]:
    if isinstance(expected, list):
        return foretell_hours(expected)
    return {"covers": "local_day", **foretell_day(expected), "hours": []}


def test_the_calendar_has_a_forecast_of_today_and_the_next_seven_days(release: Release) -> None:
    body = read(release, CALENDAR, {"from": "2026-08-08", "to": "2026-08-20"})
    assert "notices" not in body
    shown = {date.fromisoformat(day["date"]): day["forecast"] for day in body["data"] if "forecast" in day}
    assert list(shown) == [*DAYS]
    assert shown == {day: foretell_day(day) for day in DAYS}
    assert [list(block) for block in shown.values()] == [MEMBERS] * len(DAYS)
    plain = fetch(release, CALENDAR, {"from": "2026-08-08", "to": "2026-08-20"}, today=TODAY)
    assert [{**day, "forecast": 0} for day in plain["data"]] == [{**day, "forecast": 0} for day in body["data"]]


@pytest.mark.parametrize("number", range(len(EVENTS)))
def test_an_event_has_its_hours_or_its_date(release: Release, number: int) -> None:
    expected = EVENTS[number][2]
    body = read(release, f"/v1/events/{make_uuid(number)}")
    assert "notices" not in body
    assert body["data"].get("forecast") == (None if expected is None else foretell(expected))
    if expected is not None:
        assert list(body["data"])[-1] == "forecast"


def test_an_item_of_a_list_has_the_block_of_its_detail(release: Release) -> None:
    items = read(release, "/v1/harbor/events", {"from": "2026-08-01", "min_confidence": "0"})["data"]
    assert {item["id"] for item in items} >= {make_uuid(number) for number in range(len(EVENTS))}
    for item in items:
        assert item == read(release, f"/v1/events/{item['id']}")["data"]


def test_a_series_has_that_of_its_next_occurrence_and_expanded_that_of_each(release: Release) -> None:
    detail = read(release, f"/v1/events/{make_uuid(99)}")["data"]
    assert detail["forecast"] == foretell_hours(["2026-08-10T11"])
    items = read(release, "/v1/harbor/events", {"occurrences": "expand", "from": "2026-08-01", "to": "2026-08-31"})
    weekly = [(item["starts_local"], item.get("forecast")) for item in items["data"] if item["id"] == make_uuid(99)]
    assert weekly == [
        ("2026-08-03T11:00:00", None), ("2026-08-10T11:00:00", foretell_hours(["2026-08-10T11"])),
        ("2026-08-17T11:00:00", foretell(date(2026, 8, 17))), ("2026-08-24T11:00:00", None),
        ("2026-08-31T11:00:00", None),
    ]  # fmt: skip
    after = read(release, f"/v1/events/{make_uuid(99)}", today=date(2026, 8, 11))["data"]
    assert after["forecast"] == foretell(date(2026, 8, 17))


def test_around_an_item_has_that_of_the_start_it_is_shown_with(release: Release) -> None:
    params = {"lat": "40.0", "lng": "-74.0", "limit": "50", "min_confidence": "0"}
    groups = read(release, "/v1/harbor/around", params)["data"]["results"]
    shown = {item["listing_id"]: item for item in groups["happening_soon"]["items"]}
    # At noon the series' occurrence of today is over.
    assert shown[make_uuid(99)]["starts_local"] == "2026-08-17T11:00:00"
    assert shown[make_uuid(99)]["forecast"] == foretell(date(2026, 8, 17))
    for number, (starts, _, expected, _) in enumerate(EVENTS):
        if make_uuid(number) in shown and starts > "2026-08-10T12":
            block = shown[make_uuid(number)].get("forecast")
            assert block == (None if expected is None else foretell(expected))
    assert len(shown) > 8
    assert all("forecast" not in item for item in groups["classes_enrolling"]["items"])
    assert groups["classes_enrolling"]["total"] == 1


def test_without_a_forecast_there_is_a_notice_and_no_block(release: Release) -> None:
    for path, params, without in (
        (CALENDAR, {"from": "2026-08-08", "to": "2026-08-20"}, 8),
        (CALENDAR, {"from": "2026-09-08", "to": "2026-09-20"}, 0),
        (f"/v1/events/{make_uuid(0)}", {}, 1),
        (f"/v1/events/{make_uuid(9)}", {}, 0),
        ("/v1/harbor/events", {"ids": f"{make_uuid(0)},{make_uuid(2)},{make_uuid(9)}"}, 2),
    ):
        for weather in ({}, {"lakeside": WEATHER["harbor"]}):
            body = read(release, path, params, weather=weather)
            (notice,) = body["notices"]
            assert (notice["code"], notice["include"]) == ("forecast_unavailable", "forecast")
            assert notice["details"] == {"without": without}
            assert b"issued_at" not in b"".join(ask(release, path, {**INCLUDE, **params}, weather=weather).parts)


def test_what_a_forecast_does_not_reach_is_counted(release: Release) -> None:
    short = {"harbor": make_weather(half_days=())}
    body = read(release, CALENDAR, {"from": "2026-08-10", "to": "2026-08-17"}, weather=short)
    assert [day["date"] for day in body["data"] if "forecast" not in day] == ["2026-08-16", "2026-08-17"]
    (notice,) = body["notices"]
    assert (notice["code"], notice["details"]) == ("forecast_unavailable", {"without": 2})


def test_a_gap_in_the_hours_is_no_forecast_of_them(release: Release) -> None:
    whole = WEATHER["harbor"].forecast
    missing = place(datetime(2026, 8, 11, 11))
    gap = {"harbor": make_weather(hours=tuple(hour for hour in whole.hours if hour.starts_at != missing))}
    event = read(release, f"/v1/events/{make_uuid(0)}", weather=gap)["data"]["forecast"]
    assert (event["covers"], event["temperature_f"], event["summary"]) == ("local_day", {"min": 60, "max": 90}, "Hot")
    day = read(release, CALENDAR, {"from": "2026-08-11", "to": "2026-08-11"}, weather=gap)["data"][0]["forecast"]
    assert day["temperature_f"] == {"min": 60, "max": 90}


def test_what_is_not_stated_is_null(release: Release) -> None:
    hours = tuple(Hour(starts_at=place(datetime(2026, 8, 11, hour))) for hour in range(24))
    silent = {"harbor": make_weather(hours=hours, half_days=())}
    event = read(release, f"/v1/events/{make_uuid(0)}", weather=silent)["data"]["forecast"]
    day = read(release, CALENDAR, {"from": "2026-08-11", "to": "2026-08-11"}, weather=silent)["data"][0]["forecast"]
    for block in (event, day):
        assert block["summary"] is None
        assert block["temperature_f"] == {"min": None, "max": None}
        assert block["precipitation_chance_max"] is None
        assert block["wet_hours"] == []


@pytest.mark.parametrize(
    ("day", "count", "wet"),
    # The night on which clocks go back has 25 hours, the one on which they go on 23.
    [(date(2026, 11, 1), 25, [[0, 24]]), (date(2026, 3, 8), 23, [[0, 2], [3, 24]])],
)
def test_a_day_is_as_long_as_its_clock_makes_it(day: date, count: int, wet: list[list[int]]) -> None:
    midnight = datetime.combine(day, time(), ZONE).astimezone(UTC)
    hours = [Hour(starts_at=midnight + timedelta(hours=n), precipitation_chance=90) for n in range(count + 3)]
    block = make_weather(hours=tuple(hours), half_days=()).describe_day(day)
    assert block is not None
    assert [[*pair] for pair in block.wet_hours] == wet
    assert make_weather(hours=tuple(hours[: count - 1]), half_days=()).describe_day(day) is None


def test_the_tag_moves_with_the_forecast_and_only_where_it_is_shown(release: Release) -> None:
    later = {"harbor": make_weather(issued_at=datetime(2026, 8, 10, 15, tzinfo=UTC))}
    lists: Requests = [(CALENDAR, {"from": "2026-08-10", "to": "2026-08-12"}), ("/v1/harbor/events", {})]
    near = ("/v1/harbor/around", {"lat": "40.0", "lng": "-74.0"})
    for path, params in (*lists, near, (f"/v1/events/{make_uuid(0)}", {})):

        def tag(weather: Mapping[str, Weather], include: Mapping[str, str] = INCLUDE, **context: Any) -> str:
            context = {"entitlement": HAS, "today": TODAY, **context}
            return ask(release, path, {**params, **include}, weather=weather, **context).etag  # noqa: B023

        assert len({tag(WEATHER), tag(later), tag({})}) == 3
        assert tag(WEATHER) == tag({"harbor": make_weather(), "lakeside": later["harbor"]})
        assert tag(WEATHER, {}) == tag(later, {}) == tag({}, {})
        without = Entitlement(addons=frozenset({"source"}))
        assert tag(WEATHER, entitlement=without) == tag(later, entitlement=without)


def test_with_fields_the_block_is_there_when_it_is_named(release: Release) -> None:
    path = f"/v1/events/{make_uuid(0)}"
    named = read(release, path, {"fields": "forecast.temperature_f.max,forecast.hours.summary"})["data"]
    assert named["forecast"] == {"temperature_f": {"max": 22}, "hours": [{"summary": "Sunny"}, {"summary": "Sunny"}]}
    assert "forecast" not in read(release, path, {"fields": "name"})["data"]


def test_without_the_add_on_no_byte_of_it_is_answered(release: Release) -> None:
    without = Entitlement(addons=frozenset({"source", "related"}))
    for path in ("/v1/harbor/events", f"/v1/events/{make_uuid(0)}"):
        plain, included = (
            ask(release, path, params, entitlement=without, weather=WEATHER, today=TODAY) for params in ({}, INCLUDE)
        )
        assert b"".join(plain.parts) == b"".join(included.parts)


def test_beside_a_source_both_blocks_stand(tmp_path: Path) -> None:
    world = World(listings=[make_event(1, "2026-08-11T10:00:00")])
    world.dates[make_uuid(1)] = [datetime(2026, 8, 11, 10)]
    world.sources[make_uuid(1)] = {"url": "https://zoo.example/a"}
    both = Entitlement(addons=frozenset({"forecast", "source"}))
    params = {"include": "source,forecast", "expand": "place"}
    data = read(open_release([world], tmp_path), f"/v1/events/{make_uuid(1)}", params, entitlement=both)["data"]
    assert list(data)[-3:] == ["expanded", "source", "forecast"]
