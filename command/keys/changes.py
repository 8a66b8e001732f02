"""`outings keys grant`, `seal`, `revoke`: each changes keys."""

from pathlib import Path

import click

from command.keys.key_options import change_key, check_addons, describe_key, read_clock, refuse_id
from command.options import open_config_store, print_result, read_config, take_config, take_json
from outings.contract.vocabulary import INCLUDES
from outings.keys.changes import change_grants, revoke_key, seal_keys
from outings.keys.registry import Registry, change_registry
from outings.keys.seal import WrongSeal, open_seal


@click.command()
@take_config
@click.argument("id_", metavar="ID")
@click.argument("addons", metavar="[NAME]...", nargs=-1)
@click.option("--remove", "removed", multiple=True, metavar="NAME", help="An add-on to take back. Repeat for several.")
@take_json
def grant(*, config: Path, id_: str, addons: tuple[str, ...], removed: tuple[str, ...], as_json: bool) -> None:
    """Give a key add-ons that its plan has not, or take them back."""
    if not addons and not removed:
        raise click.UsageError(f"name an add-on: {', '.join(INCLUDES)}")
    check_addons("NAME", addons)
    check_addons("--remove", removed)
    store, now = open_config_store(read_config(config)), read_clock()
    registry = change_key(store, id_, lambda current: change_grants(current, id_, added=addons, removed=removed))
    described = describe_key(registry, id_, now=now)
    print_result(described, f"{id_} is granted {', '.join(described['grants']) or 'nothing'}.", as_json=as_json)


@click.command()
@take_config
@click.argument("ids", metavar="[ID]...", nargs=-1)
@take_json
def seal(*, config: Path, ids: tuple[str, ...], as_json: bool) -> None:
    """Put the hashes of keys under [edge] legacy_key_secret, of all keys if none is named."""
    configuration = read_config(config)
    secret = open_seal(configuration.edge.legacy_key_secret)
    if secret is None:
        raise click.UsageError("[edge] legacy_key_secret is missing; set OUTINGS_EDGE_LEGACY_KEY_SECRET")
    before: list[Registry] = []

    def change(current: Registry) -> Registry:
        before[:] = [current]
        return seal_keys(current, ids, seal=secret)

    try:
        registry = change_registry(open_config_store(configuration), change)
    except KeyError as unknown:
        raise refuse_id(unknown.args[0]) from None
    except WrongSeal as wrong:
        raise click.UsageError(str(wrong)) from None
    sealed = sum(old.hash != new.hash for old, new in zip(before[0].keys, registry.keys, strict=True))
    described = {"sealed": sealed, "keys": len(registry.keys)}
    print_result(described, f"{sealed} of {len(registry.keys)} keys were sealed.", as_json=as_json)


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
