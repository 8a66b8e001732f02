"""An organization's row; what moves with the day, the key or other rows is left to the answer."""

from outings.contract.instants import format_instant
from outings.contract.resources import Organization
from outings.contract.resources.organization import OrganizationLinks
from pipeline.listings.columns import make_identity_columns
from pipeline.listings.rows import Row
from pipeline.records.record import OrganizationRecord


def make_organization_row(
    record: OrganizationRecord,
    *,
    row_id: str,
    slug: str,
    website_url: str | None,
    domain: str | None,
    categories: int,
    home: str | None,
) -> Row:
    """`categories`: the bit set over the record's own and its published listings'. `home`: the metro that lends the
    record."""
    itself = f"/v1/organizations/{row_id}"
    members = Organization(
        id=row_id,
        type="organization",
        slug=slug,
        name=record.name,
        description=record.description,
        website_url=website_url,
        domain=domain,
        image_url=record.image_url,
        verified_at=None if record.verified_at is None else format_instant(record.verified_at),
        status=record.status,
        created_at=None if record.created_at is None else format_instant(record.created_at),
        updated_at=None,
        links=OrganizationLinks(
            self=itself,
            events=f"{itself}/events",
            classes=f"{itself}/classes",
            camps=f"{itself}/camps",
            places=f"{itself}/places",
        ),
    )
    columns = make_identity_columns(record, row_id=row_id, slug=slug) | {
        "website_url": website_url,
        "domain": domain,
        "categories": categories,
        "home": home,
    }
    return Row(
        kind="organization",
        columns=columns,
        members=members,
        created_at=None if record.created_at is None else int(record.created_at.timestamp()),
    )
