"""What answers ask of a snapshot, whoever works it out: SQL over its tables, or its columns in memory."""

from collections.abc import Callable, Collection, Mapping
from typing import Any, Protocol

from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.selecting.cursors import Position
from outings.answers.selecting.selection import Selection, Span

Numbers = NDArray[Any]


class ResultSet(Struct, frozen=True, kw_only=True, eq=False):
    """Rows in the list's order; where items are occurrences, with their places in the table. `locate` says where the
    item of an index stands in the list."""

    rows: list[int]
    numbers: list[int] | None = None
    locate: Callable[[int], Position]


class FacetCounts(Struct, frozen=True, kw_only=True, eq=False):
    """A set counted by what its reader asked for. `counts`: dimension → how many are in each bucket, those that state
    none in the last; the buckets are the vocabulary's words, or the evaluator's organizations, in their order."""

    total: int
    counts: Mapping[str, Numbers]


class DayCounts(Struct, frozen=True, kw_only=True, eq=False):
    """Occurrences by day after a window's first: all of them, the free ones, and a row of counts by category."""

    counts: Numbers
    free: Numbers
    categories: Numbers


class Evaluator(Protocol):
    """Two of them give the same for the same: a test asks both. All may be called from any thread."""

    def list_rows(self, selection: Selection, span: Span) -> ResultSet: ...

    def list_occurrences(self, selection: Selection, span: Span) -> ResultSet:
        """The list whose items are occurrences, by `starts_at`, then id."""
        ...

    def keep_rows(self, selection: Selection, rows: Numbers) -> Numbers:
        """Which of these rows (of any type, rising) match, without regard to cards; rising."""
        ...

    def list_all_rows(self, selection: Selection) -> Numbers:
        """The whole list, by row: cards, where a program came as several listings."""
        ...

    def count_rows(self, selection: Selection) -> int:
        """The size of the whole list: cards, where a program came as several listings."""
        ...

    def count_organizations(self, selection: Selection) -> Mapping[str, int]:
        """Organization's id → the size of the list that it would be if its listings alone were asked for."""
        ...

    def count_buckets(self, selection: Selection, dimensions: Collection[str], *, is_expanded: bool) -> FacetCounts:
        """The whole list by dimensions of facets; expanded, its occurrences."""
        ...

    def count_days(self, selection: Selection, *, days: int) -> DayCounts:
        """The occurrences of this many days from the selection's first date on."""
        ...

    def name_organization(self, number: int) -> tuple[str, str]:
        """Id and name of a bucket of the dimension `organization`; buckets follow names, then ids."""
        ...
