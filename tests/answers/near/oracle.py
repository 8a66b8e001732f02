"""Answers near a point, computed listing by listing with the lists' reference, a haversine and a wall clock. Shares no
code with the program. `params` are the raw texts of a request."""

import math
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from tests.answers.reference import list_items
from tests.answers.worlds import DAYS, World

Document = dict[str, Any]
COLLECTIONS = {"event": "events", "class": "classes", "camp": "camps", "place": "places"}
_SENSED = {"indoor", "outdoor"}
_DATED = {"from", "to", "season", "free", "max_price"}
_ALL = {"category", "audience", "age", "min_confidence", "lat", "lng", "radius_m"}
TAKEN = {
    "event": _ALL | _DATED | _SENSED | {"sensory"},
    "class": _ALL | _DATED | _SENSED | {"sensory"},
    "camp": _ALL | _DATED,
    "place": _ALL | _SENSED | {"sensory"},
}


def measure(params: Mapping[str, str], lat: float, lng: float) -> float:
    """Metres on the sphere, by the haversine formula."""
    here, there = math.radians(float(params["lat"])), math.radians(lat)
    half_lat = math.sin((there - here) / 2)
    half_lng = math.sin(math.radians(lng - float(params["lng"])) / 2)
    chord = half_lat**2 + math.cos(here) * math.cos(there) * half_lng**2
    return 2 * 6_371_008.8 * math.asin(math.sqrt(min(chord, 1.0)))


def read_clock(world: World, minute: datetime) -> datetime:
    return minute.astimezone(ZoneInfo(world.timezone)).replace(tzinfo=None)


def find_window(world: World, params: Mapping[str, str], minute: datetime) -> tuple[date, date]:
    """Return the window that applies, which never begins before today."""
    today = read_clock(world, minute).date()
    start = date.fromisoformat(params["from"]) if "from" in params else today
    end = date.fromisoformat(params["to"]) if "to" in params else start + timedelta(days=30)
    return max(start, today), end


def list_near(world: World, kind: str, params: Mapping[str, str], minute: datetime) -> list[Document]:
    """The type's listings in the circle, as its list has them, but for events that have begun."""
    now, (start, end) = read_clock(world, minute), find_window(world, params, minute)
    own = {name: value for name, value in params.items() if name in TAKEN[kind]}
    if kind != "place":
        own |= {"from": start.isoformat(), "to": end.isoformat()}
    if kind == "event" and end < start:
        return []
    items = list_items(world, kind, own, today=now.date())
    return [item for item in items if kind != "event" or list_dates(world, item, params, minute)]


def list_dates(world: World, event: Document, params: Mapping[str, str], minute: datetime) -> list[datetime]:
    """An event's dates in the window that are not before now."""
    now, (start, end) = read_clock(world, minute), find_window(world, params, minute)
    dates = [entry for entry in sorted(world.dates.get(event["id"], ())) if start <= entry.date() <= end]
    return [value for value in dates if not event["has_time"] or value >= now]


def find_start(world: World, listing: Document, params: Mapping[str, str], minute: datetime) -> datetime | None:
    """Return the start that an item shows: the first in the window that is not before now."""
    now, (start, end) = read_clock(world, minute), find_window(world, params, minute)
    starts: list[datetime] = []
    if listing["type"] == "event":
        starts = list_dates(world, listing, params, minute)
    if listing["type"] == "camp":
        for session in listing["sessions"]:
            if session["starts_on"] and session["starts_on"] >= start.isoformat():
                starts += _join(date.fromisoformat(session["starts_on"]), session["start_time"], now)
    if listing["type"] == "class":
        for section in listing["sections"] or [listing]:
            starts += _list_meetings(section, listing["term"], (start, end), now)
    return min((start for start in starts if start.date() <= end), default=None)


def _list_meetings(section: Document, whole: Document, span: tuple[date, date], now: datetime) -> list[datetime]:
    """`whole`: the class's term, which is that of a section that states none."""
    (start, end), clock = span, section["schedule"]["start_time"]
    term = section["term"] if section["term"]["starts_on"] or section["term"]["ends_on"] else whole
    first = date.fromisoformat(term["starts_on"]) if term["starts_on"] else None
    last = date.fromisoformat(term["ends_on"]) if term["ends_on"] else end
    if not section["schedule"]["days"]:
        inside = first is not None and start <= first <= last
        return _join(first, clock, now) if inside and first is not None else []
    meetings, day = [], max(start, first or start)
    while day <= min(last, end):
        if DAYS[day.weekday()] in section["schedule"]["days"]:
            meetings += _join(day, clock, now)
        day += timedelta(days=1)
    return meetings


def _join(day: date, clock: str | None, now: datetime) -> list[datetime]:
    """Return the start, or None if it is before `now`. A start without a time counts all day."""
    moment = datetime.combine(day, time.fromisoformat(clock or "00:00:00"))
    return [moment] if clock is None or moment >= now else []


def find_instant(local: datetime, timezone: str) -> str:
    return local.replace(tzinfo=ZoneInfo(timezone)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def list_nearby(world: World, params: Mapping[str, str], minute: datetime) -> list[tuple[int, Document]]:
    """Distance in whole metres and listing, in the order of `nearby`."""
    items = []
    for listing in (value for kind in read_kinds(params) for value in list_near(world, kind, params, minute)):
        metres = measure(params, listing["location"]["lat"], listing["location"]["lng"])
        items.append((metres, listing["type"], listing["id"], listing))
    return [(math.floor(metres + 0.5), value) for metres, _, _, value in sorted(items, key=lambda item: item[:3])]


def count_hidden(world: World, params: Mapping[str, str], minute: datetime) -> int:
    """Count the matching listings without coordinates whose neighborhood has its center in the circle."""
    centers = {neighborhood["slug"]: (neighborhood["lat"], neighborhood["lng"]) for neighborhood in world.neighborhoods}
    radius = float(params.get("radius_m", "5000"))
    hidden = World(timezone=world.timezone, dates=world.dates, programs=world.programs)
    for listing in world.listings:
        center = centers.get(listing["location"]["neighborhood_slug"])
        if listing["location"]["lat"] is None and center is not None and measure(params, *center) <= radius:
            hidden.listings.append(listing)
    anywhere = {name: value for name, value in params.items() if name not in ("lat", "lng", "radius_m")}
    return sum(len(list_near(hidden, kind, anywhere, minute)) for kind in read_kinds(params))


OWN_GROUP = {"event": "happening_soon", "class": "classes_enrolling", "camp": "camps", "place": "places"}
GROUPS = ["happening_soon", "recurring_programs", "classes_enrolling", "camps", "places"]
RINGS = {"walk": 800, "bike": 2500, "short_drive": 8000, "drive": 50000}


def read_kinds(params: Mapping[str, str]) -> list[str]:
    return [kind for kind, name in COLLECTIONS.items() if name in params.get("types", name).split(",")]


def list_around(world: World, params: Mapping[str, str], minute: datetime) -> dict[str, Document]:
    """List by id the listings of all groups. Full and closed classes are in none."""
    enrolling = World(timezone=world.timezone, dates=world.dates, programs=world.programs)
    enrolling.listings = [
        listing
        for listing in world.listings
        if listing["type"] != "class" or listing["registration"]["status"] not in ("full", "closed")
    ]
    return {item["id"]: item for kind in read_kinds(params) for item in list_near(enrolling, kind, params, minute)}


def name_groups(listing: Document) -> list[str]:
    recurs = listing["type"] == "event" and listing["is_recurring"]
    return [OWN_GROUP[listing["type"]], *(["recurring_programs"] if recurs else [])]


def score(world: World, listing: Document, params: Mapping[str, str], minute: datetime, bands: list[str]) -> float:
    """`bands`: those that the listing's ages reach, empty where it states none."""
    metres = measure(params, listing["location"]["lat"], listing["location"]["lng"])
    start = find_start(world, listing, params, minute)
    soon = 0.5
    if start is not None:
        soon = 7 / (7 + max((start - read_clock(world, minute)) / timedelta(days=1), 0))
    favoured = params["ages"].split(",") if "ages" in params else []
    stated = listing["ages"]["min"] is not None or listing["ages"]["max"] is not None
    ages = 0.5 if not favoured or not stated else float(any(band in favoured for band in bands))
    return 0.45 * 2000 / (2000 + metres) + 0.3 * soon + 0.15 * float(listing["confidence"]) + 0.1 * ages


BANDS = {"baby": (0, 1), "toddler": (1, 3), "young_kids": (4, 6), "bigger_kids": (7, 12), "teens": (13, 18)}


def list_bands(listing: Document) -> list[str]:
    low, high = listing["ages"]["min"], listing["ages"]["max"]
    if low is None and high is None:
        return []
    return [name for name, (first, last) in BANDS.items() if (low or 0) <= last and (high is None or high >= first)]


WEIGHTS = {"events": 350, "classes": 150, "camps": 100, "places": 200, "variety": 100, "free_share": 100}
HALVES = {"events": 20, "classes": 20, "camps": 10, "places": 20}


def judge_activity(listings: list[Document], kinds: list[str]) -> tuple[int, dict[str, tuple[float | None, int, int]]]:
    """Score and components (value, score, weight), scores and weights in thousandths."""
    names = [COLLECTIONS[kind] for kind in kinds]
    whole = sum(WEIGHTS[name] for name in (*names, "variety", "free_share"))
    values: dict[str, float | None] = {
        COLLECTIONS[kind]: sum(listing["type"] == kind for listing in listings) for kind in kinds
    }
    values["variety"] = len({word for listing in listings for word in listing["categories"]})
    prices = [
        listing["price"]["is_free"]
        for listing in listings
        if "price" in listing and listing["price"]["is_free"] is not None
    ]
    values["free_share"] = sum(prices) / len(prices) if prices else None
    components = {}
    for name, value in values.items():
        share = (value or 0) / (value + HALVES[name] if name in HALVES and value is not None else 1)
        share = share / 16 if name == "variety" else share
        components[name] = (value, round(1000 * share), round(1000 * WEIGHTS[name] / whole))
    total = sum(scored * weight for _, scored, weight in components.values())
    return round(total / sum(weight for _, _, weight in components.values())), components
