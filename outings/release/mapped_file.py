"""Memory-mapped files, read by slices. All processes of the machine share their pages."""

from pathlib import Path


class MappedFile:
    """A whole file in memory. It stays what it was at `path` when it was opened, whatever has that name later.

    Unlike Python's `mmap` it keeps no descriptor open: a server maps hundreds of files.
    """

    def __init__(self, path: Path) -> None:
        # Here, because manifests name this type, and a build that finds no change imports no engine.
        import pyarrow as pa

        self.path = path
        with pa.memory_map(str(path)) as file:
            self._view = memoryview(file.read_buffer())

    @property
    def view(self) -> memoryview:
        """All of it, where it lies."""
        return self._view

    def __len__(self) -> int:
        return len(self._view)

    def __getitem__(self, at: slice, /) -> bytes:
        return self._view[at].tobytes()
