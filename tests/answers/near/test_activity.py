"""`activity` by an oracle: components, score, the percentile among the metro's points, a sentence that is true."""

import re
from datetime import date, datetime, timedelta
from random import Random

import pytest

from outings.contract.query import Entitlement
from outings.release.snapshot import Release
from tests.answers.asking import fetch, make_noon
from tests.answers.generated import CENTER, make_world
from tests.answers.near.nearing import make_around_request, make_minute, set_registrations
from tests.answers.near.oracle import COLLECTIONS, judge_activity, list_near, list_nearby, measure, read_kinds
from tests.answers.reference import list_items
from tests.answers.worlds import STAMP, TODAY, World, open_release

PATH = "/v1/harbor/activity"
HERE = {"lat": str(CENTER[0]), "lng": str(CENTER[1])}
# As `open_world` says.
SOUTH, NORTH, WEST, EAST = 39.0, 41.0, -75.0, -73.0


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> tuple[World, Release]:
    random = Random(10)
    world = make_world(random, size=250)
    set_registrations(world, random)
    return world, open_release([world], tmp_path_factory.mktemp("activity"))


def make_activity_request(random: Random) -> dict[str, str]:
    return {key: value for key, value in make_around_request(random).items() if key not in ("ages", "free")}


def test_activity_equals_the_oracles(harbor: tuple[World, Release], cases: int) -> None:
    world, release = harbor
    for seed in range(cases * 2):
        random = Random(seed)
        request, minute = make_activity_request(random), make_minute(random)
        data = fetch(release, PATH, request, minute=minute)["data"]
        kinds = read_kinds(request)
        near = [value for kind in kinds for value in list_near(world, kind, request, minute)]
        scored, components = judge_activity(near, kinds)
        assert data["score"] == scored / 1000, (seed, request)
        shown = {
            component["name"]: (component["value"], component["score"], component["weight"])
            for component in data["components"]
        }
        expected = {name: (value, own / 1000, weight / 1000) for name, (value, own, weight) in components.items()}
        assert [*shown] == [*expected]
        for name, (value, *others) in expected.items():
            assert shown[name] == (pytest.approx(value, abs=0.00051), *others)
        counts = {name: sum(item["type"] == kind for item in near) for kind, name in COLLECTIONS.items()}
        assert data["counts"] == counts
        assert data["suggested_radius_m"] == suggest_radius(world, request, minute)


def suggest_radius(world: World, request: dict[str, str], minute: datetime) -> int:
    """The least round one with 20 listings."""
    metres = [value for value, _ in list_nearby(world, {**request, "radius_m": "50000"}, minute)]
    steps = [500, 1000, 2000, 5000, 10000, 20000, 50000]
    return next((step for step in steps if len(metres) >= 20 and metres[19] <= step), 50000)


def test_the_sentence_is_true_of_its_own_numbers(harbor: tuple[World, Release], cases: int) -> None:
    _, release = harbor
    for seed in range(cases):
        request = make_activity_request(Random(seed))
        body = fetch(release, PATH, request)
        data, summary = body["data"], body["data"]["summary"]
        stated = {
            name.rstrip("es"): int(count) for count, name in re.findall(r"(\d+) (event|class|camp|place)", summary)
        }
        real = {kind: data["counts"][name] for kind, name in COLLECTIONS.items()}
        assert stated == {kind.rstrip("es"): count for kind, count in real.items() if count}
        assert f"within {data['radius_m']:,} metres" in summary
        assert summary.startswith("Nothing") == (not any(real.values()))
        window = body["meta"]["window"]
        if window["to"] is not None:
            assert str(date.fromisoformat(window["to"]).year) in summary
        assert summary.endswith(".")
        assert summary.count(".") == 1


def test_nouns_are_singular_or_plural_by_their_count(harbor: tuple[World, Release]) -> None:
    world, release = harbor
    place = next(item for item in list_items(world, "place", {}, today=TODAY) if item["location"]["lat"])
    here = {name: str(place["location"][name]) for name in ("lat", "lng")}
    summary = fetch(release, PATH, {**here, "radius_m": "100", "types": "places"})["data"]["summary"]
    assert summary == "1 place within 100 metres."


@pytest.mark.parametrize(
    ("days", "shown"),
    [
        ((-40, -10), (-40, -10)),
        ((-40, 0), (0, 0)),
        ((-40, 10), (0, 10)),
        ((0, 0), (0, 0)),
        ((3, 10), (3, 10)),
    ],
)
def test_the_sentence_names_the_dates_from_today_on_or_those_of_a_window_that_is_over(
    harbor: tuple[World, Release], days: tuple[int, int], shown: tuple[int, int]
) -> None:
    _, release = harbor
    from_, to = (TODAY + timedelta(days=number) for number in days)
    window = {"from": from_.isoformat(), "to": to.isoformat()}
    summary = fetch(release, PATH, {"lat": "0", "lng": "0", **window})["data"]["summary"]
    first, last = (f"{day.day} {day:%B} {day.year}" for day in (TODAY + timedelta(days=number) for number in shown))
    assert summary == f"Nothing within 5,000 metres from {first} to {last}."


def list_points() -> list[dict[str, str]]:
    """List 20 × 20 points over the metro."""
    steps = [(number + 0.5) / 20 for number in range(20)]
    return [
        {"lat": str(SOUTH + (NORTH - SOUTH) * row), "lng": str(WEST + (EAST - WEST) * column)}
        for row in steps
        for column in steps
    ]


def test_the_percentile_ranks_a_point_among_those_of_the_metro(tmp_path_factory: pytest.TempPathFactory) -> None:
    random = Random(12)
    world = make_world(random, size=300)
    for listing in world.listings:
        if listing["location"]["lat"] is not None:
            listing["location"] |= {"lat": random.uniform(39.4, 40.6), "lng": random.uniform(-74.6, -73.4)}
    release = open_release([world], tmp_path_factory.mktemp("percentile"))
    built = STAMP.date()
    window = {"from": built.isoformat(), "to": (built + timedelta(days=30)).isoformat()}
    for kinds in (["event", "class", "camp", "place"], ["event"]):
        types = {"types": ",".join(COLLECTIONS[kind] for kind in kinds)}
        listed = [value for kind in kinds for value in list_default(world, kind, window, built)]
        scores = [judge_point(world, listed, point, kinds, window, built) for point in list_points()]
        others = [score for score in scores if score is not None]
        assert len(others) > 5
        for point in [HERE, *random.sample(list_points(), 3)]:
            own = judge_point(world, listed, point, kinds, window, built) or 0
            expected = 100 * sum(other < own for other in others) // len(others)
            # Neither the request's window nor its radius moves it.
            for more in ({}, {"radius_m": "50000", "from": "2026-08-20"}):
                data = fetch(release, PATH, {**point, **types, **more})["data"]
                assert data["percentile"] == expected


def list_default(world: World, kind: str, window: dict[str, str], built: date) -> list[dict[str, object]]:
    """Every class of a program for itself."""
    params = {} if kind == "place" else window
    return list_items(world, kind, {**params, **({"expand": "sessions"} if kind == "class" else {})}, today=built)


def judge_point(
    world: World, listed: list[dict[str, object]], point: dict[str, str], kinds: list[str], window: dict[str, str],
    built: date,
) -> int | None:  # fmt: skip
    """Compute a point's score, or None if nothing is in reach."""
    near = World(timezone=world.timezone, dates=world.dates, programs=world.programs)
    for value in listed:
        location = world.get(str(value["id"]))["location"]
        if location["lat"] is not None and measure(point, location["lat"], location["lng"]) <= 5000:
            near.listings.append(world.get(str(value["id"])))
    if not near.listings:
        return None
    items = [item for kind in kinds for item in list_items(near, kind, {} if kind == "place" else window, today=built)]
    return judge_activity(items, kinds)[0]


def test_a_key_for_events_gets_the_events_alone(harbor: tuple[World, Release]) -> None:
    _, release = harbor
    wide = {**HERE, "radius_m": "50000"}
    body = fetch(release, PATH, wide, entitlement=Entitlement(types=frozenset({"event"})))
    assert body["data"] == fetch(release, PATH, {**wide, "types": "events"})["data"]
    counts = body["data"]["counts"]
    assert counts["events"] > 0
    assert (counts["classes"], counts["camps"], counts["places"]) == (0, 0, 0)
    assert [component["name"] for component in body["data"]["components"]] == ["events", "variety", "free_share"]
    assert "class" not in body["data"]["summary"]


def test_a_body_has_the_declared_members(harbor: tuple[World, Release]) -> None:
    _, release = harbor
    body = fetch(release, PATH, HERE, minute=make_noon(TODAY))
    assert [*body["data"]] == [
        "location", "radius_m", "score", "percentile", "summary", "components", "suggested_radius_m", "counts"
    ]  # fmt: skip
    assert body["data"]["radius_m"] == 5000
    assert body["meta"]["generated_at"] == "2026-08-10T16:00:00Z"
