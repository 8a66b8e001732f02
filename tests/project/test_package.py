"""What is installed from the project: the three packages with their data files, at pinned versions."""

import json
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"].values()
ALL = [*PROJECT["dependencies"], *(requirement for extra in EXTRAS for requirement in extra), "hatchling"]
WANTED = [requirement for requirement in ALL if not requirement.startswith("outings[")]


def list_tracked_files() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def normalize_name(requirement: str) -> str:
    """The project's name in a requirement, as an index compares names."""
    name = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert name
    return re.sub(r"[-_.]+", "-", name[0]).lower()


def test_the_wheel_holds_every_file_of_the_three_packages(tmp_path: Path) -> None:
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
        assert "outings = outings.command:main" in archive.read(entry_points).decode()
    tracked = {name for name in list_tracked_files() if name.split("/")[0] in ("outings", "pipeline", "edge")}
    assert tracked
    assert tracked <= names
    sources = {name for name in list_tracked_files() if name.startswith(("site/templates/", "site/words/"))}
    assert sources
    assert {f"outings/{name}" for name in sources} <= names
    guides = {name.removeprefix("docs/") for name in list_tracked_files() if name.startswith("docs/guides/")}
    assert guides
    assert {f"outings/site/{name}" for name in guides} <= names
    assert {"outings/site/assets/site.css", "outings/site/assets/site.js"} <= names
    assert {name.split("/")[0] for name in names} == {"outings", "pipeline", "edge"}


def test_a_wheel_without_the_styles_and_scripts_of_the_pages_is_refused(tmp_path: Path) -> None:
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    (tmp_path / "outings").mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode != 0
    assert "dist/site has no styles and scripts of the pages: run `make install` first" in done.stderr


def test_every_library_that_is_asked_for_is_pinned() -> None:
    pins = {normalize_name(line) for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line}
    assert {normalize_name(requirement) for requirement in WANTED} <= pins


def test_object_storage_needs_no_extra() -> None:
    assert "boto3" in map(normalize_name, PROJECT["dependencies"])


def test_every_library_that_is_asked_for_is_explained() -> None:
    explained = re.findall(r"^\| (`.*?) \|", (ROOT / "docs/dependencies.md").read_text(), flags=re.MULTILINE)
    cells = [cell for cell in explained if "(npm)" not in cell]
    names = {normalize_name(name) for cell in cells for name in re.findall(r"`([^`]+)`", cell)}
    extras = {"dask", "lambda", "semantic", "signing", "bench", "site", "pages"}
    assert names - extras == {normalize_name(requirement) for requirement in WANTED}


def test_every_package_of_npm_is_explained_and_pinned() -> None:
    folders = [ROOT / "site", ROOT / "build/cloudflare"]
    requested = {each: json.loads((each / "package.json").read_text())["devDependencies"] for each in folders}
    explained = re.findall(r"^\| (`.*?`) \(npm\) \|", (ROOT / "docs/dependencies.md").read_text(), flags=re.MULTILINE)
    assert {name for cell in explained for name in re.findall(r"`([^`]+)`", cell)} == set().union(*requested.values())
    for folder, wanted in requested.items():
        locked = json.loads((folder / "package-lock.json").read_text())["packages"]
        assert {name: locked[f"node_modules/{name}"]["version"] for name in wanted} == wanted
        assert not [name for name, each in locked.items() if "resolved" in each]


def test_no_file_names_a_registry() -> None:
    # Written apart, so that this file does not name them either.
    hosts = [name + "." + ending for name, ending in [("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org")]]
    options = ["--index" + "-url", "--extra-index" + "-url", "--find" + "-links"]
    for name in list_tracked_files():
        text = (ROOT / name).read_bytes().decode(errors="replace")
        assert not [word for word in hosts + options if word in text], name
