"""An operator's SELECT reaches the table `feed` and nothing else, and a wrong one is told before anything is built."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import duckdb
import pytest

from outings.contract.vocabulary import Vocabulary
from outings.select_statement import lock
from pipeline.fetch.source import SelectError
from pipeline.fetch.table.select_runner import select_records
from tests.loopback import run_server
from tests.pipeline.fetch.settings import ReadTable

SECRET = "the secret"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file that the feed is not, under every ending that DuckDB reads by itself."""
    for ending in ("csv", "json", "txt"):
        (tmp_path / f"secret.{ending}").write_text(f'"{SECRET}"\n')
    duckdb.sql(f"COPY (SELECT '{SECRET}' AS name) TO '{tmp_path}/secret.parquet'")
    with duckdb.connect(str(tmp_path / "secret.duckdb")) as connection:
        connection.execute(f"CREATE TABLE secret AS SELECT '{SECRET}' AS name")
    return tmp_path


@pytest.fixture
def lookups() -> Iterator[tuple[str, list[str]]]:
    """A server on loopback, and the paths that were asked of it."""
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            self.send_error(404)

        do_HEAD = do_GET  # noqa: N815 the library's own name

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 the library's own name
            pass

    with run_server(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as url:
        yield url, paths


READING = [
    "SELECT * FROM read_csv('{at}/secret.csv')",
    "SELECT * FROM read_csv_auto('{at}/secret.csv', all_varchar=true)",
    "SELECT * FROM read_json('{at}/secret.json')",
    "SELECT * FROM read_json_objects('{at}/secret.json')",
    "SELECT * FROM read_parquet('{at}/secret.parquet')",
    "SELECT * FROM parquet_scan('{at}/secret.parquet')",
    "SELECT * FROM parquet_metadata('{at}/secret.parquet')",
    "SELECT content AS name FROM read_text('{at}/secret.txt')",
    "SELECT content AS name FROM read_blob('{at}/secret.txt')",
    "SELECT file AS name FROM glob('{at}/*')",
    "SELECT * FROM sniff_csv('{at}/secret.csv')",
    "SELECT * FROM '{at}/secret.csv'",
    "SELECT * FROM '{at}/secret.parquet'",
    "SELECT * FROM \"{at}/secret.csv\"",
    "FROM '{at}/secret.json'",
    "SELECT * FROM feed UNION ALL SELECT * FROM '{at}/secret.csv'",
    "SELECT (SELECT name FROM '{at}/secret.parquet') AS name FROM feed",
    "WITH s AS (FROM '{at}/secret.parquet') SELECT name FROM s",
    "SELECT name FROM feed JOIN '{at}/secret.parquet' USING (name)",
    "SELECT * FROM query('FROM ''{at}/secret.parquet''')",
    "SELECT * FROM query_table('{at}/secret.parquet')",
    "SELECT * FROM query_table(['feed'])",
    "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('FROM ''{at}/secret.parquet'''))",
    "SELECT * FROM sqlite_scan('{at}/secret.duckdb', 'secret')",
    "SELECT * FROM duckdb_settings()",
    "SELECT * FROM duckdb_secrets()",
    "SELECT * FROM pragma_database_list",
    "SELECT name FROM which_secret('{at}', 's3')",
    "SELECT getenv('HOME') AS name",
    "SELECT name FROM secret",
    "SELECT * FROM asked",
]  # fmt: skip
OTHER_STATEMENTS = [
    "COPY feed TO '{at}/written.csv'",
    "COPY (SELECT 1) TO '{at}/written.csv'",
    "EXPORT DATABASE '{at}/written'",
    "ATTACH '{at}/secret.duckdb' AS other",
    "ATTACH '{at}/secret.duckdb' AS other; SELECT name FROM other.secret",
    "INSTALL httpfs",
    "LOAD httpfs",
    "LOAD '{at}/x.duckdb_extension'",
    "PRAGMA database_list",
    "PRAGMA enable_external_access=true",
    "SET enable_external_access = true",
    "SET threads = 8; SELECT name FROM feed",
    "RESET lock_configuration",
    "CREATE TABLE x AS SELECT 1",
    "CREATE MACRO f(x) AS x",
    "INSERT INTO feed SELECT * FROM feed",
    "DELETE FROM feed",
    "DROP TABLE feed",
    "CALL pragma_version()",
    "EXPLAIN SELECT 1",
    "EXPLAIN ANALYZE SELECT 1",
    "PIVOT feed ON a USING count(*)",
    "BEGIN",
    "CHECKPOINT",
    "USE memory",
    "PREPARE p AS SELECT 1",
    "SELECT name FROM feed; SELECT name FROM feed",
    "SELECT name FROM feed; DROP TABLE feed",
    "SELECT 'a' AS name) AS x; DROP TABLE feed; SELECT * FROM (SELECT 1",
    "",
    "-- SELECT name FROM feed",
    "SELEC name FROM feed",
]


@pytest.mark.long
@pytest.mark.parametrize("attack", READING + OTHER_STATEMENTS)
def test_nothing_but_the_feed_can_be_read_and_nothing_written(read_table: ReadTable, secret: Path, attack: str) -> None:
    before = {path.name for path in secret.iterdir()}
    with pytest.raises(SelectError) as refused:
        read_table(attack.replace("{at}", str(secret)), b"a,name\n1,x\n")
    message = str(refused.value)
    assert message.startswith(f"feed spl: select {secret}/feed.sql: ")
    assert SECRET not in message
    assert {path.name for path in secret.iterdir()} - before == {"feed.sql", "outings.toml", "table.csv"}


@pytest.mark.parametrize(
    "attack",
    ["FROM '{url}/x.csv'", "SELECT * FROM read_parquet('{url}/x.parquet')", "SELECT * FROM read_text('{url}/x')",
     "FROM 's3://bucket/x.parquet'", "ATTACH '{url}/x.duckdb' AS x", "INSTALL x FROM '{url}'"],
)  # fmt: skip
def test_the_network_is_not_asked(read_table: ReadTable, lookups: tuple[str, list[str]], attack: str) -> None:
    url, paths = lookups
    with pytest.raises(SelectError):
        read_table(attack.replace("{url}", url))
    assert paths == []


@pytest.mark.parametrize(
    ("select", "words"),
    [
        ("SELECT nme FROM feed", ['"nme" not found', '"name"']),
        ("SELECT name AS nam FROM feed", ["column nam,", "the nearest: name"]),
        ("SELECT name AS Name FROM feed", ["column Name,", "the nearest: name"]),
        ("SELECT name AS xyzzy FROM feed", ["column xyzzy,", "allowed: ", "source_id"]),
        ("SELECT * FROM feed", ["column a,"]),
        ("SELECT name, a AS name FROM feed", ["the column name twice"]),
        ("SELECT {'mim': 1} AS price FROM feed", ["member price.mim,", "the nearest: min"]),
        ("SELECT [{'schedule': {'dais': ['monday']}}] AS sections FROM feed", ["member sections.schedule.dais,"]),
        ("SELECT name::INT AS name FROM feed", ["Could not convert string 'x' to INT32"]),
        ("SELECT age(TIMESTAMP '2026-01-01')::VARCHAR AS name FROM feed", ["uses age with one argument"]),
        ("SELECT current_localtimestamp()::VARCHAR AS name FROM feed", ["uses current_localtimestamp"]),
        ("SELECT ? AS name FROM feed", ["parameter"]),
        ("SELECT name\0 FROM feed", []),
        ("DESCRIBE feed", ["column column_name,"]),
        ("SELECT name FROM feed WHERE current_date > '2026-01-01'", ["uses current_date"]),
        ("SELECT name FROM feed WHERE CURRENT_TIMESTAMP > '2026-01-01'", ["uses current_timestamp"]),
        ("SELECT NOW()::VARCHAR AS name FROM feed", ["uses now"]),
        ("SELECT now()::VARCHAR AS name FROM feed", ["uses now"]),
        ("SELECT name FROM feed ORDER BY random()", ["uses random"]),
        ("SELECT uuid()::VARCHAR AS source_id FROM feed", ["uses uuid"]),
    ],
)
def test_a_wrong_select_says_what_is_wrong(read_table: ReadTable, select: str, words: list[str]) -> None:
    with pytest.raises(SelectError) as refused:
        read_table(select, b"a,name\n1,x\n")
    assert [word for word in words if word not in str(refused.value)] == []


def test_a_column_named_like_a_clock_word_is_a_column(read_table: ReadTable) -> None:
    read = read_table("SELECT 'event' AS type, 'e' AS source_id, current_date AS name FROM feed", b"current_date\nx\n")
    assert [record.name for record in read.records] == ["x"]


def test_the_age_between_two_times_stands_still(read_table: ReadTable) -> None:
    age = "age(DATE '2026-02-01', DATE '2026-01-01')::VARCHAR"
    read = read_table(f"SELECT 'event' AS type, 'e' AS source_id, {age} AS name FROM feed")
    assert [record.name for record in read.records] == ["1 month"]


def test_rows_may_be_made_of_values(read_table: ReadTable) -> None:
    read = read_table(
        """
        WITH words AS (SELECT unnest(string_split(name, ' ')) AS word, a FROM feed),
             numbers AS (SELECT i FROM generate_series(1, 2) AS t(i))
        SELECT 'event' AS type, word || i AS source_id, word AS name FROM words, numbers ORDER BY word, i
        """,
        b"a,name\n1,one two\n",
    )
    assert [record.source_id for record in read.records] == ["one1", "one2", "two1", "two2"]


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(":memory:", config={"threads": 1, "memory_limit": "200MB"}) as connection:
        connection.execute("CREATE TABLE feed AS SELECT range AS i FROM range(1000)")
        lock(connection)
        yield connection


@pytest.mark.parametrize(
    "endless",
    [
        "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r) SELECT max(i)::VARCHAR AS name FROM r",
        "SELECT count(*)::VARCHAR AS name FROM feed a, feed b, feed c, feed d, feed e",
    ],
)
def test_a_select_without_end_is_stopped(connection: duckdb.DuckDBPyConnection, endless: str) -> None:
    with pytest.raises(ValueError, match=r"took longer than the 0\.5 seconds of max_seconds"):
        select_records(connection, endless, Vocabulary(), seconds=0.5)


@pytest.mark.parametrize(
    "greedy",
    [
        "SELECT string_agg(repeat('x', 1000000), '') AS name FROM feed a, feed b",
        "SELECT repeat('x', 100000) AS name FROM feed a, feed b",
    ],
)
def test_a_select_without_measure_is_refused(connection: duckdb.DuckDBPyConnection, greedy: str) -> None:
    with pytest.raises(ValueError, match="Out of Memory"):
        select_records(connection, greedy, Vocabulary(), seconds=60)


def test_the_same_select_gives_the_same_rows_in_the_same_order(read_table: ReadTable) -> None:
    rows = b"a,name\n" + b"".join(b"%d,n%d\n" % (i, i * 7919 % 1000) for i in range(5000))
    select = "SELECT 'event' AS type, name AS source_id, first(a) AS name FROM feed GROUP BY name"
    assert read_table(select, rows).records == read_table(select, rows).records
