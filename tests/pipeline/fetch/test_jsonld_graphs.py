"""JSON-LD nodes that are listings, their identities, and their parts."""

from typing import Any

import pytest

from tests.pipeline.fetch.documents import ADDRESS, CONTEXT, WRITTEN, ReadJsonld, event, show, the_one


@pytest.mark.parametrize(
    ("node", "type_"),
    [
        ({"@type": "http://schema.org/Event"}, "event"),
        ({"@type": "https://schema.org/MusicEvent"}, "event"),
        ({"@type": ["Thing", "schema:ChildrensEvent"]}, "event"),
        ({"@type": "Course"}, "class"),
        ({"@type": ["Course", "Product"]}, "class"),
        ({"@type": "Playground"}, "place"),
        ({"@type": ["Organization", "LocalBusiness"]}, "place"),
        ({"@type": "NGO"}, "organization"),
        ({"type": "SessionSeries", "startDate": "2026-08-12"}, "event"),
    ],
)
def test_subtypes_and_full_names_of_types_are_known(read_jsonld: ReadJsonld, node: dict[str, Any], type_: str) -> None:
    assert the_one(read_jsonld({**node, "@id": "https://a.example/1", "name": "A"}))["type"] == type_


def test_other_types_are_no_listings(read_jsonld: ReadJsonld) -> None:
    nodes = [{"@type": kind, "name": "A"} for kind in ("WebSite", "BreadcrumbList", "Product", "Person", "Review", "")]
    assert read_jsonld(nodes, 7, None, "text").read == 0


def test_full_names_of_members_are_known_and_those_of_others_are_not(read_jsonld: ReadJsonld) -> None:
    record = the_one(
        read_jsonld(
            {
                "@id": "https://a.example/1", "@type": "http://schema.org/Event", "http://schema.org/name": "A walk",
                "schema:startDate": {"@value": "2026-08-12"}, "https://b.example/startDate": "2026-09-09",
                "schema:description": [
                    {"@language": "de", "@value": "Ein Gang"}, {"@language": "en", "@value": "A tour"},
                ],
            }
        )
    )  # fmt: skip
    assert (record["name"], record["date_on"], record["description"]) == ("A walk", "2026-08-12", "A tour")


@pytest.mark.parametrize(
    ("node", "source_id"),
    [
        ({"@id": "https://a.example/1", "identifier": "i", "url": "https://a.example/u"}, "https://a.example/1"),
        ({"@id": "#one"}, "page.jsonld#one"),
        ({"@id": "_:b0", "identifier": ["i", "j"]}, "i"),
        ({"identifier": {"@type": "PropertyValue", "propertyID": "x", "value": 77}}, "77"),
        ({"identifier": 12, "url": "https://a.example/u"}, "12"),
        ({"url": "https://a.example/u"}, "https://a.example/u"),
        ({}, "without-id-b5b6fc8d9c2a6f7d13ac8b9df2b3b6ba"),
    ],
)
def test_a_node_is_known_by_its_id_its_identifier_or_its_address(
    read_jsonld: ReadJsonld, node: dict[str, Any], source_id: str
) -> None:
    feed = the_one(read_jsonld({"@type": "Event", "name": "A", "startDate": "2026-08-12", **node}))["source_id"]
    assert feed.startswith("without-id-") if source_id.startswith("without") else feed == source_id


def test_events_with_the_address_of_their_page_stay_apart_and_true_doubles_are_merged(read_jsonld: ReadJsonld) -> None:
    list_page = [
        {"@type": "Event", "name": name, "startDate": "2026-08-12", "url": "https://a.example/calendar"}
        for name in ("A", "B", "B")
    ]
    feed = read_jsonld(*list_page)
    assert (feed.read, feed.merged, len({record.source_id for record in feed.records})) == (3, 1, 2)


def test_a_graph_s_references_are_followed(read_jsonld: ReadJsonld) -> None:
    graph = {
        **CONTEXT,
        "@graph": [
            {"@type": "WebPage", "@id": "https://a.example/", "mainEntity": {"@id": "#e"}},
            {"@type": "Organization", "@id": "#org", "name": "City Library", "url": "https://a.example/"},
            {
                "@type": "Library", "@id": "#hall", "name": "Hall", "address": ADDRESS,
                "parentOrganization": {"@id": "#org"},
            },
            {
                "@type": "Event", "@id": "#e", "name": "A", "startDate": "2026-08-12", "organizer": "#org",
                "location": {"@id": "#hall"},
            },
        ],
    }  # fmt: skip
    organization, place, walk = (show(record) for record in read_jsonld(graph).records)
    assert organization["website_url"] == "https://a.example/"
    assert (place["location"]["address"], place["type_hint"]) == (WRITTEN, "library")
    assert place["organization"]["source_id"] == organization["source_id"] == "page.jsonld#org"
    assert (walk["place"]["source_id"], walk["organization"]["source_id"]) == ("page.jsonld#hall", "page.jsonld#org")
    assert walk["location"]["address"] == f"Hall, {WRITTEN}"


def test_a_circle_of_references_is_no_circle_of_work(read_jsonld: ReadJsonld) -> None:
    a = {
        "@type": "Event",
        "@id": "#a",
        "name": "A",
        "url": {"@id": "#a"},
        "superEvent": {"@id": "#b"},
        "image": {"@id": "#a"},
    }
    b = {
        "@type": "EventSeries",
        "@id": "#b",
        "name": "B",
        "subEvent": [{"@id": "#a"}, {"@id": "#b"}],
        "location": {"@id": "#b"},
    }
    assert read_jsonld(a, b).quarantined == 0


def test_lists_of_items_and_the_events_of_a_place_are_read(read_jsonld: ReadJsonld) -> None:
    listed = {
        "@type": "ItemList",
        "itemListElement": [{"@type": "ListItem", "position": 1, "item": event()}, event(**{"@id": "https://a.example/2"})],
    }  # fmt: skip
    hall = {
        "@type": "Museum",
        "@id": "https://a.example/3",
        "name": "Hall",
        "event": [event(**{"@id": "https://a.example/4"})],
    }
    feed = read_jsonld(listed, hall)
    assert sorted(record.source_id[-1] for record in feed.records) == ["1", "2", "3", "4"]
    within = next(show(record) for record in feed.records if record.source_id.endswith("4"))
    assert (within["location"]["address"], within["place"]["source_id"]) == ("Hall", "https://a.example/3")


def test_the_parts_of_a_series_are_its_dates_but_for_those_that_are_more(read_jsonld: ReadJsonld) -> None:
    series = event(
        **{
            "@type": "EventSeries",
            "subEvent": [
                {"@type": "Event", "startDate": "2026-08-19T10:00", "endDate": "2026-08-19T11:00"},
                {"@type": "Event", "startDate": "2026-08-12T10:00", "endDate": "2026-08-12T11:00", "name": "A walk"},
                {"@type": "Event", "startDate": "2026-08-26T10:00", "eventStatus": "EventCancelled"},
                {
                    "@type": "Event",
                    "startDate": "2026-09-02T18:00",
                    "name": "A walk by night",
                    "@id": "https://a.example/n",
                },
            ],
            "location": "Park",
        }
    )
    walk, night = (show(record) for record in read_jsonld(series).records)
    assert (walk["starts_local"], walk["ends_local"]) == ("2026-08-12T10:00:00", "2026-08-12T11:00:00")
    assert walk["rdates"] == ["2026-08-19T10:00:00"]
    assert night["source_id"] == "https://a.example/1#https://a.example/n"
    assert (night["name"], night["location"]["address"]) == ("A walk by night", "Park")


def test_a_festival_and_its_events_are_each_an_event(read_jsonld: ReadJsonld) -> None:
    festival = event(
        **{"@type": "Festival", "startDate": "2026-08-12", "endDate": "2026-08-14", "location": "Park",
           "subEvent": [{"@type": "MusicEvent", "name": "Concert", "startDate": "2026-08-13T19:00"}]}
    )  # fmt: skip
    feed = [show(record) for record in read_jsonld(festival).records]
    assert [(record["name"], record["location"]["address"]) for record in feed] == [
        ("A walk", "Park"),
        ("Concert", "Park"),
    ]


def test_parts_with_the_address_of_their_page_stay_apart(read_jsonld: ReadJsonld) -> None:
    parts = [
        {"@type": "Event", "name": name, "url": "https://a.example/program", "startDate": f"2026-08-1{day}T10:00"}
        for day, name in enumerate(("Opening", "Concert", "Concert"))
    ]
    own = {"@type": "Event", "name": "Parade", "@id": "https://a.example/parade", "startDate": "2026-08-14"}
    feed = read_jsonld(event(startDate="2026-08-10", endDate="2026-08-14", subEvent=[*parts, own]))
    assert [record.name for record in feed.records] == ["A walk", "Opening", "Concert", "Concert", "Parade"]
    assert feed.records[-1].source_id == "https://a.example/1#https://a.example/parade"


def test_a_course_of_one_instance_is_a_class_and_of_several_a_class_with_sections(read_jsonld: ReadJsonld) -> None:
    monday = {
        "@type": "CourseInstance", "@id": "https://a.example/mon", "courseMode": "onsite", "startDate": "2026-09-07",
        "endDate": "2026-12-14", "location": "Studio",
        "courseSchedule": {"@type": "Schedule", "byDay": "Monday", "startTime": "16:00", "endTime": "17:00"},
        "offers": {"price": 120, "priceCurrency": "USD", "availability": "https://schema.org/SoldOut"},
    }  # fmt: skip
    friday = {"@type": "CourseInstance", "name": "Fridays", "startDate": "2026-09-11T15:00", "location": "Studio"}
    course = {"@type": "Course", "name": "Clay", "provider": {"@type": "Organization", "name": "Arts Center"}}
    one = the_one(read_jsonld({**course, "@id": "https://a.example/c", "hasCourseInstance": monday}))
    assert one["term"]["starts_on"] == "2026-09-07"
    assert (one["schedule"]["days"], one["schedule"]["start_time"]) == (["monday"], "16:00:00")
    assert (one["price"]["min"], one["registration"]["has_spots_available"]) == (120.0, False)
    assert (one["name"], one["organization"]["name"], one["location"]["address"]) == ("Clay", "Arts Center", "Studio")
    many = the_one(read_jsonld({**course, "@id": "https://a.example/c", "hasCourseInstance": [monday, friday]}))
    first, second = many["sections"]
    assert (first["id"], first["tuition"]["amount"], second["name"]) == ("https://a.example/mon", 120.0, "Fridays")
    assert second["schedule"]["start_time"] == "15:00:00"
    assert many["location"]["address"] == "Studio"


def test_an_instance_by_itself_is_a_class_with_what_its_course_says(read_jsonld: ReadJsonld) -> None:
    instance = {
        "@type": "CourseInstance", "@id": "https://a.example/i", "startDate": "2026-09-07",
        "instanceOfCourse": {"@type": "Course", "name": "Clay"}, "remainingAttendeeCapacity": 3,
    }  # fmt: skip
    record = the_one(read_jsonld(instance))
    assert (record["type"], record["name"], record["registration"]["spots_remaining"]) == ("class", "Clay", 3)
