"""NDJSON by lines: what is wrong in one stays in one."""

import resource
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.fetch.ndjson import MAX_LINE_BYTES, read_lines

GOOD = b'{"a": 1}'


def write(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "feed.ndjson"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"\n\n", []),
        (GOOD, [1]),
        (GOOD + b"\n", [1]),
        (GOOD + b"\r\n" + GOOD, [1, 2]),
        (b"\n  \n\t" + GOOD + b" \n\n" + GOOD, [3, 5]),
        (b"\xef\xbb\xbf" + GOOD + b"\n" + GOOD, [1, 2]),
        (b"\xef\xbb\xbf\n" + GOOD, [2]),
    ],
)
def test_lines_are_numbered_as_an_editor_does_and_blank_ones_are_no_records(
    tmp_path: Path, content: bytes, lines: list[int]
) -> None:
    read = list(read_lines(write(tmp_path, content)))
    assert [(raw.line, raw.value, raw.reason) for raw in read] == [(line, {"a": 1}, None) for line in lines]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (rb"cut \ud83d", "cut \ufffd"),
        (rb"\uDC00 cut", "\ufffd cut"),
        (rb"\ud83d\ud83d\ude00", "\ufffd😀"),
        (rb"whole \ud83d\ude00", "whole 😀"),
        (rb"C:\\ud83d", "C:\\ud83d"),
        (rb"\\\ud83d\"", '\\\ufffd"'),
    ],
)
def test_half_a_sign_costs_that_sign(tmp_path: Path, text: bytes, read: str) -> None:
    (raw,) = read_lines(write(tmp_path, b'{"a": "' + text + b'"}'))
    assert (raw.value, raw.reason) == ({"a": read}, None)


@pytest.mark.parametrize(
    ("line", "reason", "value"),
    [
        (b'{"a": 1', "unreadable: Input data was truncated", '{"a": 1'),
        (b'{"a": 1} x', "unreadable: JSON is malformed: trailing characters (byte 10)", '{"a": 1} x'),
        (b'{"a": NaN}', "unreadable: JSON is malformed: invalid character (byte 6)", '{"a": NaN}'),
        (b'{"a": 1e999}', "unreadable: Number out of range - at `$[...]`", '{"a": 1e999}'),
        (b'{"a": "\xff"}', "unreadable: not UTF-8 (invalid start byte)", '{"a": "\ufffd"}'),
        (b"[" * 100_000, "unreadable: nested too deep", "[" * 200),
        (b'"' + b"x" * MAX_LINE_BYTES + b'"', f"too_long: a line has at most {MAX_LINE_BYTES} bytes", '"' + "x" * 199),
    ],
)
def test_a_line_that_can_not_be_read_is_named_and_the_next_is_read(
    tmp_path: Path, line: bytes, reason: str, value: str
) -> None:
    bad, good = read_lines(write(tmp_path, line + b"\n" + GOOD + b"\n"))
    assert bad[:3] == (1, value, reason)
    assert good[:3] == (2, {"a": 1}, None)


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""])
def test_a_line_of_the_greatest_length_is_read(tmp_path: Path, end: bytes) -> None:
    line = b'"' + b"x" * (MAX_LINE_BYTES - 2) + b'"'
    (raw,) = read_lines(write(tmp_path, line + end))
    assert (len(str(raw.value)), raw.reason) == (MAX_LINE_BYTES - 2, None)


def test_a_long_line_takes_no_more_memory_than_a_line_may(tmp_path: Path) -> None:
    path = tmp_path / "feed.ndjson"
    with path.open("wb") as file:
        file.seek(256 << 20)  # a hole: no disk is used
        file.write(b"\n" + GOOD)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    long, good = read_lines(path)
    assert (long.line, good.line, good.value) == (1, 2, {"a": 1})
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024  # kilobytes


@given(st.binary(max_size=200))
def test_any_bytes_are_read_and_lines_are_counted_as_they_are_numbered(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = write(tmp_path_factory.mktemp("fuzz"), content)
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    expected = [number for number, line in enumerate(lines, start=1) if line.strip()]
    assert [raw.line for raw in read_lines(path)] == expected
