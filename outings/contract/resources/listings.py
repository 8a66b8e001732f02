"""Organizations, places, events, classes and camps."""

from collections.abc import Iterator
from datetime import date
from typing import Annotated, Literal, get_args

from msgspec import UNSET, Struct, UnsetType

from outings.contract.resources.shared import (
    AgeRange,
    Ages,
    CampType,
    Category,
    Clock,
    CompactCard,
    Currency,
    Day,
    EnrollmentType,
    EventForecast,
    Facts,
    Id,
    Instant,
    Listing,
    Local,
    Location,
    Member,
    Occasion,
    Price,
    RegistrationStatus,
    Related,
    ScheduleType,
    SourceBlock,
    Status,
    Team,
    Term,
    Traits,
    TypeHint,
    Weekday,
    means,
)

# How an organization matches `q`. With equal scores, the first of these comes first.
NameMatch = Literal["exact_name", "exact_domain", "name", "domain", "fuzzy"]


class Counts(Member, frozen=True, kw_only=True):
    """Live listings under the lists' defaults, for what the key may read."""

    events: int
    classes: int
    camps: int
    places: int


class OrganizationLinks(Member, frozen=True, kw_only=True):
    self: Annotated[str, means("This organization.")]
    events: Annotated[str, means("The list of its events.")]
    classes: Annotated[str, means("The list of its classes.")]
    camps: Annotated[str, means("The list of its camps.")]
    places: Annotated[str, means("The list of its places.")]


class Organization(Member, frozen=True, kw_only=True):
    """A publisher of listings. Its stored document lacks the last three members, which depend on date and key."""

    id: Id
    type: Annotated[str, means("`organization`.")]
    slug: str
    name: str
    description: str | None
    website_url: str | None
    domain: str | None
    image_url: str | None
    verified_at: Instant | None
    status: Status
    created_at: Instant | None
    updated_at: Instant | None
    links: OrganizationLinks
    categories: Annotated[tuple[Category, ...] | UnsetType, means("The categories of its live listings.")] = UNSET
    metros: Annotated[tuple[str, ...] | UnsetType, means("The metros in which it has listings.")] = UNSET
    counts: Counts | UnsetType = UNSET


class OrganizationEntry(Member, frozen=True, kw_only=True):
    """An organization in a metro's directory. `counts` are of this metro."""

    id: Id
    type: Annotated[str, means("`organization`.")]
    slug: str
    name: str
    website_url: str | None
    domain: str | None
    image_url: str | None
    counts: Counts
    score: Annotated[float | None, means("How well it matches `q`, from 0 to 1; null without `q`.")]
    match: Annotated[NameMatch | None, means("How it matches `q`; null without `q`.")]
    links: OrganizationLinks


class Hours(Member, frozen=True, kw_only=True):
    monday: Annotated[str | None, means("Opening hours on Monday.")] = None
    tuesday: Annotated[str | None, means("Opening hours on Tuesday.")] = None
    wednesday: Annotated[str | None, means("Opening hours on Wednesday.")] = None
    thursday: Annotated[str | None, means("Opening hours on Thursday.")] = None
    friday: Annotated[str | None, means("Opening hours on Friday.")] = None
    saturday: Annotated[str | None, means("Opening hours on Saturday.")] = None
    sunday: Annotated[str | None, means("Opening hours on Sunday.")] = None
    notes: str | None = None
    exceptions: Annotated[str | None, means("Days with other hours.")] = None


class Admission(Member, frozen=True, kw_only=True):
    type: Annotated[str | None, means("How entry is priced, in the source's words.")] = None
    child_price: Annotated[float | None, means("What a child pays.")] = None
    adult_price: Annotated[float | None, means("What an adult pays.")] = None
    infant_age_cutoff: Annotated[int | None, means("The age in years below which entry is free.")] = None
    notes: str | None = None
    currency: Currency | None = None


class Membership(Member, frozen=True, kw_only=True):
    available: bool | None = None
    price_monthly: Annotated[float | None, means("The price of a month.")] = None
    price_annual: Annotated[float | None, means("The price of a year.")] = None
    notes: str | None = None
    currency: Currency | None = None


class BirthdayParties(Member, frozen=True, kw_only=True):
    available: bool | None = None
    min_guests: Annotated[int | None, means("The least guests.")] = None
    max_guests: Annotated[int | None, means("The most guests.")] = None
    age_range: str | None = None
    booking_url: Annotated[str | None, means("The address at which to book.")] = None
    notes: str | None = None


class PlaceClasses(Member, frozen=True, kw_only=True):
    available: bool | None = None
    types: Annotated[tuple[str, ...], means("What kinds of classes are held, in the source's words.")] = ()
    age_range: str | None = None
    schedule_notes: Annotated[str | None, means("When classes are held, in the source's words.")] = None
    registration_url: str | None = None


class Amenities(Member, frozen=True, kw_only=True):
    has_outdoor_space: Annotated[bool | None, means("Whether there is space outdoors.")] = None
    has_parking: Annotated[bool | None, means("Whether one can park.")] = None
    parking_notes: Annotated[str | None, means("What the source says of parking.")] = None
    has_wifi: Annotated[bool | None, means("Whether there is Wi-Fi.")] = None
    socks_required: Annotated[bool | None, means("Whether socks have to be worn.")] = None
    outside_food_allowed: Annotated[bool | None, means("Whether one may bring food.")] = None
    stroller_policy: Annotated[str | None, means("Whether strollers may come in, in the source's words.")] = None


_PAGE = "The whole address of its page for people; null if this deployment has none."


class PlaceLinks(Member, frozen=True, kw_only=True):
    self: Annotated[str, means("This place.")]
    events: Annotated[str, means("The list of events there.")]
    classes: Annotated[str, means("The list of classes there.")]
    camps: Annotated[str, means("The list of camps there.")]
    page: Annotated[str | None, means(_PAGE)] = None


class PlaceExpanded(Member, frozen=True, kw_only=True):
    organization: Annotated[Organization | None, means("The organization, as in its detail; null if not published.")]


class Place(Listing, frozen=True, kw_only=True):
    type_hint: Annotated[TypeHint | None, means("What kind of place it is.")]
    type_hint_notes: Annotated[str | None, means("What kind of place it is, in the source's words.")]
    location: Location
    hours: Annotated[Hours, means("When it is open, in the source's words.")]
    admission: Annotated[Admission, means("What entry costs.")]
    membership: Annotated[Membership, means("What membership costs.")]
    birthday_parties: Annotated[BirthdayParties, means("Whether birthdays can be celebrated there.")]
    classes: Annotated[PlaceClasses, means("What the place says of its classes. `links.classes` lists them.")]
    amenities: Annotated[Amenities, means("What is there.")]
    ages: Ages
    images: Annotated[tuple[str, ...], means("Addresses of further pictures.")]
    website_url: str | None
    is_indoor: bool | None
    is_outdoor: bool | None
    good_for_rainy: bool | None
    is_sensory_friendly: bool | None
    links: PlaceLinks
    expanded: PlaceExpanded | UnsetType = UNSET
    source: SourceBlock | UnsetType = UNSET


class Expanded(Member, frozen=True, kw_only=True):
    """The full objects that `expand` requests."""

    place: Annotated[Place | UnsetType | None, means("The place, as in its detail; null if not published.")] = UNSET
    organization: Annotated[
        Organization | UnsetType | None, means("The organization, as in its detail; null if not published.")
    ] = UNSET


class EventLinks(Member, frozen=True, kw_only=True):
    self: Annotated[str, means("This listing.")]
    place: Annotated[str | None, means("Its place; null where none is known.")] = None
    organization: Annotated[str | None, means("Its organization; null where none is known.")] = None
    page: Annotated[str | None, means(_PAGE)] = None


class Occurrence(Member, frozen=True, kw_only=True):
    """The next date of an event. With `occurrences=expand` an item also has its own date, from `key` on."""

    next_starts_at: Annotated[Instant | None, means("The next date from today on that is not canceled, in UTC.")]
    next_starts_local: Annotated[Local | None, means("The same by the clock of `timezone`.")]
    remaining: Annotated[int | None, means("How many dates are left from today on; null for a series without an end.")]
    total: Annotated[int | None, means("How many dates the series has; null for a series without an end.")]
    key: Annotated[str | UnsetType, means("This date's permanent id: `<event id>_<YYYYMMDDTHHMMSS local>`.")] = UNSET
    starts_at: Instant | UnsetType = UNSET
    starts_local: Local | UnsetType = UNSET
    ends_at: Instant | UnsetType | None = UNSET
    ends_local: Local | UnsetType | None = UNSET
    date_on: Day | UnsetType = UNSET
    index: Annotated[int | UnsetType, means("The number of this date in the series, from 1.")] = UNSET
    is_first: Annotated[bool | UnsetType, means("Whether this is the first date of the series.")] = UNSET
    is_last: Annotated[bool | UnsetType, means("Whether this is the last date of the series.")] = UNSET


class Event(Facts, frozen=True, kw_only=True):
    starts_local: Local | None
    ends_local: Local | None
    start_time: Clock | None
    has_time: Annotated[bool, means("Whether it states a clock time.")]
    has_date: Annotated[bool, means("Whether it states a date. If not, `starts_at` and `starts_local` are null.")]
    all_day: Annotated[bool, means("Whether the source says that it lasts all day.")]
    timezone: str
    starts_at: Instant | None
    ends_at: Instant | None
    is_recurring: bool
    rrule: str | None
    exdates: Annotated[tuple[Local, ...], means("Starts that do not take place, though `rrule` or `rdates` has them.")]
    rdates: Annotated[
        tuple[Local, ...],
        means("Starts beside those of `rrule`. `starts_local` is one of them if the rule does not have it."),
    ]
    recurrence_description: Annotated[str | None, means("How it repeats, in the source's words.")]
    price: Price
    ages: Ages
    traits: Traits
    occasions: tuple[Occasion, ...]
    teams: Annotated[tuple[Team, ...], means("The local teams that play.")]
    registration_url: str | None
    ticket_url: Annotated[str | None, means("The address at which to buy tickets.")]
    registration_required: Annotated[bool | None, means("Whether one has to sign up.")]
    is_sold_out: Annotated[bool | None, means("Whether it is sold out.")]
    links: EventLinks
    occurrence: Annotated[Occurrence | UnsetType, means("The dates of a series. See `occurrences=expand`.")] = UNSET
    expanded: Expanded | UnsetType = UNSET
    source: SourceBlock | UnsetType = UNSET
    forecast: EventForecast | UnsetType = UNSET
    related: Related | UnsetType = UNSET


class Program(Member, frozen=True, kw_only=True):
    enrollment_type: EnrollmentType | None = None
    skill_level_notes: Annotated[str | None, means("The level of skill, in the source's words.")] = None
    adult_participation: Annotated[str | None, means("Whether an adult takes part, in the source's words.")] = None
    what_youll_learn: Annotated[str | None, means("What one learns.")] = None
    prerequisites: Annotated[str | None, means("What one has to know or have done first.")] = None


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
    opens_at: Annotated[Instant | None, means("When sign-up opens.")] = None
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
    sessions: Annotated[tuple[CompactCard, ...], means("The program's other classes, which lists leave out.")] = ()
    expanded: Expanded | UnsetType = UNSET
    source: SourceBlock | UnsetType = UNSET
    related: Related | UnsetType = UNSET


class Session(Member, frozen=True, kw_only=True):
    id: Annotated[str, means("Its id within the camp.")]
    name: str | None
    theme: Annotated[str | None, means("What the session is about.")]
    starts_on: date | None
    ends_on: date | None
    days: tuple[Weekday, ...]
    start_time: Clock | None
    end_time: Clock | None
    is_overnight: bool | None
    timezone: str
    ages: AgeRange
    price: Price
    registration: Registration
    updated_at: Instant | None


class ExtendedCare(Member, frozen=True, kw_only=True):
    before_available: Annotated[bool | None, means("Whether there is care before the camp's hours.")] = None
    after_available: Annotated[bool | None, means("Whether there is care after the camp's hours.")] = None
    price: Annotated[float | None, means("What the care costs.")] = None
    notes: str | None = None


class Camp(Facts, frozen=True, kw_only=True):
    camp_type: Annotated[CampType, means("How long children stay each day.")]
    is_overnight: bool | None
    year: Annotated[int | None, means("The year of the camp.")]
    starts_on: Annotated[date | None, means("The first date of any session.")]
    ends_on: Annotated[date | None, means("The last date of any session.")]
    timezone: str
    sessions_total: Annotated[int, means("How many sessions there are.")]
    sessions: Annotated[tuple[Session, ...], means("Its dated and priced sessions, such as weeks.")]
    extended_care: Annotated[ExtendedCare, means("Care before and after the hours of the camp.")]
    meals_included: Annotated[bool | None, means("Whether meals are included.")]
    what_to_bring: Annotated[str | None, means("What children have to bring.")]
    price: Price
    registration: Registration
    ages: Ages
    traits: Traits
    links: EventLinks
    expanded: Expanded | UnsetType = UNSET
    source: SourceBlock | UnsetType = UNSET
    related: Related | UnsetType = UNSET


LISTINGS: dict[str, type[Event] | type[Class] | type[Camp] | type[Place]] = {
    "event": Event,
    "class": Class,
    "camp": Camp,
    "place": Place,
}


def find_structs(annotation: object) -> Iterator[type[Struct]]:
    """Yield the structs in a type annotation, also those within its unions and arrays."""
    if isinstance(annotation, type) and issubclass(annotation, Struct):
        yield annotation
    for inner in get_args(annotation):
        yield from find_structs(inner)
