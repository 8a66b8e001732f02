"""The lists as the contract words them, over documents, one listing after the other: the judge of `outings.answers`.

Shares no code with the program. `params` are the raw texts of a request.
"""

import math
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from tests.answers.worlds import AUDIENCES, DAYS, World, fold, list_texts, split_text

Document = dict[str, Any]
Params = Mapping[str, str]


# True for a listing and one of its slots, as `where` says it.
Where = Callable[[Document, Document], bool]


def list_items(world: World, kind: str, params: Params, *, today: date, where: Where | None = None) -> list[Document]:
    """All items of the list in its order, paging aside."""
    start = _day(params.get("from")) or today
    matching = [
        listing
        for listing in world.listings
        if listing["type"] == kind and find_slots(world, listing, params, today=today, where=where)
    ]
    if "ids" in params:
        return [_show_event(world, value, today) for value in _order_named(matching, params["ids"])]
    if "changed_since" in params:
        ordered = sorted(matching, key=lambda item: (item["updated_at"], item["id"]))
        return [_show_event(world, value, today) for value in ordered]
    if kind == "event":
        ordered = sorted(matching, key=lambda item: (item["starts_at"], item["id"]))
        return [_show_event(world, value, today) for value in ordered]
    if kind == "camp":
        return sorted(matching, key=lambda item: (_first_session(item, start), item["id"]))
    folds_programs = kind == "class" and params.get("expand") != "sessions"
    if folds_programs:
        matching = _deal_cards(world, matching, start)
    ordered = sorted(matching, key=lambda item: (item["name"].casefold(), item["id"]))
    return [_show_class(world, value, params) for value in ordered] if folds_programs else ordered


def find_missing(world: World, kind: str, ids: str) -> list[str]:
    """List the ids without a listing of this type, each once."""
    shown = {
        listing["id"] for listing in world.listings if listing["type"] == kind and listing["status"] == "published"
    }
    return [part for part in dict.fromkeys(ids.split(",")) if part not in shown]


def _order_named(matching: list[Document], ids: str) -> list[Document]:
    by_id = {item["id"]: item for item in matching}
    return [by_id[part] for part in dict.fromkeys(ids.split(",")) if part in by_id]


def find_slots(
    world: World, listing: Document, params: Params, *, today: date, where: Where | None = None
) -> list[Document]:
    """List the dates of a listing that match, or None if the listing does not match. A place is its own date."""
    slots = _find_slots(world, listing, params, today=today)
    return slots if where is None else [slot for slot in slots if where(listing, slot)]


def _find_slots(world: World, listing: Document, params: Params, *, today: date) -> list[Document]:
    if listing["status"] != "published" or not _is_visible(listing, params):
        return []
    if not all(test(listing, params[name]) for name, test in _LISTING.items() if name in params):
        return []
    if "lat" in params and not _is_near(listing, params):
        return []
    if "ids" in params:
        return [listing]
    if listing["type"] == "place":
        fits = _age(listing["ages"], params) and _flag(listing["is_sensory_friendly"], params.get("sensory"))
        return [listing] * fits
    slots = [slot for slot in _list_slots(world, listing, params, today=today) if _slot_matches(slot, params)]
    if "meets" not in params or ("changed_since" in params and "from" not in params):
        return slots
    window = _day(params.get("from")) or today, _day(params.get("to"))
    return [slot for slot in slots if _meets(slot, *window)]


def _meets(slot: Document, start: date, end: date | None) -> bool:
    """Is it known to be held on a day of the window? Looks at each day of it."""
    if "term" not in slot:
        return bool(slot["is_dated"])
    first, last = (_day(slot["term"][name]) for name in ("starts_on", "ends_on"))
    if first and last and start <= first and last <= (end or last):
        return True
    days = (start + timedelta(days=number) for number in range((end - start).days + 1 if end else 366))
    return any((first or day) <= day <= (last or day) and DAYS[day.weekday()] in slot["days"] for day in days)


def _is_visible(listing: Document, params: Params) -> bool:
    least = 0.5 if listing["type"] == "place" else 0.7
    if "ids" in params:
        params, least = {"audience": "all", **params}, 0
    least = float(params.get("min_confidence", least))
    return listing["confidence"] >= least and listing["audience"] in _audiences(params)


def _audiences(params: Params) -> set[str]:
    wanted = set(params.get("audience", "not_adults").split(","))
    if "all" in wanted:
        return set(AUDIENCES)
    return wanted | (set(AUDIENCES) - {"adults"} if "not_adults" in wanted else set())


def _list_slots(world: World, listing: Document, params: Params, *, today: date) -> list[Document]:
    """List the dates of a listing in the window, each with the days, time, ages and price that hold for it."""
    start, end = _day(params.get("from")), _day(params.get("to"))
    is_open = "changed_since" in params
    is_endless = is_open and start is end is None
    if is_endless and listing["type"] == "event" and not NEEDS_A_DATE & params.keys():
        return [{**listing, "days": [], "time": None}]
    start = start or (date.min if is_open else today)
    if listing["type"] == "event":
        end = end or (date.max if is_open else start + timedelta(days=30))
        return [
            {
                **listing,
                "days": [DAYS[local.weekday()]],
                "time": listing["start_time"],
                "local": local,
                "index": index,
                "lasts": world.lasts.get(listing["id"]),
            }
            for index, local in enumerate(sorted(world.dates.get(listing["id"], ())), 1)
            if start <= local.date() <= end
        ]
    if listing["type"] == "class":
        return [slot for slot in map(_read_section, *_pair_sections(listing)) if _is_open(slot, start, end)]
    dated = [session for session in listing["sessions"] if session["starts_on"]]
    if dated and not is_endless:
        slots = [
            item
            for item in dated
            if item["ends_on"] >= start.isoformat() and (end is None or item["starts_on"] <= end.isoformat())
        ]
    else:
        nothing: Document = {"starts_on": None, "ends_on": None, "days": [], "start_time": None, "is_overnight": None}
        slots = listing["sessions"] or [{**listing, **nothing}]
    return [_read_session(slot, listing) for slot in slots]


def _pair_sections(listing: Document) -> tuple[list[Document], list[Document]]:
    sections = [{**section, "term": _choose_term(section, listing)} for section in listing["sections"]]
    sections = sections or [{**listing, "tuition": {"amount": None}}]
    return sections, [listing] * len(sections)


def _choose_term(section: Document, listing: Document) -> Document:
    is_stated = any(section["term"][name] for name in ("starts_on", "ends_on"))
    term: Document = (section if is_stated else listing)["term"]
    return term


def _read_section(section: Document, listing: Document) -> Document:
    amount = section["tuition"]["amount"]
    return {
        "days": section["schedule"]["days"],
        "time": section["schedule"]["start_time"],
        "ages": listing["ages"] if section["ages"]["min"] is section["ages"]["max"] is None else section["ages"],
        "price": listing["price"] if amount is None else {"min": amount, "is_free": amount == 0},
        "term": section["term"],
        "openings": _openings(section["registration"]),
    }


def _read_session(session: Document, camp: Document) -> Document:
    priced = any(value is not None for value in session["price"].values())
    return {
        "starts_on": session["starts_on"],
        "days": session["days"],
        "time": session["start_time"],
        "ages": camp["ages"] if session["ages"]["min"] is session["ages"]["max"] is None else session["ages"],
        "price": session["price"] if priced else camp["price"],
        "overnight": camp["is_overnight"] if session["is_overnight"] is None else session["is_overnight"],
        "is_dated": session["starts_on"] is not None,
    }


def _is_open(slot: Document, start: date, end: date | None) -> bool:
    first, last = _day(slot["term"]["starts_on"]), _day(slot["term"]["ends_on"])
    return (last is None or last >= start) and (end is None or first is None or first <= end)


def _openings(registration: Document) -> bool | None:
    if registration["has_spots_available"] is not None:
        return bool(registration["has_spots_available"])
    return None if registration["spots_remaining"] is None else registration["spots_remaining"] > 0


def _slot_matches(slot: Document, params: Params) -> bool:
    days = set(slot["days"])
    price = slot["price"]
    if "weekday" in params and not days & set(params["weekday"].split(",")):
        return False
    if "schedule_day" in params and params["schedule_day"] not in days:
        return False
    if "start_after" in params and (slot["time"] is None or slot["time"] < _clock(params["start_after"])):
        return False
    if "start_before" in params and (slot["time"] is None or slot["time"] >= _clock(params["start_before"])):
        return False
    if "ends_after" in params and not _ends_after(slot, datetime.fromisoformat(params["ends_after"])):
        return False
    if "max_price" in params:
        cheap = price["min"] is not None and price["min"] <= float(params["max_price"])
        if not cheap and price["is_free"] is not True:
            return False
    return (
        _age(slot["ages"], params)
        and _flag(price["is_free"], params.get("free"))
        and _flag(slot.get("openings"), params.get("openings"))
        and _flag(slot.get("overnight"), params.get("overnight"))
        and _starts_within(slot, params)
    )


def _ends_after(slot: Document, then: datetime) -> bool:
    """Return True if a date is not over; one without a clock time is over when its last day is."""
    ends = slot["local"] + (slot["lasts"] or timedelta())
    if slot["has_time"]:
        return bool(ends > then)
    last = max(slot["local"].date(), (ends - timedelta(microseconds=1)).date())
    return bool(last >= then.date())


def _starts_within(slot: Document, params: Params) -> bool:
    low, high = params.get("starts_from"), params.get("starts_to")
    if low is None and high is None:
        return True
    first = slot["term"]["starts_on"]
    return first is not None and (low is None or first >= low) and (high is None or first <= high)


def _age(ages: Document, params: Params) -> bool:
    if "age" not in params:
        return True
    age = int(params["age"])
    return (ages["min"] is None or ages["min"] <= age) and (ages["max"] is None or age <= ages["max"])


def _flag(stated: bool | None, wanted: str | None) -> bool:
    return wanted is None or (stated is not None and stated == (wanted == "true"))


def _clock(text: str) -> str:
    return text if len(text) == 8 else text + ":00"


def _day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)


def _is_near(listing: Document, params: Params) -> bool:
    lat, lng = listing["location"]["lat"], listing["location"]["lng"]
    if lat is None or lng is None:
        return False
    here, there = math.radians(float(params["lat"])), math.radians(lat)
    turn = math.radians(lng - float(params["lng"]))
    cosine = math.sin(here) * math.sin(there) + math.cos(here) * math.cos(there) * math.cos(turn)
    return 6_371_008.8 * math.acos(max(-1.0, min(1.0, cosine))) <= float(params.get("radius_m", "5000"))


def _any_of(read: Callable[[Document], Any]) -> Callable[[Document, str], bool]:
    def test(listing: Document, text: str) -> bool:
        stated = read(listing)
        return bool(set(stated if isinstance(stated, list) else [stated]) & set(text.split(",")))

    return test


def _is_in_neighborhood(listing: Document, text: str) -> bool:
    slug, name = listing["location"]["neighborhood_slug"], listing["location"]["neighborhood"]
    return slug is not None and (slug == text.lower() or fold(name) == fold(text))


def _answers_text(listing: Document, text: str) -> bool:
    """Each word or phrase stands in one of the listing's texts; what has a minus in none."""
    texts = [split_text(text) for text in list_texts(listing)]
    for minus, phrase, word in re.findall(r'(-?)(?:"([^"]+)"|(\S+))', text):
        sought = split_text(phrase or word)
        spans = (words[at : at + len(sought)] for words in texts for at in range(len(words)))
        if any(span == sought for span in spans) == bool(minus):
            return False
    return True


def _is_open_at(hours: Document, then: datetime) -> bool:
    """Return True if one of the hours of that day, or of the day before, holds the time."""
    for days in (0, 1):
        day = (then - timedelta(days)).date()
        for span in (hours[f"{day:%A}".lower()] or "").split(", "):
            begin, _, end = (datetime.fromisoformat(f"{day}T{clock}") if clock != "-" and clock else None
                             for clock in span.partition("-"))  # fmt: skip
            if begin is not None and end is not None:
                end += timedelta(end <= begin)
                if begin <= then < end:
                    return True
    return False


# Filters of events that one of its dates must meet; `where` as far as it speaks of one.
NEEDS_A_DATE = {"weekday", "start_after", "start_before", "ends_after", "where"}

_LISTING: dict[str, Callable[[Document, str], bool]] = {
    "category": _any_of(lambda item: item["categories"]),
    "season": _any_of(lambda item: item["traits"]["seasons"]),
    "occasion": _any_of(lambda item: item["occasions"]),
    "team": _any_of(lambda item: item["teams"]),
    "enrollment_type": _any_of(lambda item: item["program"]["enrollment_type"]),
    "type_hint": _any_of(lambda item: item["type_hint"]),
    "place_type": _any_of(lambda item: item["type_hint"]),
    "neighborhood": _is_in_neighborhood,
    "q": _answers_text,
    "ids": lambda item, text: item["id"] in text.split(","),
    "changed_since": lambda item, text: datetime.fromisoformat(item["updated_at"]) > datetime.fromisoformat(text),
    "place_id": lambda listing, text: listing["place"] is not None and listing["place"]["id"] == text,
    "organization_id": lambda item, text: item["organization"]["id"] == text,
    "has_time": lambda item, text: _flag(item["has_time"], text),
    "recurring": lambda item, text: _flag(item["is_recurring"], text),
    "indoor": lambda item, text: _flag(item["is_indoor"], text),
    "outdoor": lambda item, text: _flag(item["is_outdoor"], text),
    "good_for_rainy": lambda item, text: _flag(item["good_for_rainy"], text),
    "open_at": lambda item, text: _is_open_at(item["hours"], datetime.fromisoformat(text)),
    "sensory": lambda item, text: _flag(item["is_sensory_friendly"], text),
    "year": lambda item, text: item["year"] == int(text),
    "has_birthday_parties": lambda item, text: _flag(item["birthday_parties"]["available"], text),
    "has_classes": lambda item, text: _flag(item["classes"]["available"], text),
}


def show_occurrence(world: World, event: Document, today: date) -> Document:
    dates = sorted(world.dates[event["id"]])
    left = [local for local in dates if local.date() >= today]
    endless = event["id"] in world.unending
    instant = None if not left else left[0].replace(tzinfo=ZoneInfo(event["timezone"])).astimezone(ZoneInfo("UTC"))
    return {
        "next_starts_at": None if instant is None else instant.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "next_starts_local": left[0].isoformat() if left else None,
        "remaining": None if endless else len(left),
        "total": None if endless else len(dates),
    }


def _show_event(world: World, event: Document, today: date) -> Document:
    """A listing of another type as it is."""
    return (
        {**event, "occurrence": show_occurrence(world, event, today)}
        if event.get("has_date") or event.get("is_recurring")
        else event
    )


def _first_session(camp: Document, start: date) -> str:
    left = [
        session["starts_on"]
        for session in camp["sessions"]
        if session["ends_on"] and session["ends_on"] >= start.isoformat()
    ]
    return min(left, default="9999-99-99")


def _deal_cards(world: World, matching: list[Document], start: date) -> list[Document]:
    """Keep the listing of each program that starts first from `start` on."""
    cards: dict[str, Document] = {}
    for item in sorted(matching, key=lambda item: (find_meeting(item, start) or date.max, item["id"])):
        cards.setdefault(world.programs.get(item["id"], "alone " + item["id"]), item)
    return list(cards.values())


def find_meeting(listing: Document, start: date) -> date | None:
    """The next meeting where days are stated, else the term's first day; over all its sections."""
    meetings = []
    for section in _pair_sections(listing)[0]:
        first, last = _day(section["term"]["starts_on"]), _day(section["term"]["ends_on"])
        days = section["schedule"]["days"]
        day = max(start, first or start)
        if days:
            while DAYS[day.weekday()] not in days:
                day += timedelta(days=1)
            if last is None or day <= last:
                meetings.append(day)
        elif first is not None and first >= start:
            meetings.append(first)
    return min(meetings, default=None)


def _show_class(world: World, card: Document, params: Params) -> Document:
    program = world.programs.get(card["id"])
    others = [
        listing
        for listing in world.listings
        if program is not None and world.programs.get(listing["id"]) == program and listing is not card
        if listing["type"] == "class" and listing["status"] == "published" and _is_visible(listing, params)
    ]
    ordered = sorted(others, key=lambda other: (other["name"].casefold(), other["id"]))
    return {**card, "sessions": [_show_card(value) for value in ordered]}


def _show_card(listing: Document) -> Document:
    parts = [listing, *listing["sections"]]
    starts = [
        f"{part['term']['starts_on']}T{part['schedule']['start_time'] or '00:00:00'}"
        for part in parts
        if part["term"]["starts_on"]
    ]
    first = starts[0] if listing["term"]["starts_on"] else min(starts, default=None)
    names = ("id", "type", "slug", "name", "place", "price", "ages", "categories", "image_url")
    return {
        **{name: listing[name] for name in names},
        "starts_local": first,
        "timezone": listing["schedule"]["timezone"],
        "links": {"self": listing["links"]["self"]},
    }
