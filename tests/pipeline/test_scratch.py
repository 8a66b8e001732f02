"""Temporary files: a full disk is reported with its folder and room."""

import errno
from pathlib import Path
from tempfile import gettempdir

import pytest

from outings.release.folder import Disk, FolderStore
from pipeline.scratch import naming_folder


class FullDisk(Disk):
    def write_file(self, path: Path, data: bytes) -> None:
        Path("/dev/full").write_bytes(data)


def test_a_full_disk_is_reported_with_its_folder_and_its_room() -> None:
    with (
        pytest.raises(OSError, match=r"No space left.*: [\d,]+ of [\d,]+ bytes are free in .*TMPDIR") as full,
        naming_folder(),
    ):
        Path("/dev/full").write_bytes(b"x")
    assert (full.value.errno, full.value.filename) == (errno.ENOSPC, gettempdir())


def test_so_is_one_that_a_store_of_temporary_files_fills(tmp_path: Path) -> None:
    store = FolderStore(tmp_path, disk=FullDisk())
    with pytest.raises(OSError, match=r"[\d,]+ of [\d,]+ bytes are free in .*TMPDIR"), naming_folder():
        store.put_many([("a", b"x")])
