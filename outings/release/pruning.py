"""Delete what no server, command or build can need any more.

Kept are all that is named by a release replaced less than `keep_days` and one longest build ago (a build or a rollback
may have begun from it on its last day), and whatever is younger than the longest build, which may be about to be named.
Of releases that a takedown ended only the roots are kept, through which earlier ones are found. Objects that were
written before the takedown and are not named are deleted at once: nothing that began earlier can be published any more.
Times are those at which the store says an object was written: a release's own are its build's, which may be `--as-of`.

A clock that is days ahead makes every release look old. So nothing is deleted where the clock looks wrong.
"""

import re
from datetime import timedelta
from itertools import chain, pairwise

from msgspec import Struct

from outings.failures import GuardRefusal
from outings.release.manifest import list_references
from outings.release.pointer import list_releases
from outings.release.publishing import LONGEST_BUILD
from outings.release.root import ListedRelease, has_ended
from outings.release.store import PREFIX, TEMPORARY, Store, StoreEntry, object_name
from outings.release.trust import ANYBODY, Trust

# As much as S3 allows a client's clock to differ.
MOST_AHEAD = timedelta(minutes=15)
_ADVICE = "nothing was deleted. Look at the clock (`date`); if it is right, prune with --clock-is-right"


# Names that this program writes. Other files were put there by people, and are not deleted.
_OWN_NAME = re.compile(r"objects/([0-9a-f]{2})/\1[0-9a-f]{62}|tmp/[0-9a-f]{32}-[0-9]+")


class PruneResult(Struct, frozen=True, kw_only=True):
    """The deleted entries, in no order, and the number of releases that are kept."""

    deleted: tuple[StoreEntry, ...]
    releases: int


class WrongClock(GuardRefusal):
    """The clock of this machine is or was wrong, compared with the releases or the store. Nothing was deleted."""


class _NeededObjects(Struct, frozen=True):
    named: frozenset[str]
    releases: tuple[ListedRelease, ...]
    cut: ListedRelease | None  # the newest that is not kept
    taken_at: float | None = None  # when the last takedown came into force


def check_clock(store: Store, *, now: float) -> None:
    """Raise WrongClock if `now` is far later than the store's clock. A slow clock is harmless: it deletes less. Raises
    StoreError."""
    ahead = timedelta(seconds=round(now - store.read_clock()))
    if ahead > MOST_AHEAD:
        raise WrongClock(f"the clock of this machine is {ahead} ahead of the store's; {_ADVICE}")


def prune(
    store: Store,
    *,
    keep_days: float,
    now: float,
    longest_build: timedelta = LONGEST_BUILD,
    is_clock_right: bool = False,
    trust: Trust = ANYBODY,
) -> PruneResult:
    """Delete old releases and unneeded objects. `now`: seconds since 1970, read before the call; never `--as-of`.

    Raises StoreError, Corrupt, UntrustedRelease, since a forged pointer would make every needed object seem unneeded,
    and WrongClock unless `is_clock_right`. Safe beside builds and readers. If it is killed, each release is still
    complete, or no longer listed.
    """
    expired_before = now - timedelta(days=keep_days).total_seconds()
    needed = find_needed(store, expired_before=expired_before, grace=longest_build, trust=trust)
    if not is_clock_right:
        _refuse_gap(needed, longest=timedelta(days=keep_days))
    young = max(now - longest_build.total_seconds(), needed.taken_at or 0.0)
    # The chain is cut first: from then on no one finds a release whose objects are going.
    cut = store.delete(store.list(object_name(needed.cut.sha))) if needed.cut else ()
    unneeded = store.delete(
        entry
        for entry in chain(store.list(PREFIX), store.list(TEMPORARY))
        if entry.modified_at < young
        and entry.name.rpartition("/")[2] not in needed.named
        and _OWN_NAME.fullmatch(entry.name)
    )
    ended = needed.releases[0].root.ended if needed.releases else ()
    readable = sum(not has_ended(ended, release.root.sequence) for release in needed.releases)
    return PruneResult(deleted=(*cut, *unneeded), releases=readable)


def find_needed(store: Store, *, expired_before: float, grace: timedelta, trust: Trust) -> _NeededObjects:
    """Find the releases to keep, and all objects that they name, including their roots."""
    named: set[str] = set()
    releases: list[ListedRelease] = []
    replaced_at: float | None = None
    taken_at: float | None = None
    cut = None
    for release in list_releases(store, trust=trust):
        if replaced_at is not None and replaced_at < expired_before - grace.total_seconds():
            cut = release
            break
        ended = releases[0].root.ended if releases else release.root.ended
        named.add(release.sha)
        if has_ended(ended, release.root.sequence):
            taken_at = taken_at or replaced_at
        else:
            named.update(list_references(store, release.root, known=named))
        releases.append(release)
        # It replaced the one before it when its root was written, to a second or so.
        replaced_at = max((entry.modified_at for entry in store.list(object_name(release.sha))), default=None)
    return _NeededObjects(frozenset(named), tuple(releases), cut, taken_at)


def _refuse_gap(needed: _NeededObjects, *, longest: timedelta) -> None:
    """Raise WrongClock if the last release came too long after the previous one, or if only the current one would be
    left. A long gap between earlier releases counts only if there is a release to delete."""
    if needed.cut is None:
        compared = needed.releases[:2]
    else:
        # What the newest deleted one was followed by is known for long, save where that is the current one.
        compared = needed.releases if len(needed.releases) > 1 else (*needed.releases, needed.cut)
    for newer, older in pairwise(compared):
        gap = newer.root.built_at - older.root.built_at
        if gap > longest:
            raise WrongClock(
                f"release {newer.id} was published {gap} after release {older.id}, more than [store] keep_days "
                f"({longest.days}): nothing was built for so long, or the clock was wrong; {_ADVICE}"
            )
    if needed.cut is not None and len(needed.releases) == 1:
        raise WrongClock(
            f"all releases but {needed.releases[0].id}, the current one, would be deleted: nothing was published since "
            f"for more than [store] keep_days ({longest.days}), or the clock is wrong; {_ADVICE}"
        )
