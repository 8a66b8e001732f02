"""Compare four ways to answer lists of a snapshot. Run as `python -m bench.evaluators`.

All take turns in one run and one process, measured in processor time, which is meaningful on a busy machine too:

- `mapped`: columns that the build mapped;
- `derived`: the same columns, made of the snapshot's Parquet when it is opened, for the build mapped none;
- `views`: DuckDB over the Parquet files where they lie, which reads their metadata with every query;
- `loaded`: DuckDB with the same tables loaded once.

What is printed: how long each takes until it can answer, each list's median, and after how many lists `derived` has
caught up with DuckDB.
"""

import argparse
import gc
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path

from msgspec.structs import replace

from bench.peers.world import World, make_world
from outings.answers.rows.column_tables import COLUMNS
from outings.answers.rows.evaluator import Evaluator, make_evaluator
from outings.answers.rows.filters import Selection, Span, fill_defaults, select_listings
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.routes import LISTS
from outings.contract.values import Value
from outings.release.cache import MappedFile
from tests.answers.sql import engine as engines
from tests.answers.sql.evaluator import SqlEvaluator, open_sql

Ask = Callable[[Evaluator | SqlEvaluator], object]
_FACETS = ("category", "weekday", "price_band", "age_band")


class _LoadingEngine(engines.Engine):
    def open_tables(self, files: Mapping[str, Path]) -> engines.Tables:
        viewed = super().open_tables(files)
        schema = f"loaded_{viewed.schema}"
        cursor = self._connection.cursor()
        cursor.execute(f"CREATE SCHEMA {schema}")
        for name in engines._VIEWS:
            cursor.execute(f"CREATE TABLE {schema}.{name} AS FROM {viewed.schema}.{name} ORDER BY row")
        cursor.close()
        return engines.Tables(self._connection, schema=schema)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.evaluators", description=__doc__.partition("\n")[0])
    parser.add_argument("--listings", type=int, default=100_000)
    parser.add_argument("--turns", type=int, default=30, help="how often each list is asked of each")
    parser.add_argument("--keep", help="a folder for the release, used again by the next run of the same day")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="outings-bench-") as scratch:
        world = make_world(Path(options.keep or scratch), listings=options.listings)
        measure(world, turns=options.turns)


def measure(world: World, *, turns: int) -> None:
    reader = open_snapshot(world.snapshot)
    bare = open_snapshot(replace(world.snapshot, hash="without columns", mapped=_leave_columns(world)))
    openings: dict[str, Callable[[], Evaluator | SqlEvaluator]] = {
        "mapped": lambda: make_evaluator(reader),
        "derived": lambda: make_evaluator(bare),
        "views": lambda: open_sql(bare),
        "loaded": lambda: open_sql(bare, _LoadingEngine()),
    }
    evaluators, opened = dict[str, Evaluator | SqlEvaluator](), dict[str, float]()
    for name, make in openings.items():
        gc.collect()
        began = time.process_time()
        evaluators[name] = make()
        opened[name] = (time.process_time() - began) * 1000
    print(
        f"{len(reader.listings):,} listings; milliseconds of one processor\n\n| | "
        + " | ".join(openings)
        + " |\n|---|"
        + "---|" * 4
    )
    print("| until it can answer | " + " | ".join(f"{value:,.1f}" for value in opened.values()) + " |")
    medians: dict[str, list[float]] = {name: [] for name in openings}
    for title, ask in list_questions(world).items():
        spent = {name: _ask(ask, evaluators, name, turns) for name in openings}
        for name, value in spent.items():
            medians[name].append(value)
        print(f"| {title} | " + " | ".join(f"{value:,.2f}" for value in spent.values()) + " |")
    mean = {name: statistics.mean(median) for name, median in medians.items()}
    for name in ("views", "loaded"):
        lists = (opened["derived"] - opened[name]) / (mean[name] - mean["derived"])
        print(f"\n`derived` has caught up with `{name}` after {max(lists, 0):,.0f} lists.")


def _ask(ask: Ask, evaluators: Mapping[str, Evaluator | SqlEvaluator], name: str, turns: int) -> float:
    ask(evaluators[name])
    times = []
    for _ in range(turns):
        began = time.process_time()
        ask(evaluators[name])
        times.append((time.process_time() - began) * 1000)
    return statistics.median(times)


def list_questions(world: World) -> dict[str, Ask]:
    filtered = _select(world, category=world.snapshot.vocabulary.categories[:1], age=5, free=True)
    window = {"from": world.today, "to": world.today + timedelta(days=30)}
    listed, calendar = _select(world), _select(world, **window)
    text = _select(world, q="swim")
    return {
        "default list": lambda entry: entry.list_rows(listed, Span(limit=51)),
        "page 20": lambda entry: entry.list_rows(listed, Span(limit=51, offset=950)),
        "category, age, free": lambda entry: entry.list_rows(filtered, Span(limit=51)),
        "four facets": lambda entry: entry.count_buckets(listed, _FACETS, is_expanded=False),
        "calendar": lambda entry: entry.count_days(calendar, days=31),
        "q": lambda entry: entry.list_rows(text, Span(limit=51)),
        "size": lambda entry: entry.count_rows(listed),
    }


def _select(world: World, **given: Value) -> Selection:
    filters = fill_defaults(LISTS["event"].defaults, given, today=world.today)
    return select_listings("event", filters, vocabulary=world.snapshot.vocabulary, today=world.today)


def _leave_columns(world: World) -> dict[str, MappedFile]:
    return {name: file for name, file in world.snapshot.mapped.items() if name not in COLUMNS.names}


if __name__ == "__main__":
    main()
