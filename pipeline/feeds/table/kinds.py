"""What kind of file a table is: by its first bytes where these say it, else by the ending of its name."""

import zipfile
from pathlib import Path, PurePosixPath

from pipeline.feeds.markup import HEAD, refuse_markup

ENDINGS = {
    ".csv": "csv", ".tsv": "csv", ".txt": "csv", ".json": "json", ".ndjson": "ndjson", ".jsonl": "ndjson",
    ".geojson": "geojson", ".parquet": "parquet", ".xlsx": "sheets", ".xlsm": "sheets", ".xls": "sheets",
    ".ods": "sheets", ".sqlite": "sqlite", ".sqlite3": "sqlite", ".db": "sqlite", ".zip": "zip", ".gz": "gzip",
}  # fmt: skip
_MAGIC = (
    (b"PAR1", "parquet"),
    (b"SQLite format 3\0", "sqlite"),
    (b"\x1f\x8b", "gzip"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "sheets"),
)
_NAMES = {
    "parquet": "Parquet", "sqlite": "SQLite", "gzip": "gzip", "zip": "ZIP", "sheets": "a spreadsheet",
}  # fmt: skip


def find_kind(path: Path, name: str) -> str:
    """One of the values of `ENDINGS`. ValueError for what is no table, with what it is instead."""
    with path.open("rb") as file:
        head = file.read(HEAD)
    ending = PurePosixPath(name).suffix.lower()
    kind = ENDINGS.get(ending)
    match = next((each for magic, each in _MAGIC if head.startswith(magic)), None) or _look_into_zip(path, head)
    if match is not None:
        return match
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"%PDF"):
        raise ValueError("is a PDF, which is not a table; ask its publisher for the data as CSV or a spreadsheet")
    refuse_markup(head)
    if kind in _NAMES:
        raise ValueError(
            f"is not a table: it is named {ending} but is not {_NAMES[kind]}, or is cut off; fetch it again, "
            "or give it the ending of what it is"
        )
    if kind is None and ending and ending[1:].isalpha() and not _looks_like_text(head):
        raise ValueError(f"is not a table; allowed endings: {', '.join(ENDINGS)}")
    if kind is None:
        return "json" if start[:1] in (b"{", b"[") else "csv"
    return kind


def _look_into_zip(path: Path, head: bytes) -> str | None:
    """A spreadsheet of today is a ZIP of its own kind."""
    if not head.startswith(b"PK\x03\x04"):
        return None
    try:
        with zipfile.ZipFile(path) as packed:
            names = set(packed.namelist())
    except (zipfile.BadZipFile, OSError):
        raise ValueError("is a ZIP (or a spreadsheet) that is cut off or damaged; fetch it again") from None
    return "sheets" if names & {"xl/workbook.xml", "xl/workbook.bin", "content.xml"} else "zip"


def _looks_like_text(head: bytes) -> bool:
    return b"\0" not in head and sum(byte < 32 and byte not in b"\t\r\n\f" for byte in head) == 0
