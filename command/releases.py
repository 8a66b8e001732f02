"""`outings releases`: list, show, compare, verify, sign, roll back, restore and prune releases."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click
import msgspec

from command.options import open_config_store, print_json, print_result, read_config, take_config, take_json, tell
from command.static_tree import publish_tree
from outings.configuration import read_zone
from outings.failures import WrongSetting
from outings.release.manifest import read_manifest
from outings.release.pointer import DamagedStore, list_releases, read_release
from outings.release.publishing import sign_anew
from outings.release.root import ListedRelease, format_release_id, has_ended, read_root
from outings.release.store import Corrupt, NotFound, Store, object_name
from outings.release.trust import ANYBODY, Trust, read_auditor, read_publisher
from outings.release.verifying import VerificationReport, VerifiedRelease, verify_releases


@click.group()
def releases() -> None:
    """List, show, compare, verify, sign, roll back, restore and prune releases."""


@releases.command(name="list")
@take_config
@take_json
def list_(*, config: Path, as_json: bool) -> None:
    """List the releases that are kept, newest first."""
    store = open_config_store(read_config(config))
    kept = list(list_releases(store))
    ended = kept[0].root.ended if kept else ()
    summaries = [_summarize(release) | {"ended": has_ended(ended, release.root.sequence)} for release in kept]
    lines = (
        f"{summary['id']}  built {summary['built_at']}  {len(summary['metros'])} metros  "
        f"latest version {summary['latest_version_id']}{'  ended with a takedown' if summary['ended'] else ''}"
        for summary in summaries
    )
    print_result({"releases": summaries}, *lines, as_json=as_json)
    if not summaries and not as_json:
        tell("No release has been published yet.")


@releases.command()
@click.argument("release_id", metavar="ID")
@take_config
@take_json
def show(*, release_id: str, config: Path, as_json: bool) -> None:
    """Show the metros, tables and sizes of a release."""
    store = open_config_store(read_config(config))
    release = find_release(store, release_id)
    shown = _summarize(release) | {"parts": {slug: _describe_part(store, release, slug) for slug in release.root.parts}}
    lines = [f"{release.id}  built {release.root.built_at.isoformat()}  root {release.sha}"]
    for slug, part in shown["parts"].items():
        rows = ", ".join(f"{count} {name}" for name, count in part["rows"].items())
        lines.append(f"  {slug}: stamp {part['stamp']}, date {part['date']}: {rows}")
    print_result(shown, *lines, as_json=as_json)


@releases.command()
@click.argument("one", metavar="A")
@click.argument("other", metavar="B")
@take_config
@take_json
def diff(*, one: str, other: str, config: Path, as_json: bool) -> None:
    """List the listings that differ between two releases."""
    from pipeline.publish.comparison import compare_releases

    configuration = read_config(config)
    store = open_config_store(configuration)
    differences = compare_releases(
        store, find_release(store, one).root, find_release(store, other).root, cache=configuration.edge.cache
    )
    if as_json:
        print_json({"from": one, "to": other, "differences": differences})
        return
    for difference in differences:
        fields = f" ({', '.join(difference.fields)})" if difference.fields else ""
        click.echo(
            f"{difference.kind:8}  {difference.metro}  {difference.type}  {difference.id}  {difference.slug}{fields}"
        )
    click.echo(f"{len(differences)} listings differ.", err=True)


@releases.command()
@click.argument("release_id", metavar="ID")
@take_config
@take_json
def rollback(*, release_id: str, config: Path, as_json: bool) -> None:
    """Publish the listings of an old release as a new one."""
    from pipeline.publish.rollback import roll_back

    configuration = read_config(config)
    trust = read_publisher(configuration.signing)
    store = open_config_store(configuration)
    target = find_release(store, release_id, trust=trust)
    current = next(list_releases(store, trust=trust))
    if current.id == target.id:
        raise click.UsageError(f"{release_id} is already the current release")
    is_whole = all(store.exists(object_name(part.manifest)) for part in target.root.parts.values())
    if has_ended(current.root.ended, target.root.sequence) and not is_whole:
        raise click.UsageError(f"{release_id} ended with a takedown, and what it held is pruned")
    now = datetime.now(UTC).replace(microsecond=0)
    stamp = max([now, *(part.stamp + timedelta(seconds=1) for part in current.root.parts.values())])
    today = {
        slug: now.astimezone(read_zone(read_manifest(store, part.manifest).metro.timezone)).date()
        for slug, part in target.root.parts.items()
    }
    done = roll_back(
        store, current=current, target=target, stamp=stamp, today=today, cache=configuration.edge.cache, trust=trust
    )
    versions = done.published.root.log.latest_version_id - current.root.log.latest_version_id
    line = f"Release {done.published.id} has the listings of {target.id}. New versions in /v1/changes: {versions}."
    print_result({"release": done.published.id, "of": target.id, "versions": versions}, line, as_json=as_json)
    publish_tree(configuration)


@releases.command()
@click.argument("release_id", metavar="[ID]", required=False)
@take_config
@take_json
def restore(*, release_id: str | None, config: Path, as_json: bool) -> None:
    """Restore a pointer that is lost or broken: to the newest release that is whole, or to the named one."""
    from outings.release.verifying import restore_release

    configuration = read_config(config)
    trust = read_publisher(configuration.signing)
    restored = restore_release(open_config_store(configuration), release_id, trust=trust)
    for reason in restored.skipped:
        tell(f"A newer release can't be restored: {reason}")
    tell(
        "If a newer release was in force, servers refuse this one until they are restarted. What was taken down since "
        "is public again then: withdraw it first."
    )
    named = restored.release.id
    described = {"release": named, "skipped": restored.skipped}
    print_result(described, f"Release {named} is in force again.", as_json=as_json)


@releases.command()
@take_config
@click.option("--clock-is-right", is_flag=True, help="Prune even if this machine's clock looks wrong.")
@take_json
def prune(*, config: Path, clock_is_right: bool, as_json: bool) -> None:
    """Delete what no kept release needs ([store] keep_days)."""
    from outings.release.pruning import check_clock
    from outings.release.pruning import prune as prune_store

    configuration = read_config(config)
    trust = read_auditor(configuration.signing)
    store, now = open_config_store(configuration), time.time()
    if not clock_is_right:
        check_clock(store, now=now)
    pruned = prune_store(
        store, keep_days=configuration.store.keep_days, now=now, is_clock_right=clock_is_right, trust=trust
    )
    size = sum(entry.size for entry in pruned.deleted)
    line = f"{len(pruned.deleted)} objects ({size} bytes) deleted; {pruned.releases} releases are kept."
    described = {"deleted": len(pruned.deleted), "bytes": size, "releases": pruned.releases}
    print_result(described, line, as_json=as_json)


@releases.command()
@take_config
@take_json
def verify(*, config: Path, as_json: bool) -> None:
    """Check every kept release: its signature ([signing]), its chain and the hash of each object."""
    configuration = read_config(config)
    trust = read_auditor(configuration.signing)
    store = open_config_store(configuration)
    results: list[VerifiedRelease] = []

    def report(release: VerifiedRelease) -> None:
        results.append(release)
        metros = ", ".join(release.metros) or "no metro"
        size = f"{release.objects} objects ({release.bytes} bytes) that no newer release names"
        click.echo(f"{release.id}: right; {metros}; {size}", err=as_json)

    try:
        verified = verify_releases(store, trust=trust, report=report)
    except DamagedStore:
        raise
    except (Corrupt, NotFound) as wrong:
        if as_json:
            print_json({"right": False, "wrong": str(wrong), **_count_verified(results)})
        raise click.ClickException(f"{wrong} (newer releases that are right: {len(results)})") from wrong
    described = {"right": True, "wrong": None, "signed_by": verified.signer, "ends_after": verified.ends}
    lines = _describe_verified(verified, trust=trust)
    print_result(described | _count_verified(results), *lines, as_json=as_json)


def _count_verified(results: list[VerifiedRelease]) -> dict[str, Any]:
    objects, size = sum(result.objects for result in results), sum(result.bytes for result in results)
    return {"releases": [result.id for result in results], "objects": objects, "bytes": size}


def _describe_verified(verified: VerificationReport, *, trust: Trust) -> Iterator[str]:
    if verified.current is None:
        yield "No release has been published yet."
        return
    if trust.believed:
        yield f"The pointer is signed by key {verified.signer}, which is trusted."
    else:
        yield "The signature of the pointer was not checked: [signing] has no key."
    if verified.ends is not None:
        yield f"Release {verified.ends}, before these, is pruned."
    counts = _count_verified(list(verified.releases))
    yield f"{len(verified.releases)} releases, {counts['objects']} objects, {counts['bytes']} bytes: all right."


@releases.command()
@take_config
@take_json
def sign(*, config: Path, as_json: bool) -> None:
    """Check the current release, whoever signed it, and publish it once more, signed with [signing] key."""
    configuration = read_config(config)
    trust = read_publisher(configuration.signing)
    if trust.signer is None:
        raise WrongSetting("[signing] key is missing; allowed: the path of an Ed25519 private key in PEM")
    store = open_config_store(configuration)
    current = verify_releases(store, trust=ANYBODY).current
    if current is None:
        raise click.UsageError("no release has been published yet; the first build signs its own")
    current_root = read_root(store, current.pointer.root)
    now = max(datetime.now(UTC).replace(microsecond=0), current_root.built_at)
    pointer = sign_anew(store, current=current, current_root=current_root, now=now, trust=trust)
    release_id = format_release_id(pointer.sequence, pointer.root)
    of = format_release_id(current_root.sequence, current.pointer.root)
    print_result({"release": release_id, "of": of}, f"Release {release_id} is {of}, signed.", as_json=as_json)


def find_release(store: Store, release_id: str, *, trust: Trust = ANYBODY) -> ListedRelease:
    """Return a kept release; exit with 2 if there is none of this name."""
    try:
        return read_release(store, release_id, trust=trust)
    except (ValueError, NotFound) as error:
        ids = ", ".join(release.id for release in list_releases(store, trust=trust)) or "none"
        raise click.UsageError(f"{error}; releases that are kept: {ids}") from error


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
