"""Publish a release by replacing the pointer once. Until then the previous release is the current one."""

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from outings.failures import GuardRefusal
from outings.release.log import Version, append_versions, erase_words
from outings.release.pointer import NAME, Pointer, VersionedPointer, make_pointer, read_current, swap_pointer
from outings.release.root import FeedMemory, Log, Part, Root, Withdrawals, add_ended, format_release_id
from outings.release.store import Outcome, Store, StoreError, encode_canonical, hash_of, name_of, read_object
from outings.release.trust import ANYBODY, Trust

# A prune leaves alone what is younger than this, so a build that took longer may not publish.
LONGEST_BUILD = timedelta(hours=6)

# How often to try. After each loss another build has published, and nobody runs as many at once.
ATTEMPTS = 1_000

# What publishes a release, as messages name it.
Act = Literal["build", "rollback", "takedown"]

# The root before the first release.
_NO_RELEASE = Root(sequence=0, previous=None, built_at=datetime.fromtimestamp(0, UTC), parts={})

_Value = TypeVar("_Value")


class ConcurrentPublication(GuardRefusal):
    """An error: another build or rollback of the same metros was published first, and nothing of this one was."""


class BuildTooLong(Exception):  # noqa: N818 - the name says it
    """An error: the build took so long that a prune may have deleted its objects; nothing of it was published."""


class Publication(Struct, frozen=True, kw_only=True):
    """A published release: its id, its root and the root's hash, the pointer to it, and its changes."""

    id: str
    sha: str
    root: Root
    pointer: Pointer
    changes: tuple[Version, ...]


class SiteObjects(Struct, frozen=True, kw_only=True):
    """The hash of a site's object, None for a release without pages, and the objects to write for it."""

    site: str | None
    objects: tuple[bytes, ...]


class WithdrawalChange(Struct, frozen=True, kw_only=True):
    """A change of withdrawals by a release. `withdrawals`: all in force from then on. `erased`: ids whose texts are
    removed from the log. `since`: the sequence from which earlier releases are no longer served; None if all are."""

    withdrawals: Withdrawals
    erased: frozenset[str] = frozenset()
    since: int | None = None


def publish(
    store: Store,
    *,
    base: Root | None,
    parts: Mapping[str, Part | None],
    changes: Sequence[Version],
    feeds: Mapping[str, FeedMemory | None],
    now: datetime,
    find_changes: Callable[[Mapping[str, Part]], Sequence[Version]] = lambda _: (),
    make_site: Callable[[Mapping[str, Part], str | None], SiteObjects | None] | None = None,
    check_deadline: Callable[[], None] = lambda: None,
    tell_id: Callable[[str], None] = lambda _: None,
    trust: Trust = ANYBODY,
    act: Act = "build",
    taking: WithdrawalChange | None = None,
) -> Publication:
    """Publish a release: the current one with `parts`, `feeds` (None removes one) and `changes` added.

    `base` is the root that the build started from. All objects of `parts` must already be in the store. Parts that
    others published meanwhile are kept, and `changes` are numbered after theirs. `find_changes` gets the current parts,
    including those of others, and returns the changes that depend on them. `make_site` gets all parts of the new
    release and the hash of the current site; without it, or if it returns None, the site is unchanged. `tell_id` is
    called with the release's id before each attempt to replace the pointer, because every attempt has another id.

    `taking`: the withdrawals that a takedown adds or ends.

    Raises ConcurrentPublication if another build published one of `parts`, or if a withdrawal was added or ended since
    `base`, because the build may contain withdrawn listings. Raises UntrustedRelease if `trust` does not trust the
    current release, Corrupt if the pointer does not fit its root, StoreError, and what `check_deadline` raises right
    before an attempt.
    """
    for _ in range(ATTEMPTS):
        before = read_current(store, trust=trust, is_new=base is None)
        current, current_root = (None, _NO_RELEASE) if before is None else (before.pointer, before.root)
        refuse_concurrent(base=base or _NO_RELEASE, current_root=current_root, parts=parts, act=act)
        versions = _name_returned((*changes, *find_changes(current_root.parts)), current_root)
        log, read = current_root.log, partial(read_object, store)
        if taking is not None and taking.erased:
            erased = erase_words(log, taking.erased, read=read)
            store.put_many((name_of(data), data) for data in erased.objects)
            log = erased.log
        grown = append_versions(log, versions, read=read)
        root = compose_root(
            current=current, current_root=current_root, parts=parts, log=grown.log, feeds=feeds, now=now,
            taking=taking,
        )  # fmt: skip
        made = None if make_site is None else make_site(root.parts, root.site)
        if made is not None:
            root = replace(root, site=made.site)
        objects = (*grown.objects, *(made.objects if made else ()), encode_canonical(root))
        store.put_many((name_of(data), data) for data in objects)
        release_id = format_release_id(root.sequence, hash_of(encode_canonical(root)))
        tell_id(release_id)
        check_deadline()
        pointer = put_in_force(store, root, current=current, trust=trust)
        if pointer is not None:
            return Publication(id=release_id, sha=pointer.root, root=root, pointer=pointer, changes=versions)
    cause = f"{ATTEMPTS} other builds published first, one after the other; run the command again"
    raise StoreError(store=str(store), operation="swap", name=NAME, cause=cause)


def sign_anew(store: Store, *, current: VersionedPointer, current_root: Root, now: datetime, trust: Trust) -> Pointer:
    """Publish the current release again, signed by `trust`, whoever signed it before. The caller must have checked it.

    Raises ConcurrentPublication if another release became current meanwhile, and StoreError.
    """
    root = compose_root(current=current, current_root=current_root, parts={}, log=current_root.log, feeds={}, now=now)
    data = encode_canonical(root)
    store.put(name_of(data), data)
    pointer = put_in_force(store, root, current=current, trust=trust)
    if pointer is None:
        raise ConcurrentPublication(
            f"another release followed {current_root.sequence} meanwhile; nothing is signed, run it again"
        )
    return pointer


def put_in_force(store: Store, root: Root, *, current: VersionedPointer | None, trust: Trust) -> Pointer | None:
    """Replace the pointer by one to this root, which must be in the store. Return None if another was first."""
    pointer = make_pointer(hash_of(encode_canonical(root)), root, trust=trust)
    return pointer if swap_pointer(store, old=current, new=pointer) is Outcome.WON else None


def compose_root(
    *,
    current: VersionedPointer | None,
    current_root: Root,
    parts: Mapping[str, Part | None],
    log: Log,
    feeds: Mapping[str, FeedMemory | None],
    now: datetime,
    taking: WithdrawalChange | None = None,
) -> Root:
    """Return the root of the next release: `current_root` with these changes."""
    ended = current_root.ended
    if taking is not None and taking.since is not None and current is not None:
        ended = add_ended(ended, taking.since, current_root.sequence)
    return replace(
        current_root,
        sequence=current_root.sequence + 1,
        previous=current.pointer.root if current else None,
        built_at=now,
        parts=_lay_over(current_root.parts, parts),
        log=log,
        feeds=_lay_over(current_root.feeds, feeds),
        withdrawals=current_root.withdrawals if taking is None else taking.withdrawals,
        ended=ended,
    )


def _name_returned(changes: tuple[Version, ...], current_root: Root) -> tuple[Version, ...]:
    """Rename the change `created` to `restored` for listings that were withdrawn. A build can't tell them from new
    ones."""
    withdrawals = current_root.withdrawals
    return tuple(
        replace(change, kind="restored") if change.kind == "created" and change.listing_id in withdrawals else change
        for change in changes
    )


def _lay_over(under: Mapping[str, _Value], over: Mapping[str, _Value | None]) -> dict[str, _Value]:
    return {name: value for name, value in {**under, **over}.items() if value is not None}


def refuse_concurrent(*, base: Root, current_root: Root, parts: Mapping[str, Part | None], act: Act = "build") -> None:
    """Raise ConcurrentPublication if since `base` the store went back, a withdrawal was added or ended, or one of these
    metros got another part. Prune relies on this: nothing that was started before a takedown is published after it."""
    if current_root.sequence < base.sequence:
        state = f"went back to release {current_root.sequence}" if current_root.sequence else "has no release any more"
        raise ConcurrentPublication(f"the store {state}, and this {act} started from release {base.sequence}")
    touched = [slug for slug in sorted(parts) if base.parts.get(slug) != current_root.parts.get(slug)]
    if current_root.withdrawals != base.withdrawals:
        event = "took listings down or gave them back"
    elif touched:
        event = f"published {', '.join(touched)} first"
    else:
        return
    raise ConcurrentPublication(
        f"release {current_root.sequence}, or one just before it, {event}; "
        f"nothing of this {act} was published, run it again"
    )


def make_deadline(
    *, longest: timedelta = LONGEST_BUILD, clock: Callable[[], float] = time.time, act: Act = "build"
) -> Callable[[], None]:
    """Return a function that raises BuildTooLong if it is called later than `longest` from now, by the clock that
    prunes use."""
    started = clock()

    def check() -> None:
        took = timedelta(seconds=round(clock() - started))
        if took > longest:
            raise BuildTooLong(f"the {act} took {took}, longer than {longest}; nothing of it was published")

    return check
