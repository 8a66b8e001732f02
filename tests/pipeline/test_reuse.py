"""A build makes again what changed, and gives the same bytes as one that makes everything."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from outings.release.manifest import read_manifest
from outings.release.store import object_name
from pipeline import plan
from pipeline.resolve import row_maker
from tests.pipeline.city import City, make_event, make_place


@pytest.fixture
def city(tmp_path: Path) -> City:
    city = City(tmp_path)
    city.write([make_place("hall"), *(make_event(str(n), place={"source_id": "hall"}) for n in range(9))])
    city.build()
    return city


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of listings that are made, as they are."""
    names: list[str] = []
    score = row_maker.score_confidence

    def tell(record: Any, **others: Any) -> Any:
        names.append(record.name)
        return score(record, **others)

    monkeypatch.setattr(row_maker, "score_confidence", tell)
    return names


def write_changed(city: City, **members: Any) -> None:
    others = (make_event(str(n), place={"source_id": "hall"}) for n in range(1, 9))
    city.write([make_place("hall"), make_event("0", place={"source_id": "hall"}, **members), *others])


def test_one_that_changed_is_made_and_no_other(city: City, made: list[str]) -> None:
    write_changed(city, name="Another")
    assert city.build().changes == {"updated": 1}
    assert made == ["Another"]


def test_a_day_later_nothing_is_made(city: City, made: list[str]) -> None:
    city.build("2026-08-11")
    assert made == []


def test_what_names_a_place_is_made_when_its_name_changes(city: City, made: list[str]) -> None:
    city.write([make_place("hall", name="Barn"), *(make_event(str(n), place={"source_id": "hall"}) for n in range(9))])
    assert city.build().changes == {"updated": 10}
    assert len(made) == 10


def test_another_program_makes_everything(city: City, made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "hash_listings", lambda *_, **__: "another")
    write_changed(city, name="Another")
    assert city.build().changes == {"updated": 1}
    assert len(made) == 10


@pytest.mark.parametrize("spoil", [lambda path: path.unlink(), lambda path: path.write_bytes(path.read_bytes()[:40])])
def test_origins_that_are_gone_or_torn_are_written_again(
    city: City, made: list[str], spoil: Callable[[Path], None]
) -> None:
    (part,) = city.current.root.parts.values()
    origins = read_manifest(city.store, part.manifest).origins
    assert origins is not None
    path = city.folder / "var/store" / object_name(origins.object)
    path.chmod(0o644)
    spoil(path)
    city.build("2026-08-11")
    assert len(made) == 10
    city.build("2026-08-12")
    assert len(made) == 10


def test_records_that_are_torn_are_read_again(city: City, made: list[str]) -> None:
    before = city.current.root.feeds["samples"]
    assert before.records is not None
    path = city.folder / "var/store" / object_name(before.records)
    whole = path.read_bytes()
    path.chmod(0o644)
    path.write_bytes(whole[:40])
    built = city.build("2026-08-11")
    assert (built.feeds[0].memory.records, path.read_bytes(), made) == (before.records, whole, [])
