"""Compute how far a listing can be trusted if its feed does not say: docs/confidence.md has the same table in words."""

from datetime import datetime, timedelta
from typing import Any

from outings.contract.resources.shared import Location
from pipeline.records.record import CampRecord, ClassRecord, EventRecord, ListingRecord, PlaceRecord

# Points of 100. A listing that says what, when, where and describes it passes the lists' default of 0.7 with nothing
# else; without a description it needs half of the rest.
DATED_POINTS = {
    "name": 20, "when": 20, "where": 20, "description": 20, "ages": 5, "price": 5, "categories": 5, "link": 5,
}  # fmt: skip
# A place passes its default of 0.5 with a name and where it is.
PLACE_POINTS = {
    "name": 30, "where": 40, "description": 10, "type_hint": 5, "categories": 5, "hours": 5, "link": 5,
}  # fmt: skip

# Percent by how long before the feed's newest record this one was crawled; longer than the last: _OLDEST.
FRESHNESS = ((timedelta(days=7), 100), (timedelta(days=30), 95), (timedelta(days=90), 85))
_OLDEST = 70

# Percent by `verification.status`; not stated is 100, and the product is never above 1.
VERIFICATION = {"clear": 110, "changed": 95, "unverifiable": 90, "unreachable": 80, "flagged": 70, "gone": 40}


def score_confidence(
    record: ListingRecord, *, location: Location, has_place: bool, newest_crawled_at: datetime | None
) -> float:
    """Return a confidence from 0 to 1: the record's own, else completeness × freshness × verification, rounded half up
    to two decimals.

    `location`: the record's or its place's. `newest_crawled_at`: of the record's feed, so that a score does not depend
    on the build's clock.
    """
    if record.confidence is not None:
        return record.confidence
    points = PLACE_POINTS if isinstance(record, PlaceRecord) else DATED_POINTS
    stated = _find_stated(record, location=location, has_place=has_place)
    completeness = sum(value for part, value in points.items() if stated[part])
    freshness = weigh_freshness(record.source.crawled_at, newest_crawled_at)
    verification = VERIFICATION.get(record.source.verification.status or "", 100)
    # Integers, so that halves round alike on every machine.
    hundredths = (completeness * freshness * verification + 5_000) // 10_000
    return min(100, hundredths) / 100


def weigh_freshness(crawled_at: datetime | None, newest: datetime | None) -> int:
    """Return the weight of a reading's age in percent. A record without `crawled_at` counts as the newest."""
    if crawled_at is None or newest is None:
        return 100
    age = newest - crawled_at
    for limit, percent in FRESHNESS:
        if age <= limit:
            return percent
    return _OLDEST


def _find_stated(record: ListingRecord, *, location: Location, has_place: bool) -> dict[str, bool]:
    has_point = location.lat is not None and location.lng is not None
    return {
        "name": bool(record.name),
        "when": _has_date(record),
        "where": has_place or has_point or bool(location.address or location.street_address),
        "description": bool(record.description),
        "ages": record.ages.min is not None or record.ages.max is not None or bool(record.ages.text),
        "price": _has_price(record),
        "categories": bool(record.categories),
        "link": _has_link(record),
        "type_hint": isinstance(record, PlaceRecord) and record.type_hint is not None,
        "hours": isinstance(record, PlaceRecord) and _says_something(record.hours),
    }


def _has_date(record: ListingRecord) -> bool:
    match record:
        case EventRecord():
            return record.starts_local is not None or record.date_on is not None
        case ClassRecord():
            parts = [(record.term, record.schedule), *((part.term, part.schedule) for part in record.sections)]
            return any(term.starts_on or term.ends_on or schedule.days for term, schedule in parts)
        case CampRecord():
            return any(session.starts_on for session in record.sessions)
    return False


def _has_price(record: ListingRecord) -> bool:
    prices: list[Any] = [] if isinstance(record, PlaceRecord) else [getattr(record, "price", None)]
    if isinstance(record, ClassRecord):
        prices += [record.tuition, *(section.tuition for section in record.sections)]
    if isinstance(record, CampRecord):
        prices += [session.price for session in record.sessions]
    return any(map(_says_something, prices))


def _has_link(record: ListingRecord) -> bool:
    """Return True if the record links to a page: to register, to buy, or the page that it was read from."""
    urls = [getattr(record, name, None) for name in ("registration_url", "ticket_url", "website_url")]
    if isinstance(record, ClassRecord | CampRecord):
        urls.append(record.registration.url)
    return any((*urls, record.source.url))


def _says_something(part: Any) -> bool:
    return any(getattr(part, name) not in (None, ()) for name in part.__struct_fields__)
