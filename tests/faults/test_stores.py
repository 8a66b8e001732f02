"""Stores and disks that refuse: full, read-only, no folder, an S3 server that says no. The release before stays."""

import ctypes
import hashlib
import json
import os
import random
import resource
import shutil
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from outings.release.folder import FolderStore
from tests.faults.commands import CREDENTIALS, DISK, STORE, CommandResult, Meets, build, run
from tests.faults.whole import Whole, check_current, check_listed, read_whole
from tests.faults.worlds import clock_of, copy_world, forget_cache
from tests.loopback import run_server
from tests.release.doubles import Nth, Watch, fail, fail_after, fill_disk, lose_reply, refuse


@pytest.fixture
def world(built: Path, tmp_path: Path) -> Path:
    return copy_world(built, tmp_path / "world")


def store_of(config: Path) -> Path:
    return config.parent / "var/store"


def read_current(config: Path) -> Whole:
    whole = read_whole(FolderStore(store_of(config)))
    assert whole is not None
    return whole


def check_failure(ended: CommandResult, *, expected: tuple[str, ...]) -> None:
    """Exit 1 in one line that is no fault of ours."""
    assert (ended.code, ended.out) == (1, ""), ended.err
    message = ended.err.partition("Error: ")[2]
    assert message.count("\n") == 1, ended.err
    assert all(word in message for word in expected), ended.err
    assert "--traceback" not in message


@pytest.mark.long
@pytest.mark.parametrize(("fault", "message"), [(fill_disk, "No space left"), (refuse, "Permission denied")])
def test_a_disk_that_refuses_at_any_call_leaves_the_release_before(
    fault: Watch, message: str, world: Path, tmp_path: Path, cases: int
) -> None:
    """The disk refuses before the call that replaces the pointer. Files written until then are deleted."""
    counted = build(copy_world(world, tmp_path / "counted"), as_of=clock_of(1))
    calls = [value for value in counted.trace if value in DISK]
    last = len(calls) - 1  # the sync of the pointer's name
    before = read_current(world)
    for n in sorted({*random.Random(1).sample(range(last), min(max(3, cases // 5), last)), *range(last - 4, last)}):
        ended = build(world, as_of=clock_of(1), meets=Meets(disk=Nth(n, fault)))
        check_failure(ended, expected=(str(store_of(world)), message))
        assert read_current(world) == before
    assert list((store_of(world) / "tmp").iterdir()) == []
    assert build(world, as_of=clock_of(1)).code == 0
    assert check_current(store_of(world)) == 2


def limit_files(size: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.long
def test_a_file_that_may_not_grow_ends_the_build_and_leaves_the_release_before(world: Path) -> None:
    """The system itself refuses, wherever the build writes: to the store, or to its own scratch."""
    before = read_current(world)
    for size in (500, 2_000, 8_000, 20_000):
        ended = build(world, as_of=clock_of(1), meets=Meets(prepare=partial(limit_files, size)))
        check_failure(ended, expected=("/", "File too large"))
        assert read_current(world) == before
    assert build(world, as_of=clock_of(1)).code == 0


def test_a_quarantine_file_that_can_not_be_written_is_reported_and_the_release_is_published(world: Path) -> None:
    shutil.rmtree(world.parent / "var/quarantine", ignore_errors=True)
    (world.parent / "var/quarantine").write_text("a file")
    ended = build(world, as_of=clock_of(1))
    assert ended.code == 0, ended.err
    report = json.loads(ended.out)
    assert (report["release"][:2], report["quarantine"]) == ("2-", None)
    assert f"release {report['release']} is published, but its quarantine file can't be written" in ended.err
    assert check_current(store_of(world)) == 2


def obey_permissions() -> None:
    """Root is refused nothing: gives up that right for this process (capability 1, CAP_DAC_OVERRIDE)."""
    if os.geteuid() != 0:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    sets = (ctypes.c_uint32 * 6)()
    assert libc.capget(header, sets) == 0, os.strerror(ctypes.get_errno())
    sets[0] &= ~(1 << 1)
    assert libc.capset(header, sets) == 0, os.strerror(ctypes.get_errno())


def test_a_store_that_may_only_be_read_is_exit_1_with_what_to_allow(world: Path) -> None:
    before = read_current(world)
    folders = [store_of(world), *(path for path in store_of(world).rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    try:
        ended = build(world, as_of=clock_of(1), meets=Meets(prepare=obey_permissions))
        check_failure(ended, expected=(str(store_of(world)), "Permission denied", "read and write the store's folder"))
        listed = run("releases", "list", "--json", config=world, meets=Meets(prepare=obey_permissions))
        assert [release["sequence"] for release in json.loads(listed.out)["releases"]] == [1]
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert read_current(world) == before
    assert build(world, as_of=clock_of(1)).code == 0


def test_a_file_where_the_store_should_be_is_exit_1(unbuilt: Path, tmp_path: Path) -> None:
    config = copy_world(unbuilt, tmp_path / "world")
    store_of(config).parent.mkdir(exist_ok=True)
    store_of(config).write_text("a file")
    ended = build(config, as_of=clock_of(0))
    check_failure(ended, expected=(str(store_of(config)), "a file where the store needs a folder"))
    assert store_of(config).read_text() == "a file"


def test_a_broken_pointer_is_exit_1_and_left_as_it_is(world: Path) -> None:
    (store_of(world) / "current.json").write_text("{")
    check_failure(build(world, as_of=clock_of(1)), expected=("current.json",))
    assert (store_of(world) / "current.json").read_text() == "{"


@pytest.mark.long
@pytest.mark.parametrize("damage", ["truncated", "altered"])
def test_files_of_the_cache_that_are_damaged_are_fetched_again(damage: str, world: Path, tmp_path: Path) -> None:
    whole = build(copy_world(world, tmp_path / "whole"), as_of=clock_of(1))
    paths = list((world.parent / "var/cache/objects").iterdir())
    assert paths
    for path in paths:
        data = path.read_bytes()
        path.write_bytes(data[: len(data) // 2] if damage == "truncated" else data[:-9] + bytes(9))
    ended = build(world, as_of=clock_of(1))
    assert (ended.code, json.loads(ended.out)["release"]) == (0, json.loads(whole.out)["release"]), ended.err
    named = [path for path in paths if f"{path} is not what its name says" in ended.err]
    assert named
    assert all(hashlib.sha256(path.read_bytes()).hexdigest() == path.name for path in named)


def test_a_pointer_that_does_not_fit_its_root_is_exit_1(world: Path) -> None:
    """A release built on it would be trusted by nobody, and would follow a good one."""
    pointer = store_of(world) / "current.json"
    pointer.write_text(json.dumps({**json.loads(pointer.read_text()), "sequence": 7}))
    before = pointer.read_text()
    check_failure(build(world, as_of=clock_of(1)), expected=("the pointer says sequence 7, its root 1", "current.json"))
    assert pointer.read_text() == before


@pytest.mark.parametrize("damage", ["gone", "torn"])
def test_nothing_is_built_upon_a_broken_release(damage: str, world: Path) -> None:
    """The published release stays as it was."""
    pointer = (store_of(world) / "current.json").read_bytes()
    root = json.loads(pointer)["root"]
    path = store_of(world) / "objects" / root[:2] / root
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:-10])
    check_failure(build(world, as_of=clock_of(1)), expected=(root,))
    assert (store_of(world) / "current.json").read_bytes() == pointer


@pytest.mark.long
@pytest.mark.parametrize("fault", [pytest.param(fail, id="undone"), pytest.param(fail_after, id="done")])
def test_a_store_that_fails_at_any_operation_leaves_the_release_before_or_the_new(
    fault: Watch, world: Path, tmp_path: Path
) -> None:
    """A build that failed published nothing, unless it failed at the swap itself: then it may have."""
    forget_cache(world)
    counted = build(copy_world(world, tmp_path / "counted"), as_of=clock_of(1))
    operations = [value for value in counted.trace if value in STORE]
    swap = operations.index("put_if")
    assert swap == len(operations) - 1, "what follows the swap can still fail"
    for n, operation in enumerate(operations):
        # A read that failed is one like another; done or not makes a difference for writes alone.
        if operation not in ("put", "put_many", "put_if") and (fault is fail_after or operations[n - 1] == operation):
            continue
        forget_cache(world)
        ended = build(world, as_of=clock_of(1), meets=Meets(operations=Nth(n, fault)))
        check_failure(ended, expected=("told to",))
        assert check_current(store_of(world)) == (2 if n == swap and fault is fail_after else 1)


@pytest.mark.long
def test_a_lost_reply_of_the_swap_is_found_out(world: Path, tmp_path: Path) -> None:
    counted = build(copy_world(world, tmp_path / "counted"), as_of=clock_of(1))
    swap = [value for value in counted.trace if value in STORE].index("put_if")
    ended = build(world, as_of=clock_of(1), meets=Meets(operations=Nth(swap, lose_reply)))
    assert (ended.code, ended.out[:20]) == (0, counted.out[:20]), ended.err
    assert check_current(store_of(world)) == 2
    assert len(check_listed(store_of(world))) == 2


class RefusingServer(ThreadingHTTPServer):
    """Answers every request with one status, as S3 words it."""

    daemon_threads = True

    def __init__(self, status: int, code: str) -> None:
        super().__init__(("127.0.0.1", 0), _Refuse)
        self.status, self.code, self.requests = status, code, 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Refuse(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: RefusingServer

    def log_message(self, *_: object) -> None:
        pass

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.requests += 1
        body = f"<Error><Code>{self.server.code}</Code><Message>not today</Message></Error>".encode()
        self.send_response(self.server.status)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_PUT = do_HEAD = do_DELETE = answer  # noqa: N815 - http.server's names


@pytest.fixture(params=[(403, "AccessDenied"), (503, "SlowDown")], ids=["403", "503"])
def refusing(request: pytest.FixtureRequest) -> Iterator[RefusingServer]:
    server = RefusingServer(*request.param)
    with run_server(server):
        yield server


@pytest.mark.long
@pytest.mark.parametrize("command", [("build",), ("releases", "list"), ("keys", "list")], ids=" ".join)
def test_an_s3_server_that_refuses_is_exit_1_with_its_code(
    command: tuple[str, ...], refusing: RefusingServer, world: Path
) -> None:
    environ = {**CREDENTIALS, "OUTINGS_STORE_URL": "s3://bucket/prefix", "OUTINGS_STORE_ENDPOINT_URL": refusing.url}
    ended = run(*command, "--json", config=world, meets=Meets(environ=environ))
    check_failure(ended, expected=("s3://bucket/prefix", refusing.code, "not today"))
    assert refusing.requests
    assert check_current(store_of(world)) == 1


def test_an_s3_server_that_is_not_there_is_exit_1_with_its_address(world: Path) -> None:
    environ = {
        **CREDENTIALS, "OUTINGS_STORE_URL": "s3://bucket/prefix", "OUTINGS_STORE_ENDPOINT_URL": "http://127.0.0.1:9"
    }  # fmt: skip
    ended = run("releases", "list", "--json", config=world, meets=Meets(environ=environ))
    check_failure(ended, expected=("s3://bucket/prefix", "http://127.0.0.1:9"))
