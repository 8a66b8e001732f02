"""The page of one listing, and the calendar file of a class or camp, from the document that the API serves."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from urllib.parse import quote, urlsplit

from markupsafe import Markup

from outings.answers.ical import encode_lines, encode_vtimezone, escape_text
from outings.configuration.zones import read_zone
from outings.contract.vocabulary import COLLECTIONS, WEEKDAYS
from outings.pages.assets import find_asset
from outings.pages.layout import name_words, render_page
from outings.pages.listing_map import HEIGHT, WIDTH, draw_areas
from outings.pages.settings import Words, format_date
from outings.release.site import Picture, SiteSettings, Thumbnail, locate_picture

Document = Mapping[str, Any]

_MAP = "https://www.openstreetmap.org/"
_CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_SUMMARY = 200
_PHOTO_HEIGHT = 384
# schema.org's types, and its words for what the API states.
_TYPES = {"event": "Event", "class": "Course", "camp": "Event", "place": "Place"}
_FLAGS = ("is_indoor", "is_outdoor", "is_sensory_friendly", "good_for_rainy")
_AMENITIES = ("has_outdoor_space", "has_parking", "has_wifi", "socks_required", "outside_food_allowed")


def locate_listing(item: Document, settings: SiteSettings) -> str:
    """Return the path of a listing's page. On plain files it is a folder, which every host shows."""
    page = f"{item['metro']}/{COLLECTIONS[item['type']]}/{quote(item['slug'])}"
    return f"{page}/" if settings.is_static else page


def render_listing(
    item: Document, *, settings: SiteSettings, locate_asset: Callable[[str], str] = lambda name: find_asset(name).path,
    picture: Picture | None = None, outlines: bytes | None = None,
) -> bytes:  # fmt: skip
    """Render the page of a listing. `locate_asset` returns the path of a style or script of the release. `outlines`: of
    the metro's neighborhoods, as GeoJSON."""
    words = name_words(settings, "listing")
    location = item["location"] or {}
    lat, lng = location.get("lat"), location.get("lng")
    collection = COLLECTIONS[item["type"]]
    values = {
        "item": item,
        "photo": None if picture is None else _place_photo(item, picture.large),
        "summary": " ".join((item["description"] or "").split())[:_SUMMARY],
        "kind": words[item["type"]],
        "when": [*list_times(item, words)],
        "sessions": [*_list_sessions(item, words)],
        "facts": [*_list_facts(item, words)],
        "hours": [(words[day], item["hours"][day]) for day in WEEKDAYS if item.get("hours", {}).get(day)],
        "where": [*_list_lines(item)],
        "areas": [] if outlines is None or lat is None or lng is None else draw_areas(outlines, lat, lng),
        "own_area": location.get("neighborhood"),
        "map_size": (WIDTH, HEIGHT),
        "directions": _find_directions(item),
        "links": [(words[name], address) for name, address in _list_addresses(item)],
        "calendar": f"{quote(item['slug'])}.ics" if item.get("has_date") or any(_list_entries(item)) else None,
        "others": [
            (other["name"], locate_listing({**item, **other}, settings))
            for other in (item["sessions"] if item["type"] == "class" else ())
        ],
        "explore": f"explore/?metro={item['metro']}&type={collection}",
        "structured": Markup(_encode_structured(item)),  # noqa: S704 every "<" in it is escaped
        "updated_on": date.fromisoformat(item["updated_at"][:10]) if item["updated_at"] else None,
        "spots": _tell_spots(
            item.get("registration") or ({"status": "full"} if item.get("is_sold_out") else {}), words
        ),
    }
    page = render_page(
        locate_listing(item, settings), "listing.html", settings=settings, page_words="listing", values=values,
        locate_asset=locate_asset,
    )  # fmt: skip
    return page.data


def _place_photo(item: Document, picture: Thumbnail) -> tuple[str, int, int]:
    """Return the path of a picture, and the size at which the page shows it."""
    scale = min(1, _PHOTO_HEIGHT / picture.height)
    path = locate_picture(item["metro"], item["id"], is_large=True)
    return path, round(picture.width * scale), round(picture.height * scale)


def list_times(item: Document, words: Words) -> Iterator[str]:
    """Yield when the listing is, a line for each statement."""
    occurrence = item.get("occurrence") or {}
    match item["type"]:
        case "event":
            start = occurrence.get("next_starts_local") or item["starts_local"]
            if start:
                yield _format_span(start, None if occurrence else item["ends_local"], words, has_time=item["has_time"])
            if item["recurrence_description"]:
                yield item["recurrence_description"]
            if occurrence.get("remaining"):
                yield words["more_dates"].format(count=occurrence["remaining"])
        case "class":
            schedule, term = item["schedule"], item["term"]
            days = _list_days(schedule["days"], words)
            yield from filter(None, (" · ".join(filter(None, (days, _format_clocks(schedule, words)))),))
            yield from _format_term(term["starts_on"], term["ends_on"], words)
            if schedule["notes"]:
                yield schedule["notes"]
        case "camp":
            yield from _format_term(item["starts_on"], item["ends_on"], words)
            if _has_one_session(item):
                yield from filter(None, [_format_clocks(item["sessions"][0], words)])


def _has_one_session(camp: Document) -> bool:
    """Return True if the camp's only session says nothing that the camp doesn't say but its hours."""
    sessions = camp["sessions"]
    return len(sessions) == 1 and not (sessions[0]["name"] or sessions[0]["theme"])


def _list_sessions(item: Document, words: Words) -> Iterator[tuple[str, str, str | None]]:
    """Yield the sections of a class, the other classes of its program, or the sessions of a camp: what, when, and how
    many places are left."""
    for section in item.get("sections", ()):
        days = _list_days(section["schedule"]["days"], words)
        when = [days, _format_clocks(section["schedule"], words)]
        when += _format_term(section["term"]["starts_on"], section["term"]["ends_on"], words)
        yield section["name"] or "", " · ".join(filter(None, when)), _tell_spots(section["registration"], words)
    for session in item["sessions"] if item["type"] == "camp" and not _has_one_session(item) else ():
        when = [*_format_term(session["starts_on"], session["ends_on"], words), _format_clocks(session, words)]
        name = session["name"] or session["theme"] or ""
        yield name, " · ".join(filter(None, when)), _tell_spots(session["registration"], words)


def _list_facts(item: Document, words: Words) -> Iterator[tuple[str, str]]:
    """Yield the other facts that a parent decides by: what it is about, and the value."""
    price = _tell_price(item.get("price"), words)
    if price:
        yield words["price"], price
    ages = item["ages"]
    low, high = ages["min"], ages["max"]
    if low is not None or high is not None:
        form = "ages_from" if high is None else "ages_to" if low is None else "ages_one" if low == high else "ages"
        yield words["ages_label"], words[form].format(min=low, max=high)
    elif ages.get("text"):
        yield words["ages_label"], ages["text"]
    stated = [words[name if item[name] else f"not_{name}"] for name in _FLAGS if item.get(name) is not None]
    if stated:
        yield words["setting"], ", ".join(stated)
    amenities = item.get("amenities") or {}
    there = [words[name] for name in _AMENITIES if amenities.get(name)]
    there += [amenities[name] for name in ("parking_notes", "stroller_policy") if amenities.get(name)]
    if there:
        yield words["amenities"], ", ".join(there)
    if organization := (item.get("organization") or {}).get("name"):
        yield words["by"], organization


def _tell_price(price: Document | None, words: Words) -> str:
    if not price:
        return ""
    note = f" ({price['note']})" if price.get("note") else ""
    if price["is_free"]:
        return words["free"] + note
    if price["min"] is None:
        return price.get("note") or ""
    bounds = [f"{bound:.2f}".removesuffix(".00") for bound in (price["min"], price["max"]) if bound is not None]
    form = "${}" if price.get("currency") in (None, "USD") else f"{{}} {price['currency']}"
    return " – ".join(dict.fromkeys(map(form.format, bounds))) + note


def _tell_spots(registration: Document, words: Words, *, is_sold_out: bool = False) -> str | None:
    """Say whether there are places left; None if nobody knows."""
    remaining, status = registration.get("spots_remaining"), "full" if is_sold_out else registration.get("status")
    if status in ("full", "closed", "waitlist", "upcoming"):
        return words[f"status_{status}"]
    if remaining is not None:
        return words["spots_none" if remaining <= 0 else "spots_one" if remaining == 1 else "spots"].format(
            count=remaining
        )
    has_spots = registration.get("has_spots_available")
    return None if has_spots is None else words["spots_some" if has_spots else "spots_none"]


def _list_lines(item: Document) -> Iterator[str]:
    """Yield the place, the address and the neighborhood, each once."""
    place, location = item.get("place") or {}, item["location"] or {}
    lines = (place.get("name"), location.get("address"), location.get("neighborhood"))
    yield from dict.fromkeys(filter(None, lines))


def _list_days(days: Sequence[str], words: Words) -> str:
    return words["every_day"] if len(days) == len(WEEKDAYS) else ", ".join(words[day] for day in days)


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


def _format_span(start: str, end: str | None, words: Words, *, has_time: bool) -> str:
    first = datetime.fromisoformat(start)
    text = _format_day(first.date(), words)
    if not has_time:
        return text
    text += f", {_format_clock(start[11:], words)}"
    last = datetime.fromisoformat(end) if end else first
    if last <= first:
        return text
    day = f"{_format_day(last.date(), words)}, " if last.date() != first.date() else ""
    return f"{text} – {day}{_format_clock(last.time().isoformat(), words)}"


def _format_day(day: date, words: Words) -> str:
    return words["day"].format(weekday=words[WEEKDAYS[day.weekday()]], date=format_date(day, words))


def _format_term(start: str | None, end: str | None, words: Words) -> list[str]:
    days = [_format_day(date.fromisoformat(day), words) for day in dict.fromkeys((start, end)) if day]
    if end and not start:
        return [words["until"].format(day=days[0])]
    return [" – ".join(days)] if days else []


def _format_clocks(schedule: Document, words: Words) -> str:
    clocks = [_format_clock(schedule[name], words) for name in ("start_time", "end_time") if schedule.get(name)]
    return " – ".join(clocks)


def _format_clock(text: str, words: Words) -> str:
    hour, minute = int(text[:2]), text[3:5]
    if words["clock_hours"] == "24":
        return f"{hour}:{minute}"
    return f"{(hour + 11) % 12 + 1}:{minute}\N{NO-BREAK SPACE}{words['am' if hour < 12 else 'pm']}"


def _encode_structured(item: Document) -> str:
    """Encode schema.org's JSON-LD. Members that are not stated are left out."""
    location, price = item["location"] or {}, item.get("price") or {}
    place = {
        "@type": "Place",
        "name": (item.get("place") or {}).get("name"),
        "address": location.get("address"),
        "geo": _drop_unstated(
            {"@type": "GeoCoordinates", "latitude": location.get("lat"), "longitude": location.get("lng")}
        ),
    }
    offer = {"@type": "Offer", "price": price.get("min"), "priceCurrency": price.get("currency")}
    value: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": _TYPES[item["type"]],
        "name": item["name"],
        "description": item["description"],
        "image": item["image_url"],
        "isAccessibleForFree": price.get("is_free"),
        "organizer": _drop_unstated({"@type": "Organization", "name": (item.get("organization") or {}).get("name")}),
    }
    if item["type"] == "place":
        value |= {name: place[name] for name in ("address", "geo")}
    elif item["type"] == "class":
        value["provider"] = value.pop("organizer")
        term = item["term"]
        value["hasCourseInstance"] = _drop_unstated({
            "@type": "CourseInstance", "courseMode": "Onsite", "startDate": term["starts_on"],
            "endDate": term["ends_on"], "location": _drop_unstated(place),
        })  # fmt: skip
    else:
        value |= {
            "startDate": item.get("starts_local") or item.get("starts_on"),
            "endDate": item.get("ends_local") or item.get("ends_on"),
            "location": _drop_unstated(place),
        }
    if price.get("min") is not None:
        value["offers"] = _drop_unstated(offer)
    return json.dumps(_drop_unstated(value), ensure_ascii=False).replace("<", "\\u003c")


def _drop_unstated(value: Mapping[str, Any]) -> dict[str, Any]:
    stated = {name: member for name, member in value.items() if member not in (None, "", {})}
    return {} if stated.keys() <= {"@type"} else stated


def render_calendar(item: Document) -> bytes | None:
    """Render a class or camp as an iCalendar file; None if it has no dates."""
    entries = [*_list_entries(item)]
    if not entries:
        return None
    head = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//outings//listing//EN"]
    texts = _write_texts(item)
    stamp = (item["updated_at"] or "1970-01-01T00:00:00Z").replace("-", "").replace(":", "")
    events = []
    for number, times in enumerate(entries):
        events += [
            "BEGIN:VEVENT",
            f"UID:{item['id']}-{number}@outings",
            f"DTSTAMP:{stamp}",
            *times,
            *texts,
            "END:VEVENT",
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
        codes = ",".join(_CODES[WEEKDAYS.index(day)] for day in days)
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


def _write_texts(item: Document) -> list[str]:
    place, location = item.get("place") or {}, item["location"] or {}
    where = ", ".join(dict.fromkeys(filter(None, (place.get("name"), location.get("address")))))
    lines = [f"SUMMARY:{escape_text(item['name'])}"]
    lines += [f"DESCRIPTION:{escape_text(item['description'])}"] if item["description"] else []
    lines += [f"LOCATION:{escape_text(where)}"] if where else []
    lines += [f"URL:{address}" for _, address in _list_addresses(item)[:1]]
    if location.get("lat") is not None and location.get("lng") is not None:
        lines.append(f"GEO:{location['lat']};{location['lng']}")
    return lines
