"""Measure how fast search is: its top 20 with counts and filters, beside PostgreSQL, SQLite FTS5 and bare tantivy, in
one run.

`python -m bench.search`: 300 different queries over one metro, half of words that few listings have, half of words that
thousands have, each engine asked the same in turns of fifteen, each query once; then 300 others with `match=auto`. Ours
answers a whole body: passages, filters, and counts of what has all of the words and of what has any. "cached" are the
same answers from memory, by the whole application. PostgreSQL is asked twice: for the same (its passages by
`ts_headline`), and for the ids and one count alone. SQLite gives these too, under the lists' default filters, tantivy
without filters. What processors took has the engine's client in it, and PostgreSQL's own process.

The sample metro has 226 words in its texts: each listing gets 24 more, of 40,000 by Zipf's law, one in its name.
"""

import argparse
import asyncio
import contextlib
import itertools
import random
import sqlite3
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from urllib.parse import quote_plus
from zoneinfo import ZoneInfo

import asyncpg
import msgspec
import numpy as np
import polars as pl
import tantivy

from bench.measuring import read_with
from bench.paths import RequestSender, run_edge
from bench.peers.cluster import find_programs, run_cluster
from bench.peers.world import MADE, METRO, World, make_world, read_listings, read_texts
from bench.servers import OUTINGS
from command.sample_cities import write_world
from outings.answers.derived import derive_tables
from outings.answers.routes import answer
from outings.answers.search.understanding.words import read_english
from outings.answers.snapshot.areas import open_areas
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.errors import ApiError
from outings.contract.query import Entitlement, parse_query
from outings.contract.routes import match_route
from outings.contract.text import split_words
from outings.contract.vocabulary import STATUSES, TYPES, Vocabulary
from pipeline.tables.terms import TermIndexWriter

_QUERIES = 300
_SHOWN = 20
_TURN = 15
_SEED = 20
# What a search may say of its levels.
_MATCHES = ("", "match=auto")
_PATH = f"/v1/{METRO.slug}/search"
# Listings that have a word: few enough to be rare, enough to be common, of a metro of 100,000.
RARE, COMMON = (20, 200), (2_000, 20_000)
_INDEX = ("words", "word_shortenings", "places", "postings", "posting_ends", "ranks", "repeats", "heads", "venues")
_DAYS = 30
_VOCABULARY, _ADDED = 40_000, 24
_HOSTILE = (
    "a" * 200,
    "\u202e\u05e9\u05dc\u05d5\u05dd " * 20,
    "🎈" * 50,
    "'; DROP TABLE listings; --",
    "(a+)+$ " * 20,
    " " * 199 + "x",
    "x y z " * 33,
)

Ask = Callable[[str], None]
# Row, id, whether a default search shows it, type, text, and the members that a result shows.
Row = tuple[int, str, int, int, str, str, str, str | None]


class SearchEngine(msgspec.Struct, frozen=True):
    """`read_cpu`: seconds of processors that it has taken until now. `is_cached`: it has answered each query before."""

    ask: Ask
    read_cpu: Callable[[], float] = time.process_time
    is_cached: bool = False


class _Results(msgspec.Struct):
    slug: str
    name: str
    description: str | None = None


def main(arguments: Sequence[str] | None = None) -> None:
    options = read_arguments(arguments)
    with contextlib.ExitStack() as running:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="outings-bench-search-")))
        world = make_wordy_world(options.keep or folder / "world", listings=options.listings)
        print_index(world)
        rows = list_rows(world)
        theirs: dict[str, SearchEngine] = {}
        if (programs := find_programs()) is not None:
            theirs = running.enter_context(ask_postgresql(running.enter_context(run_cluster(programs)), rows))
        theirs["SQLite FTS5"] = SearchEngine(ask_sqlite(rows))
        theirs["tantivy, bare"] = SearchEngine(ask_tantivy(rows, folder / "tantivy"))
        words, sender = count_words(world), running.enter_context(run_edge(world))
        for seed, match in enumerate(_MATCHES):
            cached = SearchEngine(ask_cache(sender, match), is_cached=True)
            engines = {"outings": SearchEngine(ask_ours(world, match)), "outings, cached": cached, **theirs}
            for name, (least, most) in (("rare", RARE), ("common", COMMON)):
                share = world_share(words, least, most)
                title = f"{match or 'by default'}, {name} words: {len(share)} of {least:,} to {most:,} listings"
                print_times(title, engines, draw_queries(share, seed=_SEED + seed))
        print_times("hostile", {"outings": SearchEngine(ask_ours(world))}, _HOSTILE)


def read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.search", description=__doc__)
    parser.add_argument("--listings", type=int, default=100_000)
    parser.add_argument("--keep", type=Path, help="where the listings are, or are to be kept")
    return parser.parse_args(arguments)


def make_wordy_world(folder: Path, *, listings: int) -> World:
    config = folder / "outings.toml"
    if not (folder / MADE).exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_world(config, today=datetime.now(ZoneInfo(METRO.timezone)).date(), size=listings, metros=(METRO,))
        for feed in sorted((folder / "data").glob("*.ndjson")):
            add_words(feed)
        done = subprocess.run([*OUTINGS, "build", "-c", str(config)], check=True, capture_output=True)
        (folder / MADE).write_bytes(done.stdout)  # else it is made once more, without these words
    return make_world(folder, listings=listings)


def add_words(feed: Path) -> None:
    draw = random.Random(21)
    made: dict[str, None] = {}
    while len(made) < _VOCABULARY:
        made["".join(draw.choice("bdfgklmnprstvz") + draw.choice("aeiou") for _ in range(draw.randint(2, 5)))] = None
    words, weights = list(made), list(itertools.accumulate(1 / rank for rank in range(1, _VOCABULARY + 1)))
    records = [msgspec.json.decode(line) for line in feed.read_bytes().splitlines()]
    for record in records:
        if record["type"] != "organization":
            name, *rest = draw.choices(words, cum_weights=weights, k=_ADDED)
            record["name"] += f" {name}"
            record["description"] = f"{record.get('description') or ''} {' '.join(rest)}."
    feed.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in records))


def count_words(world: World) -> Mapping[str, int]:
    terms = pl.read_parquet(world.snapshot.tables["terms"].path, columns=["word", "row"])
    counts = terms.group_by("word").agg(pl.col("row").n_unique()).sort("word")
    known = read_english()  # a word that decides nothing is no query of its own, nor is a place
    areas = open_snapshot(world.snapshot).open_index(open_areas).names
    others = known.fillers | known.kinds | known.audience | known.prices | known.times
    others = others.union(*map(split_words, areas))
    return {word: count for word, count in counts.rows() if word.isalpha() and len(word) > 3 and word not in others}


def world_share(words: Mapping[str, int], least: int, most: int) -> list[str]:
    return [word for word, count in words.items() if least <= count <= most]


def draw_queries(words: Sequence[str], *, seed: int, count: int = _QUERIES // 2) -> list[str]:
    """One, two or three of them; the same ones in every run."""
    draw = random.Random(seed)
    drawn: dict[str, None] = {}
    while len(drawn) < count:
        drawn[" ".join(draw.sample(words, draw.randint(1, 3)))] = None
    return list(drawn)


def print_index(world: World) -> None:
    """Print the size of what only search reads of a snapshot, and how long it takes to make beside the whole build of
    one process."""
    sizes = {name: len(world.snapshot.mapped[name]) for name in _INDEX}
    frame = pl.read_parquet(world.snapshot.tables["listings"].path, columns=["row", "keywords", "status"])
    opened = open_snapshot(world.snapshot)
    published = frame.filter(pl.col("status") == STATUSES.index("published")).select("row", "keywords").rows()
    began = time.perf_counter()
    writer = TermIndexWriter({})
    writer.add_documents([(row, opened.read_document(row), keywords) for row, keywords in published])
    terms = writer.make_terms(np.arange(frame.height, dtype=np.uint32))
    tables = {name: pl.read_parquet(file.path) for name, file in world.snapshot.tables.items()}
    dict(derive_tables({**tables, "terms": terms}, today=world.today))
    spent = time.perf_counter() - began
    whole, distinct = sum(sizes.values()) / 1e6, terms["word"].n_unique()
    print(f"index: {whole:.0f} MB of {terms.height:,} words, {distinct:,} different; made in {spent:.1f} s")
    print(", ".join(f"{name} {size / 1e6:.1f}" for name, size in sizes.items()))


def print_times(title: str, engines: Mapping[str, SearchEngine], queries: Sequence[str]) -> None:
    """Time the engines in turns of some queries, so that a busy moment slows all of them and each has warm caches."""
    times: dict[str, list[float]] = {name: [] for name in engines}
    taken = dict.fromkeys(engines, 0.0)
    for engine in engines.values():
        engine.ask(queries[0])
    for turn in (queries[at : at + _TURN] for at in range(0, len(queries), _TURN)):
        for name, engine in engines.items():
            for query in turn if engine.is_cached else ():
                engine.ask(query)
            before = engine.read_cpu()
            for query in turn:
                began = time.perf_counter()
                engine.ask(query)
                times[name].append((time.perf_counter() - began) * 1000)
            taken[name] += (engine.read_cpu() - before) * 1000 / len(queries)
    columns = f"{'median ms':>12}{'p95':>9}{'worst':>9}{'× ours':>9}{'CPU, mean ms':>15}{'× ours':>9}"
    print(f"\n{title}; {len(queries)} queries\n{'':18}{columns}")
    ours, least = statistics.median(times["outings"]), taken["outings"]
    for name, spent in times.items():
        spent.sort()
        median, cpu = statistics.median(spent), taken[name]
        slow = f"{spent[int(len(spent) * 0.95)]:9.2f}{spent[-1]:9.2f}"
        print(f"{name:18}{median:12.2f}{slow}{median / ours:9.1f}{cpu:15.3f}{cpu / least:9.2f}")


def ask_ours(world: World, match: str = "") -> Ask:
    route = match_route(_PATH)
    assert route is not None

    def ask(q: str) -> None:
        query = parse_query(route, write_parameters(q, match).encode(), vocabulary=Vocabulary())
        made = answer(query, release=world.release, dates={METRO.slug: world.today}, entitlement=Entitlement())
        b"".join(made.parts)

    def ask_any(q: str) -> None:
        with contextlib.suppress(ApiError):
            ask(q)

    return ask_any


def ask_cache(sender: RequestSender, match: str) -> Ask:
    loop = asyncio.new_event_loop()

    def ask(q: str) -> None:
        loop.run_until_complete(sender.ask(f"{_PATH}?{write_parameters(q, match)}"))

    return ask


def write_parameters(q: str, match: str) -> str:
    return f"q={quote_plus(q)}" + (f"&{match}" if match else "")


def list_rows(world: World) -> list[Row]:
    last = world.today + timedelta(days=_DAYS)
    is_event = pl.col("type") == TYPES.index("event")
    in_window = (pl.col("first_on") <= last) & (pl.col("last_on") >= world.today)
    frame = read_listings(world).select(
        "row",
        "id",
        shown=(pl.col("is_listed") & (~is_event | in_window)).fill_null(value=False).cast(pl.Int32),
        type="type",
    )
    opened, decode = open_snapshot(world.snapshot), msgspec.json.Decoder(_Results).decode
    shown = [decode(opened.read_document(row)) for row in frame["row"].to_list()]
    return (
        frame.with_columns(
            slug=pl.Series([entry.slug for entry in shown]),
            name=pl.Series([entry.name for entry in shown]),
            description=pl.Series([entry.description for entry in shown]),
        )
        .join(read_texts(world), on="row")
        .select("row", "id", "shown", "type", "text", "slug", "name", "description")
        .rows()
    )


def ask_sqlite(rows: Sequence[Row]) -> Ask:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE listings (row INTEGER PRIMARY KEY, id TEXT, shown INTEGER, type INTEGER)")
    connection.executemany("INSERT INTO listings VALUES (?, ?, ?, ?)", (row[:4] for row in rows))
    connection.execute("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize = 'porter unicode61')")
    connection.executemany("INSERT INTO texts (rowid, text) VALUES (?, ?)", ((row[0], row[4]) for row in rows))
    statement = """SELECT id, count(*) OVER () FROM texts JOIN listings ON listings.row = texts.rowid
        WHERE texts MATCH ? AND shown = 1 ORDER BY rank, id LIMIT ?"""

    def ask(q: str) -> None:
        match = " ".join(f'"{word}"' for word in q.split())
        connection.execute(statement, (match, _SHOWN)).fetchall()

    return ask


def ask_tantivy(rows: Sequence[Row], folder: Path) -> Ask:
    folder.mkdir(parents=True)
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw")
    builder.add_text_field("text", tokenizer_name="en_stem")
    index = tantivy.Index(builder.build(), path=str(folder))
    writer = index.writer(num_threads=1)
    for row in rows:
        writer.add_document(tantivy.Document(id=row[1], text=row[4]))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def ask(q: str) -> None:
        query, _ = index.parse_query_lenient(q, ["text"], conjunction_by_default=True)
        results = searcher.search(query, limit=_SHOWN, count=True)
        for _, address in results.hits:
            searcher.doc(address)

    return ask


@contextlib.contextmanager
def ask_postgresql(dsn: str, rows: Sequence[Row]) -> Iterator[dict[str, SearchEngine]]:
    """For the same as ours, and for ids and a count. One connection that stays open, its statements prepared."""
    loop = asyncio.new_event_loop()
    connection = loop.run_until_complete(_load_postgresql(dsn, rows))
    same, ids = (loop.run_until_complete(connection.prepare(value)) for value in (_SAME, _IDS))
    read_cpu = partial(read_with, loop.run_until_complete(connection.fetchval("SELECT pg_backend_pid()")))
    asks: dict[str, Ask] = {
        "PostgreSQL": lambda q: loop.run_until_complete(_fetch(same, q, " | ".join(q.split()))),
        "PostgreSQL, ids": lambda q: loop.run_until_complete(_fetch(ids, q)),
    }
    try:
        yield {name: SearchEngine(ask, read_cpu) for name, ask in asks.items()}
    finally:
        loop.run_until_complete(connection.close())
        loop.close()


_IDS = f"""SELECT id, count(*) OVER () FROM listings, websearch_to_tsquery('english', $1) AS query
    WHERE words @@ query AND shown = 1 ORDER BY ts_rank(words, query) DESC, id LIMIT {_SHOWN}"""
# `ts_rank` only of what is shown, passages only of the page.
_SAME = f"""WITH
    found AS MATERIALIZED (
        SELECT row, id, words @@ whole AS has_all, CASE WHEN words @@ whole THEN ts_rank(words, whole) END AS rank
        FROM listings, websearch_to_tsquery('english', $1) AS whole, to_tsquery('english', $2) AS part
        WHERE words @@ part AND shown = 1),
    counts AS (SELECT count(*) FILTER (WHERE has_all) AS all_terms, count(*) AS any_term FROM found),
    page AS (SELECT row, rank FROM found WHERE has_all ORDER BY rank DESC, id LIMIT {_SHOWN})
    SELECT type, id, slug, name, rank, all_terms, any_term,
        ts_headline('english', coalesce(description, name), whole, 'MaxWords=30, MinWords=20, StartSel="", StopSel=""')
    FROM counts, websearch_to_tsquery('english', $1) AS whole, page JOIN listings USING (row) ORDER BY rank DESC, id"""


async def _fetch(statement: asyncpg.prepared_stmt.PreparedStatement, *values: str) -> None:
    await statement.fetch(*values)


async def _load_postgresql(dsn: str, rows: Sequence[Row]) -> asyncpg.Connection:
    connection = await asyncpg.connect(dsn)
    await connection.execute(
        """CREATE TABLE listings (row integer PRIMARY KEY, id text, shown integer, type integer, text text, slug text,
        name text, description text, words tsvector GENERATED ALWAYS AS (to_tsvector('english', text)) STORED)"""
    )
    columns = ("row", "id", "shown", "type", "text", "slug", "name", "description")
    await connection.copy_records_to_table("listings", records=rows, columns=columns)
    await connection.execute("CREATE INDEX ON listings USING gin (words)")
    await connection.execute("VACUUM ANALYZE listings")
    return connection


if __name__ == "__main__":
    main()
