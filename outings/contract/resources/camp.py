"""Camp: dated, priced sessions of a day or more."""

from datetime import date

from msgspec import UNSET, UnsetType

from outings.contract.resources.class_ import Registration
from outings.contract.resources.event import EventLinks
from outings.contract.resources.expanded import Expanded
from outings.contract.resources.related import Related
from outings.contract.resources.shared import (
    AgeRange,
    Ages,
    Facts,
    Member,
    Price,
    Traits,
)
from outings.contract.resources.source import SourceBlock
from outings.contract.resources.words import CampType, Clock, Instant, Weekday


class Session(Member, frozen=True, kw_only=True):
    id: str
    name: str | None
    theme: str | None
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
    before_available: bool | None = None
    after_available: bool | None = None
    price: float | None = None
    notes: str | None = None


class Camp(Facts, frozen=True, kw_only=True):
    """`starts_on` and `ends_on` are the least and greatest over the sessions."""

    camp_type: CampType
    is_overnight: bool | None
    year: int | None
    starts_on: date | None
    ends_on: date | None
    timezone: str
    sessions_total: int
    sessions: tuple[Session, ...]
    extended_care: ExtendedCare
    meals_included: bool | None
    what_to_bring: str | None
    price: Price
    registration: Registration
    ages: Ages
    traits: Traits
    links: EventLinks
    expanded: Expanded | UnsetType = UNSET
    source: SourceBlock | UnsetType = UNSET
    related: Related | UnsetType = UNSET


# What their members mean, where outings/contract/meanings/everywhere.py does not say it.
MEANINGS = {
    "Camp.camp_type": "How long children stay each day.",
    "Camp.ends_on": "The last date of any session.",
    "Camp.extended_care": "Care before and after the hours of the camp.",
    "Camp.meals_included": "Whether meals are included.",
    "Camp.sessions": "The dated, priced blocks of the camp.",
    "Camp.sessions_total": "How many sessions there are.",
    "Camp.starts_on": "The first date of any session.",
    "Camp.what_to_bring": "What children have to bring.",
    "Camp.year": "The year of the camp.",
    "Session.id": "Its id within the camp.",
    "Session.theme": "What the session is about.",
    "ExtendedCare.after_available": "Whether there is care after the camp's hours.",
    "ExtendedCare.before_available": "Whether there is care before the camp's hours.",
    "ExtendedCare.price": "What the care costs.",
}
