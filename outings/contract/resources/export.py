"""A file of the export: every published row of a type in a metro, in one format."""

from typing import Annotated

from msgspec import Meta, Struct

from outings.contract.resources.words import ListingType

# Format → the file's media type.
EXPORT_TYPES = {
    "jsonl": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
    "ics": "text/calendar; charset=utf-8",
}

ExportFormat = Annotated[str, Meta(extra_json_schema={"enum": list(EXPORT_TYPES)})]
Sha256 = Annotated[str, Meta(extra_json_schema={"pattern": "^[0-9a-f]{64}$"})]


class ExportLinks(Struct, frozen=True, kw_only=True):
    self: str


class ExportFile(Struct, frozen=True, kw_only=True):
    """`size` in bytes and `sha256` of the file itself, whatever coding it travels in. `rows_hash`: the sum modulo 2^256
    of the SHA-256 of each row's `<id> <updated_at>`, equal for whoever has the same rows."""

    type: ListingType
    format: ExportFormat
    content_type: str
    rows: int
    size: int
    sha256: Sha256
    rows_hash: Sha256
    links: ExportLinks


# What their members mean, where outings/contract/meanings/everywhere.py does not say it.
MEANINGS = {
    "ExportFile.content_type": "The media type of the file.",
    "ExportFile.format": "The format of the file.",
    "ExportFile.rows": "How many rows the file has.",
    "ExportFile.rows_hash": "Equal for whoever has the same rows: the sum modulo 2^256 of the SHA-256 of each row's "
    "`<id> <updated_at>`.",
    "ExportFile.sha256": "The SHA-256 of the file, whatever coding it travels in.",
    "ExportFile.size": "The size of the file in bytes.",
    "ExportLinks.self": "The file.",
}
