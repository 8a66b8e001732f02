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
    return {
        "verified_at": _count_seconds(record.verified_at),
        "source_url": source.url,
        "crawled_at": _count_seconds(source.crawled_at),
        "verification": None if status is None else VERIFICATION_STATUSES.index(status),
        "checked_at": _count_seconds(source.verification.checked_at),
        "changed_fields": "\n".join(source.verification.changed_fields) or None,
        "has_image": members.image_url is not None,
        "has_price": _has_price(members),
        "has_clock": _has_clock(members),
        "has_date": _has_date(members),
    }


def _count_seconds(instant: datetime | None) -> int | None:
    return None if instant is None else int(instant.timestamp())


def _has_price(members: Any) -> bool:
    """Return True if the listing, or a section or session of it, is free or states an amount."""
    match members:
        case Event():
            return _tells_price(members.price)
        case Class():
            tuitions: list[Any] = [members.tuition, *(section.tuition for section in members.sections)]
            amounts = [amount for tuition in tuitions for amount in (tuition.amount, tuition.drop_in_price)]
            return _tells_price(members.price) or _states_any((*amounts, members.tuition.from_))
        case Camp():
            return any(
                _tells_price(price) for price in (members.price, *(session.price for session in members.sessions))
            )
        case Place():
            admission = members.admission
            return _states_any((admission.type, admission.child_price, admission.adult_price))
    raise TypeError(type(members).__name__)


def _tells_price(price: Price) -> bool:
    return _states_any((price.is_free, price.min, price.max))


def _has_clock(members: Any) -> bool:
    match members:
        case Event():
            return bool(members.has_time)
        case Class():
            return _states_any(
                [members.schedule.start_time, *(section.schedule.start_time for section in members.sections)]
            )
        case Camp():
            return _states_any(session.start_time for session in members.sessions)
        case Place():
            return _states_any(getattr(members.hours, day) for day in WEEKDAYS)
    raise TypeError(type(members).__name__)


def _has_date(members: Any) -> bool | None:
    match members:
        case Event():
            return bool(members.has_date)
        case Class():
            parts: list[Class | Section] = [members, *members.sections]
            return any(part.term.starts_on or part.term.ends_on or part.schedule.days for part in parts)
        case Camp():
            return _states_any(session.starts_on for session in members.sessions)
        case Place():
            return None
    raise TypeError(type(members).__name__)


def _states_any(values: Iterable[object]) -> bool:
    return any(value is not None for value in values)
