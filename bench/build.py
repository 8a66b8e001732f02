"""Measure how long a build takes, by stage, and what it needs and writes: `python -m bench.build`.

Generated listings in two metros, each build in a process of its own: from nothing, without a change, and with one of a
hundred records changed; the latter two on the same `--as-of`, and with the date moved a day. Seconds are of this
machine and of whatever else it does: ratios travel, those of the processor's seconds above all.

Modules are compiled before anything is measured, as they are where a program is installed.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from bench.measuring import run_measured
from command.sample_cities import write_world

DAY = date(2026, 8, 10)
SHARE = 100
# Each with the days since the first, and which of a hundred records are changed before it.
BUILDS = (
    ("from nothing", 0, None),
    ("no change", 0, None),
    ("1 % changed", 0, 0),
    ("no change, a day later", 1, None),
    ("1 % changed, a day later", 2, 1),
)

Figures = dict[str, Any]


def measure_build(config: Path, *, workers: int | None, day: date) -> Figures:
    """Return what `--json` says, with the seconds and the memory of the whole command."""
    program = [sys.executable, "-m", "command"]
    command = [*program, "build", "-c", str(config), "--as-of", day.isoformat(), "--json"]
    took = run_measured(command if workers is None else [*command, "--workers", str(workers)])
    report = json.loads(took.out)
    return {**report, "took": took}


def change_feeds(config: Path, *, turn: int) -> None:
    """Every hundredth record of each feed gets another description; which of the hundred, `turn` says.

    A name would be another's change too: places and organizations are named in what is at them and of them.
    """
    for feed in list_feeds(config):
        changed = feed.with_suffix(".changed")
        with feed.open() as lines, changed.open("w") as written:
            for number, line in enumerate(lines):
                if number % SHARE == turn:
                    record = json.loads(line)
                    record["description"] = f"{record.get('description', '')} ({turn})"
                    line = json.dumps(record, separators=(",", ":")) + "\n"
                written.write(line)
        changed.replace(feed)


def list_feeds(config: Path) -> list[Path]:
    return sorted((config.parent / "data").glob("*.ndjson"))


def compile_modules() -> None:
    """Compile all modules that a build imports, by a build of few listings, and keep them whatever the environment
    says. Else each process would compile this program again, which is half a second of it."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory(prefix="outings-bench-") as folder:
        measure_build(write_world(Path(folder) / "outings.toml", today=DAY, size=10), workers=None, day=DAY)


def measure_builds(config: Path, *, workers: int | None, count: int) -> dict[str, Figures]:
    """The first so many; each goes on from the release of the one before."""
    measured = {}
    for name, days, turn in BUILDS[:count]:
        if turn is not None:
            change_feeds(config, turn=turn)
        measured[name] = measure_build(config, workers=workers, day=DAY + timedelta(days=days))
    return measured


def print_builds(measured: dict[str, Figures]) -> None:
    stages = [name for name in measured["from nothing"]["seconds"] if name != "all"]
    print(f"| Build | {' | '.join(stages)} | whole s | processor s | MB at most | objects | written | MB written |"
          " versions |")  # fmt: skip
    print("|---|" + "---|" * (len(stages) + 7))
    for name, value in measured.items():
        seconds = " | ".join(f"{value['seconds'][stage]:.2f}" for stage in stages)
        took, objects = value["took"], value["objects"]
        written = f"{objects['total']:,} | {objects['written']:,} | {objects['bytes_written'] / 1e6:,.1f}"
        print(f"| {name} | {seconds} | {took.seconds:.1f} | {took.processor:.1f} | {took.megabytes:,.0f} | {written} "
              f"| {sum(value['changes'].values()):,} |")  # fmt: skip


def print_ratios(measured: dict[str, Figures]) -> None:
    full, objects = measured["from nothing"]["took"], measured["from nothing"]["objects"]
    print()
    for name, item in list(measured.items())[1:]:
        share = 100 * item["objects"]["written"] / item["objects"]["total"]
        size = 100 * item["objects"]["bytes_written"] / objects["bytes_written"]
        took = item["took"]
        print(f"{name}: {took.seconds / full.seconds:.3f} of the time of from nothing, "
              f"{took.processor / full.processor:.3f} of the processor's; {share:.1f} % of the objects, "
              f"{size:.1f} % of the bytes")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--listings", type=int, nargs="+", default=[10_000, 100_000], help="in all, over two metros")
    parser.add_argument("--workers", type=int, help="if not given, as many as each build chooses")
    parser.add_argument("--builds", type=int, default=len(BUILDS), help="only the first so many of the builds")
    options = parser.parse_args()
    compile_modules()
    for size in options.listings:
        workers = "as many workers as chosen" if options.workers is None else f"{options.workers} workers"
        print(f"\n{size:,} listings, {workers}\n", flush=True)
        with tempfile.TemporaryDirectory(prefix="outings-bench-") as folder:
            config = write_world(Path(folder) / "outings.toml", today=DAY, size=size // 2)
            measured = measure_builds(config, workers=options.workers, count=options.builds)
        print_builds(measured)
        print_ratios(measured)
        sys.stdout.flush()


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as failed:
        sys.exit(f"{failed}\n{failed.output}")
