"""The page of one listing, and the calendar file of a class or camp, from the document that the API serves."""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any
from urllib.parse import quote, urlsplit

from markupsafe import Markup

from outings.answers.ical import CODES, encode_lines, encode_vtimezone, write_texts
from outings.configuration.zones import read_zone
from outings.contract.vocabulary import COLLECTIONS, WEEKDAYS
from outings.pages.addresses import locate_filtered, locate_listing, make_absolute, make_webcal
from outings.pages.assets import find_asset
from outings.pages.facts import (
    is_full,
    list_lines,
    list_offers,
    list_other_offers,
    list_times,
    tell_ages,
    tell_hours,
    tell_price,
    tell_spots,
)
from outings.pages.layout import name_words, render_page
from outings.pages.listing_map import HEIGHT, WIDTH, draw_areas
from outings.pages.settings import Words
from outings.pages.structured_data import encode_structured
from outings.release.site import Picture, SiteSettings, Thumbnail, locate_picture

Document = Mapping[str, Any]

_MAP = "https://www.openstreetmap.org/"
_SUMMARY = 200
_PHOTO_HEIGHT = 384
_FLAGS = ("is_indoor", "is_outdoor", "is_sensory_friendly", "good_for_rainy")
_AMENITIES = ("has_outdoor_space", "has_parking", "has_wifi", "socks_required", "outside_food_allowed")


def render_listing(
    item: Document, *, settings: SiteSettings, locate_asset: Callable[[str], str] = lambda name: find_asset(name).path,
    picture: Picture | None = None, outlines: bytes | None = None, city: str = "", timezone: str = "",
) -> bytes:  # fmt: skip
    """Render the page of a listing. `city`: the name of its metro, for a link on plain files; `timezone`: of its
    metro, by which a script says that a place is open. `locate_asset` returns the path of a style or script of the
    release. `outlines`: of the metro's neighborhoods, as GeoJSON."""
    words = name_words(settings, "listing", timezone)
    location = item["location"] or {}
    lat, lng = location.get("lat"), location.get("lng")
    path, addresses = locate_listing(item, settings), _list_addresses(item)
    url, calendar = make_absolute(path, settings), f"{path.rpartition('/')[0]}/{quote(item['slug'])}.ics"
    structured = encode_structured(item, url=url, sign_up=addresses[0][1] if addresses else None)
    has_calendar = item.get("has_date") or any(_list_entries(item))
    values = {
        "item": item,
        "city": city,
        "timezone": timezone,
        "photo": None if picture is None else _place_photo(item, picture.large),
        "summary": " ".join((item["description"] or "").split())[:_SUMMARY],
        "kind": words[item["type"]],
        "when": [*list_times(item, words), *filter(None, [(item.get("schedule") or {}).get("notes")])],
        "offers": list_other_offers(item, words),
        "facts": [*_list_facts(item, words)],
        "hours": [
            (words[day], tell_hours(item["hours"][day], words)) for day in WEEKDAYS if item.get("hours", {}).get(day)
        ],
        "where": [*list_lines(item)],
        "areas": [] if outlines is None or lat is None or lng is None else draw_areas(outlines, lat, lng),
        "own_area": location.get("neighborhood"),
        "map_size": (WIDTH, HEIGHT),
        "directions": _find_directions(item),
        "links": [(words[name], address) for name, address in addresses],
        "calendar": calendar if has_calendar else None,
        # A program asks for a series again.
        "webcal": make_webcal(calendar, settings) if has_calendar and item.get("is_recurring") else None,
        "others": [
            (other["name"], locate_listing({**item, **other}, settings))
            for other in (item["sessions"] if item["type"] == "class" else ())
        ],
        "kind_list": locate_filtered(item, settings, "type", None),
        "more": [*_list_more(item, settings, words)],
        # Every "<" in it is escaped.
        "structured": None if structured is None else Markup(structured),  # noqa: S704
        "updated_on": date.fromisoformat(item["updated_at"][:10]) if item["updated_at"] else None,
        "spots": _tell_all_spots(item, words),
    }
    page = render_page(
        path, "listing.html", settings=settings, page_words="listing", values=values,
        locate_asset=locate_asset,
    )  # fmt: skip
    return page.data


def _place_photo(item: Document, picture: Thumbnail) -> tuple[str, int, int]:
    """Return the path of a picture, and the size at which the page shows it."""
    scale = min(1, _PHOTO_HEIGHT / picture.height)
    path = locate_picture(item["metro"], item["id"], is_large=True)
    return path, round(picture.width * scale), round(picture.height * scale)


def _list_more(item: Document, settings: SiteSettings, words: Words) -> Iterator[tuple[str, str]]:
    """Yield the lists that have similar listings: their names and paths."""
    organization, location = item.get("organization") or {}, item["location"] or {}
    keys = ("organizations", "slug") if settings.is_static else ("organization_id", "id")
    if organization.get("name") and organization.get(keys[1]):
        yield organization["name"], locate_filtered(item, settings, keys[0], organization[keys[1]])
    name = "neighborhoods" if settings.is_static else "neighborhood"
    if location.get("neighborhood_slug"):
        slug = location["neighborhood_slug"]
        yield location["neighborhood"] or slug, locate_filtered(item, settings, name, slug)
    yield words[f"all_{COLLECTIONS[item['type']]}"], locate_filtered(item, settings, "type", None)


def _tell_all_spots(item: Document, words: Words) -> str:
    """Say whether there are places left: none only if no section or session has any."""
    offers = list_offers(item, words)
    registration = item.get("registration") or ({"status": "full"} if item.get("is_sold_out") else {})
    if offers and is_full(registration) and not all(offer.is_full for offer in offers):
        return ""  # each section says its own
    return tell_spots(registration, words)


def _list_facts(item: Document, words: Words) -> Iterator[tuple[str, str]]:
    """Yield the other facts that a parent decides by: what it is about, and the value."""
    if price := tell_price(item.get("price"), words):
        yield words["price"], price
    if ages := tell_ages(item["ages"], words):
        yield words["ages_label"], ages
    stated = [words[name] for name in _FLAGS if item.get(name)]
    if stated:
        yield words["setting"], ", ".join(stated)
    amenities = item.get("amenities") or {}
    there = [words[name] for name in _AMENITIES if amenities.get(name)]
    there += [amenities[name] for name in ("parking_notes", "stroller_policy") if amenities.get(name)]
    if there:
        yield words["amenities"], ", ".join(there)


def _find_directions(item: Document) -> tuple[str, str] | None:
    """Return two links to the point, or else to the address: a `geo:` link, which opens the reader's own map, and a web
    page for computers, which open no such links."""
    location = item["location"] or {}
    if location.get("lat") is not None and location.get("lng") is not None:
        point = f"{location['lat']},{location['lng']}"
        name = quote((item.get("place") or item)["name"])
        return f"geo:{point}?q={point}({name})", f"{_MAP}directions?to={quote(point)}"
    if not location.get("address"):
        return None
    address = quote(location["address"], safe="")
    return f"geo:0,0?q={address}", f"{_MAP}search?query={address}"


def _list_addresses(item: Document) -> list[tuple[str, str]]:
    """Return the web pages of the listing, each once, with the word that names it."""
    addresses = {
        "register": item.get("registration_url") or (item.get("registration") or {}).get("url"),
        "tickets": item.get("ticket_url"),
        "website": item.get("website_url"),
    }
    names: dict[str, str] = {}
    for name, address in addresses.items():
        if address and urlsplit(address).scheme in ("http", "https"):
            names.setdefault(address, name)
    return [(name, address) for address, name in names.items()]


def render_calendar(item: Document) -> bytes | None:
    """Render a class or camp as an iCalendar file; None if it has no dates."""
    entries = [*_list_entries(item)]
    if not entries:
        return None
    head = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//outings//listing//EN"]
    texts = [*write_texts(item, url=next((address for _, address in _list_addresses(item)), None))]
    stamp = (item["updated_at"] or "1970-01-01T00:00:00Z").replace("-", "").replace(":", "")
    events = []
    for number, times in enumerate(entries):
        events += [
            "BEGIN:VEVENT",
            f"UID:{item['id']}-{number}@outings",
            f"DTSTAMP:{stamp}",
            *times,
            *texts,
        ]
    return encode_lines(head) + encode_vtimezone(_find_zone(item)) + encode_lines([*events, "END:VCALENDAR"])


def _find_zone(item: Document) -> str:
    zone: str = item.get("timezone") or (item.get("schedule") or {}).get("timezone") or "UTC"
    return zone


def _list_entries(item: Document) -> Iterator[list[str]]:
    """Yield the lines that say when each entry is."""
    zone = _find_zone(item)
    if item["type"] == "class":
        sections = item["sections"] or [item]
        for section in sections:
            term = section["term"] if section["term"]["starts_on"] else item["term"]
            yield from _write_weekly(section["schedule"], term, zone)
    elif item["type"] == "camp":
        for session in item["sessions"]:
            if session["starts_on"]:
                last = date.fromisoformat(session["ends_on"] or session["starts_on"]) + timedelta(days=1)
                yield _write_times(session["starts_on"], last.isoformat(), zone, has_time=False)


def _write_weekly(schedule: Document, term: Document, zone: str) -> Iterator[list[str]]:
    """Yield one entry that repeats each week of the term."""
    if not term["starts_on"]:
        return
    first, days = date.fromisoformat(term["starts_on"]), schedule["days"]
    while days and WEEKDAYS[first.weekday()] not in days:
        first += timedelta(days=1)
    start, end = (
        f"{first}T{schedule[name]}" if schedule["start_time"] and schedule[name] else None
        for name in ("start_time", "end_time")
    )
    times = _write_times(start or str(first), end, zone, has_time=start is not None)
    if days:
        codes = ",".join(CODES[WEEKDAYS.index(day)] for day in days)
        times.append(
            f"RRULE:FREQ=WEEKLY;BYDAY={codes}{_write_until(term['ends_on'], zone, has_time=start is not None)}"
        )
    yield times


def _write_until(last: str | None, zone: str, *, has_time: bool) -> str:
    """Write the end of a series: of one with times in UTC, at the end of the local day."""
    if last is None:
        return ""
    if not has_time:
        return f";UNTIL={last.replace('-', '')}"
    end = datetime.fromisoformat(f"{last}T23:59:59").replace(tzinfo=read_zone(zone)).astimezone(UTC)
    return f";UNTIL={end:%Y%m%dT%H%M%SZ}"


def _write_times(start: str, end: str | None, zone: str, *, has_time: bool) -> list[str]:
    form = f";TZID={zone}:" if has_time else ";VALUE=DATE:"
    start, end = (text and (text if has_time else text[:10]) for text in (start, end or ""))
    times = {"DTSTART": start, "DTEND": end} if end > start else {"DTSTART": start}
    return [f"{name}{form}{text.replace('-', '').replace(':', '')}" for name, text in times.items()]
