"""Make rows from the records of one metro: ids, references, geography and rules, in that order.

A listing whose input has not changed since the previous release is not made again.
"""

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import msgspec
import polars as pl
from msgspec import Struct

from outings.contract.resources.shared import Location, OrganizationReference
from outings.release.tables import PUBLISHED
from pipeline.clean.feed_read import SpooledRecord
from pipeline.records.record import (
    ORGANIZATION,
    EventRecord,
    ListingHead,
    ListingRecord,
    PlaceRecord,
    Problem,
    explain_fault,
)
from pipeline.records.spans import spread_days
from pipeline.resolve.addresses import Point, add_point, name_address, read_location
from pipeline.resolve.facts.age_bands import complete_ages
from pipeline.resolve.facts.audience import read_classifier
from pipeline.resolve.facts.confidence import score_confidence, weigh_freshness
from pipeline.resolve.facts.geography import Neighborhoods
from pipeline.resolve.facts.place_kinds import find_place_facts, inherit_facts, read_facts
from pipeline.resolve.facts.slugs import slugify
from pipeline.resolve.facts.statements import make_statement_columns
from pipeline.resolve.listings.camps import make_camp_row
from pipeline.resolve.listings.classes import make_class_row
from pipeline.resolve.listings.events import make_event_row
from pipeline.resolve.listings.places import make_place_row
from pipeline.resolve.listings.resolved_record import MetroContext, ResolvedRecord
from pipeline.resolve.listings.rows import Row, check_bounds
from pipeline.resolve.previous_rows import PreviousSnapshot
from pipeline.resolve.reference_index import FindForeign, ReferenceIndex, ResolvedPlace
from pipeline.resolve.references import ForeignResolution
from pipeline.resolve.websites import FeedLinks, encode_links

_ORIGIN_BYTES = 16
_encoder = msgspec.msgpack.Encoder()
_MAKERS: Mapping[str, Callable[[ResolvedRecord[Any], MetroContext], Row]] = {
    "event": make_event_row, "class": make_class_row, "camp": make_camp_row, "place": make_place_row,
}  # fmt: skip


class _NewListing(Struct, frozen=True):
    """A listing to make. Its record is decoded only when its row is made."""

    id: str
    entry: SpooledRecord
    organization: OrganizationReference
    place: ResolvedPlace | None
    origin: bytes


class RowMaker:
    """Makes a metro's rows. `unchanged`: the origins of listings that are the same as in the previous release, by id;
    `foreign`: references to other metros' organizations, with the results; `problems`: parts of records that were left
    out, complete once `list_rows` has ended."""

    def __init__(
        self,
        by_id: Mapping[str, SpooledRecord],
        previous: PreviousSnapshot,
        *,
        setting: MetroContext,
        neighborhoods: Neighborhoods,
        unchanged_ids: Collection[str],
        find_foreign: FindForeign,
    ) -> None:
        """Index the records and compare them with the previous release. `by_id`: records by their listing's id;
        `unchanged_ids`: ids of previous rows without a record now; `find_foreign`: finds an organization of another
        metro."""
        self.problems: list[Problem] = []
        self.unchanged: dict[str, bytes | None] = {}
        self._previous, self._setting = previous, setting
        self._neighborhoods = neighborhoods
        self._references = ReferenceIndex(
            by_id, previous, unchanged_ids=unchanged_ids, setting=setting, find_foreign=find_foreign
        )
        self.foreign: ForeignResolution = self._references.foreign
        self._copied: list[str] = []  # ids of unchanged rows that are no listings, or whose origins are lost
        for row_id in unchanged_ids:
            if previous.origins is None or previous.find_row(row_id) < 0:
                self._copied.append(row_id)
            else:
                self.unchanged[row_id] = None
        self._new = list(self._compare(by_id))

    def list_rows(self) -> Iterator[Row]:
        """Yield the rows that are new or changed, organizations last, since they depend on all listings. Can be called
        only once, because it frees the records."""
        links = {feed: FeedLinks() for feed in self._setting.feeds}
        self._gather_unchanged(links)
        for row in self._list_listings():
            of_feed = links[row.columns["source"].partition("/")[0]]
            if row.kind != ORGANIZATION:
                row.links = encode_links(row)
                if row.links is not None:
                    of_feed.add(row.columns["organization_id"], row.links)
            elif row.columns["website_url"] is not None:
                of_feed.stated[row.id] = row.columns["website_url"]
            yield row
        yield from self._references.make_organization_rows(links)

    def _compare(self, by_id: Mapping[str, SpooledRecord]) -> Iterator[_NewListing]:
        """Yield the listings that must be made; note the others as unchanged."""
        previous, index, setting = self._previous, self._references, self._setting
        origins = previous.origins or {}
        moving = previous.list_moving(setting.horizon) if origins else frozenset[str]()
        places = {row_id: _hash(place) for row_id, place in index.places.items()}
        for row_id, entry in by_id.items():
            if not isinstance(entry.head, ListingHead):
                continue
            organization = index.find_organization(entry, self.problems)
            is_calendar = setting.feeds[entry.head.feed].format == "ics"
            location = read_location(entry) if is_calendar or setting.points else None
            place = index.find_place(entry, self.problems, location=location if is_calendar else None)
            point = setting.points.get(name_address(location) or "")
            at = b"" if place is None else places[place.reference.id]
            origin = _hash_origin(entry, row_id, index.slugs[row_id], organization, at, point)
            if origins.get(row_id) == origin and row_id not in moving:
                self.unchanged[row_id] = origin
            else:
                yield _NewListing(row_id, entry, organization, place, origin)

    def _list_listings(self) -> Iterator[Row]:
        self._new.reverse()
        while self._new:  # each is freed when its row is made
            listing = self._new.pop()
            try:
                row = self._make_row(listing)
            except Exception as error:  # noqa: BLE001 - whatever it is, the other records are built
                head, line, reason = listing.entry.head, listing.entry.line, explain_fault(error)
                self.problems.append(
                    Problem(feed=head.feed, line=line, source_id=head.source_id, field=None, reason=reason)
                )
                if listing.id in self._previous:
                    yield self._previous.copy_row(listing.id)
                continue
            # Each build reports the problems of a listing, so it must find them again.
            row.origin = None if row.problems else listing.origin
            self.problems += row.problems
            yield row
        for row_id in self._copied:
            yield self._previous.copy_row(row_id)

    def _make_row(self, listing: _NewListing) -> Row:
        record = self._read_record(listing.entry)
        row = _MAKERS[record.type](self._resolve(record, listing), self._setting)
        row.columns.update(make_statement_columns(record, row.members))
        check_bounds(row)
        return row

    def _resolve(self, record: ListingRecord, listing: _NewListing) -> ResolvedRecord[Any]:
        place = listing.place
        own = None if record.location is None else add_point(record.location, self._setting.points)
        if place is not None and own is not None and own.lat is None and getattr(record, "place", None) is None:
            own = None  # a calendar's LOCATION, which names the place
        location = _locate(own, None if place is None else place.location, self._neighborhoods)
        classifier = read_classifier(self._setting.language)
        audience = classifier.judge(record).audience
        return ResolvedRecord(
            record=record,
            id=listing.id,
            slug=self._references.slugs[listing.id],
            organization=listing.organization,
            place=None if place is None else place.reference,
            facts=find_place_facts(record)
            if isinstance(record, PlaceRecord)
            else inherit_facts(read_facts(record), None if place is None else place.facts),
            location=location,
            ages=complete_ages(record.ages, audience=audience),
            text_ages=classifier.find_text_ages(record),
            audience=audience,
            confidence=score_confidence(
                record, location=location, has_place=place is not None, newest_crawled_at=listing.entry.crawled
            ),
        )

    def _read_record(self, entry: SpooledRecord) -> ListingRecord:
        """Decode the record and apply its feed's settings for confidence and for events of several days."""
        record = entry.read_record()
        assert isinstance(record, ListingRecord)
        if record.confidence is None and self._setting.feeds[record.feed].confidence == "stated":
            record = msgspec.structs.replace(record, confidence=1.0)
        if isinstance(record, EventRecord) and self._setting.feeds[record.feed].spans == "daily":
            return spread_days(record)
        return record

    def _gather_unchanged(self, links: Mapping[str, FeedLinks]) -> None:
        snapshot = self._previous.snapshot
        if snapshot is None or not self.unchanged:
            return
        at = self._previous.find_rows(self.unchanged)
        rows = self._previous.listings.with_columns(self._previous.links)[at].filter(
            (pl.col("status") == PUBLISHED) & pl.col("organization_id").is_not_null()
        )
        # Listings of one organization have few different ones.
        feed = pl.col("source").str.split("/").list.first().alias("feed")
        for name, organization, encoded in rows.select(feed, "organization_id", "links").unique().iter_rows():
            links[name].add(organization, encoded)


def _hash_origin(
    entry: SpooledRecord, row_id: str, slug: str, organization: OrganizationReference, place: bytes, point: Point | None
) -> bytes:
    """Hash all inputs of a listing except the program, the metro's settings and the date. `place`: a hash of its place;
    `point`: the coordinates of its address."""
    head = entry.head
    freshness = None if head.confidence is not None else weigh_freshness(head.source.crawled_at, entry.crawled)
    return _hash((entry.digest, row_id, slug, organization, place, freshness, *(point or ())))


def _hash(value: object) -> bytes:
    return hashlib.sha256(_encoder.encode(value)).digest()[:_ORIGIN_BYTES]


def _locate(own: Location | None, of_place: Location | None, neighborhoods: Neighborhoods) -> Location:
    """Return the record's own location, else its place's, with the neighborhood by polygon if none is stated."""
    location = own or of_place or Location()
    if location.neighborhood is not None:
        area = neighborhoods.find_named(location.neighborhood)
        slug = location.neighborhood_slug or (area.slug if area is not None else slugify(location.neighborhood) or None)
        return msgspec.structs.replace(location, neighborhood_slug=slug)
    if location.lat is None or location.lng is None:
        return location
    neighborhood = neighborhoods.find(location.lat, location.lng)
    if neighborhood is None:
        return location
    return msgspec.structs.replace(location, neighborhood=neighborhood.name, neighborhood_slug=neighborhood.slug)
