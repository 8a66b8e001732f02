"""`outings keys`: create, show and change keys, and report how they were used."""

import sys
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from command.options import (
    DayType,
    open_config_store,
    print_json,
    print_result,
    read_config,
    take_config,
    take_json,
    tell,
)
from outings.configuration import Configuration
from outings.contract.pricing_plans import GRANTABLE, PLANS
from outings.contract.vocabulary import COLLECTIONS, GRANTS
from outings.keys.key_text import has_key_form, hash_key_text, make_key_text, split_key_text
from outings.keys.registry import (
    EVERY,
    Key,
    Registry,
    add_key,
    change_grants,
    change_registry,
    import_key,
    read_registry,
    revoke_key,
    rotate_key,
    set_quota,
)
from outings.release.store import Store

TYPES = tuple(COLLECTIONS.values())

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--plan", type=click.Choice(tuple(PLANS)), required=True),
    click.option(
        "--metro",
        "metros",
        multiple=True,
        metavar="SLUG",
        help="A metro that the key may read; all if not given, or *. Repeat for several.",
    ),
    click.option(
        "--type",
        "types",
        multiple=True,
        metavar="NAME",
        help=f"A type that the key may read: {', '.join(TYPES)}; all if not given, or *.",
    ),
    click.option(
        "--grant", "grants", multiple=True, metavar="NAME", help=f"An add-on, or `where`: {', '.join(GRANTS)}."
    ),
    click.option("--per-minute", type=click.IntRange(min=1), help="The key's own rate."),
    click.option("--client", help="Who owns the key; several keys may share a client. The key's id if not given."),
    click.option("--monthly-quota", type=click.IntRange(min=1), help="The client's quota, shared by all its keys."),
    click.option("--expires", metavar="DATE", help="The first day on which the key is refused (UTC), or an instant."),
)


def take_terms(command: Decorated) -> Decorated:
    """Add the options that `make_key` and `set_client_quota` read to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def make_key(configuration: Configuration, *, id_: str, hash_: str, now: datetime, **terms: Any) -> Key:
    """Make a key from the options of `take_terms`. Exits with 2 if a value is not allowed."""
    expires = terms["expires"]
    return Key(
        id=id_,
        hash=hash_,
        client=terms["client"] or id_,
        plan=terms["plan"],
        metros=_read_metros(terms["metros"], configuration),
        types=_read_scope("--type", terms["types"], allowed=TYPES),
        grants=_read_grants(terms["grants"], plan=terms["plan"]),
        per_minute=terms["per_minute"],
        expires_at=None if expires is None else _read_expiry(expires, now=now),
        created_at=now,
    )


def set_client_quota(registry: Registry, key: Key, monthly_quota: int | None) -> Registry:
    """Set the quota of the key's client. None leaves it unchanged."""
    return registry if monthly_quota is None else set_quota(registry, key.client, monthly_quota)


def describe_key(registry: Registry, id_: str, *, now: datetime) -> dict[str, Any]:
    """Return the members of a key except its hash. `monthly_quota` is that of its client."""
    key = registry.by_id[id_]
    members: dict[str, Any] = msgspec.to_builtins(key)
    del members["hash"], members["slot"]
    quota = registry.clients_by_name[key.client].monthly_quota
    return {**members, "monthly_quota": quota, "state": key.describe_state(now)}


def read_clock() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


def change_key(store: Store, id_: str, change: Callable[[Registry], Registry]) -> Registry:
    """Store the changed registry and return it. Exits with 2 if no key has this id, or the change is invalid."""
    try:
        return change_registry(store, change)
    except KeyError:
        raise refuse_id(id_) from None
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="ID") from None


def refuse_id(id_: str) -> click.BadParameter:
    return click.BadParameter(f"there is no key {id_!r}; `outings keys list` shows all keys", param_hint="ID")


def _read_metros(names: tuple[str, ...], configuration: Configuration) -> tuple[str, ...]:
    slugs = configuration.metro_slugs
    read = _read_scope("--metro", names, allowed=tuple(slugs))
    return tuple(dict.fromkeys(slugs.get(name, name) for name in read))


def _read_grants(names: tuple[str, ...], *, plan: str) -> tuple[str, ...]:
    if names and plan not in GRANTABLE:
        raise click.BadParameter(
            f"the {plan} plan takes no add-ons; plans that do: {', '.join(GRANTABLE)}", param_hint="--grant"
        )
    return _check_names("--grant", names, allowed=GRANTS)


def _read_scope(option: str, names: tuple[str, ...], *, allowed: tuple[str, ...]) -> tuple[str, ...]:
    """Check the names that an option allows a key, and return them: only `*` if there are none or one is `*`."""
    return (EVERY,) if not names or EVERY in names else _check_names(option, names, allowed=allowed)


def _check_names(option: str, names: tuple[str, ...], *, allowed: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names without duplicates. Exits with 2 if one is not in `allowed`."""
    for name in names:
        if name not in allowed:
            raise click.BadParameter(f"{name!r} is not one of {', '.join(allowed)}", param_hint=option)
    return tuple(dict.fromkeys(names))


def _read_expiry(text: str, *, now: datetime) -> datetime:
    """Parse an instant with an offset, or a date, which means 00:00 UTC."""
    try:
        expires = datetime.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is not a date; allowed: YYYY-MM-DD, or an instant with an offset", param_hint="--expires"
        ) from None
    if expires.tzinfo is None:
        expires = expires.replace(tzinfo=UTC)
    if expires <= now:
        raise click.BadParameter(f"{text} is in the past", param_hint="--expires")
    return expires.astimezone(UTC).replace(microsecond=0)


@click.command("list")
@take_config
@take_json
def list_keys(*, config: Path, as_json: bool) -> None:
    """List all keys that were ever created, without their texts."""
    registry, _ = read_registry(open_config_store(read_config(config)))
    now = read_clock()
    described = [describe_key(registry, key.id, now=now) for key in registry.keys]
    rows = [("ID", "STATE", "PLAN", "EXPIRES", "METROS", "TYPES", "CLIENT")] + [
        (
            row["id"], row["state"], row["plan"], row.get("expires_at") or "never", ",".join(row["metros"]),
            ",".join(row["types"]), row["client"],
        )
        for row in described
    ]  # fmt: skip
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows)
    print_result({"keys": described}, *lines, as_json=as_json)


@click.command()
@take_config
@click.argument("id_", metavar="ID")
@take_json
def show(*, config: Path, id_: str, as_json: bool) -> None:
    """Show a key with its limits, including those of its plan."""
    configuration = read_config(config)
    registry, _ = read_registry(open_config_store(configuration))
    key = registry.by_id.get(id_)
    if key is None:
        raise refuse_id(id_)
    plan = configuration.plans.make_plans()[key.plan]
    described = describe_key(registry, id_, now=read_clock())
    in_force = {
        "per_minute": key.get_rate(plan),
        "monthly_quota": registry.get_quota(key, plan),
        "include": sorted(key.make_entitlement(plan).addons),
    }
    lines = (
        f"{name:14} {', '.join(value) if isinstance(value, (list, tuple)) else '' if value is None else value}".rstrip()
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
    type=DayType(),
    metavar="DATE",
    help="The first day, in UTC; the first of this month if not given.",
)
@click.option("--to", "last", type=DayType(), metavar="DATE", help="The last day, in UTC; today if not given.")
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
    # Without a ledger nothing was counted yet; reading does not create one.
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
    """Print the totals of the days by client, key and route."""
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row["client"], row["key"], row["route"]].append(row)
    for names, group in sorted(groups.items()):
        sums = _sum_rows(group)
        click.echo(f"{'  '.join(names)}  billed {sums['billed']}  refused {sums['refused']}  bytes {sums['bytes']}")
    sums = _sum_rows(rows)
    click.echo(f"{since} to {until}: billed {sums['billed']}, refused {sums['refused']}.", err=True)


# Characters of a header's value that no proxy refuses.
_MOST_BYTES = 1_024


@click.command()
@take_config
@take_terms
@click.option("--new-registry", is_flag=True, help="Begin a new registry if keys.json is lost: no earlier key works.")
@take_json
def create(*, config: Path, monthly_quota: int | None, new_registry: bool, as_json: bool, **terms: Any) -> None:
    """Create a key and print it. It can't be printed again."""
    configuration = read_config(config)
    now, text = read_clock(), make_key_text()
    id_, hash_ = split_key_text(text)
    key = make_key(configuration, id_=id_, hash_=hash_, now=now, **terms)
    registry = change_registry(
        open_config_store(configuration),
        lambda current: set_client_quota(add_key(current, key), key, monthly_quota),
        is_new=new_registry,
    )
    _show_once(text, describe_key(registry, id_, now=now), as_json=as_json)


@click.command("import")
@take_config
@take_terms
@take_json
def import_(*, config: Path, monthly_quota: int | None, as_json: bool, **terms: Any) -> None:
    """Import a key of another system: its text is read from standard input, and only its hash is kept."""
    configuration = read_config(config)
    now, text = read_clock(), _read_legacy_text()
    id_, _ = split_key_text(make_key_text())
    key = make_key(configuration, id_=id_, hash_=hash_key_text(text), now=now, **terms)
    try:
        registry = change_registry(
            open_config_store(configuration),
            lambda current: set_client_quota(import_key(current, key), key, monthly_quota),
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    print_result(describe_key(registry, id_, now=now), f"It is key {id_} from now on.", as_json=as_json)


@click.command()
@take_config
@click.argument("id_", metavar="ID")
@click.option(
    "--overlap",
    type=click.FloatRange(min=0, max=24 * 366),
    default=24,
    show_default=True,
    metavar="HOURS",
    help="How many hours the old key keeps working.",
)
@take_json
def rotate(*, config: Path, id_: str, overlap: float, as_json: bool) -> None:
    """Create a key with everything that another has, print it once, and let the other expire."""
    now, text = read_clock(), make_key_text()
    until = now + timedelta(seconds=round(overlap * 3600))
    new_id, hash_ = split_key_text(text)
    registry = change_key(
        open_config_store(read_config(config)),
        id_,
        lambda current: rotate_key(current, id_, successor=(new_id, hash_), now=now, until=until),
    )
    replaced = {"id": id_, "expires_at": describe_key(registry, id_, now=now)["expires_at"]}
    _show_once(text, {**describe_key(registry, new_id, now=now), "replaces": replaced}, as_json=as_json)
    click.echo(f"{id_} works until {replaced['expires_at']}.", err=True)


def _show_once(text: str, described: dict[str, Any], *, as_json: bool) -> None:
    print_result({"id": described["id"], "key": text, **described}, text, as_json=as_json)
    if not as_json:
        tell("This is the only time that the key is shown.")


def _read_legacy_text() -> bytes:
    """Read a key from standard input as the bytes that a client sends, in any encoding. Strip blanks at both ends and
    refuse control characters, since no header's value can have them."""
    text = sys.stdin.buffer.read(_MOST_BYTES + 3).strip()
    if not 1 <= len(text) <= _MOST_BYTES or any(byte < 0x20 or byte == 0x7F for byte in text):
        raise click.UsageError(
            f"standard input has no key: one line of 1 to {_MOST_BYTES} bytes without control characters"
        )
    if has_key_form(text):
        raise click.UsageError(
            "standard input has a key in this program's own form: create such keys with `outings keys create`"
        )
    return text


@click.command()
@take_config
@click.argument("id_", metavar="ID")
@click.argument("addons", metavar="[NAME]...", nargs=-1)
@click.option("--remove", "removed", multiple=True, metavar="NAME", help="An add-on to take back. Repeat for several.")
@take_json
def grant(*, config: Path, id_: str, addons: tuple[str, ...], removed: tuple[str, ...], as_json: bool) -> None:
    """Grant a key add-ons that its plan lacks, or revoke them."""
    if not addons and not removed:
        raise click.UsageError(f"name an add-on: {', '.join(GRANTS)}")
    _check_names("NAME", addons, allowed=GRANTS)
    _check_names("--remove", removed, allowed=GRANTS)
    store, now = open_config_store(read_config(config)), read_clock()
    registry = change_key(store, id_, lambda current: change_grants(current, id_, added=addons, removed=removed))
    described = describe_key(registry, id_, now=now)
    print_result(described, f"{id_} is granted {', '.join(described['grants']) or 'nothing'}.", as_json=as_json)


@click.command()
@take_config
@click.argument("id_", metavar="ID")
@take_json
def revoke(*, config: Path, id_: str, as_json: bool) -> None:
    """Refuse a key from now on."""
    store, now = open_config_store(read_config(config)), read_clock()
    registry = change_key(store, id_, lambda current: revoke_key(current, id_, now=now))
    described = describe_key(registry, id_, now=now)
    print_result(described, f"{id_} was revoked at {described['revoked_at']}.", as_json=as_json)


@click.group()
def keys() -> None:
    """Create, show and change keys. A running server applies a change within 10 s."""


for command in (create, import_, list_keys, show, grant, rotate, revoke, usage):
    keys.add_command(command)
