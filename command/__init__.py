"""The command line: `outings <command>`. Each command is a module of this package with a function of the same name.

Exit codes: 0 done; 1 failed; 2 wrong usage or configuration; 3 refused by a guard; 4 published, but a feed kept its
last good version; 5 published, but a feed has no listing. With `--json` a command prints one object on standard output;
everything else goes to standard error.
"""

from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

from outings.failures import OperatorError

# Each command with its line in `outings --help`, so that help and unknown names import no command.
COMMANDS = {
    "demo": "Make two sample metros, build them, print a key and serve them.",
    "init": "Look at files or addresses and draft a configuration.",
    "presets": "List the systems whose feeds need no more than an address.",
    "check": "Check the configuration and every feed. Publish nothing.",
    "build": "Publish one new release from the feeds.",
    "serve": "Answer requests from the release in the store.",
    "front": "Write the configuration of nginx before servers.",
    "keys": "Create, change and list keys, and show their usage.",
    "site": "Write the pages of the current release into a folder.",
    "mirror": "Keep a copy of what a key may read.",
    "mcp": "Give an assistant tools that ask an API.",
    "takedown": "Withdraw listings at once, and keep them away.",
    "query": "Run a SELECT over what a release publishes.",
    "releases": "List, compare, verify, roll back, restore and prune releases.",
}


class Commands(click.Group):
    """A click group that imports the module of a command only when it runs: `--help` takes 0.1 s instead of 1 s."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"command.{cmd_name}"), cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command. For an unknown name, suggest one from `COMMANDS`: click would look among `commands`, which
        are imported only when called."""
        try:
            return super().resolve_command(ctx, args)
        except click.exceptions.NoSuchCommand as error:
            raise click.exceptions.NoSuchCommand(error.command_name, possibilities=COMMANDS, ctx=ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Offer the names of the commands to a shell, without importing any command."""
        own = [CompletionItem(name, help=line) for name, line in COMMANDS.items() if name.startswith(incomplete)]
        return own + click.Command.shell_complete(self, ctx, incomplete)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise  # click handles a closed pipe: `outings releases list | head`
        except Exception as error:
            if ctx.params.get("traceback") and not isinstance(error, OperatorError):
                raise
            from command.options import disarm

            click.ClickException(disarm(explain_error(error))).show()
            raise click.exceptions.Exit(find_exit_code(error)) from error


def find_exit_code(error: Exception) -> int:
    return error.exit_code if isinstance(error, OperatorError) else 1


def explain_error(error: Exception) -> str:
    """Return the error's message. If the fault is ours and not that of the operator, the store or a file, name the
    error's type and say how to find it."""
    if isinstance(error, OperatorError):
        return str(error)
    from outings.release.publishing import BuildTooLong
    from outings.release.store import Corrupt, StoreError

    if isinstance(error, (StoreError, Corrupt, BuildTooLong)):
        return str(error)
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return f"{type(error).__name__}: {error} (to see where, run `outings --traceback …`)"


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="outings")
@click.option("--traceback", is_flag=True, help="Show where an unexpected error came from.")
def main(*, traceback: bool) -> None:
    """Serve a read-only JSON API over family activities, built from your feeds."""
