"""Answers of the systems that libraries, parks and museums keep their events in, in the form of each."""

import json
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.pipeline.fetch.web import Page

Row = dict[str, Any]
# The day before the first of events that are numbered by their days. Tests with a clock set another.
FIRST = date(2026, 11, 30)


def name_day(number: int) -> str:
    return (FIRST + timedelta(days=number)).isoformat()


def count_milliseconds(day: str, hour: int) -> int:
    return int(datetime.combine(date.fromisoformat(day), time(hour), tzinfo=UTC).timestamp() * 1000)


def make_html(body: str, *, head: str = "", language: str = "en", status: int = 200) -> Page:
    text = f'<!DOCTYPE html><html lang="{language}"><head>{head}</head><body>{body}</body></html>'
    return Page(text.encode(), headers={"Content-Type": "text/html; charset=utf-8"}, status=status)


def make_json(content: Any) -> Page:
    return Page(json.dumps(content).encode(), headers={"Content-Type": "application/json"})


def read_query(target: str) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(urlsplit(target).query).items()}


def make_calendar(events: Sequence[tuple[str, str, str]], *, place: str = "Town Hall") -> Page:
    """Make an iCalendar of names, starts and ends (`20261205T100000`)."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//a city//EN"]
    for number, (name, starts, ends) in enumerate(events):
        lines += [
            "BEGIN:VEVENT",
            f"UID:{number}@a.example",
            "DTSTAMP:20261101T000000Z",
            f"DTSTART:{starts}",
            f"DTEND:{ends}",
            f"SUMMARY:{name}",
            f"LOCATION:{place}",
            "END:VEVENT",
        ]
    body = "\r\n".join([*lines, "END:VCALENDAR", ""]).encode()
    return Page(body, headers={"Content-Type": "text/calendar"})


def make_bibliocommons(events: Sequence[Row], *, size: int = 2) -> Callable[[str], Page]:
    """Serve lists of ids in no order of dates, with what they stand for beside them."""
    locations = {
        "12": {
            "id": "12",
            "name": "Central Branch",
            "address": {"number": "211", "street": "E St", "city": "Santa Rosa", "state": "CA", "zip": "95404"},
            "mapLocation": {"centrePoint": {"lat": 38.441, "lng": -122.711}},
        }
    }
    audiences = {"b1": {"id": "b1", "name": "Babies (0-18 months)"}, "k1": {"id": "k1", "name": "Grades K-2"}}
    kinds = {"t1": {"id": "t1", "name": "Storytime"}}

    def answer(target: str) -> Page:
        number = int(read_query(target).get("page", 1))
        ordered = list(events)[::-1]
        page = ordered[(number - 1) * size : number * size]
        pages = -(-len(events) // size)
        entities = {
            "events": {row["id"]: {"id": row["id"], "definition": row} for row in page},
            "locations": locations,
            "eventAudiences": audiences,
            "eventTypes": kinds,
        }
        pagination = {"count": len(events), "limit": size, "page": number, "pages": pages}
        return make_json(
            {"events": {"items": [row["id"] for row in page], "pagination": pagination}, "entities": entities}
        )

    return answer


def make_biblio_event(number: int, **members: Any) -> Row:
    event = {
        "id": f"e{number}",
        "title": f"Baby Bounce {number}",
        "description": "<p>Songs &amp; rhymes.</p>",
        "start": f"{name_day(number)}T10:30",
        "end": f"{name_day(number)}T11:00",
        "branchLocationId": "12",
        "nonBranchLocationId": None,
        "locationDetails": "Forum Room",
        "audienceIds": ["b1"],
        "typeIds": ["t1"],
        "isCancelled": False,
        "registrationInfo": {"provider": "none"},
    }
    return event | members


def make_communico(events: Sequence[Row]) -> Callable[[str], Page]:
    """Serve the days that are asked for. A request in another form gets an empty list."""

    def answer(target: str) -> Page:
        try:
            asked = json.loads(read_query(target)["req"])
            first, days = asked["date"], asked["days"]
        except (KeyError, ValueError):
            return make_json([])
        return make_json([row for row in events if row["raw_start_time"][:10] >= first] if days else [])

    return answer


def make_communico_event(number: int, **members: Any) -> Row:
    event = {
        "id": f"{100 + number}",
        "recurring_id": "7",
        "title": f"Toddler Time {number}",
        "sub_title": "",
        "description": "Play.",
        "long_description": "<p>Play and sing.</p>",
        "raw_start_time": f"{name_day(number)} 17:30:00",
        "raw_end_time": f"{name_day(number)} 18:15:00",
        "library": "Northside",
        "location_id": "4",
        "venues": "Story Room",
        "agesArray": ["Birth to 5"],
        "tagsArray": ["Storytime"],
        "event_type": "INPERSON",
        "private_event": "0",
        "changed_reason": "",
        "url": f"https://city.libnet.info/event/{100 + number}",
    }
    return event | members


def make_libcal_rss(days: Sequence[tuple[str, str]]) -> Page:
    """Make an RSS of names and days: the namespace has what RSS does not."""
    items = "".join(
        f"""<item><title>{name}</title><link>https://city.libcal.com/event/{number}</link>
        <guid>https://city.libcal.com/event/{number}</guid><description>&lt;p&gt;short&lt;/p&gt;</description>
        <category>Storytime</category><pubDate>Sat, 28 Nov 2026 10:00:00 GMT</pubDate>
        <libcal:eventid>{number}</libcal:eventid><libcal:date>{day}</libcal:date>
        <libcal:start>16:30:00</libcal:start><libcal:end>17:15:00</libcal:end>
        <libcal:audience>Children Ages 0-5</libcal:audience><libcal:audience>Families</libcal:audience>
        <libcal:campus>West Branch</libcal:campus><libcal:location>Room 2</libcal:location>
        <libcal:registrations>0</libcal:registrations>
        <libcal:description>&lt;p&gt;Long text.&lt;/p&gt;</libcal:description></item>"""
        for number, (name, day) in enumerate(days, start=1)
    )
    text = (
        '<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" xmlns:libcal="http://libcal.com/ns"><channel>'
        f"<title>City Library</title>{items}</channel></rss>"
    )
    return Page(text.encode(), headers={"Content-Type": "application/rss+xml"})


def make_trumba_event(number: int, **members: Any) -> Row:
    event = {
        "eventID": 9000 + number,
        "title": f"Nature Walk &amp; Talk {number}",
        "description": "<p>Boots on.</p>",
        "location": '<a href="https://maps.example/?q=1">Howarth Park</a>',
        "allDay": False,
        "canceled": False,
        "startDateTime": f"{name_day(number)}T09:00:00",
        "endDateTime": f"{name_day(number)}T10:30:00",
        "startTimeZoneOffset": "-0800",
        "permaLinkUrl": f"https://www.trumba.com/e/{number}",
        "eventImage": {"url": "https://www.trumba.com/i/1.jpg"},
        "customFields": [{"label": "Age", "value": "5 to 12"}, {"label": "Cost", "value": "$3 - $8"}],
    }
    return event | members


def make_squarespace_event(number: int, **members: Any) -> Row:
    event = {
        "id": f"sq{number}",
        "title": f"Family Studio {number}",
        "startDate": count_milliseconds(name_day(number), 18),
        "endDate": count_milliseconds(name_day(number), 20),
        "fullUrl": f"/events/{number}",
        "excerpt": "<p>Paint.</p>",
        "body": "<div>Paint.</div>",
        "categories": ["Kids"],
        "tags": ["art"],
        "assetUrl": "https://s.example/1.jpg",
        "location": {
            "addressTitle": "Museum",
            "addressLine1": "425 7th St",
            "addressLine2": "Santa Rosa, CA",
            "mapLat": 38.44,
            "mapLng": -122.71,
        },
    }
    return event | members


def make_linked_event(number: int, **members: Any) -> Row:
    event = {
        "@context": "https://schema.org",
        "@type": "Event",
        "name": f"Puppet Show {number}",
        "url": f"https://www.eventbrite.com/e/{number}",
        "startDate": f"{name_day(number)}T14:00:00-08:00",
        "endDate": f"{name_day(number)}T15:00:00-08:00",
        "location": {
            "@type": "Place",
            "name": "Playhouse",
            "address": {"@type": "PostalAddress", "streetAddress": "1 Main St", "addressLocality": "Santa Rosa"},
            "geo": {"@type": "GeoCoordinates", "latitude": 38.44, "longitude": -122.71},
        },
        "offers": {"@type": "Offer", "price": "12", "priceCurrency": "USD"},
    }
    return event | members


def make_linked_page(events: Sequence[Row], *, body: str = "") -> Page:
    return make_html(body, head=f'<script type="application/ld+json">{json.dumps(events)}</script>')


def make_eventbrite_event(number: int, **members: Any) -> Row:
    event = {
        "id": f"{700 + number}",
        "name": {"text": f"Robot Club {number}"},
        "description": {"html": "<p>Build.</p>"},
        "start": {"timezone": "America/Los_Angeles", "local": f"{name_day(number)}T10:00:00"},
        "end": {"timezone": "America/Los_Angeles", "local": f"{name_day(number)}T12:00:00"},
        "status": "live",
        "is_free": True,
        "online_event": False,
        "url": f"https://www.eventbrite.com/e/{700 + number}",
        "venue": {
            "name": "Lab",
            "latitude": "38.44",
            "longitude": "-122.71",
            "address": {"address_1": "9 B St", "city": "Santa Rosa"},
        },
    }
    return event | members


def make_eventbrite(events: Sequence[Row], *, size: int = 2) -> Callable[[str], Page]:
    def answer(target: str) -> Page:
        number = int(read_query(target).get("page", 1))
        page = list(events)[(number - 1) * size : number * size]
        return make_json({"pagination": {"page_number": number, "page_count": -(-len(events) // size)}, "events": page})

    return answer


def make_ticketmaster_event(number: int, **members: Any) -> Row:
    event = {
        "id": f"tm{number}",
        "name": f"Ice Show {number}",
        "url": f"https://tm.example/{number}",
        "dates": {
            "start": {"localDate": f"{name_day(number)}", "localTime": "19:00:00"},
            "timezone": "America/Los_Angeles",
            "status": {"code": "onsale"},
        },
        "priceRanges": [{"type": "standard", "currency": "USD", "min": 20.0, "max": 45.5}],
        "classifications": [{"segment": {"name": "Family"}, "genre": {"name": "Ice Shows"}}],
        "images": [{"url": "https://tm.example/1.jpg"}],
        "_embedded": {
            "venues": [
                {
                    "name": "Arena",
                    "address": {"line1": "10 Arena Way"},
                    "city": {"name": "Santa Rosa"},
                    "state": {"stateCode": "CA"},
                    "postalCode": "95401",
                    "location": {"latitude": "38.43", "longitude": "-122.72"},
                }
            ]
        },
    }
    return event | members


def make_ticketmaster(events: Sequence[Row]) -> Callable[[str], Page]:
    def answer(target: str) -> Page:
        asked = read_query(target)
        number, size = int(asked.get("page", 0)), min(int(asked.get("size", 20)), 2)
        page = list(events)[number * size : (number + 1) * size]
        body: dict[str, Any] = {"page": {"size": size, "totalElements": len(events), "number": number}}
        return make_json(({"_embedded": {"events": page}} if page else {}) | body)

    return answer
