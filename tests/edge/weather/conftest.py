"""A weather office on loopback, and metros that it knows."""

from collections.abc import Iterator

import pytest

from outings.contract.resources.directories import Bounds, Center
from outings.release.manifest import MetroSettings
from tests.edge.weather.serving import Office, serve_office

HARBOR = MetroSettings(
    slug="harbor", name="Harbor", timezone="America/New_York", center=Center(lat=40.0, lng=-74.00416),
    bounds=Bounds(south=39, west=-75, north=41, east=-73), aliases=(),
)  # fmt: skip


@pytest.fixture
def office() -> Iterator[Office]:
    with serve_office() as serving:
        yield serving
