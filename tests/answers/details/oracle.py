"""Related listings as docs/addons.md defines them: computed from documents by comparing every pair, without the
program's code."""

import math
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from tests.answers.reference import Document, list_items, show_occurrence
from tests.answers.worlds import DAYS, TODAY, World

KINDS = ["event", "class", "camp"]
GROUPS = ["similar", "from_organization", "at_place"]
BLOCKS = [("00:00:00", 0), ("09:00:00", 1), ("12:00:00", 2), ("17:00:00", 3)]
COLLECTIONS = {"event": "events", "class": "classes", "camp": "camps"}
MOST, KEPT = 6, 10


def relate(world: World, listing: Document, *, kinds: Sequence[str], today: date) -> Mapping[str, list[Document]]:
    """The block of a listing, for a key that may read these types."""
    groups = {
        "similar": _find_similar(world, listing, kinds=kinds, today=today),
        "from_organization": _list_with(world, listing, "organization", kinds=kinds, today=today),
        "at_place": _list_with(world, listing, "place", kinds=kinds, today=today),
    }
    return {
        group: [show_card(world, other, today) for other in others if not _is_same(world, other, listing)][:MOST]
        for group, others in groups.items()
    }


def _is_same(world: World, one: Document, other: Document) -> bool:
    """A listing, or one of its program, which an archived one is no longer in."""
    is_one = other["status"] == "published" and _name_card(world, one) == _name_card(world, other)
    return one["id"] == other["id"] or is_one


def _list_with(world: World, listing: Document, member: str, *, kinds: Sequence[str], today: date) -> list[Document]:
    """The default lists with `organization_id` or `place_id`, that of the listing's own type first."""
    reference = (listing[member] or {}).get("id")
    if reference is None:
        return []
    ordered = sorted(kinds, key=lambda kind: kind != listing["type"])
    return [item for kind in ordered for item in list_items(world, kind, {f"{member}_id": reference}, today=today)]


def _find_similar(world: World, listing: Document, *, kinds: Sequence[str], today: date) -> list[Document]:
    if listing["status"] != "published":
        return []
    scored = []
    for kind in kinds:
        pool = _list_candidates(world, kind)
        best = [
            (round(score, 4), value) for value in pool if (score := _score(world, listing, value, pool)) is not None
        ]
        scored += sorted(best, key=lambda pair: (-pair[0], _order(pair[1])))[:KEPT]
    ranked = [value for _, value in sorted(scored, key=lambda pair: (-pair[0], _order(pair[1])))]
    cards = {_name_card(world, item): item for kind in kinds for item in list_items(world, kind, {}, today=today)}
    dealt = [cards[name] for name in dict.fromkeys(_name_card(world, value) for value in ranked) if name in cards]
    named: dict[tuple[Any, ...], Document] = {}
    for entry in (listing, *dealt):
        named.setdefault((entry["type"], entry["name"], (entry["place"] or {}).get("id")), entry)
    return list(named.values())


def _name_card(world: World, listing: Document) -> str:
    return world.programs.get(listing["id"], listing["id"]) if listing["type"] == "class" else listing["id"]


def _order(listing: Document) -> tuple[Any, ...]:
    """Natural order, types one after the other."""
    kind = listing["type"]
    first = {"event": listing.get("starts_at") or "9999", "camp": listing.get("starts_on") or "9999"}
    return KINDS.index(kind), first.get(kind, listing["name"].casefold()), listing["id"]


def _list_candidates(world: World, kind: str) -> list[Document]:
    """List the listings of the default lists on the build's date that have a category: the first of each program, and
    the first of each name at one place and organization."""
    every = list_items(world, kind, {"expand": "sessions"} if kind == "class" else {}, today=TODAY)
    ordered = sorted((item for item in every if item["categories"]), key=_order)
    chosen, twins, programs = [], {}, set()
    for listing in ordered:
        name = (listing["name"].casefold(), (listing["place"] or {}).get("id"), listing["organization"]["id"])
        program = world.programs.get(listing["id"]) if kind == "class" else None
        twins[name] = twins.get(name, 0) + 1
        if twins[name] <= 2 and program not in programs:
            chosen.append(listing)
        programs |= set() if program is None else {program}
    return chosen


def _score(world: World, one: Document, other: Document, pool: Sequence[Document]) -> float | None:
    if one["id"] == other["id"] or not {*one["categories"]} & {*other["categories"]}:
        return None
    return (
        0.5 * _compare_categories(one, other, pool)
        + 0.2 * _compare_ages(one["ages"], other["ages"])
        + 0.2 * _compare_places(one["location"], other["location"])
        + 0.1 * _compare_weeks(_list_slots(world, one), _list_slots(world, other))
    )


def _compare_categories(one: Document, other: Document, pool: Sequence[Document]) -> float:
    def weigh(category: str) -> float:
        having = sum(category in item["categories"] for item in pool)
        return math.log(1 + len(pool) / having) if having else 0

    shared, either = {*one["categories"]} & {*other["categories"]}, {*one["categories"]} | {*other["categories"]}
    return sum(map(weigh, shared)) / sum(map(weigh, either))


def _compare_ages(one: Document, other: Document) -> float:
    if any(item["min"] is None and item["max"] is None for item in (one, other)):
        return 0.5
    years = [
        {*range(min(item["min"] or 0, 18), (18 if item["max"] is None else min(item["max"], 18)) + 1)}
        for item in (one, other)
    ]
    either = years[0] | years[1]
    return len(years[0] & years[1]) / (max(either) - min(either) + 1)


def _compare_places(one: Document, other: Document) -> float:
    if any(item["lat"] is None or item["lng"] is None for item in (one, other)):
        return 0
    lat, lng, other_lat, other_lng = (math.radians(value[name]) for value in (one, other) for name in ("lat", "lng"))
    half = (
        math.sin((lat - other_lat) / 2) ** 2
        + math.cos(lat) * math.cos(other_lat) * math.sin((lng - other_lng) / 2) ** 2
    )
    metres = 2 * 6_371_008.8 * math.asin(math.sqrt(half))
    return 1 / (1 + metres / 2_000)


def _list_slots(world: World, listing: Document) -> set[tuple[str, int | None]]:
    """Weekdays, each with its block of the day where a time is stated."""
    if listing["type"] == "event":
        dates = world.dates.get(listing["id"], [])
        stated = [(DAYS[value.weekday()], f"{value:%H:%M:%S}" if listing["has_time"] else None) for value in dates]
    elif listing["type"] == "class":
        schedules = [section["schedule"] for section in listing["sections"]] or [listing["schedule"]]
        stated = [(day, schedule["start_time"]) for schedule in schedules for day in schedule["days"]]
    else:
        stated = [(day, session["start_time"]) for session in listing["sessions"] for day in session["days"]]
    return {(day, None if clock is None else max(n for start, n in BLOCKS if start <= clock)) for day, clock in stated}


def _compare_weeks(one: set[tuple[str, int | None]], other: set[tuple[str, int | None]]) -> float:
    if any(block is not None for _, block in one & other):
        return 1
    return 0.5 if {day for day, _ in one} & {day for day, _ in other} else 0


def show_card(world: World, listing: Document, today: date) -> Document:
    names = ("id", "type", "slug", "name", "place", "price", "ages", "categories", "image_url")
    collection = COLLECTIONS[listing["type"]]
    return {
        **{name: listing[name] for name in names},
        "starts_local": _find_start(world, listing, today),
        "timezone": listing["schedule"]["timezone"] if listing["type"] == "class" else listing["timezone"],
        "links": {"self": f"/v1/{collection}/{listing['id']}"},
    }


def _find_start(world: World, listing: Document, today: date) -> str | None:
    if listing["type"] == "event":
        if not listing["is_recurring"]:
            return listing["starts_local"]
        following: str | None = show_occurrence(world, listing, today)["next_starts_local"]
        return following
    if listing["type"] == "class":
        parts = [listing, *listing["sections"]]
        starts = [_write(part["term"]["starts_on"], part["schedule"]["start_time"]) for part in parts]
        return starts[0] or min((start for start in starts if start), default=None)
    left = [
        session
        for session in listing["sessions"]
        if (session["ends_on"] or session["starts_on"] or "") >= today.isoformat()
    ]
    return min((start for item in left if (start := _write(item["starts_on"], item["start_time"]))), default=None)


def _write(day: str | None, clock: str | None) -> str | None:
    return None if day is None else f"{day}T{clock or '00:00:00'}"
