"""Occurrences, days and facets as the contract words them, told one by one over documents: the judge of what counts.

Shares no code with the program; what matches is the judgement of `reference`.
"""

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from tests.answers.reference import Document, Params, find_slots, list_items, show_occurrence
from tests.answers.worlds import DAYS, WORDS, World

NOTHING = "unspecified"
BANDS = {"baby": (0, 1), "toddler": (1, 3), "young_kids": (4, 6), "bigger_kids": (7, 12), "teens": (13, 18)}
VALUES = {
    "category": [*WORDS.categories, NOTHING],
    "weekday": [*DAYS, NOTHING],
    "time_block": ["early_morning", "morning", "afternoon", "evening", NOTHING],
    "price_band": ["free", "under_20", "20_to_50", "50_to_100", "100_plus", NOTHING],
    "age_band": [*BANDS, NOTHING],
}


def list_event_dates(world: World, params: Params, *, today: date) -> list[Document]:
    """The items of the expanded list in its order, paging aside."""
    items = [
        _show_expanded(world, event, slot["local"], today)
        for event in world.listings
        if event["type"] == "event"
        for slot in find_slots(world, event, params, today=today)
    ]
    return sorted(items, key=lambda item: (item["starts_at"], item["id"]))


def _show_expanded(world: World, event: Document, local: datetime, today: date) -> Document:
    dates = sorted(world.dates[event["id"]])
    index = dates.index(local) + 1
    ends = local + world.lasts[event["id"]] if event["id"] in world.lasts else None
    times = {
        "starts_at": _show_instant(local, event["timezone"]), "starts_local": local.isoformat(),
        "ends_at": None if ends is None else _show_instant(ends, event["timezone"]),
        "ends_local": None if ends is None else ends.isoformat(),
    }  # fmt: skip
    own = {
        "key": f"{event['id']}_{local:%Y%m%dT%H%M%S}", **times, "date_on": f"{local:%Y-%m-%d}", "index": index,
        "is_first": index == 1, "is_last": index == len(dates) and event["id"] not in world.unending,
    }  # fmt: skip
    clock = {"start_time": f"{local:%H:%M:%S}"} if event["has_time"] else {}
    return {**event, **times, **clock, "occurrence": {**show_occurrence(world, event, today), **own}}


def _show_instant(local: datetime, timezone: str) -> str:
    return local.replace(tzinfo=ZoneInfo(timezone)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def list_days(world: World, params: Params, *, today: date) -> list[Document]:
    """The calendar's entries: what the expanded list shows, by date."""
    day, last = date.fromisoformat(params["from"]), date.fromisoformat(params["to"])
    items = list_event_dates(world, params, today=today)
    entries = []
    while day <= last:
        here = [item for item in items if item["starts_local"][:10] == day.isoformat()]
        entries.append({
            "date": day.isoformat(), "count": len(here),
            "free_count": sum(item["price"]["is_free"] is True for item in here),
            "categories": dict(Counter(word for item in here for word in item["categories"])),
        })  # fmt: skip
        day += timedelta(days=1)
    return entries


def count_facets(world: World, kind: str, params: Params, dimensions: Iterable[str], *, today: date) -> Document:
    counted = _list_counted(world, kind, params, today=today)
    facets: dict[str, Any] = {"total": len(counted), "is_complete": True}
    for name in dimensions:
        if name == "organization":
            facets[name] = _count_organizations(world, [listing for listing, _ in counted])
            continue
        counts = Counter(value for listing, slots in counted for value in _list_values(name, listing, slots))
        facets[name] = [{"value": value, "count": counts.pop(value, 0)} for value in VALUES[name]]
        assert not counts
    return facets


def _list_counted(world: World, kind: str, params: Params, *, today: date) -> list[tuple[Document, list[Document]]]:
    """List what facets count, with the dates of each that match."""
    if params.get("occurrences") == "expand":
        events = [listing for listing in world.listings if listing["type"] == "event"]
        return [(event, [slot]) for event in events for slot in find_slots(world, event, params, today=today)]
    shown = [world.get(item["id"]) for item in list_items(world, kind, params, today=today)]
    return [(value, find_slots(world, value, params, today=today)) for value in shown]


def _list_values(name: str, listing: Document, slots: list[Document]) -> set[str]:
    if name == "category":
        return set(listing["categories"]) or {NOTHING}
    if name == "weekday":
        return {day for slot in slots for day in slot["days"]} or {NOTHING}
    if name == "time_block":
        return {_name_block(slot["time"]) for slot in slots if slot["time"] is not None} or {NOTHING}
    if listing["type"] not in ("class", "camp"):
        slots = [listing]
    if name == "price_band":
        return {_name_price(slot["price"]) for slot in slots} - {NOTHING} or {NOTHING}
    stated = [slot["ages"] for slot in slots if slot["ages"]["min"] is not None or slot["ages"]["max"] is not None]
    return {band for ages in stated for band in _list_bands(ages)} if stated else {NOTHING}


def _name_block(clock: str) -> str:
    if clock < "09:00:00":
        return "early_morning"
    if clock < "12:00:00":
        return "morning"
    return "afternoon" if clock < "17:00:00" else "evening"


def _name_price(price: Document) -> str:
    if price["is_free"] is True:
        return "free"
    if price["min"] is None:
        return NOTHING
    if price["min"] < 20:
        return "under_20"
    if price["min"] < 50:
        return "20_to_50"
    return "50_to_100" if price["min"] < 100 else "100_plus"


def _list_bands(ages: Document) -> set[str]:
    low, high = ages["min"] or 0, 200 if ages["max"] is None else ages["max"]
    return {band for band, (first, last) in BANDS.items() if first <= high and low <= last}


def _count_organizations(world: World, listings: list[Document]) -> Document:
    counts = Counter(listing["organization"]["id"] for listing in listings)
    unspecified = counts.pop(None, 0)
    ranked = sorted(
        ({"id": row_id, "name": world.get(row_id)["name"], "count": count} for row_id, count in counts.items()),
        key=lambda item: (-item["count"], item["name"].casefold(), item["id"]),
    )
    return {
        "distinct": len(ranked), "top": ranked[:10], "other_count": sum(item["count"] for item in ranked[10:]),
        "unspecified_count": unspecified,
    }  # fmt: skip
