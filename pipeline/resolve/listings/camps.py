"""Make the row of a camp: its members, its columns and its sessions."""

from datetime import date
from typing import Any

from msgspec import structs

from outings.contract.resources.listings import Camp, Session
from outings.contract.resources.shared import Price
from pipeline.records.ids import make_part_id
from pipeline.records.record import CampRecord, SessionRecord
from pipeline.resolve.listings.classes import find_openings
from pipeline.resolve.listings.columns import derive_is_free, find_timezone, make_dated_members, make_dated_row
from pipeline.resolve.listings.resolved_record import MetroContext, ResolvedRecord
from pipeline.resolve.listings.rows import Row, pack_weekdays, parse_clock


def make_camp_row(resolved: ResolvedRecord[CampRecord], setting: MetroContext) -> Row:
    record = resolved.record
    timezone = find_timezone(record, setting)
    starts_on, ends_on = _span_sessions(record)
    members = Camp(
        **make_dated_members(
            resolved,
            setting,
            camp_type=record.camp_type or "unknown",
            is_overnight=_find_overnight(record),
            year=record.year or (None if starts_on is None else starts_on.year),
            starts_on=starts_on,
            ends_on=ends_on,
            timezone=timezone,
            sessions_total=len(record.sessions),
            sessions=tuple(
                _make_session(session, number, resolved=resolved, timezone=timezone)
                for number, session in enumerate(record.sessions)
            ),
        )
    )
    # A session inherits ages, price and `is_overnight`; a camp without sessions gets one without dates.
    sessions = record.sessions or (SessionRecord(registration=record.registration),)
    row = make_dated_row(resolved, setting, members)
    row.parts = [(number, *_make_part(session, members)) for number, session in enumerate(sessions)]
    return row


def _span_sessions(record: CampRecord) -> tuple[date | None, date | None]:
    starts = [session.starts_on for session in record.sessions if session.starts_on is not None]
    ends = [session.ends_on or session.starts_on for session in record.sessions]
    return min(starts, default=None), max((end for end in ends if end is not None), default=None)


def _find_overnight(record: CampRecord) -> bool | None:
    """Return True if the camp is overnight: as stated, else by `camp_type`, else by any session; None if unknown."""
    if record.is_overnight is not None:
        return record.is_overnight
    if record.camp_type not in (None, "unknown"):
        return record.camp_type == "overnight"
    stated = [session.is_overnight for session in record.sessions if session.is_overnight is not None]
    return any(stated) if stated else None


def _make_session(
    session: SessionRecord, number: int, *, resolved: ResolvedRecord[CampRecord], timezone: str
) -> Session:
    derived = {
        "id": session.id or make_part_id(resolved.id, "session", number), "price": derive_is_free(session.price),
        "timezone": timezone, "updated_at": None,
    }  # fmt: skip
    return Session(**structs.asdict(session) | derived)


def _make_part(session: SessionRecord, camp: Camp) -> tuple[Any, ...]:
    """Return the columns of a session, with those that it inherits from its camp, but without its number."""
    ages = camp.ages if session.ages.min is None and session.ages.max is None else session.ages
    price = camp.price if session.price == Price() else derive_is_free(session.price)
    return (
        session.starts_on or session.ends_on,
        session.ends_on or session.starts_on,
        pack_weekdays(session.days),
        parse_clock(session.start_time),
        ages.min,
        ages.max,
        price.min,
        price.is_free,
        camp.is_overnight if session.is_overnight is None else session.is_overnight,
        find_openings(session.registration),
    )
