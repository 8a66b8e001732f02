"""Index the organizations and places to which the records of one metro may refer."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from outings.contract.resources.shared import Location, OrganizationReference, PlaceReference
from outings.contract.vocabulary import STATUSES
from outings.release.tables import DRAFT
from pipeline.clean.feed_read import SpooledRecord
from pipeline.records.record import Head, ListingHead, OrganizationRecord, PlaceHead, Problem, Reference
from pipeline.resolve.addresses import Point, add_point
from pipeline.resolve.facts.place_kinds import find_place_facts
from pipeline.resolve.facts.slugs import SlugRequest, assign_slugs, slugify
from pipeline.resolve.listings.organizations import make_organization_row
from pipeline.resolve.listings.resolved_record import Facts, MetroContext
from pipeline.resolve.listings.rows import Row
from pipeline.resolve.previous_rows import PreviousSnapshot
from pipeline.resolve.references import (
    ForeignOrganization,
    ForeignReference,
    ForeignResolution,
    ReferenceTarget,
    Resolution,
    Targets,
)
from pipeline.resolve.websites import FeedLinks, choose_websites

_REFERRED = ("organization", "place")
# Finds an organization in another metro; None if no other metro has it.
FindForeign = Callable[[ForeignReference], ForeignOrganization | None]


class ResolvedPlace(Struct, frozen=True, kw_only=True):
    """A place as listings that refer to it show it: its name, location and facts."""

    reference: PlaceReference
    location: Location
    facts: Facts


class ReferenceIndex:
    """The organizations and places to which a metro's records refer. `slugs`: of all rebuilt rows, by id. `foreign`:
    references to other metros' organizations, with the results. `places`: by id."""

    def __init__(
        self,
        records: Mapping[str, SpooledRecord],
        previous: PreviousSnapshot,
        *,
        unchanged_ids: Iterable[str],
        setting: MetroContext,
        find_foreign: FindForeign,
    ) -> None:
        """Make the index. `records`: by id; `unchanged_ids`: ids of previous rows without a record now;
        `find_foreign` finds an organization in another metro."""
        self._setting, metro = setting, setting.metro.slug
        unchanged_rows = [dict(row) for row_id in unchanged_ids if (row := previous.get(row_id)) is not None]
        shown_rows = [row for row in unchanged_rows if row["status"] != DRAFT]
        shown_ids = [row["id"] for row in shown_rows]
        unchanged_heads = {row["id"]: _make_head(row, previous) for row in shown_rows if row["kind"] in _REFERRED}
        heads = {
            row_id: entry.head
            for row_id, entry in records.items()
            if entry.head.type in _REFERRED and entry.head.status != "draft"
        } | unchanged_heads
        published = previous.list_slugs("organization") | previous.list_slugs("place")
        order = {feed: number for number, feed in enumerate(setting.feeds)}
        own = [
            _make_target(row_id, head, metro=metro, published=published)
            for row_id, head in sorted(heads.items(), key=lambda item: (order[item[1].feed], item[0]))
        ]
        naming = [
            (entry.head, entry.head.organization)
            for entry in records.values()
            if isinstance(entry.head, ListingHead) and entry.head.organization is not None
        ]
        unchanged_foreign = previous.find_foreign(shown_ids)
        foreign_references = (
            *Targets(own, metro=metro).list_foreign((head.feed, reference) for head, reference in naming),
            *(ForeignReference(id=row_id) for row_id in unchanged_foreign),
        )
        self.foreign: ForeignResolution = {reference: find_foreign(reference) for reference in foreign_references}
        matches = {other.id: other for other in self.foreign.values() if other is not None and other.id not in records}
        others = [
            _make_target(row_id, match.entry.head, metro=match.metro, published={}) for row_id, match in matches.items()
        ]
        self._targets = Targets([*own, *others], metro=metro, first_slug=setting.first_slug)
        # An organization that only drafts name is not published.
        referred = [
            self._targets.resolve(reference, kind="organization", feed=head.feed)
            for head, reference in naming
            if head.status != "draft"
        ]
        self._organizations = _name_organizations(records, referred, previous.find_named(shown_ids))
        for row_id in sorted(
            {*unchanged_foreign, *(resolution.id for resolution in referred if resolution.id)} & matches.keys()
        ):
            head = matches[row_id].entry.head
            assert isinstance(head, OrganizationRecord)
            self._organizations[row_id] = head
        self.slugs = {row_id: published[row_id] for row_id in unchanged_heads} | _assign_slugs(
            {row_id: entry.head for row_id, entry in records.items()} | self._organizations, previous
        )
        self._references = {
            row_id: OrganizationReference(id=row_id, name=head.name, slug=self.slugs[row_id])
            for row_id, head in (unchanged_heads | self._organizations).items()
            if head.type == "organization"
        }
        self._homes = {row_id: other.metro for row_id, other in matches.items()}
        self.places = dict(_resolve_places(heads, self.slugs, setting.points))

    def find_organization(self, entry: SpooledRecord, problems: list[Problem]) -> OrganizationReference:
        assert isinstance(entry.head, ListingHead)
        target = self._resolve(entry, entry.head.organization, "organization", problems)
        # An organization that only drafts name has no row.
        return self._references.get(target or "", OrganizationReference())

    def find_place(
        self, entry: SpooledRecord, problems: list[Problem], *, location: Location | None = None
    ) -> ResolvedPlace | None:
        """Return the place that a record refers to. Without a reference, find it by a calendar's `location`."""
        assert isinstance(entry.head, ListingHead)
        if entry.head.place is None:
            text = "" if location is None else location.address or ""
            target = self._targets.find_located(text, feed=entry.head.feed)
        else:
            target = self._resolve(entry, entry.head.place, "place", problems)
        return None if target is None else self.places[target]

    def _resolve(
        self, entry: SpooledRecord, reference: Reference | None, kind: str, problems: list[Problem]
    ) -> str | None:
        head = entry.head
        resolution = self._targets.resolve(reference, kind=kind, feed=head.feed)
        if resolution.problem is not None:
            problems.append(
                Problem(
                    feed=head.feed, line=entry.line, source_id=head.source_id, field=kind,
                    reason=resolution.problem, value=resolution.value, quarantined=False,
                )
            )  # fmt: skip
        return resolution.id

    def make_organization_rows(self, links: dict[str, FeedLinks]) -> list[Row]:
        """Make rows of organizations that have a record or are named. `links`: those of the metro's listings and
        unchanged organizations, by feed."""
        for row_id, record in self._organizations.items():
            if record.website_url:
                links.setdefault(record.feed, FeedLinks()).stated[row_id] = record.website_url
        websites = choose_websites({row_id: record.feed for row_id, record in self._organizations.items()}, links)
        return [
            make_organization_row(
                record, websites[row_id], row_id=row_id, slug=self.slugs[row_id], home=self._homes.get(row_id),
                words=self._setting.vocabulary.categories,
            )
            for row_id, record in self._organizations.items()
        ]  # fmt: skip


def _make_head(row: Mapping[str, Any], previous: PreviousSnapshot) -> Head:
    """Make the head of an organization or place from its unchanged row."""
    feed, _, source_id = row["source"].split("/", 2)
    status = STATUSES[row["status"]]
    if row["kind"] == "organization":
        return Head(feed=feed, type="organization", source_id=source_id, name=row["name"], status=status)
    return PlaceHead(
        feed=feed, type="place", source_id=source_id, name=row["name"], status=status,
        location=previous.read_location(row["id"]), **{name: row[name] for name in Facts.__struct_fields__},
    )  # fmt: skip


def _make_target(row_id: str, head: Head, *, metro: str, published: Mapping[str, str]) -> ReferenceTarget:
    """Make a target. Its slug is the record's own, else the `published` one."""
    location = (head.location if isinstance(head, PlaceHead) else None) or Location()
    addresses = (location.address, location.street_address)
    return ReferenceTarget(
        id=row_id, type=head.type, metro=metro, feed=head.feed, source_id=head.source_id,
        slug=slugify(head.slug) if head.slug else published.get(row_id, ""), name=head.name,
        addresses=tuple(address for address in addresses if address is not None),
        is_shown=head.status == "published",
    )  # fmt: skip


def _name_organizations(
    records: Mapping[str, SpooledRecord], referred: Iterable[Resolution], named: Mapping[str, str]
) -> dict[str, OrganizationRecord]:
    """Return the organizations with a record, and those that listings only name, in the first spelling. `named`: names
    by id of organizations without a record, from unchanged rows."""
    own = {row_id: entry.head for row_id, entry in records.items() if isinstance(entry.head, OrganizationRecord)}
    for resolution in referred:
        if resolution.made_name is not None and resolution.id is not None:
            own.setdefault(resolution.id, _make_named(resolution.id, resolution.made_name))
    return {row_id: _make_named(row_id, name) for row_id, name in named.items()} | own


def _make_named(row_id: str, name: str) -> OrganizationRecord:
    return OrganizationRecord(feed="", line=0, type="organization", source_id=row_id, name=name)


def _resolve_places(
    heads: Mapping[str, Head], slugs: Mapping[str, str], points: Mapping[str, Point]
) -> Iterator[tuple[str, ResolvedPlace]]:
    for row_id, head in heads.items():
        if isinstance(head, PlaceHead):
            facts = find_place_facts(head)
            reference = PlaceReference(id=row_id, slug=slugs[row_id], name=head.name)
            location = add_point(head.location or Location(), points)
            yield row_id, ResolvedPlace(reference=reference, location=location, facts=facts)


def _assign_slugs(records: Mapping[str, Head], previous: PreviousSnapshot) -> dict[str, str]:
    requests: dict[str, list[SlugRequest]] = defaultdict(list)
    for row_id, head in records.items():
        requests[head.type].append(
            SlugRequest(id=row_id, type=head.type, name=head.name, slug=head.slug, is_draft=head.status == "draft")
        )
    return {
        row_id: slug
        for kind, own in requests.items()
        for row_id, slug in assign_slugs(own, previous=previous.list_slugs(kind)).items()
    }
