"""Cells as people type them: `outings init` drafts what each says, and nothing where it can't tell."""

import json
import re
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.new_cities.exporting import Ask, run

CITY = ("--metro", "Boise", "--center", "43.615,-116.202", "--timezone", "America/Boise", "--yes")

# Least and greatest age; None is no limit, or not said.
AGES = {
    "3-5": (3, 5), "8–12": (8, 12), "Ages 5 to 12": (5, 12), "2 - 4 yrs": (2, 4), "De 6 a 12 años": (6, 12),
    "6-12 (with an adult)": (6, 12), "Edad: 4 y 5 años": (4, 5), "3 years to 5 years old": (3, 5),
    "18+": (18, None), "+18": (18, None), "13 and up": (13, None), "A partir de 4": (4, None), "7": (7, 7),
    "6 años o más": (6, None), "Hasta 5 años": (0, 5), "Up to 5 yrs": (0, 5), "Under 5": (0, 4),
    "K-2": (5, 8), "Grades 3-5": (8, 11), "3rd-5th grade": (8, 11),
    "6 mos - 2 yrs": (0, 2), "6-18 months": (0, 1), "5 and under": (0, 5),
    "4 y menores": (0, 4), "18 Monate bis 3 Jahre": (1, 3), "All ages": (None, None),
}  # fmt: skip
# Least and greatest price, and the note.
PRICES = {
    "$12.50": (12.5, 12.5, None), "10": (10, 10, None), "$1,200": (1200, 1200, None),
    "$5-10": (5, 10, "$5-10"), "$5.50 – $8": (5.5, 8, "$5.50 – $8"), "5 to 10 dollars": (5, 10, "5 to 10 dollars"),
    "Free": (0, 0, "Free"), "Free (drop in)": (0, 0, "Free (drop in)"),
    "Free with admission": (None, None, "Free with admission"), "Free for members": (None, None, "Free for members"),
    "$5/child": (5.0, 5.0, "$5/child"), "5/10": (5, 10, "5/10"), "TBD": (None, None, "TBD"),
}  # fmt: skip


AskFor = Callable[[str, Sequence[str]], list[Any]]
COLUMN = {"ages": "Ages", "price": "Fee"}


@pytest.fixture
def ask_for(tmp_path: Path, serve_folder: Callable[[Path], Ask]) -> AskFor:
    """The member of each listing of a table in which its column has these cells, as drafted."""

    def publish(member: str, cells: Sequence[str]) -> list[Any]:
        rows = [f'{row},Program {row:02},2026-12-10,"{cell}"' for row, cell in enumerate(cells)]
        (tmp_path / "agenda.csv").write_text("\n".join([f"ID,Title,Date,{COLUMN[member]}", *rows]) + "\n")
        drafted = run("init", str(tmp_path / "agenda.csv"), "-c", str(tmp_path / "outings.toml"), *CITY)
        assert drafted.exit_code == 0, drafted.output
        path = f"/v1/boise/events?limit=100&audience=all&min_confidence=0&fields=name,{member}"
        page = serve_folder(tmp_path)(path)["data"]
        return [item[member] for item in sorted(page, key=lambda item: item["name"])]

    return publish


def test_an_age_is_what_its_cell_says(ask_for: AskFor) -> None:
    ages = ask_for("ages", list(AGES))
    assert dict(zip(AGES, [(age["min"], age["max"]) for age in ages], strict=True)) == AGES
    assert [age["text"] for age in ages] == list(AGES)


def test_a_price_is_what_its_cell_says_and_none_is_lost(ask_for: AskFor) -> None:
    prices = ask_for("price", list(PRICES))
    assert dict(zip(PRICES, [(price["min"], price["max"], price["note"]) for price in prices], strict=True)) == PRICES


def test_a_point_that_is_wrong_in_one_row_is_found_in_the_others(tmp_path: Path) -> None:
    rows = [f"{row},Program {row},2026-12-10,43.61,-116.2" for row in range(20)]
    swapped = "20,Program 20,2026-12-10,-116.2,43.61"
    (tmp_path / "agenda.csv").write_text("\n".join(["ID,Title,Date,Lat,Long", *rows, swapped]) + "\n")
    done = run("init", str(tmp_path / "agenda.csv"), "-c", str(tmp_path / "outings.toml"), *CITY)
    assert "agenda.csv: table, 21 rows, 20 records" in done.stdout
    assert 'line 22: out_of_range: column "Lat": expected degrees from -90 to 90' in done.stdout


def test_a_price_below_0_is_left_out_and_its_row_stays(tmp_path: Path) -> None:
    rows = [f'{row},Program {row},2026-12-10,"{fee}"' for row, fee in enumerate(["$5-10", "-5", "-$5", "$7"])]
    (tmp_path / "agenda.csv").write_text("\n".join(["ID,Title,Date,Fee", *rows]) + "\n")
    done = run("init", str(tmp_path / "agenda.csv"), "-c", str(tmp_path / "outings.toml"), *CITY)
    assert "agenda.csv: table, 4 rows, 4 records" in done.stdout
    check = run("check", "-c", str(tmp_path / "outings.toml"))
    assert 'price.min: 2 of 4 texts not understood: "-$5", "-5"' in check.stdout


def test_one_role_may_have_a_column_in_each_of_several_files(tmp_path: Path) -> None:
    for name, title in (("camps.csv", "What"), ("walks.csv", "Thing")):
        (tmp_path / name).write_text(f"ID,{title},Date\n1,Robots,2026-12-10\n")
    files = [str(tmp_path / name) for name in ("camps.csv", "walks.csv")]
    config = tmp_path / "outings.toml"
    done = run("init", *files, "-c", str(config), "--column", "name=What", "--column", "name=Thing", *CITY)
    assert done.exit_code == 0, done.output
    assert [feed["map"]["name"] for feed in tomllib.loads(config.read_text())["feeds"]] == ["What", "Thing"]


def test_from_and_to_are_clocks_where_a_day_stands_beside_them(tmp_path: Path) -> None:
    (tmp_path / "camps.csv").write_text("Camp Title,When,From,To\nRobots,12/10/2026,9:00 AM,3:00 PM\n")
    done = run("init", str(tmp_path / "camps.csv"), "-c", str(tmp_path / "outings.toml"), *CITY)
    assert "  Robots\n    event · Thu 2026-12-10 09:00 · to 15:00\n" in done.stdout


def test_a_draft_that_merges_rows_or_hides_them_says_so_first(tmp_path: Path) -> None:
    rows = [f"{row % 5},Program {row},{'2099-12-10' if row < 15 else ''}" for row in range(20)]
    (tmp_path / "agenda.csv").write_text("\n".join(["ID,Title,Date", *rows]) + "\n")
    columns = ("--column", "source_id=ID")
    done = run("init", str(tmp_path / "agenda.csv"), "-c", str(tmp_path / "outings.toml"), *columns, *CITY)
    printed = " ".join(done.output.split())
    assert printed.startswith(
        "Look at this first: 15 of 20 rows are merged, because they have the source_id of another row, such as line"
    )
    assert "5 of 20 rows are hidden because they have no date (starts_local or date_on)" in printed


KML = """<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2"><Document><Folder><name>Centro</name>
<Placemark id="p1"><name>Jesuitas</name><ExtendedData><Data name="EDAD"><value>3-12</value></Data></ExtendedData>
<Point><coordinates>-5.6511,40.965,0</coordinates></Point></Placemark>
<Placemark id="p2"><name>Alamedilla</name><Point><coordinates>-5.656,40.969</coordinates></Point></Placemark></Folder>
<Folder><name>Garrido</name><Placemark id="p3"><name>Picasso</name><Polygon><outerBoundaryIs><LinearRing><coordinates>
-5.649,40.975 -5.647,40.975 -5.647,40.977 -5.649,40.977 -5.649,40.975</coordinates></LinearRing></outerBoundaryIs>
</Polygon></Placemark></Folder></Document></kml>"""


def draft_first(tmp_path: Path, file: str, text: str, *options: str) -> list[dict[str, str]]:
    """The first records of a drafted file, as `init` shows them."""
    (tmp_path / file).write_text(text)
    done = run("init", str(tmp_path / file), "-c", str(tmp_path / "outings.toml"), "--json", "--yes", *options)
    assert done.exit_code == 0, done.output
    (feed,) = json.loads(done.stdout)["feeds"]
    first: list[dict[str, str]] = feed["first"]
    return first


def test_each_placemark_of_a_map_is_a_place_with_its_point_and_data(tmp_path: Path) -> None:
    places = draft_first(tmp_path, "parques.kml", KML, "--metro", "Salamanca")
    assert [(place["type"], place["source_id"], place["name"]) for place in places] == [
        ("place", "p1", "Jesuitas"), ("place", "p2", "Alamedilla"), ("place", "p3", "Picasso"),
    ]  # fmt: skip
    assert [json.loads(place["location"]) for place in places] == [
        {"lat": 40.965, "lng": -5.6511}, {"lat": 40.969, "lng": -5.656}, {"lat": 40.976, "lng": -5.648},
    ]  # fmt: skip
    assert json.loads(places[0]["ages"]) == {"min": 3, "max": 12, "text": "3-12"}
    assert not any("keywords" in place for place in places)  # what kind of shape it is says nothing of the place


def test_a_program_with_weekdays_and_a_range_of_dates_meets_on_those_days_alone(tmp_path: Path) -> None:
    rows = "Tumbling,Mon,1/11/2027 - 3/1/2027,9:30-10:15 AM\nBasketball,Tue/Thu,1/12/2027 - 2/25/2027,4-5 PM\n"
    first, second = draft_first(tmp_path, "winter.csv", f"Program,Day,Dates,Time\n{rows}", *CITY)
    assert first["type"] == second["type"] == "class"
    assert json.loads(first["term"]) == {"starts_on": "2027-01-11", "ends_on": "2027-03-01"}
    assert json.loads(first["schedule"]) == {"days": ["monday"], "start_time": "09:30:00", "end_time": "10:15:00"}
    assert json.loads(second["schedule"])["days"] == ["tuesday", "thursday"]


def test_the_offset_of_a_time_is_no_age(tmp_path: Path) -> None:
    (first,) = draft_first(tmp_path, "agenda.csv", "Title,Start\nConcert,2026-12-11T12:00:00+01:00\n", *CITY)
    assert first["starts_local"] == "2026-12-11T04:00:00"
    assert "ages" not in first


def test_an_address_may_be_shortened_in_its_columns_name(tmp_path: Path) -> None:
    (first,) = draft_first(tmp_path, "parks.csv", "PARK_NAME,FULL_ADDR\nEnger Park,1601 Enger Tower Dr\n", *CITY)
    assert json.loads(first["location"])["address"] == "1601 Enger Tower Dr"


def test_marks_and_blanks_around_what_was_pasted_are_none_of_it(tmp_path: Path) -> None:
    text = "Title\tStart\n\u200eFair\u200f\t\u200e12/05/2026 10:00\u200e\xa0\n"
    (first,) = draft_first(tmp_path, "agenda.csv", text, *CITY)
    assert (first["name"], first["starts_local"]) == ("Fair", "2026-12-05T10:00:00")


def test_control_characters_of_a_file_reach_neither_the_draft_nor_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "agenda.csv").write_text(
        "Title,Start,No\x1bte\nNight fair\x00\x1b[31m \u202ein town,2026-12-05,\x1b]0;x\x07\n"
    )
    config = tmp_path / "outings.toml"
    done = run("init", str(tmp_path / "agenda.csv"), "-c", str(config), *CITY)
    assert done.exit_code == 0, done.output
    assert not re.search("[\x00-\x08\x0b-\x1f\u202e]", done.output)
    assert tomllib.loads(config.read_text())["feeds"][0]["map"]["name"] == "Title"


def test_xml_that_begins_with_its_first_element_is_a_table(tmp_path: Path) -> None:
    rows = "<event><title>A</title><day>2026-12-05</day></event><event><title>B</title><day>2026-12-06</day></event>"
    first, second = draft_first(tmp_path, "agenda.xml", f"<events>{rows}</events>", *CITY)
    assert (first["name"], first["date_on"], second["name"]) == ("A", "2026-12-05", "B")
