"""`outings query`: a SELECT over what a release publishes."""

import sys
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path

import click
from msgspec.structs import replace

from outings.answers.views.database import MetroTables, ViewDatabase
from outings.command.options import open_config_store, read_config, take_config, take_json
from outings.command.releases import find_release
from outings.command.result_formats import FORMATS
from outings.configuration import Configuration, read_zone
from outings.release.reading import open_release
from outings.release.releases import ListedRelease, list_releases
from outings.release.snapshot import Release
from outings.release.store import Store
from outings.release.trust import Trust, read_auditor
from outings.release.withdrawals import has_ended


@click.command()
@click.argument("select")
@take_config
@click.option("--release", "release_id", metavar="ID", help="The release to read; the current one if not given.")
@click.option("--metro", "metros", multiple=True, metavar="SLUG", help="Read only this metro. Repeat for several.")
@click.option(
    "--date",
    "today",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    help="The local date whose lists `position` numbers; today if not given.",
)
@click.option(
    "--format", "form", type=click.Choice(list(FORMATS)), default="table", show_default=True, help="How to write it."
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
    as_json: bool,
) -> None:
    """Run one SELECT over a release's tables, read only; `-` reads it from standard input."""
    text = sys.stdin.read() if select == "-" else select
    configuration = read_config(config)
    release = _open_release(configuration, release_id, metros)
    now = datetime.now(UTC)
    tables = [
        MetroTables(snapshot=each, today=_find_date(today, now, each.metro.timezone))
        for each in release.metros.values()
    ]
    with ViewDatabase(tables, release_id=release.id) as database:
        try:
            relation = database.run(text)
        except ValueError as wrong:
            raise click.UsageError(f"the query {wrong}") from wrong
        FORMATS["json" if as_json else form](relation, sys.stdout.buffer)
        sys.stdout.flush()


def _find_date(today: datetime | None, now: datetime, timezone: str) -> date:
    return now.astimezone(read_zone(timezone)).date() if today is None else today.date()


def _open_release(configuration: Configuration, release_id: str | None, metros: Sequence[str]) -> Release:
    """With these metros, or all of them."""
    store, trust = open_config_store(configuration), read_auditor(configuration.signing)
    listed = _find_release(store, release_id, trust=trust)
    for slug in metros:
        if slug not in listed.root.parts:
            allowed = ", ".join(sorted(listed.root.parts)) or "none"
            raise click.UsageError(f"--metro {slug}: release {listed.id} has no such metro; allowed: {allowed}")
    parts = {slug: part for slug, part in sorted(listed.root.parts.items()) if not metros or slug in metros}
    chosen = ListedRelease(listed.id, listed.sha, replace(listed.root, parts=parts))
    return open_release(store, chosen, cache=configuration.edge.cache)


def _find_release(store: Store, release_id: str | None, *, trust: Trust) -> ListedRelease:
    """The current one where none is named. One that a takedown ended is refused, as the server refuses it."""
    current = next(list_releases(store, trust=trust), None)
    if current is None:
        raise click.ClickException("no release has been published yet")
    if release_id is None:
        return current
    release = find_release(store, release_id, trust=trust)
    if has_ended(current.root.ended, release.root.sequence):
        raise click.UsageError(f"{release_id} ended with a takedown, and is not read any more")
    return release
