"""A page of `nearby` that is kept for later minutes is what these would make."""

import json
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from outings.answers.answer import answer
from outings.answers.context import AnswerContext
from outings.answers.cost import LOOK_UP
from outings.answers.routes import make_plan
from outings.contract.entitlement import Entitlement
from outings.contract.errors import ApiError
from outings.release.snapshot import Release, Snapshot
from tests.answers import documents
from tests.answers.asking import ALL, parse
from tests.answers.generated import make_world
from tests.answers.near.nearing import make_request, place_neighborhoods
from tests.answers.worlds import DAYS, TODAY, World, open_release

PATH = "/v1/harbor/nearby"
ZONE = ZoneInfo("America/New_York")
WEEK = 7 * 24 * 60


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Release:
    random = Random(12)
    world = make_world(random, size=700)
    place_neighborhoods(world, random)
    return open_release([world], tmp_path_factory.mktemp("pages"))


def open_anew(release: Release) -> Release:
    """With nothing in memory of what was requested before: without a file that `nearby` does not read it has a reader
    of its own, which goes with it."""
    return replace(release, metros={slug: open_otherwise(each) for slug, each in release.metros.items()})


def open_otherwise(snapshot: Snapshot) -> Snapshot:
    return replace(snapshot, mapped={name: file for name, file in snapshot.mapped.items() if name != "suggestions"})


def list_about(release: Release, minute: datetime, entitlement: Entitlement = ALL) -> dict[str, Any]:
    dates = dict.fromkeys(release.metros, minute.astimezone(ZONE).date())
    return {"dates": dates, "minute": minute, "entitlement": entitlement}


def read(release: Release, params: dict[str, str], minute: datetime, **about: Any) -> tuple[str, bytes]:
    """The tag and the body, or what is wrong with the request."""
    try:
        made = answer(parse(PATH, params), release=release, **list_about(release, minute, **about))
    except ApiError as error:
        return error.code, str(error).encode()
    return made.etag, b"".join(made.parts)


def is_kept(release: Release, params: dict[str, str], minute: datetime) -> bool:
    """A page that is kept is planned to cost no more than a look-up. To plan is to request: the next one is kept."""
    about = AnswerContext(release=release, **list_about(release, minute))
    return make_plan(parse(PATH, params), about).cost == LOOK_UP


def draw_minutes(random: Random, start: datetime) -> list[datetime]:
    """Minutes and hours apart, mostly in order."""
    minutes = [start]
    for _ in range(12):
        minutes.append(minutes[-1] + timedelta(minutes=random.choice([1, 2, 7, 29, 61, 300, 1440, -1, -60])))
    return minutes


def test_an_answer_from_kept_parts_is_one_made_anew(harbor: Release, cases: int) -> None:
    kept = 0
    for seed in range(cases * 4):
        random = Random(seed)
        params = {**make_request(random), "limit": random.choice(["1", "7", "50", "200"])}
        if random.random() < 0.3:
            params["fields"] = random.choice(["name", "starts_at,distance_m"])
        entitlement = random.choice([ALL, ALL, Entitlement(types=frozenset({"event", "place"}))])
        begin = datetime(TODAY.year, TODAY.month, TODAY.day, 4, tzinfo=UTC) + timedelta(minutes=random.randrange(WEEK))
        for minute in draw_minutes(random, begin):
            anew = read(open_anew(harbor), params, minute, entitlement=entitlement)
            assert read(harbor, params, minute, entitlement=entitlement) == anew, (seed, params, minute)
            kept += is_kept(harbor, params, minute + timedelta(minutes=1)) if anew[0].startswith("W/") else 0
    assert kept > cases


HERE = {"lat": "40", "lng": "-74", "min_confidence": "0", "audience": "all"}
SPOT = documents.make_location(lat=40.01, lng=-74.0)
# The night on which the clock is set back from 2:00 to 1:00.
AUTUMN = date(2026, 11, 1)


def make_release(folder: Path, day: date, clock: str) -> Release:
    """An event, a class and a camp that begin at one time, and what states none."""
    number = map(documents.make_uuid, range(1, 20))
    about = {"location": SPOT, "confidence": 1.0}
    term = documents.make_term(starts_on=(day - timedelta(days=7)).isoformat())
    slots = {"days": [DAYS[day.weekday()]], "start_time": clock}
    days = ((day + timedelta(days=late)).isoformat() for late in (0, 3))
    sessions = [documents.make_session(next(number), starts_on=on, ends_on=on, start_time=clock) for on in days]
    event = documents.make_event(next(number), **about, has_date=True, has_time=True, start_time=clock)
    dateless = documents.make_event(next(number), **about, has_date=True, starts_local=f"{day}T00:00:00")
    listings = [
        event, dateless, documents.make_place(next(number), **about),
        documents.make_class(next(number), **about, term=term, schedule=documents.make_schedule(**slots)),
        documents.make_class(next(number), **about, term=term, schedule=documents.make_schedule(days=slots["days"])),
        documents.make_camp(next(number), **about, sessions=sessions),
    ]  # fmt: skip
    begin = datetime.combine(day, time.fromisoformat(clock))
    dates = {event["id"]: [begin], dateless["id"]: [datetime.combine(day, time())]}
    return open_release([World(listings=listings, dates=dates)], folder)


def read_clock(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZONE).astimezone(UTC)


def list_starts(release: Release, minute: datetime) -> list[str | None]:
    return [each["starts_local"] for each in json.loads(read(release, HERE, minute)[1])["data"]]


def test_a_page_stays_until_something_on_it_begins(tmp_path: Path) -> None:
    release = make_release(tmp_path, TODAY, "18:00:00")
    assert not is_kept(release, HERE, read_clock("2026-08-10T09:00"))
    starts = list_starts(release, read_clock("2026-08-10T09:00"))
    assert starts.count("2026-08-10T18:00:00") == 3
    for now in ("09:01", "17:59", "18:00"):
        assert is_kept(release, HERE, read_clock(f"2026-08-10T{now}"))
        assert list_starts(release, read_clock(f"2026-08-10T{now}")) == starts
    # Not before it was made, and not by another minute's ETag.
    assert not is_kept(release, HERE, read_clock("2026-08-10T08:59"))
    tags = {read(release, HERE, read_clock(f"2026-08-10T09:0{late}"))[0] for late in range(3)}
    assert len(tags) == 3
    assert not is_kept(release, HERE, read_clock("2026-08-10T18:01"))
    later = list_starts(release, read_clock("2026-08-10T18:01"))
    assert (len(later), later.count("2026-08-10T18:00:00")) == (len(starts) - 1, 0)
    # What states no time is shown all day, and no longer.
    assert is_kept(release, HERE, read_clock("2026-08-10T23:59"))
    assert not is_kept(release, HERE, read_clock("2026-08-11T00:00"))


def test_what_is_requested_once_is_not_kept(tmp_path: Path) -> None:
    release = make_release(tmp_path, TODAY, "18:00:00")
    read(release, HERE, read_clock("2026-08-10T09:00"))
    assert not is_kept(release, HERE, read_clock("2026-08-10T09:01"))


def test_what_one_clock_tells_twice_begins_twice(tmp_path: Path) -> None:
    release = make_release(tmp_path, AUTUMN, "01:30:00")
    midnight = datetime(2026, 11, 1, 4, tzinfo=UTC)
    for late in range(0, 240, 5):
        minute = midnight + timedelta(minutes=late)
        assert read(release, HERE, minute) == read(open_anew(release), HERE, minute), minute


def test_the_next_row_and_what_is_hidden_end_a_page_too(tmp_path: Path) -> None:
    hidden, shown = documents.make_location(neighborhood="Pier", neighborhood_slug="pier"), SPOT
    for number, location in enumerate((hidden, shown)):
        first = documents.make_place(documents.make_uuid(1), location=documents.make_location(lat=40.0, lng=-74.0))
        event = documents.make_event(documents.make_uuid(2), location=location, has_date=True, has_time=True)
        world = World(listings=[first, event], neighborhoods=[documents.make_neighborhood("pier", "Pier")])
        world.dates[event["id"]] = documents.read_dates("2026-08-10T10:00:00")
        release = open_release([world], tmp_path / str(number))
        params, bodies = {**HERE, "limit": "1"}, []
        for clock in ("09:00", "09:01", "09:02", "10:00", "10:01"):
            minute = read_clock(f"2026-08-10T{clock}")
            assert is_kept(release, params, minute) == (clock in ("09:01", "09:02", "10:00"))
            bodies.append(json.loads(read(release, params, minute)[1])["meta"])
        counts = [(each["has_more"], each["coverage"]["hidden_nearby"]) for each in bodies]
        assert counts == [(number == 1, 1 - number)] * 4 + [(False, 0)]


def test_a_walk_goes_on_from_a_page_that_was_kept(harbor: Release) -> None:
    params = {**HERE, "radius_m": "50000", "limit": "20"}
    morning = read_clock("2026-08-10T05:00")
    pages = []
    for late in (0, 1):
        minute = morning + timedelta(minutes=late)
        first = json.loads(read(harbor, params, minute)[1])
        walk = {**params, "cursor": first["meta"]["next_cursor"]}
        then = json.loads(read(harbor, walk, minute + timedelta(hours=9))[1])
        assert then["meta"]["generated_at"] == first["meta"]["generated_at"] == f"2026-08-10T09:0{late}:00Z"
        pages.append([*first["data"], *then["data"]])
    assert pages[0] == pages[1]
