"""Reports on each feed for the operator's pages, from the last releases: counts, problems, listings that came and went,
and gaps in listings."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import polars as pl

from outings.pages.city import MEMBERS, list_having
from outings.release.cache import fetch_object
from outings.release.manifest import FeedAccount, add_accounts, read_manifest
from outings.release.pointer import list_releases
from outings.release.root import FeedMemory, ListedRelease, Root, has_ended
from outings.release.store import Store
from outings.release.tables import PUBLISHED, read_columns
from outings.release.trust import Trust
from pipeline.clean.feed_read import read_problems
from pipeline.clean.record_report import count_feed, group_by_cause, list_account, name_code, name_field
from pipeline.records.record import Problem
from pipeline.reports.feed_pages import FeedReport, ReleaseColumn, WrongGroup

RELEASES = 6
# Releases to search for the last one in which a feed was different.
_LOOKED_AT = 200
_MOST_LINES = _MOST_INCOMPLETE = 50
_MOST_NAMES = 100
_COLUMNS = (
    "status", "source", "name", "lat", "lng", "age_min", "age_max", "has_image", "has_price", "has_clock", "has_date",
    "type", "verification", "confidence",
)  # fmt: skip


class FeedReporter:
    """Read reports from the current release and earlier ones. Releases that a takedown ended are left out, since they
    show what was taken down."""

    def __init__(self, store: Store, *, cache: Path, trust: Trust) -> None:
        self._store, self._cache = store, cache
        releases = list(islice(list_releases(store, trust=trust), _LOOKED_AT))
        ended = releases[0].root.ended if releases else ()
        self._releases = [release for release in releases if not has_ended(ended, release.root.sequence)]
        self._read_listings = lru_cache(maxsize=RELEASES)(self._open_listings)

    def list_releases(self) -> tuple[ReleaseColumn, ...]:
        """Return the releases, the newest first."""
        shown = self._releases[: RELEASES + 1]
        versions = {
            after.id: after.root.log.latest_version_id - before.root.log.latest_version_id
            for after, before in pairwise(shown)
        }
        return tuple(
            ReleaseColumn(
                id=release.id,
                built_on=release.root.built_at.date(),
                versions=versions.get(release.id),
                feeds=release.root.feeds,
            )
            for release in shown[:RELEASES]
        )

    def list_feeds(self) -> tuple[FeedReport, ...]:
        """Return a report on each feed of the current release, by name."""
        if not self._releases:
            return ()
        return tuple(self._report(name, memory) for name, memory in sorted(self._releases[0].root.feeds.items()))

    def _report(self, name: str, memory: FeedMemory) -> FeedReport:
        now = self._select(self._releases[0].root, name)
        other = self._find_other(name, memory)
        before = None if other is None else self._select(other.root, name)
        brought, lost = (
            _name_difference(*pair) if before is not None else (0, ()) for pair in ((now, before), (before, now))
        )
        incomplete = now.filter(pl.any_horizontal(~pl.col(*MEMBERS)))
        return FeedReport(
            name=name,
            counts=memory,
            account=tuple(list_account(count_feed(name, memory, self._accounts.get(name, FeedAccount())))),
            before=None if other is None else other.root.built_at.date(),
            brought=brought[0], brought_names=brought[1],
            lost=lost[0], lost_names=lost[1],
            groups=tuple(_group_problems(read_problems(self._store, memory.problems))),
            published=now.height,
            incomplete=incomplete.height,
            incomplete_listings=_list_incomplete(incomplete),
        )  # fmt: skip

    @cached_property
    def _accounts(self) -> Mapping[str, FeedAccount]:
        """Counts of each feed's listings that the current release shows, by the feed's name."""
        parts = self._releases[0].root.parts.values()
        return add_accounts(read_manifest(self._store, part.manifest).account for part in parts)

    def _find_other(self, name: str, memory: FeedMemory) -> ListedRelease | None:
        """Return the last release in which the feed was different, or None."""
        earlier = ((release, release.root.feeds.get(name)) for release in self._releases[1:])
        return next((release for release, feed in earlier if feed is not None and feed.hash != memory.hash), None)

    def _select(self, root: Root, feed: str) -> pl.DataFrame:
        frames = [self._read_listings(part.manifest) for _, part in sorted(root.parts.items())]
        return pl.concat(frames).filter(pl.col("feed") == feed)

    def _open_listings(self, manifest: str) -> pl.DataFrame:
        """Return a metro's published listings: feed, `source_id`, name, and which members they state."""
        table = read_manifest(self._store, manifest).tables["listings"]
        file = fetch_object(self._store, table.object, folder=self._cache)
        published = read_columns(file, "listings", _COLUMNS).filter(pl.col("status") == PUBLISHED)
        parts = pl.col("source").str.splitn("/", 3)
        return published.select(
            "source", "name", parts.struct[0].alias("feed"), parts.struct[2].alias("source_id"),
            *(is_stated.alias(name) for name, is_stated in list_having().items()),
        )  # fmt: skip


def _name_difference(one: pl.DataFrame, other: pl.DataFrame) -> tuple[int, tuple[str, ...]]:
    """Return the number of listings that only `one` has, and the first of their names."""
    own = one.join(other, on="source", how="anti").sort("name", "source")
    return own.height, tuple(own["name"].head(_MOST_NAMES))


def _list_incomplete(listings: pl.DataFrame) -> list[dict[str, Any]]:
    """Return listings that lack members, those that lack most first."""
    lacking = pl.sum_horizontal(~pl.col(*MEMBERS)).alias("lacking")
    ordered = listings.with_columns(lacking).sort("lacking", "name", "source", descending=[True, False, False])
    return ordered.head(_MOST_INCOMPLETE).to_dicts()


def _group_problems(problems: Sequence[Problem]) -> Iterator[WrongGroup]:
    """Group problems by feed, field and code, as the report of a build does; yield each group with its first lines."""
    for group in group_by_cause(problems):
        first = group[0]
        yield WrongGroup(
            field=name_field(first),
            code=name_code(first),
            allowed=first.reason.partition(": ")[2],
            quarantined=first.quarantined,
            count=len(group),
            lines=tuple(group[:_MOST_LINES]),
        )
