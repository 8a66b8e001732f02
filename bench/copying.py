"""Copy listings into PostgreSQL: COPY, then the indexes that reading needs. Run as `python -m bench.copying DSN FEED…`.

The records as they came, with the columns that lists are cut and ordered by: no zones, series, references or versions.
"""

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import orjson

SCHEMA = """
CREATE TABLE listings (
    metro text NOT NULL, type text NOT NULL, source_id text NOT NULL, name text NOT NULL, starts_local text,
    is_free boolean, categories text[], lat float8, lng float8, document jsonb NOT NULL
)
"""
INDEXES = """
CREATE UNIQUE INDEX ON listings (metro, type, source_id);
CREATE INDEX ON listings (metro, type, starts_local, source_id);
CREATE INDEX ON listings USING gin (categories);
CREATE INDEX ON listings USING gist (point(lng, lat)) WHERE lat IS NOT NULL;
CREATE INDEX ON listings USING gin (to_tsvector('english', name || ' ' || coalesce(document ->> 'description', '')));
ANALYZE listings;
"""

Row = tuple[str, str, str, str, str | None, bool | None, list[str], float | None, float | None, str]


def read_rows(feed: Path) -> Iterator[Row]:
    with feed.open("rb") as lines:
        for line in lines:
            record = orjson.loads(line)
            location, price = record.get("location") or {}, record.get("price") or {}
            yield (
                feed.stem, record["type"], record["source_id"], record["name"], record.get("starts_local"),
                price.get("type") == "free" if price else None, record.get("categories") or [],
                location.get("lat"), location.get("lng"), line.decode(),
            )  # fmt: skip


async def copy_feeds(dsn: str, feeds: list[Path]) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(SCHEMA)
        for feed in feeds:
            await connection.copy_records_to_table("listings", records=read_rows(feed))
        await connection.execute(INDEXES)
    finally:
        await connection.close()


if __name__ == "__main__":
    asyncio.run(copy_feeds(sys.argv[1], [Path(name) for name in sys.argv[2:]]))
