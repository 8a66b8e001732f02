"""One search by this program beside one by an earlier program: `python -m bench.before_search CHECKOUT`.

CHECKOUT is as for `bench.before`, and so is what is measured: what processors took for an answer that nobody requested
before. The listings and the words are those of `bench.search`. An earlier program that knows no `match=auto` is sent
the same queries without it: what a search cost by default then, beside what it costs with `match=auto` now.
"""

import argparse
import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bench.before import Program, make_parser, measure_rounds, serve_both
from bench.load import make_request, measure_load
from bench.peers.__main__ import format_median, format_ratio, say
from bench.peers.units import Case, Unit
from bench.peers.world import MADE, METRO, World
from bench.search import COMMON, RARE, count_words, draw_queries, make_wordy_world, world_share, write_parameters

# More than a run of a minute sends.
_QUERIES = 20_000
_COLUMNS = ("Searches", "then", "now", "then ÷ now")
_AUTO = "match=auto"


def main(arguments: Sequence[str] | None = None) -> None:
    options = make_parser("bench.before_search", description=__doc__).parse_args(arguments)
    with contextlib.ExitStack() as running:
        folder = Path(options.keep or running.enter_context(tempfile.TemporaryDirectory(prefix="outings-bench-")))
        say(f"making {options.listings:,} listings, twice …")
        world = make_wordy_world(folder / "now", listings=options.listings)
        earlier = (str(options.checkout / ".venv/bin/outings"),)
        config = build_copy(folder / "before", world, earlier, cwd=options.checkout)
        programs = serve_both(running, config, earlier, cwd=options.checkout, now=world.config)
        matches = {name: ("", _AUTO if knows_auto(program) else "") for name, program in programs.items()}
        print(f"{options.listings:,} listings, {options.clients} clients, {os.cpu_count()} cores;")
        print(f"processor, µs an answer, medians of {options.rounds} rounds of {options.seconds} s\n")
        print(f"| {' | '.join(_COLUMNS)} |\n{'|---' * len(_COLUMNS)}|", flush=True)
        for title, units in list_units(world, matches):
            print_row(title, units, programs, options)


def build_copy(folder: Path, world: World, command: Sequence[str], *, cwd: Path) -> Path:
    """The configuration of a release that another program makes of the same listings, words and all."""
    config, made = folder / "outings.toml", folder / MADE
    if not made.exists():
        shutil.copytree(world.config.parent / "data", folder / "data", dirs_exist_ok=True)
        shutil.copy(world.config, config)
        words = [*command, "build", "-c", str(config.absolute())]
        made.write_bytes(subprocess.run(words, check=True, stdout=subprocess.PIPE, cwd=cwd).stdout)
    return config


def knows_auto(program: Program) -> bool:
    request = make_request(f"/v1/{METRO.slug}/search?q=music&{_AUTO}", headers=program.headers)
    try:
        measure_load(program.port, [request], clients=1, seconds=0.01)
    except RuntimeError:
        return False
    return True


def list_units(world: World, matches: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, Mapping[str, Unit]]]:
    """Return the requests for each program, each query once."""
    counts = count_words(world)
    for at, title in enumerate(("by default", f"`{_AUTO}`")):
        for seed, (name, span) in enumerate((("rare", RARE), ("common", COMMON))):
            queries = draw_queries(world_share(counts, *span), seed=2 * at + seed, count=_QUERIES)
            units = {name: make_unit(queries, sent[at]) for name, sent in matches.items()}
            yield f"{name} words, {title}", units


def make_unit(queries: Sequence[str], match: str) -> Unit:
    path = f"/v1/{METRO.slug}/search"
    targets = (f"{path}?{write_parameters(q, match)}" for q in queries)
    cases = tuple(Case(outings="", fastapi="", datasette=None, fresh=target) for target in targets)
    return Unit(name="search", shown="items", cases=cases, goal=None)


def print_row(
    title: str, units: Mapping[str, Unit], programs: Mapping[str, Program], options: argparse.Namespace
) -> None:
    costs = measure_rounds(units, programs, options)
    before, now = costs["before", False], costs["now", False]
    print(f"| {title} | {format_median(before)} | {format_median(now)} | {format_ratio(before, now)} |", flush=True)


if __name__ == "__main__":
    main()
