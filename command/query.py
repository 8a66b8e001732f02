"""`outings query`: run a SELECT over the tables of a release, and print the result in one of several formats."""

import csv
import io
import os
import resource
import sys
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Timer
from typing import BinaryIO

import click
import pyarrow.parquet as pq
from duckdb import DuckDBPyRelation
from msgspec.structs import replace

from command.options import DayType, open_config_store, read_config, take_config, take_json
from command.releases import find_release
from outings.answers.sql_views import MEMORY, SECONDS, MetroTables, ViewDatabase
from outings.configuration import Configuration, read_zone
from outings.contract.values import CONTROL_CHARACTERS
from outings.release.cache import fetch_object
from outings.release.pointer import list_releases
from outings.release.root import ListedRelease, has_ended
from outings.release.snapshot import Release, open_release
from outings.release.store import Store
from outings.release.trust import Trust, read_auditor
from outings.sql_quoting import quote

PARQUET = ".parquet"
_ROWS_AT_ONCE = 2_000
# Formats of times, where DuckDB's own differ from ours.
_TIMES = {"TIMESTAMP WITH TIME ZONE": "%Y-%m-%dT%H:%M:%SZ", "TIMESTAMP": "%Y-%m-%dT%H:%M:%S"}
# Characters of a cell in the format `table`. Other formats cut nothing.
_WIDEST = 60
_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL", "U")


def write_table(relation: DuckDBPyRelation, out: BinaryIO) -> None:
    """Write the result as columns of equal width for a terminal, numbers at the right."""
    titles = [_show(name) for name in relation.columns]
    rows = [[_show(text) for text in row] for row in _fetch_texts(relation)]
    widths = [max(map(_measure, column)) for column in zip(titles, *rows, strict=True)]
    is_number = [str(kind).startswith(_NUMBERS) for kind in relation.types]
    for line in (titles, ["-" * width for width in widths], *rows):
        cells = []
        for text, width, at_right in zip(line, widths, is_number, strict=True):
            blanks = " " * (width - _measure(text))
            cells.append(blanks + text if at_right else text + blanks)
        out.write(f"{'  '.join(cells).rstrip()}\n".encode())


def write_csv(relation: DuckDBPyRelation, out: BinaryIO) -> None:
    """Write the result as CSV. Null and an empty text are both empty."""
    text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text)
    writer.writerow(relation.columns)
    writer.writerows(_fetch_texts(relation))
    text.detach()


def write_json(relation: DuckDBPyRelation, out: BinaryIO) -> None:
    """Write one line of JSON: an object whose `rows` lists an object for each row."""
    spelled = (
        f"{_spell_time(at, str(kind)) or f'#{at}'} AS {quote(name)}"
        for at, (name, kind) in enumerate(zip(relation.columns, relation.types, strict=True), start=1)
    )
    rows = relation.project(", ".join(spelled)).query("result", "SELECT to_json(result)::VARCHAR FROM result")
    out.write(b'{"rows":[')
    for number, (row,) in enumerate(_fetch(rows)):
        out.write(b"," * (number > 0) + str(row).encode())
    out.write(b"]}\n")


def write_parquet(relation: DuckDBPyRelation, out: BinaryIO) -> None:
    pq.write_table(relation.to_arrow_table(), out, compression="zstd")


FORMATS: Mapping[str, Callable[[DuckDBPyRelation, BinaryIO], None]] = {
    "table": write_table, "csv": write_csv, "json": write_json, "parquet": write_parquet,
}  # fmt: skip


def _fetch_texts(relation: DuckDBPyRelation) -> Iterator[Sequence[str | None]]:
    """Yield the rows of the result as texts. The values of a list are separated by semicolons."""
    spelled = [
        f"list_aggregate(#{at}, 'string_agg', ';')"
        if str(kind) == "VARCHAR[]"
        else _spell_time(at, str(kind)) or f"CAST(#{at} AS VARCHAR)"
        for at, kind in enumerate(relation.types, start=1)
    ]
    return _fetch(relation.project(", ".join(spelled)))


def _fetch(relation: DuckDBPyRelation) -> Iterator[Sequence[str | None]]:
    while rows := relation.fetchmany(_ROWS_AT_ONCE):
        yield from rows


def _spell_time(at: int, kind: str) -> str | None:
    """Return SQL that formats a column of times, or None if the column has another type."""
    return f"strftime(#{at}, '{_TIMES[kind]}')" if kind in _TIMES else None


def _show(text: str | None) -> str:
    """Return the text on one line, shortened, without characters that control a terminal."""
    plain = CONTROL_CHARACTERS.sub(" ", text or "")
    return plain if len(plain) <= _WIDEST else f"{plain[: _WIDEST - 1]}…"


def _measure(text: str) -> int:
    """Return how many columns of a terminal the text takes: East Asian letters take two, combining accents none."""
    return sum(0 if unicodedata.combining(sign) else 1 + (unicodedata.east_asian_width(sign) in "FW") for sign in text)


# The time that DuckDB has to stop by itself.
_GRACE_SECONDS = 1.0


@click.command()
@click.argument("select")
@take_config
@click.option("--release", "release_id", metavar="ID", help="The release to read; the current one if not given.")
@click.option("--metro", "metros", multiple=True, metavar="SLUG", help="Read only this metro. Repeat for several.")
@click.option(
    "--date",
    "today",
    type=DayType(),
    metavar="DATE",
    help="The local date whose lists `position` numbers; today if not given.",
)
@click.option(
    "--format", "form", type=click.Choice(list(FORMATS)), default="table", show_default=True, help="How to write it."
)
@click.option(
    "--max-seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=SECONDS,
    show_default=True,
    help="How long it may run.",
)
@click.option(
    "--max-memory",
    type=click.IntRange(min=1),
    default=MEMORY,
    show_default=True,
    help="How many bytes of memory it may need.",
)
@take_json
def query(
    *,
    select: str,
    config: Path,
    release_id: str | None,
    metros: tuple[str, ...],
    today: datetime | None,
    form: str,
    max_seconds: float,
    max_memory: int,
    as_json: bool,
) -> None:
    """Run one SELECT over a release's tables, read only; `-` reads it from standard input."""
    text = sys.stdin.read() if select == "-" else select
    configuration = read_config(config)
    store = open_config_store(configuration)
    release = _open_release(store, configuration, release_id, metros)
    now = datetime.now(UTC)
    tables = [
        MetroTables(
            snapshot=snapshot,
            today=(today or now.astimezone(read_zone(snapshot.metro.timezone))).date(),
            exports={
                name.removesuffix(PARQUET): fetch_object(store, export.object, folder=configuration.edge.cache)
                for name, export in snapshot.exports.items()
                if name.endswith(PARQUET)
            },
        )
        for snapshot in release.metros.values()
    ]
    with ViewDatabase(tables, release_id=release.id, memory=max_memory) as database:
        try:
            with _bound(max_seconds, max_memory):
                relation = database.run(text, seconds=max_seconds)
        except (ValueError, MemoryError) as wrong:
            if isinstance(wrong, MemoryError) or "Out of Memory" in str(wrong):
                wrong = ValueError(f"needs more memory than the {max_memory:,} bytes of --max-memory")
            raise click.UsageError(f"the query {wrong}") from wrong
        FORMATS["json" if as_json else form](relation, sys.stdout.buffer)
        sys.stdout.flush()


@contextmanager
def _bound(seconds: float, memory: int) -> Iterator[None]:
    """Limit the time and memory of this process. DuckDB alone does not: it looks for interrupts only between steps,
    which may take hours, and does not count what its functions allocate."""
    before, hard = resource.getrlimit(resource.RLIMIT_DATA)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5])
    most = pages * resource.getpagesize() + memory
    end = Timer(
        seconds + _GRACE_SECONDS,
        _end,
        [f"Error: the query took longer than the {seconds:g} seconds of --max-seconds\n"],
    )
    resource.setrlimit(resource.RLIMIT_DATA, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    end.start()
    try:
        yield
    finally:
        end.cancel()
        resource.setrlimit(resource.RLIMIT_DATA, (before, hard))


def _end(message: str) -> None:
    os.write(2, message.encode())
    os._exit(2)


def _open_release(store: Store, configuration: Configuration, release_id: str | None, metros: Sequence[str]) -> Release:
    """Open a release with only the given metros, or with all if none is given."""
    listed = _find_release(store, release_id, trust=read_auditor(configuration.signing))
    for slug in metros:
        if slug not in listed.root.parts:
            allowed = ", ".join(sorted(listed.root.parts)) or "none"
            raise click.UsageError(f"--metro {slug}: release {listed.id} has no such metro; allowed: {allowed}")
    parts = {slug: part for slug, part in sorted(listed.root.parts.items()) if not metros or slug in metros}
    chosen = ListedRelease(listed.sha, replace(listed.root, parts=parts))
    return open_release(store, chosen, cache=configuration.edge.cache)


def _find_release(store: Store, release_id: str | None, *, trust: Trust) -> ListedRelease:
    """Find the release, or the current one if none is named. Refuse one that a takedown ended, as a server does."""
    current = next(list_releases(store, trust=trust), None)
    if current is None:
        raise click.ClickException("no release has been published yet; `outings build` publishes one")
    if release_id is None:
        return current
    release = find_release(store, release_id, trust=trust)
    if has_ended(current.root.ended, release.root.sequence):
        raise click.UsageError(f"{release_id} ended with a takedown, and is not read any more")
    return release
