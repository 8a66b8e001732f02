"""`outings site` writes what the server sends."""

import json
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from command import main
from tests.edge.asking import ask
from tests.pipeline.city import City, make_event
from tests.takedown.towns import KITE, Town


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    town = Town(tmp_path, releases=1)
    town.city.site = '[site]\nname = "Harbor for families"\n'
    town.write(1)
    town.city.build()
    yield town
    town.close()


def read_folder(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files if path.name[0] != "."}


def test_a_folder_has_what_the_server_sends(town: Town, tmp_path: Path) -> None:
    report = json.loads(town.run("site", str(tmp_path / "pages"), "--json").stdout)
    files = read_folder(tmp_path / "pages")
    assert sorted(files) == report["files"]
    assert {"index.html", "openapi.json"} <= files.keys()
    # Shown at any depth, so its links begin with a slash where the server counts.
    missing = files.pop("404.html")
    sent = ask(town.edge, "/nowhere/", accept="text/html")
    assert (sent.status, sent.body) == (404, missing.replace(b'="/', b'="../'))
    for path, data in files.items():
        assert ask(town.edge, "/" + path.removesuffix("index.html")).body == data


@pytest.mark.long
def test_a_second_run_removes_what_is_no_more(town: Town, tmp_path: Path) -> None:
    town.run("site", str(tmp_path / "pages"))
    before = read_folder(tmp_path / "pages")
    town.city.site += 'colors = { accent = "#aa0000" }\n'
    town.city.build()
    town.run("site", str(tmp_path / "pages"))
    (colored,) = read_folder(tmp_path / "pages").keys() - before.keys()
    assert colored.startswith("assets/colors.")
    town.city.site = town.city.site.replace("#aa0000", "#00aa00")
    town.city.build()
    town.run("site", str(tmp_path / "pages"))
    assert colored not in read_folder(tmp_path / "pages")


@pytest.mark.long
def test_what_was_taken_down_leaves_the_folder_with_the_next_run(town: Town, tmp_path: Path) -> None:
    town.run("site", str(tmp_path / "pages"))
    before = read_folder(tmp_path / "pages")
    town.run("takedown", KITE)
    town.run("site", str(tmp_path / "pages"))
    after = read_folder(tmp_path / "pages")
    assert after["index.html"] != before["index.html"]
    assert not any(KITE.encode() in data for data in after.values())


def test_a_folder_of_others_is_refused(town: Town, tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs/index.html").write_text("theirs")
    refused = town.run("site", str(tmp_path / "theirs"), code=2)
    assert "has files that this command did not write" in refused.output
    assert (tmp_path / "theirs/index.html").read_text() == "theirs"


def test_before_the_first_release_there_are_no_pages(tmp_path: Path) -> None:
    city = City(tmp_path, has_pages=True)
    city.write([make_event("a")])
    assert city.configuration.site is None
    words = ["site", str(tmp_path / "pages"), "-c", str(tmp_path / "outings.toml")]
    refused = CliRunner().invoke(main, words)
    assert refused.exit_code == 1
    assert "`outings build` publishes one" in refused.output
    assert not (tmp_path / "pages").exists()


def list_targets(path: str, page: str) -> Iterator[tuple[str, str]]:
    """List the targets that a page links to, from the top of the folder, with anchors. Links to other sites and to the
    API are left out."""
    for target in re.findall(r'(?:href|src)="([^"]*)"', page):
        name, _, anchor = target.partition("#")
        name = name.partition("?")[0]
        whole = posixpath.normpath(posixpath.join("/", posixpath.dirname(path), name)) if name else f"/{path}"
        if ":" not in target and not whole.startswith("/v1/"):
            yield f"{whole[1:]}/index.html".lstrip("/") if name.endswith(("/", ".")) else whole[1:], anchor


def test_every_link_of_a_page_leads_to_a_file_and_an_anchor(town: Town, tmp_path: Path) -> None:
    town.run("site", str(tmp_path / "pages"))
    files = read_folder(tmp_path / "pages")
    pages = {path: data.decode() for path, data in files.items() if path.endswith(".html")}
    assert len(pages) > 3
    targets = {(path, *target) for path, text in pages.items() for target in list_targets(path, text)}
    assert [target for target in sorted(targets) if target[1] not in files] == []
    anchored = [target for target in sorted(targets) if target[2] and f'id="{target[2]}"' not in pages[target[1]]]
    assert anchored == []
