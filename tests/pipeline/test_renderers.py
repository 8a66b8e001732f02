"""A program that shows more of every listing than the one before: nothing of the listings changed by that."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from outings.answers.snapshot.reader import open_snapshot
from outings.release.pointer import list_releases
from outings.release.snapshot import open_release
from pipeline.publish.comparison import compare_releases
from tests.pipeline.city import City, Record, make_event, make_place
from tests.pipeline.programs import ROOT, add_line, copy_program, run_program

STAMPS = ("created_at", "updated_at")
RESOURCES = "outings/contract/resources"
# A member of its own that has no default, one of an object, and one of the objects in an array.
MORE = (
    add_line(
        "outings/contract/members.py",
        after="EVERYWHERE: Mapping[str, str] = {\n",
        line='    "badge": "A mark.",\n    "label": "A word.",\n',
    ),
    add_line(f"{RESOURCES}/listings.py", after="    registration_url: str | None\n", line="    badge: str | None\n"),
    add_line("pipeline/resolve/listings/events.py", after="members = Event(\n", line='        badge="new",\n'),
    add_line(
        f"{RESOURCES}/shared.py", after="    currency: Currency | None = None\n", line='    label: str = "about"\n'
    ),
    add_line(
        f"{RESOURCES}/listings.py", after="    registration: SectionRegistration\n", line='    label: str = "one of"\n'
    ),
)

CLASS: Record = {
    "type": "class", "source_id": "clay", "name": "Clay", "confidence": 0.9,
    "sections": [{"id": "early", "name": "Early"}, {"id": "late", "name": "Late"}],
}  # fmt: skip


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_program(tmp_path_factory.mktemp("program"), MORE)


@pytest.fixture
def city(tmp_path: Path) -> City:
    """Publish an event, a class, a place, and an event that its feed no longer has."""
    city = City(tmp_path)
    city.write([make_event("walk"), make_event("gone"), CLASS, make_place("hall")])
    city.build()
    city.write([make_event("walk"), CLASS, make_place("hall")])
    city.build()
    return city


def build(city: City, program: Path) -> None:
    assert city.configuration
    run_program(program, "build", "-c", str(city.folder / "outings.toml"), "--as-of", "2026-08-10", "--workers", "1")


def read_documents(city: City) -> dict[str, Any]:
    """Read documents by name as they are stored, archived ones included."""
    release = open_release(city.store, city.current, cache=city.cache)
    opened = open_snapshot(release.metros["seattle"])
    documents = [msgspec.json.decode(opened.read_document(row)) for row in range(len(opened.listings))]
    return {document["name"]: document for document in documents}


def read_hashes(city: City) -> dict[str, bytes]:
    release = open_release(city.store, city.current, cache=city.cache)
    listings = open_snapshot(release.metros["seattle"]).listings
    return {name: listings.read_hash(row) for row, name in enumerate(read_documents(city))}


@pytest.mark.long
def test_what_another_program_shows_is_in_every_listing_and_is_no_change_of_any(city: City, program: Path) -> None:
    before, hashes, versions = read_documents(city), read_hashes(city), city.read_versions()
    build(city, program)
    after = read_documents(city)
    assert city.read_versions() == versions
    assert after["Event walk"]["badge"] == "new"
    assert after["Event gone"]["badge"] is None
    assert {after[name]["price"]["label"] for name in ("Event walk", "Event gone", "Clay")} == {"about"}
    assert {section["label"] for section in after["Clay"]["sections"]} == {"one of"}
    assert _list_stamps(after) == _list_stamps(before)
    # An ETag goes with the bytes.
    moved = {name for name, digest in read_hashes(city).items() if digest != hashes[name]}
    assert moved == {"Event walk", "Event gone", "Clay"}


def _list_stamps(documents: dict[str, Any]) -> dict[str, list[str]]:
    return {
        name: [
            value[stamp] for value in (document, *document.get("sections", ())) for stamp in STAMPS if stamp in value
        ]
        for name, document in documents.items()
    }


@pytest.mark.long
def test_what_changed_beside_it_is_reported_alone(city: City, program: Path) -> None:
    known = len(city.read_versions())
    late = {**CLASS, "sections": [{"id": "early", "name": "Early"}, {"id": "late", "name": "Very late"}]}
    city.write([make_event("walk", name="Long walk"), late, make_place("hall")])
    build(city, program)
    changes = [(version.type, version.kind, version.fields) for version in city.read_versions()[known:]]
    assert sorted(changes) == [("class", "updated", ("sections",)), ("event", "updated", ("name",))]
    early, late_now = read_documents(city)["Clay"]["sections"]
    assert early["updated_at"] < late_now["updated_at"]


@pytest.mark.long
def test_the_same_program_again_writes_nothing_again(city: City, program: Path) -> None:
    build(city, program)
    written = city.list_objects()
    build(city, program)
    assert city.list_objects().keys() - written <= {f"objects/{city.current.sha[:2]}/{city.current.sha}"}


@pytest.mark.long
def test_a_comment_in_the_code_that_answers_builds_no_metro_again(city: City, tmp_path: Path) -> None:
    path = "outings/answers/dates.py"
    first, _, _ = (ROOT / path).read_text().partition("\n")
    comment = add_line(path, after=first + "\n", line="# A comment.\n")
    written = city.list_objects()
    build(city, copy_program(tmp_path / "program", [comment]))
    assert city.list_objects().keys() - written <= {f"objects/{city.current.sha[:2]}/{city.current.sha}"}


@pytest.mark.long
def test_the_program_before_takes_up_what_the_one_after_made(city: City, program: Path) -> None:
    """Back to it by a build or by a rollback: what it never showed is left out again, and nothing changed either."""
    before, versions, first = read_documents(city), city.read_versions(), city.current.id
    build(city, program)
    one, other, *_ = list_releases(city.store)
    assert list(compare_releases(city.store, other.root, one.root, cache=city.cache)) == []
    city.build()
    assert city.read_versions() == versions
    assert read_documents(city) == before
    build(city, program)
    assert run_program(ROOT, "releases", "rollback", first, "-c", str(city.folder / "outings.toml"))
    assert city.read_versions() == versions
    assert read_documents(city) == before
