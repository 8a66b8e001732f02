"""Measure how large a static tree is, by kind, and what it takes to publish: `python -m bench.static_tree 1000 10000`.

One sample city for each number of listings, in a folder. `--builds` measures builds with and without the tree instead:
from nothing, without a change, with one of a hundred records changed, and a day later.
"""

import argparse
import gzip
import tempfile
from collections import Counter
from datetime import date, timedelta
from pathlib import Path
from time import process_time

from bench.build import change_feeds, measure_build
from command.sample_cities import write_world
from command.sample_cities.geography import METROS
from outings.configuration import read_configuration
from outings.configuration.tables import StaticTable
from outings.contract.static_files import INDEX
from outings.release.store import open_store
from pipeline.publish.static import publishing
from pipeline.publish.static.hosts import FolderHost
from pipeline.publish.static.publishing import publish_static

DAY = date(2026, 11, 26)


def classify(name: str) -> str:
    """The kind of a file, by its name."""
    folders, _, last = name.rpartition("/")
    if not name.startswith("v1/"):
        return folders.partition("/")[0] or "other"
    second = name.split("/")[1]
    if second in ("events", "classes", "camps", "places", "organizations"):
        if "/slug/" in name:
            return "details by slug"
        return "details by id" if name.count("/") == 2 else "lists of places and organizations"
    if second.startswith("changes"):
        return "changes"
    if "/export" in name:
        return "exports"
    if name.endswith(".ics"):
        return "calendar files"
    for kind in ("age", "category", "neighborhood", "free"):
        if f"&{kind}=" in f"&{last}":
            return f"lists by {kind}"
    if "from=" in last and "calendar" not in name:
        return "lists by day"
    return "default lists and overviews"


def measure_tree(config: Path, *, day: date) -> None:
    configuration = read_configuration(config, {})
    store = open_store(configuration.store.url)
    public = config.parent / "public"

    def publish() -> tuple[float, publishing.StaticResult]:
        begin = process_time()
        done = publish_static(
            store, StaticTable(url=f"file:{public}"), host=FolderHost(public), read_date=lambda _: day,
            cache=configuration.edge.cache, allow_shrink=True,
        )  # fmt: skip
        assert done is not None
        return process_time() - begin, done

    first, done = publish()
    again, _ = publish()
    files: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    packed = 0
    for path in public.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            kind = classify(str(path.relative_to(public)))
            files[kind] += 1
            sizes[kind] += len(data)
            packed += len(gzip.compress(data, 6))
    print(f"  {done.files:,} files, {done.size / 1e6:.1f} MB, {packed / 1e6:.1f} MB gzip; "
          f"index {(public / INDEX).stat().st_size / 1e6:.2f} MB; "
          f"publishing {first:.1f} s, unchanged {again:.1f} s of processor time")  # fmt: skip
    for kind, size in sizes.most_common():
        print(f"    {kind:36} {files[kind]:7,} files {size / 1e6:8.1f} MB")
    for reason in done.left_out:
        print("    left out:", reason)


def measure_builds(size: int) -> None:
    for name, table in (("without a tree", ""), ("with a tree", '[static]\nurl = "file:public"\n')):
        with tempfile.TemporaryDirectory(prefix="outings-bench-") as folder:
            config = write_world(Path(folder) / "outings.toml", today=DAY, size=size, metros=METROS[:1])
            config.write_text(config.read_text() + table)
            for step, turn, days in (
                ("from nothing", None, 0),
                ("no change", None, 0),
                ("1 %", 0, 0),
                ("a day", None, 1),
            ):
                if turn is not None:
                    change_feeds(config, turn=turn)
                took = measure_build(config, workers=1, day=DAY + timedelta(days=days))["took"]
                print(f"{size:,} listings, {name}, {step}: {took.processor:.1f} s of processor time", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="+", type=int)
    parser.add_argument("--builds", action="store_true")
    arguments = parser.parse_args()
    for size in arguments.sizes:
        if arguments.builds:
            measure_builds(size)
            continue
        with tempfile.TemporaryDirectory(prefix="outings-bench-") as folder:
            config = write_world(Path(folder) / "outings.toml", today=DAY, size=size, metros=METROS[:1])
            measure_build(config, workers=1, day=DAY)
            print(f"{size:,} listings")
            measure_tree(config, day=DAY)


if __name__ == "__main__":
    main()
