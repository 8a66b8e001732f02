"""Options for the terms of a key, read and checked; and how a command shows a key."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

import click
import msgspec

from outings.configuration import Configuration
from outings.contract.pricing_plans import GRANTABLE, PLANS
from outings.contract.vocabulary import COLLECTIONS, INCLUDES
from outings.keys.changes import set_quota
from outings.keys.registry import EVERY, Key, Registry, change_registry
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
    click.option("--grant", "grants", multiple=True, metavar="NAME", help=f"An add-on: {', '.join(INCLUDES)}."),
    click.option("--per-minute", type=click.IntRange(min=1), help="The key's own rate."),
    click.option("--client", help="Who owns the key; several keys may share a client. The key's id if not given."),
    click.option("--monthly-quota", type=click.IntRange(min=1), help="The client's quota, shared by all its keys."),
    click.option("--expires", metavar="DATE", help="The first day on which the key is refused (UTC), or an instant."),
)


def take_terms(command: Decorated) -> Decorated:
    """Gives the command what `make_key` and `set_client_quota` take."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def make_key(configuration: Configuration, *, id_: str, hash_: str, now: datetime, **terms: Any) -> Key:
    """Of `take_terms`' options; exit 2 where one is not allowed."""
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
    """The key's client has this quota from now on; None leaves it as it is."""
    return registry if monthly_quota is None else set_quota(registry, key.client, monthly_quota)


def describe_key(registry: Registry, id_: str, *, now: datetime) -> dict[str, Any]:
    """Without its hash. `monthly_quota`: its client's own."""
    key = registry.by_id[id_]
    members: dict[str, Any] = msgspec.to_builtins(key)
    del members["hash"], members["slot"]
    quota = registry.clients_by_name[key.client].monthly_quota
    return {**members, "monthly_quota": quota, "state": key.describe_state(now)}


def read_clock() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


def change_key(store: Store, id_: str, change: Callable[[Registry], Registry]) -> Registry:
    """The registry after the change, or exit 2 where there is no such key, or the change is not allowed."""
    try:
        return change_registry(store, change)
    except KeyError:
        raise refuse_id(id_) from None
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="ID") from None


def refuse_id(id_: str) -> click.BadParameter:
    return click.BadParameter(f"there is no key {id_!r}; `outings keys list` shows all keys", param_hint="ID")


def check_addons(option: str, names: tuple[str, ...]) -> tuple[str, ...]:
    return _check_names(option, names, allowed=INCLUDES)


def _read_metros(names: tuple[str, ...], configuration: Configuration) -> tuple[str, ...]:
    slugs = {alias: metro.slug for metro in configuration.metros for alias in (metro.slug, *metro.aliases)}
    read = _read_scope("--metro", names, allowed=tuple(slugs))
    return tuple(dict.fromkeys(slugs.get(name, name) for name in read))


def _read_grants(names: tuple[str, ...], *, plan: str) -> tuple[str, ...]:
    if names and plan not in GRANTABLE:
        raise click.BadParameter(
            f"the {plan} plan takes no add-ons; plans that do: {', '.join(GRANTABLE)}", param_hint="--grant"
        )
    return check_addons("--grant", names)


def _read_scope(option: str, names: tuple[str, ...], *, allowed: tuple[str, ...]) -> tuple[str, ...]:
    """`*` or none is all."""
    return (EVERY,) if not names or EVERY in names else _check_names(option, names, allowed=allowed)


def _check_names(option: str, names: tuple[str, ...], *, allowed: tuple[str, ...]) -> tuple[str, ...]:
    """The names in the order given, each once."""
    for name in names:
        if name not in allowed:
            raise click.BadParameter(f"{name!r} is not one of {', '.join(allowed)}", param_hint=option)
    return tuple(dict.fromkeys(names))


def _read_expiry(text: str, *, now: datetime) -> datetime:
    """A date is its 00:00 in UTC."""
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
