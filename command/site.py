"""`outings site`: write the pages of the current release as files for any static host."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import click
import msgspec

from command.options import open_config_store, print_result, read_config, take_config, take_json
from outings.configuration import Configuration
from outings.contract.openapi.document import encode_document
from outings.contract.parameters import list_refused
from outings.contract.vocabulary import Vocabulary
from outings.failures import WrongSetting
from outings.release.folder import replace_file
from outings.release.manifest import read_manifest
from outings.release.pointer import read_current
from outings.release.root import Root
from outings.release.site import Site, SiteSettings, read_site
from outings.release.snapshot import open_site
from outings.release.store import Store
from outings.release.trust import read_reader

# The file in the folder that names the files that this command wrote.
LIST = ".outings-site.json"


class PageFolder:
    """A folder that has the pages of the current release. Files that other programs wrote are never deleted: a list in
    the folder names our own."""

    def __init__(self, folder: Path) -> None:
        """Open the folder. Raises WrongSetting if it has files that are not ours: a mistyped name must not mix them."""
        self.folder = folder
        self._listing = folder / LIST
        try:
            self.names = frozenset(msgspec.json.decode(self._listing.read_bytes(), type=list[str]))
        except FileNotFoundError:
            if folder.is_dir() and any(folder.iterdir()):
                raise WrongSetting(f"{folder} has files that this command did not write; name another folder") from None
            self.names = frozenset()

    def begin(self, names: Iterable[str]) -> None:
        """Store the names of files before they are written, so that the next run knows what a killed run wrote."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._write_list(self.names.union(names))

    def put(self, name: str, data: bytes) -> None:
        """Write a file atomically, unless it already has these bytes."""
        path = self.folder / name
        if not path.is_file() or path.read_bytes() != data:
            replace_file(path, data)

    def end(self, names: Iterable[str]) -> None:
        """Delete our files that are not among the names, and the folders that are empty then."""
        kept = frozenset(names)
        for name in self.names - kept:
            path = self.folder / name
            path.unlink(missing_ok=True)
            for parent in path.relative_to(self.folder).parents:
                try:
                    (self.folder / parent).rmdir()
                except OSError:
                    break
        self._write_list(kept)

    def _write_list(self, names: frozenset[str]) -> None:
        self.put(self._listing.name, msgspec.json.encode(sorted(names)))
        self.names = names


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@take_config
@click.option(
    "--internal", "is_internal", is_flag=True, help="Add pages for you alone: builds, and the problems of each feed."
)
@take_json
def site(*, folder: Path, config: Path, is_internal: bool, as_json: bool) -> None:
    """Write the pages of the current release into FOLDER. Remove what an earlier run wrote and the release lacks."""
    configuration = read_config(config)
    written = PageFolder(folder)
    store = open_config_store(configuration)
    current = read_current(store, trust=read_reader(configuration.signing))
    if current is None or current.root.site is None:
        raise click.ClickException("there is no release with pages yet; `outings build` publishes one")
    released = read_site(store, current.root.site)
    files = dict(_list_files(store, current.root, released, cache=configuration.edge.cache))
    if is_internal:
        files |= dict(_list_internal(store, released.settings, configuration))
    written.begin(files)
    for path, data in files.items():
        written.put(path, data)
    written.end(files)
    described = {"release": current.listed.id, "files": sorted(files)}
    print_result(described, f"{len(files)} files of release {current.listed.id} are in {folder}.", as_json=as_json)


def _list_files(store: Store, root: Root, site: Site, *, cache: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the path and bytes of each page in the folder, and those of the OpenAPI document to which pages link."""
    manifests = {slug: read_manifest(store, part.manifest) for slug, part in root.parts.items()}
    for path, file in open_site(store, site, manifests, cache=cache).items():
        yield f"{path}index.html" if path.endswith("/") or not path else path, file.read(b"")
    vocabulary = next((manifest.vocabulary for manifest in manifests.values()), Vocabulary())
    refused = list_refused(manifest.tables for manifest in manifests.values())
    yield "openapi.json", encode_document(vocabulary, refused=refused)


def _list_internal(store: Store, settings: SiteSettings, configuration: Configuration) -> Iterator[tuple[str, bytes]]:
    """Yield the path and bytes of pages that are for operators alone and in no release: they show refused rows."""
    from outings.pages.assets import list_assets
    from pipeline.reports.feed_pages import FOLDER, render_feeds
    from pipeline.reports.feed_reports import FeedReporter
    from pipeline.reports.history import read_builds

    reporter = FeedReporter(store, cache=configuration.edge.cache, trust=read_reader(configuration.signing))
    builds = read_builds(configuration.build.lock)
    pages = render_feeds(settings, reporter.list_releases(), reporter.list_feeds(), builds=builds)
    # These pages are made now: the release may be of another program, with other styles.
    for page in (*pages, *list_assets(settings)):
        yield f"{FOLDER}index.html" if page.path == FOLDER else page.path, page.data
