"""The static tree follows the release in force, whichever command publishes it."""

import gzip
import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import boto3
import polars as pl
import pytest
import zstandard
from click.testing import CliRunner, Result

from command import main
from command.mirror.static_tree import MARK
from tests.conftest import ROOT
from tests.pipeline.city import City, make_event
from tests.ports import find_free_port
from tests.release.signing import ONE, write_keys, write_public


@pytest.fixture
def city(tmp_path: Path) -> City:
    city = City(tmp_path)
    city.site = '[static]\nurl = "file:var/public"\nmetros = ["seattle"]\n'
    return city


def write(city: City, names: Iterable[str]) -> None:
    """Events that the list of today and of tomorrow shows, whenever the test runs."""
    soon = (datetime.now(UTC) + timedelta(days=5)).date()
    city.write([make_event(name, name=name, starts_local=f"{soon}T10:00:00") for name in names])
    assert city.configuration.static is not None


def call(city: City, *words: str, code: int = 0) -> Result:
    done = CliRunner().invoke(main, [*words, "-c", str(city.folder / "outings.toml")])
    assert done.exit_code == code, done.stderr
    return done


def read_events(folder: Path) -> dict[str, str]:
    """The ids of the events in the tree's list, by name."""
    body = json.loads((folder / "var/public/v1/seattle/events.json").read_bytes())
    return {item["name"]: item["id"] for item in body["data"]}


def test_the_tree_follows_a_build_a_takedown_and_a_rollback(city: City, tmp_path: Path) -> None:
    write(city, "abcd")
    built = call(city, "build", "--workers", "1")
    assert f"static files of release {city.current.id}: " in built.stderr
    assert read_events(tmp_path).keys() == set("abcd")

    gone = read_events(tmp_path)["a"]
    call(city, "takedown", gone)
    assert read_events(tmp_path).keys() == set("bcd")
    public = [path for path in (tmp_path / "var/public").rglob("*") if path.is_file()]
    named = [path for path in public if gone.encode() in str(path).encode() + path.read_bytes()]
    # The log goes on to say that it is gone, by its id.
    assert named == [tmp_path / "var/public/v1/changes.json"]

    before = city.current.id
    write(city, "e")
    refused = call(city, "build", "--workers", "1", code=4)
    assert "max_shrink" in refused.stderr
    call(city, "build", "--workers", "1", "--allow-shrink")
    assert read_events(tmp_path).keys() == {"e"}
    call(city, "releases", "rollback", before)
    assert read_events(tmp_path).keys() == set("bcd")
    index = tmp_path / "var/public/v1/index.json"
    assert json.loads(index.read_bytes())["release"] == city.current.id

    # What was taken down since may be in it, and is first to be withdrawn again.
    (tmp_path / "var/store/current.json").unlink()
    call(city, "releases", "restore", before)
    assert json.loads(index.read_bytes())["release"] != city.current.id == before


def list_holding(folder: Path, text: str) -> set[str]:
    """The files of the tree with this text in their name or bytes."""
    public = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)) for path in public if text.encode() in str(path).encode() + path.read_bytes()}


@pytest.mark.parametrize("accident", ["moved", "no index", "new store", "no memory", "another place"])
def test_a_takedown_finds_the_files_by_looking(city: City, tmp_path: Path, accident: str) -> None:
    write(city, "abcd")
    call(city, "build", "--workers", "1")
    gone, folder = read_events(tmp_path)["a"], tmp_path / "var/public"
    (folder / "CNAME").write_text("outings.example")
    if accident == "moved":
        folder = folder.rename(tmp_path / "moved")
        city.site = city.site.replace("var/public", "moved")
    if accident == "no index":
        (folder / "v1/index.json").unlink()
    if accident == "new store":
        (tmp_path / "var/store").rename(tmp_path / "old-store")
        write(city, "abcd")
        # It publishes the same listings, and the files are the same.
        call(city, "build", "--workers", "1")
    if accident == "no memory":
        (tmp_path / "var/store/static.json").unlink()
    if accident == "another place":
        city.site = city.site.replace("var/public", "elsewhere")
        assert city.configuration
        call(city, "takedown", gone)
        city.site = city.site.replace("elsewhere", "var/public")
    assert city.configuration
    call(city, "takedown", gone)
    assert list_holding(folder, gone) == {"v1/changes.json"}
    assert (folder / "CNAME").exists()


OTHERS = [
    "about/events/flyer.pdf", "about/events/faire/index.html", "es/index.html", "fr/explore/way.html", "fr/cities/a",
]  # fmt: skip


def test_files_that_only_look_like_pages_of_the_tree_stay(city: City, tmp_path: Path) -> None:
    city.site += "[site]\nenabled = false\n"
    write(city, "abcd")
    call(city, "build", "--workers", "1")
    folder = tmp_path / "var/public"
    for name in (*OTHERS, "index.html"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("<h1>ours</h1>")
    call(city, "takedown", read_events(tmp_path)["a"])
    (folder / "v1/index.json").unlink()
    call(city, "build", "--workers", "1")
    assert [name for name in (*OTHERS, "index.html") if not (folder / name).exists()] == []


def test_a_takedown_finds_the_files_behind_a_link(city: City, tmp_path: Path) -> None:
    write(city, "abcd")
    call(city, "build", "--workers", "1")
    gone, folder = read_events(tmp_path)["a"], tmp_path / "var/public"
    (folder / "v1").rename(tmp_path / "elsewhere")
    (folder / "v1").symlink_to(tmp_path / "elsewhere")
    call(city, "takedown", gone)
    assert list_holding(tmp_path / "elsewhere", gone) == {"changes.json"}


def test_pages_leave_when_they_are_turned_off(city: City, tmp_path: Path) -> None:
    write(city, "abcd")
    call(city, "build", "--workers", "1")
    assert (tmp_path / "var/public/index.html").exists()
    city.site += "[site]\nenabled = false\n"
    assert city.configuration
    call(city, "build", "--workers", "1")
    assert [str(path) for path in (tmp_path / "var/public").rglob("*.html")] == []
    assert not (tmp_path / "var/public/seattle").exists()


def read_whole(data: bytes) -> bytes:
    """The bytes of an object, decompressed."""
    if data.startswith(b"\x1f\x8b"):
        return gzip.decompress(data)
    if data.startswith(b"PAR1"):
        return repr(pl.read_parquet(data).to_dicts()).encode()
    if data.startswith(b"\x28\xb5\x2f\xfd"):
        with zstandard.ZstdDecompressor().stream_reader(data) as stream:
            return stream.read()
    return data


def test_nothing_in_the_store_names_a_path_of_this_machine(city: City, tmp_path: Path) -> None:
    city.site += "[site]\nenabled = false\n"
    write(city, "abcd")
    city.write([make_event("late"), "no record", make_event("wrong", starts_local="?")], feed="late")
    city.write([make_event("x")], feed="delta", mode="delta")
    city.map = {"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {}, "geometry": None}]}
    assert city.configuration
    call(city, "build", "--workers", "1")
    (tmp_path / "late.ndjson").unlink()
    (tmp_path / "delta.ndjson").write_bytes(b"\xff\xfe{")
    call(city, "build", "--workers", "1", code=4)
    store = tmp_path / "var/store"
    holding = [
        path for path in store.rglob("*") if path.is_file() and str(tmp_path).encode() in read_whole(path.read_bytes())
    ]
    assert {str(path.relative_to(store)): read_whole(path.read_bytes())[:300] for path in holding} == {}


def test_a_takedown_names_files_of_others_that_hold_it(city: City, tmp_path: Path) -> None:
    write(city, "abcd")
    call(city, "build", "--workers", "1")
    gone, folder = read_events(tmp_path)["a"], tmp_path / "var/public"
    copy = folder / "old copy/event.json"
    copy.parent.mkdir()
    copy.write_bytes((folder / f"v1/events/{gone}.json").read_bytes())
    done = call(city, "takedown", gone, code=1)
    assert "old copy/event.json" in done.stderr
    copy.unlink()
    call(city, "takedown", gone)


def test_the_files_of_a_metro_that_leaves_leave(city: City, tmp_path: Path) -> None:
    city.site = city.site.replace('metros = ["seattle"]', "")
    city.add_metro("boston", "America/New_York")
    write(city, "ab")
    city.write(
        [make_event("c", starts_local=f"{datetime.now(UTC).date() + timedelta(days=5)}T10:00:00")],
        feed="b",
        metro="boston",
    )
    assert city.configuration
    call(city, "build", "--workers", "1")
    folder = tmp_path / "var/public"
    assert (folder / "v1/boston/events.json").exists()
    city.forget_metro("boston")
    assert city.configuration
    call(city, "build", "--workers", "1", code=3)
    assert (folder / "v1/boston/events.json").exists()
    call(city, "build", "--workers", "1", "--allow-shrink")
    assert list_holding(folder, "boston") == {"v1/changes.json"}


def test_with_a_signing_key_a_copy_shows_that_it_is_whole_and_ours(city: City, tmp_path: Path) -> None:
    write(city, "ab")
    call(city, "build", "--workers", "1")
    folder = tmp_path / "var/public"
    assert not (folder / "sha256sums.txt").exists()
    city.site += write_keys(tmp_path)
    write(city, "abc")
    call(city, "releases", "sign")
    call(city, "build", "--workers", "1")
    commands = read_commands("static.md", "Show that a copy is whole and yours")[0]
    commands = commands.replace("/tmp/signed", str(tmp_path / "signed")).replace("public.pem", "../../public.pem")

    def check() -> int:
        return subprocess.run(["bash", "-euc", commands], cwd=folder, capture_output=True, check=False).returncode

    assert check() == 0
    sums, event = folder / "sha256sums.txt", next((folder / "v1/events").glob("*.json"))
    event.write_bytes(event.read_bytes() + b" ")
    assert check() != 0
    sums.write_text("".join(line for line in sums.read_text().splitlines(keepends=True) if event.name not in line))
    assert check() != 0


def test_without_the_table_nothing_is_written(city: City, tmp_path: Path) -> None:
    city.site = ""
    city.write([make_event("a")])
    assert city.configuration.static is None
    assert "static" not in call(city, "build", "--workers", "1").stderr
    assert {path.name for path in (tmp_path / "var").iterdir()} <= {"store", "lock", "quarantine", "cache"}
    assert not city.store.exists("static.json")


def read_commands(page: str, heading: str) -> list[str]:
    """The shell blocks under a heading of a page of the documents."""
    text = (ROOT / "docs" / page).read_text().partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(r"```sh\n(.*?)```", text, re.DOTALL)


def build_page(folder: Path, environ: Mapping[str, str], *, url: str = "file:public") -> tuple[str, str]:
    """Follow the page up to its build, into this place. Returns its command that serves, and its requests."""
    [spreadsheet] = read_commands("guides/feed.md", "1. Take your file")
    commands, requests = read_commands("static.md", "From a spreadsheet to a public API in ten minutes")
    *steps, serve = commands.splitlines()
    script = "\n".join([spreadsheet, *steps]).replace("file:public", url)
    subprocess.run(["bash", "-euc", script], cwd=folder, env=environ, check=True)
    return serve, requests


def list_files(index: Any) -> list[str]:
    listed = [index["requests"], *(metro["requests"] for metro in index["metros"].values())]
    return [file for requests in listed for request in requests for file in request["files"]]


def run_script(script: str, folder: Path, environ: Mapping[str, str]) -> str:
    done = subprocess.run(["bash", "-euc", script], cwd=folder, env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def environ() -> dict[str, str]:
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


@pytest.mark.long
def test_the_commands_of_the_page_lead_from_a_spreadsheet_to_files_on_a_plain_server(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    serve, requests = build_page(tmp_path, environ)
    port = find_free_port()
    # `exec`: the server itself is what the test ends.
    words = f"exec {serve.replace('8080', str(port))} --bind 127.0.0.1"
    server = subprocess.Popen(["bash", "-c", words], cwd=tmp_path, env=environ, stderr=subprocess.DEVNULL)
    try:
        addresses = [line.split()[1].replace("8080", str(port)) for line in requests.splitlines()]
        events, index = (json.loads(read_address(address, server)) for address in addresses)
        assert {item["name"] for item in events["data"]} >= {"Story Time", "Clay for Families"}
        files = list_files(index)
        assert len(files) > 50
        for file in files:  # as it stands, with no escape
            assert read_address(f"http://127.0.0.1:{port}/{file}", server) == (tmp_path / "public" / file).read_bytes()
    finally:
        server.terminate()
        server.wait(timeout=30)


@pytest.mark.long
@pytest.mark.xdist_group("s3")
def test_the_same_commands_fill_a_bucket_from_which_browsers_and_copies_read(
    tmp_path: Path, s3_endpoint: str, environ: dict[str, str]
) -> None:
    boto3.client("s3", endpoint_url=s3_endpoint).create_bucket(Bucket="santa-fe")
    write_keys(tmp_path)
    environ |= {"OUTINGS_SIGNING_KEY": "private.pem", "AWS_ENDPOINT_URL": s3_endpoint}
    build_page(tmp_path, environ, url="s3://santa-fe/open")
    address = f"{s3_endpoint}/santa-fe/open"
    mirror, recipe = read_commands("static.md", "Keep a copy")
    [check] = read_commands("static.md", "Show that a copy is whole and yours")
    recipe = recipe.replace("https://data.example.org", address) + check.replace("public.pem", "../public.pem")
    folder, other = tmp_path / "recipe", tmp_path / "copy"
    folder.mkdir()
    for _ in range(2):  # the second time nothing is missing
        run_script(mirror.replace("https://data.example.org", address), tmp_path, environ)
        assert "Verified" in run_script(recipe, folder, environ)
    trees = [{path.relative_to(top): path.read_bytes() for path in top.rglob("*.*") if path.is_file()}
             for top in (folder, other)]  # fmt: skip
    assert trees[0].items() == {name: data for name, data in trees[1].items() if name.name != MARK}.items()
    files = list_files(json.loads((folder / "v1/index.json").read_bytes()))
    assert len(files) > 50
    for file in files:
        with urllib.request.urlopen(f"{address}/{file}", timeout=30) as reply:
            body = reply.read()
            is_packed = reply.headers["Content-Encoding"] == "gzip"
            assert is_packed == (not file.endswith(".parquet"))
            assert reply.headers["Cache-Control"] in (
                "public, max-age=60",
                "public, max-age=300",
                "no-cache",
                "public, max-age=3600",
            )
        assert (gzip.decompress(body) if is_packed else body) == (folder / file).read_bytes()


def read_address(address: str, server: subprocess.Popen[bytes]) -> bytes:
    """The body, as soon as the server that was just started answers."""
    until = time.monotonic() + 60
    while True:
        assert server.poll() is None, "the server ended"
        try:
            with urllib.request.urlopen(address, timeout=30) as reply:
                body: bytes = reply.read()
                return body
        except urllib.error.URLError as error:
            if not isinstance(error.reason, ConnectionRefusedError) or time.monotonic() > until:
                raise
            time.sleep(0.05)


@pytest.mark.parametrize("name", ["../../.ssh/authorized_keys", "/tmp/x", ".git/config", "v1/../../x"])
def test_the_recipe_for_copies_takes_no_name_that_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    """The list is signed: it may be one of a publisher whose key was stolen."""
    recipe = read_commands("static.md", "Keep a copy")[1]
    host, folder = tmp_path / "host", tmp_path / "a/b/copy"
    host.mkdir()
    folder.mkdir(parents=True)
    (folder.parent / "public.pem").write_text(write_public(ONE))
    sums = f"{'0' * 64}  {name}\n".encode()
    (host / "sha256sums.txt").write_bytes(sums)
    (host / "sha256sums.sig").write_bytes(ONE.sign(b"outings static files\n" + sums))
    recipe = recipe.replace("https://data.example.org", f"file://{host}")
    done = subprocess.run(["bash", "-c", recipe], cwd=folder, capture_output=True, text=True)
    assert done.returncode != 0
    assert name in done.stdout
    assert list(folder.iterdir()) == []
