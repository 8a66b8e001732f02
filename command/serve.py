"""`outings serve`: answer requests from the release in the store."""

import os
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

import click

from command.options import read_config, take_config
from outings.configuration import Configuration

if TYPE_CHECKING:
    # The server takes long to import, and no other command needs it.
    from edge.serving.server import ListeningSockets

MEBIBYTE = 2**20


@click.command()
@take_config
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on; `unix:PATH` for Unix sockets PATH.0, PATH.1 and so on, one for each worker.",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="The port; 0 for a free one."
)
@click.option(
    "--workers", type=click.IntRange(min=1), help="How many processes to use; one for each core if not given."
)
@click.option(
    "--memory",
    type=click.IntRange(min=1),
    default=64,
    show_default=True,
    envvar="OUTINGS_MEMORY",
    help="MiB of answers that each worker keeps.",
)
@click.option(
    "--access-log/--no-access-log", default=True, show_default=True, help="Log each request as a line of JSON."
)
def serve(*, config: Path, host: str, port: int, workers: int | None, memory: int, access_log: bool) -> None:
    """Answer requests from the release in the store, until SIGTERM or SIGINT."""
    from edge.serving.server import run_server
    from outings.release.trust import read_reader

    configuration = read_config(config)
    # Check that a worker can start: one that can't ends at once, and would be replaced for ever.
    read_reader(configuration.signing)
    _check_folders(configuration)
    _check_machine(configuration)
    processes = workers or len(os.sched_getaffinity(0))
    listening = _listen(host, port=port, count=processes)
    click.echo(f"Starting {processes} worker(s) for {listening.address}, which takes a few seconds …", err=True)
    serving = f"Serving on {listening.address}, {processes} worker(s)."
    run_server(
        config,
        listening=listening,
        announce=lambda: click.echo(serving, err=True),
        memory=memory * MEBIBYTE,
        access_log=access_log,
    )


def _check_folders(configuration: Configuration) -> None:
    from edge.limits.limiter import LOCAL, TableError, open_limits
    from edge.usage import open_ledger

    edge = configuration.edge
    try:
        edge.cache.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=edge.cache).close()
    except OSError as error:
        raise click.ClickException(f"[edge] cache: {error.filename or edge.cache}: {error.strerror}") from error
    try:
        open_ledger(edge.state, is_required=edge.rate_storage == LOCAL)
        open_limits(edge.rate_storage, state=edge.state)
    except (OSError, TableError) as error:
        raise click.ClickException(f"[edge] state: {error}") from error
    except ImportError as error:
        raise click.ClickException(f"[edge] rate_storage: {error}; install outings[redis]") from error
    except ValueError as error:
        # Show neither the URL nor the reason: either may contain the password.
        raise click.ClickException("[edge] rate_storage is not a URL that the Redis client can read") from error


def _check_machine(configuration: Configuration) -> None:
    from edge.limits.connections import explain_descriptors

    if configuration.weather.provider == "nws" or configuration.geocoder.provider not in ("none", "local"):
        # It imports an HTTP client, an eighth of all import time.
        from outings.remote.fetcher import check_proxies

        try:
            check_proxies()
        except ValueError as error:
            raise click.ClickException(f"the proxy that the environment names can't be used: {error}") from error
    too_few = explain_descriptors()
    if too_few is not None:
        raise click.ClickException(too_few)


def _listen(host: str, *, port: int, count: int) -> "ListeningSockets":
    from edge.serving.server import bind_files, bind_sockets

    path = host.removeprefix("unix:")
    try:
        return bind_sockets(host, port, count=count) if path == host else bind_files(Path(path), count=count)
    except OSError as error:
        named = f"{host}:{port}" if path == host else host
        raise click.ClickException(f"cannot listen on {named}: {error.strerror or error}") from error
