"""The rows of a file decide what its columns mean where their names mislead, and `init` says so first."""

import json
import tomllib
from pathlib import Path

import duckdb
import pytest

from outings.contract.vocabulary import Vocabulary
from pipeline.clean.cleaning import Origin
from pipeline.drafts.time_notation import list_formats
from pipeline.drafts.trial import Trial
from tests.new_cities.exporting import draft_text as draft
from tests.new_cities.exporting import run

ATTENDANCE = """id,nome_evento,data,hora,publico
1,Noite de jazz,2027-04-14,21:00,214
2,Cinema ao ar livre,2027-04-28,20:00,64
3,Aula de barro,2027-06-12,16:00,37
4,Hora do conto,2027-06-13,10:00,9
"""


def test_a_number_of_visitors_is_no_age(tmp_path: Path) -> None:
    mapping, records, printed = draft(tmp_path, "agenda.csv", ATTENDANCE)
    assert not any("publico" in str(rule) for rule in mapping.values())
    assert all(record.ages.min is None for record in records)
    assert printed.startswith(
        "Look at this first:\n  publico is left out, for as audience 2 of 4 rows would be for one age"
    )


def test_whoever_names_a_doubtful_column_has_it(tmp_path: Path) -> None:
    mapping, records, _ = draft(tmp_path, "agenda.csv", ATTENDANCE, "--column", "age_text=publico")
    assert mapping["ages.min"] == "publico" or mapping["ages.min"]["column"] == "publico"
    assert [record.ages.min for record in records] == [None, 64, 37, 9]


def test_a_column_is_ignored_if_its_reader_says_so(tmp_path: Path) -> None:
    mapping, _, _ = draft(tmp_path, "agenda.csv", ATTENDANCE, "--column", "ignore=hora")
    assert "hora" not in str(mapping)


def test_ages_of_adults_stay_ages(tmp_path: Path) -> None:
    rows = "".join(f"{day},Wine and clay {day},2027-04-{day},{age}+\n" for day, age in [(11, 18), (12, 21), (13, 16)])
    _, records, printed = draft(tmp_path, "agenda.csv", "id,title,date,ages\n" + rows)
    assert [record.ages.min for record in records] == [18, 21, 16]
    assert "left out" not in printed


def test_a_day_with_its_year_is_preferred_to_one_without(tmp_path: Path) -> None:
    rows = [
        {"titre": "Fête du miel", "date": "Du 3 au 5 octobre", "date_debut": "2023-10-03"},
        {"titre": "Bourse aux jouets", "date": "Samedi 4 novembre", "date_debut": "2023-11-04"},
        {"titre": "Ciné-goûter", "date": "Dimanche 12 novembre", "date_debut": "2023-11-12"},
    ]
    mapping, records, _ = draft(tmp_path, "agenda.json", json.dumps(rows))
    assert mapping["starts_local"] == "date_debut"
    assert {record.date_on.year for record in records} == {2023}


def test_weekdays_beside_whole_times_make_no_classes(tmp_path: Path) -> None:
    text = """title,location,start_time,end_time,day_of_week
Sheep shearing,Barn,2027-08-10 10:00:00,2027-08-10 12:00:00,Tue
Pie contest,Hall,2027-08-11 15:00:00,2027-08-11 15:30:00,Wed
Goat yoga,Meadow,2027-08-12 09:00:00,2027-08-12 11:00:00,Thu
"""
    _, records, _ = draft(tmp_path, "fair.csv", text)
    assert [(record.type, str(record.starts_local)[11:16], str(record.ends_local)[11:16]) for record in records] == [
        ("event", "10:00", "12:00"), ("event", "15:00", "15:30"), ("event", "09:00", "11:00"),
    ]  # fmt: skip


def test_numbers_that_are_mostly_zero_are_no_prices(tmp_path: Path) -> None:
    text = """_id,Course Title,First Date,Start Hour,Start Minute
1,Public Swim,2027-11-30,13,0
2,Family Art,2027-12-01,10,0
3,Tot Gym,2027-12-03,9,30
"""
    mapping, records, _ = draft(tmp_path, "drop-in.csv", text)
    assert not any(member.startswith("price") for member in mapping)
    assert {record.price.is_free for record in records} == {None}


def test_the_lowest_price_is_the_one_that_each_row_has(tmp_path: Path) -> None:
    prices = [(12, 12), (22, None), (45.5, None), (30, None)]
    rows = [
        {"title": f"Concert {number}", "schedule": {"start": f"2027-05-{number + 10}T20:00:00"},
         "price": {"currency": "EUR", "min_amount": low, "max_amount": high}}
        for number, (low, high) in enumerate(prices)
    ]  # fmt: skip
    _, records, _ = draft(tmp_path, "concerts.json", json.dumps(rows))
    assert [(record.price.min, record.price.max) for record in records] == prices


def test_a_place_has_its_own_name_and_not_that_of_its_kind(tmp_path: Path) -> None:
    text = """OBJECTID,Anlage,Typ,Lon,Lat
1,Rosenau,Ballspielplatz,4.83,45.76
2,Mühlgasse,Spielplatz,4.84,45.77
3,Am Hang,Spielplatz,4.82,45.75
4,Seepark,Spielplatz,4.81,45.74
"""
    _, records, printed = draft(tmp_path, "plaetze.csv", text)
    assert [record.name for record in records] == ["Rosenau", "Mühlgasse", "Am Hang", "Seepark"]
    assert "Anlage is taken as name" in printed


@pytest.mark.parametrize(
    ("name", "first", "last", "hours", "start", "end"),
    [
        ("without hours", "2027-07-01", "2027-07-05", "", "2027-07-01", "2027-07-06T00:00"),
        ("without a last day", "2027-08-02", "", "5:00 PM – 7:00 PM", "2027-08-02T17:00", "2027-08-02T19:00"),
        ("with both", "2027-07-27", "2027-08-14", "14h-18h", "2027-07-27T14:00", "2027-08-14T18:00"),
        ("until midnight", "2027-06-25", "2027-06-27", "19-24 Uhr", "2027-06-25T19:00", "2027-06-28T00:00"),
        ("since an hour", "2027-08-01", "2027-08-01", "Dès 18h", "2027-08-01T18:00", None),
    ],
)
def test_an_end_is_read_from_whichever_columns_have_it(
    tmp_path: Path, name: str, first: str, last: str, hours: str, start: str, end: str | None
) -> None:
    others = (
        "Grand pique-nique,2027-09-01,2027-09-02,10h-12h\nBal,2027-09-03,2027-09-03,20h-23h\nJeux,2027-09-04,,9h-10h\n"
    )
    _, records, _ = draft(tmp_path, "agenda.csv", f"Nom,Début,Fin,Horaires\n{name},{first},{last},{hours}\n{others}")
    record = records[0]
    assert (record.starts_local or record.date_on).isoformat()[:16] == start
    assert (record.ends_local and record.ends_local.isoformat()[:16]) == end


def test_the_day_of_an_event_is_found_in_the_category_of_a_feed_of_news(tmp_path: Path) -> None:
    days = [("Puppets", "2027/10/08 (Fri)"), ("Chess", "2027/10/12 (Tue)"), ("Story time", "2027/10/13 (Wed)")]
    items = "".join(f"<item><title>{name}</title><category>{day}</category></item>" for name, day in days)
    text = f'<rss version="2.0"><channel><title>News</title>{items}</channel></rss>'
    _, records, _ = draft(tmp_path, "feed.xml", text)
    assert [str(record.date_on) for record in records] == ["2027-10-08", "2027-10-12", "2027-10-13"]


def test_what_is_not_placed_is_named_by_its_path(tmp_path: Path) -> None:
    inside = [{"titre": f"Atelier {day}", "date_debut": f"2027-11-{day}", "jauge": f"{day} places"} for day in (10, 11)]
    rows = [{"id": own["titre"], "fields": own} for own in inside]
    draft(tmp_path, "agenda.json", json.dumps({"records": rows}))
    checked = run("check", "-c", str(tmp_path / "outings.toml"))
    assert "columns not placed: fields.jauge" in checked.output
    assert "Nothing is wrong" not in checked.output


def test_places_are_of_the_kind_that_the_files_name_says_where_no_column_does(tmp_path: Path) -> None:
    mapping, _, _ = draft(tmp_path, "playgrounds.csv", "id,name,lat,lng\n1,Rosenau,45.76,4.83\n2,Seepark,45.77,4.84\n")
    assert mapping["type_hint"] == {"value": "playground"}


def test_the_type_of_an_attachment_is_no_keyword(tmp_path: Path) -> None:
    rows = "".join(f"{day},Concert {day},2027-04-{day},image/jpeg\n" for day in (11, 12, 13))
    mapping, records, _ = draft(tmp_path, "agenda.csv", "id,title,date,type\n" + rows)
    assert "keywords" not in mapping
    assert all(record.keywords == () for record in records)


def test_a_center_outside_of_the_points_is_inside_the_bounds(tmp_path: Path) -> None:
    rows = "".join(f"{place},Park {place},46.{place:03},5.5\n" for place in range(200))
    draft(tmp_path, "parks.csv", "id,name,lat,lng\n" + rows, "--center", "45.2,5.5")
    (metro,) = tomllib.loads((tmp_path / "outings.toml").read_text())["metros"]
    assert metro["bounds"]["south"] < 45.2 < metro["bounds"]["north"]


def test_an_id_is_not_made_of_long_texts(tmp_path: Path) -> None:
    rows = "".join(f"Clay,2027-04-11,{'long ' * 300}{row}\n" for row in range(3))
    mapping, records, _ = draft(tmp_path, "agenda.csv", "title,date,description\n" + rows)
    assert "description" not in str(mapping["source_id"])
    assert records


@pytest.mark.parametrize(
    ("columns", "row", "said"),
    [
        (
            "title,programme,date",
            "Library,Session {0},2027-05-1{0}",
            "programme is taken as name, for otherwise 6 of 6",
        ),
        (
            "title,date,xyz",
            "Walk {0},{1},2027-05-1{0}",
            "xyz is taken as start_date, for otherwise 3 of 6 rows would have no",
        ),
        ("title,date,until", "Walk {0},2027-05-1{0},2027-04-2{0}", "until is left out, for as end_date 6 of 6"),
        ("title,date,when", "Walk {0},{2},2027-05-1{0} 10:00", "when is taken as start_date, for otherwise 3 of 6"),
    ],
    ids=["one name of all", "no date", "ends before starts", "no days"],
)
def test_another_column_is_tried_where_rows_lose_by_the_one_that_is_named_so(
    tmp_path: Path, columns: str, row: str, said: str
) -> None:
    cells = [("", "soon") if place % 2 else (f"2027-05-1{place}",) * 2 for place in range(6)]
    rows = "".join(f"{place},{row.format(place, *cells[place])}\n" for place in range(6))
    _, _, printed = draft(tmp_path, "agenda.csv", f"id,{columns}\n{rows}")
    assert said in " ".join(printed.partition("agenda.csv:")[0].split())


def test_each_trial_has_all_rows_also_those_that_failed_in_the_last_one() -> None:
    failing = "SELECT 'event' AS type, id AS source_id, id AS name, {'min': fee::DOUBLE} AS price FROM feed"
    origin = Origin(
        feed="agenda", metro="lyon", delta=False, metros={"lyon": "lyon"}, vocabulary=Vocabulary(), is_mapped=True
    )
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE feed AS FROM (VALUES ('a', '5'), ('b', 'ask us'), ('c', '7')) AS rows (id, fee)"
        )
        trial = Trial(connection, origin, lambda _: failing, seconds=60)
        first, second = trial.run({}), trial.run({})
    assert (first.rows, first.faults["lost"]) == (second.rows, second.faults["lost"]) == (3, 1)


@pytest.mark.parametrize(
    "text", ["7", "12", "6-12", "3/5", "12.50", "2027", "Tuesday 7", "December 2027", "2 Saturday", "09:00 - 16:00"]
)
def test_a_text_without_a_whole_day_suggests_no_format_of_a_date(text: str) -> None:
    assert list_formats(text, months_first=False) == []
