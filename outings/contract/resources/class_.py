"""Class: a programme with a term and meetings, in one section or several."""

from typing import Annotated

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
    means,
)


class Program(Member, frozen=True, kw_only=True):
    enrollment_type: EnrollmentType | None = None
    skill_level_notes: Annotated[str | None, means("The level, in the source's words.")] = None
    adult_participation: Annotated[str | None, means("Whether an adult takes part, in the source's words.")] = None
    what_youll_learn: Annotated[str | None, means("What one learns.")] = None
    prerequisites: Annotated[str | None, means("What one has to know before.")] = None


class Schedule(Member, frozen=True, kw_only=True):
    type: Annotated[ScheduleType | None, means("How the class meets.")] = None
    days: tuple[Weekday, ...] = ()
    start_time: Clock | None = None
    end_time: Clock | None = None
    duration_minutes: int | None = None
    is_recurring: bool | None = None
    rrule: str | None = None
    notes: str | None = None
    timezone: str | None = None


class Tuition(Struct, frozen=True, kw_only=True, rename={"from_": "from"}):
    amount: Annotated[float | None, means("The price of the whole term.")] = None
    from_: Annotated[float | None, means("The least price, where there are several.")] = None
    text: str | None = None
    drop_in_price: Annotated[float | None, means("The price of one meeting.")] = None
    trial_price: Annotated[float | None, means("The price of a trial.")] = None
    trial_notes: Annotated[str | None, means("What the source says of a trial.")] = None
    currency: Currency | None = None


class Registration(Member, frozen=True, kw_only=True):
    url: Annotated[str | None, means("The address at which to sign up.")] = None
    status: Annotated[RegistrationStatus | None, means("Whether one can sign up now.")] = None
    opens_at: Annotated[Instant | None, means("When one can sign up from.")] = None
    spots_remaining: int | None = None
    has_spots_available: bool | None = None
    waitlist_available: bool | None = None


class ClassRegistration(Registration, frozen=True, kw_only=True):
    sections_with_spots: Annotated[int | None, means("How many sections have open seats.")] = None


class SectionSchedule(Member, frozen=True, kw_only=True):
    days: tuple[Weekday, ...] = ()
    start_time: Clock | None = None
    end_time: Clock | None = None
    duration_minutes: int | None = None
    rrule: str | None = None
    notes: str | None = None
    timezone: str | None = None


class SectionTuition(Member, frozen=True, kw_only=True):
    amount: Annotated[float | None, means("The price of the whole term.")] = None
    text: str | None = None
    drop_in_price: Annotated[float | None, means("The price of one meeting.")] = None
    currency: Currency | None = None


class SectionRegistration(Member, frozen=True, kw_only=True):
    url: Annotated[str | None, means("The address at which to sign up.")] = None
    status: Annotated[RegistrationStatus | None, means("Whether one can sign up now.")] = None
    spots_remaining: int | None = None
    has_spots_available: bool | None = None
    waitlist_available: bool | None = None


class Section(Member, frozen=True, kw_only=True):
    id: Annotated[str, means("Its id within the class.")]
    name: str | None
    schedule: SectionSchedule
    term: Term
    ages: AgeRange
    tuition: SectionTuition
    registration: SectionRegistration
    updated_at: Instant | None


class Class(Facts, frozen=True, kw_only=True):
    program: Annotated[Program, means("What is taught, and how to take part.")]
    term: Term
    schedule: Schedule
    tuition: Tuition
    price: Price
    registration: ClassRegistration
    sections_total: Annotated[int, means("How many sections there are.")]
    sections: Annotated[tuple[Section, ...], means("The groups in which the class is held.")]
    ages: Ages
    traits: Traits
    occasions: tuple[Occasion, ...]
    links: EventLinks
    sessions: Annotated[
        tuple[CompactCard, ...], means("The other classes of the same program, shown as one card with this one.")
    ] = ()
    expanded: Expanded | UnsetType = UNSET
    source: SourceBlock | UnsetType = UNSET
    related: Related | UnsetType = UNSET
