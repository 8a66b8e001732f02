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
)
from outings.contract.resources.shared import Price
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
    openings = (find_openings(section.registration) for section in record.sections)
    known_openings = [is_open for is_open in openings if is_open is not None]
    members = Class(
        **make_dated_members(
            resolved,
            setting,
            schedule=msgspec.structs.replace(schedule, timezone=schedule.timezone or timezone),
            registration=ClassRegistration(
                **msgspec.structs.asdict(record.registration),
                sections_with_spots=sum(known_openings) if known_openings else None,
            ),
            sections_total=len(sections),
            sections=sections,
        )
    )
    status = record.registration.status
    row = make_dated_row(
        resolved, setting, members, program_key=record.program_key,
        registration=None if status is None else REGISTRATION_STATUSES.index(status),
    )  # fmt: skip
    # A section inherits term, ages and price; a class without sections gets one.
    parts = record.sections or (SectionRecord(schedule=schedule, term=record.term, registration=record.registration),)
    row.parts = [(number, *_make_part(section, members)) for number, section in enumerate(parts)]
    return row


def _make_section(
    section: SectionRecord, number: int, *, resolved: ResolvedRecord[ClassRecord], timezone: str
) -> Section:
    schedule = msgspec.convert(section.schedule, SectionSchedule, from_attributes=True)
    return Section(
        id=section.id or make_part_id(resolved.id, "section", number),
        name=section.name,
        schedule=msgspec.structs.replace(schedule, timezone=schedule.timezone or timezone),
        term=section.term,
        ages=section.ages,
        tuition=msgspec.convert(section.tuition, SectionTuition, from_attributes=True),
        registration=msgspec.convert(section.registration, SectionRegistration, from_attributes=True),
        updated_at=None,
    )


def find_openings(registration: Registration) -> bool | None:
    """Return True if there are openings: as stated, else by the spots left, else None."""
    if registration.has_spots_available is not None:
        return registration.has_spots_available
    remaining = registration.spots_remaining
    return None if remaining is None else remaining > 0


def _make_part(section: SectionRecord, program: Class) -> tuple[Any, ...]:
    """Return the columns of a section, with those that it inherits from its class, but without its number."""
    ages = program.ages if section.ages.min is None and section.ages.max is None else section.ages
    has_term = section.term.starts_on is not None or section.term.ends_on is not None
    term = section.term if has_term else program.term
    amount = section.tuition.amount
    price = program.price if amount is None else derive_is_free(Price(type="fixed", min=amount, max=amount))
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
