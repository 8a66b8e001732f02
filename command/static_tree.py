"""Publish the static tree again after every command that publishes a release."""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime

import click

from command.options import open_config_store, tell
from outings.configuration import Configuration, read_zone
from outings.release.trust import read_publisher


def publish_tree(
    configuration: Configuration,
    *,
    read_date: Callable[[str], date] | None = None,
    allow_shrink: bool = True,
    withdrawn: Sequence[str] = (),
) -> None:
    """Publish the static tree of the current release, if `[static]` is configured. `read_date` returns the local date
    of a time zone, by default today. A failure does not undo the release.

    `withdrawn`: ids of what was taken down. Exits with 1 if files beside the tree's own hold one of them."""
    table, store = configuration.static, configuration.store
    if table is None:
        return
    from pipeline.publish.static.hosts import open_host  # the engine, which a deployment without a tree need not load
    from pipeline.publish.static.publishing import publish_static

    host = open_host(table.url, endpoint_url=store.endpoint_url, region=store.region)
    done = publish_static(
        open_config_store(configuration),
        table,
        host=host,
        looks=bool(withdrawn),
        read_date=read_date or (lambda timezone: datetime.now(UTC).astimezone(read_zone(timezone)).date()),
        cache=configuration.edge.cache,
        allow_shrink=allow_shrink,
        progress=tell,
        trust=read_publisher(configuration.signing),
    )
    if done is None:
        return
    for reason in done.left_out:
        tell(f"static files: left out: {reason}")
    tell(
        f"static files of release {done.release}: {done.files:,} files ({done.size:,} bytes) in {table.url}; "
        f"{len(done.written):,} written, {len(done.deleted):,} deleted"
    )
    ids = [row_id.encode() for row_id in withdrawn]
    holding = [
        name for name in done.others if any(row_id in name.encode() + (host.read(name) or b"") for row_id in ids)
    ]
    if holding:
        raise click.ClickException(
            f"{table.url} has files that hold what was taken down, and that this program did not write: "
            f"{', '.join(holding)}; delete them, and run the command again"
        )
