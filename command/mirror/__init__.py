"""`outings mirror`: a SQLite file that equals what a key may read, or a folder that equals a static tree."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import click

from command.kept_folder import KeptFolder
from command.mirror.client import KEY, ApiClient, Connection, read_key
from command.mirror.static_tree import LIST, copy_tree, find_differences, read_folder, read_head
from command.mirror.sync import MirrorFile, catch_up, check_mirror
from command.options import print_result, read_config, take_json, tell
from outings.configuration.tables import MirrorTable, SigningTable
from outings.contract.static_files import INDEX
from outings.release.trust import Trust, read_reader

# Of the files that differ, as many are named.
_SHOWN = 10


@click.command()
@click.argument("file", metavar="FILE|FOLDER", type=click.Path(path_type=Path))
@click.option("-c", "--config", type=click.Path(path_type=Path), help="A configuration with a table [mirror].")
@click.option("--url", help="The API's address, such as https://api.example.org; [mirror] url if not given.")
@click.option(
    "--key-file",
    type=click.Path(path_type=Path),
    help=f"A file with the key; the variable {KEY} or [mirror] key_file if not given.",
)
@click.option(
    "--static", metavar="URL", help="Copy the static tree at this address (https://…, file:…) into FOLDER instead."
)
@click.option(
    "--public-key",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A PEM file: the key that signs the tree; [signing] public_key if not given.",
)
@click.option("--allow-shrink", is_flag=True, help="Copy the tree even if more than half of its files are gone.")
@click.option(
    "--check", "is_check", is_flag=True, help="Compare FILE with the API, or FOLDER with the tree, which is not copied."
)
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
    allow_shrink: bool,
    is_check: bool,
    follow: float | None,
    as_json: bool,
) -> None:
    """Bring FILE up to date with what the key may read, or FOLDER with a static tree. If stopped, it continues from
    there."""
    if is_check and follow is not None:
        raise click.UsageError("--check compares once, and --follow goes on until it is stopped: give one of them")
    configuration = None if config is None else read_config(config)
    if static is None:
        table = MirrorTable() if configuration is None else configuration.mirror
        _mirror_api(
            file, (url or table.url).rstrip("/"), key_file, table, is_check=is_check, follow=follow, as_json=as_json
        )
        return
    if url or key_file:
        raise click.UsageError("a static tree needs no key: give --static, or --url and --key-file")
    signing = SigningTable() if configuration is None else configuration.signing
    trust = read_reader(signing if public_key is None else SigningTable(public_key=str(public_key)))
    if not trust.believed:
        raise click.UsageError("--static needs --public-key, or -c with a [signing] public_key")
    with _open_tree(static.rstrip("/")) as client:
        if is_check:
            _check_copy(client, file, trust=trust, as_json=as_json)
            return
        while True:
            _copy_tree(client, file, trust=trust, allow_shrink=allow_shrink, as_json=as_json)
            if follow is None:
                break
            time.sleep(follow)


def _mirror_api(
    file: Path,
    url: str,
    key_file: Path | None,
    table: MirrorTable,
    *,
    is_check: bool,
    follow: float | None,
    as_json: bool,
) -> None:
    if not url:
        raise click.UsageError("the address of the API is missing: give --url, or -c with a [mirror] url")
    try:
        connection = Connection(url, key=read_key(key_file, configured=table.key_file))
        with closing(connection), closing(MirrorFile(file)) as mirror_file:
            client = ApiClient(connection, url=url)
            while True:
                caught = catch_up(client, mirror_file, url=url, tell=_tell)
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


@contextmanager
def _open_tree(url: str) -> Iterator[ApiClient]:
    if url.startswith("file:"):
        yield ApiClient(partial(read_folder, Path(url.removeprefix("file:"))), url=url, wait=time.sleep)
    else:
        with closing(Connection(url)) as connection:
            yield ApiClient(connection, url=url, wait=time.sleep)


def _copy_tree(client: ApiClient, folder: Path, *, trust: Trust, allow_shrink: bool, as_json: bool) -> None:
    kept = KeptFolder(folder, listing=LIST)
    copied = copy_tree(client, kept, trust=trust, allow_shrink=allow_shrink, tell=tell)
    described = {
        "release": copied.head.release, "built_at": copied.head.built_at, "files": copied.files,
        "downloaded": copied.downloaded, "deleted": copied.deleted,
    }  # fmt: skip
    line = (
        f"{copied.files:,} files of release {copied.head.release}, built at {copied.head.built_at}, signed by key "
        f"{copied.signer}; {copied.downloaded:,} downloaded, {copied.deleted:,} deleted"
    )
    print_result(described, line, as_json=as_json)


def _check_copy(client: ApiClient, folder: Path, *, trust: Trust, as_json: bool) -> None:
    tree, different = find_differences(client, folder, trust=trust)
    if different:
        print_result({"different": different}, as_json=as_json)
        shown = "\n".join([*different[:_SHOWN], *["…"] * (len(different) > _SHOWN)])
        raise click.ClickException(
            f"{folder} differs from {client.url} in {len(different):,} files; without --check they are copied:\n{shown}"
        )
    head = read_head((folder / INDEX).read_bytes(), named=str(folder / INDEX))
    line = (
        f"whole, current and signed by key {tree.signer}: {len(tree.hashes):,} files of release {head.release}, built "
        f"at {head.built_at}"
    )
    described = {"release": head.release, "built_at": head.built_at, "different": []}
    print_result(described, line, as_json=as_json)


def _tell(cursor: int, latest: int) -> None:
    click.echo(f"version {cursor:,} of {latest:,}", err=True)
