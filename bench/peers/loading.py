"""The world's listings into PostgreSQL."""

import asyncio
from pathlib import Path
from uuid import UUID

import asyncpg

from bench.near import load_near
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
_LISTING = (
    "row", "id", "type", "status", "audience", "confidence", "updated_at", "starts_at", "is_recurring", "first_on",
    "last_on", "is_free", "is_indoor", "is_listed", "categories", "age_low", "age_high", "organization", "x", "y", "z",
)  # fmt: skip
_OCCURRENCE = (
    "row", "date", "day", "block", "is_listed", "is_free", "categories", "age_low", "age_high", "price_bit",
)  # fmt: skip


def load_postgresql(dsn: str, world: World) -> None:
    asyncio.run(_load(dsn, world))


async def _load(dsn: str, world: World) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute((_FOLDER / "schema.sql").read_text())
        await _load_documents(connection, world)
        await _load_listings(connection, world)
        await _load_organizations(connection, world)
        rows = read_occurrences(world).select(_OCCURRENCE).rows()
        await connection.copy_records_to_table("occurrences", records=rows, columns=_OCCURRENCE)
        buckets = [(bucket.dimension, bucket.position, bucket.value, bucket.bit) for bucket in list_buckets(world)]
        await connection.copy_records_to_table("buckets", records=buckets)
        await connection.execute((_FOLDER / "indexes.sql").read_text())
        await load_near(connection, world)
        # Index-only scans need it.
        await connection.execute("VACUUM (FREEZE)")
    finally:
        await connection.close()


async def _load_documents(connection: "asyncpg.Connection[asyncpg.Record]", world: World) -> None:
    rows = read_listings(world).select("row", "id", "type", "status").rows()
    known = {row: (UUID(row_id), kind, status) for row, row_id, kind, status in rows}
    documents = list(read_documents(world))
    await connection.copy_records_to_table("documents", records=((row, *known[row], body) for row, body in documents))
    await connection.copy_records_to_table("members", records=((row, body.decode()) for row, body in documents if body))


async def _load_listings(connection: "asyncpg.Connection[asyncpg.Record]", world: World) -> None:
    frame = read_listings(world)
    at = _LISTING.index("id")
    rows = [(*row[:at], UUID(row[at]), *row[at + 1 :]) for row in frame.select(_LISTING).rows()]
    await connection.copy_records_to_table("listings", records=rows, columns=_LISTING)
    await connection.execute("CREATE TEMPORARY TABLE facts (row integer, lat float8, lng float8, text text)")
    facts = frame.select("row", "lat", "lng").join(read_texts(world), on="row", how="left").rows()
    await connection.copy_records_to_table("facts", records=facts)
    # One write of the table: an UPDATE would leave it with holes.
    await connection.execute(
        f"""CREATE TEMPORARY TABLE loaded AS SELECT {", ".join(f"l.{name}" for name in _LISTING)},
        CASE WHEN f.lat IS NULL THEN NULL ELSE point(f.lng, f.lat) END AS spot, to_tsvector('english', f.text) AS words
        FROM listings l JOIN facts f USING (row) ORDER BY l.row;
        TRUNCATE listings;
        INSERT INTO listings ({", ".join(_LISTING)}, spot, words) SELECT * FROM loaded;
        DROP TABLE loaded; DROP TABLE facts;"""
    )


async def _load_organizations(connection: "asyncpg.Connection[asyncpg.Record]", world: World) -> None:
    bodies = read_organization_documents(world)
    rows = read_organizations(world).select("number", "id", "name").rows()
    await connection.copy_records_to_table(
        "organizations", records=[(number, UUID(row_id), name, bodies.get(row_id)) for number, row_id, name in rows]
    )
