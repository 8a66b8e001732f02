"""Requests of an app over the lists, or of a mirror, in the two cities: counted by hand in the cities' own files."""

from collections import Counter
from datetime import date, timedelta

import pytest

from tests.examples.cities import Ask, Row, Rows
from tests.examples.reckoning import ALL, class_ids, event_ids, ids, list_live, make_id, read_start

pytestmark = pytest.mark.xdist_group("cities")

WEEK = "from=2026-08-10&to=2026-08-16"


def read_counts(buckets: list[Row]) -> dict[str, int]:
    """Return the counts of buckets that are not empty."""
    return {bucket["value"]: bucket["count"] for bucket in buckets if bucket["count"]}


def name_block(row: Row) -> str:
    hour = read_start(row).hour
    return "early_morning" if hour < 9 else "morning" if hour < 12 else "afternoon" if hour < 17 else "evening"


def list_week(rows: list[Row]) -> list[Row]:
    return [row for row in list_live(rows) if "08/10/2026" <= row["startdate"] <= "08/16/2026"]


def test_when_in_the_week_things_are_on(fetch: Ask, export: Rows) -> None:
    """861 events are in the week of 10 August. All have a clock time, and Wednesday has most."""
    week = list_week(export("nyc-events"))
    facets = fetch(f"/v1/nyc/events?{WEEK}&facets=weekday,time_block,organization&limit=0&{ALL}")["facets"]
    assert read_counts(facets["weekday"]) == Counter(f"{read_start(row):%A}".lower() for row in week)
    assert read_counts(facets["time_block"]) == Counter(map(name_block, week))
    assert (facets["total"], read_counts(facets["weekday"])["wednesday"]) == (861, 162)
    (parks,) = facets["organization"]["top"]
    assert (parks["name"], parks["count"], facets["organization"]["distinct"]) == ("NYC Parks", 861, 1)


def test_two_months_of_a_calendar_count_each_days_events(fetch: Ask, export: Rows) -> None:
    """The export has 9 to 23 August alone: the other 46 of 61 days are there, and empty."""
    exported = Counter(read_start(row).date() for row in list_live(export("nyc-events")))
    body = fetch(f"/v1/nyc/events/calendar?from=2026-07-25&to=2026-09-23&{ALL}")
    days = [date(2026, 7, 25) + timedelta(days=number) for number in range(61)]
    assert [(day["date"], day["count"]) for day in body["data"]] == [(str(day), exported[day]) for day in days]
    assert body["meta"]["total"] == sum(exported.values()) == 1746
    assert sum(day["count"] == 0 for day in body["data"]) == 46


def test_a_calendar_of_kayaking(fetch: Ask, export: Rows) -> None:
    """The filters of events hold: "Kayaking and Canoeing" and swimming are both our `swim_water`."""
    wet = [
        row
        for row in list_live(export("nyc-events"))
        if "Kayaking" in row["categories"] or "Swimming" in row["categories"]
    ]
    data = fetch(f"/v1/nyc/events/calendar?from=2026-08-09&to=2026-08-23&category=swim_water&{ALL}")["data"]
    counts = Counter(str(read_start(row).date()) for row in wet)
    assert {day["date"]: day["count"] for day in data} == counts
    assert {day["date"]: day["categories"]["swim_water"] for day in data} == counts


def test_every_date_of_a_week_one_by_one(ask: Ask, export: Rows) -> None:
    """The export has no series: each event is its own first date, and its last."""
    answer = ask(f"/v1/nyc/events?{WEEK}&occurrences=expand&{ALL}")
    assert ids(answer) == event_ids(list_week(export("nyc-events")))
    blocks = [event["occurrence"] for event in answer]
    assert {(block["index"], block["total"], block["is_first"], block["is_last"]) for block in blocks} == {
        (1, 1, True, True)
    }
    assert [block["starts_local"] for block in blocks] == [event["starts_local"] for event in answer]
    assert (
        answer[0]["occurrence"]["key"] == f"{answer[0]['id']}_{answer[0]['starts_local'].translate({45: '', 58: ''})}"
    )


def test_a_mirror_of_the_catalogue(ask: Ask, export: Rows) -> None:
    """Every class by itself, whatever its dates; nothing has changed since the build."""
    camps = {70357, 67792, 67793, 68112, 68325}
    classes = [row for row in export("seattle-activities") if row["Activity_ID"] not in camps]
    answer = ask(f"/v1/seattle/classes?changed_since=1970-01-01T00:00:00Z&limit=200&{ALL}")
    assert set(ids(answer)) == class_ids(classes)
    assert len(answer) == len(classes) == 2223
    assert ids(answer) == sorted(ids(answer))  # all of one build
    assert ask(f"/v1/seattle/classes?changed_since={answer[0]['updated_at']}&{ALL}") == []


def test_favourites_by_their_ids(fetch: Ask, export: Rows) -> None:
    """Favorites come in the order of the reader's ids. The canceled one and a place are missing."""
    rows = export("nyc-events")
    cancelled = next(row for row in rows if row["title"].startswith("CANCELED"))
    paddle, yoga = (
        next(row for row in rows if row["title"] == name) for name in ("Guided Estuary Paddle", "Chair Yoga")
    )
    last, first, gone = (
        make_id("nyc-events", "event", row["guid"].replace(",", "")) for row in (paddle, yoga, cancelled)
    )
    place = fetch(f"/v1/nyc/places?limit=1&{ALL}")["data"][0]["id"]
    body = fetch(f"/v1/nyc/events?ids={last},{gone},{first},{place},{last}")
    assert [(event["id"], event["name"]) for event in body["data"]] == [
        (last, "Guided Estuary Paddle"), (first, "Chair Yoga"),
    ]  # fmt: skip
    assert body["meta"]["missing_ids"] == [gone, place]


def test_what_a_community_center_teaches(ask: Ask, export: Rows) -> None:
    """53 rows of the catalogue name a room of Green Lake; none of them is a camp."""
    expected = class_ids(
        [row for row in export("seattle-activities") if "Green Lake Community Center" in row["ActivityLocation"]]
    )
    center = ask("/v1/places/slug/green-lake-community-center")
    path = center["links"]["classes"]
    answer = ask(f"{path}?from=2024-09-01&expand=sessions&{ALL}")
    assert set(ids(answer)) == expected
    assert len(expected) == 53
    assert ask(f"/v1/places/{center['id']}/camps?from=2024-09-01&{ALL}") == []


def test_the_camps_of_the_department(ask: Ask) -> None:
    """Their first days are 15 (two), 18 (two) and 19 February."""
    organization = ask("/v1/seattle/camps?from=2025-01-01&limit=1")[0]["organization"]["id"]
    answer = ask(f"/v1/organizations/{organization}/camps?from=2025-01-01&{ALL}")
    assert [camp["starts_on"][-2:] for camp in answer] == ["15", "15", "18", "18", "19"]
    assert ids(answer) == ids(ask(f"/v1/sea/camps?from=2025-01-01&{ALL}"))


def test_a_class_beside_the_hours_of_its_center(fetch: Ask, export: Rows) -> None:
    hours = {row["name"]: row["Open Hours on Monday"] for row in export("seattle-centers")}
    path = "/v1/seattle/classes?from=2025-01-01&q=pottery&expand=place,sessions&limit=200"
    data = fetch(f"{path}&fields=name,expanded.place.name,expanded.place.hours.monday&{ALL}")["data"]
    places = [item["expanded"]["place"] for item in data]
    assert None in places  # a pottery trip, in no center
    shown = {place["name"]: place["hours"]["monday"] for place in places if place}
    assert shown == {name: hours[name] for name in shown}
    assert {name: shown[name] for name in ("Ballard Community Center", "Green Lake Community Center")} == {
        "Ballard Community Center": "9am-8pm", "Green Lake Community Center": "10am-9pm",
    }  # fmt: skip
    assert set(data[0]) == {"id", "type", "name", "expanded"}
