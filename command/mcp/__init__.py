"""`outings mcp`: tools with which an assistant asks an API, over stdio or HTTP."""

import os
import socket
from pathlib import Path

import click

from command.mirror.client import MirrorError, read_key
from command.options import read_config, tell
from outings.configuration.tables import MirrorTable

_HOST = "127.0.0.1"


@click.command()
@click.option("-c", "--config", type=click.Path(path_type=Path), help="A configuration with a table [mirror].")
@click.option(
    "--url",
    envvar="OUTINGS_URL",
    help="The API's address, such as https://api.example.org; OUTINGS_URL or [mirror] url if not given.",
)
@click.option(
    "--key-file",
    type=click.Path(path_type=Path),
    help="A file with the key; the variable OUTINGS_KEY or [mirror] key_file if not given.",
)
@click.option(
    "--http",
    "address",
    metavar="[HOST:]PORT",
    help=f"Listen here, on {_HOST} if no host is given, instead of talking on standard input and output.",
)
@click.option(
    "--drafts",
    is_flag=True,
    help="Also draft feeds, as init does, of files below this folder and of addresses. Writes nothing.",
)
def mcp(*, config: Path | None, url: str | None, key_file: Path | None, address: str | None, drafts: bool) -> None:
    """Give an assistant tools that ask an API: search, lists, what is nearby, details and the calendar.

    With --http, callers may send a key of their own as X-API-Key. The command then needs none.
    """
    if drafts and address is not None:
        raise click.UsageError("--drafts reads files of this folder, so it can't be combined with --http")
    table = MirrorTable() if config is None else read_config(config).mirror
    url, key_file = url or table.url, key_file or (None if os.environ.get("OUTINGS_KEY") else table.key_file)
    if not url and not drafts:
        raise click.UsageError(
            "the address of the API is missing: give --url, set OUTINGS_URL, or give -c with a [mirror] url"
        )
    try:
        from command.mcp.serving import serve_http, serve_stdio
    except ImportError as error:
        raise click.ClickException(f"{error}; install outings[mcp]") from error
    from command.mcp.assistant import Assistants
    from command.mcp.drafting import Drafting

    drafting = Drafting(Path.cwd()) if drafts else None
    if not url:
        serve_stdio(None, key="", drafts=drafting)
        return
    key = read_key(key_file) if key_file or os.environ.get("OUTINGS_KEY") or address is None else ""
    assistants = Assistants(url.rstrip("/"))
    if key:
        assistants.find(key)  # a wrong address or key is an error of the command, not of the first call
    if address is None:
        serve_stdio(assistants, key=key, drafts=drafting)
        return
    with _listen(address) as listening:
        host, port = listening.getsockname()[:2]
        tell(f"Assistants connect to http://{host}:{port}/mcp (Ctrl-C stops)")
        serve_http(assistants, key=key, listening=listening)


def _listen(address: str) -> socket.socket:
    host, _, port = address.rpartition(":")
    if not port.isdecimal() or int(port) > 65535:
        raise click.BadParameter(f"{address!r} is not [HOST:]PORT, such as 8765", param_hint="--http")
    try:
        return socket.create_server((host or _HOST, int(port)))
    except OSError as error:
        raise MirrorError(f"cannot listen on {address}: {error.strerror or error}") from error
