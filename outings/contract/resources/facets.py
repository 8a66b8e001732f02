"""Facets: the whole filtered set counted by what its reader asked for, beside `data`."""

from msgspec import UNSET, Struct, UnsetType

from outings.contract.resources.words import Id


class FacetValue(Struct, frozen=True, kw_only=True):
    """`unspecified` is the value of those that state none."""

    value: str
    count: int


class OrganizationCount(Struct, frozen=True, kw_only=True):
    id: Id
    name: str
    count: int


class OrganizationFacet(Struct, frozen=True, kw_only=True):
    """`top` holds the ten with the most; `other_count` counts what is of the rest of them."""

    distinct: int
    top: tuple[OrganizationCount, ...]
    other_count: int
    unspecified_count: int


class Facets(Struct, frozen=True, kw_only=True):
    """`total` is the size of the set; a dimension is there when it was asked for."""

    total: int
    is_complete: bool
    category: tuple[FacetValue, ...] | UnsetType = UNSET
    weekday: tuple[FacetValue, ...] | UnsetType = UNSET
    time_block: tuple[FacetValue, ...] | UnsetType = UNSET
    price_band: tuple[FacetValue, ...] | UnsetType = UNSET
    age_band: tuple[FacetValue, ...] | UnsetType = UNSET
    organization: OrganizationFacet | UnsetType = UNSET


# What their members mean, where outings/contract/meanings/everywhere.py does not say it.
MEANINGS = {
    "FacetValue.count": "How many listings have it.",
    "FacetValue.value": "The value; `unspecified` is of those that state none.",
    "Facets.age_band": "By age.",
    "Facets.category": "By category.",
    "Facets.is_complete": "True: no count is cut short.",
    "Facets.organization": "By organization.",
    "Facets.price_band": "By price.",
    "Facets.time_block": "By the local time at which they start.",
    "Facets.total": "The size of the whole filtered set.",
    "Facets.weekday": "By day of the week.",
    "OrganizationCount.count": "How many listings it has.",
    "OrganizationFacet.distinct": "How many organizations there are.",
    "OrganizationFacet.other_count": "Listings of organizations that are not in `top`.",
    "OrganizationFacet.top": "The ten with the most listings.",
    "OrganizationFacet.unspecified_count": "Listings that name no organization.",
}
