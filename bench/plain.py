"""The floor of a build: a plain script that reads feeds with Polars and writes a file a listing with orjson.

`python -m bench.plain FOLDER FEED…`. No references, zones, series, defaults, tables, lists, versions or hashes, and
nothing is made durable: what is left is reading, encoding and writing.
"""

import sys
from pathlib import Path

import orjson
import polars as pl


def write_listings(feed: Path, folder: Path) -> int:
    """A folder for each first two characters of the numbers, as the store has it."""
    frame = pl.read_ndjson(feed, infer_schema_length=None)
    for number, row in enumerate(frame.iter_rows(named=True)):
        into = folder / f"{number % 256:02x}"
        if number < 256:
            into.mkdir(parents=True, exist_ok=True)
        (into / f"{number}.json").write_bytes(orjson.dumps(row))
    return frame.height


def main() -> None:
    folder, *feeds = map(Path, sys.argv[1:])
    print(sum(write_listings(feed, folder / feed.stem) for feed in feeds))


if __name__ == "__main__":
    main()
