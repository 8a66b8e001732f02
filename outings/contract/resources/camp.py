"""Camp: dated, priced sessions of a day or more."""

from datetime import date
from typing import Annotated

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
from outings.contract.resources.words import CampType, Clock, Instant, Weekday, means


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
    """`starts_on` and `ends_on` are the least and greatest over the sessions."""

    camp_type: Annotated[CampType, means("How long children stay each day.")]
    is_overnight: bool | None
    year: Annotated[int | None, means("The year of the camp.")]
    starts_on: Annotated[date | None, means("The first date of any session.")]
    ends_on: Annotated[date | None, means("The last date of any session.")]
    timezone: str
    sessions_total: Annotated[int, means("How many sessions there are.")]
    sessions: Annotated[tuple[Session, ...], means("The dated, priced blocks of the camp.")]
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
