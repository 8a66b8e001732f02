"""What the records of one metro refer to: its organizations and places, whichever way they are named."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import msgspec
import orjson
from msgspec import Struct

from outings.contract.resources.shared import Location, OrganizationReference, PlaceReference
from outings.release.tables import PUBLISHED
from pipeline.facts.geography import Neighborhoods
from pipeline.facts.slugs import SlugRequest, assign_slugs, slugify
from pipeline.listings.organizations import make_organization_row
from pipeline.listings.previous import PreviousSnapshot
from pipeline.listings.references import (
    ForeignOrganization,
    ForeignReference,
    ForeignResolution,
    ReferenceTarget,
    Targets,
    index_targets,
)
from pipeline.listings.resolved_record import Facts, MetroContext
from pipeline.listings.rows import Row, pack_bits
from pipeline.listings.websites import LinkIndex, find_websites
from pipeline.records.record import Head, ListingHead, OrganizationRecord, PlaceHead, Problem, Reference
from pipeline.records.spool import SpooledRecord

# Who lends an organization to this metro; None where no other has it.
FindLoan = Callable[[ForeignReference], ForeignOrganization | None]


class KnownPlace(Struct, frozen=True, kw_only=True):
    """A place as the listings there show it."""

    reference: PlaceReference
    location: Location
    facts: Facts


class ReferenceIndex(Struct, frozen=True, kw_only=True):
    """`slugs` by id, of every row that is made anew. `foreign`: what this metro asked of others, and what it got.
    `homes`: whose the organizations are that it got, by id."""

    targets: Targets
    foreign: ForeignResolution
    homes: Mapping[str, str]
    slugs: Mapping[str, str]
    organizations: Mapping[str, OrganizationRecord]
    references: Mapping[str, OrganizationReference]
    places: Mapping[str, KnownPlace]
    neighborhoods: Neighborhoods

    def find_organization(self, entry: SpooledRecord, problems: list[Problem]) -> OrganizationReference:
        assert isinstance(entry.head, ListingHead)
        target = self._resolve(entry, entry.head.organization, "organization", problems)
        return OrganizationReference() if target is None else self.references[target]

    def find_place(self, entry: SpooledRecord, problems: list[Problem]) -> KnownPlace | None:
        assert isinstance(entry.head, ListingHead)
        target = self._resolve(entry, entry.head.place, "place", problems)
        return None if target is None else self.places[target]

    def _resolve(
        self, entry: SpooledRecord, reference: Reference | None, kind: str, problems: list[Problem]
    ) -> str | None:
        head = entry.head
        resolution = self.targets.resolve(reference, kind=kind, feed=head.feed)
        if resolution.problem is not None:
            problems.append(
                Problem(
                    feed=head.feed, line=entry.line, source_id=head.source_id, field=kind,
                    reason=resolution.problem, value=resolution.value, quarantined=False,
                )
            )  # fmt: skip
        return resolution.id

    def make_organization_rows(
        self,
        setting: MetroContext,
        *,
        carried: Mapping[str, str | None],
        linked: LinkIndex,
        categories: Mapping[str, int],
    ) -> list[Row]:
        """Rows of the organizations that have a record or are named. `carried`: the websites of those that stay as
        they are; `linked`: what the metro's listings link to; `categories`: the bit set of each organization's."""
        websites = find_websites(self.organizations, carried=carried, linked=linked)
        return [
            make_organization_row(
                record, websites[row_id], row_id=row_id, slug=self.slugs[row_id], home=self.homes.get(row_id),
                categories=pack_bits(record.categories, setting.vocabulary.categories) | categories.get(row_id, 0),
            )
            for row_id, record in self.organizations.items()
        ]  # fmt: skip


def make_reference_index(
    records: Mapping[str, SpooledRecord],
    previous: PreviousSnapshot,
    *,
    kept: Iterable[str],
    metro: str,
    neighborhoods: Neighborhoods,
    find_loan: FindLoan = lambda _: None,
) -> ReferenceIndex:
    """`records` by id; `kept`: ids of rows that stay as they are in the release before."""
    kept_rows = [dict(row) for row_id in kept if (row := previous.get(row_id)) is not None]
    kept_ids = [row["id"] for row in kept_rows]
    locations = _locate_places(records, previous, kept_rows)
    own = list(_list_targets(records, previous, kept_rows, locations=locations, metro=metro))
    asks = index_targets(own, metro=metro).list_asks(_list_references(records))
    foreign = {
        ask: find_loan(ask) for ask in (*asks, *(ForeignReference(id=each) for each in previous.find_lent(kept_ids)))
    }
    loans = {loan.id: loan for loan in foreign.values() if loan is not None and loan.id not in records}
    targets = index_targets([*own, *map(_make_target, loans.values())], metro=metro)
    organizations = _name_organizations(records, targets, previous.find_named(kept_ids))
    for loan in loans.values():
        assert isinstance(loan.entry.head, OrganizationRecord)
        organizations[loan.id] = loan.entry.head
    slugs = _assign_slugs({row_id: entry.head for row_id, entry in records.items()} | organizations, previous)
    references = {
        row["id"]: OrganizationReference(id=row["id"], name=row["name"], slug=row["slug"])
        for row in kept_rows
        if row["kind"] == "organization"
    } | {
        row_id: OrganizationReference(id=row_id, name=record.name, slug=slugs[row_id])
        for row_id, record in organizations.items()
    }
    return ReferenceIndex(
        targets=targets,
        foreign=foreign,
        homes={loan.id: loan.metro for loan in loans.values()},
        slugs=slugs,
        organizations=organizations,
        references=references,
        places=_know_places(records, kept_rows, locations=locations, slugs=slugs),
        neighborhoods=neighborhoods,
    )


def _list_references(records: Mapping[str, SpooledRecord]) -> Iterator[tuple[str, Reference]]:
    """To organizations, by their feeds."""
    for entry in records.values():
        if isinstance(entry.head, ListingHead) and entry.head.organization is not None:
            yield entry.head.feed, entry.head.organization


def _make_target(loan: ForeignOrganization) -> ReferenceTarget:
    head = loan.entry.head
    return ReferenceTarget(
        id=loan.id, type=head.type, metro=loan.metro, feed=head.feed, source_id=head.source_id, slug="", name=head.name
    )


def _list_targets(
    records: Mapping[str, SpooledRecord],
    previous: PreviousSnapshot,
    kept_rows: Iterable[Mapping[str, Any]],
    *,
    locations: Mapping[str, Location],
    metro: str,
) -> Iterable[ReferenceTarget]:
    """`slug`: what the record states, else what is published."""
    slugs = previous.list_slugs("organization") | previous.list_slugs("place")
    for row_id, entry in records.items():
        head = entry.head
        if isinstance(head, OrganizationRecord | PlaceHead) and head.status != "draft":
            slug = slugify(head.slug) if head.slug else slugs.get(row_id, "")
            yield ReferenceTarget(
                id=row_id, type=head.type, metro=metro, feed=head.feed,
                source_id=head.source_id, slug=slug, name=head.name, addresses=_list_addresses(locations.get(row_id)),
                is_shown=head.status == "published",
            )  # fmt: skip
    for row in kept_rows:
        if row["kind"] in ("organization", "place"):
            feed, _, source_id = row["source"].split("/", 2)
            yield ReferenceTarget(
                id=row["id"], type=row["kind"], metro=metro, feed=feed, source_id=source_id,
                slug=row["slug"], name=row["name"], addresses=_list_addresses(locations.get(row["id"])),
                is_shown=row["status"] == PUBLISHED,
            )  # fmt: skip


def _list_addresses(location: Location | None) -> tuple[str, ...]:
    if location is None:
        return ()
    return tuple(each for each in (location.address, location.street_address) if each is not None)


def _name_organizations(
    records: Mapping[str, SpooledRecord], targets: Targets, named: Mapping[str, str]
) -> dict[str, OrganizationRecord]:
    """Those with a record, and those that listings only name: the first spelling is theirs. `named`: by id what rows
    that stay as they are name so."""
    own = {row_id: entry.head for row_id, entry in records.items() if isinstance(entry.head, OrganizationRecord)}
    for entry in records.values():
        head = entry.head
        if not isinstance(head, ListingHead) or head.organization is None:
            continue
        resolution = targets.resolve(head.organization, kind="organization", feed=head.feed)
        if resolution.made_name is not None and resolution.id is not None:
            own.setdefault(resolution.id, _make_named(resolution.id, resolution.made_name))
    return {row_id: _make_named(row_id, name) for row_id, name in named.items()} | own


def _make_named(row_id: str, name: str) -> OrganizationRecord:
    return OrganizationRecord(feed="", line=0, type="organization", source_id=row_id, name=name)


def _assign_slugs(records: Mapping[str, Head], previous: PreviousSnapshot) -> dict[str, str]:
    wishes: dict[str, list[SlugRequest]] = {}
    for row_id, record in records.items():
        wish = SlugRequest(id=row_id, type=record.type, name=record.name, slug=record.slug)
        wishes.setdefault(record.type, []).append(wish)
    slugs: dict[str, str] = {}
    for kind, wished in wishes.items():
        slugs |= assign_slugs(wished, before=previous.list_slugs(kind))
    return slugs


def _locate_places(
    records: Mapping[str, SpooledRecord], previous: PreviousSnapshot, kept_rows: Iterable[Mapping[str, Any]]
) -> dict[str, Location]:
    """Where each place is, by its id."""
    locations = {
        row_id: entry.head.location or Location()
        for row_id, entry in records.items()
        if isinstance(entry.head, PlaceHead)
    }
    for row in kept_rows:
        if row["kind"] == "place":
            document = orjson.loads(previous.read_document(row["id"]))
            locations[row["id"]] = msgspec.convert(document["location"], Location)
    return locations


def _know_places(
    records: Mapping[str, SpooledRecord],
    kept_rows: Iterable[Mapping[str, Any]],
    *,
    locations: Mapping[str, Location],
    slugs: Mapping[str, str],
) -> dict[str, KnownPlace]:
    places = {}
    for row_id, entry in records.items():
        head = entry.head
        if isinstance(head, PlaceHead):
            places[row_id] = KnownPlace(
                reference=PlaceReference(id=row_id, slug=slugs[row_id], name=head.name),
                location=locations[row_id],
                facts=msgspec.convert(head, Facts, from_attributes=True),
            )
    for row in kept_rows:
        if row["kind"] == "place":
            places[row["id"]] = KnownPlace(
                reference=PlaceReference(id=row["id"], slug=row["slug"], name=row["name"]),
                location=locations[row["id"]],
                facts=msgspec.convert(row, Facts),
            )
    return places
