"""Make the row of a camp: its members, its columns and its sessions."""

from datetime import date
from typing import Any

from msgspec import structs

from outings.contract.resources.listings import Camp, Session
from outings.contract.resources.shared import AgeRange, Price
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
    row = make_dated_row(resolved, setting, members)
    row.happenings = _make_happenings(resolved, members)
    return row


def _span_sessions(record: CampRecord) -> tuple[date | None, date | None]:
    starts = [session.starts_on for session in record.sessions if session.starts_on is not None]
    ends = [session.ends_on or session.starts_on for session in record.sessions]
    return min(starts, default=None), max((end for end in ends if end is not None), default=None)


def _find_overnight(record: CampRecord) -> bool | None:
    """Return if the camp is overnight: as stated, else by `camp_type`, else by any session; None if unknown."""
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


def _make_happenings(resolved: ResolvedRecord[CampRecord], members: Camp) -> list[tuple[Any, ...]]:
    """Return the rows of the camp's sessions. A session inherits ages, price and `is_overnight`; a camp without
    sessions gets one without dates."""
    record = resolved.record
    sessions = record.sessions or (SessionRecord(registration=record.registration),)
    ages = AgeRange(min=resolved.ages.min, max=resolved.ages.max)
    return [
        (number, *_make_happening(session, ages=ages, price=members.price, overnight=members.is_overnight))
        for number, session in enumerate(sessions)
    ]


def _make_happening(session: SessionRecord, *, ages: AgeRange, price: Price, overnight: bool | None) -> tuple[Any, ...]:
    if session.ages.min is not None or session.ages.max is not None:
        ages = session.ages
    if session.price != Price():
        price = derive_is_free(session.price)
    return (
        session.starts_on or session.ends_on,
        session.ends_on or session.starts_on,
        pack_weekdays(session.days),
        parse_clock(session.start_time),
        ages.min,
        ages.max,
        price.min,
        price.is_free,
        overnight if session.is_overnight is None else session.is_overnight,
        find_openings(session.registration),
    )
