"""A member is declared in the record and in the resource; what is forgotten is named with what to add."""

from collections.abc import Callable
from datetime import date
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import msgspec
import pytest

from outings.answers.rows.filters import PLAIN
from outings.configuration.tables import FeedTable
from outings.contract.resources.directories import Bounds, Center
from outings.contract.resources.listings import LISTINGS
from outings.contract.resources.shared import Ages, Location, OrganizationReference
from outings.contract.routes import LISTS
from outings.contract.vocabulary import Vocabulary
from outings.release.manifest import MetroSettings
from outings.release.tables import OCCURRENCE_TABLES, TABLES
from pipeline.records.record import RECORDS
from pipeline.resolve.listings.camps import make_camp_row
from pipeline.resolve.listings.classes import make_class_row
from pipeline.resolve.listings.events import make_event_row
from pipeline.resolve.listings.places import make_place_row
from pipeline.resolve.listings.resolved_record import Facts, MetroContext, ResolvedRecord

ROWS: dict[str, Callable[[Any, MetroContext], Any]] = {
    "event": make_event_row,
    "class": make_class_row,
    "camp": make_camp_row,
    "place": make_place_row,
}
SETTING = MetroContext(
    metro=MetroSettings(
        slug="oslo", name="Oslo", timezone="Europe/Oslo", center=Center(lat=60.0, lng=10.0),
        bounds=Bounds(south=59.0, west=9.0, north=61.0, east=11.0),
    ),
    vocabulary=Vocabulary(),
    horizon=(date(2026, 8, 1), date(2026, 9, 1)),
    feeds={"parks": FeedTable(name="parks", format="ndjson", url="parks.ndjson")},
)  # fmt: skip
# What a feed says that its document does not show, or shows as something else.
UNSHOWN = {
    "feed", "line", "source_id", "deleted", "reason", "replaced_by", "keywords", "adults_only", "seasons", "date_on",
    "program_key",
}  # fmt: skip
# What dated listings take from it, and what stands in `schedule` instead.
UNSHOWN_OF = {"place": {"is_indoor", "is_outdoor", "good_for_rainy"}, "class": {"timezone"}}
# What its document shows in another form.
REWRITTEN = {
    "id", "slug", "type", "metro", "status", "confidence", "organization", "place", "location", "ages", "verified_at",
    "created_at", "source", "starts_local", "ends_local", "camp_type", "price", "sections", "sessions", "schedule",
    "registration", "timezone", "audience", "exdates", "rdates",
}  # fmt: skip


def list_types(struct: type[msgspec.Struct]) -> dict[str, Any]:
    return {field.name: strip(field.type) for field in msgspec.structs.fields(struct)}


def strip(declared: Any) -> Any:
    """Return a declaration without how it is read or how OpenAPI describes it."""
    origin = get_origin(declared)
    if origin is Annotated:
        return strip(get_args(declared)[0])
    if origin in (Union, UnionType):
        return frozenset(map(strip, get_args(declared)))
    return (origin, *map(strip, get_args(declared))) if origin else declared


def make_row(kind: str) -> Any:
    record = RECORDS[kind](feed="parks", line=1, type=kind, source_id="a", metro="oslo", name="Zoo")
    resolved = ResolvedRecord(
        record=record, id="0", slug="zoo", organization=OrganizationReference(), place=None, facts=Facts(),
        location=Location(), ages=Ages(), audience="families", confidence=0.5,
    )  # fmt: skip
    return ROWS[kind](resolved, SETTING)


def name_resource(kind: str) -> str:
    return f"{LISTINGS[kind].__name__} in outings/contract/resources/listings.py"


@pytest.mark.parametrize("kind", LISTINGS)
def test_every_member_of_a_resource_comes_from_its_record_or_is_derived(kind: str) -> None:
    try:
        make_row(kind)
    except TypeError as error:
        pytest.fail(
            f"{error}: declare it in {RECORDS[kind].__name__} in pipeline/records/record.py,"
            f" or derive it in {ROWS[kind].__name__} in {ROWS[kind].__module__.replace('.', '/')}.py"
        )


@pytest.mark.parametrize("kind", LISTINGS)
def test_every_member_of_a_record_is_shown(kind: str) -> None:
    read, shown = list_types(RECORDS[kind]), list_types(LISTINGS[kind])
    forgotten = read.keys() - shown.keys() - UNSHOWN - UNSHOWN_OF.get(kind, set())
    assert not forgotten, f"feeds say {sorted(forgotten)}, and nobody sees it: declare it in {name_resource(kind)}"


@pytest.mark.parametrize("kind", LISTINGS)
def test_what_is_shown_as_it_was_read_has_one_type(kind: str) -> None:
    read, shown = list_types(RECORDS[kind]), list_types(LISTINGS[kind])
    for name in (read.keys() & shown.keys()) - REWRITTEN:
        assert read[name] == shown[name], f"{name} is read as {read[name]}; {name_resource(kind)} has {shown[name]}"


@pytest.mark.parametrize("kind", LISTINGS)
def test_every_column_that_a_filter_compares_is_filled(kind: str) -> None:
    parts = TABLES.get(OCCURRENCE_TABLES.get(kind, ""), {})
    for name, row in PLAIN.items():
        if name in LISTS[kind].parameters and row.column not in parts:
            assert row.column in make_row(kind).columns, (
                f"nothing fills {row.column}: name the member that {name} compares in outings/contract/parameters.py,"
                " or fill it in pipeline/resolve/listings"
            )
