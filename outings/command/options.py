"""What every command takes: where the configuration is, and how to print."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
import msgspec

from outings.command import ConfigurationFailure

if TYPE_CHECKING:
    from outings.configuration import Configuration
    from outings.configuration.tables import SigningTable
    from outings.release.store import Store
    from outings.release.trust import Trust

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def take_config(command: Decorated) -> Decorated:
    """Gives the command `config`, a `Path`."""
    return click.option(
        "-c",
        "--config",
        type=click.Path(path_type=Path),
        default=Path("outings.toml"),
        show_default=True,
        help="The configuration.",
    )(command)


def take_json(command: Decorated) -> Decorated:
    """Gives the command `as_json`, a boolean."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")(command)


def read_config(path: Path) -> "Configuration":
    """The configuration with the environment laid over it, or exit 2 with all its problems."""
    from outings.configuration import ConfigurationError, read_configuration

    try:
        return read_configuration(path, os.environ)
    except ConfigurationError as error:
        raise ConfigurationFailure("\n".join(map(str, error.problems))) from error


def open_config_store(configuration: "Configuration") -> "Store":
    from outings.release.stores import open_configured_store

    return open_configured_store(configuration.store)


def read_trust(configuration: "Configuration", read: Callable[["SigningTable"], "Trust"]) -> "Trust":
    """What `read` of `release.trust` makes of `[signing]`, or exit 2."""
    from outings.release.trust import WrongKey

    try:
        return read(configuration.signing)
    except WrongKey as wrong:
        raise ConfigurationFailure(str(wrong)) from wrong


def print_json(value: object) -> None:
    """One object on standard output, members in the order given."""
    click.echo(msgspec.json.encode(value).decode())
