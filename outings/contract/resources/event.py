"""Event: something that happens once, or again and again by a rule."""

from typing import Annotated

from msgspec import UNSET, UnsetType

from outings.contract.resources.expanded import Expanded
from outings.contract.resources.forecast import EventForecast
from outings.contract.resources.related import Related
from outings.contract.resources.shared import (
    Ages,
    Facts,
    Member,
    Price,
    Traits,
)
from outings.contract.resources.source import SourceBlock
from outings.contract.resources.words import Clock, Day, Instant, Local, Occasion, Team, means


class EventLinks(Member, frozen=True, kw_only=True):
    self: Annotated[str, means("This listing.")]
    place: Annotated[str | None, means("Its place; null where none is known.")] = None
    organization: Annotated[str | None, means("Its organization; null where none is known.")] = None


class Occurrence(Member, frozen=True, kw_only=True):
    """Of a series: its next live date on or after the answer's local date, and how many are left.

    `remaining` and `total` are null when the series has no end. With `occurrences=expand` an item has its own date
    too: `index` counts from 1 at the anchor; `key` is `<event id>_<YYYYMMDDTHHMMSS local>`.
    """

    next_starts_at: Annotated[Instant | None, means("The next live date from today on, in UTC.")]
    next_starts_local: Annotated[Local | None, means("The next live date from today on, by the clock of `timezone`.")]
    remaining: Annotated[int | None, means("How many dates are left from today on; null for a series without an end.")]
    total: Annotated[int | None, means("How many dates the series has; null for a series without an end.")]
    key: Annotated[str | UnsetType, means("Names this date for good: `<event id>_<YYYYMMDDTHHMMSS local>`.")] = UNSET
    starts_at: Instant | UnsetType = UNSET
    starts_local: Local | UnsetType = UNSET
    ends_at: Instant | UnsetType | None = UNSET
    ends_local: Local | UnsetType | None = UNSET
    date_on: Day | UnsetType = UNSET
    index: Annotated[int | UnsetType, means("Which date of the series this is, from 1.")] = UNSET
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
    occurrence: Annotated[
        Occurrence | UnsetType,
        means("Of a series: the next date, and how many are left. With `occurrences=expand`: this date."),
    ] = UNSET
    expanded: Expanded | UnsetType = UNSET
    source: SourceBlock | UnsetType = UNSET
    forecast: EventForecast | UnsetType = UNSET
    related: Related | UnsetType = UNSET
