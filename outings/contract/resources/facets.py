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
