"""`outings keys`: make, list and revoke keys."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import msgspec

from outings.command.options import open_config_store, print_json, read_config, take_config, take_json
from outings.configuration import Configuration
from outings.contract.parameters import INCLUDES
from outings.contract.plans import GRANTABLE, PLANS
from outings.contract.vocabulary import COLLECTIONS
from outings.release.keys import (
    EVERY,
    Key,
    add_key,
    change_registry,
    make_key_text,
    read_registry,
    revoke_key,
    split_key_text,
)

_TYPES = tuple(COLLECTIONS.values())


@click.group()
def keys() -> None:
    """Make, list and revoke keys. A running server takes a change up within 10 s."""


@keys.command()
@take_config
@click.option("--plan", type=click.Choice(tuple(PLANS)), required=True)
@click.option("--metro", "metros", multiple=True, metavar="SLUG", help="A metro it may read; * or none: all.")
@click.option("--type", "types", multiple=True, metavar="NAME", help=f"Of {', '.join(_TYPES)}; * or none: all.")
@click.option("--grant", "grants", multiple=True, metavar="NAME", help=f"An add-on: {', '.join(INCLUDES)}.")
@click.option("--per-minute", type=click.IntRange(min=1), help="A rate of its own.")
@click.option("--client", help="Who owns it; several keys may share one. Its own id if not given.")
@click.option("--expires", metavar="DATE", help="The first day on which it is refused (UTC), or an instant.")
@take_json
def create(
    *,
    config: Path,
    plan: str,
    metros: tuple[str, ...],
    types: tuple[str, ...],
    grants: tuple[str, ...],
    per_minute: int | None,
    client: str | None,
    expires: str | None,
    as_json: bool,
) -> None:
    """Make a key and show it, this once."""
    configuration = read_config(config)
    now = _now()
    text = make_key_text()
    id_, hash_ = split_key_text(text)
    key = Key(
        id=id_,
        hash=hash_,
        client=client or id_,
        plan=plan,
        metros=_read_metros(metros, configuration),
        types=_read_scope("--type", types, allowed=_TYPES),
        grants=_read_grants(grants, plan=plan),
        per_minute=per_minute,
        expires_at=None if expires is None else _read_expiry(expires, now=now),
        created_at=now,
    )
    change_registry(open_config_store(configuration), lambda registry: add_key(registry, key))
    if as_json:
        print_json({"id": key.id, "key": text, **_describe(key, now)})
    else:
        click.echo(text)
        click.echo("This is the only time that the key is shown.", err=True)


@keys.command("list")
@take_config
@take_json
def list_keys(*, config: Path, as_json: bool) -> None:
    """List all keys that were ever made; none of them can be shown again."""
    registry, _ = read_registry(open_config_store(read_config(config)))
    described = [{"id": key.id, **_describe(key, _now())} for key in registry.keys]
    if as_json:
        print_json({"keys": described})
        return
    for row in described:
        scope = f"{','.join(row['metros'])} {','.join(row['types'])}"
        click.echo(f"{row['id']}  {row['state']:8}  {row['plan']:8}  {row['client']}  {scope}")


@keys.command()
@take_config
@click.argument("id_", metavar="ID")
@take_json
def revoke(*, config: Path, id_: str, as_json: bool) -> None:
    """Refuse a key from now on."""
    store = open_config_store(read_config(config))
    now = _now()
    try:
        registry = change_registry(store, lambda registry: revoke_key(registry, id_, now=now))
    except KeyError:
        raise click.BadParameter(f"there is no key {id_!r}; `outings keys list` names them", param_hint="ID") from None
    key = registry.by_id[id_]
    if as_json:
        print_json({"id": id_, **_describe(key, now)})
    else:
        click.echo(f"{id_} is revoked since {key.revoked_at:%Y-%m-%dT%H:%M:%SZ}.")


def _describe(key: Key, now: datetime) -> dict[str, Any]:
    """A key without its hash."""
    members: dict[str, Any] = msgspec.to_builtins(key)
    del members["id"], members["hash"], members["slot"]
    return {**members, "state": key.describe_state(now)}


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


def _read_metros(names: tuple[str, ...], configuration: Configuration) -> tuple[str, ...]:
    slugs = {alias: metro.slug for metro in configuration.metros for alias in (metro.slug, *metro.aliases)}
    read = _read_scope("--metro", names, allowed=tuple(slugs))
    return tuple(dict.fromkeys(slugs.get(name, name) for name in read))


def _read_grants(names: tuple[str, ...], *, plan: str) -> tuple[str, ...]:
    if names and plan not in GRANTABLE:
        raise click.BadParameter(f"the {plan} plan takes no add-ons: {', '.join(GRANTABLE)}", param_hint="--grant")
    return _check_names("--grant", names, allowed=INCLUDES)


def _read_scope(option: str, names: tuple[str, ...], *, allowed: tuple[str, ...]) -> tuple[str, ...]:
    """`*` or none is all."""
    return (EVERY,) if not names or EVERY in names else _check_names(option, names, allowed=allowed)


def _check_names(option: str, names: tuple[str, ...], *, allowed: tuple[str, ...]) -> tuple[str, ...]:
    """The names in the order given, each once."""
    for name in names:
        if name not in allowed:
            raise click.BadParameter(f"{name!r} is none of {', '.join(allowed)}", param_hint=option)
    return tuple(dict.fromkeys(names))


def _read_expiry(text: str, *, now: datetime) -> datetime:
    """A date is its 00:00 in UTC."""
    try:
        expires = datetime.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is no date; allowed is YYYY-MM-DD or an instant with an offset", param_hint="--expires"
        ) from None
    if expires.tzinfo is None:
        expires = expires.replace(tzinfo=UTC)
    if expires <= now:
        raise click.BadParameter(f"{text} is not after now", param_hint="--expires")
    return expires.astimezone(UTC).replace(microsecond=0)
