"""Facts in the texts of a feed that a search finds: built and served in two languages."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.json import decode
from starlette.testclient import TestClient

from edge.app import Edge
from outings.release.folder import FolderStore
from tests.new_cities.exporting import run

pytestmark = pytest.mark.xdist_group("languages")  # one worker builds the city

METRO = """
[[metros]]
slug = "{language}"
name = "{name}"
timezone = "America/New_York"
language = "{language}"
center = {{ lat = 40.7, lng = -74.0 }}
bounds = {{ south = 40.0, west = -75.0, north = 41.0, east = -73.0 }}

[[feeds]]
name = "agenda-{language}"
metro = "{language}"
format = "ndjson"
url = "agenda.ndjson"
"""
# Name → description.
CLASSES = {
    "Clay one": "Taller a partir de 4 años.",
    "Clay two": "Taller (8-11 años).",
    "Clay three": "Music for ages 9 mos to 3 years.",
    "Clay four": "For ages 5 to 7. Children under 12 come with an adult.",
    "Clay five": "Nothing is said of it.",
    "Clay six (12-14 yrs)": "Open for 9 years.",
}
NOTES = {"North Pool": "75' x 60', wheelchair accessible", "South Pool": "60' x 40'"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder: Path = tmp_path_factory.mktemp("texts")
    records = [
        *(
            {"type": "class", "source_id": name, "name": name, "description": text}
            for name, text in CLASSES.items()
        ),
        *({"type": "place", "source_id": name, "name": name, "type_hint_notes": text} for name, text in NOTES.items()),
    ]  # fmt: skip
    (folder / "agenda.ndjson").write_text("\n".join(map(json.dumps, records)))
    config = folder / "outings.toml"
    metros = (("en", "Harbor"), ("es", "Puerto"))
    config.write_text("\n".join(METRO.format(language=language, name=name) for language, name in metros))
    built = run("build", "--as-of", "2026-11-30", "--workers", "1", "--json", "-c", str(config))
    assert built.exit_code == 0, built.output
    made = run("keys", "create", "--plan", "standard", "--json", "-c", str(config))
    edge = Edge(
        FolderStore(folder / "var/store"), cache=folder / "cache", clock=lambda: datetime(2026, 11, 30, 17, tzinfo=UTC)
    )
    with TestClient(edge, headers={"X-API-Key": decode(made.stdout)["key"]}) as client:
        yield client


def search(client: TestClient, metro: str, q: str) -> list[dict[str, Any]]:
    response = client.get(f"/v1/{metro}/search", params={"q": q, "match": "auto"})
    assert response.status_code == 200, response.text
    items: list[dict[str, Any]] = response.json()["data"]
    return items


@pytest.mark.parametrize("metro", ["en", "es"])
@pytest.mark.parametrize(
    ("years", "fits"),
    [
        (1, {"Clay three"}),
        (5, {"Clay one", "Clay four"}),
        (9, {"Clay one", "Clay two"}),
        (13, {"Clay one", "Clay six (12-14 yrs)"}),
    ],
)
def test_a_listing_without_stated_ages_has_those_in_its_text(
    served: TestClient, metro: str, years: int, fits: set[str]
) -> None:
    q = f"clay for a {years} year old" if metro == "en" else f"clay para niños de {years} años"
    names = [item["name"] for item in search(served, metro, q)]
    assert set(names[: len(fits)]) == fits
    # What says nothing may fit, what says another age does not; and nothing is left out, as no member states it.
    assert names[len(fits)] == "Clay five"
    assert len(names) == len(CLASSES)


def test_notes_of_a_place_say_for_whom_it_is_accessible(served: TestClient) -> None:
    assert search(served, "en", "wheelchair pool")[0]["name"] == "North Pool"
