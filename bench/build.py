"""How long a build takes, by stage, and what it needs: `python -m bench.build`.

Generated listings in two metros, each build in a process of its own: from nothing, then again without a change (the
same `--as-of`). Seconds are of this machine; the ratio of the second to the first is what travels.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path

from outings.demo import write_world

DAY = date(2026, 8, 10)
STAGES = ("plan", "feeds", "metros", "publish", "all")


def measure_build(config: Path, *, workers: int) -> dict[str, float]:
    """Seconds by stage as the build reports them, objects written, and the largest process's memory in MB."""
    command = [sys.executable, "-m", "outings.command", "build", "-c", str(config), "--as-of", DAY.isoformat()]
    done = subprocess.run(
        [*command, "--workers", str(workers), "--json"], check=True, capture_output=True, text=True
    )
    report = json.loads(done.stdout)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    stages = {stage: report["seconds"].get(stage, 0.0) for stage in STAGES}
    return {**stages, "written": report["objects"]["written"], "megabytes": peak}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--listings", type=int, nargs="+", default=[10_000, 100_000], help="in all, over two metros")
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    stages = " | ".join(f"{stage} s" for stage in STAGES)
    print(f"| Listings | Build | {stages} | Objects written | Peak MB a process |")
    print("|---|---|" + "---|" * (len(STAGES) + 2))
    for size in asked.listings:
        with tempfile.TemporaryDirectory(prefix="outings-bench-") as folder:
            config = write_world(Path(folder) / "outings.toml", today=DAY, size=size // 2)
            first = measure_build(config, workers=asked.workers)
            again = measure_build(config, workers=asked.workers)
        for name, measured in (("from nothing", first), ("no change", again)):
            cells = " | ".join(f"{measured[stage]:.2f}" for stage in STAGES)
            print(f"| {size:,} | {name} | {cells} | {measured['written']:,.0f} | {measured['megabytes']:.0f} |")
        print(f"\nno change / from nothing at {size:,}: {again['all'] / first['all']:.4f}\n", flush=True)


if __name__ == "__main__":
    main()
