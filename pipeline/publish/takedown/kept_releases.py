"""Which kept releases have a text of what is withdrawn though their log does not tell: they had it as a draft, or in
quarantine."""

import io
from collections.abc import Callable, Collection

import polars as pl

from outings.release.manifest import read_manifest
from outings.release.pointer import list_releases
from outings.release.root import Root, has_ended
from outings.release.store import Corrupt, NotFound, Store, read_object
from outings.release.trust import ANYBODY, Trust
from pipeline.clean.feed_read import read_problems
from pipeline.clean.withdrawn_records import WithdrawalMatcher

# The tables that have a row for each thing, with its text.
_TABLES = ("listings", "organizations")


def find_first_with_text(
    store: Store, taken: WithdrawalMatcher, *, ids: Collection[str], before: int, trust: Trust = ANYBODY
) -> int:
    """The sequence of the oldest kept release with a text of it, or `before`, which has one.

    Every kept release before that one is looked at, because a listing may leave quarantine and come back. An object
    that several releases name is read once. Raises UntrustedRelease, Corrupt and StoreError.
    """
    search = _TextSearch(store, taken, ids)
    first = before
    for each in list_releases(store, trust=trust):
        is_open = each.root.sequence < first and not has_ended(each.root.ended, each.root.sequence)
        if is_open and search.has_text(each.root):
            first = each.root.sequence
    return first


class _TextSearch:
    """Remembers the answer for each object that it read."""

    def __init__(self, store: Store, taken: WithdrawalMatcher, ids: Collection[str]) -> None:
        self._store = store
        self._taken = taken
        self._ids = list(ids)
        self._known: dict[str, bool] = {}

    def has_text(self, root: Root) -> bool:
        return any(self._recall(part.manifest, self._has_row) for part in root.parts.values()) or any(
            self._recall(feed.problems, self._has_problem) for feed in root.feeds.values() if feed.problems is not None
        )

    def _recall(self, sha: str, look: Callable[[str], bool]) -> bool:
        if sha not in self._known:
            try:
                self._known[sha] = look(sha)
            except NotFound:  # of a root that is kept for its place in the chain alone
                return False
        return self._known[sha]

    def _has_row(self, sha: str) -> bool:
        tables = read_manifest(self._store, sha).tables
        return any(self._recall(tables[name].object, self._is_in_table) for name in _TABLES if name in tables)

    def _is_in_table(self, sha: str) -> bool:
        try:
            column = pl.read_parquet(io.BytesIO(read_object(self._store, sha)), columns=["id"])["id"]
        except pl.exceptions.PolarsError as error:
            raise Corrupt(f"table {sha}: {error}") from error
        return bool(column.is_in(self._ids).any())

    def _has_problem(self, sha: str) -> bool:
        return any(self._taken.has_source(each.feed, each.source_id) for each in read_problems(self._store, sha))
