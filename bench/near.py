"""Measure how fast listings near a point are found: `nearby`, `around` and `activity`, `nearby` beside PostgreSQL.

`python -m bench.near`: 300 different points of one metro, half of them where listings are, half anywhere in its bounds;
every engine is asked the same in turns, each point once a route, so that no cache of answers helps. Ours answers whole
bodies with all filters, cards, what is hidden, percentiles. PostgreSQL holds what the default filters show, dealt into
cards, with its items ready as text, the point as a `cube` under GiST (as `earthdistance` has it), and is asked for the
nearest by GiST's order.

`--listings 100000 1000000` asks ours at both in the same run: how much the time grows.
"""

import argparse
import asyncio
import contextlib
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import asyncpg
import msgspec
import numpy as np

from bench.measuring import read_with
from bench.peers.cluster import find_programs, run_cluster
from bench.peers.world import METRO, World, make_world
from outings.answers.near.index import NearIndex, read_now
from outings.answers.near.items import list_items, open_parts
from outings.answers.near.nearest import find_matches
from outings.answers.routes import answer
from outings.answers.rows.evaluator import open_evaluator
from outings.answers.rows.filters import CollectionScope, query_collections
from outings.answers.snapshot.distance import find_chord, make_unit_vector
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.query import Entitlement, parse_query
from outings.contract.routes import match_route
from outings.contract.vocabulary import COLLECTIONS, TYPES, Vocabulary
from outings.release.mapped_table import NEVER

_POINTS = 300
_ROUTES = ("nearby", "activity", "around")
RADIUS_M = 5_000
_NEARBY = 50
_COMPARED, _WARMING = 50, 3
# How far from a listing a point of the first half lies at most, in degrees.
_STEP = 0.01

Point = tuple[float, float]
# What was read for a point, by the bytes or texts that a reader would get.
Ask = Callable[[Point], Sequence[bytes | str]]


class NearEngine(msgspec.Struct, frozen=True):
    """`read_cpu`: seconds of a processor that it has taken until now, in this process and in its own."""

    ask: Ask
    read_cpu: Callable[[], float] = time.process_time


class _Id(msgspec.Struct):
    id: str


class _List(msgspec.Struct):
    data: list[_Id]


def main(arguments: Sequence[str] | None = None) -> None:
    filters = read_arguments(arguments)
    with contextlib.ExitStack() as running:
        folder = filters.keep or Path(running.enter_context(tempfile.TemporaryDirectory(prefix="outings-bench-near-")))
        worlds = {size: make_world(folder / str(size), listings=size) for size in filters.listings}
        first = worlds[filters.listings[0]]
        points = draw_points(first, filters.points)
        print(f"{len(points)} points, {', '.join(f'{size:,}' for size in worlds)} listings")
        theirs: dict[str, NearEngine] = {}
        programs = find_programs()
        if programs is not None and not filters.only_ours:
            engine = running.enter_context(ask_postgresql(running.enter_context(run_cluster(programs)), first))
            compare_nearby(engine.ask, ask_ours(first, "nearby"), points[:_COMPARED])
            theirs["PostgreSQL, GiST"] = engine
        for route in _ROUTES:
            engines = {f"outings, {size:,}": NearEngine(ask_ours(world, route)) for size, world in worlds.items()}
            print_times(route, engines | (theirs if route == "nearby" else {}), points)


def read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.near", description=__doc__)
    parser.add_argument("--listings", type=int, nargs="+", default=[100_000], help="PostgreSQL holds the first")
    parser.add_argument("--points", type=int, default=_POINTS)
    parser.add_argument("--keep", type=Path, help="where the worlds are, or are to be kept for the same day")
    parser.add_argument("--only-ours", action="store_true")
    return parser.parse_args(arguments)


def draw_points(world: World, count: int) -> list[Point]:
    draw = random.Random(8)
    x, y, z = open_snapshot(world.snapshot).rows.vectors
    rows = np.flatnonzero(~np.isnan(x))
    bounds = world.snapshot.metro.bounds
    points = []
    for number in range(count):
        if number % 2:
            lat, lng = draw.uniform(bounds.south, bounds.north), draw.uniform(bounds.west, bounds.east)
        else:
            row = rows[draw.randrange(rows.size)]
            lat = float(np.degrees(np.arcsin(z[row]))) + draw.uniform(-_STEP, _STEP)
            lng = float(np.degrees(np.arctan2(y[row], x[row]))) + draw.uniform(-_STEP, _STEP)
        points.append((round(lat, 6), round(lng, 6)))
    return points


def print_times(title: str, engines: Mapping[str, NearEngine], points: Sequence[Point]) -> None:
    """Time the programs in turns, so that a busy moment slows all of them. What a processor took says more on a machine
    that others use."""
    times: dict[str, list[float]] = {name: [] for name in engines}
    taken = dict.fromkeys(engines, 0.0)
    for engine in engines.values():
        for point in points[:_WARMING]:
            engine.ask(point)
    for point in points:
        for name, engine in engines.items():
            began, before = time.perf_counter(), engine.read_cpu()
            engine.ask(point)
            times[name].append((time.perf_counter() - began) * 1000)
            taken[name] += (engine.read_cpu() - before) * 1000 / len(points)
    print(f"\n{title:22}{'median ms':>10}{'p95':>9}{'worst':>9}{'× first':>9}{'CPU, mean ms':>15}{'× first':>9}")
    first, least = statistics.median(next(iter(times.values()))), next(iter(taken.values()))
    for name, spent in times.items():
        spent.sort()
        median, cpu = statistics.median(spent), taken[name]
        slow = f"{spent[int(len(spent) * 0.95)]:9.2f}{spent[-1]:9.2f}"
        print(f"{name:22}{median:10.2f}{slow}{median / first:9.2f}{cpu:15.2f}{cpu / least:9.2f}")


def compare_nearby(theirs: Ask, ours: Ask, points: Sequence[Point]) -> None:
    """SystemExit where the engines do not find the same. Programs differ: theirs are dealt once, over all of the metro,
    ours in each circle, so that one whose card lies outside has another inside."""
    shared = whole = 0
    for point in points:
        ids = {item.id for item in msgspec.json.decode(b"".join(map(_encode, ours(point))), type=_List).data}
        known = {msgspec.json.decode(item, type=_Id).id for item in theirs(point)[:_NEARBY]}
        shared, whole = shared + len(ids & known), whole + len(ids | known)
    print(f"nearby: {shared} of {whole} items of {len(points)} points are the same")
    if shared < 0.9 * whole:
        raise SystemExit("the engines do not find the same")


def _encode(part: bytes | str) -> bytes:
    return part.encode() if isinstance(part, str) else part


def ask_ours(world: World, route: str) -> Ask:
    match = match_route(f"/v1/{METRO.slug}/{route}")
    assert match is not None
    minute = datetime.now(UTC).replace(second=0, microsecond=0)
    dates = dict.fromkeys(world.release.metros, world.today)

    def ask(point: Point) -> Sequence[bytes]:
        query = parse_query(match, f"lat={point[0]}&lng={point[1]}".encode(), vocabulary=Vocabulary())
        made = answer(query, release=world.release, dates=dates, entitlement=Entitlement(), minute=minute)
        return [b"".join(made.parts)]

    return ask


_TABLE = "row integer, id uuid, spot {spot}, item text"
_SCHEMA = f"""CREATE EXTENSION cube;
    CREATE TEMPORARY TABLE loaded ({_TABLE.format(spot="text")});
    CREATE TABLE near ({_TABLE.format(spot="cube")}) WITH (toast_tuple_target = 8160);
    ALTER TABLE near ALTER COLUMN item SET STORAGE EXTERNAL"""
_COLUMNS = ("row", "id", "spot", "item")
_FILLING = (
    "INSERT INTO near SELECT row, id, spot::cube, item FROM loaded ORDER BY row", "DROP TABLE loaded",
    "CREATE INDEX ON near USING gist (spot)", "VACUUM (FREEZE, ANALYZE) near",
)  # fmt: skip
# Without the box, a point with few around it would have the whole index read.
NEARBY = f"""SELECT item, floor(2 * 6371008.8 * asin(least((spot <-> $1::text::cube) / 2, 1)) + 0.5) FROM near
    WHERE cube_enlarge($1::text::cube, $2, 3) @> spot AND spot <-> $1::text::cube <= $2
    ORDER BY spot <-> $1::text::cube LIMIT {_NEARBY + 1}"""


@contextlib.contextmanager
def ask_postgresql(dsn: str, world: World) -> Iterator[NearEngine]:
    """Query PostgreSQL for the nearest items, by a prepared statement on one open connection."""
    loop = asyncio.new_event_loop()
    connection = loop.run_until_complete(asyncpg.connect(dsn))
    loop.run_until_complete(load_near(connection, world))
    prepared = loop.run_until_complete(connection.prepare(NEARBY))
    chord = find_chord(RADIUS_M)

    async def fetch(point: Point) -> "list[asyncpg.Record]":
        rows: list[asyncpg.Record] = await prepared.fetch(write_cube(make_unit_vector(*point)), chord)
        return rows

    def ask(point: Point) -> Sequence[str]:
        return [row[0] for row in loop.run_until_complete(fetch(point))]

    try:
        process = loop.run_until_complete(connection.fetchval("SELECT pg_backend_pid()"))
        yield NearEngine(ask, partial(read_with, process))
    finally:
        loop.run_until_complete(connection.close())
        loop.close()


def write_cube(point: Sequence[float]) -> str:
    return f"({', '.join(map(repr, point))})"


async def load_near(connection: "asyncpg.Connection[asyncpg.Record]", world: World) -> None:
    """Fill the table `near`, with its index."""
    await connection.execute(_SCHEMA)
    await connection.copy_records_to_table("loaded", records=list_rows(world), columns=_COLUMNS)
    for statement in _FILLING:
        await connection.execute(statement)


def list_rows(world: World) -> Iterator[tuple[object, ...]]:
    """List the rows that a default request shows now of the whole metro, one of each program."""
    opened = open_snapshot(world.snapshot)
    index, now = opened.open_index(NearIndex), read_now(datetime.now(UTC), METRO.timezone)
    scope = CollectionScope(route="nearby", today=now.date, vocabulary=world.snapshot.vocabulary, is_now=True)
    collections, _ = query_collections((), tuple(COLLECTIONS), scope)
    rows = open_evaluator(opened).fold_rows(find_matches(collections, opened), start=now.date)
    rows = rows[~np.isnan(index.vectors[0][rows])]
    windows = {name: collection.window for name, collection in collections.items()}
    begins = index.list_starts(rows, index.find_starts(rows, windows=windows, now=now))
    items = list_items(opened.open_index(open_parts), rows, metres=[0] * rows.size, starts=begins)
    codes = index.types[rows].tolist()
    for row, listing_type, (local, _), item in zip(rows.tolist(), codes, begins, items, strict=True):
        if TYPES[listing_type] == "event" and local == NEVER:
            continue  # it has begun
        point = write_cube([float(vector[row]) for vector in index.vectors])
        yield row, msgspec.json.decode(item, type=_Id).id, point, item.decode()


if __name__ == "__main__":
    main()
