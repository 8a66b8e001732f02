"""Make an organization's row, without what depends on the day, the key or other rows: answers add that."""

from collections.abc import Sequence

from outings.contract.resources.listings import Organization, OrganizationLinks
from outings.contract.vocabulary import COLLECTIONS
from pipeline.records.record import OrganizationRecord
from pipeline.resolve.listings.columns import make_identity_columns, make_record_members, make_row
from pipeline.resolve.listings.rows import Row, pack_bits
from pipeline.resolve.websites import find_domain


def make_organization_row(
    record: OrganizationRecord,
    website_url: str | None,
    *,
    row_id: str,
    slug: str,
    words: Sequence[str],
    home: str | None,
) -> Row:
    """Make the row. `words`: the vocabulary's categories. `home`: another metro that has the record."""
    itself, site = f"/v1/organizations/{row_id}", {"website_url": website_url, "domain": find_domain(website_url)}
    links = OrganizationLinks(self=itself, **{name: f"{itself}/{name}" for name in COLLECTIONS.values()})
    members = Organization(**make_record_members(record, row_id=row_id, slug=slug) | site, links=links)
    columns = make_identity_columns(record, row_id=row_id, slug=slug)
    categories = pack_bits(record.categories, words)
    return make_row(record, columns | site | {"categories": categories, "home": home}, members)
