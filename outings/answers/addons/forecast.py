"""Add forecast blocks to dates and events (`include=forecast`), and a notice if some of them are missing."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from math import isnan

import msgspec
import numpy as np
from msgspec import Struct

from outings.answers.addons.sources import list_addons
from outings.answers.documents.fields import add_member
from outings.answers.documents.occurrences import open_series
from outings.answers.plan import AnswerContext
from outings.answers.snapshot.distance import find_chord, make_unit_vector
from outings.answers.snapshot.reader import open_snapshot
from outings.answers.weather import Weather
from outings.configuration import list_american, read_zone
from outings.contract.envelope import Notice, unavailable_forecast
from outings.contract.query import Query
from outings.contract.resources.shared import DayForecast, EventForecast
from outings.contract.values import number_day
from outings.release.snapshot import Snapshot

# Days after today that have a forecast.
DAYS_AFTER = 7
# Metres from a metro's center, for which its forecast is made, within which events get it.
REACH_M = 50_000


class _Event(Struct, frozen=True):
    """The members of an event's document that say when it takes place."""

    has_time: bool
    timezone: str


_decode = msgspec.json.Decoder(_Event).decode
_encode = msgspec.json.Encoder().encode


def find_weather(query: Query, context: AnswerContext) -> Mapping[str, Weather] | None:
    """Return the forecasts on which the answer depends, or None if it shows none."""
    return context.weather if "forecast" in query.get_words("include") else None


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
        """Return the part of an answer's ETag that names the forecasts."""
        return None if not self.is_requested else "none" if self._weather is None else self._weather.tag

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Return a notice if the metro has no forecast, or some of the items so far have none."""
        is_known = self._weather is not None
        if not self.is_requested or (is_known and not self._missing):
            return ()
        return (unavailable_forecast(self._missing, of=self._items, is_known=is_known),)

    def make_day(self, day: date) -> DayForecast | None:
        """Return the forecast of a date; None if none is requested or known, or the date is out of range."""
        if not self.is_requested or not self._first <= day <= self._last:
            return None
        block = None if self._weather is None else self._weather.describe_day(day)
        self._count(block)
        return block

    def attach(self, document: bytes, row: int, number: int | None = None) -> bytes:
        """Add a forecast to an event's document, if one is requested and known. `number`: the number of the occurrence
        to describe; None for the next one."""
        if not self.is_requested:
            return document
        series = open_series(open_snapshot(self._snapshot))
        if number is None:
            low, high = map(number_day, (self._first, self._last))
            number = int(series.find_firsts(np.array([row]), low=low, high=high)[0])
        if number < 0:
            return document
        moment = series.read_moment(number)
        block = self.make_event(document, row, starts_at=moment.starts_at, ends_at=moment.ends_at)
        return document if block is None else add_member(document, "forecast", _encode(block))

    def make_event(self, document: bytes, row: int, *, starts_at: int, ends_at: int | None) -> EventForecast | None:
        """Return the forecast of an event from `starts_at`, in seconds since 1970; None if there is none."""
        if not self.is_requested:
            return None
        event = _decode(document)
        if not (self._is_soon(event, starts_at) and self._is_near(row)):
            return None
        block = None
        if self._weather is not None:
            block = self._weather.describe_event(starts_at, ends_at, timezone=event.timezone)
        self._count(block)
        return block

    def _count(self, block: object) -> None:
        self._items += 1
        self._missing += block is None

    def _is_soon(self, event: _Event, starts_at: int) -> bool:
        """Return True if the event has a clock time, is in the United States, and within the days of forecasts."""
        if not event.has_time or event.timezone not in list_american():
            return False
        day = datetime.fromtimestamp(starts_at, UTC).astimezone(read_zone(event.timezone)).date()
        return self._first <= day <= self._last

    def _is_near(self, row: int) -> bool:
        """Return True if a listing is at most `REACH_M` from its metro's center, or states no coordinates."""
        center, vectors = self._snapshot.metro.center, open_snapshot(self._snapshot).rows.vectors
        middle = make_unit_vector(center.lat, center.lng)
        square = sum((here - float(vector[row])) ** 2 for here, vector in zip(middle, vectors, strict=True))
        return isnan(square) or square <= find_chord(REACH_M) ** 2
