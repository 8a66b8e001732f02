"""The plans of what is near a point: `nearby`, `around` and `activity`."""

from outings.answers.addons.forecast import ForecastBlocks
from outings.answers.context import AnswerContext
from outings.answers.cost import LOOK_UP, UNKNOWN, Rate, add_costs
from outings.answers.near.activity import answer_activity
from outings.answers.near.around import answer_around, settle_around
from outings.answers.near.layers import open_layers
from outings.answers.near.nearby import Nearby, answer_nearby, settle_nearby
from outings.answers.near.pages import name_page, open_pages
from outings.answers.near.request import Near, read_minute, settle_near
from outings.answers.near.starts import read_now
from outings.answers.plan import AnswerPlan, make_tag
from outings.answers.selecting.paging import read_limit
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.query import Query
from outings.release.snapshot import Snapshot

_ITEM = Rate(each=10)


def plan_nearby(query: Query, snapshot: Snapshot, about: AnswerContext) -> AnswerPlan:
    if query.cursor is not None:
        return _plan_new(settle_nearby(query, snapshot=snapshot, about=about))
    pages, minute = open_snapshot(snapshot).open_index(open_pages), read_minute(about)
    now = read_now(minute, snapshot.metro.timezone)
    name = name_page(query, about, now)
    page = pages.find(name, now)
    if page is None:
        kept_as = name if pages.note(name) else None
        return _plan_new(settle_nearby(query, snapshot=snapshot, about=about, kept_as=kept_as))
    # What does not fail in one minute of a day fails in none.
    tag = make_tag("nearby", query.text, (snapshot.hash, minute, None), about.entitlement.digest)
    return AnswerPlan(tag, lambda: page.render(query, snapshot=snapshot, now=now), LOOK_UP)


def _plan_new(nearby: Nearby) -> AnswerPlan:
    near = nearby.near
    read = (near.snapshot.hash, near.minute, nearby.after)
    tag = make_tag("nearby", near.query.text, read, nearby.about.entitlement.digest)
    return AnswerPlan(tag, lambda: answer_nearby(nearby), _estimate_nearby(near))


def _estimate_nearby(near: Near) -> int:
    """Microseconds: little where what the request shows of the whole metro is known already."""
    layers = open_snapshot(near.snapshot).find_index(open_layers)
    if layers is None or not layers.knows(near.filters) or near.query.values.keys() & {"fields", "include"}:
        return UNKNOWN
    return add_costs([(_ITEM, read_limit(near.query))])


def plan_around(query: Query, snapshot: Snapshot, about: AnswerContext) -> AnswerPlan:
    around = settle_around(query, snapshot=snapshot, about=about)
    origin = around.near.origin  # an address need not always be found at the same place
    forecast = ForecastBlocks(query, snapshot=snapshot, about=about).tag
    read = (snapshot.hash, around.near.minute, origin.lat, origin.lng, forecast)
    tag = make_tag("around", query.text, read, about.entitlement.digest)
    return AnswerPlan(tag, lambda: answer_around(around))


def plan_activity(query: Query, snapshot: Snapshot, about: AnswerContext) -> AnswerPlan:
    near = settle_near(query, snapshot=snapshot, about=about, minute=read_minute(about))
    tag = make_tag("activity", query.text, snapshot.hash, near.minute, about.entitlement.digest)
    return AnswerPlan(tag, lambda: answer_activity(near))
