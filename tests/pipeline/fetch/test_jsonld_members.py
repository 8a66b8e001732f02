"""Members of listings in JSON-LD, with each oddity as some software writes it."""

from typing import Any

import pytest

from tests.pipeline.fetch.documents import ADDRESS, WRITTEN, ReadJsonld, event, the_one


@pytest.mark.parametrize(
    ("stated", "price"),
    [
        ({"offers": {"price": "0"}}, {"type": "free", "min": 0.0, "max": 0.0}),
        ({"offers": {"price": 12.5, "priceCurrency": "USD"}},
         {"type": "fixed", "min": 12.5, "max": 12.5, "currency": "USD"}),
        ({"offers": [{"price": "5.00"}, {"price": "$1,200"}]}, {"type": "range", "min": 5.0, "max": 1200.0}),
        ({"offers": {"price": "12,50 €"}}, {"type": "fixed", "min": 12.5, "max": 12.5}),
        ({"offers": {"price": "25.0000"}}, {"type": "fixed", "min": 25.0, "max": 25.0}),
        ({"offers": {"price": "12.500"}}, {"type": "fixed", "min": 12.5, "max": 12.5}),
        ({"offers": {"price": "$1,200.50"}}, {"type": "fixed", "min": 1200.5, "max": 1200.5}),
        ({"offers": {"price": "1.200,50 €"}}, {"type": "fixed", "min": 1200.5, "max": 1200.5}),
        ({"offers": {"price": "Free"}}, {"type": "free", "min": 0.0, "max": 0.0}),
        ({"offers": {"price": "Suggested donation"}}, {"type": "donation", "note": "Suggested donation"}),
        ({"offers": {"price": "Varies"}}, {"type": "varies", "note": "Varies"}),
        ({"offers": {"price": "up to $20"}}, {"type": "range", "max": 20.0, "note": "up to $20"}),
        ({"offers": {"price": "$20 max."}}, {"type": "range", "max": 20.0, "note": "$20 max."}),
        ({"offers": {"price": "from $12"}}, {"type": "from", "min": 12.0, "note": "from $12"}),
        ({"offers": {"price": "Starting at $1,200"}}, {"type": "from", "min": 1200.0, "note": "Starting at $1,200"}),
        ({"offers": {"price": "$15+"}}, {"type": "from", "min": 15.0, "note": "$15+"}),
        ({"offers": {"price": "$15 and up"}}, {"type": "from", "min": 15.0, "note": "$15 and up"}),
        ({"offers": {"price": "ab 5 €"}}, {"type": "from", "min": 5.0, "note": "ab 5 €"}),
        ({"offers": {"price": "bis zu 9 €"}}, {"type": "range", "max": 9.0, "note": "bis zu 9 €"}),
        ({"offers": [{"price": "from $12"}, {"price": 30}]},
         {"type": "range", "min": 12.0, "max": 30.0, "note": "from $12"}),
        ({"offers": [{"price": 5}, {"price": "up to $20"}]},
         {"type": "range", "min": 5.0, "max": 20.0, "note": "up to $20"}),
        ({"offers": {"price": "$12 per family"}}, {"type": "fixed", "min": 12.0, "max": 12.0}),
        ({"offers": {"price": "Upton members $3"}}, {"type": "fixed", "min": 3.0, "max": 3.0}),
        ({"offers": {"price": ""}}, {}),
        ({"offers": {"@type": "AggregateOffer", "lowPrice": "5", "highPrice": 9}},
         {"type": "range", "min": 5.0, "max": 9.0}),
        ({"offers": {"@type": "AggregateOffer", "lowPrice": "5"}}, {"type": "from", "min": 5.0}),
        ({"offers": {"@type": "AggregateOffer", "offers": [{"price": 3}, {"price": 4}]}},
         {"type": "range", "min": 3.0, "max": 4.0}),
        ({"offers": {"priceSpecification": {"price": 8, "priceCurrency": "CAD"}}},
         {"type": "fixed", "min": 8.0, "max": 8.0, "currency": "CAD"}),
        ({"isAccessibleForFree": True}, {"type": "free", "min": 0.0, "max": 0.0}),
        ({"isAccessibleForFree": "http://schema.org/True"}, {"type": "free", "min": 0.0, "max": 0.0}),
        ({"isAccessibleForFree": True, "offers": {"price": 4}}, {"type": "fixed", "min": 4.0, "max": 4.0}),
    ],
)  # fmt: skip
def test_offers_are_a_price(read_jsonld: ReadJsonld, stated: dict[str, Any], price: dict[str, Any]) -> None:
    feed = the_one(read_jsonld(event(**stated))).get("price", {})
    assert {name: value for name, value in feed.items() if value is not None} == price


def test_an_address_that_is_none_is_left_out_and_reported(read_jsonld: ReadJsonld) -> None:
    stated = {"url": "javascript:alert(1)", "image": "a.jpg", "offers": {"price": 4, "url": "/tickets"}}
    feed = read_jsonld(event(**stated))
    assert {(problem.field, problem.value) for problem in feed.problems} == {
        ("source.url", "javascript:alert(1)"), ("image_url", "a.jpg"), ("ticket_url", "/tickets"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("stated", "ages"),
    [
        ({"typicalAgeRange": "7-9"}, (7, 9)),
        ({"typicalAgeRange": "11-"}, (11, None)),
        ({"typicalAgeRange": "-5"}, (0, 5)),
        ({"typicalAgeRange": "0–3"}, (0, 3)),
        ({"typicalAgeRange": "5+"}, (5, None)),
        ({"typicalAgeRange": "8"}, (8, 8)),
        ({"typicalAgeRange": "Grades K–2"}, (5, 8)),
        ({"typicalAgeRange": "6th-8th grade"}, (11, 14)),
        ({"typicalAgeRange": "All ages"}, (None, None)),
        ({"typicalAgeRange": {"@type": "QuantitativeValue", "minValue": 3, "maxValue": "5"}}, (3, 5)),
        ({"ageRange": {"type": "QuantitativeValue", "minValue": 16}}, (16, None)),
        ({"audience": {"@type": "PeopleAudience", "suggestedMinAge": "4", "suggestedMaxAge": 6.0}}, (4, 6)),
        ({"audience": {"suggestedAge": {"minValue": 2}}}, (2, None)),
    ],
)
def test_ages_are_read_where_they_are_said(
    read_jsonld: ReadJsonld, stated: dict[str, Any], ages: tuple[int | None, int | None]
) -> None:
    feed = the_one(read_jsonld(event(**stated)))["ages"]
    assert (feed["min"], feed["max"]) == ages


WHERE = {"street_address": "1 Pine St", "city": "Seattle", "state": "WA", "zip": "98101"}


@pytest.mark.parametrize(
    ("location", "members"),
    [
        ("Ballard Library", {"address": "Ballard Library"}),
        (ADDRESS | {"@type": "PostalAddress"}, WHERE | {"address": WRITTEN}),
        ({"@type": "Place", "name": "Hall", "address": ADDRESS}, WHERE | {"address": f"Hall, {WRITTEN}"}),
        ({"@type": "Place", "name": "Hall", "address": "Hall, 1 Pine St"}, {"address": "Hall, 1 Pine St"}),
        ({"@type": "Place", "name": "Hall", "address": [ADDRESS]}, WHERE | {"address": f"Hall, {WRITTEN}"}),
        (
            {"@type": "Place", "address": {**ADDRESS, "addressRegion": {"@type": "State", "name": "WA"}}},
            WHERE | {"address": WRITTEN},
        ),
        (
            {"@type": "Place", "name": "Hall", "geo": {"latitude": "47.61", "longitude": -122.33}},
            {"address": "Hall", "lat": 47.61, "lng": -122.33},
        ),
        ({"@type": "Place", "name": "Hall", "geo": {"latitude": "47,61", "longitude": "-122,33"}},
         {"address": "Hall", "lat": 47.61, "lng": -122.33}),
        ({"@type": "Place", "name": "Hall", "latitude": 47.61, "longitude": -122.33},
         {"address": "Hall", "lat": 47.61, "lng": -122.33}),
        ({"@type": "Place", "name": "Hall", "geo": {"latitude": 0, "longitude": "0.0"}}, {"address": "Hall"}),
        ({"@type": "Place", "name": "Hall", "geo": {"@type": "GeoShape", "box": "1 2 3 4"}}, {"address": "Hall"}),
        ([{"@type": "VirtualLocation", "url": "https://v.example"}, {"@type": "Place", "name": "Hall"}],
         {"address": "Hall"}),
        ({"@type": "Place", "name": ""}, {}),
        ({"@type": "Place", "name": "Room 2", "containedInPlace": {"name": "Hall", "address": "1 Pine St"}},
         {"address": "Room 2, Hall, 1 Pine St"}),
    ],
)  # fmt: skip
def test_a_location_is_a_text_an_address_or_a_place(
    read_jsonld: ReadJsonld, location: Any, members: dict[str, Any]
) -> None:
    feed = the_one(read_jsonld(event(location=location))).get("location") or {}
    assert {name: value for name, value in feed.items() if value is not None} == members


def test_what_is_on_the_web_alone_is_a_keyword_and_nowhere(read_jsonld: ReadJsonld) -> None:
    record = the_one(read_jsonld(event(location={"@type": "VirtualLocation", "url": "https://v.example"})))
    assert (record["keywords"], "location" in record) == (["online"], False)


@pytest.mark.parametrize(
    ("status", "members"),
    [
        ("https://schema.org/EventScheduled", ("published", None)),
        ("http://schema.org/EventCancelled", ("archived", "cancelled")),
        ("EventCancelled", ("archived", "cancelled")),
        ({"@id": "schema:EventCancelled"}, ("archived", "cancelled")),
        (["EventRescheduled", "EventPostponed"], ("archived", "unpublished")),
        ("EventRescheduled", ("published", None)),
        ("EventMovedOnline", ("published", None)),
    ],
)
def test_what_is_cancelled_or_postponed_is_not_shown(
    read_jsonld: ReadJsonld, status: Any, members: tuple[str, str | None]
) -> None:
    record = the_one(read_jsonld(event(eventStatus=status)))
    assert (record["status"], record.get("reason")) == members


@pytest.mark.parametrize(
    ("organizer", "name"),
    [
        ("City Library", "City Library"),
        ({"@type": "Organization", "name": "City Library"}, "City Library"),
        ({"@type": ["Organization", "Brand"], "name": ["City Library"]}, "City Library"),
        ([{"@type": "Person", "name": "Ann"}, {"@type": "Organization", "name": "City Library"}], "City Library"),
        ({"@type": "Person", "name": "Ann"}, None),
        ("https://a.example/organizer", None),
    ],
)
def test_an_organizer_is_an_organization_and_no_person(
    read_jsonld: ReadJsonld, organizer: Any, name: str | None
) -> None:
    feed = the_one(read_jsonld(event(organizer=organizer))).get("organization") or {}
    assert feed.get("name") == name


@pytest.mark.parametrize(
    "image",
    [
        "https://a.example/i.jpg",
        ["https://a.example/i.jpg", "https://a.example/j.jpg"],
        {"@type": "ImageObject", "url": "https://a.example/i.jpg"},
        [{"@type": "ImageObject", "contentUrl": "https://a.example/i.jpg"}],
        {"@list": ["https://a.example/i.jpg"]},
        ["data:image/png;base64,xxxx", "//a.example/i.jpg"],
        {"@id": "https://a.example/i.jpg"},
    ],
)
def test_an_image_is_an_address_an_object_or_a_list(read_jsonld: ReadJsonld, image: Any) -> None:
    assert the_one(read_jsonld(event(image=image)))["image_url"] == "https://a.example/i.jpg"


@pytest.mark.parametrize(
    ("stated", "hours"),
    [
        (
            {"openingHoursSpecification": [
                {"dayOfWeek": ["https://schema.org/Monday", "Tuesday"], "opens": "10:00:00", "closes": "17:30"},
                {"dayOfWeek": "Mo", "opens": "19:00", "closes": "21:00"},
                {"dayOfWeek": "Sunday", "opens": "00:00", "closes": "00:00"},
                {"dayOfWeek": {"@id": "schema:Saturday"}, "opens": "00:00", "closes": "23:59"},
                {"validFrom": "2026-12-24", "validThrough": "2026-12-26"},
            ]},
            {"monday": "10:00–17:30, 19:00–21:00", "tuesday": "10:00–17:30", "sunday": "closed",
             "saturday": "open 24 hours", "exceptions": "2026-12-24 to 2026-12-26: closed"},
        ),
        ({"openingHours": "Mo-We 09:00-17:00"}, dict.fromkeys(("monday", "tuesday", "wednesday"), "09:00–17:00")),
        ({"openingHours": ["Sa,Su 10:00 - 16:00"]}, dict.fromkeys(("saturday", "sunday"), "10:00–16:00")),
        ({"openingHours": "Mo-Tu 09:00-17:00; Sa 10:00-14:00"},
         {"monday": "09:00–17:00", "tuesday": "09:00–17:00", "saturday": "10:00–14:00"}),
        ({"openingHours": ["Sat & Sun 10:00-16:00", "Mo,We,Th 9am-5pm"]},
         {"monday": "09:00–17:00", "wednesday": "09:00–17:00", "thursday": "09:00–17:00",
          "saturday": "10:00–16:00", "sunday": "10:00–16:00"}),
        ({"openingHours": "Mo-Tu 09:00-12:00, 14:00-18:00"},
         dict.fromkeys(("monday", "tuesday"), "09:00–12:00, 14:00–18:00")),
        ({"openingHours": "Sa 00:00-24:00"}, {"saturday": "open 24 hours"}),
        # What says more than weekdays and hours is quoted whole: a part of it would say something else.
        ({"openingHours": "by arrangement"}, {"notes": "by arrangement"}),
        ({"openingHours": ["1st Sat 10:00-16:00", "Sa 10:00-14:00 in summer"]},
         {"notes": "1st Sat 10:00-16:00\nSa 10:00-14:00 in summer"}),
        ({"openingHours": ["Mo-Fr 10:00-4:00pm, Sa 10:00-14:00 (closed in May)", "Xx 10:00-12:00"]},
         {"notes": "Mo-Fr 10:00-4:00pm, Sa 10:00-14:00 (closed in May)\nXx 10:00-12:00"}),
    ],
)  # fmt: skip
def test_a_place_is_open_on_weekdays(read_jsonld: ReadJsonld, stated: dict[str, Any], hours: dict[str, str]) -> None:
    feed = the_one(read_jsonld({"@type": "Museum", "@id": "https://a.example/m", "name": "Museum", **stated})).get(
        "hours", {}
    )
    assert {name: value for name, value in feed.items() if value is not None} == hours


def test_words_of_the_vocabulary_are_categories_and_the_others_keywords(read_jsonld: ReadJsonld) -> None:
    stated = {
        "@type": "TheaterEvent",
        "keywords": "Nature Outdoors, owls",
        "genre": "Puppetry",
        "activity": [{"prefLabel": "Yoga"}],
    }
    record = the_one(read_jsonld(event(**stated)))
    assert (record["categories"], record["keywords"]) == (
        ["theater_shows", "nature_outdoors"],
        ["owls", "Puppetry", "Yoga"],
    )
