"""Files whose columns are named and filled as people do it: drafted, built, and listed as they say, with no editor."""

import shlex
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipeline.drafts.columns import ROLES, rank_name
from tests.new_cities.exporting import Ask, run
from tests.new_cities.measuring import EXPECTED, draft_records, list_faults

FILES = Path(__file__).parent / "named"
BOISE = ("--metro", "Boise", "--center", "43.615,-116.202", "--timezone", "America/Boise", "--yes")
LYON = ("--metro", "Lyon", "--center", "45.76,4.83", "--timezone", "Europe/Paris", "--yes")
SHOWN = "from=2026-11-30&to=2027-04-01&audience=all&min_confidence=0&limit=100"
# Name: start, end, least and greatest age, least and greatest price, where.
MAKERS, LIBRARY = "Makers Hall", "Central Library"
IN_BOISE = {
    "Robot Club": ("2026-12-05T19:00", "2026-12-05T21:00", 6, 12, 5, 8, MAKERS),
    "Lego Night": ("2026-12-06T18:00", "2026-12-06T20:00", 5, None, 0, 0, MAKERS),
    "Chess for Beginners": ("2026-12-07T18:30", "2026-12-07T20:00", 8, 14, 0, 3, LIBRARY),
    "Open Board": ("2026-12-08", None, None, None, None, None, LIBRARY),
    "Night of Kings": ("2026-12-14T11:00", "2026-12-14T13:00", 13, None, 2.5, 4, LIBRARY),
    "Snow Science": ("2026-12-05T18:30", "2026-12-05T20:00", 4, 9, 12.5, 12.5, "12 Main St, Boise"),
    "Ice Lab": ("2026-12-06T10:00", "2026-12-06T11:30", 6, None, 0, 0, "14 Main St, Boise"),
    "The Owls": ("2026-12-05T19:00", None, 19, None, 250, 600, None),
    "Velvet Hour": ("2026-12-06T20:30", None, 21, None, 12, 12, None),
    "Puppet Parade": ("2026-12-12T10:00", None, None, None, 0, 0, None),
    "Late Set": ("2026-12-18T21:00", None, 19, None, 5, 10, None),
    "Odd One": ("2026-12-05T10:10", None, None, None, None, None, None),
    "Odd Two": ("2026-12-18T09:05", None, None, None, None, None, None),
    "Taller de barro": ("2026-12-05T18:00", "2026-12-05T20:00", 6, 12, 5, 8, "Centro Cívico"),
    "Cuentos de luna": ("2027-01-06T10:30", "2027-01-06T11:30", 0, 5, 0, 0, "Biblioteca"),
    "Robótica": ("2027-01-09T17:00", "2027-01-09T19:00", 8, None, 3, 3, "Biblioteca"),
    "Story Walk": ("2026-12-05", None, None, None, None, None, None),
    "Owl Walk": ("2026-12-06", None, None, None, None, None, None),
}
IN_LYON = {
    "Atelier étoiles": ("2026-12-05T14:30", "2026-12-05T16:00", 6, 12, 5, 8, "Médiathèque"),
    "Contes du soir": ("2026-12-06T18:00", "2026-12-06T19:15", 4, None, 0, 0, "Médiathèque"),
    "Le petit cirque": ("2027-01-01T20:00", None, 3, None, 12.5, 12.5, "Grande salle"),
    "Figurentheater Mond": ("2026-12-06T15:00", None, 4, None, 5, None, "Bürgerhaus"),
    "Plätzchen backen": ("2026-12-12T15:00", "2026-12-12T17:00", 6, 12, 0, 0, "Bürgerhaus"),
    "Vorlesestunde": ("2027-01-05T16:30", None, 0, 6, 2.5, 2.5, "Stadtbibliothek"),
    "Oficina de barro": ("2026-12-05T14:00", None, 6, 12, 5, 5, "Museu"),
    "Contos da lua": ("2026-12-16T10:30", None, 0, 5, 0, 0, "Biblioteca"),
    "Noite de estrelas": ("2026-12-17T21:00", None, 8, None, 3.5, 3.5, "Planetário"),
    "Laboratorio di luna": ("2026-12-05T16:30", None, 6, 12, 5, 5, "Museo"),
    "Fiabe della sera": ("2026-12-06T18:00", "2026-12-06T19:00", 0, 5, 0, 0, "Biblioteca"),
    "Notte di stelle": ("2026-12-08T21:00", None, 8, None, 3.5, 3.5, "Osservatorio"),
    "Kleien op zaterdag": ("2026-12-05T14:30", None, 6, 12, 5, 5, "Museum"),
    "Voorlezen bij de maan": ("2027-03-06T10:00", "2027-03-06T11:00", 4, None, 0, 0, "Bibliotheek"),
    "Sterren kijken": ("2026-12-07T20:00", None, 8, None, 3.5, 3.5, "Sterrenwacht"),
    "Taller de fang": ("2026-12-05T16:00", "2026-12-05T18:00", 6, 12, 4, 4, "Museu, Carrer Major 4"),
    "Contes de lluna": ("2026-12-06T11:30", None, 0, 5, 0, 0, "Biblioteca, Plaça Nova 1"),
    "Nit d'estels": ("2026-12-16T21:00", None, 8, None, 3.5, 3.5, "Observatori, Camí Alt s/n"),
}


def draft(folder: Path, city: tuple[str, ...], *files: str) -> str:
    """Return the output of init for the files."""
    for file in files:
        shutil.copy(FILES / file, folder)
    done = run("init", *(str(folder / file) for file in files), *city, "-c", str(folder / "outings.toml"))
    assert done.exit_code == 0, done.output
    return done.output


def tell(event: dict[str, Any]) -> tuple[Any, ...]:
    ages, price = event["ages"] or {}, event["price"] or {}
    place = (event["location"] or {}).get("address")
    start = event["starts_local"].removesuffix("T00:00:00").removesuffix(":00")
    end = event["ends_local"] and event["ends_local"].removesuffix(":00")
    return (start, end, ages.get("min"), ages.get("max"), price.get("min"), price.get("max"), place)


@pytest.mark.long
def test_events_of_an_american_city_say_what_their_files_say(
    tmp_path: Path, serve_folder: Callable[[Path], Ask]
) -> None:
    printed = draft(
        tmp_path, BOISE, "makers.csv", "nested.json", "clubs.csv", "odd.csv", "agenda.csv", "weekly.csv",
        "playgrounds.geojson",
    )  # fmt: skip
    ask = serve_folder(tmp_path)
    events = ask(f"/v1/boise/events?{SHOWN}")["data"]
    assert {event["name"]: tell(ask(f"/v1/events/{event['id']}")["data"]) for event in events} == IN_BOISE
    details = {event["name"]: ask(f"/v1/events/{event['id']}")["data"] for event in events}
    assert details["Robot Club"]["organization"]["name"] == "Boise Makers"
    assert "    https://www.boisemakers.example/robots" in printed
    assert "    https://chess.example" in printed
    assert details["Taller de barro"]["registration_url"] == "https://www.taller.example"
    # Cells that are none of its column's kind are counted.
    assert "Time: 4 of 5 are written as HH:MM" in printed
    places = ask("/v1/boise/places?audience=all&limit=100")["data"]
    at = {place["name"]: (place["location"]["lat"], place["location"]["lng"]) for place in places}
    assert sorted(place["name"] for place in places) == [
        "Owl Playground", "Pitch, Hill Rd", "Playground, Fort St", "Playground, Fort St",
    ]  # fmt: skip
    assert at["Pitch, Hill Rd"][1] == -116.23
    assert at["Owl Playground"] == (43.65, -116.24)


@pytest.mark.long
def test_events_in_six_european_languages_say_what_their_files_say(
    tmp_path: Path, serve_folder: Callable[[Path], Ask]
) -> None:
    printed = draft(
        tmp_path,
        LYON,
        "fr-agenda.csv",
        "de-kalender.csv",
        "pt-eventos.csv",
        "it-eventi.csv",
        "nl-agenda.csv",
        "ca-agenda.csv",
    )
    ask = serve_folder(tmp_path)
    events = ask(f"/v1/lyon/events?{SHOWN}")["data"]
    details = {event["name"]: ask(f"/v1/events/{event['id']}")["data"] for event in events}
    assert {name: tell(event) for name, event in details.items()} == IN_LYON
    assert details["Figurentheater Mond"]["organization"]["name"] == "Bühne e.V."
    assert "    https://www.etoiles.example" in printed
    assert {event["price"]["currency"] for event in details.values()} == {"EUR"}


@pytest.mark.long
@pytest.mark.parametrize("file", EXPECTED)
def test_a_draft_keeps_what_a_file_states(file: str, tmp_path: Path) -> None:
    assert list(list_faults(file, draft_records(file, tmp_path))) == []


def test_a_file_without_a_column_for_the_name_says_the_line_to_run(tmp_path: Path) -> None:
    rows = "название,dato\nStory Walk,2026-12-05\nOwl Walk,2026-12-06\n"
    (tmp_path / "liste.csv").write_text(rows, encoding="utf-8")
    config = tmp_path / "outings.toml"
    done = run("init", str(tmp_path / "liste.csv"), *BOISE, "-c", str(config))
    assert (done.exit_code, config.exists()) == (2, False)
    assert "no column of liste.csv is known as the name; it has: название (Story Walk, Owl Walk)" in done.stderr
    assert "name=название" in done.stderr
    (line,) = (line for line in done.stderr.splitlines() if line.startswith("  outings init"))
    words = shlex.split(line)[1:]
    again = run(*words[:1], str(tmp_path / "liste.csv"), *BOISE, *words[-2:], "-c", str(config))
    assert again.exit_code == 0, again.output
    assert tomllib.loads(config.read_text())["feeds"][0]["map"]["type"] == {"value": "event"}


def test_init_drafts_again_over_its_own_draft_alone(tmp_path: Path) -> None:
    draft(tmp_path, BOISE, "weekly.csv")
    config = tmp_path / "outings.toml"
    words = ("init", str(tmp_path / "weekly.csv"), *BOISE, "-c", str(config))
    refused = run(*words)
    assert (refused.exit_code, "say --force" in refused.stderr) == (2, True)
    assert run(*words, "--column", "description=Notes", "--force").exit_code == 0
    assert 'description = "Notes"' in config.read_text()
    config.write_text("# my own\n" + config.read_text())
    kept = run(*words, "--force")
    assert (kept.exit_code, "init overwrites only drafts of its own" in kept.stderr) == (2, True)


def test_a_language_without_words_is_said(tmp_path: Path) -> None:
    (tmp_path / "lista.csv").write_text('title,date,price\nOpowieści,05.12.2026,"12,50 zł"\n')
    words = ("init", str(tmp_path / "lista.csv"), "--language", "pl", *LYON, "-c", str(tmp_path / "outings.toml"))
    done = run(*words)
    assert done.exit_code == 0, done.output
    printed = " ".join(done.output.split())
    assert 'The language of the texts is "pl" (by --language): dates and numbers are read as they are' in printed
    assert "names of columns and months, and searches, audiences and ages within texts by English words" in printed


def test_a_name_without_latin_letters_fits_no_role() -> None:
    assert [role for role in ROLES if rank_name(role, "Мероприяти") is not None] == []
