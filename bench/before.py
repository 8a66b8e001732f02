"""This program beside an earlier one: `python -m bench.before CHECKOUT`.

CHECKOUT is a folder with the earlier program and its own `.venv`. Each builds the same listings into a release of its
own and serves it by two workers; both are sent the requests of `bench.peers`, in rounds that take turns. Printed is the
processor's time for an answer, of a server's processes without the load's: from memory, and never requested before.
"""

import argparse
import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct

from bench.load import make_request, measure_load
from bench.measuring import read_processor
from bench.peers.__main__ import Servers, follow_list, format_median, format_ratio, say
from bench.peers.units import SETS, Unit, list_units
from bench.peers.world import METRO, World, make_world
from bench.servers import OUTINGS, Headers, ask, find_free_port, make_key, run_process
from command.sample_cities import write_world

_WORKERS = 2
_UNITS = ("detail", "list", "filtered", "walk", "sync", "facets4", "calendar31", "q", "nearby", "304")
_MEASURED = ("before", "now", "before ÷ now")
_COLUMNS = ("Unit", *(f"{kind}, {value}" for kind in ("cached", "computed") for value in _MEASURED))


class Program(Struct, frozen=True, kw_only=True):
    """A server of it that runs: `process` and those below it."""

    port: int
    process: int
    headers: Headers


# Of a unit, by program and by whether its answers are cached: µs of the processor for an answer, of each round.
Costs = Mapping[tuple[str, bool], Sequence[float]]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser("bench.before", description=__doc__)
    parser.add_argument("--units", type=lambda text: text.split(","), default=_UNITS, help="such as list,nearby")
    options = parser.parse_args(arguments)
    with contextlib.ExitStack() as running:
        folder = Path(options.keep or running.enter_context(tempfile.TemporaryDirectory(prefix="outings-bench-")))
        say(f"making {options.listings:,} listings, twice …")
        world = make_world(folder / "now", listings=options.listings)
        earlier = (str(options.checkout / ".venv/bin/outings"),)
        config = build_earlier(folder / "before", world, earlier, options)
        programs = serve_both(running, config, earlier, cwd=options.checkout, now=world.config)
        print(f"{options.listings:,} listings, {options.clients} clients, {os.cpu_count()} cores, {_WORKERS} workers;")
        print(f"processor, µs an answer, medians of {options.rounds} rounds of {options.seconds} s\n")
        print(f"| {' | '.join(_COLUMNS)} |\n{'|---' * len(_COLUMNS)}|", flush=True)
        for name in options.units:
            units = {version: list_unit(name, world, program) for version, program in programs.items()}
            print_row(units["now"].name, measure_rounds(units, programs, options))


def make_parser(module: str, *, description: str | None) -> argparse.ArgumentParser:
    """Return the parser of the options of a measurement beside an earlier program."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=description)
    parser.add_argument("checkout", type=Path, help="of the earlier program, with its .venv")
    parser.add_argument("--listings", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="of each round, program and kind")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--keep", help="a folder for both releases, used again by the next run of the same day")
    return parser


def build_earlier(folder: Path, world: World, command: Sequence[str], options: argparse.Namespace) -> Path:
    """The configuration of the earlier program, whose release is built where it is not there yet."""
    config, made = folder / "outings.toml", folder / "made.txt"
    if not made.exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_world(config, today=world.today, size=options.listings, metros=(METRO,))
        words = [*command, "build", "-c", str(config.absolute())]
        made.write_bytes(subprocess.run(words, check=True, stdout=subprocess.PIPE, cwd=options.checkout).stdout)
    return config


def serve_both(
    running: contextlib.ExitStack, config: Path, command: Sequence[str], *, cwd: Path, now: Path
) -> dict[str, Program]:
    """The earlier program, by its own configuration, and this one."""
    return {
        "before": running.enter_context(serve(config, command, cwd=cwd)),
        "now": running.enter_context(serve(now, OUTINGS)),
    }


@contextlib.contextmanager
def serve(config: Path, command: Sequence[str], *, cwd: Path | None = None) -> Iterator[Program]:
    port, file = find_free_port(), str(config.absolute())
    words = [*command, "serve", "-c", file, "--workers", str(_WORKERS), "--port", str(port)]
    headers = (("X-API-Key", make_key(config.absolute(), command=command, cwd=cwd)),)
    with run_process(words, port=port, cwd=cwd) as process:
        yield Program(port=port, process=process, headers=headers)


def list_unit(name: str, world: World, program: Program) -> Unit:
    """Return a unit's requests for one program, with cursors that this program sealed."""
    # As `bench.peers` has them.
    servers = Servers(ports={"outings": program.port}, processes={}, headers=program.headers)
    return list_units(world, partial(follow_list, servers))[name]()


def measure_rounds(units: Mapping[str, Unit], programs: Mapping[str, Program], options: argparse.Namespace) -> Costs:
    requests = {
        (name, is_cached): list_requests(units[name], program, is_cached=is_cached)
        for is_cached in (True, False)
        for name, program in programs.items()
    }
    chosen = {column: request for column, request in requests.items() if request}
    starts, costs = dict.fromkeys(chosen, 0), {column: list[float]() for column in chosen}
    # The first, short one warms up.
    for number in range(options.rounds + 1):
        for column, sent in chosen.items():
            program, unit = programs[column[0]], units[column[0]]
            spent = read_processor(program.process)
            load = measure_load(
                program.port,
                sent,
                clients=options.clients,
                seconds=options.seconds if number else min(0.5, options.seconds),
                start=starts[column],
                expected=(b"304",) if unit.not_modified else (b"200",),
            )
            starts[column] += load.answers
            if number:
                costs[column].append((read_processor(program.process) - spent) / load.answers * 1e6)
    return costs


def list_requests(unit: Unit, program: Program, *, is_cached: bool) -> Sequence[bytes]:
    headers = [*program.headers, ("Accept-Encoding", "identity")]
    if not is_cached:
        return [make_request(case.fresh, headers=headers) for case in unit.cases if case.fresh]
    targets = [case.outings for case in unit.cases[:SETS] if case.outings]
    if not unit.not_modified:
        return [make_request(target, headers=headers) for target in targets]
    tags = [("If-None-Match", ask(program.port, target, headers).get_header("etag")) for target in targets]
    return [make_request(target, headers=[*headers, tag]) for target, tag in zip(targets, tags, strict=True)]


def print_row(unit: str, costs: Costs) -> None:
    cells = [unit]
    for is_cached in (True, False):
        before, now = costs.get(("before", is_cached)), costs.get(("now", is_cached))
        cells += [format_median(before), format_median(now), format_ratio(before, now)]
    print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
