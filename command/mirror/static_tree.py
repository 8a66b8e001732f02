"""Keep a folder equal to a static tree. Nobody vouches for the host: names, sizes and hashes are checked."""

import fcntl
import os
import ssl
import time
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from hashlib import file_digest, sha256
from io import BufferedRandom, BytesIO
from pathlib import Path
from typing import Annotated, BinaryIO
from uuid import uuid4

import httpx2
import msgspec
from msgspec import Meta, Struct

from command.mirror.client import MirrorError
from outings.contract.static_files import INDEX, SIGNATURE, SUMS, is_tree_name
from outings.failures import GuardRefusal
from outings.release.store import Corrupt
from outings.release.trust import STATIC_FILES, Trust

# The empty file by which a folder is known as a copy, and which is locked while it is written.
MARK = ".outings-mirror"
# Tries while the tree is being written. The waits between them double from one second.
ATTEMPTS = 5
MOST_LIST_BYTES, MOST_TREE_BYTES = 256 * 2**20, 20 * 2**30
_CONNECTIONS = 8
_PIECE_BYTES = 65_536


class ListedFile(Struct, frozen=True):
    """A file as the tree's index describes it."""

    size: Annotated[int, Meta(ge=0)]
    sha256: str


class TreeIndex(Struct, frozen=True):
    """The members of `v1/index.json` that a copy needs. `files`: all files but the index and what signs it."""

    release: Annotated[str, Meta(pattern=r"\A[0-9a-f-]{1,80}\Z")]
    built_at: Annotated[str, Meta(pattern=r"\A[0-9TZ:.+-]{1,40}\Z")]
    files: dict[str, ListedFile]


class CopyResult(Struct, frozen=True, kw_only=True):
    """A summary of one update of a copy. `signer`: the name of the key that signed the tree, if one was given."""

    index: TreeIndex
    signer: str | None
    downloaded: int
    deleted: int


class StaticHost:
    """The host of a tree. Thread-safe. Calls raise MirrorError, also for an answer of more than `most` bytes."""

    def __init__(self, url: str) -> None:
        if not url.startswith(("http://", "https://")):
            raise MirrorError(f"--static {url!r}: expected an address with http:// or https://")
        self._url = url
        self._client = httpx2.Client(timeout=60.0, trust_env=False, verify=ssl.create_default_context())

    def download(self, name: str, file: BinaryIO, *, most: int) -> bool:
        """Write the file's bytes, unpacked. Return False if the host has no such file."""
        try:
            with self._client.stream("GET", f"{self._url}/{name}", headers={"Accept-Encoding": "gzip"}) as reply:
                if reply.status_code == 404:
                    return False
                if reply.status_code != 200:
                    raise MirrorError(f"{self._url}/{name}: the answer's status is {reply.status_code}")
                size = 0
                for piece in _unpack(reply):
                    size += len(piece)
                    if size > most:
                        raise MirrorError(f"{self._url}/{name}: more than the {most:,} bytes that it may have")
                    file.write(piece)
        except (httpx2.HTTPError, zlib.error) as error:
            raise MirrorError(f"{self._url}/{name}: {error!r}") from None
        return True

    def read(self, name: str) -> bytes | None:
        """Return the bytes of a list, or None if the host has no such file."""
        data = BytesIO()
        return data.getvalue() if self.download(name, data, most=MOST_LIST_BYTES) else None

    def close(self) -> None:
        self._client.close()


def _unpack(reply: httpx2.Response) -> Iterator[bytes]:
    """Yield the body in small pieces, however much a piece of gzip unpacks to."""
    if reply.headers.get("content-encoding") != "gzip":
        yield from reply.iter_raw(_PIECE_BYTES)
        return
    unpacking = zlib.decompressobj(wbits=31)
    for packed in reply.iter_raw(_PIECE_BYTES):
        if unpacking.eof:  # what follows would fill memory, as it is never a part of the file
            return
        while packed:
            yield unpacking.decompress(packed, _PIECE_BYTES)
            packed = unpacking.unconsumed_tail


def copy_tree(url: str, folder: Path, *, trust: Trust, wait: Callable[[float], None] = time.sleep) -> CopyResult:
    """Make the folder equal to the tree at `url`: its index is written last, and what the tree does not have is deleted
    then. `trust`: the keys of which one must have signed the tree, or none.

    Raises MirrorError and Corrupt if the tree can't be read as its index says, also after a while, and GuardRefusal for
    a tree or folder that isn't safe.
    """
    with _own_folder(folder), closing(StaticHost(url)) as host:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return _copy_once(host, folder, trust)
            except OSError as error:
                raise GuardRefusal(f"{error.filename or folder}: {error.strerror}") from None
            except (MirrorError, Corrupt):  # maybe the tree is being written
                if attempt == ATTEMPTS:
                    raise
                wait(2.0 ** (attempt - 1))
    raise AssertionError("the last attempt returns or raises")


def _copy_once(host: StaticHost, folder: Path, trust: Trust) -> CopyResult:
    index, lists, signer = _read_lists(host, trust)
    _check_index(index)
    before = _list_folder(folder)

    def bring(name: str) -> bool:
        return _bring(host, folder, name, index.files[name])

    pool = ThreadPoolExecutor(_CONNECTIONS)
    try:
        downloaded = sum(pool.map(bring, index.files))
    finally:
        pool.shutdown(cancel_futures=True)
    for name, data in lists.items():
        with _replace_file(folder, name) as file:
            file.write(data)
    gone = before - index.files.keys() - lists.keys() - {MARK}
    for name in gone:
        (folder / name).unlink()
        with suppress(OSError):  # a folder that is not empty
            os.removedirs((folder / name).parent)
    return CopyResult(index=index, signer=signer, downloaded=downloaded, deleted=len(gone))


def _read_lists(host: StaticHost, trust: Trust) -> tuple[TreeIndex, dict[str, bytes], str | None]:
    """Return the index, the bytes of all lists in the order in which they are to be written, and the key's name."""
    read = {name: host.read(name) for name in (SUMS, SIGNATURE, INDEX)}
    lists = {name: data for name, data in read.items() if data is not None}
    sums, data = lists.get(SUMS, b""), lists.get(INDEX)
    signature = b64encode(lists[SIGNATURE]).decode() if SIGNATURE in lists else None
    signer = trust.find_signer(sums, signature, named=SUMS, purpose=STATIC_FILES)
    if data is None:
        raise MirrorError(f"there is no {INDEX}: is this the address of a static tree, without /v1?")
    if signer is not None and f"{sha256(data).hexdigest()}  {INDEX}\n".encode() not in sums.splitlines(keepends=True):
        raise MirrorError(f"{INDEX} is not the one that key {signer.name} signed")
    try:
        return msgspec.json.decode(data, type=TreeIndex), lists, None if signer is None else signer.name
    except msgspec.DecodeError as error:
        raise MirrorError(f"{INDEX}: {error}") from None


def _check_index(index: TreeIndex) -> None:
    for name in index.files:
        if not is_tree_name(name) or name in (INDEX, SUMS, SIGNATURE):
            raise GuardRefusal(f"{INDEX} lists {name!r}, which no static tree has; nothing was written")
    size = sum(file.size for file in index.files.values())
    if size > MOST_TREE_BYTES:
        raise GuardRefusal(
            f"{INDEX} lists {size:,} bytes, and at most {MOST_TREE_BYTES:,} are copied; nothing was written"
        )


def _bring(host: StaticHost, folder: Path, name: str, listed: ListedFile) -> bool:
    """Download a file unless the folder has it already. Return True if it was downloaded."""
    with suppress(FileNotFoundError), (folder / name).open("rb") as file:
        if os.fstat(file.fileno()).st_size == listed.size and file_digest(file, "sha256").hexdigest() == listed.sha256:
            return False
    with _replace_file(folder, name) as file:
        is_there = host.download(name, file, most=listed.size)
        file.seek(0)
        if not is_there or file_digest(file, "sha256").hexdigest() != listed.sha256:
            raise MirrorError(f"{name}: not the bytes that {INDEX} lists; the tree is being written, or was damaged")
    return True


@contextmanager
def _replace_file(folder: Path, name: str) -> Iterator[BufferedRandom]:
    """Open a temporary file that takes the place of `name` when it is complete."""
    path, temporary = folder / name, folder / f".writing-{uuid4().hex}"
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with temporary.open("xb+") as file:
            yield file
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _list_folder(folder: Path) -> set[str]:
    """Return the names of all files in the folder. Raises GuardRefusal for anything else in it, such as a link."""
    names = set[str]()
    for root, folders, files in os.walk(folder):
        for path in (Path(root, name) for name in (*folders, *files)):
            if path.is_symlink() or not (path.is_dir() or path.is_file()):
                raise GuardRefusal(f"{path} is a link or no file: a copy has none; remove it. Nothing was written")
        names |= {Path(root, name).relative_to(folder).as_posix() for name in files}
    return names


@contextmanager
def _own_folder(folder: Path) -> Iterator[None]:
    """Lock the folder of a copy. Raises GuardRefusal if it has other files, or somebody else has locked it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / MARK).exists() and any(folder.iterdir()):
            raise GuardRefusal(
                f"{folder} is not empty and no copy: what the tree does not have would be deleted from it. "
                f"Name another folder, or make an empty file {MARK} in this one"
            )
        handle = os.open(folder / MARK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    except OSError as error:
        raise GuardRefusal(f"{folder}: {error.strerror}") from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise GuardRefusal(f"{folder}: another `outings mirror` writes it; nothing was done") from None
        yield
    finally:
        os.close(handle)
