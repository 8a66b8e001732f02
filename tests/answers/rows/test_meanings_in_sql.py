"""Each filter says what its meaning in SQL says, which is written here by hand from the contract, over the listings'
documents: nothing of the program compiled it or made its tables."""

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

import duckdb
import polars as pl
import pytest

from outings.answers.rows.filters import NAMES
from outings.contract.routes import LISTS
from outings.release.snapshot import Release
from tests.answers.asking import fetch
from tests.answers.generated import make_world
from tests.answers.worlds import COLLECTIONS, World, open_release

ZIPS = {"98101": (40.01, -74.01), "98102": (40.05, -73.95)}
WINDOW = {"from": "2026-08-01", "to": "2026-08-31"}
EVERY = {"audience": "all", "min_confidence": "0", "limit": "200"}

# What happens, as the contract has it: a section without a term, ages or a price has its class's, a session its camp's.
SLOTS = """
CREATE VIEW event_slot AS SELECT o.id, o.local, o.ends, l.has_time,
    strftime(o.local, '%A').lower() AS weekday, l.start_time AS clock FROM occurrence o JOIN event l USING (id);
CREATE VIEW class_slot AS
    SELECT l.id, s.schedule.days AS days, s.schedule.start_time AS clock,
        CASE WHEN s.term.starts_on IS NULL AND s.term.ends_on IS NULL THEN l.term ELSE s.term END AS term,
        CASE WHEN s.ages.min IS NULL AND s.ages.max IS NULL THEN l.ages.min ELSE s.ages.min END AS age_min,
        CASE WHEN s.ages.min IS NULL AND s.ages.max IS NULL THEN l.ages.max ELSE s.ages.max END AS age_max,
        CASE WHEN s.tuition.amount IS NULL THEN l.price.min ELSE s.tuition.amount END AS price,
        CASE WHEN s.tuition.amount IS NULL THEN l.price.is_free ELSE s.tuition.amount = 0 END AS is_free,
        coalesce(s.registration.has_spots_available, s.registration.spots_remaining > 0) AS has_seats
    FROM class l, unnest(l.sections) AS u(s)
    UNION ALL BY NAME SELECT id, schedule.days AS days, schedule.start_time AS clock, term, ages.min AS age_min,
        ages.max AS age_max, price.min AS price, price.is_free AS is_free,
        coalesce(registration.has_spots_available, registration.spots_remaining > 0) AS has_seats
    FROM class WHERE len(sections) = 0;
CREATE VIEW camp_slot AS
    SELECT l.id, s.starts_on, s.ends_on, s.days, s.start_time AS clock,
        coalesce(s.is_overnight, l.is_overnight) AS is_overnight,
        CASE WHEN s.ages.min IS NULL AND s.ages.max IS NULL THEN l.ages.min ELSE s.ages.min END AS age_min,
        CASE WHEN s.ages.min IS NULL AND s.ages.max IS NULL THEN l.ages.max ELSE s.ages.max END AS age_max,
        CASE WHEN s.price.min IS NULL AND s.price.is_free IS NULL AND s.price.currency IS NULL
            THEN l.price.min ELSE s.price.min END AS price,
        CASE WHEN s.price.min IS NULL AND s.price.is_free IS NULL AND s.price.currency IS NULL
            THEN l.price.is_free ELSE s.price.is_free END AS is_free
    FROM camp l, unnest(l.sessions) AS u(s)
    UNION ALL BY NAME SELECT id, [] AS days, is_overnight, ages.min AS age_min, ages.max AS age_max,
        price.min AS price, price.is_free AS is_free
    FROM camp WHERE len(sessions) = 0;
"""

# Of a slot: when it is in the window.
IN_WINDOW = {
    "event": "s.local::DATE BETWEEN '{from}' AND '{to}'",
    "class": "(s.term.ends_on IS NULL OR s.term.ends_on >= '{from}') AND (s.term.starts_on IS NULL"
    " OR s.term.starts_on <= '{to}')",
    "camp": "(s.ends_on >= '{from}' AND s.starts_on <= '{to}')"
    " OR NOT EXISTS (FROM camp_slot other WHERE other.id = l.id AND other.starts_on IS NOT NULL)",
    "place": "true",
}


class Meaning(NamedTuple):
    """`sent`: the filter's value, and what else has to be sent. `listing` is over `l`, `slot` over one slot `s`."""

    types: str
    sent: dict[str, str]
    listing: str = "true"
    slot: str = "true"


def one_of(path: str, *words: str) -> str:
    return " OR ".join(f"list_contains({path}, '{word}')" for word in words)


ALL = "event class camp place"
DATED = "event class camp"
POINT = {"lat": "40.0", "lng": "-74.0", "radius_m": "5000"}
# The great circle on a sphere of the earth's mean radius, by the haversine.
METRES = """2 * 6371008.8 * asin(sqrt(pow(sin(radians({lat} - 40.0) / 2), 2)
    + cos(radians(40.0)) * cos(radians({lat})) * pow(sin(radians({lng} + 74.0) / 2), 2)))"""
NEAR = METRES.format(lat="l.location.lat", lng="l.location.lng") + " <= 5000"

MEANINGS: dict[str, list[Meaning]] = {
    "from": [Meaning(DATED, {"from": "2026-08-20"})],
    "to": [Meaning(DATED, {"to": "2026-08-12"})],
    "meets": [
        Meaning("class", {"meets": "true"}, slot="""
            (s.term.starts_on >= '{from}' AND s.term.ends_on <= '{to}') OR EXISTS (
                FROM range(DATE '{from}', DATE '{to}' + 1, INTERVAL 1 DAY) d(day) WHERE
                list_contains(s.days, lower(dayname(d.day)))
                AND (s.term.starts_on IS NULL OR s.term.starts_on::DATE <= d.day)
                AND (s.term.ends_on IS NULL OR s.term.ends_on::DATE >= d.day))"""),
        Meaning("camp", {"meets": "true"}, slot="s.ends_on >= '{from}' AND s.starts_on <= '{to}'"),
    ],
    "weekday": [
        Meaning("event", {"weekday": "saturday,sunday"}, slot="s.weekday IN ('saturday', 'sunday')"),
        Meaning("class camp", {"weekday": "saturday,sunday"}, slot=one_of("s.days", "saturday", "sunday")),
    ],
    "start_after": [Meaning(DATED, {"start_after": "10:30"}, slot="s.clock >= '10:30:00'")],
    "start_before": [Meaning(DATED, {"start_before": "12:00"}, slot="s.clock < '12:00:00'")],
    "ends_after": [Meaning("event", {"ends_after": "2026-08-20T12:00"}, slot="""CASE WHEN s.has_time
        THEN coalesce(s.ends, s.local) > '2026-08-20 12:00:00'
        ELSE s.local::DATE >= '2026-08-20' OR s.ends > '2026-08-20' END""")],
    "has_time": [
        Meaning("event", {"has_time": "true"}, "l.has_time"), Meaning("event", {"has_time": "false"}, "NOT l.has_time"),
    ],
    "recurring": [Meaning("event", {"recurring": "true"}, "l.is_recurring")],
    "season": [Meaning(DATED, {"season": "fall,winter"}, one_of("l.traits.seasons", "fall", "winter"))],
    "schedule_day": [Meaning("class", {"schedule_day": "tuesday"}, slot=one_of("s.days", "tuesday"))],
    "starts_from": [Meaning("class", {"starts_from": "2026-08-05"}, slot="s.term.starts_on >= '2026-08-05'")],
    "starts_to": [Meaning("class", {"starts_to": "2026-08-05"}, slot="s.term.starts_on <= '2026-08-05'")],
    "year": [Meaning("camp", {"year": "2027"}, "l.year = 2027")],
    "overnight": [
        Meaning("camp", {"overnight": "true"}, slot="s.is_overnight"),
        Meaning("camp", {"overnight": "false"}, slot="NOT s.is_overnight"),
    ],
    "min_confidence": [Meaning(ALL, {"min_confidence": "0.7"}, "l.confidence >= 0.7")],
    "category": [Meaning(ALL, {"category": "arts_creative,storytime_books"},
                         one_of("l.categories", "arts_creative", "storytime_books"))],
    "audience": [
        Meaning(ALL, {"audience": "kids,families"}, "l.audience IN ('kids', 'families')"),
        Meaning(ALL, {"audience": "not_adults"}, "l.audience <> 'adults'"),
    ],
    "occasion": [Meaning("event class", {"occasion": "halloween"}, one_of("l.occasions", "halloween"))],
    "team": [Meaning("event", {"team": "kraken"}, one_of("l.teams", "kraken"))],
    "age_min": [
        Meaning("event place", {"age_min": "4"}, "coalesce(l.ages.max >= 4, true)"),
        Meaning("class camp", {"age_min": "4"}, slot="coalesce(s.age_max >= 4, true)"),
    ],
    "age_max": [
        Meaning("event place", {"age_max": "8"}, "coalesce(l.ages.min <= 8, true)"),
        Meaning("event place", {"age_min": "4", "age_max": "8"},
                "coalesce(l.ages.min <= 8, true) AND coalesce(l.ages.max >= 4, true)"),
        Meaning("class camp", {"age_min": "4", "age_max": "8"},
                slot="coalesce(s.age_min <= 8, true) AND coalesce(s.age_max >= 4, true)"),
    ],
    "age": [
        Meaning("event place", {"age": "4"}, "coalesce(l.ages.min <= 4, true) AND coalesce(l.ages.max >= 4, true)"),
        Meaning("class camp", {"age": "4"}, slot="coalesce(s.age_min <= 4, true) AND coalesce(s.age_max >= 4, true)"),
    ],
    "free": [
        Meaning("event", {"free": "false"}, "NOT l.price.is_free"), Meaning("class camp", {"free": "true"},
                                                                           slot="s.is_free"),
    ],
    "max_price": [
        Meaning("event", {"max_price": "12.5"}, "l.price.is_free OR l.price.min <= 12.5"),
        Meaning("class camp", {"max_price": "12.5"}, slot="s.is_free OR s.price <= 12.5"),
    ],
    "enrollment_type": [Meaning("class", {"enrollment_type": "drop_in,unknown"},
                                "l.program.enrollment_type IN ('drop_in', 'unknown')")],
    "openings": [
        Meaning("class", {"openings": "true"}, slot="s.has_seats"),
        Meaning("class", {"openings": "false"}, slot="NOT s.has_seats"),
    ],
    "indoor": [Meaning("event class place", {"indoor": "true"}, "l.is_indoor")],
    "outdoor": [Meaning("event class place", {"outdoor": "false"}, "NOT l.is_outdoor")],
    "sensory": [Meaning("event class place", {"sensory": "true"}, "l.is_sensory_friendly")],
    "good_for_rainy": [Meaning("event class place", {"good_for_rainy": "true"}, "l.good_for_rainy")],
    # Monday from 09:00 to 10:59.
    "open_at": [Meaning("place", {"open_at": "2026-08-10T10:00"},
                        "l.hours.monday IN ('09:00-17:00', '08:00-11:30, 14:00-18:00')")],
    "type_hint": [Meaning("place", {"type_hint": "museum,pool"}, "l.type_hint IN ('museum', 'pool')")],
    "has_birthday_parties": [Meaning("place", {"has_birthday_parties": "true"}, "l.birthday_parties.available")],
    "has_classes": [Meaning("place", {"has_classes": "false"}, "NOT l.classes.available")],
    "ids": [Meaning(ALL, {"ids": "{ids}"}, "list_contains(string_split('{ids}', ','), l.id)")],
    "q": [Meaning(ALL, {"q": "swim -lunch"}, """(contains(lower(l.name), 'swim')
        OR contains(lower(l.description), 'swim')) AND NOT contains(lower(coalesce(l.description, '')), 'lunch')""")],
    "changed_since": [Meaning(ALL, {"changed_since": "2026-07-02T08:00:00Z"}, "l.updated_at > '2026-07-02T08:00:00Z'")],
    "neighborhood": [Meaning(ALL, {"neighborhood": "ST MARKS"}, "l.location.neighborhood = 'St. Mark''s'")],
    "lat": [Meaning(ALL, POINT, NEAR)],
    "lng": [Meaning(ALL, POINT, NEAR)],
    "radius_m": [Meaning(ALL, POINT, NEAR)],
    "zip": [Meaning(ALL, {"zip": "98101"}, "l.location.zip = '98101'")],
    "near_zip": [Meaning(ALL, {"near_zip": "98101", "radius_m": "4000"}, METRES.replace("- 40.0", "- 40.01").replace(
        "radians(40.0)", "radians(40.01)").replace("+ 74.0", "+ 74.01").format(
            lat="l.location.lat", lng="l.location.lng") + " <= 4000")],
    "include_approximate": [Meaning(ALL, {**POINT, "include_approximate": "true"}, f"""{NEAR} OR (l.location.lat IS NULL
        AND l.location.zip = '98101' AND {METRES.format(lat="40.01", lng="-74.01")} <= 5000)""")],
    "place_id": [Meaning(DATED, {"place_id": "{place}"}, "l.place.id = '{place}'")],
    "organization_id": [Meaning(ALL, {"organization_id": "{organization}"}, "l.organization.id = '{organization}'")],
    "occurrences": [Meaning("event", {"occurrences": "expand"})],
}  # fmt: skip
# Judged elsewhere: in Python, over the same documents (tests/edge/test_where.py).
ELSEWHERE = {"where"}


class Judge(NamedTuple):
    release: Release
    world: World
    database: duckdb.DuckDBPyConnection
    values: dict[str, str]


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judge]:
    world, random = make_world(Random(91), size=320), Random(17)
    world.zips = ZIPS
    for listing in world.listings:
        listing["location"]["zip"] = random.choice([None, *ZIPS])
    database = duckdb.connect()
    for kind in COLLECTIONS:
        own = [{name: value for name, value in listing.items() if name != "links"} for listing in world.listings
               if listing["type"] == kind]  # fmt: skip
        database.register(f"given_{kind}", pl.DataFrame(own, infer_schema_length=None).to_arrow())
        database.execute(f"CREATE TABLE {kind} AS FROM given_{kind}")
    dates = [
        {"id": row_id, "local": local, "ends": local + world.lasts[row_id] if row_id in world.lasts else None}
        for row_id, locals_ in world.dates.items() for local in locals_
    ]  # fmt: skip
    database.register("given", pl.DataFrame(dates, infer_schema_length=None).to_arrow())
    database.execute("CREATE TABLE occurrence AS FROM given")
    database.execute(SLOTS)
    values = {
        "ids": ",".join(listing["id"] for listing in world.listings[:60]),
        "place": next(listing["place"]["id"] for listing in world.listings if listing.get("place")),
        "organization": next(filter(None, (listing["organization"]["id"] for listing in world.listings))),
    }
    yield Judge(open_release([world], tmp_path_factory.mktemp("meanings")), world, database, values)
    database.close()


def test_every_filter_of_a_list_has_a_meaning_for_each_type_that_takes_it() -> None:
    taken = {(name, kind) for kind, route in LISTS.items() for name in NAMES if name in route.parameters}
    stated = {
        (name, kind) for name, meanings in MEANINGS.items() for meaning in meanings for kind in meaning.types.split()
    }
    assert {pair for pair in taken ^ stated if pair[0] not in ELSEWHERE} == set(), "state its meaning in MEANINGS"


CASES = [
    (name, kind, meaning)
    for name, meanings in MEANINGS.items()
    for meaning in meanings
    for kind in meaning.types.split()
]


@pytest.mark.parametrize(("name", "kind", "meaning"), CASES, ids=lambda it: it if isinstance(it, str) else "")
def test_a_filter_keeps_what_its_meaning_in_sql_keeps(judge: Judge, name: str, kind: str, meaning: Meaning) -> None:
    sent = {name: value.format_map(judge.values) for name, value in meaning.sent.items()}
    params = {**EVERY, **({} if kind == "place" else WINDOW), **sent}
    if kind == "class":
        params["expand"] = "sessions"  # every class, not one of each program
    slots = f" AND EXISTS (FROM {kind}_slot s WHERE s.id = l.id AND ({IN_WINDOW[kind]}) AND ({meaning.slot}))"
    if name == "ids":  # whatever its dates
        params = sent
    if kind == "place" or name == "ids":
        slots = ""
    values = WINDOW | judge.values | {name: text for name, text in sent.items() if name in WINDOW}
    query = f"SELECT l.id FROM {kind} l WHERE l.status = 'published' AND ({meaning.listing}){slots}"
    expected = {row_id for (row_id,) in judge.database.execute(query.format_map(values)).fetchall()}
    got = fetch(judge.release, f"/v1/harbor/{COLLECTIONS[kind]}", params)
    assert not got["meta"]["has_more"]
    assert {item["id"] for item in got["data"]} == expected
    assert expected, "no listing of the world meets it"
