"""Temporary files: a full disk is reported with its folder and room."""

import errno
from pathlib import Path
from tempfile import gettempdir

import pytest

from pipeline.scratch import naming_folder


def test_a_full_disk_is_reported_with_its_folder_and_its_room() -> None:
    with (
        pytest.raises(OSError, match=r"No space left.*: [\d,]+ of [\d,]+ bytes are free in .*TMPDIR") as full,
        naming_folder(),
    ):
        Path("/dev/full").write_bytes(b"x")
    assert (full.value.errno, full.value.filename) == (errno.ENOSPC, gettempdir())
