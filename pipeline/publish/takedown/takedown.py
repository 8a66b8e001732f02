"""Take listings down: publish a release without them, and remove their texts from all stored state."""

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from datetime import datetime
from functools import cache, partial, wraps
from io import BytesIO
from pathlib import Path
from typing import ParamSpec

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from outings.contract.vocabulary import REMOVAL_REASONS
from outings.release.log import list_history
from outings.release.manifest import read_manifest
from outings.release.pointer import list_releases, read_current
from outings.release.publishing import ConcurrentPublication, Publication, WithdrawalChange, make_deadline, publish
from outings.release.root import Part, Root, Withdrawal, has_ended, list_withdrawn, walk_releases
from outings.release.store import NotFound, Store, read_object
from outings.release.trust import ANYBODY, Trust
from pipeline.clean.feed_read import read_problems
from pipeline.clean.withdrawn_records import WithdrawalMatcher, forget_answers, strip_memory
from pipeline.clock import choose_stamp
from pipeline.publish.objects.site import compose_site, read_settings
from pipeline.publish.organization_changes import compare_organizations
from pipeline.publish.takedown.metro import MetroWithdrawal, find_withdrawal, strip_metro
from pipeline.tables.versions import list_versions

WITHDRAWN = "withdrawn"
# A build that publishes meanwhile is followed, and what it brought is looked at again.
ATTEMPTS = 20
P = ParamSpec("P")


class UnknownRowError(Exception):
    """The ids that are in no release, or that are not taken down."""


class TakedownResult(Struct, frozen=True, kw_only=True):
    """The result. `published`: None if there was nothing to do. `types` by id; `showing`: how many listings showed the
    withdrawn ones, by metro; `since`: the first release that had them; the last is the previous one."""

    published: Publication | None = None
    types: Mapping[str, str] = {}
    showing: Mapping[str, int] = {}
    since: int | None = None


def _follow_builds(act: Callable[P, TakedownResult]) -> Callable[P, TakedownResult]:
    """Let the function start again if others publish meanwhile."""

    @wraps(act)
    def follow(*args: P.args, **kwargs: P.kwargs) -> TakedownResult:
        for _ in range(ATTEMPTS - 1):
            with suppress(ConcurrentPublication):
                return act(*args, **kwargs)
        return act(*args, **kwargs)

    return follow


@_follow_builds
def take_down(
    store: Store, ids: Collection[str], *, reason: str, now: datetime, cache: Path, trust: Trust = ANYBODY
) -> TakedownResult:
    """Publish a release without these listings. `reason`: the operator's code; readers see `withdrawn` if the contract
    does not have it. Raises UnknownRowError, UntrustedRelease, Corrupt, StoreError, and ConcurrentPublication if others
    publish again and again."""
    check_deadline = make_deadline(act="takedown")
    root = _read_root(store, trust=trust)
    if root is None:
        raise _refuse_unknown(ids)
    withdrawn = list_withdrawn(root.withdrawals)
    wanted = [row_id for row_id in dict.fromkeys(ids) if row_id not in withdrawn]
    if not wanted:
        return TakedownResult()
    by_metro = {slug: find_withdrawal(store, part, wanted, cache=cache) for slug, part in sorted(root.parts.items())}
    types = _name_types(store, root, by_metro, wanted)
    stamp = _choose_stamp(root, now)
    new = {
        row_id: Withdrawal(
            type=types[row_id],
            at=stamp,
            reason=reason,
            marks=tuple(sorted({mark for metro in by_metro.values() for mark in metro.list_marks(row_id)})),
        )
        for row_id in wanted
    }
    withdrawals = {**root.withdrawals, **new}
    first_slugs = {slug: metro.released.first_slug for slug, metro in by_metro.items()}
    taken = WithdrawalMatcher(withdrawals, first_slugs)
    public_reason = reason if reason in REMOVAL_REASONS else WITHDRAWN
    site = read_settings(store, root.site)
    built = [
        strip_metro(store, withdrawal, taken, stamp=stamp, reason=public_reason, cache=cache, site=site)
        for withdrawal in by_metro.values()
    ]
    changes = {metro.slug: metro.changes for metro in built if metro is not None}
    parts: dict[str, Part | None] = {metro.slug: metro.part for metro in built if metro is not None}
    stripped = {name: strip_memory(store, memory, taken) for name, memory in root.feeds.items()}
    first = _find_first(store, root, wanted)
    since = find_first_with_text(store, taken, ids=wanted, latest=first, trust=trust)
    published = publish(
        store,
        base=root,
        parts=parts,
        changes=list_versions(changes, stamp=stamp),
        feeds={name: memory for name, memory in stripped.items() if memory != root.feeds[name]},
        now=stamp,
        find_changes=lambda current_parts: [
            # A withdrawn organization has its id in place of the slug.
            replace(version, slug=version.listing_id, reason=public_reason) if version.listing_id in new else version
            for version in compare_organizations(
                store, changes, current_parts=current_parts, parts=parts, stamp=stamp, cache=cache
            )
        ],
        make_site=compose_site(store),
        check_deadline=check_deadline,
        trust=trust,
        act="takedown",
        taking=WithdrawalChange(withdrawals=withdrawals, erased=frozenset(wanted), since=since),
    )
    showing = {
        slug: len(withdrawal.stripping.showing) for slug, withdrawal in by_metro.items() if withdrawal.stripping.showing
    }
    return TakedownResult(published=published, types=types, showing=showing, since=since)


@_follow_builds
def give_back(store: Store, ids: Collection[str], *, now: datetime, trust: Trust = ANYBODY) -> TakedownResult:
    """Allow listings that were taken down to be published again. The next build reads all feeds whole, because their
    records were removed from the stored state."""
    root = _read_root(store, trust=trust)
    unknown = sorted(set(ids) - ({} if root is None else root.withdrawals).keys())
    if root is None or unknown:
        raise UnknownRowError(f"{', '.join(unknown)}: is not taken down; nothing is published")
    wanted = list_withdrawn(root.withdrawals).intersection(ids)
    if not wanted:
        return TakedownResult()
    given = {row_id: replace(root.withdrawals[row_id], is_over=True) for row_id in wanted}
    published = publish(
        store, base=root, parts={}, changes=[], now=_choose_stamp(root, now), trust=trust, act="takedown",
        feeds={name: forget_answers(memory) for name, memory in root.feeds.items()},
        taking=WithdrawalChange(withdrawals={**root.withdrawals, **given}),
    )  # fmt: skip
    types = {row_id: root.withdrawals[row_id].type for row_id in sorted(wanted)}
    return TakedownResult(published=published, types=types)


def _choose_stamp(root: Root, now: datetime) -> datetime:
    """Return a stamp later than that of every metro, so that no mirror misses the change."""
    return choose_stamp([now], previous=(part.stamp for part in root.parts.values()))


def _read_root(store: Store, *, trust: Trust) -> Root | None:
    current = read_current(store, trust=trust)
    return None if current is None else current.root


def _name_types(
    store: Store, root: Root, withdrawals: Mapping[str, MetroWithdrawal], ids: Collection[str]
) -> dict[str, str]:
    """Return the type of each id, `listing` if its row is gone. Raises UnknownRowError."""
    types = {row_id: str(row["kind"]) for withdrawal in withdrawals.values() for row_id, row in withdrawal.rows.items()}
    unknown = [row_id for row_id in ids if row_id not in types and not _list_versions(store, root, row_id)]
    if unknown:
        raise _refuse_unknown(unknown)
    return {row_id: types.get(row_id, "listing") for row_id in ids}


def _refuse_unknown(ids: Collection[str]) -> UnknownRowError:
    return UnknownRowError(f"no listing or organization has or had the id {', '.join(ids)}; nothing is published")


def _list_versions(store: Store, root: Root, row_id: str) -> list[int]:
    return list_history(root.log, row_id, read=partial(read_object, store))


def _find_first(store: Store, root: Root, ids: Collection[str]) -> int:
    """Return the sequence of the oldest kept release whose log has one of the ids."""
    firsts = [versions[0] for row_id in ids if (versions := _list_versions(store, root, row_id))]
    first = root.sequence
    for earlier in walk_releases(store, root.previous) if firsts else ():
        if earlier.root.log.latest_version_id < min(firsts):
            break
        first = earlier.root.sequence
    return first


def find_first_with_text(
    store: Store, taken: WithdrawalMatcher, *, ids: Collection[str], latest: int, trust: Trust = ANYBODY
) -> int:
    """Return the sequence of the oldest kept release with a text of the listings, or `latest`, which has one.

    All earlier releases are searched, because a listing may leave quarantine and come back. An object that several
    releases name is read once. Raises UntrustedRelease, Corrupt and StoreError.
    """

    @cache
    def is_in_table(sha: str) -> bool:
        column = pl.read_parquet(BytesIO(read_object(store, sha)), columns=["id"])["id"]
        return bool(column.is_in(list(ids)).any())

    @cache
    def is_in_metro(manifest: str) -> bool:
        tables = read_manifest(store, manifest).tables
        return any(is_in_table(tables[name].object) for name in ("listings", "organizations"))

    @cache
    def is_in_quarantine(sha: str | None) -> bool:
        return any(taken.has_source(problem.feed, problem.source_id) for problem in read_problems(store, sha))

    def has_text(root: Root) -> bool:
        with suppress(NotFound):  # a root kept only as a link of the chain
            in_metros = (is_in_metro(part.manifest) for part in root.parts.values())
            return any(in_metros) or any(is_in_quarantine(feed.problems) for feed in root.feeds.values())
        return False

    first = latest
    for release in list_releases(store, trust=trust):
        is_open = release.root.sequence < first and not has_ended(release.root.ended, release.root.sequence)
        if is_open and has_text(release.root):
            first = release.root.sequence
    return first
