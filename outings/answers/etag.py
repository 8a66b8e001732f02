"""The ETag alone: what a `304` is decided by."""

from collections.abc import Mapping
from datetime import date, datetime

from outings.answers.context import Circumstances
from outings.answers.routes import make_plan
from outings.answers.semantic.model import Model
from outings.answers.weather.weather import Weather
from outings.contract.entitlement import Entitlement
from outings.contract.query import Query
from outings.release.snapshot import Release


def compute_etag(
    query: Query,
    *,
    release: Release,
    dates: Mapping[str, date],
    entitlement: Entitlement,
    minute: datetime | None = None,
    model: Model | None = None,
    weather: Mapping[str, Weather] = {},
) -> str:
    """`W/"…"`, without a query of the engine. Raises what `answer` raises: ApiError."""
    about = Circumstances(
        release=release, dates=dates, entitlement=entitlement, minute=minute, model=model, weather=weather
    )
    return make_plan(query, about).etag
