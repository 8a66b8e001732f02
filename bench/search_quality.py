"""Measure how good the order of search is: judged queries over the two cities, beside what others would search with.

`python -m bench.search_quality`, with CITY_DATA: tests/judged/README.md says what is asked and what is counted. Of the
halves that are only scored no query is printed.
"""

import argparse
import contextlib
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.testclient import TestClient

from bench.browser import open_browser
from bench.engines import Engine, open_postgresql, open_sqlite
from bench.peers.cluster import find_programs, run_cluster
from bench.search_quality_kinds import print_halves, print_kinds, read_halves
from edge.app import Edge
from outings.release.folder import FolderStore
from tests.judged.judging import JudgedQuery, read_judged
from tests.judged.listings import City, grade_results, read_cities
from tests.judged.measures import Measures, QueryGrades, measure_all, measure_ndcg

_GOAL = 0.9
_COLUMNS = ("nDCG@10", "÷ ceiling", "recall@10", "recall@50", "nothing found", "beside", "unjudged@10")
_DAY = "2026-08-10"
# The halves whose queries may be seen.
_PRINTED = ("working", "second working")
# Ours, by the levels that are shown.
_OURS = {"outings": "", "  auto": "auto", "  partial too": "all_terms,related,partial"}
# Engine's name → its grades, query by query.
Results = Mapping[str, Sequence[QueryGrades]]


def main(arguments: Sequence[str] | None = None) -> None:
    options = read_arguments(arguments)
    if not os.environ.get("CITY_DATA"):
        print("CITY_DATA is not set: the judged queries are asked of the two cities' exports, which it names.")
        return
    with contextlib.ExitStack() as running:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="outings-bench-search-")))
        client = running.enter_context(open_edge(folder))
        judged = read_judged()
        cities = read_cities(lambda path: follow_list(client, path), {entry.metro: entry.begin for entry in judged})
        if options.explain:
            parents = read_halves()
            known = [*judged, *(parent for half in _PRINTED for parent in parents[half])]
            explain(client, next(entry for entry in known if entry.q == options.explain), cities)
            return
        parents = read_halves()
        everything = [*judged, *(parent for half in parents.values() for parent in half)]
        engines = [open_browser(folder / "two-cities/var/store", everything), *list_engines(cities, running)]
        results = grade_all(client, engines, judged, cities)
        print_table(results)
        halves = {half: grade_all(client, engines, queries, cities) for half, queries in parents.items()}
        print_halves(halves)
        for engine in filter(results.__contains__, _OURS):
            print_kinds(halves, parents, engine=engine)
        if options.queries:
            print_queries(results, judged)
            for half in _PRINTED:
                print_queries(halves[half], parents[half])


def read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.search_quality", description=__doc__)
    parser.add_argument("--queries", action="store_true", help="nDCG@10 of every query but those only scored")
    parser.add_argument("--explain", help="one of the judged queries: what `auto` finds for it, and what it misses")
    return parser.parse_args(arguments)


@contextlib.contextmanager
def open_edge(folder: Path) -> Iterator[TestClient]:
    """The example of two cities, built as of the judged day and served inside this process."""
    # It reads CITY_DATA when it is imported.
    from tests.examples.cities import copy_example, read_printed

    example = copy_example(folder / "two-cities")
    read_printed("build", "--as-of", _DAY, example=example)
    key = read_printed("keys", "create", "--plan", "partner", "--per-minute", "1000000000", example=example)["key"]
    noon = datetime.fromisoformat(f"{_DAY}T16:00").replace(tzinfo=UTC)
    edge = Edge(FolderStore(example / "var" / "store"), cache=folder / "cache", clock=lambda: noon)
    with TestClient(edge, headers={"X-API-Key": key}) as client:
        yield client


def follow_list(client: TestClient, path: str) -> list[Any]:
    """Return the items of all pages."""
    items: list[Any] = []
    cursor: str | None = ""
    while cursor is not None:
        body = read_body(client, f"{path}&cursor={cursor}" if cursor else path)
        items += body["data"]
        cursor = body["meta"]["next_cursor"]
    return items


def read_body(client: TestClient, path: str) -> dict[str, Any]:
    response = client.get(path)
    if response.status_code != 200:
        raise SystemExit(f"{path} answered {response.status_code}: {response.text[:300]}")
    body: dict[str, Any] = response.json()
    return body


def list_engines(cities: Mapping[str, City], running: contextlib.ExitStack) -> list[Engine]:
    texts = {metro: city.texts for metro, city in cities.items()}
    engines = open_sqlite(texts)
    programs = find_programs()
    if programs is None:
        print("PostgreSQL is not installed (no initdb): it is left out.")
        return engines
    return [*open_postgresql(running.enter_context(run_cluster(programs)), texts), *engines]


def grade_all(
    client: TestClient, engines: Sequence[Engine], judged: Sequence[JudgedQuery], cities: Mapping[str, City]
) -> Results:
    """Ours first, where it is there."""
    perfect = {"the ceiling": grade_perfect(judged, cities)}
    return {**grade_ours(client, judged, cities), **grade_engines(engines, judged, cities), **perfect}


def grade_engines(engines: Sequence[Engine], judged: Sequence[JudgedQuery], cities: Mapping[str, City]) -> Results:
    return {
        engine.name: [
            grade_results(entry, engine.search(entry.metro, entry.q), cities[entry.metro]) for entry in judged
        ]
        for engine in engines
    }


def grade_ours(client: TestClient, judged: Sequence[JudgedQuery], cities: Mapping[str, City]) -> Results:
    if client.get(judged[0].path).status_code == 501:
        print("Search is not implemented: ours is left out.")
        return {}
    return {
        name: [
            grade_results(entry, find_ids(client, write_path(entry, match)), cities[entry.metro]) for entry in judged
        ]
        for name, match in _OURS.items()
    }


def write_path(judged: JudgedQuery, match: str) -> str:
    """Write the path with the levels to show, or without `match` if there are none."""
    return f"{judged.path}&match={quote(match)}" if match else judged.path


def find_ids(client: TestClient, path: str) -> list[str]:
    """Return the ids found, or None if no word of the query decides: a reader sees nothing, whatever the status."""
    response = client.get(path)
    if response.status_code == 400 and response.json()["error"]["details"].get("reason") == "nothing_searchable":
        return []
    return [item["id"] for item in response.json()["data"]]


def grade_perfect(judged: Sequence[JudgedQuery], cities: Mapping[str, City]) -> list[QueryGrades]:
    """Grade the results of an engine that knows the grades."""
    made: list[QueryGrades] = []
    for entry in judged:
        graded = grade_results(entry, (), cities[entry.metro])
        grades = sorted((grade for grade in graded.shown if grade), reverse=True)
        made.append(QueryGrades(grades, graded.exported, graded.shown, graded.expects_nothing))
    return made


def print_table(results: Results) -> None:
    ceiling = measure_all(results["the ceiling"])
    print(f"{'':22}" + "".join(f"{column:>15}" for column in _COLUMNS))
    for name, graded in results.items():
        print_row(name, measure_all(graded), ceiling)
    print(f"Goal: {_GOAL} of the ceiling. Beside: of the queries with nothing to find, those that found something.")
    print("Unjudged: of the first ten results those that nobody graded. They count as 0.")


def print_row(name: str, measured: Measures, ceiling: Measures) -> None:
    print(
        f"{name:22}{measured.ndcg:15.3f}{measured.ndcg / ceiling.ndcg:15.3f}{measured.recall_10:15.3f}"
        f"{measured.recall_50:15.3f}{measured.without_results:15.1%}{measured.unwanted_results:15}"
        f"{measured.unjudged:15.1f}"
    )


def print_queries(results: Results, judged: Sequence[JudgedQuery]) -> None:
    """A row a query, the first engine's worst first; of one with nothing to find, how much was found."""
    rows = [
        (entry, [measure_ndcg(graded[number].grades, graded[number].exported) for graded in results.values()])
        for number, entry in enumerate(judged)
        if entry.nothing is None
    ]
    print("\n" + ", ".join(name.strip() for name in results))
    for entry, values in sorted(rows, key=lambda row: row[1][0]):
        print(f"{entry.metro:9} {entry.q:34}" + "".join(f"{value:6.2f}" for value in values))
    for number, entry in enumerate(judged):
        if entry.nothing is not None:
            counts = [len(graded[number].grades) for graded in results.values()]
            print(f"{entry.metro:9} {entry.q:34}" + "".join(f"{count:6}" for count in counts))


def explain(client: TestClient, judged: JudgedQuery, cities: Mapping[str, City]) -> None:
    city = cities[judged.metro]
    path = write_path(judged, "auto")
    meta = (body := read_body(client, path))["meta"]
    print(path, meta["match_counts"], meta["interpreted"], meta["relaxed"])
    for item in body["data"][:20]:
        identity = city.identities[item["id"]]
        print(f"  {judged.grade(identity)}  {item['match']:10}{item['score']:6.3f}  {identity}")
    ids = {city.identities[item["id"]] for item in body["data"]}
    for identity in sorted(set(city.shown) - ids, key=judged.grade, reverse=True):
        if judged.grade(identity):
            print(f"  {judged.grade(identity)}  not in the first 50  {identity}")


if __name__ == "__main__":
    main()
