"""What an answer depends on beside its query."""

from collections.abc import Mapping
from datetime import date, datetime

from msgspec import Struct

from outings.answers.semantic.model import Model
from outings.answers.weather.weather import Weather
from outings.contract.query import Entitlement
from outings.contract.resources.directories import Center
from outings.release.snapshot import Release


class AnswerContext(Struct, frozen=True, kw_only=True):
    """`dates`: metro → local date, of every metro in the release. `minute`: what time it is, floored; None where
    nothing is answered that depends on it. `model`: for searches, where an operator names one. `spot`: where the
    request's `address` is. `weather`: of the metros of which a forecast is known now."""

    release: Release
    dates: Mapping[str, date]
    entitlement: Entitlement
    minute: datetime | None = None
    model: Model | None = None
    spot: Center | None = None
    weather: Mapping[str, Weather] = {}
