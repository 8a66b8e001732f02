"""What is made of columns or documents that did not change is taken from the release before; test_reuse.py has that it
is the same."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl
import pytest

from outings.answers import derived
from outings.answers.derived import DERIVED
from outings.answers.gazetteer.spots import SPOT_TABLES
from outings.answers.near import items
from outings.answers.search import cards
from outings.answers.snapshot.reader import DerivedTables, TableContext
from outings.contract.languages.language import ENGLISH, read_shipped_language
from outings.release.manifest import Manifest, read_manifest
from outings.release.mapped_table import encode_mapped
from outings.release.tables import TABLES, read_columns
from pipeline.tables import similar
from pipeline.tables.kept_tables import is_identical
from pipeline.tables.similar import RELATED_LISTINGS
from tests.pipeline.city import FIRST, City, Record, make_event


def make_placed(name: str, **members: Any) -> Record:
    return make_event(name, **{"location": {"lat": 47.61, "lng": -122.33, "address": "9 Pine St"}, **members})


def make_city(folder: Path) -> City:
    city = City(folder)
    city.write([make_placed(str(n)) for n in range(9)])
    city.build()
    return city


def change(**members: Any) -> Callable[[City], None]:
    records: list[Record] = [make_placed("0", **members), *(make_placed(str(n)) for n in range(1, 9))]
    return lambda city: city.write(records)


@pytest.mark.parametrize(
    ("move", "day", "made"),
    [
        (change(description="Another text"), None, 0),
        (change(ages={"min": 3, "max": 4}), None, 1),
        (change(status="archived"), None, 1),
        (lambda _: None, "2026-08-11", 1),
    ],
)
def test_similar_listings_are_found_again_only_where_what_they_are_compared_by_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, move: Callable[[City], None], day: str | None, made: int
) -> None:
    city, make = make_city(tmp_path), similar.make_related
    calls: list[Any] = []

    def tell(tables: Any, **options: Any) -> pl.DataFrame:
        calls.append(options)
        return make(tables, **options)

    monkeypatch.setattr(similar, "make_related", tell)
    move(city)
    city.build() if day is None else city.build(day)
    assert len(calls) == made


@pytest.mark.parametrize(
    ("move", "day", "made"),
    [
        (change(description="Another text"), None, 1),
        (change(status="archived"), None, 0),
        (lambda _: None, "2026-08-11", 0),
    ],
)
@pytest.mark.parametrize(("module", "name"), [(cards, "make_card"), (items, "make_parts")], ids=["cards", "items"])
def test_cards_and_items_are_made_of_changed_documents_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str,
    move: Callable[[City], None], day: str | None, made: int,
) -> None:  # fmt: skip
    city, make = make_city(tmp_path), getattr(module, name)
    documents: list[bytes] = []

    def tell(document: bytes) -> Any:
        documents.append(document)
        return make(document)

    monkeypatch.setattr(module, name, tell)
    move(city)
    city.build() if day is None else city.build(day)
    assert len(documents) == made


@pytest.mark.parametrize(
    ("record", "day", "made"),
    [
        (make_placed("0", description="Another text"), None, 0),
        (make_placed("0"), "2026-08-11", 0),
        (make_placed("0", location={"lat": 47.61, "lng": -122.33, "address": "10 Pine St"}), None, 1),
        (make_placed("0", location={"lat": 47.62, "lng": -122.33, "address": "9 Pine St"}), None, 1),
        (make_placed("0", status="archived"), None, 1),
    ],
    ids=["another text", "another day", "another address", "another point", "gone"],
)
def test_spots_are_made_again_only_where_a_listing_says_otherwise_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, record: Record, day: str | None, made: int
) -> None:
    city, make = City(tmp_path), derived.make_spots
    city.write([make_placed("0"), make_event("1")])
    city.build()
    before = read_metro(city).mapped
    calls: list[Any] = []

    def tell(reader: Any) -> Any:
        calls.append(reader)
        return make(reader)

    monkeypatch.setattr(derived, "make_spots", tell)
    city.write([record, make_event("1")])
    city.build() if day is None else city.build(day)
    assert len(calls) == made
    if not made:
        assert all(read_metro(city).mapped[name] == before[name] for name in SPOT_TABLES)


def read_metro(city: City) -> Manifest:
    return read_manifest(city.store, city.current.root.parts["seattle"].manifest)


def test_tables_that_are_others_on_another_day_say_so(tmp_path: Path) -> None:
    snapshot = make_city(tmp_path).open().metros["seattle"]
    tables = {name: read_columns(file, name) for name, file in snapshot.tables.items() if name in TABLES}

    def encode(tables_of: DerivedTables, day: date) -> list[bytes]:
        context = TableContext(today=day, language=read_shipped_language(ENGLISH))
        return [encode_mapped(frame) for frame in tables_of.make_ahead(tables, context).values()]

    every = (*DERIVED, RELATED_LISTINGS)
    moving = [each.names for each in every if encode(each, FIRST) != encode(each, date(2027, 3, 1))]
    assert moving
    assert moving == [each.names for each in every if each.is_of_day and each.names in moving]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ([1.5, None, float("nan")], [1.5, None, float("nan")], True),
        ([0.0], [-0.0], False),
        ([1.5, None], [1.5, float("nan")], False),
        ([1.0, 2.0], [2.0, 1.0], False),
        (["a", None], ["a", None], True),
        (["a", None], ["a", ""], False),
        ([[1, 2]], [[1, 3]], False),
    ],
)
def test_columns_are_the_same_if_every_bit_is(one: list[Any], other: list[Any], same: bool) -> None:
    assert is_identical(pl.Series(one), pl.Series(other, dtype=pl.Series(one).dtype)) is same
