"""Options and output that all commands share: the configuration file, and results as JSON or text."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
import msgspec

from outings.failures import OperatorError

if TYPE_CHECKING:
    from outings.configuration import Configuration
    from outings.release.store import Store

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def take_config(command: Decorated) -> Decorated:
    """Add the option `--config` to a command, as the argument `config`."""
    return click.option(
        "-c",
        "--config",
        type=click.Path(path_type=Path),
        default=Path("outings.toml"),
        show_default=True,
        help="The configuration.",
    )(command)


def take_json(command: Decorated) -> Decorated:
    """Add the option `--json` to a command, as the argument `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")(command)


class DayType(click.DateTime):
    """The type of options that take a date."""

    def __init__(self) -> None:
        super().__init__(["%Y-%m-%d"])

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{value!r} is not a date; allowed: YYYY-MM-DD", param, ctx)


def read_config(path: Path) -> "Configuration":
    """Read the configuration and apply the environment to it. Raises ConfigurationError with all problems."""
    from outings.configuration import read_configuration

    return read_configuration(path, os.environ)


def open_config_store(configuration: "Configuration") -> "Store":
    from outings.release.store import open_configured_store

    return open_configured_store(configuration.store)


def print_json(value: object) -> None:
    """Print one object on standard output, its members in the given order."""
    _echo(msgspec.json.encode(value).decode())


# A feed may have what moves a terminal's cursor or turns its text around.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def disarm(text: str) -> str:
    """Replace control characters other than line ends and tabs, so that a terminal shows the text and obeys nothing."""
    return _CONTROLS.sub("\ufffd", text)


def print_result(value: object, *lines: str, as_json: bool) -> None:
    """Print `value` as JSON, or else the lines for people."""
    if as_json:
        print_json(value)
        return
    for line in lines:
        _echo(disarm(line))


def _echo(text: str) -> None:
    try:
        click.echo(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OperatorError(f"standard output can't be written: {error.strerror}") from error


def tell(line: str) -> None:
    """Print a line of progress on standard error."""
    click.echo(disarm(line), err=True)
