"""`outings releases`: list, show, compare, roll back and prune what was published."""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click
import msgspec

from outings.command import Refused
from outings.command.options import open_config_store, print_json, read_config, take_config, take_json
from outings.configuration import read_zone
from outings.release.manifest import read_manifest
from outings.release.publishing import BuildRaced
from outings.release.releases import ListedRelease, list_releases, read_release
from outings.release.store import NotFound, Store


@click.group()
def releases() -> None:
    """List, show, compare, roll back and prune what was published."""


@releases.command(name="list")
@take_config
@take_json
def list_(*, config: Path, as_json: bool) -> None:
    """Every release that is kept, newest first."""
    store = open_config_store(read_config(config))
    found = [_summarize(release) for release in list_releases(store)]
    if as_json:
        print_json({"releases": found})
        return
    if not found:
        click.echo("No release was published yet.", err=True)
    for each in found:
        click.echo(
            f"{each['id']}  built {each['built_at']}  {len(each['metros'])} metros  "
            f"latest version {each['latest_version_id']}"
        )


@releases.command()
@click.argument("release_id", metavar="ID")
@take_config
@take_json
def show(*, release_id: str, config: Path, as_json: bool) -> None:
    """What a release holds: its metros, tables and sizes."""
    store = open_config_store(read_config(config))
    release = _find_release(store, release_id)
    shown = _summarize(release) | {"parts": {slug: _describe_part(store, release, slug) for slug in release.root.parts}}
    if as_json:
        print_json(shown)
        return
    click.echo(f"{release.id}  built {release.root.built_at.isoformat()}  root {release.sha}")
    for slug, part in shown["parts"].items():
        rows = ", ".join(f"{count} {name}" for name, count in part["rows"].items())
        click.echo(f"  {slug}: stamp {part['stamp']}, date {part['date']}: {rows}")


@releases.command()
@click.argument("one", metavar="A")
@click.argument("other", metavar="B")
@take_config
@take_json
def diff(*, one: str, other: str, config: Path, as_json: bool) -> None:
    """Which listings differ between two releases."""
    from pipeline.comparison import compare_releases

    configuration = read_config(config)
    store = open_config_store(configuration)
    differences = compare_releases(
        store, _find_release(store, one).root, _find_release(store, other).root, cache=configuration.edge.cache
    )
    if as_json:
        print_json({"from": one, "to": other, "differences": differences})
        return
    for each in differences:
        fields = f" ({', '.join(each.fields)})" if each.fields else ""
        click.echo(f"{each.kind:8}  {each.metro}  {each.type}  {each.id}  {each.slug}{fields}")
    click.echo(f"{len(differences)} listings differ.", err=True)


@releases.command()
@click.argument("release_id", metavar="ID")
@take_config
@take_json
def rollback(*, release_id: str, config: Path, as_json: bool) -> None:
    """Publish one more release, with the listings of an old one."""
    from pipeline.rollback import roll_back

    configuration = read_config(config)
    store = open_config_store(configuration)
    target = _find_release(store, release_id)
    current = next(list_releases(store))
    if current.id == target.id:
        raise click.UsageError(f"{release_id} is the current release already")
    now = datetime.now(UTC).replace(microsecond=0)
    stamp = max([now, *(part.stamp + timedelta(seconds=1) for part in current.root.parts.values())])
    today = {
        slug: now.astimezone(read_zone(read_manifest(store, part.manifest).metro.timezone)).date()
        for slug, part in target.root.parts.items()
    }
    try:
        done = roll_back(
            store, current=current, target=target, stamp=stamp, today=today, cache=configuration.edge.cache
        )
    except BuildRaced as raced:
        raise Refused(str(raced)) from raced
    versions = done.published.root.log.latest_version_id - current.root.log.latest_version_id
    if as_json:
        print_json({"release": done.published.id, "of": target.id, "versions": versions})
        return
    click.echo(f"Release {done.published.id} has the listings of {target.id}: {versions} new versions.")


@releases.command()
@take_config
@take_json
def prune(*, config: Path, as_json: bool) -> None:
    """Delete what no kept release needs ([store] keep_days)."""
    from outings.release.pruning import prune as prune_store

    configuration = read_config(config)
    pruned = prune_store(open_config_store(configuration), keep_days=configuration.store.keep_days, now=time.time())
    size = sum(entry.size for entry in pruned.deleted)
    if as_json:
        print_json({"deleted": len(pruned.deleted), "bytes": size, "releases": pruned.releases})
        return
    click.echo(f"{len(pruned.deleted)} objects ({size} bytes) deleted; {pruned.releases} releases are kept.")


def _find_release(store: Store, release_id: str) -> ListedRelease:
    try:
        return read_release(store, release_id)
    except (ValueError, NotFound) as error:
        known = ", ".join(release.id for release in list_releases(store)) or "none"
        raise click.UsageError(f"{error}; kept are {known}") from error


def _summarize(release: ListedRelease) -> dict[str, Any]:
    root = release.root
    return {
        "id": release.id,
        "sequence": root.sequence,
        "built_at": msgspec.to_builtins(root.built_at),
        "metros": sorted(root.parts),
        "latest_version_id": root.log.latest_version_id,
        "root": release.sha,
    }


def _describe_part(store: Store, release: ListedRelease, slug: str) -> dict[str, Any]:
    part = release.root.parts[slug]
    manifest = read_manifest(store, part.manifest)
    return {
        "manifest": part.manifest,
        "snapshot": part.snapshot,
        "stamp": msgspec.to_builtins(part.stamp),
        "date": manifest.date.isoformat(),
        "rows": {name: table.rows for name, table in sorted(manifest.tables.items())},
        "packs": len(manifest.packs),
        "bytes": sum(table.size for table in manifest.tables.values()) + sum(pack.size for pack in manifest.packs),
        "pages": len(manifest.pages),
    }
