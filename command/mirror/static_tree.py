"""Keep a local copy of a static tree. Only files whose hash differs are fetched, and the tree's key must have signed
all."""

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import msgspec
from msgspec import Struct

from command.kept_folder import KeptFolder
from command.mirror.client import ApiClient, HttpResponse, MirrorError
from outings.contract.static_files import INDEX, SIGNATURE, SUMS
from outings.failures import GuardRefusal
from outings.release.store import hash_of
from outings.release.trust import STATIC_FILES, Trust, UntrustedRelease

# The names of what `outings mirror` wrote into a folder.
LIST = ".outings-mirror.json"
# Tries where the tree is being written meanwhile; the waits between them double from a second.
ATTEMPTS = 6
# Of the files of a copy, the share that may leave it at once.
MOST_LEAVING = 0.5
_CONNECTIONS = 8
_REPORTED = 500
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")

Tell = Callable[[str], None]


class TreeSums(Struct, frozen=True, kw_only=True):
    """The hashes of a tree's files by name, signed by its publisher, and `files`: the bytes of the sums and their
    signature."""

    hashes: Mapping[str, str]
    signer: str
    files: Mapping[str, bytes]


class IndexHead(Struct, frozen=True):
    """The release of a tree, as its index states it."""

    release: str
    built_at: str


class CopyResult(Struct, frozen=True, kw_only=True):
    """A summary of one update of a copy."""

    head: IndexHead
    signer: str
    files: int
    downloaded: int
    deleted: int


def read_folder(folder: Path, target: str) -> HttpResponse:
    """Answer as a plain server of the folder would."""
    try:
        return HttpResponse(status=200, headers={}, data=(folder / target.removeprefix("/")).read_bytes())
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return HttpResponse(status=404, headers={}, data=b"")


def copy_tree(client: ApiClient, folder: KeptFolder, *, trust: Trust, allow_shrink: bool, tell: Tell) -> CopyResult:
    """Bring the folder up to date. A killed copy has whole files only, and the next call completes it.

    Raises MirrorError where the tree is not there, not the key's, older than the copy, or does not come to rest, and
    GuardRefusal where more than half of the files would leave.
    """
    wrong: list[str] = []
    for attempt in range(ATTEMPTS):
        if attempt:
            tell(f"{wrong[0]}: perhaps the tree is being written; trying again")
            client.wait(2.0 ** (attempt - 1))
        tree = read_sums(client, trust=trust)
        index = client.fetch(f"/{INDEX}")
        wrong = [_find_fault(client, tree, INDEX, index)]
        if wrong[0]:
            continue
        head = _check_age(client, folder, index.data)
        changed = [name for name in tree.hashes if name != INDEX and not _has(folder.folder, tree, name)]
        leaving = folder.names - tree.hashes.keys() - tree.files.keys()
        if not allow_shrink and len(leaving) > MOST_LEAVING * len(folder.names):
            raise GuardRefusal(
                f"{client.url}: {len(leaving):,} of the {len(folder.names):,} files in {folder.folder} would leave, "
                "which is more than half; nothing was changed. If they are really gone, add --allow-shrink"
            )
        names = [*tree.hashes, *tree.files]
        folder.begin(names)
        wrong = _download(client, folder, tree, changed, tell=tell)
        if not wrong:
            for name, data in ((INDEX, index.data), *tree.files.items()):
                folder.put(name, data)
            folder.end(names)
            return CopyResult(
                head=head, signer=tree.signer, files=len(names), downloaded=len(changed), deleted=len(leaving)
            )
    raise MirrorError(
        f"{wrong[0]}. {len(wrong):,} such files were left after {ATTEMPTS} tries: the tree is being written, a cache "
        "before it has old files, or somebody changed it. Try again in some minutes"
    )


def find_differences(client: ApiClient, folder: Path, *, trust: Trust) -> tuple[TreeSums, list[str]]:
    """Return what the tree's publisher has signed, and how the folder differs from it: a line for each file."""
    tree = read_sums(client, trust=trust)
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    missing = [name for name in tree.hashes if name not in there and not _is_for_host(name)]
    changed = [name for name in tree.hashes if name in there and not _has(folder, tree, name)]
    changed += [name for name, data in tree.files.items() if name in there and (folder / name).read_bytes() != data]
    foreign = sorted(there - tree.hashes.keys() - tree.files.keys() - {LIST})
    lines = [f"{name}: missing" for name in missing] + [f"{name}: not the file of the tree" for name in changed]
    return tree, lines + [f"{name}: the tree has no such file" for name in foreign]


def read_head(index: bytes, *, named: str) -> IndexHead:
    """Parse the head of an index. Raises MirrorError."""
    try:
        return msgspec.json.decode(index, type=IndexHead)
    except msgspec.DecodeError as error:
        raise MirrorError(f"{named}: {error}") from None


def read_sums(client: ApiClient, *, trust: Trust) -> TreeSums:
    """Return the hashes, once their signature is that of a key that is believed. Raises MirrorError.

    The two files are not replaced at once, so others than before are read again.
    """
    named = f"{client.url}/{SUMS}"
    before: Mapping[str, bytes] = {}
    for attempt in range(ATTEMPTS):
        files = {name: _fetch_signed(client, name) for name in (SUMS, SIGNATURE)}
        try:
            signature = b64encode(files[SIGNATURE]).decode()
            signer = trust.find_signer(files[SUMS], signature, named=named, purpose=STATIC_FILES)
        except UntrustedRelease as error:
            if files == before or attempt == ATTEMPTS - 1:
                raise MirrorError(f"{error}. Nothing was taken from there: ask its publisher for the key") from None
            before = files
            client.wait(2.0**attempt)
            continue
        lines = files[SUMS].decode().splitlines()
        hashes = dict(_parse_line(line, where=f"{named}, line {n}") for n, line in enumerate(lines, start=1))
        return TreeSums(hashes=hashes, signer="" if signer is None else signer.name, files=files)
    raise AssertionError("the last attempt returns or raises")


def _parse_line(line: str, *, where: str) -> tuple[str, str]:
    match = _LINE.fullmatch(line)
    if match is None or not {"", ".", ".."}.isdisjoint(match[2].split("/")) or match[2] == LIST:
        raise MirrorError(f"{where}: {line!r} is not a hash and the name of a file in the tree")
    return match[2], match[1]


def _fetch_signed(client: ApiClient, name: str) -> bytes:
    reply = client.fetch(f"/{name}")
    if reply.status != 200:
        raise MirrorError(
            f"{client.url}/{name}: status {reply.status}. A tree has this file beside `v1` where its publisher has "
            "[signing]; give the address that is before /v1"
        )
    return reply.data


def _check_age(client: ApiClient, folder: KeptFolder, index: bytes) -> IndexHead:
    """Return the head of the tree's index. Raises MirrorError if the folder's own index is of a later build."""
    head, own = read_head(index, named=f"{client.url}/{INDEX}"), folder.folder / INDEX
    if own.is_file() and (here := read_head(own.read_bytes(), named=str(own))).built_at > head.built_at:
        raise MirrorError(
            f"{client.url}: its release {head.release} is of {head.built_at}, and {folder.folder} has the later "
            f"{here.release} of {here.built_at}; nothing was changed. To take the older one, delete {own}"
        )
    return head


def _has(folder: Path, tree: TreeSums, name: str) -> bool:
    path = folder / name
    return path.is_file() and hash_of(path.read_bytes()) == tree.hashes[name]


def _download(client: ApiClient, folder: KeptFolder, tree: TreeSums, names: list[str], *, tell: Tell) -> list[str]:
    """Return what is wrong, a line for each file that is not in the folder now."""
    wrong = []
    with ThreadPoolExecutor(_CONNECTIONS) as pool:
        for done, fault in enumerate(pool.map(partial(_take, client, folder, tree), names), start=1):
            wrong += [fault] if fault else []
            if done % _REPORTED == 0 or done == len(names):
                tell(f"{done:,} of {len(names):,} files read")
    return wrong


def _take(client: ApiClient, folder: KeptFolder, tree: TreeSums, name: str) -> str:
    reply = client.fetch(f"/{name}")
    if reply.status == 404 and _is_for_host(name):
        return ""
    fault = _find_fault(client, tree, name, reply)
    if not fault:
        folder.put(name, reply.data)
    return fault


def _find_fault(client: ApiClient, tree: TreeSums, name: str, reply: HttpResponse) -> str:
    expected = tree.hashes.get(name, "nothing of it")
    if reply.status == 200 and hash_of(reply.data) == expected:
        return ""
    answer = f"SHA-256 {hash_of(reply.data)}" if reply.status == 200 else f"status {reply.status}"
    return f"{client.url}/{name}: {answer}, while {SUMS} has {expected}"


def _is_for_host(name: str) -> bool:
    """Return True for files such as `_headers`, which some hosts read themselves and show to nobody."""
    return "/" not in name and name[0] in "._"
