"""Reads NDJSON: one record on each line. A line that cannot be read is one problem; the other lines are read."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from pipeline.feeds.reader import RawRecord, Reader

# A record is some kilobytes; what is longer is a file without line ends, and is never held whole.
MAX_LINE_BYTES = 1 << 20
_SHOWN_BYTES = 200
_MOST_DEPTH = 100
_HALF = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_ESCAPES = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|" + _HALF.pattern + rb"|\\.", re.DOTALL
)
_BOM = b"\xef\xbb\xbf"


def read_lines(path: Path) -> Iterator[RawRecord]:
    """Each line that is not blank. Memory is bounded by a line's cap."""
    for raw in list_lines(path):
        yield raw if raw.encoded is None else decode_record(raw.encoded, line=raw.line)


def list_lines(path: Path, *, lines_before: int = 0) -> Iterator[RawRecord]:
    """Each line that is not blank, not decoded yet; one over the cap is no record. Numbered from `lines_before` + 1."""
    with path.open("rb") as file:
        for number, line in enumerate(_split_lines(file), start=lines_before + 1):
            if number == lines_before + 1:
                line = line.removeprefix(_BOM)
            if line := line.strip():
                is_long = len(line) > MAX_LINE_BYTES
                yield decode_record(line, line=number) if is_long else RawRecord(number, None, encoded=line)


def count_lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in _split_lines(file))


def decode_record(encoded: bytes, *, line: int) -> RawRecord:
    if len(encoded) > MAX_LINE_BYTES:
        return RawRecord(line, _show(encoded), f"too_long: a line has at most {MAX_LINE_BYTES} bytes")
    try:
        return RawRecord(line, msgspec.json.decode(mend_signs(encoded)))
    except UnicodeDecodeError as error:
        return RawRecord(line, _show(encoded), f"unreadable: not UTF-8 ({error.reason})")
    except RecursionError:
        return RawRecord(line, _show(encoded), "unreadable: nested too deep")
    except msgspec.MsgspecError as error:
        return RawRecord(line, _show(encoded), f"unreadable: {error}")


def mend_signs(content: bytes) -> bytes:
    """JSON with U+FFFD where half of a surrogate pair stands (`"\\ud83d"`), as programs leave it that cut a text within
    a sign: no reader of JSON takes it, and it would cost what is round it."""
    if _HALF.search(content) is None:
        return content
    return _ESCAPES.sub(lambda match: b"\\ufffd" if _HALF.fullmatch(match[0]) else match[0], content)


def mend_json(content: str | bytes) -> bytes:
    """As readers of JSON take it, of what programs get wrong: line ends within texts, numbers that are none (null),
    halves of surrogate pairs. ValueError, RecursionError."""
    value = json.loads(content, strict=False, parse_constant=lambda _: None)
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def is_deep(value: Any) -> bool:
    """Whether so many objects and lists stand one within the other that nothing meant it."""
    level = [value]
    for _ in range(_MOST_DEPTH):
        level = [
            inner
            for each in level
            for inner in (each.values() if isinstance(each, dict) else each if isinstance(each, list) else ())
        ]
        if not level:
            return False
    return True


def _split_lines(file: BinaryIO) -> Iterator[bytes]:
    """With their ends; of one over the cap, its first bytes, one more than the cap."""
    while line := file.readline(MAX_LINE_BYTES + 2):
        rest = line
        while not rest.endswith(b"\n") and (rest := file.readline(MAX_LINE_BYTES)):
            line = line[: MAX_LINE_BYTES + 1]
        yield line


def _show(encoded: bytes) -> str:
    return encoded[:_SHOWN_BYTES].decode("utf-8", errors="replace")


READER = Reader(
    read_file=lambda file, _, lines_before: list_lines(file.path, lines_before=lines_before), count_lines=count_lines
)
