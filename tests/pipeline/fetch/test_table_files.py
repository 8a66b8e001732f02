"""Files as cities publish them: whatever their letters, packing and kind, a row is a row and keeps its line."""

import gzip
import json
import sqlite3
import zipfile
from contextlib import closing
from datetime import date, datetime, time
from io import BytesIO
from pathlib import Path

import pytest
import xlsxwriter

from pipeline.clean.feed_read import FeedRead
from pipeline.fetch.source import FeedError
from tests.pipeline.fetch.settings import Configure, ReadTable

SELECT = "SELECT rowid, 'event' AS type, a::VARCHAR AS source_id, b::VARCHAR AS name FROM feed"
SPANISH = "a;b\n1;Taller de cerámica para niños: ¿qué es el otoño?\n2;Música en la plaza; ¡y más!\n".replace(
    "Música en la plaza; ¡y más!", '"Música en la plaza; ¡y más!"'
)
FRENCH = "a;b\n1;Fête de l’école à Noël\n2;Théâtre d'été, entrée gratuite\n"
ENGLISH = "a,b\n1,Café Noël – kids’ hour\n"


def list_names(read: FeedRead) -> list[str]:
    return [record.name for record in read.records]


def list_lines(read: FeedRead) -> list[tuple[int, str]]:
    return [(record.line, record.name) for record in read.records]


@pytest.mark.parametrize("text", [SPANISH, FRENCH, ENGLISH, SPANISH.replace("\n", "\r\n")])
def test_a_file_is_read_whatever_its_encoding(read_table: ReadTable, text: str) -> None:
    expected = list_names(read_table(SELECT, text.encode()))
    assert len(expected) == text.count("\n") - 1
    for encoding in ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "mac_roman"):
        assert list_names(read_table(SELECT, text.encode(encoding))) == expected, encoding


def test_old_dos_letters_are_found_where_the_text_says_them(read_table: ReadTable) -> None:
    assert list_names(read_table(SELECT, SPANISH.encode("cp850"))) == list_names(read_table(SELECT, SPANISH.encode()))


@pytest.mark.parametrize(
    ("content", "settings", "message"),
    [
        (ENGLISH.encode(), "", None),
        (ENGLISH.encode("cp1252"), "", "table.csv: read as cp1252 (by its letters)"),
        (ENGLISH.encode("utf-16"), "", "table.csv: read as utf-16-le (by its byte order mark)"),
        (ENGLISH.encode("cp1252"), 'encoding = "latin-1"', "table.csv: read as cp1252 (by the setting encoding)"),
        (SPANISH.encode(), "", "table.csv: fields are parted by a semicolon"),
        (("Agenda\n\n" + ENGLISH).encode(), "skip = 1", "table.csv: the names of its columns are in line 3"),
    ],
)
def test_what_was_decided_is_reported(
    read_table: ReadTable, content: bytes, settings: str, message: str | None
) -> None:
    assert read_table(SELECT, content, settings=settings).decided == (() if message is None else (message,))


def test_latin_1_means_what_windows_means_by_it(read_table: ReadTable) -> None:
    read = read_table(SELECT, "a,b\n1,“3 €”\n".encode("cp1252"), settings='encoding = "iso-8859-1"')
    assert list_names(read) == ["“3 €”"]


def test_an_encoding_that_is_stated_and_wrong_names_the_line(read_table: ReadTable) -> None:
    with pytest.raises(FeedError, match=r'line 2 is not utf-8.*byte 0xe9.*encoding = "auto"'):
        read_table(SELECT, ENGLISH.encode("cp1252"), settings='encoding = "utf-8"')


def test_a_damaged_letter_costs_its_row_and_not_the_others_their_letters(read_table: ReadTable) -> None:
    rows = "".join(f"{number},niño {number}\n" for number in range(9)).encode()
    read = read_table(SELECT, b"a,b\n" + rows.replace("niño 5".encode(), b"ni\xf1o 5"))
    assert list_names(read) == [f"niño {number}" for number in (0, 1, 2, 3, 4, 6, 7, 8)]
    (problem,) = read.problems
    assert (problem.line, problem.quarantined) == (7, True)
    assert problem.reason.startswith('unreadable: a letter in column "b" is no UTF-8')


def test_a_row_keeps_its_line_through_quoted_line_ends_and_empty_lines(read_table: ReadTable) -> None:
    read = read_table(SELECT, b'a,b\r\n1,"two\r\nlines"\r\n\r\n2,x\r\n,\r\n3,"""y"""\r\n')
    assert list_lines(read) == [(2, "two lines"), (5, "x"), (7, '"y"')]


def test_lines_of_several_files_are_reported_with_their_file(read_table: ReadTable, tmp_path: Path) -> None:
    (tmp_path / "t1.csv").write_text("a,b\n1,x\n2,\n")
    (tmp_path / "t2.csv").write_text("b,a\ny,3\n,4\nz,5,6\n")
    read = read_table(SELECT, name="not.read", url="t*.csv")
    assert [(problem.file, problem.line, problem.source_id) for problem in read.problems] == [
        ("t2.csv", 4, None), ("t1.csv", 3, "2"), ("t2.csv", 3, "4"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("2;x;y", "unreadable: has 3 fields and the header 2: a value with a delimiter in it needs quotes round it"),
        ("2", "unreadable: has 1 fields and the header 2: a delimiter is missing in it"),
        ('2;"x"y', 'unreadable: a quote (") is where none may be: inside a quoted field it is written twice (2 here)'),
    ],
)
def test_a_row_that_does_not_fit_is_one_problem(read_table: ReadTable, row: str, reason: str) -> None:
    read = read_table(SELECT, f"a;b\n1;one\n{row}\n3;three\n".encode())
    assert list_lines(read) == [(2, "one"), (4, "three")]
    assert [(problem.line, problem.reason, problem.value) for problem in read.problems] == [(3, reason, row)]
    assert (read.read, read.quarantined) == (3, 1)


@pytest.mark.parametrize(
    "content",
    [
        "a;b;\n1;x;\n2;y;\n",
        "a;b\n1;x;\n2;y;;\n",
        "a;b;;\n1;x\n2;y\n",
        ";;\n\na;b\n1;x\n2;y\n;\n;\n",
        "sep=;\na;b\n1;x\n2;y\n",
    ],
)
def test_what_spreadsheets_leave_at_the_ends_of_rows_is_no_column(read_table: ReadTable, content: str) -> None:
    read = read_table(SELECT, content.encode())
    assert (list_names(read), read.problems) == (["x", "y"], ())


def test_the_delimiter_is_the_one_by_which_rows_fit(read_table: ReadTable) -> None:
    content = "a;b;c, d, e, f\n1;uno, dos, tres;x\n2;cuatro;y, z\n"
    read = read_table(SELECT, content.encode())
    assert list_names(read) == ["uno, dos, tres", "cuatro"]


def test_columns_of_the_same_name_are_told_apart(read_table: ReadTable) -> None:
    select = 'SELECT \'event\' AS type, a AS source_id, concat_ws(" ", "Nota", "nota (2)", "column3") AS name FROM feed'
    read = read_table(select.replace('" "', "' '"), b"a,Nota,nota,\n1,x,y,z\n")
    assert list_names(read) == ["x y z"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv.gz", gzip.compress(b"a,b\n1,x\n", mtime=0)),
        ("export", gzip.compress(b"a,b\n1,x\n", mtime=0)),
        ("t.json.gz", gzip.compress(b'[{"a": 1, "b": "x"}]', mtime=0)),
        ("t.txt", b"a,b\n1,x\n"),
        ("export", b"a\tb\n1\tx\n"),
        ("export", b'[{"a": 1, "b": "x"}]'),
    ],
)
def test_a_file_is_what_its_bytes_say(read_table: ReadTable, name: str, content: bytes) -> None:
    assert list_names(read_table(SELECT, content, name=name)) == ["x"]


def zip_files(**files: bytes) -> bytes:
    target = BytesIO()
    with zipfile.ZipFile(target, "w") as packed:
        for name, content in files.items():
            packed.writestr(name.replace("_dot_", "."), content)
    return target.getvalue()


def test_a_zip_gives_the_table_in_it(read_table: ReadTable) -> None:
    described = b"<?xml version='1.0'?><about><line/><line/></about>"
    content = zip_files(agenda_dot_csv=b"a,b\n1,x\n", leeme_dot_pdf=b"%PDF", about_dot_xml=described, __MACOSX=b"")
    assert list_names(read_table(SELECT, content, name="t.zip")) == ["x"]


@pytest.mark.parametrize(
    "item",
    [
        "<a>1</a><b>x</b><m:b>caption</m:b>",
        "<a>1</a><m:b>caption</m:b><b>x</b>",
        '<a>1</a><b>x</b><m:b url="p.jpg"/><m:b url="q.jpg"/>',
        '<a>1</a><m:b url="p.jpg"/><m:b url="q.jpg"/><b>x</b>',
        '<a>1</a><b m:b="caption">x</b>',
    ],
)
def test_an_element_of_another_namespace_takes_no_name_of_an_item(read_table: ReadTable, item: str) -> None:
    text = f'<rss xmlns:m="urn:media" item="n"><item b="other">{item}</item><item><a>2</a><b>y</b></item></rss>'
    assert list_names(read_table(SELECT, text.encode(), name="t.xml", settings='records = "item"')) == ["x", "y"]


def test_of_a_zip_with_several_tables_one_is_chosen(read_table: ReadTable) -> None:
    content = zip_files(agenda1_dot_csv=b"a,b\n1,x\n", agenda2_dot_csv=b"a,b\n2,y\n2,y,z\n", lugares_dot_csv=b"c\n3\n")
    with pytest.raises(
        FeedError, match=r"is a ZIP with agenda1.csv, agenda2.csv, lugares.csv: 3 of them are tables.*file = "
    ):
        read_table(SELECT, content, name="t.zip")
    read = read_table(SELECT, content, name="t.zip", settings='file = "agenda*.csv"')
    assert list_names(read) == ["x", "y"]
    assert [(problem.file, problem.line) for problem in read.problems] == [("t.zip/agenda2.csv", 3)]


def test_a_bomb_is_met_at_its_bound(read_table: ReadTable) -> None:
    settings = "max_bytes = 100000"
    bomb = b"a,b\n" + b"1,x\n" * 1_000_000
    with pytest.raises(FeedError, match="more than the 100,000 bytes that max_bytes allows"):
        read_table(SELECT, gzip.compress(bomb), name="t.csv.gz", settings=settings)
    with pytest.raises(FeedError, match="more than the 100,000 bytes that max_bytes allows"):
        read_table(SELECT, zip_files(t_dot_csv=bomb), name="t.zip", settings=settings)


def test_rows_inside_a_document_are_found_by_their_path(read_table: ReadTable) -> None:
    document = {"ok": True, "result": {"items": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]}}
    content = json.dumps(document, indent=1).encode()
    read = read_table(SELECT, content, name="t.json", settings='records = "result.items"')
    assert list_lines(read) == [(5, "x"), (9, "y")]
    with pytest.raises(FeedError, match=r'has no member "rows" in “result”, as records says; there are: items'):
        read_table(SELECT, content, name="t.json", settings='records = "result.rows"')
    with pytest.raises(FeedError, match=r'holds no list in "result", where records says'):
        read_table(SELECT, content, name="t.json", settings='records = "result"')


def test_a_line_of_json_that_is_none_is_one_problem(read_table: ReadTable) -> None:
    read = read_table(SELECT, b'{"a": 1, "b": "x"}\n{"a": 2,\n\n{"a": 3, "b": "y"}\n', name="t.ndjson")
    assert list_lines(read) == [(1, "x"), (4, "y")]
    assert [(problem.line, problem.value) for problem in read.problems] == [(2, '{"a": 2,')]


def write_sheets(path: Path, sheets: dict[str, list[list[object]]], *, hidden: str = "") -> bytes:
    with xlsxwriter.Workbook(str(path), {"default_date_format": "dd/mm/yyyy hh:mm"}) as workbook:
        for name, rows in sheets.items():
            sheet = workbook.add_worksheet(name)
            for number, row in enumerate(rows):
                sheet.write_row(number, 0, row)
            if name == hidden:
                sheet.hide()
            elif name == "merged":
                sheet.merge_range("B2:B3", "both")
    return path.read_bytes()


def test_cells_of_a_sheet_are_what_they_mean(read_table: ReadTable, tmp_path: Path) -> None:
    cells: list[object] = [51201, 1.5, True, datetime(2026, 8, 10, 18, 30), date(2026, 8, 10), time(18, 30), " x "]
    header: list[object] = ["a", "number", "yes", "moment", "day", "clock", "b"]
    content = write_sheets(tmp_path / "s.xlsx", {"Agenda": [header, cells]})
    select = """SELECT 'event' AS type, a AS source_id, concat_ws(' ', a, number, yes, moment, day, clock, b) AS name,
        {'min': number} AS price FROM feed"""
    read = read_table(select.replace("a AS source_id", "a::VARCHAR AS source_id"), content, name="t.xlsx")
    assert [record.source_id for record in read.records] == ["51201"]
    (name,) = list_names(read)
    assert name.split()[:3] == ["51201", "1.5", "true"]
    assert name.endswith("18:30:00 x")
    assert "2026-08-10T18:30:00" in name


def test_a_cell_merged_downwards_is_in_each_of_its_rows(read_table: ReadTable, tmp_path: Path) -> None:
    content = write_sheets(tmp_path / "s.xlsx", {"merged": [["a", "b"], [1], [2], [3, "own"]]})
    assert list_lines(read_table(SELECT, content, name="t.xlsx")) == [(2, "both"), (3, "both"), (4, "own")]


def test_an_error_in_a_cell_is_not_an_empty_cell(read_table: ReadTable, tmp_path: Path) -> None:
    content = write_sheets(tmp_path / "s.xlsx", {"s": [["a", "b"], [1, "=NA()"], [2, "x"]]})
    with xlsxwriter.Workbook(str(tmp_path / "e.xlsx")) as workbook:
        sheet = workbook.add_worksheet()
        sheet.write_row(0, 0, ["a", "b"])
        sheet.write_row(1, 0, [1])
        sheet.write_formula(1, 1, "=#REF!", None, "#REF!")
    assert list_names(read_table(SELECT, content, name="t.xlsx")) == ["0", "x"]
    assert list_names(read_table(SELECT, (tmp_path / "e.xlsx").read_bytes(), name="t.xlsx")) == ["#REF!"]


def test_of_several_sheets_one_is_chosen_and_hidden_ones_are_none(read_table: ReadTable, tmp_path: Path) -> None:
    rows: list[list[object]] = [["Agenda"], [], ["a", "b"], [1, "x"]]
    content = write_sheets(tmp_path / "s.xlsx", {"Read me": [["a", "b"], [9, "no"]], "Agenda": rows}, hidden="Read me")
    assert write_sheets(tmp_path / "t.xlsx", {"One": rows, "Two": rows})
    with pytest.raises(FeedError, match=r'has 2 sheets with rows: “One”, “Two”. Say which, as in sheet = "One"'):
        read_table(SELECT, (tmp_path / "t.xlsx").read_bytes(), name="u.xlsx")
    read = read_table(SELECT, content, name="u.xlsx", settings='sheet = "Agenda"\nskip = 1')
    assert list_lines(read) == [(4, "x")]
    with pytest.raises(FeedError, match='has no sheet "agenda"; there are: Read me, Agenda'):
        read_table(SELECT, content, name="u.xlsx", settings='sheet = "agenda"')


def make_database(path: Path, script: str) -> bytes:
    with closing(sqlite3.connect(path)) as database:
        database.executescript(script)
    return path.read_bytes()


def test_a_table_of_sqlite_is_read(read_table: ReadTable, tmp_path: Path) -> None:
    script = "CREATE TABLE events (a, b); INSERT INTO events VALUES (1, 'x'), (2, 'niño'), (3, NULL);"
    read = read_table(SELECT, make_database(tmp_path / "one.db", script), name="t.sqlite")
    assert list_lines(read) == [(1, "x"), (2, "niño")]
    assert [(problem.line, problem.field) for problem in read.problems] == [(3, "name")]
    content = make_database(
        tmp_path / "two.db", script + "CREATE TABLE rooms (c); CREATE VIEW soon AS SELECT * FROM events;"
    )
    with pytest.raises(FeedError, match=r'has 3 tables: events, rooms, soon. Say which, as in table = "events"'):
        read_table(SELECT, content, name="t.db")
    assert list_names(read_table(SELECT, content, name="t.db", settings='table = "soon"')) == ["x", "niño"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ('encoding = "klingon"', 'encoding: is "klingon"; allowed: auto, or the name of one'),
        ('encoding = "hex"', 'encoding: is "hex"'),
        ("skip = -1", "skip: is -1; allowed: a whole number from 0"),
    ],
)
def test_a_wrong_setting_is_named_with_what_is_allowed(configure: Configure, settings: str, message: str) -> None:
    from outings.configuration import ConfigurationError

    with pytest.raises(ConfigurationError) as wrong:
        configure(f'metro = "seattle"\nformat = "table"\nurl = "t.csv"\nselect = "t.sql"\n{settings}')
    assert message in str(wrong.value.problems[0])


@pytest.mark.parametrize("setting", ['sheet = "x"', "skip = 3", 'encoding = "cp1252"', 'map = { name = "x" }'])
def test_settings_of_tables_are_refused_beside_other_formats(configure: Configure, setting: str) -> None:
    from outings.configuration import ConfigurationError

    with pytest.raises(ConfigurationError) as wrong:
        configure(f'metro = "seattle"\nformat = "ndjson"\nurl = "t.ndjson"\n{setting}')
    assert 'is set together with format "ndjson"; allowed: only with table' in str(wrong.value.problems[0])
