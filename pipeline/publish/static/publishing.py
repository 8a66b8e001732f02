"""Publish the static tree of the current release. Only files that changed are written, the index last."""

import re
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from msgspec import Struct
from msgspec.structs import replace

import outings
import pipeline
from outings.configuration.tables import StaticTable
from outings.contract.openapi.document import encode_static_document
from outings.contract.static_files import INDEX, SIGNATURE, SUMS
from outings.contract.values import format_instant
from outings.contract.vocabulary import COLLECTIONS
from outings.failures import GuardRefusal
from outings.pages.assets import HTML, explain_no_assets, find_templates, find_words, list_assets
from outings.release.pointer import list_releases
from outings.release.root import Root
from outings.release.site import ASSETS, SiteSettings
from outings.release.store import Outcome, Store, VersionedBytes, decode_json, hash_of
from outings.release.trust import ANYBODY, STATIC_FILES, Trust
from pipeline.fingerprint import describe_libraries, hash_sources
from pipeline.publish.static import hosts as steps
from pipeline.publish.static.hosts import Host, HostFile
from pipeline.publish.static.kinds import list_parts
from pipeline.publish.static.pages import TEXT
from pipeline.publish.static.parts import Item, MadeFile, MadePart, Maker, Part, StaticManifest, StaticRequest
from pipeline.publish.static.tree import Tree

MANIFEST = "static.json"
# The share of a tree's files that may be deleted at once.
MOST_LEAVING = 0.5
# The files that only this program writes. Some hosts need other files beside them.
_OWN = re.compile(rf"(v1|cities)/|{ASSETS}|(openapi\.json|{SUMS}|{SIGNATURE})\Z")
# Where pages are, which another site may have too, and what only this program writes into them.
_PAGE = re.compile(
    r"([a-z]{2,3}/)?((explore/|developers/)?index\.html|sitemap[^/]*\.xml|cities/[^/]+/(numbers/)?[^/]+|[^/]+/"
    rf"({'|'.join((*COLLECTIONS.values(), 'organizations', 'neighborhoods'))})/([^/]+/)?[^/]+)"
)
_MARK = re.compile(
    rf"{ASSETS}site\.[0-9a-f]+\.css|PRODID:-//outings//|<generator>outings<|<!-- made by outings -->".encode()
)
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


class _MetroIndex(Struct, frozen=True):
    """A metro's part of the index: its requests, and the local date of its lists."""

    date: str
    requests: Sequence[StaticRequest]


class _Index(Struct, frozen=True):
    release: str
    built_at: str
    latest_version_id: int
    requests: Sequence[StaticRequest]
    metros: Mapping[str, _MetroIndex]
    files: Mapping[str, MadeFile]


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
    doubtful, program = set[str](), _hash_program()
    for _ in range(ATTEMPTS):
        listed = next(list_releases(store, trust=trust), None)
        if listed is None:
            return None
        stored = store.read_versioned(MANIFEST)
        before, others = _recall(host, stored, looks=looks)
        before = replace(before, tree=before.tree.forget(doubtful))
        known = before.list_hashes()
        with (
            Maker(known, host=host, program=program, most=table.max_objects) as maker,
            TemporaryDirectory() as scratch,
        ):
            tree = Tree(store, listed, table, tell_date=read_date, cache=cache, scratch=Path(scratch))
            made, left_out = _make(tree, listed.root, maker, before.tree, trust=trust)
            files = made.list_files()
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
            manifest = StaticManifest(indexes=(files[INDEX].sha256,), tree=made)
            tag = None if stored is None else stored.etag
            pending = StaticManifest(
                indexes=(*before.indexes, *manifest.indexes),
                tree=made.forget({*changed}, before=before.tree),
                leaving=gone,
            )
            version = _swap(store, pending, expected=tag)
            if version is None:
                continue
            doubtful.update(changed, gone)
            progress(f"static files: {len(changed):,} of {len(files):,} to write, {len(gone):,} to delete")
            _write(host, changed, maker=maker, progress=progress)
        host.delete(gone)
        host.flush()
        if _swap(store, manifest, expected=version) is not None:
            return StaticResult(
                release=listed.id, files=len(files), size=sum(file.size for file in files.values()),
                written=tuple(changed), deleted=gone, left_out=left_out,
                others=tuple(name for name in others if name not in pages),
            )  # fmt: skip
    raise GuardRefusal(f"[static] url {table.url}: others published it {ATTEMPTS} times meanwhile; build again")


def _hash_program() -> str:
    """Hash all that decides the bytes of a tree: the program's sources, libraries, templates, words and assets."""
    folders = (Path(package.__file__ or "").parent for package in (outings, pipeline))
    sources = hash_sources(
        (*folders, find_words(), find_templates()), suffixes=(".py", ".toml", ".csv", ".html", ".xml", ".json")
    )
    assets = [page.path for page in list_assets(SiteSettings())] if explain_no_assets() is None else []
    return hash_of(msgspec.json.encode((sources, sorted(describe_libraries().items()), assets)))


def _recall(host: Host, stored: VersionedBytes | None, *, looks: bool) -> tuple[StaticManifest, list[str]]:
    """Return what is known of the tree, and if it was looked for, the names of files that are not the program's. A
    manifest of another tree says nothing of this one: its files are found by listing them."""
    before = StaticManifest() if stored is None else decode_json(stored.data, StaticManifest, name=MANIFEST)
    index = host.read(INDEX)
    is_known = index is not None and hash_of(index) in before.indexes and before.tree.parts
    if is_known and not looks:
        return before, []
    known = before.list_hashes() if is_known else {}
    there, others = set[str](), []
    for name in sorted(host.list_names()):
        if _OWN.match(name) or name in known:
            there.add(name)
        else:
            others.append(name)
    tree = before.tree.forget(known.keys() - there) if is_known else MadePart()
    return StaticManifest(
        indexes=before.indexes, tree=tree, leaving=tuple(sorted(there - tree.list_files().keys()))
    ), others


def _swap(store: Store, manifest: StaticManifest, *, expected: str | None) -> str | None:
    """Write the manifest and return its tag, or None if another publisher's is there."""
    data = msgspec.json.encode(manifest)
    outcome = store.put_if(MANIFEST, data, expected=expected)
    stored = None if outcome is Outcome.LOST else store.read_versioned(MANIFEST)
    return stored.etag if stored is not None and stored.data == data else None


def _make(tree: Tree, root: Root, maker: Maker, before: MadePart, *, trust: Trust) -> tuple[MadePart, tuple[str, ...]]:
    """Return the whole tree, and the requests and kinds that are left out."""
    parts: dict[str, MadePart] = {}
    requests: dict[str, list[StaticRequest]] = {slug: [] for slug in ("", *tree.slugs)}
    left_out = []
    for slug, part in list_parts(tree):
        made = maker.make(part, before.parts.get(part.name))
        if made is None:
            most = tree.table.max_objects
            left_out.append(f"{part.name}: there may be {most} files ([static] max_objects)")
        else:
            parts[part.name] = made
            requests[slug] += made.list_requests()

    def add(name: str, inputs: object, make: Callable[[], Iterable[Item]]) -> None:
        made = maker.make(Part(name=name, inputs=inputs, make=make), before.parts.get(name))
        assert made is not None, "it answers no request"
        parts[name] = made

    def make_document() -> Iterator[HostFile]:
        files = {request.request: request.files for listed in requests.values() for request in listed}
        document = encode_static_document(tree.vocabulary, files)
        yield HostFile("openapi.json", document, 3600)
        if tree.settings is not None:
            from outings.pages.developers import render_developers  # a tree without pages needs no templates

            for settings in tree.settings.list_languages():
                page = render_developers(settings, tree.slugs, files, document)
                yield HostFile(f"{page.path}index.html", page.data, media=HTML)

    def make_index() -> Iterator[HostFile]:
        of_metros = {slug: _MetroIndex(tree.dates[slug].isoformat(), requests[slug]) for slug in tree.slugs}
        files = dict(sorted(MadePart(parts=parts).list_files().items()))
        built_at, latest = format_instant(root.built_at), root.log.latest_version_id
        index = _Index(tree.id, built_at, latest, requests[""], of_metros, files)
        data = msgspec.json.encode(index)
        yield HostFile(INDEX, data, step=steps.INDEX)
        if trust.signer is None:
            return
        files[INDEX] = MadeFile(len(data), hash_of(data))
        sums = "".join(f"{file.sha256}  {name}\n" for name, file in sorted(files.items())).encode()
        signature = trust.sign(sums, purpose=STATIC_FILES) or ""
        yield HostFile(SUMS, sums, media=TEXT, step=steps.INDEX)
        yield HostFile(SIGNATURE, b64decode(signature), media=TEXT, step=steps.INDEX)

    add("document", [(name, made.tag) for name, made in parts.items()], make_document)
    add("index", None, make_index)
    return MadePart(parts=parts), (
        *(reason for made in parts.values() for part in made.list_parts() for reason in part.left_out),
        *left_out,
    )


def _write(host: Host, names: list[str], *, maker: Maker, progress: Callable[[str], None]) -> None:
    """Write the files in the order of `_STEPS`: details, lists, index. Within a step the order does not matter."""
    for step, label in _STEPS.items():
        group = [name for name in names if maker.changed[name].file.step == step]
        for start in range(0, len(group), _BATCH):
            batch = group[start : start + _BATCH]
            host.write(map(maker.read, batch))
            progress(f"static files: {start + len(batch):,} of {len(group):,} written ({label})")
