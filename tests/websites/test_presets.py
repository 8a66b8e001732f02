"""Each known system of websites is read whole by an address as a person has it, to the dates of a list by hand."""

from collections.abc import Callable
from datetime import date

import pytest

from pipeline.clean.feed_read import FeedRead
from pipeline.fetch.source import FeedError
from pipeline.fetch.urls import fill_days
from tests.pipeline.fetch.web import Page
from tests.websites import systems
from tests.websites.internet import Internet

Read = Callable[..., FeedRead]


def list_dates(read: FeedRead) -> list[tuple[str, str, str, str]]:
    assert read.problems == ()
    return sorted(
        (record.name, record.starts_local.isoformat(), record.ends_local.isoformat(), record.status)
        for record in read.records
    )


@pytest.mark.parametrize("url", ["https://city.bibliocommons.com/v2/events", "https://city.bibliocommons.com"])
def test_the_ids_of_bibliocommons_become_events_with_their_branch(
    read_preset: Read, internet: Internet, url: str
) -> None:
    events = [systems.make_biblio_event(number) for number in range(1, 6)]
    events[1] |= {"isCancelled": True}
    events[2] |= {"audienceIds": ["k1"], "branchLocationId": None, "locationDetails": "Courthouse Square"}
    internet.pages["gateway.bibliocommons.com/v2/libraries/city/events"] = systems.make_bibliocommons(events)
    read = read_preset("bibliocommons", url)
    assert list_dates(read) == [
        ("Baby Bounce 1", "2026-12-01T10:30:00", "2026-12-01T11:00:00", "published"),
        ("Baby Bounce 2", "2026-12-02T10:30:00", "2026-12-02T11:00:00", "archived"),
        ("Baby Bounce 3", "2026-12-03T10:30:00", "2026-12-03T11:00:00", "published"),
        ("Baby Bounce 4", "2026-12-04T10:30:00", "2026-12-04T11:00:00", "published"),
        ("Baby Bounce 5", "2026-12-05T10:30:00", "2026-12-05T11:00:00", "published"),
    ]
    records = {record.name: record for record in read.records}
    first, moved = records["Baby Bounce 1"], records["Baby Bounce 3"]
    assert (first.location.address, first.location.city) == ("Central Branch, Forum Room", "Santa Rosa")
    assert (first.location.street_address, first.location.zip) == ("211 E St", "95404")
    assert first.location.lat == 38.441
    assert (first.ages.text, first.keywords) == ("Babies (0-18 months)", ("Babies (0-18 months)", "Storytime"))
    assert (moved.location.address, moved.location.lat, moved.ages.text) == ("Courthouse Square", None, "Grades K-2")
    assert len(internet.requests) == 3


def test_communico_is_asked_for_the_days_from_today_on(
    read_preset: Read, internet: Internet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(systems, "FIRST", date(2030, 11, 30))
    rows = [systems.make_communico_event(number) for number in range(1, 4)]
    rows[1] |= {"title": "CANCELLED: Toddler Time 2", "event_type": "VIRTUAL"}
    rows[2] |= {"private_event": "1", "sub_title": "Staff"}
    over = systems.make_communico_event(4, raw_start_time="2026-01-05 17:30:00", raw_end_time="2026-01-05 18:00:00")
    internet.pages["city.libnet.info/eeventcaldata"] = systems.make_communico([*rows, over])
    read = read_preset("communico", "https://city.libnet.info/events?v=grid")
    assert list_dates(read) == [
        ("CANCELLED: Toddler Time 2", "2030-12-02T17:30:00", "2030-12-02T18:15:00", "archived"),
        ("Toddler Time 1", "2030-12-01T17:30:00", "2030-12-01T18:15:00", "published"),
        ("Toddler Time 3: Staff", "2030-12-03T17:30:00", "2030-12-03T18:15:00", "draft"),
    ]
    records = {record.source_id: record for record in read.records}
    assert records["101"].location.address == "Story Room, Northside"
    assert (records["101"].ages.text, records["101"].keywords) == ("Birth to 5", ("Birth to 5", "Storytime"))
    assert "online" in records["102"].keywords


@pytest.mark.parametrize("url", ["https://city.libcal.com/calendar?cid=44", "https://city.libcal.com/rss.php?cid=44"])
def test_the_rss_of_libcal_has_its_own_times_ages_and_rooms(read_preset: Read, internet: Internet, url: str) -> None:
    days = [("Storytime", "2026-12-02"), ("Lego Club", "2026-12-09"), ("CANCELED: Chess", "2026-12-10")]
    internet.pages["city.libcal.com/rss.php"] = systems.make_libcal_rss(days)
    read = read_preset("libcal-rss", url)
    assert list_dates(read) == [
        ("CANCELED: Chess", "2026-12-10T16:30:00", "2026-12-10T17:15:00", "archived"),
        ("Lego Club", "2026-12-09T16:30:00", "2026-12-09T17:15:00", "published"),
        ("Storytime", "2026-12-02T16:30:00", "2026-12-02T17:15:00", "published"),
    ]
    first = read.records[0]
    assert (first.location.address, first.description) == ("Room 2, West Branch", "Long text.")
    assert first.ages.text == "Children Ages 0-5, Families"
    assert "m=month" in internet.addresses[0]


@pytest.mark.parametrize("suffix", ["", ".rss", ".ics", ".json"])
def test_the_fields_of_trumba_are_found_by_their_labels(read_preset: Read, internet: Internet, suffix: str) -> None:
    rows = [systems.make_trumba_event(number) for number in range(1, 4)]
    rows[1] |= {"canceled": True, "customFields": []}
    rows[2] |= {"customFields": [{"label": "Fee", "value": "Free"}, {"label": "Room", "value": "B"}]}
    internet.pages["www.trumba.com/calendars/parks.json"] = systems.make_json(rows)
    read = read_preset("trumba", f"https://www.trumba.com/calendars/parks{suffix}")
    assert list_dates(read) == [
        ("Nature Walk & Talk 1", "2026-12-01T09:00:00", "2026-12-01T10:30:00", "published"),
        ("Nature Walk & Talk 2", "2026-12-02T09:00:00", "2026-12-02T10:30:00", "archived"),
        ("Nature Walk & Talk 3", "2026-12-03T09:00:00", "2026-12-03T10:30:00", "published"),
    ]
    first, bare, free = read.records
    assert (first.location.address, first.ages.text) == ("Howarth Park", "5 to 12")
    assert (first.price.min, first.price.max, first.price.note) == (3, 8, "$3 - $8")
    assert (bare.ages.text, bare.price.note, free.price.note, free.price.max) == (None, None, "Free", 0)


def test_a_trumba_without_any_field_is_read(read_preset: Read, internet: Internet) -> None:
    row = systems.make_trumba_event(1, customFields=None)
    internet.pages["www.trumba.com/calendars/parks.json"] = systems.make_json([row])
    assert len(read_preset("trumba", "https://www.trumba.com/calendars/parks").records) == 1


@pytest.mark.parametrize("member", ["upcoming", "items"])
def test_the_milliseconds_of_squarespace_are_the_citys_hours(
    read_preset: Read, internet: Internet, member: str
) -> None:
    rows = [systems.make_squarespace_event(number) for number in (2, 3)]
    rows[1]["location"] = {"addressTitle": "", "mapLat": 40.7207559, "mapLng": -74.0007613}
    internet.pages["museum.example/events"] = systems.make_json({"website": {}, member: rows})
    read = read_preset("squarespace", "https://museum.example/events")
    assert list_dates(read) == [
        ("Family Studio 2", "2026-12-02T10:00:00", "2026-12-02T12:00:00", "published"),
        ("Family Studio 3", "2026-12-03T10:00:00", "2026-12-03T12:00:00", "published"),
    ]
    first, unset = read.records
    assert (first.location.lat, first.location.address) == (38.44, "Museum, 425 7th St, Santa Rosa, CA")
    assert unset.location is None or unset.location.lat is None
    assert internet.addresses == ["museum.example/events?format=json"]


@pytest.mark.parametrize(
    ("preset", "url", "fetched"),
    [
        ("tockify", "https://tockify.com/city.zoo", "tockify.com/api/feeds/ics/city.zoo"),
        ("livewhale", "https://events.example/", "events.example/live/ical/events"),
        ("meetup", "https://www.meetup.com/city-hikes/events/", "www.meetup.com/city-hikes/events/ical/"),
    ],
)
def test_calendars_are_read_by_the_address_of_their_page(
    read_preset: Read, internet: Internet, preset: str, url: str, fetched: str
) -> None:
    internet.pages[fetched] = systems.make_calendar([("Hike", "20261205T100000", "20261205T120000")])
    assert list_dates(read_preset(preset, url)) == [("Hike", "2026-12-05T10:00:00", "2026-12-05T12:00:00", "published")]


def test_the_page_of_an_organizer_of_eventbrite_is_read(read_preset: Read, internet: Internet) -> None:
    page = systems.make_linked_page([systems.make_linked_event(4), systems.make_linked_event(11)])
    internet.pages["www.eventbrite.com/o/playhouse-123"] = page
    read = read_preset("eventbrite", "https://www.eventbrite.com/o/playhouse-123")
    assert list_dates(read) == [
        ("Puppet Show 11", "2026-12-11T14:00:00", "2026-12-11T15:00:00", "published"),
        ("Puppet Show 4", "2026-12-04T14:00:00", "2026-12-04T15:00:00", "published"),
    ]
    assert (read.records[0].price.min, read.records[0].location.lat) == (12, 38.44)


def test_eventbrite_gives_all_pages_for_a_token(read_preset: Read, internet: Internet) -> None:
    rows = [systems.make_eventbrite_event(number) for number in range(1, 6)]
    rows[4] |= {"status": "canceled"}
    internet.pages["www.eventbriteapi.com/v3/organizers/123/events/"] = systems.make_eventbrite(rows)
    read = read_preset("eventbrite-api", "https://www.eventbrite.com/o/robots-123")
    assert [name for name, *_, status in list_dates(read) if status == "published"] == [
        "Robot Club 1", "Robot Club 2", "Robot Club 3", "Robot Club 4",
    ]  # fmt: skip
    first = read.records[0]
    assert (first.price.type, first.location.address, first.location.lat) == ("free", "Lab, 9 B St", 38.44)


def test_ticketmaster_gives_all_pages_for_a_key(read_preset: Read, internet: Internet) -> None:
    rows = [systems.make_ticketmaster_event(number) for number in range(1, 6)]
    rows[4]["dates"] = {"start": {"localDate": "2026-12-30"}, "status": {"code": "cancelled"}}
    internet.pages["app.ticketmaster.com/discovery/v2/events.json"] = systems.make_ticketmaster(rows)
    read = read_preset("ticketmaster", "https://app.ticketmaster.com/discovery/v2/events.json?city=Santa+Rosa")
    assert (len(read.records), read.problems) == (5, ())
    first, last = read.records[0], read.records[-1]
    assert (first.starts_local.isoformat(), first.price.min, first.price.max) == ("2026-12-01T19:00:00", 20, 45.5)
    assert (first.location.address, first.location.lat) == ("Arena, 10 Arena Way", 38.43)
    assert (last.date_on.isoformat(), last.reason) == ("2026-12-30", "cancelled")
    assert "apikey=secret-key" in internet.addresses[0]


@pytest.mark.parametrize("encoded", ["{today}/{today+90d}", "%7Btoday%7D/%7Btoday%2B90d%7D"])
def test_an_address_may_have_the_day_on_which_it_is_read(encoded: str) -> None:
    assert fill_days(f"https://a.example/{encoded}", date(2026, 12, 5)).endswith("/2026-12-05/2027-03-05")
    assert fill_days("https://a.example/{today-7d}", date(2026, 12, 5)).endswith("/2026-11-28")


@pytest.mark.parametrize(
    ("page", "message"),
    [
        (systems.make_html("Just a moment…", head="<title>Checking your browser</title>"), "is a web page"),
        (systems.make_html("Blocked", status=403), "answers 403"),
        (Page(b"", status=429), "answers 429, as it was asked too often (3 times)"),
        (
            Page(b"", status=429, headers={"Retry-After": "7200"}),
            "answers 429, as it was asked too often, and asks for a pause of 7200 s",
        ),
    ],
)
def test_a_source_that_refuses_says_how(read_preset: Read, internet: Internet, page: Page, message: str) -> None:
    internet.pages["gateway.bibliocommons.com/v2/libraries/city/events"] = page
    with pytest.raises(FeedError) as refused:
        read_preset("bibliocommons", "https://city.bibliocommons.com")
    assert message in str(refused.value)


def test_the_same_page_for_ever_ends_at_once(read_preset: Read, internet: Internet) -> None:
    serve = systems.make_bibliocommons([systems.make_biblio_event(number) for number in range(1, 6)])
    internet.pages["gateway.bibliocommons.com/v2/libraries/city/events"] = lambda _: serve("/?page=1")
    with pytest.raises(FeedError, match="has the same rows as a page before it"):
        read_preset("bibliocommons", "https://city.bibliocommons.com")
    assert len(internet.requests) == 2
