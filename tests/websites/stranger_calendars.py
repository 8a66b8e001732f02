"""Websites of strangers whose systems give calendars and lists: in other languages, time zones and states of neglect."""
# ruff: noqa: E501 - pages are as their systems write them

import base64
from collections.abc import Callable

from tests.websites.stranger import (
    CHICAGO,
    MADRID,
    PARIS,
    SEATTLE,
    Expected,
    Stranger,
    compact,
    day,
    write_ics,
)
from tests.websites.systems import make_html, make_json


def open_blocked_rest() -> Stranger:
    """The Events Calendar in Madrid, whose REST is closed, and the export link of version 6."""
    base = "https://teatro.far.example"
    query = "?post_type=tribe_events&#038;tribe-bar-date=2026-11-28&#038;ical=1&#038;eventDisplay=list"
    agenda = make_html(
        f'<div class="tribe-events-view tribe-common"><a href="{base}/{query}" class="tribe-events-c-subscribe-dropdown__list-item-link">'
        f'Exportar archivo .ics</a><a href="webcal://teatro.far.example/{query}">iCalendar</a></div>',
        language="es",
    )
    home = make_html(
        f'<a href="{base}/agenda/">Agenda</a><a href="/wp-content/plugins/the-events-calendar/x.css">', language="es"
    )
    refused = make_json(
        {"code": "rest_forbidden", "message": "Lo siento, no tienes permisos.", "data": {"status": 401}}
    )
    refused.status = 401
    ics = write_ics(
        [
            {
                "UID": "1",
                "DTSTART;TZID=Europe/Madrid": f"{compact()}T180000",
                "DTEND;TZID=Europe/Madrid": f"{compact()}T193000",
                "SUMMARY": "Títeres: El gato con botas",
                "LOCATION": "Teatro Pradillo\\, Calle Pradillo 12\\, Madrid",
                "GEO": "40.4456;-3.6761",
                "CATEGORIES": "Infantil",
            },
            {"UID": "2", "DTSTART;VALUE=DATE": compact(1), "DTEND;VALUE=DATE": compact(2), "SUMMARY": "Día del libro"},
        ]
    )
    pages = {
        "teatro.far.example/": home,
        "teatro.far.example/agenda/": agenda,
        "teatro.far.example/wp-json/tribe/events/v1/events": refused,
        "teatro.far.example/?post_type=tribe_events&tribe-bar-date=2026-11-28&ical=1&eventDisplay=list": ics,
    }
    return Stranger(
        MADRID, pages, Expected("ics", 2, "Títeres: El gato con botas", f"{day()}T18:00:00", "Teatro Pradillo", 40.4456)
    )


def open_tribe_offsets() -> Stranger:
    """The Events Calendar with an offset for a zone, no venue, an organizer list, prices in words."""
    rows = [
        {
            "id": 51,
            "title": "Kids&#8217; Craft Hour",
            "description": "<p>Glue!</p>",
            "url": "https://farmhouse.far.example/event/craft/",
            "start_date": f"{day()} 10:00:00",
            "end_date": f"{day()} 11:00:00",
            "timezone": "UTC-8",
            "all_day": False,
            "cost": "$5 &#8211; $10",
            "venue": [],
            "organizer": [],
            "image": False,
            "categories": [{"name": "Kids"}],
            "tags": [],
        },
        {
            "id": 52,
            "title": "Open House",
            "description": "",
            "url": "https://farmhouse.far.example/event/open/",
            "start_date": f"{day(1)} 00:00:00",
            "end_date": f"{day(1)} 23:59:59",
            "timezone": "UTC-8",
            "all_day": True,
            "cost": "",
            "venue": {
                "venue": "Farm House",
                "address": "4408 Delridge Way",
                "city": "Seattle",
                "geo_lat": 47.5623,
                "geo_lng": -122.3632,
            },
            "organizer": [],
            "image": {"url": "https://farmhouse.far.example/a.jpg"},
            "categories": [],
            "tags": [],
        },
    ]
    body = '<link rel="https://api.w.org/" href="https://farmhouse.far.example/wp-json/"><body class="tribe-events-page-template"><a href="/events/">Events</a>'
    answer = make_json({"events": rows, "rest_url": "x", "total": 2, "total_pages": 1})
    pages = {"farmhouse.far.example/": make_html(body), "farmhouse.far.example/wp-json/tribe/events/v1/events": answer}
    return Stranger(
        SEATTLE, pages, Expected("the-events-calendar", 2, "Kids’ Craft Hour", f"{day()}T10:00:00", "", None)
    )


def open_google_base64() -> Stranger:
    """Google Calendar as its dialog embeds it today: ids in base64, and the holidays of the country beside them."""
    own = base64.b64encode(b"c_parks123@group.calendar.google.com").decode().rstrip("=")
    holidays = base64.b64encode(b"en.usa#holiday@group.v.calendar.google.com").decode().rstrip("=")
    frame = f"https://calendar.google.com/calendar/embed?height=600&wkst=1&ctz=America%2FChicago&src={own}&src={holidays}&color=%23039be5"
    pages = {
        "parkdistrict.far.example/": make_html('<a href="/programs-events">Programs &amp; Events</a>'),
        "parkdistrict.far.example/programs-events": make_html(
            f'<iframe src="{frame.replace("&", "&amp;")}" width="800"></iframe>'
        ),
        "calendar.google.com/calendar/ical/c_parks123%40group.calendar.google.com/public/basic.ics": write_ics(
            [
                {
                    "UID": "a@google.com",
                    "DTSTART": f"{compact()}T223000Z",
                    "DTEND": f"{compact()}T233000Z",
                    "SUMMARY": "Tumbling Tots",
                    "LOCATION": "Fieldhouse\\, 5801 N Pulaski Rd\\, Chicago\\, IL",
                },
                {
                    "UID": "b@google.com",
                    "DTSTART;TZID=America/Chicago": f"{compact(1)}T100000",
                    "RRULE": "FREQ=WEEKLY;COUNT=4",
                    "SUMMARY": "Park Playgroup",
                },
            ],
            head="X-WR-TIMEZONE:America/Chicago",
        ),
        "calendar.google.com/calendar/ical/en.usa%23holiday%40group.v.calendar.google.com/public/basic.ics": write_ics(
            [
                {"UID": f"{n}@google.com", "DTSTART;VALUE=DATE": compact(30 * n), "SUMMARY": "Presidents' Day"}
                for n in range(12)
            ]
        ),
    }
    return Stranger(CHICAGO, pages, Expected("google-calendar", 2, "Tumbling Tots", f"{day()}T16:30:00", "Fieldhouse"))


def open_civicplus() -> Stranger:
    """CivicPlus: a list of calendars, of which the council's comes first."""
    body = '<a href="/Calendar.aspx">Calendar</a><footer>Government Websites by <a href="https://connect.civicplus.com/">CivicPlus</a></footer>'
    calendars = "".join(
        f'<a href="/calendar.aspx?CID={cid}&amp;showPastEvents=false">{name}</a>'
        for cid, name in ((22, "City Council"), (14, "Parks &amp; Recreation"))
    )
    zone = "TZID=America/Chicago"
    council = write_ics(
        [
            {
                "UID": "1",
                f"DTSTART;{zone}": f"{compact()}T190000",
                "SUMMARY": "City Council Meeting",
                "LOCATION": "City Hall",
            }
        ]
    )
    parks = write_ics(
        [
            {
                "UID": f"{n}",
                f"DTSTART;{zone}": f"{compact(n)}T093000",
                f"DTEND;{zone}": f"{compact(n)}T103000",
                "SUMMARY": f"Tiny Tumblers {n}",
                "LOCATION": "Community Center - 100 Main St Springfield IL 62701",
            }
            for n in (0, 7, 14)
        ]
    )
    pages = {
        "cityof.far.example/": make_html(body),
        "cityof.far.example/Calendar.aspx": make_html(calendars),
        "cityof.far.example/common/modules/iCalendar/iCalendar.aspx": lambda target: (
            parks if "catID=14" in target else council
        ),
    }
    return Stranger(
        CHICAGO, pages, Expected("civicplus", 3, "Tiny Tumblers 0", f"{day()}T09:30:00", "Community Center")
    )


def open_modern_events() -> Stranger:
    """Modern Events Calendar of WordPress in French: a class mec-, and its iCalendar that no link leads to."""
    pages = {
        "maison.far.example/": make_html('<a href="/agenda/">Agenda</a>', language="fr"),
        "maison.far.example/agenda/": make_html(
            '<div class="mec-wrap"><article class="mec-event-article"><a href="https://maison.far.example/evenements/conte/">Conte</a></article></div>'
            "<script src='https://maison.far.example/wp-content/plugins/modern-events-calendar-lite/a.js'></script>",
            language="fr",
        ),
        "maison.far.example/?mec-ical-feed=1": write_ics(
            [
                {
                    "UID": "MEC-1",
                    "DTSTART;TZID=Europe/Paris": f"{compact()}T143000",
                    "DTEND;TZID=Europe/Paris": f"{compact()}T153000",
                    "SUMMARY": "L'heure du conte",
                    "LOCATION": "Salle des fêtes",
                },
                {
                    "UID": "MEC-2",
                    "DTSTART;TZID=Europe/Paris": f"{compact(2)}T100000",
                    "DTEND;TZID=Europe/Paris": f"{compact(2)}T120000",
                    "SUMMARY": "Atelier peinture",
                },
            ]
        ),
    }
    return Stranger(
        PARIS, pages, Expected("wordpress-calendar", 2, "L'heure du conte", f"{day()}T14:30:00", "Salle des fêtes")
    )


def open_all_in_one() -> Stranger:
    """All-in-One Event Calendar: its export behind a button of a script."""
    export = "?plugin=all-in-one-event-calendar&amp;controller=ai1ec_exporter_controller&amp;action=export_events&amp;no_html=true"
    pages = {
        "nature.far.example/": make_html('<a href="/calendar/">Calendar</a>'),
        "nature.far.example/calendar/": make_html(
            f'<div class="ai1ec-calendar"><a class="ai1ec-btn" href="https://nature.far.example/{export}">Subscribe</a></div>'
        ),
        "nature.far.example/?plugin=all-in-one-event-calendar&controller=ai1ec_exporter_controller&action=export_events&no_html=true": write_ics(
            [
                {
                    "UID": "ai1ec-5@nature",
                    "DTSTART;TZID=America/Los_Angeles": f"{compact()}T093000",
                    "SUMMARY": "Owl Prowl for Families",
                    "LOCATION": "Nature Center @ 7400 Tiger Mtn Rd",
                }
            ]
        ),
    }
    return Stranger(
        SEATTLE,
        pages,
        Expected("wordpress-calendar", 1, "Owl Prowl for Families", f"{day()}T09:30:00", "Nature Center"),
    )


def open_events_manager() -> Stranger:
    """Events Manager: classes em-, and a file events.ics that its page does not link to."""
    pages = {
        "grange.far.example/": make_html('<a href="/whats-on/">What&rsquo;s on</a>'),
        "grange.far.example/whats-on/": make_html(
            '<div class="em em-view-container em-events-list"><div class="em-event em-item"><a href="https://grange.far.example/events/bake/">Bake</a></div></div>'
            "<link rel='stylesheet' href='https://grange.far.example/wp-content/plugins/events-manager/includes/css/x.css'>"
        ),
        "grange.far.example/events.ics": write_ics(
            [
                {
                    "UID": "1",
                    "DTSTART;TZID=America/Los_Angeles": f"{compact()}T110000",
                    "SUMMARY": "Family Bake Off",
                    "LOCATION": "Grange Hall\\, 3 Mill Rd",
                }
            ]
        ),
    }
    return Stranger(
        SEATTLE, pages, Expected("wordpress-calendar", 1, "Family Bake Off", f"{day()}T11:00:00", "Grange Hall")
    )


def open_outlook_zone() -> Stranger:
    """A calendar in Portuguese with a zone of its own, in an alternate link alone."""
    zone = "BEGIN:VTIMEZONE\nTZID:(UTC-03:00) Brasilia\nBEGIN:STANDARD\nDTSTART:16010101T000000\nTZOFFSETFROM:-0300\nTZOFFSETTO:-0300\nEND:STANDARD\nEND:VTIMEZONE"
    ics = write_ics(
        [
            {
                "UID": "1",
                'DTSTART;TZID="(UTC-03:00) Brasilia"': f"{compact()}T160000",
                "SUMMARY": "Oficina de pipas",
                "LOCATION": "Parque da Luz",
            }
        ],
        head=zone,
    )
    pages = {
        "parque.far.example/": make_html(
            "", language="pt", head='<link rel="alternate" type="text/calendar" href="/eventos/calendario">'
        ),
        "parque.far.example/eventos/calendario": ics,
    }
    return Stranger(
        ("--metro", "São Paulo", "--center", "-23.55,-46.63"),
        pages,
        Expected("ics", 1, "Oficina de pipas", f"{day()}T16:00:00", "Parque da Luz"),
    )


def open_localist() -> Stranger:
    """Localist at a host of its own, with events of many dates, without a point."""
    rows = [
        {
            "event": {
                "id": 7,
                "title": "Stargazing for Kids",
                "description_text": "Look up.",
                "localist_url": "https://events.college.far.example/event/stars",
                "location_name": "Observatory",
                "room_number": "",
                "address": "",
                "geo": {},
                "free": True,
                "ticket_cost": "",
                "status": "live",
                "filters": {"event_audience": [{"name": "Families"}]},
                "keywords": [],
                "tags": ["astronomy"],
                "photo_url": None,
                "event_instances": [
                    {
                        "event_instance": {
                            "id": 70 + n,
                            "event_id": 7,
                            "start": f"{day(n)}T19:00:00-08:00",
                            "end": None,
                            "all_day": False,
                        }
                    }
                ],
            }
        }
        for n in range(2)
    ]
    answer = make_json({"events": rows, "page": {"current": 1, "size": 100, "total": 1}, "date": {}})
    pages = {
        "college.far.example/": make_html('<a href="https://events.college.far.example/">Events calendar</a>'),
        "events.college.far.example/": make_html(
            '<link href="https://assets.localist.com/x.css" rel="stylesheet">',
            head="<meta name='generator' content='Localist'>",
        ),
        "events.college.far.example/api/2/events": answer,
    }
    return Stranger(SEATTLE, pages, Expected("localist", 2, "Stargazing for Kids", f"{day()}T19:00:00", "Observatory"))


def open_trumba_frame() -> Stranger:
    """Trumba in a frame, by its name alone, with multi-day and all-day rows and no custom fields."""
    rows = [
        {
            "eventID": 1,
            "title": "Zoo Lights",
            "description": "",
            "location": "Woodland Park Zoo",
            "startDateTime": f"{day()}T16:30:00",
            "endDateTime": f"{day()}T21:00:00",
            "allDay": False,
            "canceled": False,
            "permaLinkUrl": "https://zoo.far.example/?trumbaEmbed=1",
            "startTimeZoneOffset": "-0800",
        },
        {
            "eventID": 2,
            "title": "Members&#39; Day",
            "description": "",
            "location": "",
            "startDateTime": f"{day(3)}T00:00:00",
            "endDateTime": f"{day(3)}T00:00:00",
            "allDay": True,
            "canceled": False,
            "startTimeZoneOffset": "-0800",
        },
    ]
    pages = {
        "zoo.far.example/": make_html(
            '<iframe title="calendar" src="https://www.trumba.com/calendars/woodland-zoo?template=x&amp;headinglevel=3"></iframe>'
        ),
        "www.trumba.com/calendars/woodland-zoo.json": make_json(rows),
    }
    return Stranger(SEATTLE, pages, Expected("trumba", 2, "Zoo Lights", f"{day()}T16:30:00", "Woodland Park Zoo"))


CALENDARS: tuple[Callable[[], Stranger], ...] = (
    open_blocked_rest,
    open_tribe_offsets,
    open_google_base64,
    open_civicplus,
    open_modern_events,
    open_all_in_one,
    open_events_manager,
    open_outlook_zone,
    open_localist,
    open_trumba_frame,
)
