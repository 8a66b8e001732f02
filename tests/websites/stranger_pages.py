"""Websites of strangers whose events stand in pages, RSS and tables: in other languages and states of neglect."""
# ruff: noqa: E501 - pages are as their systems write them

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.pipeline.fetch.web import Page
from tests.websites.stranger import BERLIN, CHICAGO, MADRID, SEATTLE, Expected, Stranger, day, ld
from tests.websites.systems import make_html, make_json


def milliseconds(at: datetime) -> int:
    return int(at.timestamp() * 1000)


def open_librarymarket() -> Stranger:
    """LibraryCalendar of LibraryMarket, a Drupal whose pages of events have JSON-LD with offsets."""
    cards = "".join(
        f'<article class="event-card"><a href="/event/story-time-{n}"><span>Story Time</span></a></article>'
        for n in range(4101, 4105)
    )
    pages: dict[str, Any] = {
        "library.far.example/": make_html(
            '<a href="https://lib.librarycalendar.far.example/events/upcoming">Upcoming events</a>',
            head="<link rel='alternate' type='application/rss+xml' href='/feed.xml'>",
        ),
        "lib.librarycalendar.far.example/events/upcoming": make_html(cards),
    }
    for n in range(4101, 4105):
        at = datetime.combine(day(n - 4101), datetime.min.time()).replace(hour=10, minute=30)
        pages[f"lib.librarycalendar.far.example/event/story-time-{n}"] = make_html(
            "",
            head=ld(
                {
                    "@context": "https://schema.org",
                    "@graph": [
                        {
                            "@type": "Event",
                            "@id": f"https://lib.librarycalendar.far.example/event/story-time-{n}",
                            "name": "Story Time",
                            "startDate": f"{at.isoformat()}-0600",
                            "endDate": f"{at.replace(hour=11).isoformat()}-0600",
                            "location": {
                                "@type": "Place",
                                "name": "Oak Branch",
                                "address": {"streetAddress": "9 Oak Ave", "addressLocality": "Chicago"},
                            },
                        }
                    ],
                }
            ),
        )
    return Stranger(CHICAGO, pages, Expected("jsonld", 4, "Story Time", f"{day()}T10:30:00", "Oak Branch"))


def open_squarespace() -> Stranger:
    """Squarespace 7.1, whose own JSON says the type of the collection, without an address."""
    context = 'Static.SQUARESPACE_CONTEXT = {"websiteId":"5f","collection":{"id":"6a","typeName":"events-stacked","typeLabel":"events"}}'
    script = '<script src="https://assets.squarespace.com/universal/x.js"></script>'
    at = datetime.combine(day(), datetime.min.time(), UTC).replace(hour=16)
    rows = [
        {
            "id": f"s{n}",
            "title": f"Messy Play {n}",
            "startDate": milliseconds(at + timedelta(days=n)),
            "endDate": milliseconds(at + timedelta(days=n, hours=1)),
            "fullUrl": f"/calendar/{n}",
            "excerpt": "",
            "body": None,
            "location": {
                "mapZoom": 12,
                "mapLat": 40.7207559,
                "mapLng": -74.0007613,
                "markerLat": 40.7207559,
                "markerLng": -74.0007613,
                "addressTitle": "",
                "addressLine1": "",
                "addressLine2": "",
                "addressCountry": "",
            },
            "categories": [],
            "tags": [],
        }
        for n in range(3)
    ]
    answer = make_json(
        {
            "website": {"timeZone": "America/Chicago"},
            "collection": {"typeName": "events-stacked"},
            "upcoming": rows,
            "past": [],
        }
    )
    pages = {
        "playcafe.far.example/": make_html(f'{script}<nav><a href="/calendar">Calendar</a></nav>'),
        "playcafe.far.example/calendar": make_html(f"{script}<script>{context}</script>"),
        "playcafe.far.example/calendar?format=json": answer,
    }
    return Stranger(CHICAGO, pages, Expected("squarespace", 3, "Messy Play 0", f"{day()}T10:00:00"))


def open_drupal_german() -> Stranger:
    """A Drupal in German: a list of cards, and an Event in each page, behind a meeting of the council."""
    links = "".join(
        f'<h3><a href="/veranstaltungen/{slug}">{slug}</a></h3>'
        for slug in ("kasperletheater", "vorlesen", "laternenumzug")
    )
    pages: dict[str, Any] = {
        "museum.far.example/": make_html(
            '<a href="/veranstaltungen">Veranstaltungen</a><a href="/presse">Presse</a>', language="de"
        ),
        "museum.far.example/veranstaltungen": make_html(links, language="de"),
    }
    for n, slug in enumerate(("kasperletheater", "vorlesen", "laternenumzug")):
        pages[f"museum.far.example/veranstaltungen/{slug}"] = make_html(
            "",
            language="de",
            head=ld(
                {
                    "@graph": [
                        {
                            "@type": "ChildrensEvent",
                            "name": f"{slug.title()} für Familien",
                            "url": f"https://museum.far.example/veranstaltungen/{slug}",
                            "startDate": f"{day(n)}T15:00:00+01:00",
                            "location": {
                                "@type": "Place",
                                "name": "Märkisches Museum",
                                "address": "Am Köllnischen Park 5, 10179 Berlin",
                                "geo": {"@type": "GeoCoordinates", "latitude": "52.5137", "longitude": "13.4143"},
                            },
                            "offers": {"@type": "Offer", "price": "4.50", "priceCurrency": "EUR"},
                        },
                        {"@type": "WebPage"},
                    ]
                }
            ),
        )
    return Stranger(
        BERLIN,
        pages,
        Expected("jsonld", 3, "Kasperletheater für Familien", f"{day()}T15:00:00", "Märkisches Museum", 52.5137),
    )


def open_wix() -> Stranger:
    """Wix Events: a list whose links lead to /event-details/, pages with an Event of schema.org in UTC."""
    links = "".join(
        f'<a data-hook="ev-list-item-link" href="https://www.circus.far.example/event-details/show-{n}">Tickets</a>'
        for n in range(3)
    )
    pages: dict[str, Any] = {
        "www.circus.far.example/": make_html(
            f'<meta name="generator" content="Wix.com Website Builder"/><section>{links}</section>'
        ),
    }
    for n in range(3):
        pages[f"www.circus.far.example/event-details/show-{n}"] = make_html(
            "",
            head=ld(
                {
                    "@context": "https://schema.org",
                    "@type": "Event",
                    "name": f"Circus Show {n}",
                    "startDate": f"{day(n)}T22:00:00Z",
                    "endDate": f"{day(n)}T23:30:00Z",
                    "eventStatus": "EventScheduled",
                    "location": {"@type": "Place", "name": "Big Top", "address": "11 Ring Rd, Seattle, WA 98101, USA"},
                }
            ),
        )
    return Stranger(SEATTLE, pages, Expected("jsonld", 3, "Circus Show 0", f"{day()}T14:00:00", "Big Top"))


def open_communico_own_host() -> Stranger:
    """Communico at the library's own host, behind a link of the home page."""
    rows = [
        {
            "id": f"{n}",
            "recurring_id": "1",
            "title": title,
            "sub_title": "",
            "description": "Sing.",
            "long_description": "",
            "raw_start_time": f"{day(n)} 10:00:00",
            "raw_end_time": f"{day(n)} 10:30:00",
            "library": "Eastside",
            "venues": "",
            "agesArray": ["Babies (0-2)"],
            "tagsArray": [],
            "event_type": "INPERSON",
            "private_event": "0",
            "url": f"https://attend.readers.far.example/event/{n}",
        }
        for n, title in enumerate(("Lapsit", "Library Closed", "Lapsit"))
    ]
    pages = {
        "readers.far.example/": make_html('<a href="https://attend.readers.far.example/events?r=thismonth">Events</a>'),
        "attend.readers.far.example/events": make_html(
            '<script>$.get("/eeventcaldata?event_type=0&req=" + encodeURIComponent(JSON.stringify(req)))</script>'
        ),
        "attend.readers.far.example/events?r=thismonth": make_html(
            '<script>$.get("/eeventcaldata?event_type=0&req=" + encodeURIComponent(JSON.stringify(req)))</script>'
        ),
        "attend.readers.far.example/eeventcaldata": make_json(rows),
    }
    return Stranger(CHICAGO, pages, Expected("communico", 3, "Lapsit", f"{day()}T10:00:00", "Eastside"))


def open_microdata() -> Stranger:
    """Microdata with contents in meta elements, as themes of Joomla write it."""
    rows = "".join(
        f'<li itemscope itemtype="https://schema.org/TheaterEvent"><a itemprop="url" href="/programm/{n}"><span itemprop="name">Pippi {n}</span></a>'
        f'<meta itemprop="startDate" content="{day(n)}T16:00:00+01:00"><div itemprop="location" itemscope itemtype="https://schema.org/Place">'
        '<meta itemprop="name" content="Puppenbühne"><div itemprop="address" itemscope itemtype="https://schema.org/PostalAddress">'
        '<meta itemprop="streetAddress" content="Ringstr. 1"><meta itemprop="addressLocality" content="Berlin"></div></div></li>'
        for n in range(3)
    )
    pages = {
        "buehne.far.example/": make_html('<a href="/spielplan">Spielplan</a>', language="de"),
        "buehne.far.example/spielplan": make_html(f"<ul>{rows}</ul>", language="de"),
    }
    return Stranger(BERLIN, pages, Expected("jsonld", 3, "Pippi 0", f"{day()}T16:00:00", "Puppenbühne"))


def open_event_rss() -> Stranger:
    """RSS with the namespace of events, as Plone and TYPO3 write it, whose pubDate is the day of writing."""
    items = "".join(
        f"<item><title>Kinderkino {n}</title><link>https://stadt.far.example/kino/{n}</link><guid>https://stadt.far.example/kino/{n}</guid>"
        f"<pubDate>Mon, 02 Nov 2026 08:00:00 +0100</pubDate><description>Film ab 6 Jahren</description><ev:startdate>{day(n)}T15:30:00+01:00</ev:startdate>"
        f"<ev:enddate>{day(n)}T17:00:00+01:00</ev:enddate><ev:location>Stadthalle</ev:location></item>"
        for n in range(3)
    )
    rss = f'<?xml version="1.0"?><rss version="2.0" xmlns:ev="http://purl.org/rss/1.0/modules/event/"><channel><title>Kino</title>{items}</channel></rss>'
    pages = {
        "stadt.far.example/": make_html(
            "",
            language="de",
            head='<link rel="alternate" type="application/rss+xml" title="Termine" href="/termine.rss">',
        ),
        "stadt.far.example/termine.rss": Page(
            rss.encode(), headers={"Content-Type": "application/rss+xml; charset=utf-8"}
        ),
    }
    return Stranger(BERLIN, pages, Expected("table", 3, "Kinderkino 0", f"{day()}T15:30:00", "Stadthalle"))


def open_madrid() -> Stranger:
    """Madrid's open data: a JSON of events under @graph, linked to from the page of the agenda."""
    rows = [
        {
            "@id": f"https://datos.far.example/egob/catalogo/tipo/evento/{n}.json",
            "id": f"1{n}",
            "title": f"Cuentacuentos {n}",
            "description": "",
            "free": 1,
            "price": "",
            "dtstart": f"{day(n)} 00:00:00.0",
            "dtend": f"{day(n)} 23:59:00.0",
            "time": "18:00",
            "excluded-days": "",
            "uid": f"1{n}",
            "link": f"http://www.far.example/sites/v/{n}",
            "event-location": "Biblioteca Pública Ana María Matute",
            "address": {
                "area": {
                    "locality": "MADRID",
                    "postal-code": "28025",
                    "street-address": "CALLE COMUNEROS DE CASTILLA 30",
                }
            },
            "location": {"latitude": 40.3852, "longitude": -3.7276},
            "organization": {"organization-name": "Biblioteca Pública Ana María Matute", "accesibility": "1"},
        }
        for n in range(4)
    ]
    pages = {
        "datos.far.example/": make_html('<a href="/agenda-eventos">Agenda de eventos culturales</a>', language="es"),
        "datos.far.example/agenda-eventos": make_html(
            '<a href="/egob/catalogo/206974-agenda-eventos.json">Agenda de eventos: JSON</a>', language="es"
        ),
        "datos.far.example/egob/catalogo/206974-agenda-eventos.json": make_json(
            {"@context": {"title": "http://purl.org/dc/elements/1.1/title"}, "@graph": rows}
        ),
    }
    return Stranger(MADRID, pages, Expected("table", 4, "Cuentacuentos 0", f"{day()}T18:00:00", "Biblioteca", 40.3852))


def open_libcal_home() -> Stranger:
    """LibCal itself, named by the address of its home page, whose links to feeds have another order of words."""
    items = "".join(
        f"<item><title>{title}</title><link>https://riverside.libcal.com/event/{n}</link><guid>https://riverside.libcal.com/event/{n}</guid><description>x</description>"
        f"<libcal:eventid>{n}</libcal:eventid><libcal:date>{day(n)}</libcal:date><libcal:start>{start}</libcal:start><libcal:end>{end}</libcal:end>"
        f"<libcal:audience>{audience}</libcal:audience><libcal:campus></libcal:campus><libcal:location>Online</libcal:location><libcal:description>&lt;p&gt;y&lt;/p&gt;</libcal:description></item>"
        for n, (title, start, end, audience) in enumerate(
            (
                ("CANCELLED: Baby Lapsit", "10:00:00", "10:30:00", "Babies (0-23 months)"),
                ("Book Club", "", "", "Adults"),
            )
        )
    )
    rss = (
        f'<rss version="2.0" xmlns:libcal="http://libcal.com"><channel><title>Riverside</title>{items}</channel></rss>'
    )
    pages = {
        "riverside.libcal.com/": make_html('<a href="/calendar/events?t=m&cid=9021&cal=9021">Calendar</a>'),
        "riverside.libcal.com/rss.php": Page(rss.encode(), headers={"Content-Type": "text/xml"}),
    }
    return Stranger(CHICAGO, pages, Expected("libcal-rss", 2, "CANCELLED: Baby Lapsit", f"{day()}T10:00:00", "Online"))


def open_eventbrite_links() -> Stranger:
    """A site with links to single events of Eventbrite, and an organizer's page with JSON-LD that is no list."""
    events = [
        {
            "@context": "http://schema.org",
            "@type": "SocialEvent",
            "name": f"Toy Swap {n}",
            "url": f"https://www.eventbrite.com/e/toy-swap-{n}",
            "startDate": f"{day(n)}T09:00:00-0800",
            "endDate": f"{day(n)}T11:00:00-0800",
            "location": {"@type": "VirtualLocation", "url": "https://www.eventbrite.com/e/1"}
            if n
            else {
                "@type": "Place",
                "name": "Grange",
                "address": {
                    "@type": "PostalAddress",
                    "streetAddress": "3 Mill Rd",
                    "addressLocality": "Seattle",
                    "addressRegion": "WA",
                },
            },
            "offers": {"@type": "AggregateOffer", "lowPrice": "0.00", "highPrice": "0.00", "priceCurrency": "USD"},
        }
        for n in range(2)
    ]
    pages = {
        "swap.far.example/": make_html(
            '<a href="https://www.eventbrite.com/e/toy-swap-0">Tickets</a><a href="https://www.eventbrite.com/o/toy-swappers-77?aff=x">All</a>'
        ),
        "www.eventbrite.com/o/toy-swappers-77": make_html(
            "", head=ld({"@type": "Organization", "name": "Toy Swappers"}, events)
        ),
    }
    return Stranger(SEATTLE, pages, Expected("eventbrite", 2, "Toy Swap 0", f"{day()}T09:00:00", "Grange"))


PAGES: tuple[Callable[[], Stranger], ...] = (
    open_librarymarket,
    open_squarespace,
    open_drupal_german,
    open_wix,
    open_communico_own_host,
    open_microdata,
    open_event_rss,
    open_madrid,
    open_libcal_home,
    open_eventbrite_links,
)
