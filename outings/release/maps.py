"""Maps: files read where they lie, by slices. Their pages are the machine's, shared by all of its processes."""

from pathlib import Path

import pyarrow as pa


class Map:
    """A file, whole. It keeps no descriptor open, as Python's own maps do: a server has hundreds of them."""

    def __init__(self, path: Path) -> None:
        with pa.memory_map(str(path)) as file:
            self._view = memoryview(file.read_buffer())

    def __len__(self) -> int:
        return len(self._view)

    def __getitem__(self, at: slice, /) -> bytes:
        return self._view[at].tobytes()
