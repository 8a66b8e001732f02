"""A cell on which an operator's SELECT fails costs its row, and the row says why."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from command import main
from pipeline.fetch.source import SelectError
from tests.pipeline.fetch.settings import ReadTable
from tests.settings import format_metro

SELECT = "SELECT 'event' AS type, id AS source_id, title AS name, {'min': fee::DOUBLE} AS price FROM feed"
CSV = b"id,title,fee\na,Walk,5\nb,Run,ask us\nc,Swim,\nd,Ride,7.5\n"


def test_a_cell_that_can_not_be_cast_costs_its_row_alone(read_table: ReadTable) -> None:
    read = read_table(SELECT, CSV)
    assert [record.source_id for record in read.records] == ["a", "c", "d"]
    assert (read.read, read.quarantined) == (4, 1)
    (problem,) = read.problems
    assert (problem.line, problem.source_id, problem.quarantined) == (3, "b", True)
    assert problem.reason == (
        "wrong_type: the SELECT fails on this row: Could not convert string 'ask us' to DOUBLE "
        "when casting from source column fee"
    )
    assert problem.value == '{"id":"b","title":"Run","fee":"ask us"}'


@pytest.mark.parametrize(
    ("expression", "cell", "message"),
    [
        ("strptime(fee, '%d/%m/%Y')::DATE AS date_on", "soon", "Could not parse string"),
        ("{'min': sqrt(try_cast(fee AS DOUBLE))} AS price", "-1", "cannot take square root of a negative number"),
        ("{'min': fee::UTINYINT} AS price", "300", "Could not convert string '300' to UINT8"),
        ("fee::DATE AS date_on", "soon", 'invalid date field format: "soon"'),
    ],
)
def test_whatever_a_function_can_not_take_costs_the_row(
    read_table: ReadTable, expression: str, cell: str, message: str
) -> None:
    good = "01/02/2026" if "strptime" in expression else "2026-02-01" if "DATE" in expression else "4"
    rows = f"id,fee\na,{good}\nb,{cell}\nc,\n".encode()
    read = read_table(f"SELECT 'event' AS type, id AS source_id, id AS name, {expression} FROM feed", rows)
    assert [record.source_id for record in read.records] == ["a", "c"]
    (problem,) = read.problems
    assert problem.reason.startswith(f"wrong_type: the SELECT fails on this row: {message}")
    assert (problem.line, problem.source_id) == (3, "b")


def test_rows_keep_their_lines_in_the_file(read_table: ReadTable) -> None:
    rows = b"id,title,fee\n" + b"".join(b"%d,Walk,%s\n" % (n, b"?" if n % 50 == 7 else b"1") for n in range(200))
    read = read_table(SELECT.replace("SELECT", "SELECT rowid,"), rows)
    lines = {record.source_id: record.line for record in read.records}
    assert lines == {str(n): n + 2 for n in range(200) if n % 50 != 7}
    assert [problem.line for problem in read.problems] == [9, 59, 109, 159]


def test_each_record_of_a_row_with_several_is_named(read_table: ReadTable) -> None:
    select = "SELECT 'event' AS type, id || n AS source_id, id AS name, {'min': fee::DOUBLE} AS price"
    read = read_table(f"{select} FROM feed, unnest([1, 2]) AS t(n)", b"id,fee\na,5\nb,?\n")
    assert sorted(record.source_id for record in read.records) == ["a1", "a2"]
    assert sorted(str(problem.source_id) for problem in read.problems) == ["b1", "b2"]


def test_a_statement_that_fails_on_every_row_is_wrong_itself(read_table: ReadTable) -> None:
    with pytest.raises(SelectError, match="Could not convert string 'x' to DOUBLE"):
        read_table(SELECT, b"id,title,fee\na,Walk,x\nb,Run,y\n")


@pytest.mark.long
def test_a_statement_that_fails_on_many_rows_is_wrong_itself(read_table: ReadTable) -> None:
    rows = b"id,title,fee\n" + b"".join(b"%d,Walk,%s\n" % (n, b"?" if n % 2 else b"1") for n in range(600))
    with pytest.raises(SelectError, match="Could not convert"):
        read_table(SELECT, rows)


def test_a_statement_that_fails_on_no_row_alone_is_wrong_itself(read_table: ReadTable) -> None:
    select = "SELECT 'event' AS type, string_agg(fee, ' ' ORDER BY id)::INTEGER::VARCHAR AS source_id, 'x' AS name"
    with pytest.raises(SelectError, match="Could not convert string '1 2'"):
        read_table(f"{select} FROM feed", b"id,fee\na,1\nb,2\n")


def test_the_last_good_version_of_such_a_row_stays(tmp_path: Path) -> None:
    (tmp_path / "t.sql").write_text(SELECT)
    feed = '[[feeds]]\nname = "parks"\nmetro = "seattle"\nformat = "table"\nurl = "t.csv"\nselect = "t.sql"\n'
    (tmp_path / "outings.toml").write_text(f'[store]\nurl = "file:store"\n{format_metro("seattle")}{feed}')

    def build(day: str, fee: str) -> Any:
        (tmp_path / "t.csv").write_text(f"id,title,fee\na,Walk,5\nb,Run,{fee}\n")
        words = ["build", "--json", "--workers", "1", "--as-of", day, "-c", str(tmp_path / "outings.toml")]
        return json.loads(CliRunner().invoke(main, words).stdout)

    assert build("2026-08-10", "7")["records"]["listings"] == 2
    again = build("2026-08-11", "ask us")
    assert again["records"] == {"read": 2, "listings": 1, "merged": 0, "quarantined": 1}
    assert again["feeds"][0]["last_good"] == 1
    assert again["changes"]["removed"] == 0
