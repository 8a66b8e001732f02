"""Records of one metro → rows: identity, references, geography and the rules, composed in that order."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from outings.contract.resources.shared import Location
from pipeline.facts.ages import complete_ages
from pipeline.facts.confidence import score_confidence
from pipeline.facts.geography import Neighborhoods
from pipeline.facts.slugs import slugify
from pipeline.facts.statements import make_statement_columns
from pipeline.facts.suitability import judge_audience
from pipeline.listings.camps import make_camp_row
from pipeline.listings.classes import make_class_row
from pipeline.listings.directory import Directory, make_directory
from pipeline.listings.events import make_event_row
from pipeline.listings.identity import assign_id
from pipeline.listings.places import make_place_row
from pipeline.listings.previous import Previous
from pipeline.listings.resolution import Facts, Resolved, Setting
from pipeline.listings.rows import Row
from pipeline.records.record import (
    CampRecord,
    ClassRecord,
    EventRecord,
    ListingRecord,
    PlaceRecord,
    Problem,
    Record,
)


class Rows(Struct, frozen=True, kw_only=True):
    """`problems`: records that were set aside here, and what was left out of the others."""

    rows: tuple[Row, ...]
    problems: tuple[Problem, ...]


def resolve_rows(
    records: Sequence[Record],
    previous: Previous,
    *,
    setting: Setting,
    neighborhoods: Neighborhoods,
    crawled: Mapping[str, datetime | None],
    carried: Collection[str],
) -> Rows:
    """`crawled`: each feed's newest `crawled_at`; `carried`: ids whose row of the release before stays as it is."""
    problems: list[Problem] = []
    by_id = _identify(records, problems)
    kept = [row_id for row_id in carried if row_id not in by_id and previous.get(row_id) is not None]
    directory = make_directory(by_id, previous, kept=kept, metro=setting.metro.slug, neighborhoods=neighborhoods)
    rows: list[Row] = []
    for row_id, record in by_id.items():
        if isinstance(record, ListingRecord):
            resolved = _resolve(record, row_id, directory, problems, crawled=crawled.get(record.feed))
            row, found = _make_row(resolved, setting)
            row.columns.update(make_statement_columns(record, row.members))
            rows.append(row)
            problems.extend(found)
    rows += [previous.carry_row(row_id) for row_id in kept]
    rows += directory.make_organization_rows(rows, setting)
    return Rows(rows=tuple(rows), problems=tuple(problems))


def _identify(records: Iterable[Record], problems: list[Problem]) -> dict[str, Record]:
    """By id; a second record that claims an id is set aside, since only one can be published."""
    by_id: dict[str, Record] = {}
    for record in records:
        row_id = assign_id(record)
        first = by_id.setdefault(row_id, record)
        if first is not record:
            problems.append(
                Problem(
                    feed=record.feed, line=record.line, source_id=record.source_id, field="id",
                    reason=f"duplicate_id: also of {first.feed} line {first.line}", value=row_id,
                )
            )  # fmt: skip
    return by_id


def _resolve(
    record: ListingRecord,
    row_id: str,
    directory: Directory,
    problems: list[Problem],
    *,
    crawled: datetime | None,
) -> Resolved[Any]:
    organization = directory.find_organization(record, problems)
    place = directory.find_place(record, problems)
    location = _locate(record.location, None if place is None else place.location, directory)
    audience = judge_audience(record).audience
    return Resolved(
        record=record,
        id=row_id,
        slug=directory.slugs[row_id],
        organization=organization,
        place=None if place is None else place.reference,
        facts=_inherit_facts(record, None if place is None else place.facts),
        location=location,
        ages=complete_ages(record.ages, audience=audience),
        audience=audience,
        confidence=score_confidence(record, location=location, has_place=place is not None, newest_crawled_at=crawled),
    )


def _locate(own: Location | None, of_place: Location | None, directory: Directory) -> Location:
    """The record's own location, else its place's; the neighborhood by polygon where none is given."""
    location = own or of_place or Location()
    if location.neighborhood is not None:
        known = directory.neighborhoods.find_named(location.neighborhood)
        slug = location.neighborhood_slug or (
            known.slug if known is not None else slugify(location.neighborhood) or None
        )
        return msgspec.structs.replace(location, neighborhood_slug=slug)
    if location.lat is None or location.lng is None:
        return location
    found = directory.neighborhoods.find(location.lat, location.lng)
    if found is None:
        return location
    return msgspec.structs.replace(location, neighborhood=found.name, neighborhood_slug=found.slug)


def _inherit_facts(record: ListingRecord, of_place: Facts | None) -> Facts:
    own = {name: getattr(record, name) for name in Facts.__struct_fields__}
    if of_place is None:
        return Facts(**own)
    return Facts(**{name: getattr(of_place, name) if value is None else value for name, value in own.items()})


def _make_row(resolved: Resolved[Any], setting: Setting) -> tuple[Row, tuple[Problem, ...]]:
    match resolved.record:
        case EventRecord():
            return make_event_row(resolved, setting)
        case ClassRecord():
            return make_class_row(resolved, setting), ()
        case CampRecord():
            return make_camp_row(resolved, setting), ()
        case PlaceRecord():
            return make_place_row(resolved, setting), ()
    raise TypeError(f"no row is made of {type(resolved.record).__name__}")
