"""A made-up city and its judged queries (portland/queries.toml): `python -m tests.judged.new_city [--queries]` builds
the city and prints nDCG@10 of `match=auto` by kind of query; of Valladolid's agenda, too."""

import csv
import json
import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from starlette.testclient import TestClient

from edge.app import Edge
from outings.release.folder import FolderStore
from tests.judged.measures import measure_ndcg
from tests.new_cities.exporting import EXPORTS, draft, run

FOLDER = Path(__file__).parent / "portland"
NOON = datetime(2026, 12, 2, 15, tzinfo=UTC)  # 10:00 in the city
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_CONFIGURATION = """
[store]
url = "file:var/store"
[[metros]]
slug = "portland"
name = "Portland"
timezone = "America/New_York"
center = { lat = 43.66, lng = -70.26 }
bounds = { south = 43.5, west = -70.5, north = 43.8, east = -70.1 }
[[feeds]]
name = "city"
metro = "portland"
format = "ndjson"
url = "city.ndjson"
"""


def open_city(folder: Path) -> TestClient:
    lines = (json.dumps(record) for record in list_records())
    (folder / "city.ndjson").write_text("\n".join(lines), "utf-8")
    (folder / "outings.toml").write_text(_CONFIGURATION, "utf-8")
    return _serve(folder, NOON)


def open_valladolid(folder: Path) -> TestClient:
    draft("valladolid-agenda.csv", folder)
    return _serve(folder, datetime(2026, 11, 30, 9, tzinfo=UTC))


def read_valladolid() -> dict[str, str]:
    """Return the numbers of the agenda by name."""
    with (EXPORTS / "valladolid-agenda.csv").open(encoding="latin-1", newline="") as file:
        return {row["TÍTULO"]: row["ID-EVENTO"] for row in csv.DictReader(file, delimiter=";")}


def _serve(folder: Path, now: datetime) -> TestClient:
    config = str(folder / "outings.toml")
    built = run("build", "--as-of", f"{now:%F}", "--workers", "1", "--json", "-c", config)
    assert built.exit_code == 0, built.output
    key = json.loads(run("keys", "create", "--plan", "standard", "--json", "-c", config).stdout)["key"]
    edge = Edge(FolderStore(folder / "var/store"), cache=folder / "cache", clock=lambda: now)
    return TestClient(edge, headers={"X-API-Key": key})


def list_records() -> Iterator[dict[str, Any]]:
    """The city's feed, from its table: `when` is days, dates and hours, for a place the days on which it is open."""
    with (FOLDER / "listings.csv").open(encoding="utf-8") as file:
        yield from map(_make_record, csv.DictReader(file))


def _make_record(row: Mapping[str, str]) -> dict[str, Any]:
    words = row["when"].split()
    begin, _, end = words[-1 if row["type"] != "class" else -2].partition("-") if len(words) > 1 else ("", "", "")
    low, _, high = row["ages"].partition("-")
    more = row["more"]
    facts = {"in": {"is_indoor": True, "is_outdoor": False}, "out": {"is_indoor": False, "is_outdoor": True}}
    record: dict[str, Any] = {
        "type": row["type"], "source_id": row["id"], "name": row["name"],
        "description": re.sub("^[a-z_]+(; |$)| (in|out|full)$", "", more),
        "location": {"neighborhood": row["at"], "address": "Portland, ME"},
        "ages": {"min": int(low) if low else None, "max": int(high) if high else None},
        **facts.get(more.split()[-1] if more else "", {}),
    }  # fmt: skip
    if row["type"] == "place":
        record["type_hint"] = more.partition(";")[0]
        if words:
            first, _, last = words[0].partition("-")
            span = range(*(next(n for n, day in enumerate(_DAYS) if day.startswith(own)) for own in (first, last)))
            open_days = [*span, span.stop]
            hours = {day: f"{begin}-{end}" if n in open_days else "Closed" for n, day in enumerate(_DAYS)}
            record["hours"] = hours
        return record
    price = float(row["price"]) if row["price"] else None
    record["price"] = {"type": "free" if price == 0 else "fixed", "min": price, "max": price}
    first, _, last = words[0].partition("..")
    if row["type"] == "event":
        if words[0] == "weekly":
            weekday = next(n for n, day in enumerate(_DAYS) if day.startswith(words[1]))
            start = date(2026, 11, 30) + timedelta(weekday)
            record["rrule"] = f"FREQ=WEEKLY;BYDAY={_DAYS[weekday][:2].upper()}"
            first = start.isoformat()
        return record | {"starts_local": f"{first}T{begin}", "ends_local": f"{first}T{end}"}
    if row["type"] == "camp":
        session = {"starts_on": first, "ends_on": last, "start_time": begin, "end_time": end, "days": _DAYS[:5]}
        return record | {"sessions": [session]}
    first, _, last = words[-1].partition("..")
    is_full = more.endswith("full")
    return record | {
        "schedule": {
            "type": "weekly", "start_time": begin, "end_time": end,
            "days": [day for day in _DAYS if day[:3] in words],
        },
        "term": {"starts_on": first, "ends_on": last}, "tuition": {"amount": price},
        "registration": {"status": "full" if is_full else "open", "has_spots_available": not is_full},
    }  # fmt: skip


def read_queries(name: str = "queries.toml") -> Iterator[tuple[str, str, dict[str, int]]]:
    """Yield the kind of each query, the query, and the grades by id."""
    for kind, queries in tomllib.loads((FOLDER / name).read_text("utf-8")).items():
        for q, graded in queries.items():
            yield kind, q, {own: int(grade) for grade, ids in graded.items() for own in ids.split()}


def measure(client: TestClient, queries: str, metro: str, sources: Mapping[str, str]) -> dict[tuple[str, str], float]:
    """nDCG@10 by kind and query. `sources`: what a listing is called in the grades, by its name."""
    measured = {}
    for kind, q, grades in read_queries(queries):
        answer = client.get(f"/v1/{metro}/search", params={"q": q, "match": "auto", "limit": "10"})
        found = [sources[item["name"]] for item in answer.json()["data"]] if answer.status_code == 200 else []
        if grades:
            measured[kind, q] = measure_ndcg([grades.get(name, 0) for name in found], grades.values())
    return measured


def main() -> None:
    sources = {record["name"]: record["source_id"] for record in list_records()}
    with TemporaryDirectory() as folder, open_city(Path(folder)) as client:
        _print(measure(client, "queries.toml", "portland", sources))
    with TemporaryDirectory() as folder, open_valladolid(Path(folder)) as client:
        _print(measure(client, "valladolid.toml", "valladolid", read_valladolid()))


def _print(measured: Mapping[tuple[str, str], float]) -> None:
    kinds = defaultdict(list)
    for (kind, q), value in measured.items():
        kinds[kind].append(value)
        if "--queries" in sys.argv:
            print(f"{value:.2f} {q}")
    for kind, values in kinds.items():
        print(f"{kind:10}{len(values):4}{fmean(values):8.3f}")
    print(f"all       {len(measured):4}{fmean(measured.values()):8.3f}")


if __name__ == "__main__":
    main()
