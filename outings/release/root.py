"""The root of a release. It names a snapshot for each metro, the log of versions, and the previous root.

Instants are whole seconds in UTC. The name of an object is the 64 hex digits of its SHA-256.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from outings.release.store import Corrupt, NotFound, Store, decode_json, read_object

# Layout of roots, manifests and log segments. A reader refuses another one.
LAYOUT = 1


class Part(Struct, frozen=True, kw_only=True):
    """A metro in a release: its manifest, the time of its last change, and the hash of its snapshot."""

    manifest: str
    stamp: datetime
    snapshot: str


class Segment(Struct, frozen=True, kw_only=True):
    """An object with a run of versions of listings, `first` to `last`, and the `index` of its blocks and listings."""

    object: str
    index: str
    first: int
    last: int


class Log(Struct, frozen=True, kw_only=True):
    """The segments with every version of every listing. `sealed` ones are full, in order. Each release rewrites `tail`,
    the last one."""

    sealed: tuple[Segment, ...] = ()
    tail: Segment | None = None
    latest_version_id: int = 0
    latest_changed_at: datetime | None = None


class ReadCounts(Struct, frozen=True, kw_only=True):
    """The counts of one reading of a feed, which every later stage passes on. Add a new count here and in
    `pipeline.clean.read_tally`.

    `withdrawn`: records of what was taken down, which are left out. `missed`: expectations that the feed does not meet.
    `removals`: records that only remove something. `repeated`: those `merged` that equal their successor; `merges`:
    some of the others. `filled`: how often each default was used. `unplaced`: columns that the mapping does not use.
    `unread`: by member, the texts that no reader understood.
    """

    read: int
    merged: int
    quarantined: int
    withdrawn: int = 0
    missed: tuple[str, ...] = ()
    removals: int = 0
    repeated: int = 0
    merges: tuple[str, ...] = ()
    filled: Mapping[str, int] = {}
    unplaced: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    def list_counts(self) -> dict[str, Any]:
        """Return the counts by name, without what a subclass adds."""
        return {name: getattr(self, name) for name in ReadCounts.__struct_fields__}


def leave_out_texts(lines: Iterable[str]) -> tuple[str, ...]:
    """Return lines of `unread` without the texts, which may be of a record that is taken down later: a root stays.

    >>> leave_out_texts(['ages: 1 of 2 texts not understood: "for big ones"'])
    ('ages: 1 of 2 texts not understood',)
    """
    return tuple(line.partition(': "')[0] for line in lines)


class FeedTally(ReadCounts, frozen=True, kw_only=True):
    """Counts of a feed's records in a release: `read` = `listings` + `merged` + `quarantined`.

    `last_good`: listings that stay as they were because their new record is quarantined; `last_good_since`: the stamp
    of the oldest of these versions. `read_at`: when this version was read. `failure`: why it is still in force, though
    the feed failed at `failed_at`.
    """

    listings: int
    last_good: int = 0
    last_good_since: datetime | None = None
    read_at: datetime | None = None
    failed_at: datetime | None = None
    failure: str | None = None


class FeedMemory(FeedTally, frozen=True, kw_only=True):
    """Facts about a feed for the next build, so that the same bytes are not parsed again: the hash of the bytes and the
    counts of the records. `problems`: the object with its quarantine lines.

    `hash` is empty if there never was a good version. `metro`: the feed's only metro; None if it has several, or in old
    roots. `newest`: when the feed last changed, if it is expected to be fresh.

    `question`: a hash of the address and settings by which the other members were fetched. `records`: the object with
    the raw records. `etag`, `last_modified`: the server's validators. `pages`: the object with the pages that the list
    links to. `next`: the page from which the next build reads on; `walked_at`: when the pages were last read.
    """

    hash: str
    metro: str | None = None
    problems: str | None = None
    question: str | None = msgspec.field(default=None, name="asked")
    records: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    pages: str | None = None
    next: str | None = None
    walked_at: datetime | None = None
    newest: datetime | None = None


class Withdrawal(Struct, frozen=True, kw_only=True):
    """A listing or organization that the operator took down. `reason` is the operator's own code. `marks` are hashes by
    which records of it are recognized (`pipeline.clean.withdrawn_records`). `is_over`: it may be published again."""

    type: str
    at: datetime
    reason: str
    marks: tuple[str, ...] = ()
    is_over: bool = False


class ReleaseRange(Struct, frozen=True, array_like=True):
    """Releases `first` to `last`, both included, which hold what was taken down, and are never served."""

    first: int
    last: int


Withdrawals = Mapping[str, Withdrawal]


class Root(Struct, frozen=True, kw_only=True):
    """A release.

    `parts` by metro slug, `feeds` by feed name; `previous` is null in the first. `withdrawals`: what was taken down, by
    id; `ended`: the earlier releases that hold it. `site`: the object of the site's settings and pages (`site.Site`).
    """

    layout: int = LAYOUT
    sequence: int
    previous: str | None
    built_at: datetime
    parts: Mapping[str, Part]
    log: Log = Log()
    feeds: Mapping[str, FeedMemory] = {}
    withdrawals: Withdrawals = {}
    ended: tuple[ReleaseRange, ...] = ()
    site: str | None = None


def parse_root(data: bytes) -> Root:
    """Parse a root. Raises Corrupt if the bytes are not a root, or have another layout."""
    layout = decode_json(data, _Layout, name="root").layout
    if layout != LAYOUT:
        raise Corrupt(f"root: its layout is {layout}; this program reads {LAYOUT}")
    return decode_json(data, Root, name="root")


class _Layout(Struct, frozen=True):
    layout: int


def read_root(store: Store, sha: str) -> Root:
    """Read the root with this hash. Raises NotFound, Corrupt and StoreError."""
    return parse_root(read_object(store, sha))


class ListedRelease(Struct, frozen=True):
    """A release in the chain: its root and the root's hash."""

    sha: str
    root: Root

    @property
    def id(self) -> str:
        return format_release_id(self.root.sequence, self.sha)


def walk_releases(store: Store, sha: str | None) -> Iterator[ListedRelease]:
    """Yield the release with this root and the earlier ones, newest first, until one is pruned."""
    while sha is not None:
        try:
            root = read_root(store, sha)
        except NotFound:
            return
        yield ListedRelease(sha, root)
        sha = root.previous


def format_release_id(sequence: int, sha: str) -> str:
    """Return `<sequence>-<8 hex of the root's hash>`."""
    return f"{sequence}-{sha[:8]}"


def parse_release_id(text: str) -> tuple[int, str]:
    """Return the sequence and the 8 hex digits. Raises ValueError if the text is not a release id.

    >>> parse_release_id("12-0a1b2c3d")
    (12, '0a1b2c3d')
    """
    sequence, _, opening = text.partition("-")
    well_formed = sequence.isascii() and sequence.isdigit() and len(opening) == 8
    if not well_formed or format_release_id(int(sequence), opening) != text or set(opening) - set("0123456789abcdef"):
        raise ValueError(f"release {text!r}: allowed: <sequence>-<8 hex digits>, such as 12-0a1b2c3d")
    return int(sequence), opening


def explain_regress(old: Root, new: Root) -> str | None:
    """Explain why `new` must not follow `old`, or return None. Sequence, latest version and stamps never go back."""
    if new.sequence < old.sequence:
        return f"sequence goes back from {old.sequence} to {new.sequence}"
    if new.log.latest_version_id < old.log.latest_version_id:
        return f"latest version goes back from {old.log.latest_version_id} to {new.log.latest_version_id}"
    for slug, part in sorted(old.parts.items()):
        if slug in new.parts and new.parts[slug].stamp < part.stamp:
            return f"the stamp of {slug} goes back from {part.stamp} to {new.parts[slug].stamp}"
    return None


def list_withdrawn(withdrawals: Withdrawals) -> frozenset[str]:
    """Return the ids that no release may have."""
    return frozenset(row_id for row_id, withdrawal in withdrawals.items() if not withdrawal.is_over)


def has_ended(ended: Iterable[ReleaseRange], sequence: int) -> bool:
    return any(span.first <= sequence <= span.last for span in ended)


def add_ended(ended: Collection[ReleaseRange], first: int, last: int) -> tuple[ReleaseRange, ...]:
    """Add a run of releases, joined with those that it touches, in order."""
    for other in ended:
        if other.first <= last + 1 and first <= other.last + 1:
            first, last = min(first, other.first), max(last, other.last)
    apart = [other for other in ended if other.last + 1 < first or last + 1 < other.first]
    return tuple(sorted([*apart, ReleaseRange(first, last)], key=lambda span: span.first))
