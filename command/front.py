"""`outings front`: print the configuration of a proxy or CDN in front of the servers."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from command.options import read_config

# Text that needs no quotes in a configuration of nginx.
_ADDRESS = re.compile(r"(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\]):[0-9]{1,5}|unix:/[A-Za-z0-9._/@+=-]*")
_NAME = re.compile(r"[A-Za-z0-9.*_-]+")
_LISTEN = re.compile(r"(?:(?:[0-9.]+|\[[0-9A-Fa-f:]+\]):)?[0-9]{1,5}")
_PATH = re.compile(r"/[A-Za-z0-9._/@+=-]*")


@click.group()
def front() -> None:
    """Write the configuration of a front, such as nginx."""


@front.command()
@click.option(
    "--edge", "edges", multiple=True, required=True, metavar="HOST:PORT",
    help="A server, or `unix:PATH.0` for a worker's own socket. Repeat it for each.",
)  # fmt: skip
@click.option("--name", default="_", show_default=True, help="The host name that readers use; `_` is any.")
@click.option("--listen", metavar="[ADDRESS:]PORT", help="Where to listen; 443 with a certificate, else 80.")
@click.option("--plain", default="80", metavar="[ADDRESS:]PORT", help="With a certificate: where http is refused.")
@click.option("--certificate", metavar="PATH", help="The certificate, with its chain (PEM).")
@click.option("--certificate-key", metavar="PATH", help="Its key (PEM).")
@click.option("--files", metavar="PATH", help="The folder of [static]: its files are sent without a key or a server.")
@click.option("--log-folder", default="/var/log/nginx", show_default=True, metavar="PATH", help="Where nginx logs.")
@click.option(
    "-c", "--config", type=click.Path(path_type=Path), default=None, help="The servers' configuration, to check it."
)
def nginx(
    *,
    edges: Sequence[str],
    name: str,
    listen: str | None,
    plain: str,
    certificate: str | None,
    certificate_key: str | None,
    files: str | None,
    log_folder: str,
    config: Path | None,
) -> None:
    """Print a configuration of nginx for one server or more."""
    from edge.serving.nginx import NginxFront, render_nginx

    if (certificate is None) != (certificate_key is None):
        raise click.UsageError("--certificate and --certificate-key go together")
    listening = listen or ("80" if certificate is None else "443")
    for option, text, pattern, example in (
        *(("--edge", edge, _ADDRESS, "10.0.0.5:8000") for edge in edges),
        ("--name", name, _NAME, "api.example.org"),
        ("--listen", listening, _LISTEN, "443 or 127.0.0.1:8443"),
        ("--plain", plain, _LISTEN, "80"),
        ("--certificate", certificate, _PATH, "/etc/ssl/outings.pem"),
        ("--certificate-key", certificate_key, _PATH, "/etc/ssl/outings.pem"),
        ("--files", files, _PATH, "/srv/public"),
        ("--log-folder", log_folder, _PATH, "/var/log/nginx"),
    ):
        if text is not None:
            _check(text, pattern, option=option, example=example)
    if config is not None:
        _warn(config, edges)
    front = NginxFront(
        edges=tuple(dict.fromkeys(edges)), name=name, listen=listening, plain=plain, certificate=certificate,
        certificate_key=certificate_key, log_folder=log_folder.rstrip("/"), files=files,
    )  # fmt: skip
    sys.stdout.write(render_nginx(front))


def _check(text: str, pattern: re.Pattern[str], *, option: str, example: str) -> None:
    if not pattern.fullmatch(text):
        raise click.UsageError(f"{option} {text!r}: allowed: a value such as {example}")


def _warn(config: Path, edges: Sequence[str]) -> None:
    """Warn if several servers would each apply a key's limits by themselves."""
    from edge.limits.limiter import LOCAL

    table = read_config(config).edge
    servers = {re.sub(r"^(unix:.*)\.[0-9]+$", r"\1", edge) for edge in edges}  # workers' sockets are one server's
    if len(servers) > 1 and table.rate_storage == LOCAL:
        click.echo(
            f"{config}: [edge] rate_storage is {LOCAL!r}, so each machine counts by itself and a key gets its limit "
            'from each of them. Give all of them one Redis: rate_storage = "redis://HOST:6379/0".',
            err=True,
        )
