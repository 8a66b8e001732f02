"""Add forecast blocks to dates and events (`include=forecast`), and a notice if some of them are missing."""

from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from math import isnan

import msgspec
from msgspec import Struct

from outings.answers.addons.sources import list_addons
from outings.answers.documents.fields import add_member
from outings.answers.documents.occurrences import open_series
from outings.answers.plan import AnswerContext
from outings.answers.snapshot.distance import Point, find_chord, make_unit_vector
from outings.answers.snapshot.reader import open_snapshot
from outings.configuration import list_american, read_zone
from outings.contract.envelope import Notice, unavailable_forecast
from outings.contract.query import Query
from outings.contract.resources.shared import DayForecast, EventForecast
from outings.contract.values import number_day
from outings.release.snapshot import Snapshot

# Today and as many days after it.
DAYS_AFTER = 7
# A metro's forecast is of its center: what is further away has another weather.
REACH_M = 50_000


class _Event(Struct, frozen=True):
    """The members of an event's document that say when it takes place."""

    has_time: bool
    timezone: str


_decode = msgspec.json.Decoder(_Event).decode
_encode = msgspec.json.Encoder().encode


class ForecastBlocks:
    """A maker of the forecast blocks of one answer's items. It counts the missing ones for a notice."""

    def __init__(self, query: Query, *, snapshot: Snapshot, context: AnswerContext) -> None:
        self.is_requested = "forecast" in list_addons(query, context)
        self._snapshot = snapshot
        self._first = context.dates[snapshot.metro.slug]
        self._last = self._first + timedelta(days=DAYS_AFTER)
        self._weather = context.weather.get(snapshot.metro.slug)
        self._items = self._missing = 0

    @property
    def tag(self) -> object:
        """The part of an answer's ETag that names the forecasts."""
        return None if not self.is_requested else "none" if self._weather is None else self._weather.tag

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Return a notice if forecasts are missing, of some items so far or of the whole metro."""
        is_known = self._weather is not None
        if not self.is_requested or (is_known and not self._missing):
            return ()
        return (unavailable_forecast(self._missing, of=self._items, is_known=is_known),)

    def make_day(self, day: date) -> DayForecast | None:
        """Return the forecast of a date, or None if none was requested, the date is out of range, or no forecast is
        known."""
        if not self.is_requested or not self._first <= day <= self._last:
            return None
        block = None if self._weather is None else self._weather.describe_day(day)
        self._count(block)
        return block

    def attach(self, document: bytes, row: int, number: int | None = None) -> bytes:
        """Add the forecast of occurrence `number` in the table, by default of the next one, to an event's document."""
        block = self.make_next(document, row, number)
        return document if block is None else add_member(document, "forecast", _encode(block))

    def make_next(self, document: bytes, row: int, number: int | None = None) -> EventForecast | None:
        """Return the forecast of an event's next occurrence, or of occurrence `number`; None if there is none."""
        if not self.is_requested:
            return None
        series = open_series(open_snapshot(self._snapshot))
        low, high = map(number_day, (self._first, self._last))
        first = series.find_first(row, low, high) if number is None else number
        if first < 0:
            return None
        moment = series.read_moment(first)
        return self.make_event(document, row, starts_at=moment.starts_at, ends_at=moment.ends_at)

    def make_event(self, document: bytes, row: int, *, starts_at: int, ends_at: int | None) -> EventForecast | None:
        """Return the forecast of an event from `starts_at`, in seconds since 1970; None if there is none."""
        if not self.is_requested:
            return None
        event = _decode(document)
        if not (self._is_timely(event, starts_at) and self._lies_near(row)):
            return None
        weather, block = self._weather, None
        if weather is not None:
            block = weather.describe_event(starts_at, ends_at, timezone=event.timezone)
        self._count(block)
        return block

    def _count(self, block: object) -> None:
        self._items += 1
        self._missing += block is None

    def _is_timely(self, event: _Event, starts_at: int) -> bool:
        """Return True if the event has a clock time, is in the United States, and within the days of forecasts."""
        if not event.has_time or event.timezone not in list_american():
            return False
        day = datetime.fromtimestamp(starts_at, UTC).astimezone(read_zone(event.timezone)).date()
        return self._first <= day <= self._last

    def _lies_near(self, row: int) -> bool:
        """Return True if a listing is at most `REACH_M` from its metro's center, or states no coordinates."""
        point = open_snapshot(self._snapshot).rows.read_point(row)
        square = sum((here - there) ** 2 for here, there in zip(self._center, point, strict=True))
        return isnan(square) or square <= find_chord(REACH_M) ** 2

    @cached_property
    def _center(self) -> Point:
        center = self._snapshot.metro.center
        return make_unit_vector(center.lat, center.lng)
