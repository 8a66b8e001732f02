"""Twelve websites of a city, each with another system, as their visitors see them."""

from tests.pipeline.fetch.web import Page
from tests.websites import systems
from tests.websites.internet import Internet

Pages = dict[str, object]
NAMES = (
    "library",
    "north",
    "parks",
    "museum",
    "zoo",
    "college",
    "hikes",
    "playhouse",
    "farm",
    "city",
    "ymca",
    "theater",
)
ADDRESSES = [f"https://{name}.santarosa.example/" for name in NAMES]


def link(address: str, text: str) -> str:
    return f'<a href="{address}">{text}</a>'


def make_home(name: str, body: str, *, head: str = "") -> Page:
    title = f"<title>Home | {name}</title><meta property='og:site_name' content='{name}'>"
    return systems.make_html(f"{link('/about', 'About us')} {link('/contact', 'Contact')} {body}", head=title + head)


def open_library(internet: Internet) -> None:
    """BiblioCommons, linked to from the home page."""
    body = link("https://city.bibliocommons.com/v2/events", "Events")
    internet.pages["library.santarosa.example/"] = make_home("Santa Rosa Library", body)
    events = [systems.make_biblio_event(number) for number in range(1, 8)]
    internet.pages["gateway.bibliocommons.com/v2/libraries/city/events"] = systems.make_bibliocommons(events, size=5)


def open_branch(internet: Internet) -> None:
    """Communico."""
    body = link("https://north.libnet.info/events", "Calendar")
    internet.pages["north.santarosa.example/"] = make_home("North County Library", body)
    events = [systems.make_communico_event(number) for number in range(1, 5)]
    internet.pages["north.libnet.info/eeventcaldata"] = systems.make_communico(events)


def open_parks(internet: Internet) -> None:
    """Trumba, in a script of a page that the home page links to, beside a news feed."""
    head = "<link rel='alternate' type='application/rss+xml' href='/feed.xml'>"
    internet.pages["parks.santarosa.example/"] = make_home("Parks", link("/whats-on", "What's On"), head=head)
    script = '<script>$Trumba.addSpud({webName: "sr-parks", spudType: "main"});</script>'
    internet.pages["parks.santarosa.example/whats-on"] = systems.make_html(script)
    rows = [systems.make_trumba_event(number) for number in range(1, 6)]
    rows[4] |= {"title": "Parks Commission Meeting"}
    internet.pages["www.trumba.com/calendars/sr-parks.json"] = systems.make_json(rows)
    internet.pages["parks.santarosa.example/feed.xml"] = make_blog()


def make_blog() -> Page:
    posts = "".join(
        f"<item><title>News {number}</title><link>https://parks.santarosa.example/news/{number}</link>"
        f"<pubDate>Sat, 0{number} Nov 2025 10:00:00 GMT</pubDate><description>What we did.</description></item>"
        for number in range(1, 6)
    )
    body = f'<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>{posts}</channel></rss>'
    return Page(body.encode(), headers={"Content-Type": "application/rss+xml"})


def open_museum(internet: Internet) -> None:
    """Squarespace, whose page of events says what it is."""
    script = '<script src="https://static1.squarespace.com/s.js"></script>'
    internet.pages["museum.santarosa.example/"] = make_home("Art Museum", script + link("/events", "Events"))
    page = systems.make_html(f'<body class="collection-type-events">{script}</body>')
    rows = {"upcoming": [systems.make_squarespace_event(number) for number in range(1, 5)]}
    internet.pages["museum.santarosa.example/events"] = page
    internet.pages["museum.santarosa.example/events?format=json"] = systems.make_json(rows)


def open_zoo(internet: Internet) -> None:
    """Tockify, in a page of the sitemap that no link leads to."""
    internet.pages["zoo.santarosa.example/"] = make_home("Zoo", "")
    internet.pages["zoo.santarosa.example/robots.txt"] = Page(
        b"User-agent: *\nDisallow: /private\nSitemap: https://zoo.santarosa.example/map.xml\n"
    )
    internet.pages["zoo.santarosa.example/map.xml"] = Page(
        b"<urlset><url><loc>https://zoo.santarosa.example/visit/calendar</loc></url></urlset>"
    )
    body = '<div data-tockify-component="calendar" data-tockify-calendar="sr.zoo"></div>'
    internet.pages["zoo.santarosa.example/visit/calendar"] = systems.make_html(body)
    internet.pages["tockify.com/api/feeds/ics/sr.zoo"] = make_hours(3, "Feeding Time")


def make_hours(count: int, name: str) -> Page:
    days = [systems.name_day(number).replace("-", "") for number in range(1, count + 1)]
    return systems.make_calendar([(f"{name} {day}", f"{day}T100000", f"{day}T113000") for day in days])


def open_college(internet: Internet) -> None:
    """LiveWhale."""
    body = '<script src="/live/resource/js/widget.js"></script>'
    internet.pages["college.santarosa.example/"] = make_home("Junior College", body)
    internet.pages["college.santarosa.example/live/ical/events"] = make_hours(4, "Science Day")


def open_hikes(internet: Internet) -> None:
    """Meetup, whose group is all that the site links to."""
    body = link("https://www.meetup.com/sr-family-hikes/", "Join us on Meetup")
    internet.pages["hikes.santarosa.example/"] = make_home("Family Hikes", body)
    internet.pages["www.meetup.com/sr-family-hikes/events/ical/"] = make_hours(3, "Hike")


def open_playhouse(internet: Internet) -> None:
    """Eventbrite: the page of an organizer."""
    body = link("https://www.eventbrite.com/o/playhouse-123", "Tickets")
    internet.pages["playhouse.santarosa.example/"] = make_home("Playhouse", body)
    events = [systems.make_linked_event(number) for number in range(1, 5)]
    internet.pages["www.eventbrite.com/o/playhouse-123"] = systems.make_linked_page(events)


def open_farm(internet: Internet) -> None:
    """A page of its own with JSON-LD, below a link with a word of events in it."""
    internet.pages["farm.santarosa.example/"] = make_home(
        "Farm", link("/visit-us/things", "Upcoming events at the farm")
    )
    internet.pages["farm.santarosa.example/visit-us/things"] = systems.make_linked_page(
        [systems.make_linked_event(number, name=f"Farm Day {number}") for number in range(1, 4)]
    )


def open_city(internet: Internet) -> None:
    """Google Calendar in a frame."""
    src = "https://calendar.google.com/calendar/embed?height=600&amp;src=sr%40group.calendar.google.com&amp;ctz=America"
    internet.pages["city.santarosa.example/"] = make_home("City of Santa Rosa", link("/calendar", "Calendar"))
    internet.pages["city.santarosa.example/calendar"] = systems.make_html(f'<iframe src="{src}"></iframe>')
    target = "calendar.google.com/calendar/ical/sr%40group.calendar.google.com/public/basic.ics"
    internet.pages[target] = make_hours(6, "Winter Market")


def open_ymca(internet: Internet) -> None:
    """LibCal, as some centers have it: an iCalendar file that is all over, and RSS that is not."""
    body = link("https://ymca.libcal.com/calendar/main?cid=44&t=d", "Classes and events")
    internet.pages["ymca.santarosa.example/"] = make_home("YMCA", body)
    days = [("Storytime", systems.name_day(2)), ("Lego Club", systems.name_day(9))]
    internet.pages["ymca.libcal.com/rss.php"] = systems.make_libcal_rss(days)
    old = [(f"Old {day}", f"201912{day}T100000", f"201912{day}T110000") for day in range(10, 30)]
    internet.pages["ymca.libcal.com/ical_subscribe.php"] = systems.make_calendar(old)


def open_theater(internet: Internet) -> None:
    """A subscription to a calendar of no known system."""
    subscribe = "webcal://theater.santarosa.example/season.ics"
    internet.pages["theater.santarosa.example/"] = make_home("Theater", link(subscribe, "Subscribe"))
    internet.pages["theater.santarosa.example/season.ics"] = make_hours(5, "Nutcracker")


def open_city_of_twelve(internet: Internet) -> None:
    for open_site in (
        open_library, open_branch, open_parks, open_museum, open_zoo, open_college, open_hikes, open_playhouse,
        open_farm, open_city, open_ymca, open_theater,
    ):  # fmt: skip
        open_site(internet)
