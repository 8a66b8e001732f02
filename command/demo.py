"""`outings demo`: sample metros built and served, with a key and requests to try."""

import os
import secrets
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from command.build import BuildRecorder, run_build
from command.options import open_config_store, read_config
from command.sample_cities import is_world, write_world
from command.static_tree import publish_tree
from outings.configuration import Configuration
from outings.keys.key_text import make_key_text, split_key_text
from outings.keys.registry import Key, add_key, change_registry, read_registry
from pipeline.clock import parse_as_of
from pipeline.plan import Build

CONFIGURATION = Path("var/demo/outings.toml")
PORT = 8000
# Listings per metro: enough for meaningful pages and facets, and built in two seconds.
SIZE = 400

# The rate of all visitors together; `[site] key_per_minute` limits each address.
VISITORS_PER_MINUTE = 1_200

# One of each kind: a plain list, filters, another metro. The README shows the same.
REQUESTS = ("/v1/metros", "/v1/seattle/events?free=true&limit=3", "/v1/new-york/places?limit=3")


@click.command()
@click.option(
    "-c",
    "--config",
    type=click.Path(path_type=Path),
    default=CONFIGURATION,
    show_default=True,
    help="The configuration to create; data, store and key go into the same folder.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="The port; 0 for a free one."
)
def demo(*, config: Path, host: str, port: int) -> None:
    """Make two sample metros, build them, print a key and three requests, and serve."""
    from edge.serving.server import bind_sockets, run_server

    if config.exists() and not is_world(config):
        raise click.UsageError(f"{config} was not made by this command; name another file for the demo with -c")
    try:
        listening = bind_sockets(host, port, count=1)
    except OSError as error:
        raise click.ClickException(f"cannot listen on {host}:{port}: {error.strerror or error}") from error
    now = datetime.now(UTC)
    visitors = _keep(config.absolute().parent / "visitors-key.txt", make_key_text())
    write_world(config.absolute(), today=now.date(), size=SIZE, key=visitors, has_static=True)
    configuration = read_config(config)
    request = Build(configuration=configuration, as_of=parse_as_of(None, now=lambda: now))
    run_build(request, recorder=BuildRecorder(report=None, as_of=None), workers=1)
    publish_tree(configuration)
    key = _keep(configuration.directory / "key.txt", make_key_text())
    _add_key(configuration, key, client="demo", plan="partner", now=now)
    own = {"grants": ("where",), "per_minute": VISITORS_PER_MINUTE}
    _add_key(configuration, visitors, client="visitors", plan="standard", now=now, **own)
    # The workers read the configuration again, in this environment.
    os.environ["OUTINGS_EDGE_CALENDAR_SECRETS"] = _keep(configuration.directory / "calendar.txt", secrets.token_hex(32))
    click.echo("Starting the server, which takes a few seconds …", err=True)
    base_url = f"http://{host}:{listening.port}"
    run_server(config, listening=listening, announce=lambda: _print_requests(key, base_url, config))


def _add_key(configuration: Configuration, text: str, *, client: str, plan: str, now: datetime, **terms: Any) -> None:
    """Add a key with this text to the registry, unless an earlier run added it. `terms`: further fields of the key."""
    store = open_config_store(configuration)
    id_, hash_ = split_key_text(text)
    registry, _ = read_registry(store)
    if not any(key.hash == hash_ for key in registry.keys):
        created_at = now.replace(microsecond=0)
        key = Key(id=id_, hash=hash_, client=client, plan=plan, created_at=created_at, **terms)
        change_registry(store, lambda registry: add_key(registry, key))


def _keep(path: Path, text: str) -> str:
    """Return the text of the file. If there is none, write `text` into it, readable by its owner alone."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.write_text(text + "\n")
    return path.read_text().strip()


def _print_requests(key: str, base_url: str, config: Path) -> None:
    click.echo(f"\nOpen {base_url}/ in a browser: two sample metros are served there (Ctrl-C stops).")
    click.echo("Or in another terminal:\n")
    click.echo(f"export KEY={key}")
    for request in REQUESTS:
        click.echo(f'curl -H "X-API-Key: $KEY" "{base_url}{request}"')
    click.echo(f"\nWhat everybody may read is also in {config.parent / 'var/public'}, as plain files for any host.\n")
    sys.stdout.flush()
