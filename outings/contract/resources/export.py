"""A file of the export: every published row of a type in a metro, in one format."""

from typing import Annotated

from msgspec import Meta, Struct

from outings.contract.resources.words import ListingType, means, one_of

# Format → the file's media type.
EXPORT_TYPES = {
    "jsonl": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
    "ics": "text/calendar; charset=utf-8",
}

ExportFormat = Annotated[str, one_of(*EXPORT_TYPES)]
Sha256 = Annotated[str, Meta(extra_json_schema={"pattern": "^[0-9a-f]{64}$"})]


class ExportLinks(Struct, frozen=True, kw_only=True):
    self: Annotated[str, means("The file.")]


class ExportFile(Struct, frozen=True, kw_only=True):
    """`size` in bytes and `sha256` of the file itself, whatever coding it travels in. `rows_hash`: the sum modulo 2^256
    of the SHA-256 of each row's `<id> <updated_at>`, equal for whoever has the same rows."""

    type: ListingType
    format: Annotated[ExportFormat, means("The format of the file.")]
    content_type: Annotated[str, means("The media type of the file.")]
    rows: Annotated[int, means("How many rows the file has.")]
    size: Annotated[int, means("The size of the file in bytes.")]
    sha256: Annotated[Sha256, means("The SHA-256 of the file, whatever coding it travels in.")]
    rows_hash: Annotated[
        Sha256,
        means(
            "Equal for whoever has the same rows: the sum modulo 2^256 of the SHA-256 of each row's `<id> "
            "<updated_at>`."
        ),
    ]
    links: ExportLinks
