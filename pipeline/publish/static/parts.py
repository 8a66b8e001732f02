"""The parts of a static tree, as they are made and as they are known. A part whose inputs did not move is not made
again.

While a tree is made, only hashes of its files are in memory, since it may be larger than memory. Changed bytes are in a
temporary file.
"""

from collections.abc import Callable, Iterable, Mapping, Set
from tempfile import TemporaryFile
from typing import IO, Self, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from outings.release.store import hash_of
from pipeline.publish.static.hosts import DETAILS, Host, HostFile
from pipeline.scratch import naming_folder

_TAG_DIGITS = 20
# The tag of a part that may not be what its inputs make: it is made again.
_NO_TAG = ""


class StaticRequest(Struct, frozen=True):
    """A canonical request without its page, and the files of its pages in order."""

    request: str
    files: tuple[str, ...]


class LeftOut(Struct, frozen=True):
    """A request or kind without files, and the reason."""

    reason: str


class Part(Struct, frozen=True, kw_only=True):
    """Files that are made of the same inputs, or a group of smaller parts.

    Attributes:
        name: differs from those of the other parts of its group.
        inputs: all that the files depend on, but this program. None for a part that is made again each time.
        make: yields the files, the requests that they answer, what is left out, and smaller parts. Not called if the
            tree has the part as these inputs make it.
        renew: changes the bytes of the part's only file, if the part is not made again.
    """

    name: str
    inputs: object
    make: "Callable[[], Iterable[Item]]"
    renew: Callable[[bytes], bytes] | None = None


Item: TypeAlias = HostFile | StaticRequest | LeftOut | Part


class MadeFile(Struct, frozen=True, gc=False):
    """A file of a tree. `sha256` is empty while the file is being written or deleted."""

    size: int
    sha256: str


class MadePart(Struct, frozen=True, array_like=True):
    """A part as it was made. `tag`: a hash of its inputs and the program."""

    tag: str = _NO_TAG
    files: dict[str, MadeFile] = {}
    requests: tuple[StaticRequest, ...] = ()
    left_out: tuple[str, ...] = ()
    parts: dict[str, "MadePart"] = {}

    def list_parts(self) -> "list[MadePart]":
        """Return this part and all in it."""
        found = [self]
        for part in found:
            found += part.parts.values()
        return found

    def list_files(self) -> dict[str, MadeFile]:
        files: dict[str, MadeFile] = {}
        for part in self.list_parts():
            files |= part.files
        return files

    def list_requests(self) -> list[StaticRequest]:
        return [request for part in self.list_parts() for request in part.requests]

    def forget(self, names: Set[str], *, before: "MadePart | None" = None) -> "MadePart":
        """Return the part without the hashes of these files, so that all that has one of them is made again. Nothing
        that is the same as `before` has one."""
        if self is before or not names:
            return self
        former = {} if before is None else before.parts
        parts = {name: part.forget(names, before=former.get(name)) for name, part in self.parts.items()}
        if names.isdisjoint(self.files) and all(part is self.parts[name] for name, part in parts.items()):
            return self
        files = {name: replace(file, sha256="") if name in names else file for name, file in self.files.items()}
        return replace(self, tag=_NO_TAG, files=files, parts=parts)


class StaticManifest(Struct, frozen=True, kw_only=True):
    """A tree as the store knows it. `indexes`: hashes that the index may have, by which the tree is recognized
    wherever it is. `leaving`: files that the tree may have, which are no part of it."""

    indexes: tuple[str, ...] = ()
    tree: MadePart = MadePart()
    leaving: tuple[str, ...] = ()

    def list_hashes(self) -> dict[str, str]:
        """Return the hash of each file that the tree may have, empty if it is not known."""
        files = {name: file.sha256 for name, file in self.tree.list_files().items()}
        return {**dict.fromkeys(self.leaving, ""), **files}


class _Spooled(Struct, frozen=True):
    """A file without its bytes, and where these are."""

    file: HostFile
    offset: int
    size: int


class Maker:
    """Makes the parts of a tree, and has the bytes of the files that the tree does not have yet."""

    def __init__(self, hashes: Mapping[str, str], *, host: Host, program: str, most: int) -> None:
        """`hashes`: those of the tree's files; `most`: how many files may answer requests."""
        self._hashes, self._host, self._program, self._most = hashes, host, program, most
        self._answering: set[str] = set()
        self._spool: IO[bytes] = TemporaryFile()  # noqa: SIM115 - closed by __exit__
        self.changed: dict[str, _Spooled] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._spool.close()

    def make(self, part: Part, before: MadePart | None) -> MadePart | None:
        """Return the part as it is now; None if with it too many files would answer requests."""
        added = set[str]()
        made = self._make(part, before or MadePart(), added)
        if made is not None:
            self._answering |= added
        return made

    def _make(self, part: Part, before: MadePart, added: set[str]) -> MadePart | None:
        """Return the part as it is now, and add the files that answer requests to `added`."""
        tag = _NO_TAG if part.inputs is None else self._tag(part.inputs)
        if before.tag == tag != _NO_TAG:
            kept = before if part.renew is None else self._renew(before, part.renew)
            if kept is not None:
                return kept if self._has_room(kept.list_requests(), added) else None
        files, requests, left_out, parts = dict[str, MadeFile](), list[StaticRequest](), list[str](), {}
        for item in part.make():
            match item:
                case HostFile():
                    files[item.name] = self._add(item)
                case StaticRequest():
                    requests.append(item)
                    if not self._has_room([item], added):
                        return None
                case LeftOut():
                    left_out.append(item.reason)
                case Part():
                    made = self._make(item, before.parts.get(item.name) or MadePart(), added)
                    if made is None:
                        return None
                    parts[item.name] = made
        return MadePart(tag, files, tuple(requests), tuple(left_out), parts)

    def _has_room(self, requests: Iterable[StaticRequest], added: set[str]) -> bool:
        """Add the requests' files to `added`. Return False if they are too many."""
        added.update(name for request in requests for name in request.files if name not in self._answering)
        return not added or len(self._answering) + len(added) <= self._most

    def _tag(self, inputs: object) -> str:
        return hash_of(msgspec.json.encode((self._program, inputs), order="sorted"))[:_TAG_DIGITS]

    def _renew(self, before: MadePart, renew: Callable[[bytes], bytes]) -> MadePart | None:
        """Return the part with its file renewed; None if the tree lacks the file as it was made."""
        ((name, file),) = before.files.items()
        data = self._host.read(name)
        if data is None or hash_of(data) != file.sha256:
            return None
        return replace(before, files={name: self._add(HostFile(name, renew(data), step=DETAILS))})

    def _add(self, file: HostFile) -> MadeFile:
        """Spool a file's bytes unless the tree has them."""
        made = MadeFile(len(file.data), hash_of(file.data))
        if made.sha256 != self._hashes.get(file.name):
            offset = self._spool.seek(0, 2)
            with naming_folder():
                self._spool.write(file.data)
            self.changed[file.name] = _Spooled(replace(file, data=b""), offset, made.size)
        return made

    def read(self, name: str) -> HostFile:
        """Return a changed file with its bytes."""
        spooled = self.changed[name]
        self._spool.seek(spooled.offset)
        return replace(spooled.file, data=self._spool.read(spooled.size))
