"""The earlier roots that each root names, so that any kept release is found with a few reads.

Level 0 has the 16 roots before, level 1 the last 16 before whose sequence is a multiple of 16, level 2 those of 256,
and so on. Root 671 names 34 roots in this way, and release 12 is found through roots 256 and 16. That a release was
pruned, or never existed, is known after as many reads.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from datetime import datetime
from itertools import islice

from cachetools import FIFOCache
from msgspec import Struct

from outings.contract.instants import format_instant
from outings.release.objects import Corrupt, decode_json, object_name, read_object
from outings.release.root import LAYOUT, Lineage, Root, format_release_id, parse_release_id, walk_roots
from outings.release.store import NotFound, Store, StoreError

WIDTH = 16
# Roots that one search may read. A dozen are enough, but where a program of before wrote them, without a lineage: there
# the chain is walked, and who asks again goes on where the search before ended.
MOST_READS = 256
# Of roots that were read. They take 4 kB each.
_MOST_STEPS = 1_024
# As far back as a build makes up a lineage that its base has not: four weeks at a build each quarter of an hour.
_MOST_TRACED = 2_688


class _PartStamp(Struct, frozen=True):
    stamp: datetime


class _VersionCount(Struct, frozen=True):
    latest_version_id: int = 0


class RootHeader(Struct, frozen=True, kw_only=True):
    """The part of a root that a search reads."""

    layout: int
    sequence: int
    previous: str | None
    parts: Mapping[str, _PartStamp]
    log: _VersionCount = _VersionCount()
    earlier: Lineage = ()


def trace_lineage(store: Store, sha: str, root: Root) -> Lineage:
    """The lineage of the root that follows this one. If this root is from before lineages existed, the chain is walked
    once."""
    if root.earlier or root.previous is None:
        return _extend(root.earlier, root.sequence, sha)
    chain = [(sha, root)]
    for each in islice(walk_roots(store, root.previous), _MOST_TRACED):
        chain.append(each)
        if each[1].earlier:
            break
    lineage = chain[-1][1].earlier
    for each_sha, each_root in reversed(chain):
        lineage = _extend(lineage, each_root.sequence, each_sha)
    return lineage


def _extend(lineage: Lineage, sequence: int, sha: str) -> Lineage:
    """With the root of this sequence, whose own lineage it is, as the newest."""
    levels = list(lineage)
    level = 0
    while sequence % WIDTH**level == 0:
        known = levels[level] if level < len(levels) else ()
        levels[level : level + 1] = [(sha, *known)[:WIDTH]]
        level += 1
    return tuple(levels)


def list_earlier(root: Root | RootHeader) -> list[tuple[int, str]]:
    """The sequences and hashes of all roots that this root names, newest first."""
    named = {} if root.previous is None else {root.sequence - 1: root.previous}
    for level, hashes in enumerate(root.earlier):
        newest = (root.sequence - 1) // WIDTH**level
        named |= {(newest - back) * WIDTH**level: sha for back, sha in enumerate(hashes)}
    return sorted(named.items(), reverse=True)


def name_stamp(root: Root | RootHeader, metro: str) -> str | None:
    """The stamp as a cursor has it. The texts have the same order as the instants."""
    part = root.parts.get(metro)
    return None if part is None else format_instant(part.stamp)


class ReleaseChain:
    """The kept releases of a store. Roots never change, so what was read of them is cached."""

    def __init__(self, store: Store, *, most: int = MOST_READS) -> None:
        """`most`: reads of a search; one that would need more raises StoreError."""
        self._store = store
        self._most = most
        self._steps: FIFOCache[str, RootHeader] = FIFOCache(_MOST_STEPS)

    def find_id(self, release_id: str, *, current: Root) -> str | None:
        """The hash of the root with this id among those before `current`, or None if it is not kept. Raises ValueError
        if the text is not a release id, Corrupt and StoreError."""
        sequence, _ = parse_release_id(release_id)
        search = _Search(self._store, self._steps, self._most)
        root: Root | RootHeader | None = current
        while root is not None and root.sequence > sequence:
            named = [each for each in list_earlier(root) if each[0] >= sequence]
            if not named:
                return None
            at, sha = named[-1]
            if at == sequence:
                return sha if format_release_id(at, sha) == release_id else None
            root = search.read(at, sha)
        return None

    def find_stamp(self, metro: str, stamp: str, *, current: Root) -> str | None:
        """The hash of the newest root before `current` in which the metro has this stamp, or None if none is kept.
        Stamps never go back, so this is a binary search. Raises Corrupt and StoreError."""

        def is_newer(root: Root | RootHeader) -> bool:
            """Where the metro is missing it came later."""
            other = name_stamp(root, metro)
            return other is not None and other > stamp

        if not is_newer(current):
            return None
        search = _Search(self._store, self._steps, self._most)
        earlier = list_earlier(_find_oldest(current, is_newer, search))
        before = search.read(*earlier[0]) if earlier else None
        return earlier[0][1] if before is not None and name_stamp(before, metro) == stamp else None

    def find_version(self, version_id: int, *, current: Root) -> int:
        """The sequence of the oldest kept root whose log has this version, as that of `current` has. Raises Corrupt
        and StoreError."""

        def has_version(root: Root | RootHeader) -> bool:
            return root.log.latest_version_id >= version_id

        search = _Search(self._store, self._steps, self._most)
        return _find_oldest(current, has_version, search).sequence


def _find_oldest(current: Root, is_wanted: Callable[[Root | RootHeader], bool], search: "_Search") -> Root | RootHeader:
    """The oldest kept root that is wanted, as `current` is and all that follow the first that is. Of what is pruned
    none is."""
    wanted: Root | RootHeader = current
    unwanted = 0

    def is_known(sequence: int, sha: str) -> bool:
        step = search.read(sequence, sha)
        return step is not None and is_wanted(step)

    while True:
        named = [each for each in list_earlier(wanted) if each[0] > unwanted]
        count = bisect_left(named, 1, key=lambda each: int(not is_known(*each)))
        if count < len(named):
            unwanted = named[count][0]
        if count == 0:
            return wanted
        following = search.read(*named[count - 1])
        assert following is not None  # it was wanted
        wanted = following


class _Search(Struct):
    """May read `left` roots more."""

    store: Store
    steps: FIFOCache[str, RootHeader]
    left: int

    def read(self, sequence: int, sha: str) -> RootHeader | None:
        """None where it is pruned, with all before it."""
        step = self.steps.get(sha)
        if step is None:
            if not self.left:
                cause = "the chain is long, and was written by an older program; ask again, to go on from here"
                raise StoreError(store=str(self.store), operation="find", name=f"release {sequence}", cause=cause)
            self.left -= 1
            try:
                step = _parse_step(read_object(self.store, sha), name=object_name(sha))
            except NotFound:
                return None
            self.steps[sha] = step
        if step.sequence != sequence:
            raise Corrupt(f"root {object_name(sha)}: its sequence is {step.sequence}; a newer root says {sequence}")
        return step


def _parse_step(data: bytes, *, name: str) -> RootHeader:
    step = decode_json(data, RootHeader, name=f"root {name}")
    if step.layout != LAYOUT:
        raise Corrupt(f"root {name}: its layout is {step.layout}; this program reads {LAYOUT}")
    return step
