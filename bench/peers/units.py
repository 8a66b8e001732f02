"""The units of the measurement: 300 parameter sets for each, the same for every server, each in the server's own
spelling."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from random import Random
from typing import Any
from urllib.parse import urlencode

import polars as pl
from msgspec import Struct

from bench.load import UNIQUE
from bench.near import draw_points
from bench.peers.world import METRO, World
from outings.contract.vocabulary import COLLECTIONS, STATUSES, TYPES

SETS = 300
# New ones near which something is.
_POINTS = 30_000
_WIDTHS = (7, 14, 30)
_EVENTS = f"/v1/{METRO.slug}/events"
_FACETS = "category,weekday,time_block,price_band"
_FIELDS = "name,starts_at,place.name"

Params = Mapping[str, Any]
# Target of a list in sync mode → its pages.
FollowList = Callable[[str], Iterator[dict[str, Any]]]


class Case(Struct, frozen=True, kw_only=True):
    """One request, as each server is asked it. `fresh`: with a part that never repeats, "" where there is none."""

    outings: str
    fastapi: str
    fresh: str = ""


class Unit(Struct, frozen=True, kw_only=True):
    """Requests of one kind. `shown` says what of an answer is compared."""

    name: str
    shown: str
    cases: tuple[Case, ...]
    not_modified: bool = False


def list_units(world: World, follow: FollowList) -> dict[str, Callable[[], Unit]]:
    """List the units by short name. `follow` requests cursors from our own server, as nobody else can make them."""
    return {
        "detail": lambda: make_detail(world),
        "list": lambda: make_lists(world, name="list page of 50; 7, 14, 30 days"),
        "filtered": lambda: make_filtered(world),
        "walk": lambda: make_later_page(world),
        "sync": lambda: make_sync(follow),
        "facets4": lambda: make_facets(world),
        "calendar31": lambda: make_calendar(world),
        "q": lambda: make_search(world),
        "fields": lambda: make_lists(world, name="list, fields=", fields=_FIELDS),
        "expand": lambda: make_lists(world, name="list, expand=organization", expand="organization"),
        "nearby": lambda: make_nearby(world),
        "304": lambda: make_not_modified(world),
    }


def _make_case(path: str, params: Params) -> Case:
    target = f"{path}?{urlencode(params, safe=',')}"
    return Case(outings=target, fastapi=target, fresh=f"{target}&min_confidence=0.7{UNIQUE.decode()}")


def list_windows(world: World, *, widths: Sequence[int] = _WIDTHS) -> Iterator[dict[str, str]]:
    """100 starts from eight days ago on, by width."""
    for start, days in itertools.product(range(-8, SETS // len(widths) - 8), widths):
        first = world.today + timedelta(days=start)
        yield _window(first, days)


def _window(first: date, days: int) -> dict[str, str]:
    return {"from": first.isoformat(), "to": (first + timedelta(days=days - 1)).isoformat()}


def make_detail(world: World) -> Unit:
    frame = pl.read_parquet(world.snapshot.tables["listings"].path, columns=["id", "type", "status"])
    shown = frame.filter(pl.col("status") == STATUSES.index("published")).select("id", "type").rows()
    Random(1).shuffle(shown)
    paths = [f"/v1/{COLLECTIONS[TYPES[kind]]}/{row_id}" for row_id, kind in shown]
    cases = [Case(outings=path, fastapi=path) for path in paths[:SETS]]
    # Each listing once is what no cache of recent answers helps with.
    others = [Case(outings=path, fastapi=path, fresh=path) for path in paths[SETS:]]
    return Unit(name="detail", shown="detail", cases=(*cases, *others))


def make_lists(world: World, *, name: str, **more: str) -> Unit:
    cases = [_make_case(_EVENTS, {**window, **more}) for window in list_windows(world)]
    return Unit(name=name, shown="items", cases=tuple(cases))


def make_later_page(world: World) -> Unit:
    cases = [_make_case(_EVENTS, {**window, "page": 20}) for window in list_windows(world)]
    return Unit(name="page 20 of a list", shown="items", cases=tuple(cases))


def make_filtered(world: World) -> Unit:
    """Each filter that an app's first screen has, around points near the metro's neighborhoods."""
    random, cases = Random(2), []
    words = world.snapshot.vocabulary.categories
    for _ in range(SETS):
        around = random.choice(METRO.neighborhoods)
        lat = round(around.lat + random.uniform(-0.01, 0.01), 6)
        lng = round(around.lng + random.uniform(-0.01, 0.01), 6)
        category, age, radius = random.choice(words), random.randrange(13), random.choice((2000, 3000, 5000, 8000))
        window = _window(world.today, 31)
        params = {
            **window, "category": category, "age": age, "free": "true",
            "lat": lat, "lng": lng, "radius_m": radius,
        }  # fmt: skip
        cases.append(_make_case(_EVENTS, params))
    return Unit(name="category + age + free + radius", shown="items", cases=tuple(cases))


def make_sync(follow: FollowList) -> Unit:
    """Pages of 200 items of whole mirrors, at any position."""
    cases: list[Case] = []
    since = "2026-01-01T00:00:00Z"
    for kind in ("event", "class", "camp"):
        base = f"/v1/{METRO.slug}/{COLLECTIONS[kind]}?changed_since={since}&limit=200"
        mark = ""
        for page in follow(base):
            outings = base + (f"&cursor={page['cursor']}" if page["cursor"] else "")
            fresh = f"{base}&min_confidence=0.7{UNIQUE.decode()}"
            cases.append(Case(outings=outings, fastapi=base + mark, fresh=fresh))
            mark = f"&after={page['stamp']}_{page['last']}"
    Random(3).shuffle(cases)
    return Unit(name="sync page of 200", shown="items", cases=tuple(cases[:SETS]))


def make_facets(world: World) -> Unit:
    cases = [_make_case(_EVENTS, {**window, "facets": _FACETS, "limit": 0}) for window in list_windows(world)]
    return Unit(name="4 facets", shown="facets", cases=tuple(cases))


def make_calendar(world: World) -> Unit:
    """Make calendars from 100 dates on: of all events, of a category, for an age."""
    words, cases = world.snapshot.vocabulary.categories, []
    for number in range(SETS):
        window = _window(world.today + timedelta(days=number // 3 - 8), 31)
        category, age = words[number // 3 % len(words)], number // 3 % 13
        filters: Params = ({}, {"category": category}, {"age": age})[number % 3]
        cases.append(_make_case(f"{_EVENTS}/calendar", {**window, **filters}))
    return Unit(name="31-day calendar", shown="days", cases=tuple(cases))


# Words whose stems and typos mean the same to both; what each finds is compared before anything is timed.
_WORDS = (
    "lantern", "puppet", "drum", "robot", "gym", "rug", "hay", "maze", "cider", "rhymes", "binoculars", "coffee",
    "mats", "galleries", "race", "hall",
)  # fmt: skip
_PLACES = ("kite", "tide", "harbor", "maple", "tinker", "neighbors", "museum", "library", "loft", "farm")


def make_search(world: World) -> Unit:
    """One word, two, a phrase, one left out, a name's number."""
    random, cases = Random(4), []
    windows = list(list_windows(world, widths=(30,)))
    for number in range(SETS):
        word, place, first = random.choice(_WORDS), random.choice(_PLACES), random.randrange(60)
        text = (
            word,
            f"{word} {place}",
            f"{word} -{place}",
            f'"bring water" {word}',
            f"{word} {place} {random.randrange(100, 5000)}",
        )[number % 5]
        cases.append(_make_case(_EVENTS, {**windows[first], "q": text}))
    return Unit(name="q in a list", shown="items", cases=tuple(cases))


def make_nearby(world: World) -> Unit:
    """Make points that come once each: an answer near a point holds for a minute, in which not all are requested
    again."""
    points = draw_points(world, SETS + _POINTS)
    targets = [f"/v1/{METRO.slug}/nearby?lat={lat}&lng={lng}" for lat, lng in points]
    cases = [Case(outings=target, fastapi=target) for target in targets[:SETS]]
    others = [Case(outings="", fastapi="", fresh=target) for target in targets[SETS:]]
    return Unit(name="nearby", shown="near", cases=(*cases, *others))


def make_not_modified(world: World) -> Unit:
    """The lists again, by readers that have them."""
    targets = [_make_case(_EVENTS, window).outings for window in list_windows(world)]
    cases = tuple(Case(outings=target, fastapi=target) for target in targets)
    return Unit(name="304", shown="items", cases=cases, not_modified=True)
