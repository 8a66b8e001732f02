"""`local`: what the release itself knows of a metro. It asks nobody."""

from functools import partial

from edge.geocoding.geocoder import lies_within, refuse_address
from edge.thread_pool import ThreadPool
from outings.answers.gazetteer.gazetteer import open_gazetteer
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.resources.metro import Center
from outings.release.snapshot import Snapshot


class LocalGeocoder:
    """Beside the loop: an address takes half a millisecond, and the first of a release whose places no build mapped
    waits until they are read, 1 s for 10,000 of them."""

    def __init__(self) -> None:
        self._computing = ThreadPool(threads=1, queue=64)

    async def find_address(self, address: str, *, snapshot: Snapshot) -> Center:
        point = await self._computing.run(partial(_find, address, snapshot))
        if point is None or not lies_within(point, snapshot.metro.bounds):
            raise refuse_address(snapshot.metro.name)
        return point

    def close(self) -> None:
        self._computing.close()


def _find(address: str, snapshot: Snapshot) -> Center | None:
    return open_snapshot(snapshot).open_index(open_gazetteer).find_address(address)
