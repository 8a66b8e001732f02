"""`outings query`: an operator's SELECT counts what the lists show, and reaches nothing else."""

import csv
import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner, Result

from command import main
from command.options import open_config_store, read_config
from command.sample_cities import write_world
from outings.contract.expression_columns import LISTING_COLUMNS, OCCURRENCE_COLUMNS
from outings.contract.vocabulary import COLLECTIONS, Vocabulary
from outings.release.pointer import list_releases
from outings.release.snapshot import Release, open_release
from tests.answers.asking import fetch, follow_cursor
from tests.command.selects import write_select

pytestmark = pytest.mark.xdist_group("query")  # one worker builds the metros

DAY = date(2026, 8, 10)
METROS = ("new-york", "seattle")
PAGE = Path(__file__).parents[2] / "docs/query.md"

Query = Callable[..., Result]


@pytest.fixture(scope="session")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two metros of 400 listings, published once; read-only."""
    path = write_world(tmp_path_factory.mktemp("world") / "outings.toml", today=DAY, size=400)
    words = ["build", "-c", str(path), "--workers", "1", "--as-of", DAY.isoformat(), "--json"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.stderr
    return path


@pytest.fixture(scope="session")
def release(config: Path) -> Release:
    configuration = read_config(config)
    store = open_config_store(configuration)
    return open_release(store, next(list_releases(store)), cache=configuration.edge.cache)


@pytest.fixture
def query(config: Path) -> Query:
    def call(select: str, *words: str, given: str = "") -> Result:
        fixed = ["query", select, "-c", str(config), "--date", DAY.isoformat()]
        return CliRunner().invoke(main, [*fixed, *words], input=given)

    return call


def read_rows(result: Result) -> list[dict[str, Any]]:
    assert result.exit_code == 0, result.stderr
    rows: list[dict[str, Any]] = json.loads(result.stdout)["rows"]
    return rows


def choose_filters(random: Random, kind: str, release: Release, metro: str) -> dict[str, str]:
    words = Vocabulary()
    flag, start = random.choice(["true", "false"]), DAY + timedelta(days=random.randint(-5, 40))
    wishes: list[dict[str, str]] = [
        {"min_confidence": random.choice(["0", "0.6", "0.8"])}, {"audience": random.choice(["all", "kids,families"])},
        {"category": ",".join(random.sample(words.categories, 4))}, {"age": str(random.randint(0, 15))},
        {"neighborhood": random.choice(fetch(release, f"/v1/{metro}/neighborhoods", today=DAY)["data"])["slug"]},
        {"organization_id": random.choice(fetch(release, f"/v1/{metro}/organizations", today=DAY)["data"])["id"]},
    ]  # fmt: skip
    if kind != "place":
        wishes += [
            {"from": start.isoformat(), "to": (start + timedelta(days=random.randint(0, 20))).isoformat()},
            {"from": start.isoformat()}, {"weekday": "saturday,sunday"}, {"free": flag}, {"max_price": "25"},
            {"start_after": "10:00"}, {"start_before": "12:00"}, {"season": "summer,fall"},
        ]  # fmt: skip
    wishes += {
        "event": [{"recurring": flag}, {"has_time": flag}, {"outdoor": flag}, {"occasion": "halloween"}],
        "class": [{"enrollment_type": "drop_in,registration"}, {"openings": flag}, {"indoor": flag}],
        "camp": [{"overnight": flag}],
        "place": [{"type_hint": "park,library,museum"}],
    }[kind]  # fmt: skip
    return {name: value for wish in random.sample(wishes, random.randint(0, 3)) for name, value in wish.items()}


@pytest.mark.long
def test_a_query_counts_what_the_api_counts_over_random_filters(query: Query, release: Release) -> None:
    random, totals = Random(22), []
    for number in range(32):
        kind, metro = list(COLLECTIONS)[number % 4], METROS[number // 4 % 2]
        params = choose_filters(random, kind, release, metro)
        facets = {"facets": "category", "limit": "0"}
        counted = fetch(release, f"/v1/{metro}/{COLLECTIONS[kind]}", {**params, **facets}, today=DAY)["facets"]
        [row] = read_rows(query(write_select(metro, kind, params, today=DAY), "--json"))
        assert row["total"] == counted["total"], (metro, kind, params)
        totals.append(row["total"])
    assert len([total for total in totals if total > 0]) > 15


@pytest.mark.long
@pytest.mark.parametrize("kind", COLLECTIONS)
def test_positions_number_the_list_without_parameters(query: Query, release: Release, kind: str) -> None:
    select = f"SELECT id FROM {COLLECTIONS[kind]} WHERE metro = 'seattle' AND position IS NOT NULL ORDER BY position"
    pages = follow_cursor(release, f"/v1/seattle/{COLLECTIONS[kind]}", {}, today=DAY)
    listed = [item["id"] for page in pages for item in page]
    assert len(listed) > 10
    assert [row["id"] for row in read_rows(query(select, "--json"))] == listed


def test_a_row_says_in_words_what_the_api_says(query: Query, release: Release) -> None:
    event = fetch(release, "/v1/seattle/events", {"limit": "1"}, today=DAY)["data"][0]
    [row] = read_rows(query(f"SELECT * FROM events WHERE id = '{event['id']}'", "--json"))
    for name in ("id", "type", "slug", "name", "audience", "categories", "confidence", "updated_at", "has_time"):
        assert row[name] == event[name], name
    for name in ("metro", "starts_at", "starts_local", "organization", "location", "price", "ages"):
        assert row[name] == event[name], name
    assert row["position"] == 1
    dates = read_rows(query(f"SELECT * FROM occurrences WHERE event_id = '{event['id']}' ORDER BY index", "--json"))
    assert dates[0]["starts_at"] == event["starts_at"]


def test_one_metro_can_be_read_alone(query: Query) -> None:
    assert read_rows(query("SELECT metro FROM metros", "--metro", "seattle", "--json")) == [{"metro": "seattle"}]
    wrong = query("SELECT 1", "--metro", "boston")
    assert wrong.exit_code == 2
    assert "boston" in wrong.stderr
    assert "allowed: new-york, seattle" in wrong.stderr


def test_a_release_that_is_not_kept_is_reported_with_those_that_are(query: Query, release: Release) -> None:
    wrong = query("SELECT 1", "--release", "9-00000000")
    assert wrong.exit_code == 2
    assert release.id in wrong.stderr
    assert read_rows(query("SELECT DISTINCT release FROM metros", "--release", release.id, "--json")) == [
        {"release": release.id}
    ]


def test_without_a_release_the_command_says_so(tmp_path: Path) -> None:
    config = write_world(tmp_path / "outings.toml", today=DAY, size=1)
    done = CliRunner().invoke(main, ["query", "SELECT 1", "-c", str(config)])
    assert (done.exit_code, done.stdout) == (1, "")
    assert "no release has been published yet" in done.stderr


SELECT = "SELECT metro, id, name, categories, location.lat, updated_at, price.is_free FROM events ORDER BY id LIMIT 20"


@pytest.mark.long
def test_the_formats_hold_the_same_rows(query: Query) -> None:
    rows = read_rows(query(SELECT, "--format", "json"))
    assert query(SELECT, "--json").stdout == query(SELECT, "--format", "json").stdout
    read = list(csv.DictReader(io.StringIO(query(SELECT, "--format", "csv").stdout_bytes.decode(), newline="")))
    assert [row["id"] for row in read] == [row["id"] for row in rows]
    assert [row["categories"] for row in read] == [";".join(row["categories"]) for row in rows]
    assert [row["updated_at"] for row in read] == [row["updated_at"] for row in rows]
    assert [float(row["lat"]) if row["lat"] else None for row in read] == [row["lat"] for row in rows]
    frame = pl.read_parquet(io.BytesIO(query(SELECT, "--format", "parquet").stdout_bytes))
    assert frame.drop("updated_at").to_dicts() == [
        {name: value for name, value in row.items() if name != "updated_at"} for row in rows
    ]
    lines = query(SELECT).stdout.splitlines()
    assert len(lines) == 22
    assert lines[0].split() == ["metro", "id", "name", "categories", "lat", "updated_at", "is_free"]
    assert rows[0]["name"] in lines[2]


def test_nothing_that_a_name_holds_steers_the_terminal(query: Query) -> None:
    assert query("SELECT 'a' || chr(27) || '[2J' || chr(10) || 'b' AS name").stdout.splitlines()[2] == "a [2J b"


def test_a_select_may_come_from_standard_input(query: Query) -> None:
    assert query("-", "--format", "csv", given="SELECT 1 AS one").stdout.split() == ["one", "1"]


@pytest.mark.parametrize(
    "select", [
        "DESCRIBE events", "SHOW TABLES", "FROM metros", "SUMMARIZE metros", "FROM (DESCRIBE events)",
        "WITH Own AS (FROM main.Metros) FROM own, (WITH inner_one AS (SELECT 1) FROM inner_one)",
    ],
)  # fmt: skip
def test_what_there_is_can_be_asked_of_the_tables_themselves(query: Query, select: str) -> None:
    done = query(select, "--format", "csv")
    assert done.exit_code == 0, done.stderr
    assert len(done.stdout.splitlines()) > 1


@pytest.mark.long
@pytest.mark.parametrize(
    "select",
    [
        "SELECT * FROM read_csv('{at}/secret.csv')", "SELECT * FROM '{at}/secret.csv'",
        "FROM read_text('{at}/secret.csv')",
        "FROM glob('{at}/*')", "FROM duckdb_settings()", "FROM read_parquet('{at}/*')",
        "COPY (SELECT 1) TO '{at}/out.csv'", "ATTACH '{at}/other.duckdb'", "INSTALL httpfs", "LOAD httpfs",
        "SET enable_external_access = true", "PRAGMA database_list", "CREATE TABLE more AS SELECT 1",
        "SELECT 1; SELECT 2", "DROP VIEW events", "", "SELEC 1", "SELECT nothing FROM events", "FROM rows",
        "FROM duckdb_tables", "FROM information_schema.tables", "FROM pg_catalog.pg_class", "FROM sqlite_master",
        "SHOW ALL TABLES", "SHOW DATABASES", "SHOW TABLES FROM metro_0", "DESCRIBE duckdb_settings",
        "FROM metro_0.listings", "FROM memory.metro_0.listings", "FROM query_table('metro_0.listings')",
        "WITH duckdb_settings AS (FROM duckdb_settings) FROM duckdb_settings", "SELECT current_setting('threads')",
        "SELECT * FROM events WHERE id IN (SELECT id FROM metro_0.listings)",
    ],
)  # fmt: skip
def test_a_query_reaches_nothing_but_the_views(query: Query, tmp_path: Path, select: str) -> None:
    (tmp_path / "secret.csv").write_text("the secret\n")
    done = query(select.format(at=tmp_path))
    assert (done.exit_code, done.stdout) == (2, "")
    assert "the secret" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["secret.csv"]


@pytest.mark.parametrize(
    "select",
    [
        "SELECT length(repeat('x', 3000000000))", "SELECT string_agg(repeat('x', 1000000), '') FROM range(10000)",
        "SELECT list(x) FROM (SELECT range(100000000) AS x FROM range(100))",
    ],
)  # fmt: skip
def test_a_query_that_needs_too_much_memory_ends_and_names_the_option(query: Query, select: str) -> None:
    done = query(select, "--max-memory", "500000000")
    assert done.exit_code == 2
    assert "the query needs more memory than the 500,000,000 bytes of --max-memory" in done.stderr


@pytest.mark.long
def test_a_query_in_one_long_step_ends_all_the_same_and_names_the_option(config: Path) -> None:
    """DuckDB stops between its steps; this one would take an hour."""
    select = "SELECT levenshtein(repeat('a', 1000000), repeat('b', 1000000))"
    words = [sys.executable, "-m", "command", "query", select, "-c", str(config), "--max-seconds", "0.1"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith("Error: the query took longer than the 0.1 seconds of --max-seconds\n")


def test_a_result_may_have_no_rows_one_name_twice_and_numbers_of_any_size(query: Query) -> None:
    assert read_rows(query("SELECT id FROM events WHERE false", "--json")) == []
    assert query("SELECT id FROM events WHERE false").stdout.split() == ["id", "--"]
    done = query("SELECT 1 AS a, 2 AS a, 170141183460469231731687303715884105727 AS big", "--format", "csv")
    assert done.stdout.splitlines()[1] == "1,2,170141183460469231731687303715884105727"


@pytest.mark.parametrize("kind", COLLECTIONS)
def test_columns_have_the_names_and_types_that_expressions_have(query: Query, kind: str) -> None:
    for view, columns in (
        (COLLECTIONS[kind], LISTING_COLUMNS[kind]),
        (
            {"class": "sections", "camp": "sessions"}.get(kind),
            {path.partition(".")[2]: column.kind for path, column in OCCURRENCE_COLUMNS[kind].items()},
        ),
    ):
        if view is not None:
            selected = ", ".join(f'{path} AS "{path}"' for path in columns)
            described = read_rows(query(f"DESCRIBE SELECT {selected} FROM {view}", "--json"))
            assert {row["column_name"]: row["column_type"] for row in described} == columns


@pytest.mark.parametrize("collection", [*COLLECTIONS.values(), "organizations", "occurrences"])
def test_a_view_has_the_columns_of_the_export(query: Query, release: Release, collection: str) -> None:
    exported = release.metros["seattle"].exports[f"{collection}.parquet"]
    columns = pl.read_parquet(io.BytesIO(release.read_object(exported.object)[:])).columns
    described = [row["column_name"] for row in read_rows(query(f"DESCRIBE {collection}", "--json"))]
    own = ["card", "position", "source_url", "crawled_at", "verification"] if collection in COLLECTIONS.values() else []
    assert sorted(described) == sorted({"metro", *columns, *own})


def test_the_page_names_every_view(query: Query) -> None:
    table = PAGE.read_text().partition("| View | A row is |")[2].partition("\n\n")[0]
    cells = re.findall(r"^\| (.+?) \|", table, flags=re.MULTILINE)
    assert {name for cell in cells for name in re.findall(r"`(\w+)`", cell)} == {
        row["name"] for row in read_rows(query("SHOW TABLES", "--json"))
    }


def test_every_query_of_the_page_can_be_run_and_the_first_counts_as_it_says(query: Query, release: Release) -> None:
    first, *others = re.findall(r"```sql\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    params = {"category": "stem_discovery", "weekday": "saturday", "facets": "category", "limit": "0"}
    counted = fetch(release, "/v1/seattle/events", params, today=DAY)["facets"]["total"]
    assert counted > 0
    assert read_rows(query(first, "--json")) == [{"total": counted}]
    assert all(read_rows(query(other, "--json")) for other in others)
