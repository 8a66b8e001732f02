"""Make the row of a class: its members, its columns and its sections."""

from typing import Any

import msgspec

from outings.contract.resources.listings import (
    Class,
    ClassRegistration,
    Registration,
    Section,
    SectionRegistration,
    SectionSchedule,
    SectionTuition,
    Tuition,
)
from outings.contract.resources.shared import AgeRange, Price, Term
from outings.contract.vocabulary import REGISTRATION_STATUSES
from pipeline.records.ids import make_part_id
from pipeline.records.record import ClassRecord, SectionRecord
from pipeline.resolve.listings.columns import derive_is_free, find_timezone, make_dated_members, make_dated_row
from pipeline.resolve.listings.resolved_record import MetroContext, ResolvedRecord
from pipeline.resolve.listings.rows import Row, pack_weekdays, parse_clock


def make_class_row(resolved: ResolvedRecord[ClassRecord], setting: MetroContext) -> Row:
    record = resolved.record
    timezone = find_timezone(record, setting)
    sections = tuple(
        _make_section(section, number, resolved=resolved, timezone=timezone)
        for number, section in enumerate(record.sections)
    )
    schedule = record.schedule
    members = Class(
        **make_dated_members(
            resolved,
            setting,
            schedule=msgspec.structs.replace(schedule, timezone=schedule.timezone or timezone),
            registration=_total_registration(record),
            sections_total=len(sections),
            sections=sections,
        )
    )
    status = record.registration.status
    row = make_dated_row(
        resolved, setting, members, program_key=record.program_key,
        registration=None if status is None else REGISTRATION_STATUSES.index(status),
    )  # fmt: skip
    row.happenings = _make_happenings(resolved, members.price)
    return row


def _make_section(
    section: SectionRecord, number: int, *, resolved: ResolvedRecord[ClassRecord], timezone: str
) -> Section:
    schedule, tuition, registration = section.schedule, section.tuition, section.registration
    return Section(
        id=section.id or make_part_id(resolved.id, "section", number),
        name=section.name,
        schedule=SectionSchedule(
            days=schedule.days, start_time=schedule.start_time, end_time=schedule.end_time,
            duration_minutes=schedule.duration_minutes, rrule=schedule.rrule,
            notes=schedule.notes, timezone=schedule.timezone or timezone,
        ),
        term=section.term,
        ages=section.ages,
        tuition=SectionTuition(
            amount=tuition.amount, text=tuition.text, drop_in_price=tuition.drop_in_price,
            currency=tuition.currency,
        ),
        registration=SectionRegistration(
            url=registration.url, status=registration.status,
            spots_remaining=registration.spots_remaining,
            has_spots_available=registration.has_spots_available,
            waitlist_available=registration.waitlist_available,
        ),
        updated_at=None,
    )  # fmt: skip


def _total_registration(record: ClassRecord) -> ClassRegistration:
    stated = [find_openings(section.registration) for section in record.sections]
    known = [openings for openings in stated if openings is not None]
    registration = record.registration
    return ClassRegistration(**msgspec.structs.asdict(registration), sections_with_spots=sum(known) if known else None)


def find_openings(registration: Registration) -> bool | None:
    """Return True if there are openings: as stated, else by the spots left, else None."""
    if registration.has_spots_available is not None:
        return registration.has_spots_available
    remaining = registration.spots_remaining
    return None if remaining is None else remaining > 0


def _make_happenings(resolved: ResolvedRecord[ClassRecord], price: Price) -> list[tuple[Any, ...]]:
    """Return the class's sections, which inherit term, ages and price; one section if it states none."""
    record = resolved.record
    sections = record.sections or (
        SectionRecord(schedule=record.schedule, term=record.term, registration=record.registration),
    )
    ages = AgeRange(min=resolved.ages.min, max=resolved.ages.max)
    return [
        (number, *_make_happening(section, term=record.term, ages=ages, price=price))
        for number, section in enumerate(sections)
    ]


def _make_happening(section: SectionRecord, *, term: Term, ages: AgeRange, price: Price) -> tuple[Any, ...]:
    if section.ages.min is not None or section.ages.max is not None:
        ages = section.ages
    if section.term.starts_on is not None or section.term.ends_on is not None:
        term = section.term
    price = _price_section(section.tuition, price)
    return (
        term.starts_on,
        term.ends_on,
        pack_weekdays(section.schedule.days),
        parse_clock(section.schedule.start_time),
        ages.min,
        ages.max,
        price.min,
        price.is_free,
        find_openings(section.registration),
    )


def _price_section(tuition: Tuition, price: Price) -> Price:
    if tuition.amount is None:
        return price
    return derive_is_free(Price(type="fixed", min=tuition.amount, max=tuition.amount))
