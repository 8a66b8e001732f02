"""An organization's row; what moves with the day, the key or other rows is left to the answer."""

from msgspec import structs

from outings.contract.resources import Organization
from outings.contract.resources.organization import OrganizationLinks
from outings.contract.vocabulary import COLLECTIONS
from pipeline.listings.columns import make_identity_columns, make_record_members, make_row
from pipeline.listings.rows import Row
from pipeline.listings.websites import Website
from pipeline.records.record import OrganizationRecord


def make_organization_row(
    record: OrganizationRecord, website: Website, *, row_id: str, slug: str, categories: int, home: str | None
) -> Row:
    """`categories`: the bit set over the record's own and its published listings'. `home`: the metro that lends the
    record."""
    itself, site = f"/v1/organizations/{row_id}", structs.asdict(website)
    links = OrganizationLinks(self=itself, **{name: f"{itself}/{name}" for name in COLLECTIONS.values()})
    members = Organization(**make_record_members(record, row_id=row_id, slug=slug) | site, links=links)
    columns = make_identity_columns(record, row_id=row_id, slug=slug)
    return make_row(record, columns | site | {"categories": categories, "home": home}, members)
