"""Files as they should not be: each message names the feed, the line, the column, the value and what to do.

No wrong value becomes a listing.
"""

import gzip
import json
import sqlite3
import zipfile
from contextlib import closing
from datetime import date
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

from outings.configuration import read_configuration
from pipeline.feed_task import read_feed
from pipeline.fetch.source import FeedError, SettingError

CITY = """
[[metros]]
slug = "valladolid"
name = "Valladolid"
timezone = "Europe/Madrid"
center = { lat = 41.65, lng = -4.72 }
bounds = { south = 41.5, west = -4.9, north = 41.8, east = -4.5 }

[[feeds]]
name = "agenda"
metro = "valladolid"
format = "table"
"""
MAP = """
[feeds.map]
type = { value = "event" }
source_id = "ID"
name = "TITULO"
starts_local = { join = ["FECHA", "HORA"], format = ["%d/%m/%Y %H:%M", "%d/%m/%Y"] }
"price.min" = { column = "PRECIO", decimal = "," }
"location.lat" = { column = "LAT", decimal = "," }
"location.lng" = { column = "LNG", decimal = "," }
is_sold_out = "AGOTADO"
"ages.min" = "EDAD"
"source.url" = "WEB"
"""
HEADER = "ID;TITULO;FECHA;HORA;PRECIO;LAT;LNG;AGOTADO;EDAD;WEB"
GOOD = "1;Cine;05/12/2026;18:00;12,50;41,65;-4,72;no;6;https://e.example/1"


def make_row(**cells: str) -> str:
    """The second row, with other cells than the good one's."""
    values = dict(zip(HEADER.split(";"), GOOD.split(";"), strict=True)) | {"ID": "2", "TITULO": "Malo"} | cells
    return ";".join(values.values())


def make_csv(*rows: str, encoding: str = "utf-8") -> bytes:
    return ("\n".join((HEADER, GOOD, *rows)) + "\n").encode(encoding)


def read(folder: Path, name: str, content: bytes, *, settings: str = "", mapping: str = MAP) -> tuple[list[str], str]:
    """The names of what would be listed, and all that is said."""
    (folder / name).write_bytes(content)
    (folder / "outings.toml").write_text(f'{CITY}url = "{name}"\n{settings}\n{mapping}', encoding="utf-8")
    configuration = read_configuration(folder / "outings.toml", {})
    try:
        feed_read = read_feed(configuration.feeds[0], configuration)
    except (FeedError, SettingError) as error:
        return [], str(error)
    problems = (
        f"{problem.feed}: line {problem.line}: {problem.reason}: {problem.value}" for problem in feed_read.problems
    )
    return [record.name for record in feed_read.records], "\n".join((*feed_read.decided, *problems))


CELLS = [
    ({"LAT": "41.65"}, ['column "LAT"', 'say decimal = "."', ": 41.65"]),
    ({"LAT": "416.500"}, ['column "LAT"', ": 416.500"]),
    ({"LAT": "41º 39' N"}, ['column "LAT"', "41º 39' N"]),
    ({"LAT": "4612345,2"}, ['column "LAT"', "expected degrees from -90 to 90"]),
    ({"LAT": ""}, ['column "LNG"', "is given without lat"]),
    ({"FECHA": "12/31/2026"}, ['column "FECHA" + "HORA"', "add how it is written to format", ": 12/31/2026 18:00"]),
    ({"FECHA": "31/11/2026"}, ['column "FECHA" + "HORA"', "no such day", ": 31/11/2026 18:00"]),
    ({"FECHA": "5 de diciembre"}, ['column "FECHA" + "HORA"', ": 5 de diciembre 18:00"]),
    ({"FECHA": "05/12/26"}, ['column "FECHA" + "HORA"', "expected a year from 1900"]),
    ({"FECHA": "FECHA", "HORA": "HORA"}, ['column "FECHA" + "HORA"', ": FECHA HORA"]),
    ({"TITULO": ""}, ['missing: column "TITULO" is empty']),
    ({"TITULO": "   "}, ['missing: column "TITULO" is empty']),
    ({"ID": ""}, ['missing: column "ID" is empty']),
]

# A known day is not lost for an hour, nor a listing for a price or an age.
LEFT_OUT = [
    ({"PRECIO": "1,200"}, ['column "PRECIO"', ": 1,200"]),
    ({"PRECIO": "12,5,0"}, ['column "PRECIO"', ": 12,5,0"]),
    ({"PRECIO": "-3"}, ['column "PRECIO"', "expected a number from 0", ": -3"]),
    ({"PRECIO": "#REF!"}, ['column "PRECIO"', "#REF!"]),
    ({"PRECIO": "05/12/2026"}, ['column "PRECIO"', ": 05/12/2026"]),
    ({"EDAD": "600"}, ['column "EDAD"', "expected an age from 0 to 120", ": 600"]),
    ({"AGOTADO": "quizás"}, ['column "AGOTADO" is no yes and no no', ": quizás"]),
    ({"WEB": "www.e.example"}, ['column "WEB"', "with http", ": www.e.example"]),
]


@pytest.mark.parametrize(("cells", "expected"), CELLS, ids=[str(cells) for cells, _ in CELLS])
def test_a_wrong_cell_costs_its_row_and_is_named(tmp_path: Path, cells: dict[str, str], expected: list[str]) -> None:
    names, problems = read(tmp_path, "agenda.csv", make_csv(make_row(**cells)))
    assert names == ["Cine"]
    assert [words for words in ["agenda: line 3", *expected] if words not in problems] == [], problems


@pytest.mark.parametrize(
    ("cells", "price", "start"),
    [
        ({"PRECIO": "12.50"}, 12.5, "18:00"),
        ({"PRECIO": "1,200.00"}, 1200, "18:00"),
        ({"PRECIO": "Gratis"}, 0, "18:00"),
        ({"PRECIO": "5-10 €"}, 5, "18:00"),
        ({"PRECIO": "5 € niños"}, 5, "18:00"),
        ({"HORA": "18.00"}, 12.5, "18:00"),
        ({"HORA": "6:30 p.m."}, 12.5, "18:30"),
    ],
)
def test_what_is_written_otherwise_than_the_mapping_says_is_read_as_a_person_would(
    tmp_path: Path, cells: dict[str, str], price: float, start: str
) -> None:
    (tmp_path / "agenda.csv").write_bytes(make_csv(make_row(**cells)))
    (tmp_path / "outings.toml").write_text(f'{CITY}url = "agenda.csv"\n\n{MAP}', encoding="utf-8")
    configuration = read_configuration(tmp_path / "outings.toml", {})
    record = read_feed(configuration.feeds[0], configuration).records[-1]
    assert (record.price.min, f"{record.starts_local:%H:%M}") == (price, start)


def test_a_day_is_published_without_an_hour_that_there_is_not_which_is_counted(tmp_path: Path) -> None:
    (tmp_path / "agenda.csv").write_bytes(make_csv(make_row(HORA="25:00")))
    (tmp_path / "outings.toml").write_text(f'{CITY}url = "agenda.csv"\n\n{MAP}', encoding="utf-8")
    configuration = read_configuration(tmp_path / "outings.toml", {})
    feed_read = read_feed(configuration.feeds[0], configuration)
    assert feed_read.records[-1].date_on == date(2026, 12, 5)
    assert feed_read.unread == ('starts_local (hour): 1 of 2 texts not understood: "25:00"',)


def test_a_day_beside_a_column_of_times_is_no_hour_that_nobody_understands(tmp_path: Path) -> None:
    (tmp_path / "agenda.csv").write_text("name,time,day\nOwls,2026-12-05 10:30:00,12/05/2026\n")
    rule = '{ join = ["time", "day"], format = "%Y-%m-%d %H:%M:%S %m/%d/%Y" }'
    mapping = f'map = {{ type = {{ value = "event" }}, source_id = "name", name = "name", starts_local = {rule} }}'
    (tmp_path / "outings.toml").write_text(f'{CITY}url = "agenda.csv"\n{mapping}\n', encoding="utf-8")
    configuration = read_configuration(tmp_path / "outings.toml", {})
    feed_read = read_feed(configuration.feeds[0], configuration)
    assert f"{feed_read.records[-1].starts_local:%F %H:%M}" == "2026-12-05 10:30"
    assert feed_read.unread == ()


@pytest.mark.parametrize(("cells", "expected"), LEFT_OUT, ids=[str(cells) for cells, _ in LEFT_OUT])
def test_a_wrong_price_age_hour_or_link_is_left_out_and_named(
    tmp_path: Path, cells: dict[str, str], expected: list[str]
) -> None:
    names, problems = read(tmp_path, "agenda.csv", make_csv(make_row(**cells)))
    assert names == ["Cine", "Malo"]
    assert [words for words in ["agenda: line 3", *expected] if words not in problems] == [], problems


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("2;Malo;uno;05/12/2026;18:00;12,50;41,65;-4,72;no;6;https://e.example", "has 11 fields and the header 10"),
        ("2;Malo 05/12/2026;18:00;12,50;41,65;-4,72;no;6;https://e.example", "has 9 fields and the header 10"),
        ("Agenda de diciembre", "has 1 fields and the header 10"),
        (make_row(TITULO='"Malo" uno'), 'a quote (")'),
        (make_row(TITULO="x" * 200_000), "a field has more than"),
    ],
    ids=["a field too many", "a field too few", "a heading", "a quote", "a long text"],
)
def test_a_row_that_is_shifted_is_one_problem(tmp_path: Path, row: str, expected: str) -> None:
    names, problems = read(tmp_path, "agenda.csv", make_csv(row, make_row(ID="3", TITULO="Otro")))
    assert names == ["Cine", "Otro"]
    assert (problems.count("agenda: line 3"), expected in problems) == (1, True), problems


def zip_files(**files: bytes) -> bytes:
    target = BytesIO()
    with zipfile.ZipFile(target, "w") as packed:
        for name, content in files.items():
            packed.writestr(name if "." in name else f"{name}.csv", content)
    return target.getvalue()


def make_sheets(*sheets: list[list[Any]]) -> bytes:
    target = BytesIO()
    with xlsxwriter.Workbook(target) as workbook:
        for rows in sheets:
            sheet = workbook.add_worksheet()
            for number, row in enumerate(rows):
                sheet.write_row(number, 0, row)
    return target.getvalue()


def make_database(*tables: str) -> bytes:
    with closing(sqlite3.connect(":memory:")) as database:
        for table in tables:
            database.execute(f"CREATE TABLE {table} (ID, TITULO)")
        return bytes(database.serialize())


CUT = make_csv(make_row())
SPANISH = make_csv(make_row(TITULO="Niño")).replace("ñ".encode(), b"\xf1")
FILES = [
    ("agenda.csv", b"", "", ["agenda.csv: is empty; expected a line of column names"]),
    ("agenda.csv", b"\n\n\n", "", ["is empty"]),
    ("agenda.csv", b"<!DOCTYPE html><title>Prohibido</title>", "", ["is a web page", "Prohibido", "download"]),
    ("agenda.csv", b"<?xml version='1.0'?><rows/>", "", ["is XML without rows"]),
    ("agenda.xml", b"<?xml version='1.0'?><rows><row", "", ["is no XML, or is cut off"]),
    ("agenda.xml", b"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "", ["with a DOCTYPE"]),
    ("agenda.csv", b"%PDF-1.7 \0", "", ["is a PDF"]),
    ("agenda.csv", CUT[:-30], "", ["line 3, the last, breaks off in the middle of a row; fetch the file again"]),
    ("agenda.csv", make_csv('2;"Malo;05/12/2026'), "", ['line 3: a quote (") is opened and never closed']),
    ("agenda.csv", make_csv().replace(b";", b"^"), "", ["The header was read as: ID^TITULO"]),
    ("agenda.csv", b"Agenda 2026\n" + make_csv(), "", ['names the column "ID"', "it has: Agenda 2026", "set skip"]),
    ("agenda.csv", b"Agenda;cultural\n" + make_csv(), "", ["line 2 has 10 fields and the header 2", "say skip ="]),
    ("agenda.csv", make_csv().replace(b"TITULO", b"NOMBRE"), "", ['map.name: names the column "TITULO"', "it has:"]),
    ("agenda.csv", make_csv(), "skip = 9", ["has no line after the 9 that skip leaves out"]),
    ("agenda.csv", SPANISH, 'encoding = "utf-8"', ["line 3 is not utf-8", "0xf1", 'encoding = "auto"']),
    ("agenda.csv.gz", gzip.compress(make_csv())[:-20], "", ["ends in the middle of its gzip; fetch it again"]),
    ("agenda.zip", zip_files(a=make_csv())[:-30], "", ["is a ZIP (or a spreadsheet) that is cut off"]),
    ("parks.zip", zip_files(**{"parks.shp": b"", "parks.dbf": b""}), "", ["is a Shapefile", "as GeoJSON or CSV"]),
    ("agenda.zip", zip_files(a=make_csv(), b=make_csv()), "", ["is a ZIP with a.csv, b.csv", 'file = "agenda*.csv"']),
    ("agenda.xlsx", make_csv(), "", ["is named .xlsx", "give it the ending of what it is"]),
    ("agenda.xlsx", make_sheets([["x"], ["y"]])[:-500], "", ["that is cut off or damaged; fetch it again"]),
    ("agenda.xlsx", make_sheets([["x"], ["y"]], [["x"], ["y"]]), "", ["has 2 sheets with rows", 'sheet = "Sheet1"']),
    ("agenda.xlsx", make_sheets([["ID"], ["y"]]), 'sheet = "Agenda"', ['has no sheet "Agenda"; there are: Sheet1']),
    ("agenda.json", b'{"results": [{"ID": 1}]}', "", ['its rows inside: results (1)', 'records = "results"']),
    ("agenda.json", b'[{"ID": 1}, {"ID": ', "", ["is cut off", "Fetch it again"]),
    ("agenda.json", b'[{"ID": 1},\n{"ID": x}]', "", ["is no JSON in line 2"]),
    ("agenda.json", b'{"error": "no key"}', "", ["is one object with no list of objects in it"]),
    ("agenda.json", json.dumps({"a": []}).encode(), 'records = "b"', ['has no member "b" in the file', "there are: a"]),
    ("agenda.db", make_database("a", "b"), "", ["has 2 tables: a, b", 'table = "a"']),
    ("agenda.db", make_database("a"), "", ['has no rows in its table "a"']),
    ("agenda.parquet", b"PAR1 cut", "", ["agenda.parquet"]),
]  # fmt: skip


# Packed files have their times in them: a test's name is what is said of its file.
@pytest.mark.parametrize(("name", "content", "settings", "expected"), FILES, ids=[file[3][0][:50] for file in FILES])
def test_a_file_that_is_wrong_gives_no_listing_and_says_what_to_do(
    tmp_path: Path, name: str, content: bytes, settings: str, expected: list[str]
) -> None:
    names, problems = read(tmp_path, name, content, settings=settings)
    assert names == []
    assert [words for words in ["feed agenda: ", *expected] if words not in problems] == [], problems


def test_a_second_header_line_is_no_event(tmp_path: Path) -> None:
    names, problems = read(tmp_path, "agenda.csv", f"{HEADER}\n{HEADER}\n{GOOD}\n".encode())
    assert (names, "agenda: line 2" in problems, "FECHA HORA" in problems) == (["Cine"], True, True)


def test_a_cell_merged_over_two_columns_is_no_event(tmp_path: Path) -> None:
    target = BytesIO()
    with xlsxwriter.Workbook(target) as workbook:
        sheet = workbook.add_worksheet()
        sheet.write_row(0, 0, HEADER.split(";"))
        sheet.write_row(1, 0, GOOD.replace(",", ".").split(";"))
        sheet.write_row(2, 0, ["2", "Malo"])
        sheet.merge_range("C3:D3", "Cerrado por obras")
    names, problems = read(tmp_path, "agenda.xlsx", target.getvalue(), mapping=MAP.replace(', decimal = ","', ""))
    assert names == ["Cine"]
    assert 'line 3: wrong_type: column "FECHA" + "HORA"' in problems
    assert ": Cerrado por obras" in problems
