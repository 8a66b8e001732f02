"""Facets: the whole filtered set counted by what its reader asked for, beside `data`."""

from typing import Annotated

from msgspec import UNSET, Struct, UnsetType

from outings.contract.resources.words import Id, means


class FacetValue(Struct, frozen=True, kw_only=True):
    """`unspecified` is the value of those that state none."""

    value: Annotated[str, means("The value; `unspecified` is of those that state none.")]
    count: Annotated[int, means("How many listings have it.")]


class OrganizationCount(Struct, frozen=True, kw_only=True):
    id: Id
    name: str
    count: Annotated[int, means("How many listings it has.")]


class OrganizationFacet(Struct, frozen=True, kw_only=True):
    """`top` holds the ten with the most; `other_count` counts what is of the rest of them."""

    distinct: Annotated[int, means("How many organizations there are.")]
    top: Annotated[tuple[OrganizationCount, ...], means("The ten with the most listings.")]
    other_count: Annotated[int, means("Listings of organizations that are not in `top`.")]
    unspecified_count: Annotated[int, means("Listings that name no organization.")]


class Facets(Struct, frozen=True, kw_only=True):
    """`total` is the size of the set; a dimension is there when it was asked for."""

    total: Annotated[int, means("The size of the whole filtered set.")]
    is_complete: Annotated[bool, means("True: no count is cut short.")]
    category: Annotated[tuple[FacetValue, ...] | UnsetType, means("By category.")] = UNSET
    weekday: Annotated[tuple[FacetValue, ...] | UnsetType, means("By day of the week.")] = UNSET
    time_block: Annotated[tuple[FacetValue, ...] | UnsetType, means("By the local time at which they start.")] = UNSET
    price_band: Annotated[tuple[FacetValue, ...] | UnsetType, means("By price.")] = UNSET
    age_band: Annotated[tuple[FacetValue, ...] | UnsetType, means("By age.")] = UNSET
    organization: Annotated[OrganizationFacet | UnsetType, means("By organization.")] = UNSET
