"""`outings keys list`, `show`, `usage`: none changes anything."""

from collections import defaultdict
from datetime import date, datetime
from pathlib import Path
from typing import Any

import click
import msgspec

from command.keys.key_options import describe_key, read_clock, refuse_id
from command.options import open_config_store, print_json, print_result, read_config, take_config, take_json
from outings.keys.registry import read_registry


@click.command("list")
@take_config
@take_json
def list_keys(*, config: Path, as_json: bool) -> None:
    """List all keys that were ever made; none of them can be shown again."""
    registry, _ = read_registry(open_config_store(read_config(config)))
    now = read_clock()
    described = [describe_key(registry, key.id, now=now) for key in registry.keys]
    lines = (
        f"{row['id']}  {row['state']:8}  {row['plan']:8}  {row['client']}  "
        f"{','.join(row['metros'])} {','.join(row['types'])}"
        for row in described
    )
    print_result({"keys": described}, *lines, as_json=as_json)


@click.command()
@take_config
@click.argument("id_", metavar="ID")
@take_json
def show(*, config: Path, id_: str, as_json: bool) -> None:
    """Show a key with what holds for it, its plan's terms among them."""
    configuration = read_config(config)
    registry, _ = read_registry(open_config_store(configuration))
    key = registry.by_id.get(id_)
    if key is None:
        raise refuse_id(id_)
    plan = configuration.plans.settle()[key.plan]
    described = describe_key(registry, id_, now=read_clock())
    in_force = {
        "per_minute": key.settle_rate(plan),
        "monthly_quota": registry.settle_quota(key, plan),
        "include": sorted(key.settle_entitlement(plan).addons),
    }
    lines = (
        f"{name:14} {', '.join(value) if isinstance(value, list) else value}"
        for name, value in (described | in_force).items()
    )
    print_result(described | {"in_force": in_force}, *lines, as_json=as_json)


@click.command()
@take_config
@click.option("--key", "id_", metavar="ID", help="Only this key.")
@click.option("--client", help="Only this client.")
@click.option(
    "--from",
    "first",
    type=click.DateTime(["%Y-%m-%d"]),
    help="The first day, in UTC; the first of this month if not given.",
)
@click.option("--to", "last", type=click.DateTime(["%Y-%m-%d"]), help="The last day, in UTC; today if not given.")
@take_json
def usage(
    *, config: Path, id_: str | None, client: str | None, first: datetime | None, last: datetime | None, as_json: bool
) -> None:
    """Show what this machine's servers counted, by client, key, route and day. Successes and 304 are billed."""
    from edge.usage import NAME, Ledger

    today = read_clock().date()
    until = today if last is None else last.date()
    since = until.replace(day=1) if first is None else first.date()
    folder = read_config(config).edge.state
    rows: list[dict[str, Any]] = []
    # Nothing was counted yet where there is no ledger; looking makes none.
    if (folder / NAME).exists():
        try:
            rows = [msgspec.to_builtins(row) for row in Ledger(folder).read_days(first=since, last=until)]
        except OSError as error:
            raise click.ClickException(str(error)) from error
    kept = [row for row in rows if id_ in (None, row["key"]) and client in (None, row["client"])]
    if as_json:
        print_json({"from": since, "to": until, "usage": kept, **_sum_rows(kept)})
    else:
        _print_table(kept, since=since, until=until)


def _sum_rows(rows: list[dict[str, Any]]) -> dict[str, int]:
    return {name: sum(row[name] for row in rows) for name in ("billed", "refused", "bytes")}


def _print_table(rows: list[dict[str, Any]], *, since: date, until: date) -> None:
    """By client, key and route, over the days."""
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row["client"], row["key"], row["route"]].append(row)
    for names, group in sorted(groups.items()):
        sums = _sum_rows(group)
        click.echo(f"{'  '.join(names)}  billed {sums['billed']}  refused {sums['refused']}  bytes {sums['bytes']}")
    sums = _sum_rows(rows)
    click.echo(f"{since} to {until}: billed {sums['billed']}, refused {sums['refused']}.", err=True)
