"""Files as the portals of several countries publish them: what a person would expect of each, at first sight."""

import json
from pathlib import Path
from typing import Any

from tests.new_cities.exporting import draft_text as draft


def make_features(rows: list[dict[str, Any]]) -> str:
    features = [
        {
            "type": "Feature",
            "properties": row,
            "geometry": {"type": "Point", "coordinates": [4.83 + place / 100, 45.76]},
        }
        for place, row in enumerate(rows)
    ]
    return json.dumps({"type": "FeatureCollection", "features": features})


def test_places_have_the_ages_of_two_columns_and_no_date_of_their_entry(tmp_path: Path) -> None:
    names = ["Square Sathonay", "Parc de Gerland", "Rosa Mir", "Clos Jouve"]
    rows = [
        {"gid": 300 + place, "nom": name, "type_equip": "Aire de jeux", "age_mini": (2, 3, None, 8)[place],
         "age_maxi": (6, 12, None, None)[place], "datecreation": f"201{place}-03-01", "datemaj": "2026-01-15"}
        for place, name in enumerate(names)
    ]  # fmt: skip
    _, records, _ = draft(tmp_path, "aires.geojson", make_features(rows))
    assert [(record.type, record.source_id, record.name) for record in records] == [
        ("place", str(300 + place), name) for place, name in enumerate(names)
    ]
    assert [(record.ages.min, record.ages.max) for record in records] == [(2, 6), (3, 12), (None, None), (8, None)]


def test_dates_in_a_list_are_dates_of_one_event(tmp_path: Path) -> None:
    days = {"Conto": ["06", "13"], "Concerto": ["07"], "Oficina": ["20", "27"]}
    rows = [
        {"id": place, "titulo": name, "categorias": [{"nome": "Crianças"}, {"nome": f"Leitura {place}"}],
         "datas": [{"inicio": f"2027-03-{day}T11:00:00", "fim": f"2027-03-{day}T12:00:00"} for day in own]}
        for place, (name, own) in enumerate(days.items())
    ]  # fmt: skip
    _, records, printed = draft(tmp_path, "agenda.json", json.dumps({"data": {"eventos": rows}}))
    for record, own in zip(records, days.values(), strict=True):
        moments = sorted({str(record.starts_local), *map(str, record.rdates)})
        assert moments == [f"2027-03-{day} 11:00:00" for day in own]
        assert str(record.ends_local) == f"2027-03-{own[0]} 12:00:00"
    assert " · 1 more date\n" in printed
    assert "datas" not in printed.partition("Not placed")[2].partition("The first")[0]


def test_what_would_be_quarantined_is_said_first(tmp_path: Path) -> None:
    rows = "".join(f"{row},Fair {row},{'2027-04-11' if row % 3 else '31.31.2027'}\n" for row in range(9))
    _, records, printed = draft(tmp_path, "agenda.csv", f"id,title,date\n{rows}")
    assert len(records) == 6
    assert printed.startswith("Look at this first:\n  3 of the first 9 rows would be quarantined")


PROGRAMS = """id,Activity Title,Activity Type,Start Date,End Date,Start Time,End Time,Days,Fee
1,Adventure,Camp,2027-07-05,2027-07-09,09:00,16:00,,$210.50
2,Swimming,Program,2027-09-20,2027-12-06,17:00,17:30,Mon,$98.00
3,Sports,Camp,2027-07-12,2027-07-16,09:00,16:00,,$185.00
4,Ballet,Program,2027-09-22,2027-12-08,16:30,17:15,Wed,$120.00
"""


def test_rows_tell_that_a_column_has_their_types(tmp_path: Path) -> None:
    _, records, printed = draft(
        tmp_path, "programs.csv", PROGRAMS, "--center", "43.65,-79.38", "--timezone", "America/Toronto"
    )
    assert "Activity Type is taken as type, for otherwise 2 of 4 rows would be classes" in printed
    camp, course = records[:2]
    assert (camp.type, course.type) == ("camp", "class")
    assert (str(camp.sessions[0].starts_on), str(camp.sessions[0].ends_on)) == ("2027-07-05", "2027-07-09")
    assert (course.schedule.days, str(course.term.ends_on)) == (("monday",), "2027-12-06")
    assert (course.price.min, course.price.currency) == (98, "CAD")


def test_a_stated_type_is_that_of_every_row(tmp_path: Path) -> None:
    _, records, _ = draft(tmp_path, "programs.csv", PROGRAMS, "--type", "event")
    assert {record.type for record in records} == {"event"}


def test_camps_are_known_by_the_files_name_and_have_sessions(tmp_path: Path) -> None:
    text = """Naam;Begindatum;Einddatum;Tijd;Prijs;Aanmelden
Sportweek;13-07-2027;17-07-2027;09:00 - 16:00;145,00;https://kamp.example/1
Circus;20-07-2027;24-07-2027;09:30 - 15:30;175,50;https://kamp.example/2
"""
    _, (first, _), _ = draft(tmp_path, "zomer-kampen.csv", text)
    assert (first.type, str(first.sessions[0].starts_on), str(first.sessions[0].end_time)) == (
        "camp", "2027-07-13", "16:00:00",
    )  # fmt: skip
    assert (first.price.min, first.price.currency, first.registration.url) == (145, "EUR", "https://kamp.example/1")


def test_camps_without_dates_are_camps(tmp_path: Path) -> None:
    text = "Camp Name,Ages,Hours,Weekly Fee\nSunshine,5-11,9am-6pm,$215\nZoo,4-6,9am-12pm,$140\n"
    _, records, printed = draft(tmp_path, "summer.csv", text)
    assert [(record.type, record.ages.min, record.price.min) for record in records] == [
        ("camp", 5, 215),
        ("camp", 4, 140),
    ]
    assert "camp · 09:00–18:00 · ages 5–11" in printed


def test_festivals_of_days_are_no_camps_for_one_name(tmp_path: Path) -> None:
    text = (
        "Title,Start,End\nCamp Songs,2027-07-05,2027-07-06\nFair,2027-07-12,2027-07-14\nPicnic,2027-08-01,2027-08-02\n"
    )
    _, records, _ = draft(tmp_path, "agenda.csv", text)
    assert {record.type for record in records} == {"event"}


def test_the_kind_of_a_place_is_found_in_a_folder_and_whether_it_is_indoors_in_any_column(tmp_path: Path) -> None:
    marks = "".join(
        f"<Placemark><name>{name}</name><Point><coordinates>4.8{place},45.76</coordinates></Point></Placemark>"
        for place, name in enumerate(["Rosenau", "Seepark", "Am Hang"])
    )
    text = f'<kml xmlns="http://www.opengis.net/kml/2.2"><Document><Folder><name>Spielplätze</name>{marks}</Folder></Document></kml>'
    _, records, _ = draft(tmp_path, "orte.kml", text)
    assert {record.type_hint for record in records} == {"playground"}
    rows = [{"Place": "Wiggle World", "Kind": "Indoor Play Center", "Setting": "Indoor"},
            {"Place": "Zilker", "Kind": "Playground", "Setting": "Outdoor"}]  # fmt: skip
    _, (inside, outside), _ = draft(tmp_path, "places.geojson", make_features(rows), "--force")
    assert (inside.type_hint, inside.is_indoor, inside.is_outdoor) == ("indoor_play", True, None)
    assert (outside.type_hint, outside.is_indoor, outside.is_outdoor) == ("playground", None, True)


def test_links_and_long_texts_are_known_without_a_name(tmp_path: Path) -> None:
    shape = f"POLYGON (({', '.join(['4.83 45.76', '4.84 45.76', '4.84 45.77'] * 9)}))"
    rows = [
        {"id": row, "titel": f"Fest {row}", "datum": f"0{row}.09.2027", "www": f"www.fest.example/{row}", "form": shape,
         "xy": "Ein Fest für alle. " * 9}
        for row in (1, 2)
    ]  # fmt: skip
    _, (first, _), _ = draft(tmp_path, "feste.json", json.dumps(rows))
    assert first.source.url == "https://www.fest.example/1"
    assert first.description.startswith("Ein Fest")
    assert (first.location.lat, first.location.lng) == (45.76, 4.83)
