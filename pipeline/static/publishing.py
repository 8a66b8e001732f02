"""Publishes the static tree of the release in force: only what changed is written, in an order in which every file that
the index lists is there."""

from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from pathlib import Path

import msgspec
from msgspec import Struct

from outings.configuration.tables import StaticTable
from outings.contract.envelope import encode_error
from outings.contract.errors import not_found
from outings.contract.instants import format_instant
from outings.contract.route_matching import match_route
from outings.contract.vocabulary import Vocabulary
from outings.failures import GuardRefusal
from outings.release.objects import decode_json, hash_of
from outings.release.reading import open_release
from outings.release.releases import ListedRelease, list_releases
from outings.release.snapshot import Release
from outings.release.store import Outcome, Store
from outings.release.trust import ANYBODY, STATIC_FILES, Trust
from pipeline.static.hosts import Host, HostFile
from pipeline.static.rendering import Renderer, Spool, StaticFile, Tree
from pipeline.static.requests import StaticMetro

INDEX = "v1/index.json"
# What `sha256sum -c` reads, and its signature.
SUMS = "sha256sums.txt"
SIGNATURE = "sha256sums.sig"
MANIFEST = "static.json"
# Of the files that a tree has, the share that may leave it at once.
MOST_LEAVING = 0.5
# How often somebody else may publish the tree meanwhile.
ATTEMPTS = 20
# Written at once, between two lines of progress.
_BATCH = 2_000
_HEADERS = b"/*\n  Access-Control-Allow-Origin: *\n/v1/*\n  Cache-Control: public, max-age=60\n"


class StaticManifest(Struct, frozen=True, kw_only=True):
    """What a tree has: the hash of each file by name, empty while it is being written or deleted."""

    url: str
    files: Mapping[str, str]


class StaticResult(Struct, frozen=True, kw_only=True):
    """What publishing a tree did. `left_out` are kinds of requests, `problems` requests that were not answered."""

    release: str
    files: int
    size: int
    written: tuple[str, ...]
    deleted: tuple[str, ...]
    left_out: tuple[str, ...]
    problems: tuple[str, ...]


class _Index(Struct, frozen=True):
    release: str
    built_at: str
    requests: object
    metros: object


def publish_static(
    store: Store,
    table: StaticTable,
    *,
    host: Host,
    read_date: Callable[[str], date],
    cache: Path,
    allow_shrink: bool = False,
    progress: Callable[[str], None] = lambda _: None,
    trust: Trust = ANYBODY,
) -> StaticResult | None:
    """Publish the release in force, None where there is none. `read_date`: the local date by time zone.

    The store keeps what the tree has. It is told before anything is written, so that whoever comes after a killed
    writer writes anew what that one may have written. Somebody who published meanwhile is followed.

    Raises GuardRefusal if more than half of the files would leave, UntrustedRelease, Corrupt and StoreError.
    """
    doubtful: set[str] = set()
    for _ in range(ATTEMPTS):
        listed = next(list_releases(store, trust=trust), None)
        if listed is None:
            return None
        stored = store.read_versioned(MANIFEST)
        before = {} if stored is None else _read_known(stored.data, table.url, host)
        known = {**before, **dict.fromkeys(doubtful & before.keys(), "")}
        with Spool() as spool:
            tree, problems = _render(store, table, listed, read_date, cache=cache, known=known, spool=spool)
            extras = {each.name: each for each in _list_extras(listed, tree)}
            extras |= {each.name: each for each in _sign(tree, extras, trust)}
            files = {**tree.files, **{name: _describe(each) for name, each in extras.items()}}
            changed = [name for name, file in files.items() if known.get(name) != file.sha256]
            gone = tuple(name for name in known if name not in files)
            if not allow_shrink and len(gone) > MOST_LEAVING * len(known):
                raise GuardRefusal(
                    f"[static] url {table.url}: {len(gone):,} of its {len(known):,} files would leave, which is more "
                    "than half; nothing of it was changed. If they are really gone, build with --allow-shrink"
                )
            hashes = {name: file.sha256 for name, file in files.items()}
            pending = {**hashes, **dict.fromkeys((*changed, *gone), "")}
            version = _swap(store, table.url, pending, expected=None if stored is None else stored.etag)
            if version is None:
                continue
            doubtful.update(changed, gone)
            progress(f"static files: {len(changed):,} of {len(files):,} to write, {len(gone):,} to delete")
            _write(host, changed, files, extras, spool=spool, progress=progress)
        host.delete(gone)
        if _swap(store, table.url, hashes, expected=version) is not None:
            return StaticResult(
                release=listed.id, files=len(files), size=sum(each.size for each in files.values()),
                written=tuple(changed), deleted=gone, left_out=tree.left_out, problems=problems,
            )  # fmt: skip
    raise GuardRefusal(f"[static] url {table.url}: others published it {ATTEMPTS} times meanwhile; build again")


def _read_known(data: bytes, url: str, host: Host) -> dict[str, str]:
    """Nothing where the tree was elsewhere, or somebody emptied it."""
    manifest = decode_json(data, StaticManifest, name=MANIFEST)
    return dict(manifest.files) if manifest.url == url and host.has(INDEX) else {}


def _swap(store: Store, url: str, files: Mapping[str, str], *, expected: str | None) -> str | None:
    """Return the tag of the manifest that was written, None where somebody else's is there."""
    data = msgspec.json.encode(StaticManifest(url=url, files=files), order="sorted")
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
    known: Mapping[str, str],
    spool: Spool,
) -> tuple[Tree, tuple[str, ...]]:
    release = open_release(store, listed, cache=cache)
    slugs = [slug for slug in sorted(release.metros) if not table.metros or slug in table.metros]
    requests = _sort_requests(table, release)
    metros = [
        StaticMetro(
            slug=slug, today=read_date(release.metros[slug].metro.timezone), days=table.days,
            vocabulary=release.metros[slug].vocabulary, requests=requests.get(slug, ()),
        )
        for slug in slugs
    ]  # fmt: skip
    renderer = Renderer(
        release, metros, known=known, spool=spool, is_all=not table.metros,
        dates={slug: read_date(each.metro.timezone) for slug, each in release.metros.items()},
        vocabulary=next((each.vocabulary for each in release.metros.values()), Vocabulary()),
    )  # fmt: skip
    tree = renderer.render_tree(("/v1/metros", *requests.get("", ())), max_objects=table.max_objects)
    return tree, tuple(renderer.problems)


def _sort_requests(table: StaticTable, release: Release) -> dict[str, list[str]]:
    """The configured requests by metro, those of none under an empty name."""
    aliases = {alias: slug for slug, each in release.metros.items() for alias in each.metro.aliases}
    sorted_: dict[str, list[str]] = {}
    for request in table.requests:
        match = match_route(request.partition("?")[0])
        named = "" if match is None else match.values.get("metro", "")
        sorted_.setdefault(aliases.get(named, named), []).append(request)
    return sorted_


def _list_extras(listed: ListedRelease, tree: Tree) -> Iterator[HostFile]:
    """The index, and what hosts read themselves."""
    index = _Index(listed.id, format_instant(listed.root.built_at), tree.requests, tree.metros)
    yield HostFile(INDEX, msgspec.json.encode(index), 60)
    missing = not_found("There is no such file; /v1/index.json lists those that there are.")
    yield HostFile("404.json", encode_error(missing, "static"), 60)
    yield HostFile("_headers", _HEADERS, 60, "text/plain")
    yield HostFile(".nojekyll", b"", 60, "text/plain")


def _sign(tree: Tree, extras: Mapping[str, HostFile], trust: Trust) -> Iterator[HostFile]:
    """The hashes of all files and their signature, where releases are signed."""
    hashes = {name: file.sha256 for name, file in tree.files.items()}
    hashes |= {name: hash_of(file.data) for name, file in extras.items()}
    sums = "".join(f"{sha}  {name}\n" for name, sha in sorted(hashes.items())).encode()
    signature = trust.sign(sums, purpose=STATIC_FILES)
    if signature is not None:
        yield HostFile(SUMS, sums, 60, "text/plain")
        yield HostFile(SIGNATURE, b64decode(signature), 60, "application/octet-stream")


def _describe(file: HostFile) -> StaticFile:
    return StaticFile(sha256=hash_of(file.data), max_age=file.max_age, is_list=True, size=len(file.data))


def _write(
    host: Host,
    names: list[str],
    files: Mapping[str, StaticFile],
    extras: Mapping[str, HostFile],
    *,
    spool: Spool,
    progress: Callable[[str], None],
) -> None:
    """Details before the lists that show them, and the index last. What is written at once comes in no order."""
    groups = {
        "details": [name for name in names if not files[name].is_list],
        "lists": [name for name in names if files[name].is_list and name not in (INDEX, SUMS, SIGNATURE)],
        "index": [name for name in names if name in (INDEX, SUMS, SIGNATURE)],
    }
    for kind, group in groups.items():
        for start in range(0, len(group), _BATCH):
            batch = group[start : start + _BATCH]
            host.write(
                extras.get(name) or HostFile(name, spool.read(files[name]), files[name].max_age) for name in batch
            )
            progress(f"static files: {start + len(batch):,} of {len(group):,} written ({kind})")
