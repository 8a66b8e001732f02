"""A release whose mapped files are of another layout answers the same, from its tables and documents."""

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime, time
from itertools import cycle

import msgspec
import numpy as np
import polars as pl
import pytest
from msgspec.structs import replace

from command.sample_cities import write_world
from outings.answers.gazetteer.address_finder import locate_types
from outings.answers.near.items import ITEM_TABLES, make_parts, open_parts
from outings.answers.routes import answer
from outings.answers.search.results import STORED_RESULTS, StoredResults, make_result
from outings.answers.snapshot.reader import open_snapshot
from outings.configuration import read_configuration
from outings.contract.parameters import PARAMETERS
from outings.contract.query import Entitlement
from outings.contract.values import Parameter
from outings.contract.vocabulary import TYPES
from outings.release.manifest import read_manifest
from outings.release.mapped_table import LAYOUT, LAYOUT_NUMBER, number_layout
from outings.release.pointer import list_releases
from outings.release.snapshot import Release, Snapshot, name_snapshot
from outings.release.store import open_store
from pipeline.building import build_release
from pipeline.clock import AsOf
from pipeline.executors.local import InlineExecutor
from pipeline.plan import Build
from tests.answers.asking import parse
from tests.answers.worlds import TODAY

# The number of the layout, and a digest of every column of every mapped file with its type, but for filters' own.
COLUMNS_OF_LAYOUT = (29, "1c77e9315e89faf3")
REQUESTS: tuple[tuple[str, dict[str, str]], ...] = (
    ("/v1/seattle/search", {"q": "swim"}),
    ("/v1/seattle/events", {"q": "story"}),
    ("/v1/seattle/classes", {}),
    ("/v1/seattle/nearby", {"lat": "47.61", "lng": "-122.33", "radius_m": "50000"}),
)


def read_bodies(snapshot: Snapshot) -> list[bytes]:
    release = Release(id="1-00000000", sequence=1, latest_version_id=0, metros={"seattle": snapshot})
    minute = datetime.combine(TODAY, time(20), UTC)
    made = (
        answer(parse(path, given), release=release, dates={"seattle": TODAY}, entitlement=Entitlement(), minute=minute)
        for path, given in REQUESTS
    )
    return [b"".join(entry.parts) for entry in made]


def list_addresses(snapshot: Snapshot) -> Iterator[str]:
    """List the places in documents, alone and followed by what may or may not belong to them."""
    others = cycle(("98101", "Portland"))
    for place in pl.read_parquet(snapshot.tables["listings"].path)["pack", "offset", "length"].iter_rows():
        document = msgspec.json.decode(snapshot.read_document(*place))
        location = document.get("location") or {}
        behind = [location[name] for name in ("city", "zip", "neighborhood") if location.get(name)]
        for name in filter(None, (document["name"], location.get("address"), location.get("street_address"))):
            yield name
            yield from (f"{name}, {value}" for value in (*behind, next(others)))
        yield from behind


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> tuple[Snapshot, Snapshot]:
    """A snapshot with its mapped files, and the same one as a program of another layout wrote it."""
    folder = tmp_path_factory.mktemp("mapped")
    configuration = read_configuration(write_world(folder / "outings.toml", today=TODAY, size=40), {})
    store = open_store(configuration.store.url)
    build_release(Build(configuration=configuration, as_of=AsOf(day=TODAY)), store=store, executor=InlineExecutor())
    part = next(list_releases(store)).root.parts["seattle"]
    manifest = read_manifest(store, part.manifest)
    known = name_snapshot(store, manifest, cache=folder / "cache")
    return known, name_snapshot(store, replace(manifest, mapped_layout=1), cache=folder / "cache")


@pytest.mark.parametrize("types", [frozenset(TYPES), frozenset({"event", "class"})])
def test_files_of_another_layout_are_not_opened(releases: tuple[Snapshot, Snapshot], types: frozenset[str]) -> None:
    known, unknown = releases
    assert known.mapped
    assert not unknown.mapped
    assert unknown.hash == known.hash
    assert read_bodies(unknown) == read_bodies(known)
    derived, mapped = (
        open_snapshot(value).open_index(locate_types(types)) for value in (unknown, replace(known, packs=(), tables={}))
    )
    files = {address: mapped.find_address(address) for address in list_addresses(known)}
    assert files == {address: derived.find_address(address) for address in files}
    assert 20 < sum(middle is not None for middle in files.values()) < len(files)


def test_another_column_of_a_mapped_file_is_another_layout(releases: tuple[Snapshot, Snapshot]) -> None:
    schemas = {name: pl.read_ipc_schema(file.path) for name, file in releases[0].mapped.items()}
    compared = {row.column for row in PARAMETERS.values()}
    columns = sorted(
        f"{name}.{column} {kind}"
        for name, schema in schemas.items()
        for column, kind in schema.items()
        if column not in compared
    )
    digest = hashlib.sha256("\n".join(columns).encode()).hexdigest()[:16]
    assert (LAYOUT_NUMBER, digest) == COLUMNS_OF_LAYOUT, (
        f"The columns of the mapped files changed. Readers of older releases would look for columns that their files"
        f" do not have: raise LAYOUT_NUMBER in outings/release/mapped_table.py by one, and write it with {digest} into"
        f" COLUMNS_OF_LAYOUT here. Where LAYOUT_NUMBER is raised already, write the digest alone."
    )


def test_a_stored_result_is_the_one_that_its_document_makes(releases: tuple[Snapshot, Snapshot]) -> None:
    reader = open_snapshot(releases[0])
    assert STORED_RESULTS in releases[0].mapped
    results, rows = StoredResults(reader), range(len(reader.listings))
    made = [make_result(reader.read_document(row)) for row in rows]
    assert [results.read_result(row) for row in rows] == made


def test_parts_of_an_item_of_the_files_are_those_that_its_document_makes(releases: tuple[Snapshot, Snapshot]) -> None:
    reader = open_snapshot(releases[0])
    assert {*ITEM_TABLES} <= {*releases[0].mapped}
    rows = np.flatnonzero(~np.isnan(reader.rows.vectors[0]))
    assert rows.size
    for views, row in zip(open_parts(reader).view_parts(rows), rows.tolist(), strict=True):
        assert [*map(bytes, views)] == [*make_parts(reader.read_document(row))]


def test_a_filter_on_a_column_that_none_compared_is_another_layout() -> None:
    """The column may be in the tables of older releases. Their arrays have no sets of its values: a list would be
    empty."""
    row = Parameter(name="image", kind="boolean", meaning="Keep by image.", example="true", column="has_image")
    assert number_layout(PARAMETERS.values()) == LAYOUT
    assert number_layout([*PARAMETERS.values(), row]) != LAYOUT
