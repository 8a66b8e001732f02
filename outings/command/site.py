"""`outings site`: the pages of the current release, as files for any static host."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import click
import msgspec

from outings.command.options import open_config_store, print_result, read_config, take_config, take_json
from outings.configuration import Configuration
from outings.contract.openapi import encode_document
from outings.contract.vocabulary import Vocabulary
from outings.release.manifest import read_manifest
from outings.release.pointer import read_current
from outings.release.reading import open_site
from outings.release.root import Root, format_release_id
from outings.release.site import read_site
from outings.release.store import Store
from outings.release.trust import read_reader

# In the folder: the names of the files that this command wrote there.
LIST = ".outings-site.json"


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@take_config
@click.option(
    "--internal", "is_internal", is_flag=True, help="Add pages for you alone: builds, and what to mend in each feed."
)
@take_json
def site(*, folder: Path, config: Path, is_internal: bool, as_json: bool) -> None:
    """Write the pages of the current release into FOLDER. What an earlier run wrote there and is no more is removed."""
    configuration = read_config(config)
    before = _read_list(folder)
    store = open_config_store(configuration)
    current = read_current(store, trust=read_reader(configuration.signing))
    if current is None or current.root.site is None:
        raise click.ClickException("there is no release with pages yet; `outings build` publishes one")
    files = dict(_list_files(store, current.root, cache=configuration.edge.cache))
    if is_internal:
        files |= dict(_list_internal(store, current.root.site, configuration))
    write_folder(folder, files, before=before)
    release_id = format_release_id(current.root.sequence, current.pointer.pointer.root)
    described = {"release": release_id, "files": sorted(files)}
    print_result(described, f"{len(files)} files of release {release_id} are in {folder}.", as_json=as_json)


def _list_files(store: Store, root: Root, *, cache: Path) -> Iterator[tuple[str, bytes]]:
    """By path in the folder; with the document that pages lead to, which a server makes itself."""
    manifests = {slug: read_manifest(store, part.manifest) for slug, part in root.parts.items()}
    for path, file in open_site(store, root.site, manifests, cache=cache).items():
        yield f"{path}index.html" if path.endswith("/") or not path else path, file.read(b"")
    vocabulary = next((manifest.vocabulary for manifest in manifests.values()), Vocabulary())
    yield "openapi.json", encode_document(vocabulary)


def _list_internal(store: Store, site: str, configuration: Configuration) -> Iterator[tuple[str, bytes]]:
    """What is in no release. It tells of rows that were refused, so it is for the operator and who keeps a feed."""
    from outings.pages.feeds import FOLDER, render_feeds
    from outings.pages.site_assets import list_assets
    from pipeline.reports.feed_reports import FeedReporter
    from pipeline.reports.history import read_builds

    reporter = FeedReporter(store, cache=configuration.edge.cache, trust=read_reader(configuration.signing))
    settings = read_site(store, site).settings
    builds = read_builds(configuration.build.lock)
    pages = render_feeds(settings, reporter.list_releases(), reporter.list_feeds(), builds=builds)
    # These pages are made now: the release may be of another program, with other styles.
    for page in (*pages, *list_assets(settings)):
        yield f"{FOLDER}index.html" if page.path == FOLDER else page.path, page.data


def _read_list(folder: Path) -> frozenset[str]:
    """What an earlier run wrote. Exit 2 where the folder has files of others: a mistyped name must not mix them."""
    try:
        return frozenset(msgspec.json.decode((folder / LIST).read_bytes(), type=list[str]))
    except FileNotFoundError:
        if folder.is_dir() and any(folder.iterdir()):
            raise click.UsageError(f"{folder} has files that this command did not write; name another folder") from None
        return frozenset()


def write_folder(folder: Path, files: Mapping[str, bytes], *, before: frozenset[str]) -> None:
    """Each file is whole at any moment. Those of `before` that are no more are removed last."""
    folder.mkdir(parents=True, exist_ok=True)
    # The list first: what a killed run wrote is known to the next one.
    _write_file(folder / LIST, msgspec.json.encode(sorted(before.union(files))))
    for path, data in files.items():
        _write_file(folder / path, data)
    for path in before.difference(files):
        (folder / path).unlink(missing_ok=True)
    _write_file(folder / LIST, msgspec.json.encode(sorted(files)))


def _write_file(path: Path, data: bytes) -> None:
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    following = path.with_name(f".{path.name}.following")
    following.write_bytes(data)
    following.replace(path)
