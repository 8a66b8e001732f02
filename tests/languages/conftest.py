"""A city whose listings, and whose parents, speak Spanish: drafted of its own export, built and served."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.json import decode
from starlette.testclient import TestClient

from edge.app import Edge
from edge.services.geocoder import LocalGeocoder
from outings.release.folder import FolderStore
from tests.new_cities.exporting import draft, run


@pytest.fixture(scope="session")
def valladolid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Publish the city as of 30 November 2026, 18:00 in Madrid."""
    folder: Path = tmp_path_factory.mktemp("valladolid")
    config = draft("valladolid-agenda.csv", folder)
    built = run("build", "--as-of", "2026-11-30", "--workers", "1", "--json", "-c", str(config))
    assert built.exit_code == 0, built.output
    made = run("keys", "create", "--plan", "standard", "--json", "-c", str(config))
    edge = Edge(
        FolderStore(folder / "var/store"), cache=folder / "cache", clock=lambda: datetime(2026, 11, 30, 17, tzinfo=UTC),
        geocoder=LocalGeocoder(),
    )  # fmt: skip
    with TestClient(edge, headers={"X-API-Key": decode(made.stdout)["key"]}) as client:
        yield client
