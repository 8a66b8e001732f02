"""Tables as cities publish them: what the file says is what the SELECT sees."""

import json
from datetime import date, datetime
from pathlib import Path

import polars as pl
import pytest

from pipeline.fetch.source import FeedError
from tests.pipeline.fetch.settings import ReadTable

EVENT = "SELECT 'event' AS type, 'e' AS source_id, "


def test_a_row_is_a_record_with_nested_members(read_table: ReadTable) -> None:
    read = read_table(
        """
        SELECT 'event' AS type, id AS source_id, title AS name,
            strptime(day, '%m/%d/%Y')::DATE + clock::TIME AS starts_local,
            strptime(day, '%m/%d/%Y')::DATE AS date_on,
            {'name': 'Parks'} AS organization,
            {'min': fee::DECIMAL(9, 2), 'currency': 'USD'} AS price,
            ['nature_outdoors'] AS categories,
            {'crawled_at': TIMESTAMPTZ '2026-08-01 00:00:00-07:00'} AS source,
            NULL AS image_url
        FROM feed ORDER BY id; -- the end
        """,
        b'id,title,day,clock,fee\nb,"Walk, slowly",08/11/2026,09:30,0\na,Run,08/10/2026,10:00:00,12.50\n',
    )
    assert read.problems == ()
    assert [(record.line, record.source_id, record.name) for record in read.records] == [
        (1, "a", "Run"), (2, "b", "Walk, slowly"),
    ]  # fmt: skip
    run = read.records[0]
    assert (run.starts_local, run.date_on) == (datetime(2026, 8, 10, 10), date(2026, 8, 10))  # type: ignore[attr-defined]
    assert (run.price.min, run.price.currency) == (12.5, "USD")  # type: ignore[attr-defined]
    assert str(run.source.crawled_at) == "2026-08-01 07:00:00+00:00"
    assert run.categories == ("nature_outdoors",)


@pytest.mark.parametrize(
    ("name", "content", "names", "quarantined"),
    [
        ("t.json", b'[{"a": "1"}, null, {"a": "2"}]', ["1", "2"], 1),
        ("t.json", rb'[{"a": "1 \ud83d"}, {"a": "2 \ud83d\ude00"}]', ["1 \ufffd", "2 😀"], 0),
        ("t.ndjson", rb'{"a": "1 \ud83d"}' + b'\n{"a": "2"}', ["1 \ufffd", "2"], 0),
        (
            "t.geojson",
            b'{"features": [{"properties": {"a": "1"}}, null, 7, {"properties": {"a": "2"}}]}',
            ["1", "2"],
            2,
        ),
        ("t.geojson", b'{"features": [{"properties": {"a": "1"}}, {"properties": [1]}]}', ["1"], 1),
        ("t.geojson", rb'{"features": [{"properties": {"a": "1 \ud83d"}}]}', ["1 \ufffd"], 0),
        ("t.geojson", b'{"features": [{"properties": {"a\xed\xa0\x80": 1}}, {"properties": {"a": "2"}}]}', ["2"], 1),
    ],
)
def test_what_is_wrong_with_one_row_costs_that_row(
    read_table: ReadTable, name: str, content: bytes, names: list[str], quarantined: int
) -> None:
    read = read_table("SELECT 'event' AS type, a AS source_id, a AS name FROM feed", content, name=name)
    assert [record.name for record in read.records] == names
    assert read.quarantined == quarantined


@pytest.mark.parametrize(
    ("name", "content", "names"),
    [
        ("t.csv", b"a,b\n1,x\n", ["1 x"]),
        ("t.csv", b"\xef\xbb\xbfa,b\r\n1,x\r\n2,y", ["1 x", "2 y"]),
        ("t.csv", b'"a";"b"\n"1";"x;, y"\n', ["1 x;, y"]),
        ("t.tsv", b"a\tb\n1\tx\n", ["1 x"]),
        ("t.csv", b"a|b\n1|x\n", ["1 x"]),
        ("t.csv", b'a,b\n1,"two\nlines and ""quotes"""\n', ['1 two lines and "quotes"']),
        ("t.csv", b"a,b\n#1,x\n\n2,y\n", ["#1 x", "2 y"]),
        ("t.csv", b"a,b\n007,2026-08-10\n", ["007 2026-08-10"]),
        ("T.CSV", b"a,b\n1,x\n", ["1 x"]),
        ("t.json", b'[{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]', ["1 x", "2 y"]),
        ("t.json", b'[{"a": "1", "b": "2026-08-10"}, {"b": "10:00", "a": "007"}]', ["1 2026-08-10", "007 10:00"]),
        ("t.ndjson", b'{"a": 1, "b": "x"}\n{"a": 2, "b": null}\n{"a": 3}\n', ["1 x", "2", "3"]),
        ("t.geojson", b'{"type": "FeatureCollection", "features": [{"properties": {"a": 1, "b": "x"}}]}', ["1 x"]),
    ],
)
def test_every_kind_of_file_is_the_table_feed(
    read_table: ReadTable, name: str, content: bytes, names: list[str]
) -> None:
    select = "SELECT 'event' AS type, a::VARCHAR AS source_id, concat_ws(' ', a, b) AS name FROM feed"
    read = read_table(select, content, name=name)
    assert [record.name for record in read.records] == names


def test_parquet_is_read_with_its_own_types(read_table: ReadTable, tmp_path: Path) -> None:
    pl.DataFrame({"a": ["1"], "day": [date(2026, 8, 10)]}).write_parquet(tmp_path / "made.parquet")
    read = read_table(
        "SELECT 'event' AS type, a AS source_id, dayname(day) AS name, day AS date_on FROM feed",
        (tmp_path / "made.parquet").read_bytes(),
        name="t.parquet",
    )
    assert [record.name for record in read.records] == ["Monday"]


def test_a_text_in_json_is_a_text_whatever_it_looks_like(read_table: ReadTable) -> None:
    row = {"d": "2026-08-10", "t": "10:00:00", "s": "2026-08-10 10:00:00", "u": "6f1f8a0e-5d0a-5c43-9a58-1d5b7c0e4f21"}
    read = read_table(
        EVENT + "concat_ws(' ', typeof(d), typeof(t), typeof(s), typeof(u), typeof(n.d), typeof(l)) AS name FROM feed",
        json.dumps([{**row, "n": row, "l": [row["d"]]}]).encode(),
        name="t.json",
    )
    assert [record.name for record in read.records] == ["VARCHAR VARCHAR VARCHAR VARCHAR VARCHAR VARCHAR[]"]


def test_geojson_gives_properties_as_columns_and_the_geometry_as_json(read_table: ReadTable) -> None:
    features = [
        {
            "type": "Feature",
            "id": "n1",
            "properties": {"title": "Park", "size": {"ha": 2}},
            "geometry": {"type": "Point", "coordinates": [-122.3, 47.6]},
        },
        {"type": "Feature", "id": "n2", "properties": None, "geometry": None},
    ]
    read = read_table(
        """
        SELECT 'place' AS type, id AS source_id, coalesce(title, 'none') AS name,
            {'lng': (geometry->'$.coordinates[0]')::DOUBLE, 'lat': (geometry->'$.coordinates[1]')::DOUBLE} AS location
        FROM feed
        """,
        json.dumps({"type": "FeatureCollection", "features": features}, indent=1).encode(),
        name="t.geojson",
    )
    assert [(record.source_id, record.name) for record in read.records] == [("n1", "Park"), ("n2", "none")]
    assert (read.records[0].location.lat, read.records[0].location.lng) == (47.6, -122.3)  # type: ignore[attr-defined]


def test_files_of_a_glob_are_joined_by_the_names_of_their_columns(read_table: ReadTable, tmp_path: Path) -> None:
    (tmp_path / "2025.csv").write_text("b,a\nx,1\n")
    (tmp_path / "2026.csv").write_text("a,c\n2,z\n")
    select = "SELECT 'event' AS type, a AS source_id, concat_ws(' ', a, b, c) AS name FROM feed"
    read = read_table(select, b"", name="not.read", url="20*.csv")
    assert [(record.line, record.name) for record in read.records] == [(1, "1 x"), (2, "2 z")]


def test_a_row_that_breaks_a_rule_is_quarantined_by_its_number(read_table: ReadTable) -> None:
    read = read_table(
        "SELECT 'event' AS type, a AS source_id, 'x' AS name, {'min': a} AS price FROM feed", b"a\n1\n2\n"
    )
    assert [(problem.line, problem.source_id, problem.field) for problem in read.problems] == [
        (1, "1", "price.min"), (2, "2", "price.min"),
    ]  # fmt: skip


def test_a_number_that_json_can_not_say_quarantines_its_row(read_table: ReadTable) -> None:
    read = read_table(EVENT + "'x' AS name, {'min': 'nan'::DOUBLE} AS price FROM feed")
    assert (read.read, read.quarantined) == (1, 1)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("t.csv", b"", ["is empty"]),
        ("t.csv", b"a,b\n1,2,3\n1,2,3\n", ["line 2 has 3 fields and the header 2"]),
        ("t.csv", b'a,b\n1,"2\n', ["line 2: a quote", "never closed"]),
        pytest.param("t.csv", b"a,b\n1," + b"x" * 10_000_000 + b"\n", ["line 2"], id="ten million letters"),
        ("t.json", b'[{"a": 1}, {"b":', ["is cut off"]),
        ("t.json", b"no json", ["is no JSON in line 1"]),
        ("t.json", b"[]", ["has no objects"]),
        ("t.json", b"[1, 2]", ["has no objects"]),
        ("t.parquet", b"PAR1 not really", ["t.parquet"]),
        ("t.geojson", b'{"type": "Feature"}', ["is not a GeoJSON FeatureCollection"]),
        ("t.geojson", b"<html>", ["is a web page"]),
        pytest.param("t.geojson", b'{"a": ' + b"[" * 100_000, ["is not a GeoJSON FeatureCollection"], id="deep"),
        ("t.xlsx", b"PK", ["is not a table", "is cut off"]),
        ("t.dat", b"\0\1", ["is not a table", ".csv", ".geojson"]),
    ],
)
def test_a_file_that_can_not_be_read_fails_with_feed_and_path(
    read_table: ReadTable, name: str, content: bytes, words: list[str]
) -> None:
    with pytest.raises(FeedError) as failed:
        read_table("SELECT 1 FROM feed", content, name=name)
    message = str(failed.value)
    assert message.startswith(f"feed spl: {name}: ")
    assert [word for word in words if word not in message] == []
    assert len(message) < 1_000
    assert "Possible" not in message
