"""Publish the static tree of the current release. Only files that changed are written, the index last."""

import re
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from outings.configuration.tables import StaticTable
from outings.contract.openapi.document import encode_static_document
from outings.contract.routes import JSON, match_route
from outings.contract.static_files import INDEX, SIGNATURE, SUMS
from outings.contract.values import format_instant
from outings.contract.vocabulary import COLLECTIONS, Vocabulary
from outings.failures import GuardRefusal
from outings.release.pointer import list_releases
from outings.release.root import ListedRelease
from outings.release.site import ASSETS
from outings.release.snapshot import Release, open_release
from outings.release.store import Outcome, Store, VersionedBytes, decode_json, hash_of
from outings.release.trust import ANYBODY, STATIC_FILES, Trust
from pipeline.publish.static import hosts as steps
from pipeline.publish.static.host_files import list_host_files, render_pages
from pipeline.publish.static.hosts import Host, Spool, StaticFile, StaticManifest
from pipeline.publish.static.public_release import hide_adults
from pipeline.publish.static.rendering import MetroIndex, Renderer, StaticRequest
from pipeline.publish.static.requests import StaticMetro, list_published

MANIFEST = "static.json"
# The share of a tree's files that may be deleted at once.
MOST_LEAVING = 0.5
# The files that only this program writes. Some hosts need other files beside them.
_OWN = re.compile(rf"(v1|cities)/|{ASSETS}|(openapi\.json|{SUMS}|{SIGNATURE})\Z")
# Where pages are, which another site may have too, and what only this program writes into them.
_PAGE = re.compile(
    rf"([a-z]{{2,3}}/)?((cities/[^/]+/|explore/)?index\.html|[^/]+/({'|'.join(COLLECTIONS.values())})/[^/]+/[^/]+)"
)
_MARK = re.compile(rf"{ASSETS}site\.[0-9a-f]+\.css|PRODID:-//outings//".encode())
# Attempts, if others publish the tree at the same time.
ATTEMPTS = 20
# Files written between two lines of progress.
_BATCH = 2_000
_STEPS = {steps.DETAILS: "details", steps.LISTS: "lists", steps.INDEX: "index"}


class StaticResult(Struct, frozen=True, kw_only=True):
    """The outcome of publishing a tree. `left_out`: requests and kinds without files, each with the reason. `others`:
    files that are not the program's, if they were looked for."""

    release: str
    others: tuple[str, ...] = ()
    files: int
    size: int
    written: tuple[str, ...]
    deleted: tuple[str, ...]
    left_out: tuple[str, ...]


class _IndexedFile(Struct, frozen=True):
    size: int
    sha256: str


class _Index(Struct, frozen=True):
    release: str
    built_at: str
    requests: Sequence[StaticRequest]
    metros: Mapping[str, MetroIndex]
    files: Mapping[str, _IndexedFile]


def publish_static(
    store: Store,
    table: StaticTable,
    *,
    host: Host,
    read_date: Callable[[str], date],
    cache: Path,
    allow_shrink: bool = False,
    looks: bool = False,
    progress: Callable[[str], None] = lambda _: None,
    trust: Trust = ANYBODY,
) -> StaticResult | None:
    """Publish the current release; return None if there is no release. `read_date`: returns the local date in a time
    zone. `looks`: compare the tree's manifest with the files that there are, even if it is of this tree.

    The store keeps the tree's manifest. Before files are written, their hashes in it are emptied, so that after a
    killed run the next one writes them again. If another publisher was faster, start again.

    Raises GuardRefusal if more than half of the files would be deleted, UntrustedRelease, Corrupt and StoreError.
    """
    doubtful: set[str] = set()
    for _ in range(ATTEMPTS):
        listed = next(list_releases(store, trust=trust), None)
        if listed is None:
            return None
        stored = store.read_versioned(MANIFEST)
        before, others = _recall(host, stored, looks=looks)
        known = {**before.files, **dict.fromkeys(doubtful & before.files.keys(), "")}
        with Spool(replace(before, files=known)) as spool, TemporaryDirectory() as scratch:
            files, left_out = _render(
                store, table, listed, read_date, cache=cache, scratch=Path(scratch), spool=spool, trust=trust
            )
            changed = [name for name, file in files.items() if known.get(name) != file.sha256]
            others = [name for name in others if name not in files]
            pages = [name for name in others if _PAGE.fullmatch(name) and _MARK.search(host.read(name) or b"")]
            gone = (*(name for name in known if name not in files), *pages)
            # Pages do not count.
            left, all_ = (sum(name.startswith("v1/") for name in names) for names in (gone, known))
            if not allow_shrink and left > MOST_LEAVING * all_:
                raise GuardRefusal(
                    f"[static] url {table.url}: {left:,} of its {all_:,} files would leave, which is more than half; "
                    "nothing of it was changed. If they are really gone, build with --allow-shrink"
                )
            manifest = StaticManifest(
                indexes=(files[INDEX].sha256,), files={name: file.sha256 for name, file in files.items()},
                closed={name: file.closed for name, file in files.items() if file.closed},
                sizes={name: file.size for name, file in files.items() if file.closed},
            )  # fmt: skip
            tag = None if stored is None else stored.etag
            pending = {**manifest.files, **dict.fromkeys((*changed, *gone), "")}
            indexes = (*before.indexes, *manifest.indexes)
            version = _swap(store, replace(manifest, files=pending, indexes=indexes), expected=tag)
            if version is None:
                continue
            doubtful.update(changed, gone)
            progress(f"static files: {len(changed):,} of {len(files):,} to write, {len(gone):,} to delete")
            _write(host, changed, files, spool=spool, progress=progress)
        host.delete(gone)
        host.flush()
        if _swap(store, manifest, expected=version) is not None:
            return StaticResult(
                release=listed.id, files=len(files), size=sum(file.size for file in files.values()),
                written=tuple(changed), deleted=gone, left_out=left_out,
                others=tuple(name for name in others if name not in pages),
            )  # fmt: skip
    raise GuardRefusal(f"[static] url {table.url}: others published it {ATTEMPTS} times meanwhile; build again")


def _recall(host: Host, stored: VersionedBytes | None, *, looks: bool) -> tuple[StaticManifest, list[str]]:
    """Return what is known of the tree, and if it was looked for, the names of files that are not the program's. A
    manifest of another tree says nothing of this one: its files are found by listing them."""
    before = StaticManifest() if stored is None else decode_json(stored.data, StaticManifest, name=MANIFEST)
    index = host.read(INDEX)
    is_known = index is not None and hash_of(index) in before.indexes
    if is_known and not looks:
        return before, []
    own, others = {}, []
    for name in sorted(host.list_names()):
        if _OWN.match(name) or (is_known and name in before.files):
            own[name] = before.files.get(name, "") if is_known else ""
        else:
            others.append(name)
    return replace(before, files=own) if is_known else StaticManifest(files=own), others


def _swap(store: Store, manifest: StaticManifest, *, expected: str | None) -> str | None:
    """Write the manifest and return its tag, or None if another publisher's is there."""
    data = msgspec.json.encode(manifest, order="sorted")
    outcome = store.put_if(MANIFEST, data, expected=expected)
    stored = None if outcome is Outcome.LOST else store.read_versioned(MANIFEST)
    return stored.etag if stored is not None and stored.data == data else None


def _render(
    store: Store,
    table: StaticTable,
    listed: ListedRelease,
    read_date: Callable[[str], date],
    *,
    cache: Path,
    scratch: Path,
    spool: Spool,
    trust: Trust,
) -> tuple[dict[str, StaticFile], tuple[str, ...]]:
    """Return all files by name, and the requests and kinds that are left out."""
    release = open_release(store, listed, cache=cache)
    slugs = [slug for slug in sorted(release.metros) if not table.metros or slug in table.metros]
    public = hide_adults(release, slugs, scratch)
    dates = {slug: read_date(snapshot.metro.timezone) for slug, snapshot in release.metros.items()}
    vocabulary = next((snapshot.vocabulary for snapshot in release.metros.values()), Vocabulary())
    requests = _sort_requests(table, release)
    metros = [
        StaticMetro(
            slug=slug, today=dates[slug], days=table.days, vocabulary=vocabulary, requests=requests.get(slug, ()),
            listings=list_published(public.metros[slug]),
        )
        for slug in slugs
    ]  # fmt: skip
    is_all = not table.metros
    renderer = Renderer(release, metros, public=public, spool=spool, is_all=is_all, dates=dates, vocabulary=vocabulary)
    tree = renderer.render_tree(requests.get("", ()), max_objects=table.max_objects)
    left_out = [f"{kind}: there may be {table.max_objects} files ([static] max_objects)" for kind in renderer.left_out]
    files = renderer.files

    def add(name: str, data: bytes, *, step: int = steps.LISTS, max_age: int = 60, **more: str) -> None:
        files[name] = spool.add(name, data, step=step, max_age=max_age, **{"media": "text/plain", **more})

    pages = render_pages(
        store, listed.root.site, {slug: public.metros[slug] for slug in slugs}, dates=dates, read=renderer.read_answer,
        is_there=spool.is_closed, files=release.site,
    )  # fmt: skip
    for page in pages:
        step = steps.LISTS if page.path.endswith(".html") else steps.DETAILS
        add(page.path, page.data, step=step, media=page.media, closed=page.inputs)
    files_by_request = {request.request: request.files for listed in tree.values() for request in listed}
    add("openapi.json", encode_static_document(vocabulary, files_by_request), max_age=3600, media=JSON)
    for file in list_host_files(slugs):
        add(file.name, file.data, media=file.media)
    of_metros = {slug: MetroIndex(dates[slug].isoformat(), tree[slug]) for slug in slugs}
    indexed = {name: _IndexedFile(file.size, file.sha256) for name, file in sorted(files.items())}
    index = _Index(listed.id, format_instant(listed.root.built_at), tree[""], of_metros, indexed)
    add(INDEX, msgspec.json.encode(index), step=steps.INDEX, media=JSON)
    sums = "".join(f"{file.sha256}  {name}\n" for name, file in sorted(files.items())).encode()
    signature = trust.sign(sums, purpose=STATIC_FILES)
    if signature is not None:
        add(SUMS, sums, step=steps.INDEX)
        add(SIGNATURE, b64decode(signature), step=steps.INDEX)
    return files, (*renderer.problems, *left_out)


def _sort_requests(table: StaticTable, release: Release) -> dict[str, list[str]]:
    """Return the configured requests by metro; those of no metro have an empty name."""
    aliases = {alias: slug for slug, snapshot in release.metros.items() for alias in snapshot.metro.aliases}
    sorted_: dict[str, list[str]] = {}
    for request in table.requests:
        match = match_route(request.partition("?")[0])
        named = "" if match is None else match.values.get("metro", "")
        sorted_.setdefault(aliases.get(named, named), []).append(request)
    return sorted_


def _write(
    host: Host, names: list[str], files: Mapping[str, StaticFile], *, spool: Spool, progress: Callable[[str], None]
) -> None:
    """Write the files in the order of `_STEPS`: details, lists, index. Within a step the order does not matter."""
    for step, label in _STEPS.items():
        group = [name for name in names if files[name].step == step]
        for start in range(0, len(group), _BATCH):
            batch = group[start : start + _BATCH]
            host.write(spool.read(name, files[name]) for name in batch)
            progress(f"static files: {start + len(batch):,} of {len(group):,} written ({label})")
