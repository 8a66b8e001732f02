"""`outings takedown`: withdraw listings, places or organizations from all answers, now and after later builds."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import click
import msgspec

from command.options import open_config_store, print_json, print_result, read_config, take_config, take_json, tell
from command.static_tree import publish_tree
from outings.configuration import Configuration
from outings.release.pointer import list_releases, read_current
from outings.release.root import has_ended
from outings.release.store import Store
from outings.release.trust import Trust, read_publisher
from pipeline.clean.quarantine_file import strip_files
from pipeline.clean.withdrawn_records import WithdrawalMatcher
from pipeline.publish.takedown.takedown import TakedownResult, UnknownRowError, give_back, take_down

_CODE = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")


@click.command()
@click.argument("ids", nargs=-1, metavar="ID...")
@click.option("--reason", default="withdrawn", show_default=True, metavar="CODE", help="Why: a word of your own.")
@click.option("--undo", is_flag=True, help="Let builds publish them again.")
@click.option("--list", "is_list", is_flag=True, help="Show what is taken down.")
@take_config
@take_json
def takedown(*, ids: tuple[str, ...], reason: str, undo: bool, is_list: bool, config: Path, as_json: bool) -> None:
    """Publish a release without these listings, places or organizations, whatever feeds say from now on."""
    if is_list == bool(ids):
        raise click.UsageError("give the ids of what is to be taken down, or --list")
    if not _CODE.fullmatch(reason):
        raise click.UsageError(f"--reason {reason!r}: allowed are 1 to 40 of a-z, 0-9, _ and -: a code, and no words")
    wanted = [_read_id(text) for text in ids]
    configuration = read_config(config)
    trust = read_publisher(configuration.signing)
    store = open_config_store(configuration)
    if is_list:
        _list_withdrawals(store, trust, as_json=as_json)
        return
    now = datetime.now(UTC)
    try:
        if undo:
            done = give_back(store, wanted, now=now, trust=trust)
        else:
            done = take_down(store, wanted, reason=reason, now=now, cache=configuration.edge.cache, trust=trust)
    except UnknownRowError as unknown:
        raise click.UsageError(str(unknown)) from unknown
    if undo:
        _tell_undone(done, wanted, as_json=as_json)
    else:
        _tell_taken(store, done, configuration, wanted, reason=reason, as_json=as_json)
    # Also where nothing was left to do: the one that took it down may have died before its files left.
    publish_tree(configuration, withdrawn=() if undo else wanted)


def _read_id(text: str) -> str:
    try:
        row_id = str(UUID(text))
    except ValueError:
        row_id = ""
    if row_id != text.lower():
        raise click.UsageError(f"{text!r} is not an id; allowed: the `id` of a listing, place or organization, a UUID")
    return row_id


def _tell_taken(
    store: Store,
    done: TakedownResult,
    configuration: Configuration,
    wanted: Sequence[str],
    *,
    reason: str,
    as_json: bool,
) -> None:
    """Remove what was taken down from this machine's quarantine files, and report the takedown."""
    current = read_current(store)
    assert current is not None
    matcher = WithdrawalMatcher(current.root.withdrawals)
    files = strip_files(configuration.build.quarantine, matcher.has_source)
    ended = [release.id for release in list_releases(store) if has_ended(current.root.ended, release.root.sequence)]
    published = done.published
    removed = [] if published is None else [change for change in published.changes if change.kind == "removed"]
    if as_json:
        print_json(
            {
                "release": None if published is None else published.id,
                "withdrawn": [{"id": row_id, "type": kind} for row_id, kind in done.types.items()],
                "already_withdrawn": [row_id for row_id in wanted if row_id not in done.types],
                "reason": reason,
                "showing": done.showing,
                "versions": 0 if published is None else len(published.changes),
                "removed": len(removed),
                "ended_releases": ended,
                "quarantine_files": files,
            }
        )
        return
    for wanted_id in wanted:
        if wanted_id not in done.types:
            click.echo(f"{wanted_id} is taken down already.")
    if published is not None:
        for line in _describe_taken(done, files=files):
            click.echo(line)
    if ended:
        named = f"release {ended[0]}" if len(ended) == 1 else f"{len(ended)} releases, {ended[-1]} to {ended[0]}"
        click.echo(
            f"Nobody can read any more what held it: {named}. Their files keep its words until the next "
            "`outings releases prune`. So may a server's [edge] cache, a backup, and what readers saved; the feed "
            "itself is its publisher's."
        )


def _describe_taken(done: TakedownResult, *, files: int) -> list[str]:
    assert done.published is not None
    named = ", ".join(f"{kind} {row_id}" for row_id, kind in done.types.items())
    count = len(done.published.changes)
    lines = [f"Release {done.published.id} is without {named}. New versions in /v1/changes: {count}."]
    for slug, count in done.showing.items():
        lines.append(f"  {slug}: {count} listings that showed it show nothing in its place.")
    lines.append("Servers take it up within 10 s. Builds leave it out, whatever feeds say, until --undo.")
    lines.append("A build that was under way is refused (exit 3): run it again.")
    if files:
        lines.append(f"{files} files of quarantine on this machine were written without it.")
    return lines


def _tell_undone(done: TakedownResult, wanted: Sequence[str], *, as_json: bool) -> None:
    published = done.published
    if as_json:
        given = [{"id": row_id, "type": kind} for row_id, kind in done.types.items()]
        print_json({"release": None if published is None else published.id, "given_back": given})
        return
    if published is None:
        click.echo(f"Of {', '.join(wanted)} the takedown is undone already.")
        return
    named = ", ".join(f"{kind} {row_id}" for row_id, kind in done.types.items())
    click.echo(
        f"Release {published.id}: builds may publish {named} again. The next one reads every feed whole; what a feed "
        "of changes said before, it has to say again."
    )


def _list_withdrawals(store: Store, trust: Trust, *, as_json: bool) -> None:
    current = read_current(store, trust=trust)
    withdrawals = {} if current is None else current.root.withdrawals
    shown: list[dict[str, Any]] = [
        {"id": row_id, "type": entry.type, "at": msgspec.to_builtins(entry.at), "reason": entry.reason}
        for row_id, entry in sorted(withdrawals.items())
        if not entry.is_over
    ]
    lines = (f"{entry['id']}  {entry['type']}  {entry['at']}  {entry['reason']}" for entry in shown)
    print_result({"withdrawn": shown}, *lines, as_json=as_json)
    if not shown and not as_json:
        tell("Nothing is taken down.")
