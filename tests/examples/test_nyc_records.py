"""Records that the example's SQL makes of New York's two files, compared row by row with the files."""

import re
from collections import Counter
from datetime import datetime, timedelta
from html import unescape
from typing import Any

import pytest

from tests.examples.cities import Row, Rows


@pytest.fixture(scope="module")
def events(records: Rows) -> dict[str, Row]:
    return {record["source_id"]: record for record in records("nyc-events")}


@pytest.fixture(scope="module")
def places(records: Rows) -> list[Row]:
    return records("nyc-places")


def test_every_row_is_one_event_by_its_number_without_commas(events: dict[str, Row], export: Rows) -> None:
    assert len(export("nyc-events")) == 1757
    assert set(events) == {row["guid"].replace(",", "") for row in export("nyc-events")}
    assert {record["type"] for record in events.values()} == {"event"}


def test_an_event_starts_on_its_startdate_at_the_clock_of_its_starttime(events: dict[str, Row], export: Rows) -> None:
    wrong_days = 0
    for row in export("nyc-events"):
        day = datetime.strptime(row["startdate"], "%m/%d/%Y")
        clock = datetime.strptime(row["starttime"], "%Y-%m-%d %H:%M:%S")
        wrong_days += clock.date() != day.date()
        expected = datetime.combine(day, clock.time()).isoformat()
        assert events[row["guid"].replace(",", "")]["starts_local"] == expected
    assert wrong_days == 1713


def test_an_event_ends_after_it_starts_or_says_no_end(events: dict[str, Row]) -> None:
    assert [record["name"] for record in events.values() if record["ends_local"] is None] == [
        "Groundswell Community Mural Project Paint Day"
    ]
    overnight = [
        (record["name"], record["starts_local"], record["ends_local"])
        for record in events.values()
        if record["ends_local"] and record["ends_local"][:10] != record["starts_local"][:10]
    ]
    assert sorted(overnight) == [
        ("Family Camping: Manhattan", "2026-08-14T19:00:00", "2026-08-15T08:00:00"),
        ("Family Camping: Queens", "2026-08-15T18:00:00", "2026-08-16T07:00:00"),
        ("Family Camping: Staten Island", "2026-08-16T18:00:00", "2026-08-17T07:00:00"),
    ]
    for record in events.values():
        if record["ends_local"]:
            length = datetime.fromisoformat(record["ends_local"]) - datetime.fromisoformat(record["starts_local"])
            assert timedelta(0) < length < timedelta(hours=16)


def test_the_first_of_several_points_is_taken_and_no_point_is_no_point(events: dict[str, Row], export: Rows) -> None:
    several = 0
    for row in export("nyc-events"):
        location = events[row["guid"].replace(",", "")]["location"]
        points = re.findall(r"(-?\d+\.\d+), (-?\d+\.\d+)", row["coordinates"])
        several += len(points) > 1
        if row["location"] == "Virtual/Online Events":
            assert (location["address"], location["lat"], location["city"]) == ("Virtual/Online Events", None, None)
        elif points:
            assert (location["lat"], location["lng"]) == tuple(float(number) for number in points[0])
            assert location["address"] == row["location"]
        else:
            assert (row["guid"], location) == ("2,217,548", None)
    assert several == 17


def test_texts_are_text_without_entities(events: dict[str, Row], export: Rows) -> None:
    for row in export("nyc-events"):
        record = events[row["guid"].replace(",", "")]
        title = re.sub(r"\s+", " ", unescape(row["title"])).strip().removeprefix("CANCELED: ")
        text = re.sub(r"^\?[^?]+\(Parks\)\?", "", row["description"])
        assert record["name"] == title
        assert record["description"] == re.sub(r"\s+", " ", unescape(text)).strip()


def test_a_cancelled_event_is_a_removal_under_its_own_name(events: dict[str, Row]) -> None:
    cancelled = [record for record in events.values() if record["status"] == "archived"]
    assert len(cancelled) == 11
    assert {record["reason"] for record in cancelled} == {"cancelled"}
    assert "Chair Yoga" in {record["name"] for record in cancelled}
    assert {record["reason"] for record in events.values() if record["status"] == "published"} == {None}


def test_the_citys_words_are_keywords_and_only_known_ones_categories(events: dict[str, Row], export: Rows) -> None:
    for row in export("nyc-events"):
        keywords = events[row["guid"].replace(",", "")]["keywords"]
        parks = unescape(row["parknames"]).split(", ") if row["parknames"] else []
        assert keywords == [word.strip() for word in row["categories"].split("|")] + parks
    assert sum("Best for Kids" in record["keywords"] for record in events.values()) == 757
    of_film = [record for record in events.values() if "Film" in record["keywords"]]
    assert len(of_film) == 56
    assert all("theater_shows" in record["categories"] for record in of_film)
    talk = next(record for record in events.values() if record["keywords"][:2] == ["Talks", "Workshops"])
    assert talk["categories"] == []


@pytest.mark.parametrize(
    ("guid", "name", "ages"),
    [
        # read by hand from the descriptions
        ("2211532", "Adventure Course Free Public Sunday Morning Program", (8, None, "ages 8 and older")),
        ("2219721", "Summer Birding", (10, None, "Ages 10 and older")),
        ("2095486", "NYRR Open Run: Marine Park", (None, None, "all ages")),
        ("2146733", "Summer on the Hudson: Tai Chi", (None, None, None)),
        ("2179106", "Family Camping: Manhattan", (None, None, None)),
    ],
)
def test_ages_are_those_that_the_text_says(events: dict[str, Row], guid: str, name: str, ages: tuple[Any, ...]) -> None:
    record = events[guid]
    assert record["name"] == name
    assert (record["ages"]["min"], record["ages"]["max"], record["ages"]["text"]) == ages


def test_ages_of_whole_programs(events: dict[str, Row]) -> None:
    def list_ages(part: str) -> set[tuple[int | None, int | None]]:
        results = [record["ages"] for record in events.values() if part in record["name"]]
        assert results
        return {(ages["min"], ages["max"]) for ages in results}

    assert list_ages("Children's Learn to Swim") == {(6, 17)}
    assert list_ages("Tots Learn to Swim") == {(1, 5)}  # "from 1 1/2 to 5 years old"
    assert list_ages("Senior Cardio Sculpt") == {(60, None)}
    assert list_ages("(Ages: 5 to 7)") == {(5, 7)}
    # A film's "inappropriate for children under 13" is no age of the evening.
    assert list_ages("Movies Under the Stars") <= {(None, None)}


def test_a_price_is_one_that_the_text_says(events: dict[str, Row]) -> None:
    def list_types(part: str) -> Counter[str | None]:
        return Counter(
            record["price"] and record["price"]["type"] for record in events.values() if part in record["name"]
        )

    assert Counter(record["price"] and record["price"]["type"] for record in events.values()) == {
        "free": 841,
        "range": 7,
        "donation": 5,
        None: 904,
    }
    assert list_types("NYRR Open Run") == {"free": 31}
    assert list_types("Lap Swim") == {None: list_types("Lap Swim")[None]}
    ride = next(record for record in events.values() if record["price"] and record["price"]["type"] == "range")
    assert ride["name"].startswith("Wheel Fun Rentals")
    assert (ride["price"]["min"], ride["price"]["max"]) == (29, 39)
    # A park that "received $30 million" still has its free run.
    assert {record["price"]["type"] for record in events.values() if "$30 million" in record["description"]} == {"free"}


def test_registration_is_required_full_or_not_said(events: dict[str, Row], export: Rows) -> None:
    required = {"": None, "Registration not required.": False, "Registration is closed.": True}
    for row in export("nyc-events"):
        record = events[row["guid"].replace(",", "")]
        text = row["registration_description"]
        if text in required:
            assert record["registration_required"] is required[text]
        assert record["is_sold_out"] is (True if text.startswith("Registration for this event is full") else None)
        assert record["registration_url"] == (row["registration_url"] or None)
    assert sum(record["is_sold_out"] is True for record in events.values()) == 16


def test_where_an_event_comes_from_is_its_page_and_the_exports_time(events: dict[str, Row]) -> None:
    assert events["2146733"]["source"] == {
        "url": "https://www.nycgovparks.org/events/2026/08/09/summer-on-the-hudson-tai-chi",
        "crawled_at": "2026-08-09T04:00:04Z",  # 00:00:04 in New York
    }


def test_every_row_is_one_place_and_only_five_are_there_twice(places: list[Row], export: Rows) -> None:
    assert len(places) == len(export("nyc-places")) == 6613
    twice = {key: count for key, count in Counter(place["source_id"] for place in places).items() if count > 1}
    assert sorted(twice.values()) == [2] * 5
    alike = Counter(repr(sorted(row.items(), key=lambda item: item[0])) for row in export("nyc-places"))
    assert sorted(count for count in alike.values() if count > 1) == [2] * 5
    assert all(key.startswith("spray:") for key in twice)


def test_a_places_id_does_not_depend_on_its_neighbours(places: list[Row], export: Rows) -> None:
    """Ids are computed from the row's own members, without its number in the file."""
    made = Counter()
    for row in export("nyc-places"):
        point = ",".join(repr(number) for number in row["c"])
        made[":".join([row["kind"], row["prop"], point, *filter(None, [row.get("size")])])] += 1
    assert made == Counter(place["source_id"] for place in places)


def test_a_point_is_latitude_then_longitude(places: list[Row]) -> None:
    assert all(40.48 < place["location"]["lat"] < 40.93 for place in places)
    assert all(-74.27 < place["location"]["lng"] < -73.68 for place in places)


def test_a_place_says_what_it_is(places: list[Row]) -> None:
    by_id = {place["source_id"]: place for place in places}
    court = by_id["court:B163:40.67631,-73.884572"]
    assert court["name"] == "Sperandeo Brothers Playground: handball court"
    assert (court["type_hint"], court["type_hint_notes"]) == ("park", "Asphalt")
    assert court["keywords"] == ["court", "Brooklyn", "Handball"]
    playground = by_id["playground:B599:40.676061,-73.926899"]
    assert (playground["name"], playground["is_outdoor"]) == ("Kingsborough Houses Pacific Playground", True)
    assert playground["location"]["address"] == "Pacific St. bet. Rochester Ave. and Buffalo Ave., Brooklyn"
    pools = [place for place in places if place["name"] == "Tony Dapolito Outdoor Pool"]
    assert sorted(place["type_hint_notes"] for place in pools) == ["100' x 50' x 9', accessible", "35' x 47' x 9'"]
    assert Counter(place["type_hint"] for place in places) == {
        "park": 4072 + 1112,
        "playground": 1304,
        "pool": 79,
        "community_center": 37,
        "sports_center": 9,
    }
    assert not [place["name"] for place in places if re.search(r"&\w+;|Pool Pool", place["name"])]
