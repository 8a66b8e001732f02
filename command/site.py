"""`outings site`: write the pages of the current release as files for any static host."""

from collections.abc import Iterator
from pathlib import Path

import click

from command.kept_folder import KeptFolder
from command.options import open_config_store, print_result, read_config, take_config, take_json
from outings.configuration import Configuration
from outings.contract.openapi.document import encode_document
from outings.contract.vocabulary import Vocabulary
from outings.release.manifest import read_manifest
from outings.release.pointer import read_current
from outings.release.root import Root, format_release_id
from outings.release.site import read_site
from outings.release.snapshot import open_site
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
    kept = KeptFolder(folder, listing=LIST)
    store = open_config_store(configuration)
    current = read_current(store, trust=read_reader(configuration.signing))
    if current is None or current.root.site is None:
        raise click.ClickException("there is no release with pages yet; `outings build` publishes one")
    files = dict(_list_files(store, current.root, cache=configuration.edge.cache))
    if is_internal:
        files |= dict(_list_internal(store, current.root.site, configuration))
    kept.begin(files)
    for path, data in files.items():
        kept.put(path, data)
    kept.end(files)
    release_id = format_release_id(current.root.sequence, current.pointer.pointer.root)
    described = {"release": release_id, "files": sorted(files)}
    print_result(described, f"{len(files)} files of release {release_id} are in {folder}.", as_json=as_json)


def _list_files(store: Store, root: Root, *, cache: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the pages by their path in the folder, and the OpenAPI document, to which they link."""
    manifests = {slug: read_manifest(store, part.manifest) for slug, part in root.parts.items()}
    for path, file in open_site(store, root.site, manifests, cache=cache).items():
        yield f"{path}index.html" if path.endswith("/") or not path else path, file.read(b"")
    vocabulary = next((manifest.vocabulary for manifest in manifests.values()), Vocabulary())
    yield "openapi.json", encode_document(vocabulary)


def _list_internal(store: Store, site: str, configuration: Configuration) -> Iterator[tuple[str, bytes]]:
    """Yield the pages that are in no release. Only operators should read them: they show refused rows."""
    from outings.pages.assets import list_assets
    from outings.pages.feeds import FOLDER, render_feeds
    from pipeline.reports.feed_reports import FeedReporter
    from pipeline.reports.history import read_builds

    reporter = FeedReporter(store, cache=configuration.edge.cache, trust=read_reader(configuration.signing))
    settings = read_site(store, site).settings
    builds = read_builds(configuration.build.lock)
    pages = render_feeds(settings, reporter.list_releases(), reporter.list_feeds(), builds=builds)
    # These pages are made now: the release may be of another program, with other styles.
    for page in (*pages, *list_assets(settings)):
        yield f"{FOLDER}index.html" if page.path == FOLDER else page.path, page.data
