"""This program beside an earlier one: `python -m bench.before CHECKOUT`.

CHECKOUT is a folder with the earlier program and its own `.venv`. Each builds the same listings into a release of its
own and serves it by two workers; both are sent the requests of `bench.peers`, in rounds that take turns. Printed is the
processor's time for an answer, of a server's processes without the load's: from memory, and never requested before.
`bench.mix --before CHECKOUT` does so for a load as it is.
"""

import argparse
import contextlib
import os
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from bench.peers.units import Unit, list_units
from bench.peers.world import World, make_world
from bench.rounds import (
    WORKERS,
    Column,
    Program,
    Round,
    Server,
    build_earlier,
    find_earlier,
    follow_list,
    format_median,
    format_ratio,
    list_fresh,
    list_repeated,
    measure_rounds,
    say,
    serve,
)

_UNITS = ("detail", "list", "filtered", "walk", "sync", "facets4", "calendar31", "q", "nearby", "304")
_MEASURED = ("before", "now", "before ÷ now")
_COLUMNS = ("Unit", *(f"{kind}, {value}" for kind in ("cached", "computed") for value in _MEASURED))


def main(arguments: Sequence[str] | None = None) -> None:
    options = read_arguments(arguments)
    with contextlib.ExitStack() as running:
        folder = Path(options.keep or running.enter_context(tempfile.TemporaryDirectory(prefix="outings-bench-")))
        say(f"making {options.listings:,} listings, twice …")
        world, earlier = make_world(folder / "now", listings=options.listings), find_earlier(options.checkout)
        config = build_earlier(folder / "before", earlier, listings=options.listings, today=world.today)
        servers = {
            "before": running.enter_context(serve(config, earlier)),
            "now": running.enter_context(serve(world.config, Program())),
        }
        print(f"{options.listings:,} listings, {options.clients} clients, {os.cpu_count()} cores, {WORKERS} workers;")
        print(f"processor, µs an answer, medians of {options.rounds} rounds of {options.seconds} s\n")
        print(f"| {' | '.join(_COLUMNS)} |\n{'|---' * len(_COLUMNS)}|", flush=True)
        for name in options.units:
            # Cursors are those that each program sealed.
            units = {version: list_unit(name, world, server) for version, server in servers.items()}
            measured = measure_rounds(
                list_columns(units, servers),
                rounds=options.rounds,
                seconds=options.seconds,
                clients=options.clients,
                not_modified=units["now"].not_modified,
            )
            print_row(units["now"].name, measured)


def read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.before", description=__doc__)
    parser.add_argument("checkout", type=Path, help="of the earlier program, with its .venv")
    parser.add_argument("--listings", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="of each round, program and kind")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--units", type=lambda text: text.split(","), default=_UNITS, help="such as list,nearby")
    parser.add_argument("--keep", help="a folder for both releases, used again by the next run of the same day")
    return parser.parse_args(arguments)


def list_unit(name: str, world: World, server: Server) -> Unit:
    return list_units(world, partial(follow_list, server))[name]()


def list_columns(units: Mapping[str, Unit], servers: Mapping[str, Server]) -> dict[tuple[str, str], Column]:
    """(version, cached or computed) → its requests; left out where a unit has none."""
    columns: dict[tuple[str, str], Column] = {}
    for version, server in servers.items():
        unit = units[version]
        columns[version, "cached"] = (server, list_repeated(unit.cases, server, not_modified=unit.not_modified))
        columns[version, "computed"] = (server, list_fresh(unit.cases, server))
    return {name: column for name, column in columns.items() if column[1]}


def print_row(unit: str, measured: Mapping[tuple[str, str], Sequence[Round]]) -> None:
    cells = [unit]
    for kind in ("cached", "computed"):
        before, now = (
            [entry.processor for entry in measured.get((version, kind), ())] for version in ("before", "now")
        )
        cells += [format_median(before), format_median(now), format_ratio(before, now)]
    print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
