"""The world's listings into one SQLite file."""

import sqlite3
from pathlib import Path

import polars as pl

from bench.peers.world import (
    World,
    list_buckets,
    read_documents,
    read_listings,
    read_occurrences,
    read_organization_documents,
    read_organizations,
    read_texts,
)

_FOLDER = Path(__file__).parent


def write_sqlite(path: Path, world: World) -> None:
    connection = sqlite3.connect(path)
    connection.executescript((_FOLDER / "sqlite.sql").read_text())
    listings = read_listings(world)
    known = {row: rest for row, *rest in listings.select("row", "id", "type", "status").rows()}
    tables = {
        "documents": [(row, *known[row], body.decode()) for row, body in read_documents(world)],
        "listings": listings.select(
            "row", "id", "type", "is_listed", "updated_at", "starts_at", "is_recurring", _text("first_on"),
            _text("last_on"), "is_free", "categories", "age_low", "age_high", "organization", "x", "y", "z",
        ).rows(),
        "occurrences": read_occurrences(world).select(
            "row", _text("date"), "day", "block", "is_listed", "is_free", "categories", "age_low", "age_high",
            "age_bits", "price_bit", "organization",
        ).rows(),
        "organizations": _list_organizations(world),
        "buckets": [(bucket.dimension, bucket.position, bucket.value, bucket.bit) for bucket in list_buckets(world)],
    }  # fmt: skip
    for name, rows in tables.items():
        marks = ", ".join("?" * len(rows[0]))
        connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
    texts = read_texts(world).select("row", "text").rows()
    connection.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", texts)
    connection.execute("INSERT INTO words (words) VALUES ('optimize')")
    connection.executescript((_FOLDER / "sqlite_indexes.sql").read_text())
    connection.commit()
    connection.close()


def _text(column: str) -> pl.Expr:
    return pl.col(column).cast(pl.String)


def _list_organizations(world: World) -> list[tuple[int, str, str, str | None]]:
    bodies = {row_id: body.decode() for row_id, body in read_organization_documents(world).items()}
    rows = read_organizations(world).select("number", "id", "name").rows()
    return [(number, row_id, name, bodies.get(row_id)) for number, row_id, name in rows]
