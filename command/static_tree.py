"""Publish the static tree again after every command that publishes a release."""

from collections.abc import Callable
from datetime import UTC, date, datetime

from command.options import open_config_store, tell
from outings.configuration import Configuration, read_zone
from outings.release.trust import read_publisher


def publish_tree(
    configuration: Configuration, *, read_date: Callable[[str], date] | None = None, allow_shrink: bool = True
) -> None:
    """Publish the static tree of the current release, if `[static]` is configured. `read_date` returns the local date
    of a time zone, by default today. A failure does not undo the release."""
    table, store = configuration.static, configuration.store
    if table is None:
        return
    from pipeline.publish.static.hosts import open_host  # the engine, which a deployment without a tree need not load
    from pipeline.publish.static.publishing import publish_static

    done = publish_static(
        open_config_store(configuration),
        table,
        host=open_host(table.url, endpoint_url=store.endpoint_url, region=store.region),
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
