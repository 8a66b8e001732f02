"""A query, a release, the local dates and what the key may read → a whole answer, as the build writes it ahead. A
server asks for its plan first (`routes.make_plan`). Pure."""

from collections.abc import Mapping
from datetime import date, datetime

from msgspec import Struct

from outings.answers.context import AnswerContext
from outings.answers.routes import make_plan
from outings.answers.semantic.model import Model
from outings.answers.weather.weather import Weather
from outings.contract.query import Entitlement, Query
from outings.release.snapshot import Release


class Answer(Struct, frozen=True, kw_only=True):
    """A success. `parts` are the body, to be joined; `etag` is weak; `max_age` in seconds, None is `no-cache`."""

    parts: tuple[bytes, ...]
    etag: str
    max_age: int | None


def answer(
    query: Query,
    *,
    release: Release,
    dates: Mapping[str, date],
    entitlement: Entitlement,
    minute: datetime | None = None,
    model: Model | None = None,
    weather: Mapping[str, Weather] = {},
) -> Answer:
    """`dates`: metro → local date, of every metro in the release; in a walk, the date on which it began. `minute`: now,
    where the answer depends on it; `model`: where one ranks searches; `weather`: the forecasts that are known.

    Raises ApiError: 400 for what only the date shows to be wrong, 403, 404, 501. Metro, type scope and add-ons of a
    path's metro are the caller's to check, before.
    """
    about = AnswerContext(
        release=release, dates=dates, entitlement=entitlement, minute=minute, model=model, weather=weather
    )
    plan = make_plan(query, about)
    return Answer(parts=tuple(plan.render()), etag=plan.etag, max_age=query.match.route.max_age)
