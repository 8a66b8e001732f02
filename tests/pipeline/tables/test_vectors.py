"""Vectors of listings: made in the build where a model is named, once a text, and carried in the snapshot."""

from datetime import date, timedelta
from pathlib import Path

import pytest

from outings.answers.semantic.model import Model, ModelError, hash_model
from outings.answers.semantic.vectors import Vectors
from outings.release.manifest import list_files, read_manifest
from outings.release.pointer import list_releases
from outings.release.snapshot import SemanticFiles
from pipeline.publish.rollback import roll_back
from tests.answers.semantic.networks import MEANINGS, write_model
from tests.pipeline.city import City, Record, make_event


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_model(tmp_path / "tiny")


@pytest.fixture
def city(tmp_path: Path, model: Path) -> City:
    city = City(tmp_path)
    city.model = model
    return city


def make_named(source_id: str, name: str, **members: object) -> Record:
    """An event that says nothing but its name."""
    return make_event(source_id, name=name, description=None, categories=[], **members)


def find_files(city: City) -> SemanticFiles:
    files = city.open().metros["seattle"].semantic
    assert files is not None
    return files


def rank(city: City, model: Path, text: str) -> dict[str, float]:
    """Names of events that a list shows, with how near they are to the text."""
    events = city.ask("/v1/seattle/events")["data"]
    vectors = Vectors(find_files(city))
    similarities = vectors.measure_all(Model(model).embed_query(text))
    return dict(zip([event["name"] for event in events], similarities.tolist(), strict=True))


def test_a_listing_that_means_the_same_is_near(city: City, model: Path) -> None:
    city.write([make_named("a", "Ceramics"), make_named("b", "Splash"), make_named("c", "Robots")])
    city.build()
    near = rank(city, model, "pottery")
    assert near["Ceramics"] > 0.9
    assert near["Splash"] == near["Robots"] == 0


def test_what_is_not_published_has_none(city: City, model: Path) -> None:
    city.write([make_named("a", "Swim"), make_named("b", "Swim", status="archived")])
    city.build()
    vectors = Vectors(find_files(city))
    assert sorted(vectors.measure_all(Model(model).embed_query("swim")).round(2).tolist()) == [-1, 1]


def test_without_a_model_a_snapshot_has_none_and_is_the_same_as_ever(city: City, model: Path) -> None:
    city.write([make_named("a", "Swim")])
    with_vectors = city.build().published.root.parts["seattle"]
    city.model = None
    without = city.build().published.root.parts["seattle"]
    assert city.open().metros["seattle"].semantic is None
    assert without.snapshot != with_vectors.snapshot
    city.model = model
    again = city.build().published.root.parts["seattle"]
    before, after = (read_manifest(city.store, part.manifest) for part in (with_vectors, again))
    assert before.semantic == after.semantic
    assert after.semantic is not None
    assert {after.semantic.vectors.object, after.semantic.rows.object} <= set(list_files(after))


def test_the_same_build_again_changes_nothing(city: City) -> None:
    city.write([make_named("a", "Swim"), make_named("b", "Robots")])
    first = city.build().published.root.parts["seattle"]
    city.write([make_named("b", "Robots"), make_named("a", "Swim")])
    again = city.build().published.root.parts["seattle"]
    assert (again.snapshot, again.stamp) == (first.snapshot, first.stamp)


def test_another_model_makes_all_vectors_anew(city: City, model: Path) -> None:
    city.write([make_named("a", "Swim")])
    before = city.build().published.root.parts["seattle"]
    write_model(model, {**MEANINGS, "swim": (0, 0, 0, 1)})
    built = city.build()
    part = built.published.root.parts["seattle"]
    assert part.snapshot != before.snapshot
    assert part.stamp > before.stamp
    assert built.changes == {}
    assert find_files(city).model == hash_model(model)
    assert rank(city, model, "swim")["Swim"] == pytest.approx(1, abs=0.01)


def test_a_rollback_brings_the_vectors_of_its_day_and_needs_no_model(city: City, model: Path) -> None:
    city.write([make_named("a", "Swim")])
    city.build()
    kept = Model(model)
    city.write([make_named("a", "Robots")])
    city.build()
    (model / "model.onnx").unlink()
    current, target = list_releases(city.store)
    roll_back(
        city.store, current=current, target=target,
        stamp=current.root.parts["seattle"].stamp + timedelta(seconds=1),
        today={"seattle": date(2026, 8, 10)}, cache=city.cache,
    )  # fmt: skip
    files = find_files(city)
    assert files.model == kept.hash
    assert Vectors(files).measure_all(kept.embed_query("swim")).round(2).tolist() == [1]


def test_a_folder_without_a_model_stops_the_build(city: City, tmp_path: Path) -> None:
    city.write([make_named("a", "Swim")])
    city.model = tmp_path / "nothing"
    with pytest.raises(ModelError, match=r"nothing: there is no tokenizer\.json"):
        city.build()
    assert list(list_releases(city.store)) == []
