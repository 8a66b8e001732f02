"""The interface of a geocoder. No log contains an address, because it may be somebody's home."""

from typing import Protocol

from outings.contract.errors import ApiError, bad_request, not_implemented
from outings.contract.resources.metro import Bounds, Center
from outings.release.snapshot import Snapshot


class Geocoder(Protocol):
    async def find_address(self, address: str, *, snapshot: Snapshot) -> Center:
        """Returns a point within the metro's bounds. Raises ApiError: 400 if there is none, 501 without a provider, 503
        if the provider cannot be asked now."""

    def close(self) -> None: ...


class NoGeocoder:
    """The geocoder of a deployment without one."""

    async def find_address(self, address: str, *, snapshot: Snapshot) -> Center:  # noqa: ARG002 - whatever it is
        raise not_implemented("This deployment resolves no addresses: send lat and lng.", param="address")

    def close(self) -> None:
        """There is nothing to close."""


def refuse_address(metro: str) -> ApiError:
    """400. It does not repeat the address."""
    return bad_request(
        param="address", reason="invalid_value",
        message=f"No one place in {metro} is found by this address: send another, or lat and lng.",
    )  # fmt: skip


def lies_within(point: Center, bounds: Bounds) -> bool:
    return bounds.south <= point.lat <= bounds.north and bounds.west <= point.lng <= bounds.east
