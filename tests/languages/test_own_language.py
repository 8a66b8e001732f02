"""A language that an operator brings: what its files say is read, and what they leave out is told."""

import json
from pathlib import Path

import pytest
from click.testing import Result

from outings.contract.vocabulary import AUDIENCES
from outings.release.folder import FolderStore
from outings.release.pointer import list_releases
from outings.release.snapshot import open_release
from outings.release.tables import read_columns
from tests.new_cities.exporting import run
from tests.settings import format_metro

pytestmark = pytest.mark.xdist_group("languages")  # one worker builds the city

CONFIG = """
[[feeds]]
name = "agenda"
metro = "porto"
format = "ndjson"
url = "agenda.ndjson"

[languages]
pt = "pt"
"""
EVENT = {
    "type": "event", "source_id": "1", "name": "Hora do conto", "date_on": "2026-12-01",
    "organization": {"name": "Biblioteca"}, "location": {"address": "Rua Nova 1"},
}  # fmt: skip


@pytest.fixture
def porto(tmp_path: Path) -> Path:
    (tmp_path / "pt").mkdir()
    (tmp_path / "pt" / "search.toml").write_text('[words]\nfillers = "de do da"\n')
    (tmp_path / "pt" / "categories.toml").write_text('swim_water = "natacao agua"\n')
    (tmp_path / "agenda.ndjson").write_text(json.dumps(EVENT))
    return tmp_path


def read_audiences(folder: Path) -> dict[str, str]:
    """Read the audiences in the newest release's table."""
    store = FolderStore(folder / "var/store")
    release = open_release(store, next(list_releases(store)), cache=folder / "cache")
    listings = read_columns(release.metros["porto"].tables["listings"], "listings", ("name", "audience"))
    return {name: AUDIENCES[audience] for name, audience in listings.iter_rows()}


def check(folder: Path, language: str, *options: str) -> Result:
    config = folder / "outings.toml"
    config.write_text(format_metro("porto", language=language) + CONFIG)
    return run("check", "-c", str(config), *options)


def test_a_check_says_what_the_language_leaves_unread(porto: Path) -> None:
    checked = check(porto, "pt")
    assert checked.exit_code == 0, checked.output
    assert "What the language of a metro leaves unread:\n  porto: no stems (stems in search.toml)" in checked.output
    assert "porto: no words for audiences (audience.toml)" in checked.output
    assert "porto: no words for categories (categories.toml): arts_creative, " in checked.output
    assert "swim_water" not in checked.output


@pytest.mark.parametrize("language", ["en", "es"])
def test_what_ships_leaves_nothing_unread(porto: Path, language: str) -> None:
    report = json.loads(check(porto, language, "--json").stdout)
    assert report["uncovered"] == {}


def test_a_build_says_what_the_language_leaves_unread_too(porto: Path) -> None:
    check(porto, "pt")
    built = run("build", "--as-of", "2026-11-30", "--workers", "1", "--json", "-c", str(porto / "outings.toml"))
    assert json.loads(built.stdout)["uncovered"]["porto"][0].startswith("no stems")


def test_a_record_says_whom_it_is_for(porto: Path) -> None:
    stated = [
        {**EVENT, "source_id": "1", "name": "Prova de vinhos", "audience": "families"},
        {**EVENT, "source_id": "2", "name": "Adults only night", "audience": "kids"},
        {**EVENT, "source_id": "3", "name": "Hora do conto", "audience": "miúdos"},
    ]
    (porto / "agenda.ndjson").write_text("\n".join(map(json.dumps, stated)))
    checked = json.loads(check(porto, "pt", "--json").stdout)
    assert [(problem["field"], problem["quarantined"]) for problem in checked["problems"]] == [("audience", False)]
    config = str(porto / "outings.toml")
    run("build", "--as-of", "2026-11-30", "--workers", "1", "-c", config)
    audiences = {"Prova de vinhos": "families", "Adults only night": "adults", "Hora do conto": "all_ages"}
    assert read_audiences(porto) == audiences
