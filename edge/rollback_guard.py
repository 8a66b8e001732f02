"""Protection against rollback attacks: a machine serves no release older than its last one, even if it is signed."""

import contextlib
from pathlib import Path

import msgspec
import structlog
from msgspec import Struct

from outings.release.disk import hold_lock, sync, write_named
from outings.release.pointer import Pointer

log = structlog.get_logger()

NAME = "served-release.json"


class _LastRelease(Struct, frozen=True):
    sequence: int
    root: str


class RollbackGuard:
    """Remembers the last served release in a file in the folder `state`, which this machine's workers share."""

    def __init__(self, state: Path) -> None:
        self._path = state / NAME

    def explain_rollback(self, pointer: Pointer) -> str | None:
        """Why the pointer's release may not follow the last served one, or None."""
        try:
            served = self._read()
        except (OSError, ValueError, RecursionError) as error:
            return f"{self._path}, which says what was served here before, can't be read ({error}); {self._advise()}"
        if served is None or pointer.sequence > served.sequence:
            return None
        if pointer.sequence < served.sequence:
            return f"release {served.sequence} was served here before; {self._advise()}"
        if pointer.root != served.root:
            return f"another release of its number was served here before; {self._advise()}"
        return None

    def _advise(self) -> str:
        return f"if you restored the store on purpose, delete {self._path}"

    def remember(self, pointer: Pointer) -> None:
        """Remembers the release, unless another worker has a newer one. If the file can't be written, it logs that."""
        try:
            with hold_lock(self._path.with_suffix(".lock")):
                if self.explain_rollback(pointer) is None:
                    following = self._path.with_suffix(".following")
                    write_named(following, msgspec.json.encode(_LastRelease(pointer.sequence, pointer.root)))
                    sync(following)
                    following.replace(self._path)
                    sync(self._path.parent)
        except OSError as error:
            log.warning("served_release_not_remembered", reason=str(error))

    def _read(self) -> _LastRelease | None:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            return msgspec.json.decode(self._path.read_bytes(), type=_LastRelease)
        return None
