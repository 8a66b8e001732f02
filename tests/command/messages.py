"""All messages of the command line: help texts and refusals. `python -m tests.command.messages` writes `messages.txt`
again, whose difference shows what people will read."""

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from click.testing import CliRunner

from command import main
from tests.command.conftest import CONFIGURATION

FILE = Path(__file__).with_name("messages.txt")
_COLUMNS = 100

# Calls that are refused, by an operator with a configuration of two metros and an empty store.
REFUSED = """
buidl
--nonsense
build --metro boston
build --as-of yesterday
build --workers 0
build --executor somewhere
check -c missing.toml
check nobody
serve --port 99999
serve --workers 0
front nonsense
front nginx --edge nonsense
init
init calendar.csv
keys create --client acme
keys create --client acme --plan gold
keys create --client acme --plan standard --metro boston
keys create --client acme --plan standard --type concerts
keys create --client acme --plan standard --grant everything
keys create --client acme --plan free --grant source
keys create --client acme --plan standard --per-minute 0
keys create --client acme --plan standard --expires soon
keys revoke
keys revoke abcdefgh
keys usage --from 2026-02-31
keys import --plan standard
presets nonsense
query
query 'SELECT 1'
releases list
releases show 1
releases diff 1 2
releases rollback 1-0a1b2c3d
releases nonsense
site
site pages
mirror
mirror copy.sqlite
mcp
takedown
takedown nonsense
takedown 0d5c0000-0000-4000-8000-000000000000
"""


def list_messages() -> Iterator[tuple[str, str]]:
    """Yield each call with what it prints, in an empty folder that becomes the current one."""
    Path("outings.toml").write_text(CONFIGURATION)
    for words in (*_list_helps(main, ()), *map(tuple, map(shlex.split, REFUSED.strip().splitlines()))):
        result = CliRunner().invoke(main, list(words), prog_name="outings", terminal_width=_COLUMNS)
        # Above an error stands the way to the help, the same for all.
        printed = re.sub(r"\AUsage: .*\nTry .*\n\n(?=Error: )", "", result.output)
        printed = printed.replace(str(Path.cwd()), "FOLDER").rstrip()
        yield shlex.join(("outings", *words)), f"{printed}\n[exit {result.exit_code}]"


def _list_helps(command: click.Command, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the words that show the help of a command, then of those in it."""
    yield *words, "--help"
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from _list_helps(inner, (*words, name))


def render_messages() -> str:
    return "\n\n".join(f"$ {call}\n{printed}" for call, printed in list_messages()) + "\n"


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        FILE.write_text(render_messages())
