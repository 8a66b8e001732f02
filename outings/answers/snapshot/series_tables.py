"""Make the mapped tables of series and of their occurrences."""

import numpy as np

from outings.answers.snapshot.reader import derive_table
from outings.lazy_polars import pl
from outings.release.mapped_table import NEVER

_MICROSECONDS = 1_000_000
UNKNOWN = -1
# The recurrence of a series that no rule describes. It is not null, because a mapped file with nulls does not have the
# same bytes each time.
BY_DATES = "-"

# The columns of other tables from which the tables are made. The first three are about the first occurrence after the
# days that the build lists.
BEYOND = ("beyond_index", "beyond_starts_at", "beyond_starts_local")
_LISTINGS = ("is_recurring", "occurrences_total", "recurrence", *BEYOND)
_OCCURRENCES = ("row", "index", "starts_at", "ends_at", "starts_local", "ends_local", "date")


def make_series(listings: "pl.DataFrame", occurrences: "pl.DataFrame") -> "pl.DataFrame":
    """Return the recurrence of each listing, by row. `end`: the index behind its last occurrence in the columns `day`
    and `number` of the table of moments."""
    ends = np.searchsorted(np.sort(occurrences["row"].to_numpy()), np.arange(listings.height), side="right")
    return listings.select(
        pl.col("is_recurring").fill_null(value=False).cast(pl.UInt8()),
        pl.col("occurrences_total").cast(pl.Int64()).fill_null(UNKNOWN),
        pl.col(*BEYOND).cast(pl.Int64()).fill_null(NEVER),
        pl.col("recurrence").fill_null(BY_DATES),
        end=pl.Series(ends, dtype=pl.UInt32()),
    )


def make_moments(occurrences: "pl.DataFrame") -> "pl.DataFrame":
    """Return the times of occurrences, ordered by start, as small numbers, because a metro may have millions. `offset`:
    local time minus instant, in seconds; `lasts`, `lasts_local`: from start to end. Only `day` and `number` are ordered
    by row and date, to find a row's next occurrence."""
    local, ends_local = (pl.col(name).to_physical() // _MICROSECONDS for name in ("starts_local", "ends_local"))
    by_row = occurrences.select("row", "date", "index").with_row_index("number").sort("row", "date", "index")
    return occurrences.select(
        pl.col("index"),
        pl.col("starts_at"),
        offset=(local - pl.col("starts_at")).cast(pl.Int32()),
        lasts=(pl.col("ends_at") - pl.col("starts_at")).fill_null(UNKNOWN).cast(pl.Int32()),
        lasts_local=(ends_local - local).fill_null(UNKNOWN).cast(pl.Int32()),
        day=by_row["date"].to_physical(),
        number=by_row["number"],
    )


SERIES = derive_table("series", make_series, {"listings": _LISTINGS, "occurrences": ("row",)})
MOMENTS = derive_table("moments", make_moments, {"occurrences": _OCCURRENCES})
