"""A folder becomes equal to a static tree, whatever its host sends and whatever happens meanwhile."""

import fcntl
import gzip
import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from command import main
from command.mirror.static_tree import MARK, MirrorError, copy_tree
from outings.failures import GuardRefusal
from outings.release.trust import ANYBODY, UntrustedRelease
from tests.loopback import run_server
from tests.release.signing import ONE, OTHER, make_reader, write_public

INDEX = "v1/index.json"
FILES = {
    "v1/metros.json": b'{"data":[]}', "v1/seattle/events.json": b"[1]",
    "v1/seattle/events/category=zoo&page=2.json": b"[2]" * 1000, "v1/seattle/export/events.parquet": bytes(range(256)),
    "v1/places/!43apitol!20!48ill.json": b"{}", "index.html": b"<h1>", "assets/site.0ec8e2b6da.css": b"a{}",
    "_headers": b"", ".nojekyll": b"",
}  # fmt: skip


def describe(data: bytes) -> dict[str, object]:
    return {"size": len(data), "sha256": sha256(data).hexdigest()}


def write_index(files: Mapping[str, object], *, release: str = "1-aa") -> bytes:
    return json.dumps({"release": release, "built_at": "2026-08-10T07:10:00Z", "files": files}).encode()


class Host(ThreadingHTTPServer):
    """A host of `files`, which may lie: `cut` has after how many bytes it hangs up, `endless` files do not end, and
    it `goes_on` after the end of what is compressed."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files: dict[str, bytes] = {}
        self.cut: dict[str, int] = {}
        self.endless: tuple[str, ...] = ()
        self.goes_on = False
        self.sent = 0
        self.requests: list[str] = []
        self.release = threading.Event()
        self.release.set()
        self.publish(FILES)

    def publish(self, files: Mapping[str, bytes], **also: object) -> None:
        """Serve these files and an index that has them, and `also` these descriptions."""
        index = write_index({**{name: describe(data) for name, data in files.items()}, **also})
        self.files = {**files, INDEX: index}

    def sign(self) -> None:
        sums = "".join(f"{sha256(data).hexdigest()}  {name}\n" for name, data in sorted(self.files.items())).encode()
        signature = ONE.sign(b"outings static files\n" + sums)
        self.files |= {"sha256sums.txt": sums, "sha256sums.sig": signature}


class _Handler(BaseHTTPRequestHandler):
    server: Host

    def do_GET(self) -> None:
        name = self.path[1:]
        self.server.requests.append(name)
        if name.endswith(".parquet"):
            self.server.release.wait(60)
        if name in self.server.endless:
            self.send_response(200)
            self.end_headers()
            self._send_on()
            return
        data = self.server.files.get(name)
        self.send_response(404 if data is None else 200)
        if data is not None and name.endswith(".json"):
            data = gzip.compress(data)
            self.send_header("Content-Encoding", "gzip")
        goes_on = self.server.goes_on and name == INDEX
        if not goes_on:
            self.send_header("Content-Length", str(len(data or b"")))
        self.end_headers()
        self.wfile.write((data or b"")[: self.server.cut.get(name)])
        if goes_on:
            self._send_on()

    def _send_on(self) -> None:
        """Send 200 MB, as far as the reader takes them."""
        with suppress(OSError):
            for _ in range(200):
                self.wfile.write(bytes(1_000_000))
                self.server.sent += 1_000_000

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def host() -> Iterator[Host]:
    made = Host()
    with run_server(made):
        yield made
        made.release.set()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "copy"


def locate(host: Host) -> str:
    return f"http://127.0.0.1:{host.server_port}"


def copy(host: Host, folder: Path, waits: list[float] | None = None) -> object:
    return copy_tree(locate(host), folder, trust=ANYBODY, wait=(waits if waits is not None else []).append)


def read_folder(folder: Path) -> dict[str, bytes]:
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name != MARK]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def test_a_copy_has_the_files_of_the_tree_and_no_others(host: Host, folder: Path) -> None:
    copy(host, folder)
    assert read_folder(folder) == host.files
    host.requests.clear()
    copy(host, folder)
    assert set(host.requests) == {INDEX, "sha256sums.txt", "sha256sums.sig"}, "nothing else has changed"

    left = {name: data for name, data in FILES.items() if "category" not in name}
    host.publish({**left, "v1/seattle/events.json": b"[3]", "v1/boston/events.json": b"[]"})
    (folder / ".writing-1").write_bytes(b"of a run that was killed")
    (folder / "v1/metros.json").write_bytes(b"damaged")
    copy(host, folder)
    assert read_folder(folder) == host.files
    assert not (folder / "v1/seattle/events").exists()


@pytest.mark.parametrize(
    "name",
    [
        "../../.ssh/authorized_keys", "..", "v1/../../x", "/etc/cron.d/x", "//x", "v1//x", "v1/", "", ".ssh/config",
        "v1/.git", ".outings-mirror", ".writing-1", "v1\\..\\x", "C:/x", "v1/x\n", "v1/x\0", "v1/a b", "v1/caf\u00e9",
        "-rf", "v1/con.json", "v1/x.", f"v1/{'a' * 256}", "/".join("a" * 40), INDEX, "sha256sums.txt",
    ],
)  # fmt: skip
def test_a_name_that_no_tree_has_is_refused_before_anything_is_written(host: Host, folder: Path, name: str) -> None:
    host.publish(FILES, **{name: describe(b"evil")})
    host.files.setdefault(name, b"evil")
    with pytest.raises(GuardRefusal, match="which no static tree has"):
        copy(host, folder)
    assert read_folder(folder) == {}
    assert [path for path in folder.parent.rglob("*") if path.is_file()] == [folder / MARK]


@pytest.mark.parametrize("link", ["v1", "v1/seattle", "v1/metros.json", "index.html", "v1/other"])
def test_nothing_is_written_through_a_link(host: Host, folder: Path, link: str) -> None:
    outside = folder.parent / "outside"
    (outside / "seattle").mkdir(parents=True)
    (folder / link).parent.mkdir(parents=True, exist_ok=True)
    (folder / MARK).touch()
    (folder / link).symlink_to(outside if "." not in link else outside / "file")
    with pytest.raises(GuardRefusal, match=f"{link} is a link or no file"):
        copy(host, folder)
    assert [path for path in outside.rglob("*") if path.is_file()] == []


def test_a_folder_of_something_else_is_left_alone(host: Host, folder: Path) -> None:
    folder.mkdir()
    (folder / "thesis.txt").write_text("years of work")
    with pytest.raises(GuardRefusal, match="is not empty and no copy"):
        copy(host, folder)
    assert read_folder(folder) == {"thesis.txt": b"years of work"}
    (folder / MARK).symlink_to(folder / "thesis.txt")
    with pytest.raises(GuardRefusal, match="symbolic link"):
        copy(host, folder)


def test_a_file_in_the_way_of_a_folder_is_an_error_that_names_it(host: Host, folder: Path) -> None:
    (folder / "v1").mkdir(parents=True)
    (folder / MARK).touch()
    (folder / "v1/seattle").write_text("")
    with pytest.raises(GuardRefusal, match="v1/seattle"):
        copy(host, folder)


@pytest.mark.parametrize("lie", ["longer", "unpacked", "other bytes", "shorter", "cut", "missing"])
def test_a_file_that_is_not_as_the_index_says_is_never_in_the_copy(host: Host, folder: Path, lie: str) -> None:
    copy(host, folder)
    before = read_folder(folder)
    host.publish({**FILES, "v1/seattle/events.json": b"[4]"})
    name = "v1/seattle/events.json"
    if lie == "cut":
        host.cut[name] = 4
    elif lie == "missing":
        del host.files[name]
    else:
        host.files[name] = {
            "longer": b"[4]" + b" " * 200_000, "unpacked": bytes(5_000_000), "other bytes": b"[5]", "shorter": b"[",
        }[lie]  # fmt: skip
    waits: list[float] = []
    with pytest.raises(MirrorError, match=name):
        copy(host, folder, waits)
    assert waits == [1, 2, 4, 8]
    assert read_folder(folder) == before, "the copy is still that of before"


def test_an_answer_without_end_is_not_taken(host: Host, folder: Path) -> None:
    host.endless = ("v1/seattle/events.json",)
    with pytest.raises(MirrorError, match="more than the 3 bytes"):
        copy(host, folder)
    assert host.sent < 100_000_000
    assert INDEX not in read_folder(folder)


def test_what_follows_a_compressed_answer_is_not_read(host: Host, folder: Path) -> None:
    host.goes_on = True
    copy(host, folder)
    assert host.sent < 100_000_000
    assert read_folder(folder) == host.files


@pytest.mark.parametrize(
    "index",
    [
        b"", b"{", b"[]", b'{"files": {}}', write_index({"v1/a.json": {"size": -1, "sha256": "a"}}),
        write_index({"v1/a.json": {"size": 1}}), write_index({"v1/a.json": "v1/a.json"}),
        write_index({}, release="1-aa\nall is well"),
    ],
)  # fmt: skip
def test_what_is_no_index_deletes_nothing(host: Host, folder: Path, index: bytes) -> None:
    copy(host, folder)
    before = read_folder(folder)
    host.files[INDEX] = index
    with pytest.raises(MirrorError, match=INDEX):
        copy(host, folder)
    assert read_folder(folder) == before


def test_a_tree_too_large_for_any_city_is_refused(host: Host, folder: Path) -> None:
    host.publish(FILES, **{"v1/a.json": {"size": 10**15, "sha256": "a"}})
    with pytest.raises(GuardRefusal, match="at most"):
        copy(host, folder)
    assert read_folder(folder) == {}


def test_a_tree_that_is_being_written_is_read_again(host: Host, folder: Path) -> None:
    host.files["v1/metros.json"] = b"of the next release"

    def finish(_: float) -> None:
        host.publish({**FILES, "v1/metros.json": b"of the next release"})

    copy_tree(locate(host), folder, trust=ANYBODY, wait=finish)
    assert read_folder(folder) == host.files


@pytest.mark.parametrize("change", ["none", "index", "sums", "key", "unsigned", "no index"])
def test_with_a_key_only_what_it_signed_is_written(host: Host, folder: Path, change: str) -> None:
    host.sign()
    if change == "index":
        host.files[INDEX] = write_index({"v1/metros.json": describe(b"evil")})
        host.files["v1/metros.json"] = b"evil"
    if change in ("sums", "no index"):
        sums = host.files["sha256sums.txt"]
        host.files["sha256sums.txt"] = b"".join(
            line for line in sums.splitlines(keepends=True) if (change == "sums") != (INDEX.encode() in line)
        )
    if change == "unsigned":
        del host.files["sha256sums.sig"]
    trust = make_reader(OTHER if change == "key" else ONE)
    if change == "none":
        copied = copy_tree(locate(host), folder, trust=trust, wait=pytest.fail)
        assert copied.signer == trust.believed[0].name
        assert read_folder(folder) == host.files
    else:
        with pytest.raises((MirrorError, UntrustedRelease)):
            copy_tree(locate(host), folder, trust=trust, wait=lambda _: None)
        assert read_folder(folder) == {}
        assert not {*FILES} & {*host.requests}


def test_a_run_that_is_killed_leaves_whole_files_and_the_next_one_completes_them(host: Host, folder: Path) -> None:
    host.release.clear()
    words = [sys.executable, "-m", "command", "mirror", "--static", locate(host), str(folder)]
    process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    while not any(name.endswith(".parquet") for name in host.requests) or not (folder / "index.html").exists():
        assert process.poll() is None
    process.kill()
    process.wait()
    host.release.set()
    kept = {name: data for name, data in read_folder(folder).items() if not name.startswith(".writing-")}
    assert kept.items() <= FILES.items()
    assert INDEX not in kept
    copy(host, folder)
    assert read_folder(folder) == host.files


def test_of_two_runs_at_once_the_second_is_refused(host: Host, folder: Path) -> None:
    folder.mkdir()
    with (folder / MARK).open("w") as mark:
        fcntl.flock(mark, fcntl.LOCK_EX)
        with pytest.raises(GuardRefusal, match="another `outings mirror`"):
            copy(host, folder)
    copy(host, folder)
    assert read_folder(folder) == host.files


def call(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["mirror", *map(str, words)])


def test_the_command_says_what_it_copied_and_who_signed_it(host: Host, folder: Path, tmp_path: Path) -> None:
    unsigned = call("--static", f"{locate(host)}/", folder)
    assert unsigned.stdout == (
        f"{len(FILES)} files of release 1-aa, built at 2026-08-10T07:10:00Z, not verified, as no --key was given; "
        f"{len(FILES)} downloaded, 0 deleted\n"
    )
    host.sign()
    (tmp_path / "public.pem").write_text(write_public(ONE))
    signed = call("--static", locate(host), folder, "--key", tmp_path / "public.pem", "--json")
    name = make_reader(ONE).believed[0].name
    assert json.loads(signed.stdout) == {
        "release": "1-aa", "built_at": "2026-08-10T07:10:00Z", "signed_by": name, "files": len(FILES),
        "downloaded": 0, "deleted": 0,
    }  # fmt: skip


def test_the_command_refuses_options_of_the_other_kind_of_mirror(host: Host, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("abc")
    for words in (["--check"], ["--url", "http://a"], ["--key-file", tmp_path / "key"], ["--follow", "9"]):
        assert call("--static", locate(host), folder, *words).exit_code == 2
    assert call(folder, "--url", "http://a", "--key", tmp_path / "key").exit_code == 2
    assert call("--static", "ftp://a", folder).exit_code == 1
    assert call("--static", locate(host), folder, "--key", tmp_path / "key").exit_code == 2
