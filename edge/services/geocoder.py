"""Geocoders: their interface, and the one that uses only the release. Addresses are not logged, because one may be
somebody's home."""

from functools import partial
from typing import Protocol

from edge.thread_pool import ThreadPool
from outings.answers.gazetteer.address_finder import locate_types
from outings.answers.snapshot.reader import open_snapshot
from outings.configuration.tables import GeocoderTable
from outings.contract.errors import ApiError, bad_request
from outings.contract.resources.directories import Center
from outings.release.snapshot import Snapshot


class Geocoder(Protocol):
    async def find_address(self, address: str, *, snapshot: Snapshot, types: frozenset[str], key_id: str) -> Center:
        """Find an address's point within the metro's bounds. `types`: the types of listings whose places may be used.
        Raises ApiError: 400 if nothing is found, 503 if the provider cannot be called now."""

    def close(self) -> None: ...


class LocalGeocoder:
    """Finds addresses and places among those of a metro's listings, without a provider.

    Runs in a thread: an address takes half a millisecond. The first one in a release without mapped places takes 1 s
    for 10,000 places."""

    def __init__(self) -> None:
        self._computing = ThreadPool(threads=1, queue=64)

    async def find_address(self, address: str, *, snapshot: Snapshot, types: frozenset[str], key_id: str) -> Center:
        point = await self._computing.run(partial(_find, address, snapshot, types), key_id=key_id)
        if point is None or not snapshot.metro.bounds.contains(point):
            raise refuse_address(snapshot.metro.name)
        return point

    def close(self) -> None:
        self._computing.close()


def _find(address: str, snapshot: Snapshot, types: frozenset[str]) -> Center | None:
    return open_snapshot(snapshot).open_index(locate_types(types)).find_address(address)


def open_geocoder(table: GeocoderTable) -> Geocoder | None:
    """Open the geocoder that `[geocoder]` names, or return None if that is `none`."""
    if table.provider == "none":
        return None
    if table.provider == "local":
        return LocalGeocoder()
    # Only here, because they import an HTTP client: an eighth of all import time.
    from edge.services.remote_geocoder import RemoteGeocoder
    from outings.remote.geocoding import SERVICES

    return RemoteGeocoder(SERVICES[table.provider], url=table.url)


def refuse_address(metro: str) -> ApiError:
    """Return the 400 error for an address that was not found. It does not repeat the address."""
    return bad_request(
        param="address", reason="invalid_value",
        message=f"address names no single place in {metro}: send a more exact one, or lat and lng.",
    )  # fmt: skip
