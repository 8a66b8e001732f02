"""A folder that a command fills and keeps in step with something else. It deletes only files that it wrote itself."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from outings.failures import WrongSetting


class KeptFolder:
    """A folder with a file `listing`, which names all other files that the command wrote there."""

    def __init__(self, folder: Path, *, listing: str) -> None:
        """Open the folder. Raises WrongSetting if it has files of others: a mistyped name must not mix them."""
        self.folder = folder
        self._listing = folder / listing
        try:
            self.names = frozenset(msgspec.json.decode(self._listing.read_bytes(), type=list[str]))
        except FileNotFoundError:
            if folder.is_dir() and any(folder.iterdir()):
                raise WrongSetting(f"{folder} has files that this command did not write; name another folder") from None
            self.names = frozenset()

    def begin(self, names: Iterable[str]) -> None:
        """Note the names before they are written: what a killed run wrote is known to the next one."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._write_list(self.names.union(names))

    def put(self, name: str, data: bytes) -> None:
        """Write a file that is whole at any moment, unless it has these bytes already."""
        path = self.folder / name
        if path.is_file() and path.read_bytes() == data:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        following = path.with_name(f".{path.name}.following")
        following.write_bytes(data)
        following.replace(path)

    def end(self, names: Iterable[str]) -> None:
        """Delete what was written and is not among the names, with the folders that are empty then."""
        kept = frozenset(names)
        for name in self.names - kept:
            path = self.folder / name
            path.unlink(missing_ok=True)
            for parent in path.relative_to(self.folder).parents:
                try:
                    (self.folder / parent).rmdir()
                except OSError:
                    break
        self._write_list(kept)

    def _write_list(self, names: frozenset[str]) -> None:
        self.put(self._listing.name, msgspec.json.encode(sorted(names)))
        self.names = names
