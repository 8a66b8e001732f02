"""`outings mirror`: a SQLite file that equals what a key may read, or a folder that equals a static tree."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import click

from command.mirror.client import KEY, ApiClient, Connection, read_key
from command.mirror.static_tree import copy_tree
from command.mirror.sync import MirrorFile, catch_up, check_mirror
from command.options import print_result, read_config, take_json, tell
from outings.configuration.tables import MirrorTable, SigningTable
from outings.release.trust import read_reader


@click.command()
@click.argument("file", metavar="FILE|FOLDER", type=click.Path(path_type=Path))
@click.option("-c", "--config", type=click.Path(path_type=Path), help="A configuration with a table [mirror].")
@click.option("--url", help="The API's address, such as https://api.example.org; [mirror] url if not given.")
@click.option(
    "--key-file",
    type=click.Path(path_type=Path),
    help=f"A file with the key; the variable {KEY} or [mirror] key_file if not given.",
)
@click.option("--static", metavar="URL", help="Copy the static tree at this address into FOLDER instead.")
@click.option(
    "--key",
    "public_key",
    metavar="FILE",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="With --static: a PEM file of public keys, one of which must have signed the tree.",
)
@click.option("--check", "is_check", is_flag=True, help="Compare the file with the API.")
@click.option(
    "--follow", type=click.FloatRange(min=1), metavar="SECONDS", help="Look for changes this often, until stopped."
)
@take_json
def mirror(
    *,
    file: Path,
    config: Path | None,
    url: str | None,
    key_file: Path | None,
    static: str | None,
    public_key: Path | None,
    is_check: bool,
    follow: float | None,
    as_json: bool,
) -> None:
    """Bring FILE up to date with what the key may read, or FOLDER with a static tree. If stopped, it continues from
    there."""
    if static is not None:
        if config or url or key_file or is_check or follow is not None:
            raise click.UsageError("--static takes only --key and --json beside it: a static tree needs no API key")
        _copy_tree(static.rstrip("/"), file, public_key, as_json=as_json)
        return
    if public_key is not None:
        raise click.UsageError("--key is of a static tree: give it with --static; a key of the API is in --key-file")
    if is_check and follow is not None:
        raise click.UsageError("--check compares once, and --follow goes on until it is stopped: give one of them")
    table = MirrorTable() if config is None else read_config(config).mirror
    url = (url or table.url).rstrip("/")
    if not url:
        raise click.UsageError("the address of the API is missing: give --url, or -c with a [mirror] url")
    try:
        connection = Connection(url, key=read_key(key_file, configured=table.key_file))
        with closing(connection), closing(MirrorFile(file)) as mirror_file:
            client = ApiClient(connection, url=url)
            while True:
                caught = catch_up(
                    client, mirror_file, url=url, tell=lambda cursor, latest: tell(f"version {cursor:,} of {latest:,}")
                )
                if follow is None:
                    break
                time.sleep(follow)
            different = check_mirror(client, mirror_file, url=url) if is_check else []
            records = mirror_file.count()
    except sqlite3.Error as error:
        message = f"{file}: {error}; a mirror is a SQLite file, and only one process may write it at a time"
        raise click.ClickException(message) from None
    lines = [
        f"{difference.metro} {difference.type}: {difference.here or 'none'} here, {difference.there or 'none'} there"
        for difference in different
    ]
    described = {"changes": caught.changes, "records": records, "different": lines}
    compared = "; the same as the server's" if is_check and not lines else ""
    print_result(described, f"{records:,} records, {caught.changes:,} changes read{compared}", as_json=as_json)
    if lines:
        raise click.ClickException("the mirror differs:\n" + "\n".join(lines))


def _copy_tree(url: str, folder: Path, public_key: Path | None, *, as_json: bool) -> None:
    trust = read_reader(SigningTable(public_key="" if public_key is None else str(public_key)))
    copied = copy_tree(url, folder, trust=trust)
    described = {
        "release": copied.index.release, "built_at": copied.index.built_at, "signed_by": copied.signer,
        "files": len(copied.index.files), "downloaded": copied.downloaded, "deleted": copied.deleted,
    }  # fmt: skip
    signed = "not verified, as no --key was given" if copied.signer is None else f"signed by key {copied.signer}"
    line = (
        f"{len(copied.index.files):,} files of release {copied.index.release}, built at {copied.index.built_at}, "
        f"{signed}; {copied.downloaded:,} downloaded, {copied.deleted:,} deleted"
    )
    print_result(described, line, as_json=as_json)
