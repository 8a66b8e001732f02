"""Cities that nobody has configured: their exports go through `outings init`, a build and a server, with no editor."""

import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.json import decode
from starlette.testclient import TestClient

from edge.app import Edge
from outings.release.folder import FolderStore
from tests.new_cities.exporting import Ask, draft, run


@pytest.fixture(scope="session")
def drafted(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A configuration of each export, drafted once; to be read only."""
    done: dict[str, Path] = {}

    def draft_once(export: str) -> Path:
        return done.get(export) or done.setdefault(export, draft(export, tmp_path_factory.mktemp("city")))

    return draft_once


@pytest.fixture
def serve_folder() -> Iterator[Callable[[Path], Ask]]:
    """Builds a folder with its `outings.toml` as of the day before the exports' first, and answers requests."""
    opened: list[TestClient] = []

    def serve_built(folder: Path) -> Ask:
        config = folder / "outings.toml"
        built = run("build", "--as-of", "2026-11-30", "--workers", "1", "--json", "-c", str(config))
        assert built.exit_code == 0, built.output
        made = run("keys", "create", "--plan", "standard", "--json", "-c", str(config))
        edge = Edge(
            FolderStore(folder / "var/store"), cache=folder / "cache",
            clock=lambda: datetime(2026, 11, 30, 18, tzinfo=UTC),
        )  # fmt: skip
        client = TestClient(edge, headers={"X-API-Key": decode(made.stdout)["key"]})
        opened.append(client.__enter__())

        def ask(path: str) -> Any:
            response = client.get(path)
            assert response.status_code == 200, response.text
            return response.json()

        return ask

    yield serve_built
    for client in opened:
        client.__exit__(None, None, None)


@pytest.fixture
def serve(drafted: Callable[[str], Path], serve_folder: Callable[[Path], Ask], tmp_path: Path) -> Callable[[str], Ask]:
    """Builds what was drafted of an export, and answers requests."""

    def serve_export(export: str) -> Ask:
        shutil.copytree(drafted(export).parent, tmp_path, dirs_exist_ok=True)
        return serve_folder(tmp_path)

    return serve_export
