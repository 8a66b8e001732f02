"""Random expressions of `where=`, each with what it means in Python, written by hand: of a listing's document and one
of its slots (`tests.answers.reference`), true, false, or None where SQL says null."""

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

from tests.answers.worlds import World

Document = dict[str, Any]
Meaning = Callable[[World, Document, Document], bool | None]


class Term(NamedTuple):
    sql: str
    meaning: Meaning
    is_of_occurrence: bool = False


def _compare(read: Callable[[Document], Any], test: Callable[[Any], bool]) -> Meaning:
    def meaning(_: World, listing: Document, __: Document) -> bool | None:
        value = read(listing)
        return None if value is None else test(value)

    return meaning


def _of_slot(read: Callable[[World, Document, Document], Any], test: Callable[[Any], bool]) -> Meaning:
    def meaning(world: World, listing: Document, slot: Document) -> bool | None:
        value = read(world, listing, slot)
        return None if value is None else test(value)

    return meaning


def _describe(listing: Document) -> Any:
    return listing["description"]


def _count(world: World, listing: Document, _: Document) -> int | None:
    return None if listing["id"] in world.unending else len(world.dates[listing["id"]])


_EVERY = [
    Term("name ILIKE '%s_im%'", _compare(lambda item: item["name"].lower(), lambda name: _has_swim(name))),
    Term("length(name) > 5", _compare(lambda item: item["name"], lambda name: len(name) > 5)),
    Term("description LIKE '%lunch%'", _compare(_describe, lambda text: "lunch" in text)),
    Term("description IS NULL", lambda _, listing, __: _describe(listing) is None),
    Term("NOT contains(lower(description), 'zoo')", _compare(_describe, lambda text: "zoo" not in text.lower())),
    Term("list_contains(categories, 'storytime_books')",
         lambda _, listing, __: "storytime_books" in listing["categories"]),
    Term("len(categories) >= 2", lambda _, listing, __: len(listing["categories"]) >= 2),
    Term("categories && ['music_movement', 'arts_creative']",
         lambda _, listing, __: bool({*listing["categories"]} & {"music_movement", "arts_creative"})),
    Term("confidence BETWEEN 0.6 AND 0.85", lambda _, listing, __: 0.6 <= listing["confidence"] <= 0.85),
    Term("audience IN ('kids', 'families')", lambda _, listing, __: listing["audience"] in ("kids", "families")),
    Term("audience NOT IN ('adults')", lambda _, listing, __: listing["audience"] != "adults"),
    Term("ages.min <= 3", _compare(lambda listing: listing["ages"]["min"], lambda age: age <= 3)),
    Term("ages.max - ages.min > 2", _compare(
        lambda listing: None if None in (listing["ages"]["min"], listing["ages"]["max"])
        else listing["ages"]["max"] - listing["ages"]["min"], lambda span: span > 2)),
    Term("coalesce(ages.max, 99) >= 10", lambda _, listing, __: (99 if listing["ages"]["max"] is None
                                                               else listing["ages"]["max"]) >= 10),
    Term("location.lat > 40.0", _compare(lambda listing: listing["location"]["lat"], lambda lat: lat > 40.0)),
    Term("location.neighborhood = 'Old Town'",
         _compare(lambda listing: listing["location"]["neighborhood"], lambda name: name == "Old Town")),
    Term("organization.name IS NOT NULL", lambda _, listing, __: listing["organization"]["name"] is not None),
    Term("updated_at >= TIMESTAMPTZ '2026-07-02 08:00:00Z'",
         _compare(lambda item: item["updated_at"], lambda at: at >= "2026-07-02T08:00:00Z")),
    Term("updated_at < '2026-07-03'", _compare(lambda item: item["updated_at"], lambda at: at < "2026-07-03")),
    Term("CASE WHEN audience = 'kids' THEN confidence > 0.6 ELSE confidence > 0.8 END",
         lambda _, listing, __: listing["confidence"] > (0.6 if listing["audience"] == "kids" else 0.8)),
]  # fmt: skip


def _has_swim(name: str) -> bool:
    return any(name[at : at + 1] == "s" and name[at + 2 : at + 4] == "im" for at in range(len(name)))


_DATED = [
    Term("price.min < 12.5", _compare(lambda listing: listing["price"]["min"], lambda price: price < 12.5)),
    Term("price.is_free", _compare(lambda listing: listing["price"]["is_free"], bool)),
    Term("price.is_free IS DISTINCT FROM true", lambda _, listing, __: listing["price"]["is_free"] is not True),
    Term(
        "NOT (price.is_free IS DISTINCT FROM true) OR confidence > 0.9 AND price.is_free IS DISTINCT FROM true",
        lambda _, listing, __: listing["price"]["is_free"] is True or listing["confidence"] > 0.9,
    ),
    Term("place.id IS NOT NULL", lambda _, listing, __: listing["place"] is not None),
    Term("list_contains(traits.seasons, 'summer')", lambda _, listing, __: "summer" in listing["traits"]["seasons"]),
]

TERMS = {
    "event": [
        *_EVERY, *_DATED,
        Term("is_recurring AND has_time", lambda _, listing, __: listing["is_recurring"] and listing["has_time"]),
        Term("hour(starts_local) < 12", _compare(lambda occurrence: occurrence["starts_local"],
                                                 lambda at: int(at[11:13]) < 12)),
        Term("start_time >= '10:30'", _compare(lambda item: item["start_time"], lambda at: at >= "10:30:00")),
        Term("occurrence.index >= 3", lambda _, __, slot: slot["index"] >= 3, True),
        Term("occurrence.total >= 6", _of_slot(_count, lambda total: total >= 6), True),
        Term("occurrence.date_on < '2026-08-20'", lambda _, __, slot: f"{slot['local']:%Y-%m-%d}" < "2026-08-20", True),
        Term("dayname(occurrence.starts_local) = 'Monday'", lambda _, __, slot: slot["local"].weekday() == 0, True),
        Term("hour(occurrence.starts_local) BETWEEN 9 AND 11", lambda _, __, slot: 9 <= slot["local"].hour <= 11, True),
        Term("date_diff('minute', occurrence.starts_at, occurrence.ends_at) > 60", _of_slot(
            lambda world, listing, _: world.lasts.get(listing["id"]), lambda lasts: lasts.total_seconds() > 3600),
            True),
    ],
    "class": [
        *_EVERY, *_DATED,
        Term("program.enrollment_type = 'drop_in'",
             _compare(lambda item: item["program"]["enrollment_type"], lambda kind: kind == "drop_in")),
        Term("sections_total > 1", lambda _, listing, __: listing["sections_total"] > 1),
        Term("section.ages.min >= 3", _of_slot(lambda _, __, slot: slot["ages"]["min"], lambda age: age >= 3), True),
        Term("section.price.min < 15", _of_slot(lambda _, __, slot: slot["price"]["min"], lambda it: it < 15), True),
        Term("section.price.is_free", _of_slot(lambda _, __, slot: slot["price"]["is_free"], bool), True),
        Term("list_contains(section.schedule.days, 'tuesday')", lambda _, __, slot: "tuesday" in slot["days"], True),
        Term("section.schedule.start_time < '12:00'",
             _of_slot(lambda _, __, slot: slot["time"], lambda at: at < "12:00:00"), True),
        Term("section.term.starts_on >= DATE '2026-08-01'",
             _of_slot(lambda _, __, slot: slot["term"]["starts_on"], lambda day: day >= "2026-08-01"), True),
        Term("section.term.ends_on IS NULL", lambda _, __, slot: slot["term"]["ends_on"] is None, True),
        Term("section.registration.has_spots_available", _of_slot(lambda _, __, slot: slot["openings"], bool), True),
    ],
    "camp": [
        *_EVERY, *_DATED,
        Term("year = 2026", _compare(lambda item: item["year"], lambda year: year == 2026)),
        Term("sessions_total = 0", lambda _, listing, __: listing["sessions_total"] == 0),
        Term("starts_on > '2026-08-01'", _compare(lambda item: item["starts_on"], lambda day: day > "2026-08-01")),
        Term("session.is_overnight", _of_slot(lambda _, __, slot: slot["overnight"], bool), True),
        Term("session.starts_on > '2026-08-05'",
             _of_slot(lambda _, __, slot: slot["starts_on"], lambda day: day > "2026-08-05"), True),
        Term("session.days @> ['friday']", lambda _, __, slot: "friday" in slot["days"], True),
        Term("session.ages.max IS NULL OR session.price.min < 20", lambda _, __, slot: _either(
            slot["ages"]["max"] is None, None if slot["price"]["min"] is None else slot["price"]["min"] < 20), True),
    ],
    "place": [
        *_EVERY,
        Term("type_hint = 'park'", _compare(lambda item: item["type_hint"], lambda kind: kind == "park")),
        Term("birthday_parties.available", _compare(lambda item: item["birthday_parties"]["available"], bool)),
        Term("classes.available IS NOT DISTINCT FROM true",
             lambda _, listing, __: listing["classes"]["available"] is True),
    ],
}  # fmt: skip


def _either(one: bool | None, other: bool | None) -> bool | None:
    if one is True or other is True:
        return True
    return None if one is None or other is None else False


def _negate(value: bool | None) -> bool | None:
    return None if value is None else not value


def make_expression(kind: str, random: Random, *, depth: int = 2) -> Term:
    """Make an expression of one to four terms, joined by AND, OR and NOT."""
    if depth == 0 or random.random() < 0.3:
        term = random.choice(TERMS[kind])
        if random.random() < 0.3:
            meaning = term.meaning
            return Term(f"NOT ({term.sql})", lambda *at: _negate(meaning(*at)), term.is_of_occurrence)
        return term
    one, other = (make_expression(kind, random, depth=depth - 1) for _ in range(2))
    is_any = random.random() < 0.5

    def meaning(world: World, listing: Document, slot: Document) -> bool | None:
        left, right = one.meaning(world, listing, slot), other.meaning(world, listing, slot)
        return _either(left, right) if is_any else _negate(_either(_negate(left), _negate(right)))

    sql = f"({one.sql}) {'OR' if is_any else 'AND'} ({other.sql})"
    return Term(sql, meaning, one.is_of_occurrence or other.is_of_occurrence)
