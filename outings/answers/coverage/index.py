"""A metro's published listings in groups, one a type and neighborhood, with what coverage says of each that does not
move with the day."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from outings.answers.snapshot.derived import derive_table
from outings.answers.snapshot.reader import SnapshotReader
from outings.contract.folding import fold_text
from outings.contract.vocabulary import TYPES, VERIFICATION_STATUSES
from outings.release.mapped_table import MappedTable
from outings.release.tables import PUBLISHED

# Confidences are summed as whole numbers: a sum is the same in whatever order.
CONFIDENCE = 1_000_000

# What they are made of.
LISTINGS = (
    "type", "status", "neighborhood_slug", "neighborhood_key", "confidence", "lat", "lng", "age_min", "age_max",
    "verified_at", "crawled_at", "verification", "has_image", "has_price", "has_clock", "has_date",
)  # fmt: skip
# By verification status, those without one last.
_CHECKED = tuple(f"checked_{number}" for number in range(len(VERIFICATION_STATUSES) + 1))

Numbers = NDArray[np.int64]


def make_groups(listings: pl.DataFrame) -> pl.DataFrame:
    """`crawled`, `verified`: the instants that are stated, rising. A neighborhood that is not stated is empty."""
    published = listings.filter(pl.col("status") == PUBLISHED)
    statuses = pl.col("verification").fill_null(len(VERIFICATION_STATUSES))
    return (
        published.group_by(
            "type", slug=pl.col("neighborhood_slug").fill_null(""), key=pl.col("neighborhood_key").fill_null("")
        )
        .agg(
            *(is_stated.sum().cast(pl.Int64()).alias(name) for name, is_stated in list_counted().items()),
            (pl.col("confidence") * CONFIDENCE).round().cast(pl.Int64()).sum().alias("confidence"),
            *((statuses == number).sum().cast(pl.Int64()).alias(name) for number, name in enumerate(_CHECKED)),
            pl.col("crawled_at").drop_nulls().sort().alias("crawled"),
            pl.col("verified_at").drop_nulls().sort().alias("verified"),
        )
        .sort("type", "slug", "key")
    )


def list_counted() -> dict[str, pl.Expr]:
    """What is counted of each group of published listings: how many are so."""
    return {
        "published": pl.col("status") == PUBLISHED,
        "dateless": ~pl.col("has_date"),
        "with_coordinates": pl.col("lat").is_not_null() & pl.col("lng").is_not_null(),
        "with_price": pl.col("has_price"),
        "with_ages": pl.col("age_min").is_not_null() | pl.col("age_max").is_not_null(),
        "with_image": pl.col("has_image"),
        "with_time": pl.col("has_clock"),
    }


GROUPS = derive_table("groups", make_groups, {"listings": LISTINGS})


class Groups:
    def __init__(self, table: MappedTable) -> None:
        self._arrays = table.read_arrays()
        self._crawled, self._verified = table.read_lists("crawled"), table.read_lists("verified")
        # Neighborhoods by number, each beside every group that is there.
        self._links: tuple[Numbers, Numbers] | None = None
        self._by_slug: dict[str, list[int]] = defaultdict(list)
        self._by_key: dict[str, list[int]] = defaultdict(list)
        for number, (slug, key) in enumerate(zip(table.read_texts("slug"), table.read_texts("key"), strict=True)):
            if slug:
                self._by_slug[slug].append(number)
            if key:
                self._by_key[key].append(number)

    def find_lively(self, chosen: Numbers, *, slugs: Sequence[str]) -> Numbers:
        """Of all the metro's neighborhoods, by number: whether any of the groups is there."""
        if self._links is None:
            members = [self.find_neighborhood(slug) for slug in slugs]
            areas = np.repeat(np.arange(len(members)), [each.size for each in members])
            self._links = areas, np.concatenate(members) if members else areas
        areas, groups = self._links
        return np.unique(areas[np.isin(groups, chosen)])

    def choose(self, types: Collection[str], *, neighborhood: str | None = None) -> Numbers:
        """The groups of these types, in a neighborhood as the lists read it."""
        codes = [TYPES.index(each) for each in types]
        own = np.flatnonzero(np.isin(self._arrays["type"], codes))
        return own if neighborhood is None else np.intersect1d(own, self.find_neighborhood(neighborhood))

    def find_neighborhood(self, text: str) -> Numbers:
        matches = [*self._by_slug.get(text.casefold(), ()), *self._by_key.get(fold_text(text), ())]
        return np.array(matches, dtype=np.int64)

    def add(self, name: str, groups: Numbers) -> int:
        """The sum of what is counted under this name, or of confidences in millionths."""
        return int(self._arrays[name][groups].sum())

    def count_statuses(self, groups: Numbers) -> list[int]:
        """By verification status, those without one last."""
        return [self.add(name, groups) for name in _CHECKED]

    def read_crawled(self, groups: Numbers) -> Numbers:
        """The instants that are stated, in no order."""
        return _join(self._crawled, groups)

    def read_verified(self, groups: Numbers) -> Numbers:
        return _join(self._verified, groups)


def open_groups(reader: SnapshotReader) -> Groups:
    return Groups(reader.open_table(GROUPS))


def _join(lists: tuple[Numbers, Numbers], groups: Iterable[int]) -> Numbers:
    ends, values = lists
    parts = [values[ends[group] : ends[group + 1]] for group in groups]
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
