"""Columns of facts that a listing and its source state. Only the source block and coverage read them."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from outings.contract.resources.listings import Camp, Class, Event, Place, Section
from outings.contract.resources.shared import Price
from outings.contract.vocabulary import VERIFICATION_STATUSES, WEEKDAYS
from pipeline.records.record import ListingRecord


def make_statement_columns(record: ListingRecord, members: Any) -> dict[str, Any]:
    """Return the columns of a record. `members`: the public struct that was made from the record."""
    source = record.source
    status = source.verification.status
    has_price, has_clock, has_date = _find_stated(members)
    return {
        "verified_at": _count_seconds(record.verified_at),
        "source_url": source.url,
        "crawled_at": _count_seconds(source.crawled_at),
        "verification": None if status is None else VERIFICATION_STATUSES.index(status),
        "checked_at": _count_seconds(source.verification.checked_at),
        "changed_fields": "\n".join(source.verification.changed_fields) or None,
        "has_image": members.image_url is not None,
        "has_price": has_price,
        "has_clock": has_clock,
        "has_date": has_date,
    }


def _count_seconds(instant: datetime | None) -> int | None:
    return None if instant is None else int(instant.timestamp())


def _find_stated(members: Any) -> tuple[bool, bool, bool | None]:
    """Return whether the listing, or a section or session of it, is free or states an amount; states a time of day;
    and states a date, None for a place."""
    match members:
        case Event():
            return _tells_price(members.price), members.has_time, members.has_date
        case Class():
            parts: list[Class | Section] = [members, *members.sections]
            amounts = (amount for part in parts for amount in (part.tuition.amount, part.tuition.drop_in_price))
            return (
                _tells_price(members.price) or _states_any((*amounts, members.tuition.from_)),
                _states_any(part.schedule.start_time for part in parts),
                any(part.term.starts_on or part.term.ends_on or part.schedule.days for part in parts),
            )
        case Camp():
            return (
                any(map(_tells_price, (members.price, *(session.price for session in members.sessions)))),
                _states_any(session.start_time for session in members.sessions),
                _states_any(session.starts_on for session in members.sessions),
            )
        case Place():
            admission, hours = members.admission, (getattr(members.hours, day) for day in WEEKDAYS)
            stated = (admission.type, admission.child_price, admission.adult_price)
            return _states_any(stated), _states_any(hours), None
    raise TypeError(type(members).__name__)


def _tells_price(price: Price) -> bool:
    return _states_any((price.is_free, price.min, price.max))


def _states_any(values: Iterable[object]) -> bool:
    return any(value is not None for value in values)
