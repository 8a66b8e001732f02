"""Reads NDJSON: one record on each line. A line that cannot be read is one problem; the other lines are read."""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from pipeline.fetch.formats import RawRecord, Reader
from pipeline.fetch.text_files import mend_signs

# A record is some kilobytes; what is longer is a file without line ends, and is never held whole.
MAX_LINE_BYTES = 1 << 20
_SHOWN_BYTES = 200
_BOM = b"\xef\xbb\xbf"


def read_lines(path: Path) -> Iterator[RawRecord]:
    """Yield a raw record for each line that is not blank. Lines that are too long are not held in memory."""
    with path.open("rb") as file:
        for number, line in enumerate(_split_lines(file), start=1):
            if line := (line.removeprefix(_BOM) if number == 1 else line).strip():
                yield decode_record(line, line=number)


def decode_record(encoded: bytes, *, line: int) -> RawRecord:
    if len(encoded) > MAX_LINE_BYTES:
        reason = f"too_long: a line has at most {MAX_LINE_BYTES} bytes"
    else:
        try:
            return RawRecord(line, msgspec.json.decode(mend_signs(encoded)))
        except UnicodeDecodeError as error:
            reason = f"unreadable: not UTF-8 ({error.reason})"
        except RecursionError:
            reason = "unreadable: nested too deep"
        except msgspec.MsgspecError as error:
            reason = f"unreadable: {error}"
    return RawRecord(line, encoded[:_SHOWN_BYTES].decode("utf-8", errors="replace"), reason)


def _split_lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield lines with their line ends. A line that is too long is cut to one byte more than allowed."""
    while line := file.readline(MAX_LINE_BYTES + 2):
        rest = line
        while not rest.endswith(b"\n") and (rest := file.readline(MAX_LINE_BYTES)):
            line = line[: MAX_LINE_BYTES + 1]
        yield line


READER = Reader(read=lambda file, _: read_lines(file.path))
