"""Hostile and enormous feeds of every format: each is an error of that feed alone, which names the setting."""

import gzip
import io
import json
import sqlite3
import zipfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
import xlsxwriter
from click.testing import CliRunner, Result

from command import main
from tests.settings import format_metro

CITY = ("--metro", "Valladolid", "--center", "41.65,-4.72", "--timezone", "Europe/Madrid", "--yes")
METRO = format_metro("valladolid")
MAP = """
[feeds.map]
type = { value = "event" }
source_id = "id"
name = "title"
date_on = "date"
"""
BOUNDS = "max_bytes = 400_000\nmax_rows = 50\nmax_columns = 20\nmax_seconds = 1\n"
NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
VIEW = "SELECT i AS id, {title} AS title, '2026-12-01' AS date FROM n"
EVENT = {"type": "event", "name": "x", "starts_local": "2099-12-01T10:00"}
ITEMS = [{"@type": "Event", "@id": f"e:{at}", "name": "x", "startDate": "2099-12-01T10:00"} for at in range(51)]
VEVENT = "BEGIN:VEVENT\nUID:{}\nSUMMARY:x\nDTSTART:20991201T100000\nEND:VEVENT\n"
CALENDAR = f"BEGIN:VCALENDAR\nVERSION:2.0\n{''.join(map(VEVENT.format, range(51)))}END:VCALENDAR\n"
HEADER = ["id", "title", "date"]
ROW = ["1", "x", "2099-12-01"]


def make_rows(count: int) -> list[dict[str, object]]:
    return [{"id": at, "title": "x", "date": "2099-12-01"} for at in range(count)]


def nest(depth: int) -> str:
    return '{"a":' * depth + "1" + "}" * depth


def make_sheet(*, columns: int = 3, rows: int = 1, far: bool = False) -> bytes:
    made = io.BytesIO()
    with xlsxwriter.Workbook(made) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, [*HEADER, *(f"c{at}" for at in range(columns - 3))])
        for at in range(1, rows + 1):
            sheet.write_row(at, 0, ROW)
        if far:
            sheet.write(1_048_575, 16_383, "far out")
    return made.getvalue()


def make_database(folder: Path, view: str) -> bytes:
    path = folder / "made.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"CREATE VIEW v AS {view}")
    content = path.read_bytes()
    path.unlink()
    return content


def make_parquet(folder: Path, select: str) -> bytes:
    path = folder / "made.parquet"
    duckdb.sql(select).write_parquet(str(path))
    return path.read_bytes()


def pack(files: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in files.items():
            opened.writestr(name, content)
    return packed.getvalue()


def make_files(folder: Path) -> dict[str, bytes]:
    names = [f"c{at}" for at in range(18)]
    long_text = ",".join(HEADER).encode() + b"\n" + b"1,x,2099-12-01\n" * 30_000
    wide = dict.fromkeys(names, 1)
    collection = {
        "type": "FeatureCollection",
        "features": [{"type": "Feature", "properties": {"id": 1, "title": "x"} | wide}],
    }
    return {
        "far.xlsx": make_sheet(far=True),
        "wide.xlsx": make_sheet(columns=21),
        "long.xlsx": make_sheet(rows=51),
        "wide.csv": ",".join([*HEADER, *names]).encode() + b"\n1,x,2099-12-01" + b",x" * 18,
        "long.csv": b"id,title,date\n" + b"1,x,2099-12-01\n" * 51,
        "large.csv": long_text,
        "large.csv.gz": gzip.compress(long_text),
        "large.zip": pack({"a.csv": long_text}),
        "many.zip": pack({f"{at}.csv": b"" for at in range(1_001)}),
        "wide.json": json.dumps([{name: 1} for name in [*HEADER, *names]]).encode(),
        "nested.json": json.dumps([{"id": 1, "a": wide | {"b": 1, "c": [{"d": 1}]}}]).encode(),
        "long.json": json.dumps(make_rows(51)).encode(),
        "deep.json": f'[{{"id": 1, "title": {nest(50_000)}}}]'.encode(),
        "wide.geojson": json.dumps(collection).encode(),
        "deep.geojson": ('{"type":"FeatureCollection","features":' + "[" * 50_000 + "]" * 50_000 + "}").encode(),
        "long.jsonl": "\n".join(map(json.dumps, make_rows(51))).encode(),
        "wide.parquet": make_parquet(folder, f"SELECT 1 AS id, {', '.join(f'1 AS c{at}' for at in range(20))}"),
        "long.parquet": make_parquet(folder, "SELECT range AS id FROM range(51)"),
        "long.sqlite": make_database(folder, f"{NUMBERS} {VIEW.format(title='1')}"),
        "slow.sqlite": make_database(folder, f"{NUMBERS} {VIEW.format(title='1')} WHERE i < 0"),
        "fat.sqlite": make_database(folder, f"{NUMBERS} {VIEW.format(title='hex(zeroblob(400000000))')}"),
        "wide.sqlite": make_database(folder, f"SELECT {', '.join(f'1 AS c{at}' for at in range(21))}"),
        "long.ndjson": "\n".join(json.dumps(EVENT | {"source_id": str(at)}) for at in range(51)).encode(),
        "long.ics": CALENDAR.encode(),
        "long.jsonld": json.dumps({"@context": "https://schema.org", "@graph": ITEMS}).encode(),
        "deep.jsonld": nest(50_000).encode(),
        "header.csv": b"id,title,date\n",
        "unknown.csv": b"qq,zz\n1,2\n3,4\n",
    }


ROWS = "has more than the 50 rows that max_rows allows"
COLUMNS = "has 21 columns, more than the 20 that max_columns allows"
BYTES = "has more than the 400,000 bytes that max_bytes allows"
MESSAGES = {
    "far.xlsx": "needs more memory than the 4,294,967,296 bytes that max_memory allows", "wide.xlsx": COLUMNS,
    "long.xlsx": ROWS, "wide.csv": COLUMNS, "long.csv": ROWS, "large.csv": BYTES, "large.csv.gz": BYTES,
    "large.zip": BYTES, "many.zip": "is a ZIP with 1,001 files to read; allowed: 1,000, which file chooses",
    "wide.json": COLUMNS, "nested.json": "has 23 columns, more than the 20 that max_columns allows", "long.json": ROWS,
    "deep.json": "is nested too deep", "wide.geojson": "has 22 columns, more than the 20 that max_columns allows",
    "deep.geojson": "is nested too deep", "long.jsonl": ROWS, "wide.parquet": COLUMNS, "long.parquet": ROWS,
    "long.sqlite": ROWS,
    "slow.sqlite": "takes longer to read than max_seconds = 1 allows (seconds of a processor)",
    "fat.sqlite": "string or blob too big", "wide.sqlite": COLUMNS, "long.ndjson": ROWS, "long.ics": ROWS,
    "long.jsonld": ROWS, "deep.jsonld": "nested too deep",
}  # fmt: skip


pytestmark = pytest.mark.xdist_group("bounds of feeds")  # one worker checks all the files


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The hostile files; to be read only."""
    folder = tmp_path_factory.mktemp("hostile")
    for name, content in make_files(folder).items():
        (folder / name).write_bytes(content)
    return folder


def write_feed(name: str) -> str:
    kind = name.rpartition(".")[2]
    format_ = kind if kind in ("ndjson", "ics", "jsonld") else "table"
    choice = 'file = "*"\n' if name == "many.zip" else ""
    mapping = MAP if format_ == "table" else ""
    head = f'[[feeds]]\nname = "{name.replace(".", "-")}"\nmetro = "valladolid"\nformat = "{format_}"\nurl = "{name}"\n'
    return head + choice + BOUNDS + mapping


@pytest.fixture(scope="module")
def checked(folder: Path) -> dict[str, object]:
    """One check of all of them, and of a good feed behind them."""
    texts = [
        "",
        *(sign * (600_000 // len(sign)) + ">" for sign in ("<a ", "<!--", "</", '<a b="', "<script>", "<![", "&")),
    ]
    good = [json.dumps(EVENT | {"source_id": str(at), "description": text}) for at, text in enumerate(texts)]
    (folder / "good.ndjson").write_text("\n".join(good), encoding="utf-8")
    text = METRO + "".join(map(write_feed, MESSAGES)) + write_feed("good.ndjson").replace("400_000", "10_000_000")
    (folder / "outings.toml").write_text(text, encoding="utf-8")
    done = CliRunner().invoke(main, ["check", "-c", str(folder / "outings.toml"), "--json"])
    assert done.exit_code == 1, done.output
    report: dict[str, object] = json.loads(done.stdout)
    return report


@pytest.mark.parametrize("name", MESSAGES)
def test_what_is_beyond_a_bound_is_an_error_that_names_the_feed_and_the_setting(
    checked: Mapping[str, list[str]], name: str
) -> None:
    [error] = [error for error in checked["errors"] if error.startswith(f"feed {name.replace('.', '-')}: ")]
    assert MESSAGES[name] in error


def test_a_feed_behind_them_is_read_though_its_texts_are_markup_that_never_ends(
    checked: Mapping[str, list[Mapping[str, object]]],
) -> None:
    """Within a second of a processor. By the square of their length they would take hours."""
    assert [(feed["feed"], feed["listings"]) for feed in checked["feeds"]] == [("good-ndjson", 8)]


def test_a_build_ends_with_the_error_of_the_feed(folder: Path, tmp_path: Path) -> None:
    text = METRO + write_feed("far.xlsx").replace('"far.xlsx"', f'"{folder}/far.xlsx"')
    (tmp_path / "outings.toml").write_text(text, encoding="utf-8")
    done = CliRunner().invoke(main, ["build", "-c", str(tmp_path / "outings.toml"), "--workers", "1"])
    assert done.exit_code == 1
    assert "far-xlsx: " in done.stderr
    assert MESSAGES["far.xlsx"] in done.stderr


def test_a_select_that_needs_too_much_memory_names_the_setting(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id\n1\n")
    greedy = "SELECT 'event' AS type, '1' AS source_id, list(range)::VARCHAR AS name FROM feed, range(1000000000)"
    (tmp_path / "greedy.sql").write_text(greedy)
    settings = 'format = "table"\nurl = "a.csv"\nselect = "greedy.sql"\nmax_memory = 800_000_000\n'
    text = f'{METRO}[[feeds]]\nname = "a"\nmetro = "valladolid"\n{settings}'
    (tmp_path / "outings.toml").write_text(text, encoding="utf-8")
    done = CliRunner().invoke(main, ["check", "-c", str(tmp_path / "outings.toml")])
    assert done.exit_code == 1
    assert "needs more memory than the 800,000,000 bytes that max_memory allows" in done.stderr


def draft(folder: Path, name: str, config: Path) -> Result:
    return CliRunner().invoke(main, ["init", str(folder / name), *CITY, "-c", str(config)])


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [
        ("far.xlsx", 1, "needs more memory than the 4,294,967,296 bytes that max_memory allows"),
        ("header.csv", 1, "has no rows to learn from, only the columns id, title, date; add one"),
        ("unknown.csv", 2, "no column of unknown.csv is known as the name; it has: qq (1, 3), zz (2, 4)"),
        ("deep.json", 1, "is nested too deep"),
        ("deep.geojson", 1, "is nested too deep"),
        ("fat.sqlite", 1, "string or blob too big"),
    ],
)
def test_init_says_what_is_wrong_with_a_file_and_writes_nothing(
    folder: Path, tmp_path: Path, name: str, code: int, message: str
) -> None:
    done = draft(folder, name, tmp_path / "outings.toml")
    assert done.exit_code == code, done.output
    assert message in done.stderr
    assert not any(tmp_path.iterdir())
