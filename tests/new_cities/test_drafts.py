"""A city's export becomes a served list by `outings init` with no editor; what each file says is what is answered."""

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.new_cities.exporting import EXPORTS, OPTIONS, Ask, draft, run

WINTER = "limit=50&from=2026-11-30&to=2027-03-01&audience=all"
Drafted = Callable[[str], Path]
Serve = Callable[[str], Ask]


@pytest.mark.long
@pytest.mark.parametrize("export", OPTIONS)
def test_what_init_drafts_passes_check(drafted: Drafted, export: str) -> None:
    checked = run("check", "-c", str(drafted(export)))
    assert checked.exit_code == 0, checked.output


@pytest.mark.parametrize(
    ("export", "timezone"),
    [
        ("valladolid-agenda.csv", "Europe/Madrid"),
        ("sacramento-recreation.json", "America/Los_Angeles"),
        ("tucson-parks.json", "America/Phoenix"),
        ("pittsburgh-library.json", "America/New_York"),
        ("santa-fe-winter.xlsx", "America/Denver"),
    ],
)
def test_the_city_is_where_its_rows_are(drafted: Drafted, export: str, timezone: str) -> None:
    (metro,) = tomllib.loads(drafted(export).read_text())["metros"]
    assert metro["timezone"] == timezone


@pytest.mark.parametrize(("export", "language"), [("valladolid-agenda.csv", "es"), ("tucson-parks.json", None)])
def test_the_language_is_that_of_the_texts(drafted: Drafted, export: str, language: str | None) -> None:
    (metro,) = tomllib.loads(drafted(export).read_text())["metros"]
    assert metro.get("language") == language


def test_a_person_may_say_the_language(tmp_path: Path) -> None:
    config = draft("valladolid-agenda.csv", tmp_path, "--language", "en")
    (metro,) = tomllib.loads(config.read_text())["metros"]
    assert "language" not in metro


def test_a_spanish_agenda_is_served(serve: Serve) -> None:
    ask = serve("valladolid-agenda.csv")
    # 33 rows: one shifted by a semicolon, one on 31 November.
    assert len(ask(f"/v1/valladolid/events?{WINTER}")["data"]) == 31
    (cat,) = ask("/v1/valladolid/events?q=gato+con+botas&from=2026-12-01&to=2026-12-31")["data"]
    assert cat["name"] == "El gato con botas"
    event = ask(f"/v1/events/{cat['id']}")["data"]
    assert event["starts_local"] == "2026-12-12T18:00:00"
    assert (event["price"]["min"], event["price"]["currency"]) == (12.5, "EUR")
    assert (event["ages"]["min"], event["location"]["lat"]) == (4, 41.65219)
    assert event["location"]["neighborhood"] == "Centro"
    free = ask("/v1/valladolid/events?free=true&category=storytime_books&from=2026-12-01&to=2026-12-31")["data"]
    assert {item["name"] for item in free} >= {"Bebecuentos", "Lectura en voz alta: El Quijote para niños"}


def test_a_page_of_socrata_is_served(serve: Serve) -> None:
    ask = serve("sacramento-recreation.json")
    page = ask(f"/v1/sacramento/events?{WINTER}")["data"]
    named = {item["name"]: item for item in page}
    swim = ask(f"/v1/events/{named['Learn to Swim - Level 1']['id']}")["data"]
    assert (swim["starts_local"], swim["price"]["min"]) == ("2026-12-08T16:00:00", 62.5)
    assert (swim["location"]["zip"], swim["ages"]["min"], swim["ages"]["max"]) == ("95820", 3, 5)
    assert swim["registration_url"].endswith("/20344")
    assert named["Santa Parade on Land Park Drive"]["price"]["is_free"] is True


def test_a_layer_of_arcgis_is_served(serve: Serve) -> None:
    ask = serve("tucson-parks.json")
    page = ask("/v1/tucson/places?limit=50&audience=all")["data"]
    assert len(page) == 25
    himmel = next(item for item in page if item["name"] == "Himmel Park")
    place = ask(f"/v1/places/{himmel['id']}")["data"]
    assert (place["type_hint"], place["location"]["lat"], place["location"]["lng"]) == ("park", 32.23278, -110.9353)


def test_a_librarys_events_are_served(serve: Serve) -> None:
    ask = serve("pittsburgh-library.json")
    page = ask(f"/v1/pittsburgh/events?{WINTER}&category=storytime_books")["data"]
    story = next(item for item in page if item["name"] == "Toddler Storytime")
    event = ask(f"/v1/events/{story['id']}")["data"]
    assert event["starts_local"] == "2026-12-02T10:00:00"
    assert event["description"] == "Stories, songs & shakers."
    assert event["location"]["address"] == "Squirrel Hill"


def test_a_spreadsheet_is_served(serve: Serve) -> None:
    ask = serve("santa-fe-winter.xlsx")
    page = ask(f"/v1/santa-fe/events?{WINTER}")["data"]
    named = {item["name"]: item for item in page}
    level = ask(f"/v1/events/{named['Swim Lessons: Level 2']['id']}")["data"]
    # Its date is a cell merged over three rows.
    assert level["starts_local"] == "2026-12-07T17:00:00"
    assert (level["price"]["min"], named["Farolito Making"]["price"]["is_free"]) == (48, True)
    # Its fee is an error of the spreadsheet, and no listing says so.
    assert "#REF!" not in str(page)


def test_init_says_what_it_understood_and_what_not(tmp_path: Path) -> None:
    config = tmp_path / "outings.toml"
    done = run("init", str(EXPORTS / "valladolid-agenda.csv"), "--metro", "Valladolid", "--yes", "-c", str(config))
    assert "read as cp1252 (by its letters), fields are parted by a semicolon" in done.stdout
    assert "  PRECIO → price.min, price.max, price.note (sure)\n    12,50 € = 12.5 · Gratuito = 0 · " in done.stdout
    assert "FECHA INICIO: 31 of 32 are written as %d/%m/%Y or %d %B %Y" in done.stdout
    assert "Not placed: ACCESIBLE" in done.stdout
    assert "line 21: unreadable: has 19 fields and the header 18" in done.stdout
    assert done.stdout.count("    event · ") == 5
    assert max(len(line) for line in done.stdout.splitlines() if "/" not in line) <= 80


def test_init_overwrites_nothing(drafted: Drafted) -> None:
    config = drafted("tucson-parks.json")
    before = config.read_bytes()
    again = run("init", str(config.parent / "tucson-parks.json"), "--yes", "-c", str(config))
    assert (again.exit_code, "say --force to draft it again" in again.stderr) == (2, True)
    assert config.read_bytes() == before


def test_a_file_that_says_no_place_names_the_options_that_do(tmp_path: Path) -> None:
    done = run("init", str(EXPORTS / "santa-fe-winter.xlsx"), "--yes", "-c", str(tmp_path / "o.toml"))
    assert (done.exit_code, list(tmp_path.iterdir())) == (2, [])
    assert "give --metro, --center, --timezone, as in: --metro Valladolid --center 41.65,-4.72" in done.stderr


def test_a_draft_that_can_not_be_read_leaves_no_file_behind(tmp_path: Path) -> None:
    (tmp_path / "page.csv").write_text("<!doctype html><title>404</title>")
    done = run("init", str(tmp_path / "page.csv"), "--metro", "X", "--yes", "-c", str(tmp_path / "o.toml"))
    assert (done.exit_code, "is a web page (its title: “404”)" in done.stderr) == (1, True)
    assert [path.name for path in tmp_path.iterdir()] == ["page.csv"]


def test_the_select_that_is_printed_says_what_the_mapping_says(tmp_path: Path) -> None:
    config = draft("valladolid-agenda.csv", tmp_path)
    mapped = run("check", "--json", "-c", str(config)).stdout
    printed = run("init", "--sql", "-c", str(config))
    assert printed.exit_code == 0, printed.output
    (tmp_path / "agenda.sql").write_text(printed.stdout)
    text = config.read_text().partition("[feeds.map]")[0]
    config.write_text(text + 'select = "agenda.sql"\n')
    selected = run("check", "--json", "-c", str(config))
    assert selected.exit_code == 0, selected.output
    counts = '"records":{"read":33,"listings":31,"merged":0,"quarantined":2}'
    assert (counts in mapped, counts in selected.stdout) == (True, True)


CALENDAR = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nSUMMARY:Walk\nDTSTART:20261205\nEND:VEVENT\nEND:VCALENDAR\n"
EVENT = '{"@context": "https://schema.org", "@type": "Event", "name": "Walk", "@id": "https://e.example/1"}'
PAGE = f'<html><script type="application/ld+json">{EVENT}</script></html>'
RECORD = '{"type": "event", "source_id": "1", "name": "Walk", "starts_local": "2026-12-05T10:00"}\n'


@pytest.mark.parametrize(
    ("name", "content", "format_"),
    [
        ("a.ics", CALENDAR, "ics"),
        ("a.html", PAGE, "jsonld"),
        ("a.json", EVENT, "jsonld"),
        ("a.ndjson", RECORD, "ndjson"),
    ],
)
def test_what_is_no_table_is_read_as_what_it_is(tmp_path: Path, name: str, content: str, format_: str) -> None:
    (tmp_path / name).write_text(content, newline="")
    config = tmp_path / "outings.toml"
    done = run("init", str(tmp_path / name), "--metro", "Boise", "--center", "43.6,-116.2", "--yes", "-c", str(config))
    assert done.exit_code == 0, done.output
    (feed,) = tomllib.loads(config.read_text())["feeds"]
    assert (feed["format"], "\n  Walk\n" in done.stdout) == (format_, True)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--center", "99,-122"), "99,-122: expected LAT,LNG, from -90 to 90"),
        (("--center", "nan,0"), "nan,0: expected LAT,LNG"),
        (("--bounds", "1,2,3,inf"), "1,2,3,inf: expected SOUTH,WEST,NORTH,EAST"),
        (("--bounds", "48,-123,47,-122"), "metros.x.bounds: is {'south': 48.0"),
        (("-c", "{folder}/none/o.toml"), "there is no folder {folder}/none; make it first"),
    ],
)
def test_a_wrong_option_of_init_is_named_and_no_internal_file(
    tmp_path: Path, options: tuple[str, str], expected: str
) -> None:
    (tmp_path / "agenda.csv").write_text("Title,Date\nFair,2026-12-05\n")
    given = ("--metro", "X", "--center", "47.6,-122.3", "--yes", "-c", str(tmp_path / "o.toml"))
    done = run("init", str(tmp_path / "agenda.csv"), *given, options[0], options[1].format(folder=tmp_path))
    assert done.exit_code == 2
    assert expected.replace("{folder}", str(tmp_path)) in done.stderr
    assert ".draft" not in done.stderr


def test_a_city_without_latin_letters_has_a_slug(tmp_path: Path) -> None:
    (tmp_path / "agenda.csv").write_text("Title,Date\nFair,2026-12-05\n")
    config = tmp_path / "o.toml"
    options = ("--metro", "京都", "--center", "35.01,135.77", "--yes", "-c", str(config))
    assert run("init", str(tmp_path / "agenda.csv"), *options).exit_code == 0
    assert 'slug = "city"\nname = "京都"' in config.read_text()
