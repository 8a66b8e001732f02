"""A metro, and geocoders that ask a server on loopback."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from msgspec.structs import replace

from edge.services.remote_geocoder import RemoteGeocoder
from outings.contract.errors import ApiError
from outings.release.snapshot import Snapshot
from outings.remote.geocoding import SERVICES
from outings.retry_policy import RetryPolicy
from tests.answers.worlds import World, open_world
from tests.edge.geocoding.serving import Point, ServerBehaviour, serve_format

# Nothing takes as long, however busy the machine is. A test of a slow server makes its times short.
PATIENT = RetryPolicy(connect=30.0, silence=30.0, whole=60.0, attempts=2, pause=0.01, rest=300.0)
QUICK = replace(PATIENT, silence=0.3, whole=0.5)


@dataclass
class Asker:
    """A geocoder, the server that it asks and the clock that it reads."""

    geocoder: RemoteGeocoder
    server: ServerBehaviour
    snapshot: Snapshot
    seconds: float = 1_000_000.0

    def find(self, address: str) -> Point:
        point = asyncio.run(self.geocoder.find_address(address, snapshot=self.snapshot, types=frozenset(), key_id="a"))
        return point.lat, point.lng

    def fail(self, address: str) -> ApiError:
        with pytest.raises(ApiError) as caught:
            self.find(address)
        return caught.value


Make = Callable[..., Asker]


@pytest.fixture(scope="session")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """Open a metro between 39 and 41 north, 75 and 73 west."""
    return open_world(World(), tmp_path_factory.mktemp("harbor"))


@pytest.fixture
def make_asker(harbor: Snapshot) -> Iterator[Make]:
    closing = []

    def make(provider: str = "nominatim", *, policy: RetryPolicy = PATIENT) -> Asker:
        serving = serve_format(provider)
        server = serving.__enter__()
        geocoder = RemoteGeocoder(SERVICES[provider], url=server.url, clock=lambda: asker.seconds, policy=policy)
        asker = Asker(geocoder, server, harbor)
        closing.append((geocoder, serving))
        return asker

    yield make
    for geocoder, serving in closing:
        geocoder.close()
        serving.__exit__(None, None, None)
