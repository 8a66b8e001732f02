"""Measure a build of very many listings or metros: `python -m bench.scale --metros 200 --listings 2000`.

Made-up metros of equal size, built from nothing, without a change, with one row changed in one metro, and a day later.
Of each build the processor's seconds and memory of all processes, and the objects that it wrote; of the store its
objects by kind.
"""

import argparse
import tempfile
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import msgspec

from bench.build import DAY, Figures, compile_modules, list_feeds, measure_build
from command.sample_cities import write_world
from command.sample_cities.geography import METROS, DemoMetro

MAX_BYTES = 4_000_000_000
HEADS = {b"PAR1": "Parquet", b"\x1f\x8b\x08\x08": "gzip", b"\x1f\x8b\x08\x00": "gzip", b"ARRO": "mapped"}


def make_metros(count: int) -> Sequence[DemoMetro]:
    """The two sample cities in turns, each with a name of its own."""
    return [
        msgspec.structs.replace(metro, slug=f"{metro.slug}-{number}", name=f"{metro.name} {number}", alias=f"m{number}")
        for number in range(count)
        for metro in [METROS[number % len(METROS)]]
    ]


def allow_large_feeds(config: Path) -> None:
    text = config.read_text()
    config.write_text(text.replace('format = "ndjson"', f'format = "ndjson"\nmax_bytes = {MAX_BYTES}'))


def change_one_row(config: Path) -> None:
    feed = list_feeds(config)[0]
    lines = feed.read_bytes().splitlines(keepends=True)
    record = msgspec.json.decode(lines[-1])
    lines[-1] = msgspec.json.encode({**record, "description": "Changed"}) + b"\n"
    feed.write_bytes(b"".join(lines))


def print_build(name: str, figures: Figures, *, listings: int) -> None:
    took, objects = figures["took"], figures["objects"]
    written = f"{objects['total']:,} | {objects['written']:,} | {objects['bytes_written'] / 1e6:,.1f}"
    microseconds = 1e6 * took.processor / listings
    print(f"| {name} | {took.processor:,.1f} | {microseconds:,.0f} | {took.megabytes:,.0f} | {written} |", flush=True)


def print_folder(folder: Path, *, listings: int) -> None:
    """Print a folder's files by kind, which the first bytes of each tell."""
    counts: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for path in (path for path in folder.rglob("*") if path.is_file()):
        with path.open("rb") as file:
            head = file.read(4)
        kind = HEADS.get(head, "JSON" if head[:1] in (b"{", b"[") else "other")
        counts[kind] += 1
        sizes[kind] += path.stat().st_size
    print(f"\n{folder.name}: {counts.total():,} files, {sizes.total() / 1e6:,.1f} MB; of a listing "
          f"{counts.total() / listings:.3f} files and {sizes.total() / listings:,.0f} bytes")  # fmt: skip
    for kind, count in counts.most_common():
        print(f"  {kind}: {count:,} files, {sizes[kind] / 1e6:,.1f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--metros", type=int, default=200)
    parser.add_argument("--listings", type=int, default=2_000, help="of each metro")
    parser.add_argument("--workers", type=int, help="if not given, as many as each build chooses")
    parser.add_argument("--static", action="store_true", help="publish static files, too")
    options = parser.parse_args()
    compile_modules()
    listings = options.metros * options.listings
    with tempfile.TemporaryDirectory(prefix="outings-bench-") as folder:
        config, metros = Path(folder) / "outings.toml", make_metros(options.metros)
        write_world(config, today=DAY, size=options.listings, metros=metros, has_static=options.static)
        allow_large_feeds(config)
        feeds = sum(feed.stat().st_size for feed in list_feeds(config))
        print(f"{options.metros:,} metros of {options.listings:,} listings, feeds of {feeds / 1e6:,.1f} MB\n")
        print("| Build | processor s | µs a listing | MB at most | objects | written | MB written |")
        print("|---|---|---|---|---|---|---|", flush=True)
        for name in ("from nothing", "no change", "one row changed", "a day later"):
            if name == "one row changed":
                change_one_row(config)
            day = DAY + timedelta(days=name == "a day later")
            print_build(name, measure_build(config, workers=options.workers, day=day), listings=listings)
        for part in (config.parent / "var/store", config.parent / "var/public"):
            if part.exists():
                print_folder(part, listings=listings)


if __name__ == "__main__":
    main()
