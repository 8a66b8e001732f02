"""Describe a listing for search engines: schema.org's JSON-LD, by what Google asks of events and courses."""

import json
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from outings.configuration.zones import read_zone
from outings.pages.facts import is_full

Document = Mapping[str, Any]

_SCHEMA = "https://schema.org"
_TYPES = {"event": "Event", "class": "Course", "camp": "Event", "place": "Place"}
_PERIODS = {"DAILY": "D", "WEEKLY": "W", "MONTHLY": "M", "YEARLY": "Y"}
_DAYS = {
    "MO": "Monday", "TU": "Tuesday", "WE": "Wednesday", "TH": "Thursday", "FR": "Friday", "SA": "Saturday",
    "SU": "Sunday",
}  # fmt: skip


def encode_structured(item: Document, *, url: str | None, sign_up: str | None) -> str | None:
    """Encode JSON-LD as the content of a script element, None for what is no Event because it has no date. Members that
    are not stated are left out. `url`: the page's own address; `sign_up`: where people sign up or buy tickets."""
    price, location = item.get("price") or {}, item["location"] or {}
    value: dict[str, Any] = {
        "@context": _SCHEMA,
        "@type": _TYPES[item["type"]],
        "@id": url,
        "url": url or sign_up,
        "name": item["name"],
        "description": item["description"],
        "image": item["image_url"],
        "isAccessibleForFree": price.get("is_free"),
    }
    organizer = {"@type": "Organization", "name": (item.get("organization") or {}).get("name")}
    match item["type"]:
        case "place":
            value |= {"address": _make_address(location), "geo": _make_geo(location)}
        case "class":
            value["provider"] = organizer
            value["offers"] = _make_offer(item, url or sign_up)
            value["hasCourseInstance"] = [_make_course(item, part) for part in item["sections"] or [item]]
        case _:
            times = _make_times(item)
            if times is None:
                return None
            value |= times
            value |= {
                "eventStatus": f"{_SCHEMA}/EventScheduled",
                "eventAttendanceMode": f"{_SCHEMA}/OfflineEventAttendanceMode",
                "location": _make_place(item),
                "organizer": organizer,
                "offers": _make_offer(item, sign_up or url),
            }
    return json.dumps(_drop_unstated(value), ensure_ascii=False).replace("<", "\\u003c")


def _make_times(item: Document) -> dict[str, Any] | None:
    """Return when an event or camp is, for a series its next date and its rule."""
    if item["type"] == "camp":
        return {"startDate": item["starts_on"], "endDate": item["ends_on"]} if item["starts_on"] else None
    first, end = item["starts_local"], item["ends_local"]
    start = (item.get("is_recurring") and item["occurrence"]["next_starts_local"]) or first
    if not start:
        return None
    if end:
        lasts = datetime.fromisoformat(end) - datetime.fromisoformat(first)
        end = (datetime.fromisoformat(start) + lasts).isoformat()
    zone, has_time = item["timezone"], item["has_time"]
    times = {name: _write_moment(moment, zone, has_time=has_time) for name, moment in (("start", start), ("end", end))}
    return {"startDate": times["start"], "endDate": times["end"], "eventSchedule": _make_schedule(item)}


def _write_moment(local: str | None, zone: str, *, has_time: bool) -> str | None:
    if local is None or not has_time:
        return local and local[:10]
    return datetime.fromisoformat(local).replace(tzinfo=read_zone(zone)).isoformat()


def _make_schedule(item: Document) -> dict[str, Any]:
    """Return a rule as schema.org's Schedule, empty if the event has none that a Schedule can say."""
    rule = dict(part.split("=", 1) for part in (item["rrule"] or "").upper().split(";") if "=" in part)
    days = [_DAYS.get(code) for code in rule.get("BYDAY", "").split(",")] if "BYDAY" in rule else []
    if rule.get("FREQ") not in _PERIODS or not all(days):
        return {}
    last = rule.get("UNTIL", "")[:8]
    clocks = [(text and item["has_time"] and text[11:]) or None for text in (item["starts_local"], item["ends_local"])]
    return {
        "@type": "Schedule",
        "repeatFrequency": f"P{rule.get('INTERVAL', '1')}{_PERIODS[rule['FREQ']]}",
        "byDay": [f"{_SCHEMA}/{day}" for day in days],
        "byMonthDay": [int(day) for day in rule.get("BYMONTHDAY", "").split(",") if day],
        "repeatCount": int(rule["COUNT"]) if "COUNT" in rule else None,
        "startDate": item["starts_local"][:10],
        "endDate": date.fromisoformat(last).isoformat() if last else None,
        "startTime": clocks[0],
        "endTime": clocks[1],
        "scheduleTimezone": item["timezone"],
        "exceptDate": [moment[:10] for moment in item.get("exdates") or ()],
    }


def _make_course(item: Document, part: Document) -> dict[str, Any]:
    term = part["term"] if part["term"]["starts_on"] else item["term"]
    schedule = part["schedule"]
    minutes = schedule.get("duration_minutes")
    return {
        "@type": "CourseInstance",
        "name": part["name"],
        "courseMode": "Onsite",
        "startDate": term["starts_on"],
        "endDate": term["ends_on"],
        "location": _make_place(item),
        "courseSchedule": {
            "@type": "Schedule",
            "repeatFrequency": "Weekly" if schedule["days"] else None,
            "byDay": [f"{_SCHEMA}/{day.title()}" for day in schedule["days"]],
            "startTime": schedule["start_time"],
            "endTime": schedule["end_time"],
            "duration": None if minutes is None else f"PT{minutes}M",
        },
    }


def _make_place(item: Document) -> dict[str, Any]:
    location = item["location"] or {}
    name = (item.get("place") or {}).get("name")
    address, geo = _make_address(location), _make_geo(location)
    return {"@type": "Place", "name": name or location.get("address"), "address": address, "geo": geo}


def _make_address(location: Document) -> Any:
    """Return the parts of an address, or its text if its parts are not known."""
    parts = {
        "@type": "PostalAddress",
        "streetAddress": location.get("street_address"),
        "addressLocality": location.get("city"),
        "addressRegion": location.get("state"),
        "postalCode": location.get("zip"),
    }
    return parts if location.get("street_address") else location.get("address") or parts


def _make_geo(location: Document) -> dict[str, Any]:
    return {"@type": "GeoCoordinates", "latitude": location.get("lat"), "longitude": location.get("lng")}


def _make_offer(item: Document, url: str | None) -> dict[str, Any]:
    price = item.get("price") or {}
    amount = 0 if price.get("is_free") else price.get("min")
    if amount is None:
        return {}
    registration = item.get("registration") or {}
    is_sold_out = item.get("is_sold_out") or is_full(registration)
    is_highest = price.get("max") in (None, amount) or price.get("is_free")
    own = {"@type": "Offer", "price": amount} if is_highest else {
        "@type": "AggregateOffer", "lowPrice": amount, "highPrice": price["max"],
    }  # fmt: skip
    category = ("Free" if amount == 0 else "Paid") if item["type"] == "class" else None
    return own | {
        "priceCurrency": price.get("currency") or "USD",
        "category": category,
        "availability": f"{_SCHEMA}/{'SoldOut' if is_sold_out else 'InStock'}",
        "validFrom": registration.get("opens_at"),
        "url": url,
    }


def _drop_unstated(value: Any) -> Any:
    """Return a node without the members that state nothing, at every depth. A node of a type alone states nothing."""
    if isinstance(value, list):
        return [kept for kept in map(_drop_unstated, value) if kept not in (None, "", {}, [])]
    if not isinstance(value, Mapping):
        return value
    stated = {name: _drop_unstated(member) for name, member in value.items()}
    stated = {name: member for name, member in stated.items() if member not in (None, "", {}, [])}
    return {} if stated.keys() <= {"@type", "courseMode"} else stated
