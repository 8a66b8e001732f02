"""Event: something that happens once, or again and again by a rule."""

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
from outings.contract.resources.words import Clock, Day, Instant, Local, Occasion, Team


class EventLinks(Member, frozen=True, kw_only=True):
    self: str
    place: str | None = None
    organization: str | None = None


class Occurrence(Member, frozen=True, kw_only=True):
    """Of a series: its next live date on or after the answer's local date, and how many are left.

    `remaining` and `total` are null when the series has no end. With `occurrences=expand` an item has its own date
    too: `index` counts from 1 at the anchor; `key` is `<event id>_<YYYYMMDDTHHMMSS local>`.
    """

    next_starts_at: Instant | None
    next_starts_local: Local | None
    remaining: int | None
    total: int | None
    key: str | UnsetType = UNSET
    starts_at: Instant | UnsetType = UNSET
    starts_local: Local | UnsetType = UNSET
    ends_at: Instant | UnsetType | None = UNSET
    ends_local: Local | UnsetType | None = UNSET
    date_on: Day | UnsetType = UNSET
    index: int | UnsetType = UNSET
    is_first: bool | UnsetType = UNSET
    is_last: bool | UnsetType = UNSET


class Event(Facts, frozen=True, kw_only=True):
    starts_local: Local | None
    ends_local: Local | None
    start_time: Clock | None
    has_time: bool
    has_date: bool
    all_day: bool
    timezone: str
    starts_at: Instant | None
    ends_at: Instant | None
    is_recurring: bool
    rrule: str | None
    recurrence_description: str | None
    price: Price
    ages: Ages
    traits: Traits
    occasions: tuple[Occasion, ...]
    teams: tuple[Team, ...]
    registration_url: str | None
    ticket_url: str | None
    registration_required: bool | None
    is_sold_out: bool | None
    links: EventLinks
    occurrence: Occurrence | UnsetType = UNSET
    expanded: Expanded | UnsetType = UNSET
    source: SourceBlock | UnsetType = UNSET
    forecast: EventForecast | UnsetType = UNSET
    related: Related | UnsetType = UNSET


# What their members mean, where outings/contract/meanings/everywhere.py does not say it.
MEANINGS = {
    "Event.all_day": "Whether the source says that it lasts all day.",
    "Event.has_date": "Whether it states a date. If not, `starts_at` and `starts_local` are null.",
    "Event.has_time": "Whether it states a clock time.",
    "Event.is_sold_out": "Whether it is sold out.",
    "Event.occurrence": "Of a series: the next date, and how many are left. With `occurrences=expand`: this date.",
    "Event.recurrence_description": "How it repeats, in the source's words.",
    "Event.registration_required": "Whether one has to sign up.",
    "Event.teams": "The local teams that play.",
    "Event.ticket_url": "The address at which to buy tickets.",
    "EventLinks.self": "This listing.",
    "EventLinks.place": "Its place; null where none is known.",
    "EventLinks.organization": "Its organization; null where none is known.",
    "Occurrence.next_starts_at": "The next live date from today on, in UTC.",
    "Occurrence.next_starts_local": "The next live date from today on, by the clock of `timezone`.",
    "Occurrence.remaining": "How many dates are left from today on; null for a series without an end.",
    "Occurrence.total": "How many dates the series has; null for a series without an end.",
    "Occurrence.key": "Names this date for good: `<event id>_<YYYYMMDDTHHMMSS local>`.",
    "Occurrence.index": "Which date of the series this is, from 1.",
    "Occurrence.is_first": "Whether this is the first date of the series.",
    "Occurrence.is_last": "Whether this is the last date of the series.",
}
