"""Kinds of files that `init` drafts at first sight: each is the smallest of a kind that it once got wrong."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from outings.configuration import Configuration, FeedTable
from pipeline.clean.cleaning import Origin
from pipeline.drafts.columns import Column
from pipeline.drafts.metro import find_language
from pipeline.drafts.trial import Trial
from pipeline.fetch.table.reading import open_engine
from tests.new_cities.exporting import draft_text as draft

JANUARY = (11, 12, 13, 14, 15)


def write_csv(*rows: tuple[str, ...]) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=";").writerows(rows)
    return text.getvalue()


def test_openagenda_has_names_by_language_and_several_times(tmp_path: Path) -> None:
    def hold(day: int, hour: int) -> dict[str, str]:
        return {"begin": f"2027-01-{day}T{hour}:30:00+01:00", "end": f"2027-01-{day}T{hour + 1}:30:00+01:00"}

    rows = [
        {"uid": day, "title": {"fr": f"Bébés lecteurs {day}"}, "dateRange": {"fr": f"{day} janvier, 10h30"},
         "timings": [hold(day, 10), hold(day + 7, 10)], "firstTiming": hold(day, 10), "lastTiming": hold(day + 7, 10),
         "updatedAt": f"2026-11-{day}T08:00:00.000Z", "originAgenda": {"uid": 7, "title": "Lyon Familles"}}
        for day in JANUARY
    ]  # fmt: skip
    _, records, _ = draft(tmp_path, "agenda.json", json.dumps({"total": 5, "events": rows}))
    first = records[0]
    assert (first.name, str(first.starts_local), str(first.ends_local)) == (
        "Bébés lecteurs 11", "2027-01-11 10:30:00", "2027-01-11 11:30:00",
    )  # fmt: skip
    assert {str(other) for other in first.rdates} >= {"2027-01-18 10:30:00"}


def test_a_time_in_an_element_of_html_is_read(tmp_path: Path) -> None:
    rows = [
        {"title": f'<a href="/agenda/{day}" hreflang="es">Cuentacuentos {day}</a>',
         "field_fecha": f'<time datetime="2027-01-{day}T18:00:00+01:00" class="x">{day}/01/2027 - 18:00</time>\n',
         "changed": f"2026-11-{day}T08:12:00+0100"}
        for day in JANUARY
    ]  # fmt: skip
    _, records, _ = draft(tmp_path, "agenda.json", json.dumps(rows))
    assert [str(record.starts_local) for record in records] == [f"2027-01-{day} 18:00:00" for day in JANUARY]


def test_courses_that_end_on_their_weekday_weeks_later_are_classes(tmp_path: Path) -> None:
    weekdays = ("Mo", "Di", "Mi", "Do", "Fr")
    rows = [
        (
            f"F{day}",
            f"Töpfern {day}",
            f"{weekday}., {day}.01.2027",
            f"{weekday}., {day + 14}.01.2027",
            "17:30 - 19:00 Uhr",
        )
        for day, weekday in zip(JANUARY, weekdays, strict=True)
    ]
    text = write_csv(("Kursnr.", "Titel", "Beginn", "Ende", "Uhrzeit"), *rows)
    _, records, printed = draft(tmp_path, "vhs.csv", text)
    assert [(record.type, record.schedule.days) for record in records] == [
        ("class", (day,)) for day in ("monday", "tuesday", "wednesday", "thursday", "friday")
    ]
    assert str(records[0].schedule.start_time)[:5] == "17:30"
    assert printed.startswith(
        "Look at this first:\n  Beginn is taken as weekdays, for otherwise 5 of 5 rows would be events"
    )


def test_weekdays_may_be_single_letters_beside_words_and_prices_are_none(tmp_path: Path) -> None:
    days = ("M/W", "Tu/Th", "Sa", "F")
    rows = [
        (f"4{n}-A", f"Swim {n}", days[n % 4], "2027-01-04", "2027-02-12", "4:30-5:15p", str(45 + n), str(55 + n))
        for n in range(8)
    ]
    header = ("Activity #", "Title", "Days", "Start Date", "End Date", "Time", "Resident", "Non-Resident")
    _, records, _ = draft(tmp_path, "guide.csv", write_csv(("Winter guide",), header, *rows))
    assert [(record.schedule.days, record.price.min) for record in records[:2]] == [
        (("monday", "wednesday"), 45), (("tuesday", "thursday"), 46),
    ]  # fmt: skip


def test_a_page_of_a_collection_is_a_table(tmp_path: Path) -> None:
    members = [
        {"@id": f"https://uit.example/{day}", "@type": "Event", "name": {"nl": f"Voorleesuurtje {day}"},
         "startDate": f"2027-01-{day}T10:00:00+01:00", "endDate": f"2027-01-{day}T12:00:00+01:00",
         "typicalAgeRange": "3-6",
         "location": {"name": {"nl": "De Krook"}, "address": {"nl": {"streetAddress": "Makebaplein 1"}}}}
        for day in JANUARY
    ]  # fmt: skip
    page = {"@context": "https://schema.example", "@type": "PagedCollection", "member": members}
    _, records, _ = draft(tmp_path, "uit.json", json.dumps(page))
    first = records[0]
    assert (first.name, str(first.starts_local), first.ages.min, first.ages.max) == (
        "Voorleesuurtje 11", "2027-01-11 10:00:00", 3, 6,
    )  # fmt: skip
    assert first.location.address == "De Krook, Makebaplein 1"


def test_a_midnight_in_every_row_is_a_day_and_hours_stand_beside_it(tmp_path: Path) -> None:
    rows = [
        {"codi": str(day), "denominaci": f"Contes {day}", "data_inici": f"2027-01-{day}T00:00:00.000",
         "data_fi": f"2027-01-{day}T00:00:00.000", "horari": hours, "adre_a": f"Carrer Major, {day}"}
        for day, hours in zip(JANUARY, ("18 h", "", "De 10 a 14 h", "", "A les 19.30 h"), strict=True)
    ]  # fmt: skip
    _, records, _ = draft(tmp_path, "agenda.json", json.dumps(rows))
    assert [str(record.starts_local or record.date_on)[:16] for record in records] == [
        "2027-01-11 18:00", "2027-01-12", "2027-01-13 10:00", "2027-01-14", "2027-01-15 19:30",
    ]  # fmt: skip
    assert records[0].location.address == "Carrer Major, 11"


def test_when_a_row_was_checked_is_no_start_though_it_has_a_clock(tmp_path: Path) -> None:
    rows = [
        {
            "title": f"Feria {day}",
            "schedule": {"start": f"2027-01-{day}"},
            "last_verified_at": f"2026-08-{day}T19:52:41",
        }
        for day in JANUARY
    ]
    mapping, _, _ = draft(tmp_path, "agenda.json", json.dumps(rows))
    assert mapping["starts_local"] == "schedule.start"


def test_a_number_of_places_is_no_address_and_a_street_is_one(tmp_path: Path) -> None:
    rows = [(f"Atelier {day}", f"2027-01-{day}", f"{day} places", f"{day} rue Voltaire") for day in JANUARY]
    mapping, _, _ = draft(tmp_path, "agenda.csv", write_csv(("Titre", "Date", "Jauge", "Endroit exact"), *rows))
    assert "Jauge" not in str(mapping)
    assert mapping["location.address"] == "Endroit exact"


def open_trial(folder: Path, queries: Iterator[str]) -> Trial:
    """Open a trial on three rows, whose mappings are the queries."""
    feed = FeedTable(name="agenda", metro="lyon", format="table", url="agenda.csv", map={"name": "name"})
    connection = open_engine(folder, feed)
    connection.execute("CREATE TABLE feed AS SELECT unnest(['Clay', 'Chess', 'Choir']) AS name, "
                       "unnest(['2027-01-11', 'soon', '2027-01-13']) AS day")  # fmt: skip
    origin = Origin(
        feed="agenda", metro="lyon", delta=False, metros={"lyon": "lyon"},
        vocabulary=Configuration(directory=folder).vocabulary, is_mapped=True,
    )  # fmt: skip
    return Trial(connection, origin, lambda _: next(queries), seconds=60)


PLAIN = "SELECT rowid, 'event' AS type, name AS source_id, name, '2027-01-11' AS date_on FROM feed ORDER BY rowid"
FAILING = PLAIN.replace("'2027-01-11'", "CAST(day AS DATE)::VARCHAR")


def test_rows_on_which_one_draft_fails_are_there_for_the_next(tmp_path: Path) -> None:
    trial = open_trial(tmp_path, iter([FAILING, PLAIN]))
    failed, plain = trial.run({}), trial.run({})
    assert (failed.rows, failed.faults["lost"]) == (3, 1)
    assert (plain.rows, plain.faults["lost"]) == (3, 0)


def test_a_draft_that_cannot_run_is_no_candidate(tmp_path: Path) -> None:
    trial = open_trial(tmp_path, iter(["SELECT nonsense FROM feed", PLAIN]))
    assert trial.try_run({}) is None
    outcome = trial.try_run({})
    assert outcome is not None
    assert outcome.rows == 3


PROGRAMS = """id,title,program_type,start_date,end_date,days,start_time,end_time
1,Robot Week,Summer Camp,2027-07-05,2027-07-09,,9:00,15:00
2,Pottery,Youth Class,2027-01-11,2027-03-01,Mon,16:00,17:30
3,Winter Fair,Special Event,2027-01-16,2027-01-16,,10:00,14:00
"""


def test_a_column_says_what_each_row_is(tmp_path: Path) -> None:
    options = ("--column", "type=program_type")
    mapping, records, _ = draft(tmp_path, "programs.csv", PROGRAMS, *options)
    assert mapping["type"]["lookup"] == {"Summer Camp": "camp", "Youth Class": "class"}
    camp, course, fair = records
    assert (camp.type, str(camp.sessions[0].starts_on), str(camp.sessions[0].start_time)[:5]) == (
        "camp", "2027-07-05", "09:00",
    )  # fmt: skip
    assert (course.type, course.schedule.days, str(course.term.ends_on)) == ("class", ("monday",), "2027-03-01")
    assert (fair.type, str(fair.starts_local), str(fair.ends_local)) == (
        "event", "2027-01-16 10:00:00", "2027-01-16 14:00:00",
    )  # fmt: skip


def test_a_file_of_camps_has_sessions(tmp_path: Path) -> None:
    _, records, _ = draft(tmp_path, "camps.csv", PROGRAMS, "--type", "camp")
    assert [str(record.sessions[0].ends_on) for record in records] == ["2027-07-09", "2027-03-01", "2027-01-16"]


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        ("de", ["Kinderturnen mit der ganzen Familie", "Basteln für Kinder ab 6 Jahren", "Musik und Tanz im Park"]),
        ("fr", ["Visite du musée avec les enfants", "Atelier sur la nature et les oiseaux"]),
        ("it", ["Letture della domenica con i bambini", "Gioca in biblioteca dalle 10"]),
        ("nl", ["Voorlezen met het hele gezin", "Knutselen voor kinderen van 6 tot 10"]),
        ("ca", ["Contes per a infants i famílies", "Taller de dansa amb els avis"]),
        ("en", ["Storytime for the whole family", "Music and games with your baby"]),
        ("en", ["Parc Vell 3", "Sykkelverksted 4"]),
    ],
)
def test_the_language_is_that_of_the_words_of_the_file(language: str, texts: list[Any]) -> None:
    found = find_language([[Column(path="title", values=tuple(texts))]])
    assert found.code == language
    assert bool(found.evidence) == ("Sykkelverksted 4" not in texts)


def test_names_of_columns_that_are_english_too_tell_no_other_language() -> None:
    columns = [
        Column(path=name, values=("x", "y")) for name in ("Date", "Ages", "Latitude", "Longitude", "Description")
    ]
    assert find_language([columns]).code == "en"
