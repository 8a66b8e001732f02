"""`outings keys create`, `import`, `rotate`: each adds a key."""

import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import click

from command.keys.key_options import (
    change_key,
    describe_key,
    make_key,
    read_clock,
    set_client_quota,
    take_terms,
)
from command.options import open_config_store, print_result, read_config, take_config, take_json, tell
from outings.keys.changes import add_key, import_key, rotate_key
from outings.keys.key_text import has_key_form, hash_key_text, make_key_text, split_key_text
from outings.keys.registry import change_registry
from outings.keys.seal import WrongSeal, open_seal

# What a header's value may have without a proxy on the way refusing it.
_MOST_BYTES = 1_024

_UNSEALED = (
    "Only its plain SHA-256 is stored: whoever reads the registry can find a key that can be guessed. Set "
    "OUTINGS_EDGE_LEGACY_KEY_SECRET, for servers too, then run `outings keys seal`."
)


@click.command()
@take_config
@take_terms
@click.option("--new-registry", is_flag=True, help="Begin a new registry if keys.json is lost: no earlier key works.")
@take_json
def create(*, config: Path, monthly_quota: int | None, new_registry: bool, as_json: bool, **terms: Any) -> None:
    """Make a key and show it, this once."""
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
    """Take over a key of another system: its text is read from standard input, and only its hash is kept."""
    configuration = read_config(config)
    seal = open_seal(configuration.edge.legacy_key_secret)
    now, text = read_clock(), _read_legacy_text()
    id_, _ = split_key_text(make_key_text())
    key = make_key(configuration, id_=id_, hash_=hash_key_text(text), now=now, **terms)
    try:
        registry = change_registry(
            open_config_store(configuration),
            lambda current: set_client_quota(import_key(current, key, seal=seal), key, monthly_quota),
        )
    except (ValueError, WrongSeal) as error:
        raise click.UsageError(str(error)) from None
    if seal is None:
        click.echo(_UNSEALED, err=True)
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
    """Make a key with all that another has, show it, this once, and let the other end."""
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
    """As the bytes that a client sends, whatever they are in: a header's value begins and ends with no blank, and has
    no control characters."""
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
