"""`outings keys`: make, show and change keys, and what they were used for."""

import click

from command.keys.changes import grant, revoke, seal
from command.keys.creation import create, import_, rotate
from command.keys.listing import list_keys, show, usage


@click.group()
def keys() -> None:
    """Make, show and change keys. A running server takes a change up within 10 s."""


for command in (create, import_, list_keys, show, grant, rotate, revoke, seal, usage):
    keys.add_command(command)
