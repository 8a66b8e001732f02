"""Class: a programme with a term and meetings, in one section or several."""

from msgspec import UNSET, Struct, UnsetType

from outings.contract.resources.event import EventLinks
from outings.contract.resources.expanded import Expanded
from outings.contract.resources.related import Related
from outings.contract.resources.shared import (
    AgeRange,
    Ages,
    CompactCard,
    Facts,
    Member,
    Price,
    Term,
    Traits,
)
from outings.contract.resources.source import SourceBlock
from outings.contract.resources.words import (
    Clock,
    Currency,
    EnrollmentType,
    Instant,
    Occasion,
    RegistrationStatus,
    ScheduleType,
    Weekday,
)


class Program(Member, frozen=True, kw_only=True):
    enrollment_type: EnrollmentType | None = None
    skill_level_notes: str | None = None
    adult_participation: str | None = None
    what_youll_learn: str | None = None
    prerequisites: str | None = None


class Schedule(Member, frozen=True, kw_only=True):
    type: ScheduleType | None = None
    days: tuple[Weekday, ...] = ()
    start_time: Clock | None = None
    end_time: Clock | None = None
    duration_minutes: int | None = None
    is_recurring: bool | None = None
    rrule: str | None = None
    notes: str | None = None
    timezone: str | None = None


class Tuition(Struct, frozen=True, kw_only=True, rename={"from_": "from"}):
    amount: float | None = None
    from_: float | None = None
    text: str | None = None
    drop_in_price: float | None = None
    trial_price: float | None = None
    trial_notes: str | None = None
    currency: Currency | None = None


class Registration(Member, frozen=True, kw_only=True):
    url: str | None = None
    status: RegistrationStatus | None = None
    opens_at: Instant | None = None
    spots_remaining: int | None = None
    has_spots_available: bool | None = None
    waitlist_available: bool | None = None


class ClassRegistration(Registration, frozen=True, kw_only=True):
    sections_with_spots: int | None = None


class SectionSchedule(Member, frozen=True, kw_only=True):
    days: tuple[Weekday, ...] = ()
    start_time: Clock | None = None
    end_time: Clock | None = None
    duration_minutes: int | None = None
    rrule: str | None = None
    notes: str | None = None
    timezone: str | None = None


class SectionTuition(Member, frozen=True, kw_only=True):
    amount: float | None = None
    text: str | None = None
    drop_in_price: float | None = None
    currency: Currency | None = None


class SectionRegistration(Member, frozen=True, kw_only=True):
    url: str | None = None
    status: RegistrationStatus | None = None
    spots_remaining: int | None = None
    has_spots_available: bool | None = None
    waitlist_available: bool | None = None


class Section(Member, frozen=True, kw_only=True):
    id: str
    name: str | None
    schedule: SectionSchedule
    term: Term
    ages: AgeRange
    tuition: SectionTuition
    registration: SectionRegistration
    updated_at: Instant | None


class Class(Facts, frozen=True, kw_only=True):
    program: Program
    term: Term
    schedule: Schedule
    tuition: Tuition
    price: Price
    registration: ClassRegistration
    sections_total: int
    sections: tuple[Section, ...]
    ages: Ages
    traits: Traits
    occasions: tuple[Occasion, ...]
    links: EventLinks
    sessions: tuple[CompactCard, ...] = ()
    expanded: Expanded | UnsetType = UNSET
    source: SourceBlock | UnsetType = UNSET
    related: Related | UnsetType = UNSET


# What their members mean, where outings/contract/meanings/everywhere.py does not say it.
MEANINGS = {
    "Class.program": "What is taught, and how to take part.",
    "Class.sections": "The groups in which the class is held.",
    "Class.sections_total": "How many sections there are.",
    "Class.sessions": "The other classes of the same program, shown as one card with this one.",
    "Program.adult_participation": "Whether an adult takes part, in the source's words.",
    "Program.prerequisites": "What one has to know before.",
    "Program.skill_level_notes": "The level, in the source's words.",
    "Program.what_youll_learn": "What one learns.",
    "Schedule.type": "How the class meets.",
    "Tuition.amount": "The price of the whole term.",
    "Tuition.from": "The least price, where there are several.",
    "Tuition.drop_in_price": "The price of one meeting.",
    "Tuition.trial_price": "The price of a trial.",
    "Tuition.trial_notes": "What the source says of a trial.",
    "SectionTuition.amount": "The price of the whole term.",
    "SectionTuition.drop_in_price": "The price of one meeting.",
    "Registration.opens_at": "When one can sign up from.",
    "Registration.status": "Whether one can sign up now.",
    "Registration.url": "The address at which to sign up.",
    "ClassRegistration.opens_at": "When one can sign up from.",
    "ClassRegistration.sections_with_spots": "How many sections have open seats.",
    "ClassRegistration.status": "Whether one can sign up now.",
    "ClassRegistration.url": "The address at which to sign up.",
    "SectionRegistration.status": "Whether one can sign up now.",
    "SectionRegistration.url": "The address at which to sign up.",
    "Section.id": "Its id within the class.",
}
