"""Fill the columns that rows of all four types share from the members of their documents."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from msgspec import UNSET, Struct, structs

from outings.contract.members import MEMBERS
from outings.contract.parameters import PARAMETERS
from outings.contract.resources.listings import LISTINGS, Camp, Class, Event, EventLinks, Organization, Place
from outings.contract.resources.shared import Price, Traits
from outings.contract.text import fold_text
from outings.contract.values import Parameter, format_instant, list_allowed
from outings.contract.vocabulary import AUDIENCES, COLLECTIONS, SETS, STATUSES, Vocabulary
from outings.release.tables import TABLES
from pipeline.records.record import RECORDS, DatedRecord, ListingRecord, Record
from pipeline.resolve.listings.resolved_record import MetroContext, ResolvedRecord
from pipeline.resolve.listings.rows import Row, pack_bits


def make_identity_columns(record: Record, *, row_id: str, slug: str) -> dict[str, Any]:
    return {
        "id": row_id,
        "status": STATUSES.index(record.status),
        "slug": slug,
        "name": record.name,
        "name_key": record.name.casefold(),
        "reason": record.reason or ("archived" if record.status == "archived" else None),
        "replaced_by": record.replaced_by,
        "source": f"{record.feed}/{record.type}/{record.source_id}",
    }


# By type, the columns that filters compare, each with the path of its member in the document.
_FILTERS = {
    listing_type: [
        (str(row.column), str(row.member).split("."), row)
        for row in PARAMETERS.values()
        if row.column in TABLES["listings"] and row.member in members
    ]
    for listing_type, members in MEMBERS.items()
}


def _encode_member(document: Struct, path: Sequence[str], *, row: Parameter, vocabulary: Vocabulary) -> Any:
    """Return a member's value: a word as its number in the vocabulary, several as a bit set."""
    value: Any = document
    for name in path:
        value = None if value is None else getattr(value, name)
    allowed = list_allowed(row, vocabulary)
    if allowed is None or value is None:
        return value
    return pack_bits(value, allowed) if row.vocabulary in SETS else allowed.index(value)


def make_columns(
    resolved: ResolvedRecord[ListingRecord], setting: MetroContext, document: Event | Class | Camp | Place
) -> dict[str, Any]:
    """Make the columns that every listing has; those of one type are added by its own file."""
    record, location = resolved.record, resolved.location
    return {
        **make_identity_columns(record, row_id=resolved.id, slug=resolved.slug),
        **dict.fromkeys(SETS, 0),
        **{
            column: _encode_member(document, path, row=row, vocabulary=setting.vocabulary)
            for column, path, row in _FILTERS[document.type]
        },
        "audience": AUDIENCES.index(resolved.audience),
        "keywords": "\n".join(record.keywords) or None,
        "age_min": resolved.ages.min,
        "age_max": resolved.ages.max,
        "text_age_min": resolved.text_ages.min,
        "text_age_max": resolved.text_ages.max,
        "place_name": None if resolved.place is None else resolved.place.name,
        "lat": location.lat,
        "lng": location.lng,
        "neighborhood": location.neighborhood,
        "neighborhood_slug": location.neighborhood_slug,
        "neighborhood_key": None if location.neighborhood is None else fold_text(location.neighborhood),
        **{name: getattr(location, name) for name in ("address", "street_address", "city", "state", "zip")},
        "good_for_rainy": resolved.facts.good_for_rainy,
    }


def _list_shared(struct: type[Struct], record: type[Record]) -> tuple[str, ...]:
    """Return the members that a record and its document share by name, except those that answers compute."""
    shown = {field.name for field in structs.fields(struct) if field.default is not UNSET}
    return tuple(field.name for field in structs.fields(record) if field.name in shown)


STRUCTS: dict[str, type[Struct]] = {**LISTINGS, "organization": Organization}
_SHARED = {kind: _list_shared(struct, RECORDS[kind]) for kind, struct in STRUCTS.items()}


def make_record_members(record: Record, *, row_id: str, slug: str) -> dict[str, Any]:
    """Return the members that a document copies from its record, with `updated_at` left empty."""
    return {
        **{name: getattr(record, name) for name in _SHARED[record.type]},
        "id": row_id,
        "slug": slug,
        "verified_at": None if record.verified_at is None else format_instant(record.verified_at),
        "created_at": None if record.created_at is None else format_instant(record.created_at),
        "updated_at": None,
    }


def make_members(resolved: ResolvedRecord[ListingRecord], setting: MetroContext, **derived: Any) -> dict[str, Any]:
    """Return the public members of a listing: derived ones, else those that the record states."""
    return {
        **make_record_members(resolved.record, row_id=resolved.id, slug=resolved.slug),
        "audience": resolved.audience,
        "organization": resolved.organization,
        "confidence": resolved.confidence,
        "metro": setting.metro.slug,
        "location": resolved.location,
        "ages": resolved.ages,
        **derived,
    }


def make_dated_members(resolved: ResolvedRecord[DatedRecord], setting: MetroContext, **derived: Any) -> dict[str, Any]:
    """Return the members that events, classes and camps share: the place and its facts, price, seasons and links."""
    place, organization = resolved.place, resolved.organization
    links = EventLinks(
        self=f"/v1/{COLLECTIONS[resolved.record.type]}/{resolved.id}",
        place=None if place is None else f"/v1/places/{place.id}",
        organization=None if organization.id is None else f"/v1/organizations/{organization.id}",
        page=locate_page(resolved, setting),
    )
    return make_members(
        resolved, setting, place=resolved.place, is_indoor=resolved.facts.is_indoor,
        is_outdoor=resolved.facts.is_outdoor, good_for_rainy=resolved.facts.good_for_rainy,
        is_sensory_friendly=resolved.facts.is_sensory_friendly, traits=Traits(seasons=resolved.record.seasons),
        price=derive_is_free(resolved.record.price), links=links, **derived,
    )  # fmt: skip


def locate_page(resolved: ResolvedRecord[ListingRecord], setting: MetroContext) -> str | None:
    """Return the address of the listing's page, None if it has none. On plain files a slash follows, to which hosts
    redirect."""
    if not setting.pages or resolved.audience == "adults":
        return None
    return f"{setting.pages}/{setting.metro.slug}/{COLLECTIONS[resolved.record.type]}/{quote(resolved.slug)}"


def find_timezone(record: DatedRecord, setting: MetroContext) -> str:
    return record.timezone or setting.metro.timezone


def make_dated_row(
    resolved: ResolvedRecord[DatedRecord], setting: MetroContext, members: Event | Class | Camp, **columns: Any
) -> Row:
    """Make the row of an event, a class or a camp, without its dates. `columns`: those that only its type has."""
    own = {"price_min": members.price.min, "timezone": find_timezone(resolved.record, setting), **columns}
    return make_row(resolved.record, make_columns(resolved, setting, members) | own, members)


def make_row(record: Record, columns: dict[str, Any], members: Struct) -> Row:
    created_at = None if record.created_at is None else int(record.created_at.timestamp())
    return Row(kind=record.type, columns=columns, members=members, created_at=created_at)


def derive_is_free(price: Price) -> Price:
    """Return the price with `is_free`: true if `type` is `free` or `max` is 0, false if `min` is above 0, else null.

    A feed's own `is_free` is ignored, so that the three members can't contradict each other.
    """
    is_paid = price.min is not None and price.min > 0
    is_free = True if price.type == "free" or price.max == 0 else False if is_paid else None
    return structs.replace(price, is_free=is_free)
