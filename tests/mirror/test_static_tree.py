"""`outings mirror --static`: a copy that is whole, current and its publisher's, whatever the host does on the way."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from command import main
from tests.loopback import run_server
from tests.pipeline.city import City, make_event
from tests.release.signing import ONE, OTHER, write_keys, write_public

SUMS = "sha256sums.txt"
INDEX = "v1/index.json"
LIST = ".outings-mirror.json"
SOON = "2026-08-12T10:00:00"


class Host:
    """A plain server of `folder`. `before` is called with the path of each request, and may give a status to answer."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.paths: list[str] = []
        self.before: Callable[[str], int | None] = lambda _: None
        self.url = ""


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A tree, and the one that a later build made of it: an event more and one less. `public.pem` lies beside them."""
    folder = tmp_path_factory.mktemp("trees")
    city = City(folder)
    city.site = '[static]\nurl = "file:var/public"\n' + write_keys(folder)
    copies = (folder / "first", folder / "second")
    for copy, names, as_of in zip(
        copies, ("abc", "bcd"), ("2026-08-10T15:00:00Z", "2026-08-10T16:00:00Z"), strict=True
    ):
        city.write([make_event(name, name=name, starts_local=SOON) for name in names])
        assert city.configuration.static is not None
        words = ["build", "--as-of", as_of, "--workers", "1", "-c", str(folder / "outings.toml")]
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 0, done.stderr
        shutil.copytree(folder / "var/public", copy)
    return copies


@pytest.fixture
def host(trees: tuple[Path, Path]) -> Iterator[Host]:
    host = Host(trees[0])

    class Handler(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            host.paths.append(self.path)
            status = host.before(self.path)
            self.directory = str(host.folder)
            if status is None:
                super().do_GET()
            else:
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

        def log_message(self, *args: object) -> None: ...

    with run_server(ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory="."))) as host.url:
        yield host


@pytest.fixture(autouse=True)
def waited(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    waits: list[float] = []
    monkeypatch.setattr("command.mirror.time.sleep", waits.append)
    return waits


def list_words(host: Host, copy: Path, *more: str) -> list[str]:
    key = host.folder.parent / "public.pem"
    return ["mirror", str(copy), "--static", host.url, "--public-key", str(key), *more]


def call(host: Host, copy: Path, *more: str, code: int = 0) -> Result:
    done = CliRunner().invoke(main, list_words(host, copy, *more))
    assert done.exit_code == code, done.output
    return done


def read_files(folder: Path) -> dict[str, bytes]:
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in files.items() if name != LIST}


def test_a_copy_is_the_tree_and_a_later_one_reads_only_what_changed(
    host: Host, trees: tuple[Path, Path], tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    assert "downloaded" in call(host, copy).output
    first, second = map(read_files, trees)
    assert read_files(copy) == first
    host.paths.clear()
    assert json.loads(call(host, copy, "--json").stdout)["downloaded"] == 0
    assert sorted(host.paths) == sorted([f"/{SUMS}", "/sha256sums.sig", f"/{INDEX}"])
    host.folder = trees[1]
    host.paths.clear()
    report = json.loads(call(host, copy, "--json").stdout)
    assert read_files(copy) == second
    assert report["deleted"] == len(first.keys() - second.keys()) > 0
    changed = {f"/{name}" for name, data in second.items() if first.get(name) != data}
    assert set(host.paths) == changed | {f"/{INDEX}"}
    assert "whole, current and signed" in call(host, copy, "--check").output
    shutil.rmtree(copy)
    host.url = f"file:{trees[1]}"
    call(host, copy)
    assert read_files(copy) == second


def test_a_check_names_what_differs_and_changes_nothing(host: Host, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(host.folder, copy)
    (copy / "_headers").unlink()  # which some hosts show to nobody
    assert "whole, current and signed" in call(host, copy, "--check").output
    changed, missing = sorted((copy / "v1/events").glob("*.json"))[:2]
    changed.write_bytes(changed.read_bytes() + b" ")
    missing.unlink()
    (copy / "v1/foreign.json").write_text("{}")
    before = read_files(copy)
    output = call(host, copy, "--check", code=1).output
    assert f"v1/events/{changed.name}: not the file of the tree" in output
    assert f"v1/events/{missing.name}: missing" in output
    assert "v1/foreign.json: the tree has no such file" in output
    assert read_files(copy) == before
    host.folder = host.folder.parent / "second"
    assert "differs" in call(host, copy, "--check", code=1).output


def test_what_the_key_did_not_sign_is_refused(host: Host, tmp_path: Path, waited: list[float]) -> None:
    other = tmp_path / "other.pem"
    other.write_text(write_public(OTHER))
    words = [*list_words(host, tmp_path / "copy"), "--public-key", str(other)]
    refused = CliRunner().invoke(main, words)
    assert (refused.exit_code, f"{host.url}/{SUMS}: its signature is not that of key" in refused.output) == (1, True)
    assert not (tmp_path / "copy").exists()
    assert len(waited) == 1, "the same two files are not read again and again"


def test_a_file_with_another_hash_is_named_and_not_taken(host: Host, tmp_path: Path, waited: list[float]) -> None:
    tampered = tmp_path / "tampered"
    shutil.copytree(host.folder, tampered)
    event = min((tampered / "v1/events").glob("*.json"))
    event.write_bytes(event.read_bytes().replace(b'"a"', b'"x"') + b" ")
    shutil.copy(host.folder.parent / "public.pem", tmp_path)
    host.folder = tampered
    output = call(host, tmp_path / "copy", code=1).output
    assert f"{host.url}/v1/events/{event.name}: SHA-256 " in output
    assert waited == [1.0, 2.0, 4.0, 8.0, 16.0]
    copy = read_files(tmp_path / "copy")
    assert not {f"v1/events/{event.name}", INDEX, SUMS} & copy.keys()
    assert copy.items() < read_files(tampered).items()


def test_a_tree_that_is_written_meanwhile_is_followed(host: Host, trees: tuple[Path, Path], tmp_path: Path) -> None:
    def publish(path: str) -> None:
        if path == "/v1/seattle/coverage.json":
            host.folder = trees[1]

    host.before = publish
    call(host, tmp_path / "copy")
    assert read_files(tmp_path / "copy") == read_files(trees[1])


def test_a_killed_copy_has_whole_files_and_goes_on(host: Host, tmp_path: Path) -> None:
    """Killed at its fortieth request; then the other tree is there, and nothing of the first one is left."""
    program = [sys.executable, "-m", "command", *list_words(host, tmp_path / "copy")]
    running = subprocess.Popen(program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ)

    def kill(_: str) -> int | None:
        if len(host.paths) < 40:
            return None
        running.send_signal(signal.SIGKILL)
        return 503

    host.before = kill
    assert running.wait(timeout=120) == -signal.SIGKILL
    host.before = lambda _: None
    tree, left = read_files(host.folder), read_files(tmp_path / "copy")
    assert 10 < len(left) < len(tree)
    assert [name for name, data in left.items() if not name.endswith(".following") and tree[name] != data] == []
    host.folder = host.folder.parent / "second"
    call(host, tmp_path / "copy")
    assert read_files(tmp_path / "copy") == read_files(host.folder)


def test_a_busy_host_is_asked_again(host: Host, tmp_path: Path, waited: list[float]) -> None:
    faults = [503, 429, 500]
    host.before = lambda path: faults.pop() if path == f"/{INDEX}" and faults else None
    call(host, tmp_path / "copy")
    assert waited == [1.0, 2.0, 4.0]
    host.before = lambda _: 301
    assert f"{host.url}/{SUMS}: status 301" in call(host, tmp_path / "copy", code=1).output


def test_more_than_half_does_not_leave_unasked_and_nothing_becomes_older(
    host: Host, trees: tuple[Path, Path], tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    host.folder = trees[1]
    call(host, copy)
    listed = json.loads((copy / LIST).read_bytes())
    ours = [*listed, *(f"v1/old/{number}.json" for number in range(2 * len(listed)))]
    (copy / LIST).write_text(json.dumps(ours))
    (copy / "v1/old").mkdir()
    (copy / "v1/old/1.json").write_text("{}")
    assert "--allow-shrink" in call(host, copy, code=3).output
    assert (copy / "v1/old/1.json").exists()
    call(host, copy, "--allow-shrink")
    assert not (copy / "v1/old").exists()
    host.folder = trees[0]
    index = json.loads((trees[1] / INDEX).read_bytes())
    (copy / INDEX).write_text(json.dumps({**index, "built_at": "2100-01-01T00:00:00Z"}))
    assert "nothing was changed" in call(host, copy, code=1).output


@pytest.mark.parametrize("name", ["../evil", "/evil", "v1//evil", LIST])
def test_a_name_that_leads_elsewhere_is_refused(host: Host, tmp_path: Path, name: str) -> None:
    host.folder = tmp_path / "tree"
    host.folder.mkdir()
    sums = f"{'0' * 64}  {name}\n".encode()
    (host.folder / SUMS).write_bytes(sums)
    (host.folder / "sha256sums.sig").write_bytes(ONE.sign(b"outings static files\n" + sums))
    (tmp_path / "public.pem").write_text(write_public(ONE))
    assert f"{host.url}/{SUMS}, line 1: " in call(host, tmp_path / "copy", code=1).output


def test_wrong_words_say_what_to_give(host: Host, tmp_path: Path) -> None:
    words = ["mirror", str(tmp_path / "copy"), "--static", host.url]
    for more, part in (([], "--public-key"), (["--url", host.url], "give --static, or --url")):
        wrong = CliRunner().invoke(main, [*words, *more])
        assert (wrong.exit_code, part in wrong.output) == (2, True)
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy/letter.txt").write_text("theirs")
    assert "did not write" in call(host, tmp_path / "copy", code=2).output
    shutil.copy(host.folder.parent / "public.pem", tmp_path)
    host.folder = tmp_path / "empty"
    host.folder.mkdir()
    assert f"{host.url}/{SUMS}: status 404" in call(host, tmp_path / "new", code=1).output
