"""The rows of a release without withdrawn ones. Other rows lose every reference to a withdrawn row."""

from collections.abc import Collection, Iterable
from typing import Any

import polars as pl
from msgspec.structs import replace

from outings.contract.resources.shared import Location, OrganizationReference
from pipeline.resolve.listings.resolved_record import Facts
from pipeline.resolve.listings.rows import Row
from pipeline.resolve.previous_rows import PreviousSnapshot
from pipeline.resolve.websites import find_domain, read_links
from pipeline.tables.diff import unstamp_members

_NO_FACTS = dict.fromkeys(Facts.__struct_fields__)
# Columns that a listing inherits from its place.
_LOCATED = (
    "lat", "lng", "neighborhood", "neighborhood_slug", "neighborhood_key", "address", "street_address", "city", "state",
    "zip",
)  # fmt: skip


class RowStripper:
    """Removes what other rows of a metro show of withdrawn rows. Create it before the withdrawn rows are dropped.
    `showing`: ids of listings that show something withdrawn; `touched`: ids of all rows that must change."""

    def __init__(self, previous: PreviousSnapshot, ids: Collection[str]) -> None:
        self._previous, self._ids = previous, ids
        self._locations = {
            row_id: previous.read_location(row_id)
            for row_id in ids
            if (row := previous.get(row_id)) is not None and row["kind"] == "place"
        }
        self.showing = self._find_showing()
        self._losing_website = self._find_losing_website()
        self.touched = self.showing | self._losing_website

    def _find_showing(self) -> frozenset[str]:
        """Return the ids of listings that show something withdrawn, and are not withdrawn themselves."""
        ids = list(self._ids)
        shows = pl.col("place_id").is_in(ids) | pl.col("organization_id").is_in(ids)
        return frozenset(self._previous.listings.filter(shows & ~pl.col("id").is_in(ids))["id"])

    def _find_losing_website(self) -> frozenset[str]:
        """Return the ids of organizations whose website may be known only from links of withdrawn listings."""
        is_gone = pl.col("id").is_in(list(self._ids))
        listings = self._previous.listings.select("id", "organization_id", is_gone=is_gone)
        websites = self._previous.organizations.filter(~is_gone).select("id", "domain").drop_nulls()
        domains = dict(websites.iter_rows())
        losing = set()
        for organization in listings.filter("is_gone")["organization_id"].drop_nulls().unique():
            own = listings.filter(pl.col("organization_id") == organization)
            gone, others = (self._find_domains(own.filter(is_gone=side)["id"]) for side in (True, False))
            if domains.get(organization) in gone - others - {None}:
                losing.add(organization)
        return frozenset(losing)

    def _find_domains(self, ids: Iterable[str]) -> set[str | None]:
        links = (read_links(self._previous.read_document(row_id)) for row_id in ids)
        return {find_domain(url) for link in links for url in link.list_urls()}

    def copy_row(self, row_id: str) -> Row:
        """Return the row without what is withdrawn: the facts of a withdrawn place, an address shared with it, and a
        website that may come from a withdrawn listing. Some may be the listing's own; then the next build restores
        them."""
        row = self._previous.copy_row(row_id)
        place, organization = row.columns.get("place_id"), row.columns.get("organization_id")
        changed: dict[str, Any] = {}
        columns: dict[str, Any] = {}
        members = unstamp_members(row)
        links = members.links
        if row_id in self._losing_website:
            changed = {"website_url": None, "domain": None}
            columns = {**changed}
        if organization in self._ids:
            changed["organization"], columns["organization_id"] = OrganizationReference(), None
            links = links if row.kind == "place" else replace(links, organization=None)
        if place in self._ids:
            changed |= {"place": None, **_NO_FACTS}
            columns |= {"place_id": None, "place_name": None, **_NO_FACTS}
            links = replace(links, place=None)
            if members.location == self._locations.get(str(place)):
                changed["location"] = Location()
                columns |= dict.fromkeys(_LOCATED)
        members = replace(members, links=links, **changed)
        return replace(row, columns={**row.columns, **columns}, members=members, document=None, hash=None)
