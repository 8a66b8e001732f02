"""Programs that came as several class listings: which rows share a `program_key`."""

from collections.abc import Collection, Mapping
from pathlib import Path

import polars as pl

from outings.answers.arrays import view_array
from outings.contract.vocabulary import STATUSES

_PUBLISHED = STATUSES.index("published")


class Programs:
    def __init__(self, listings: Path) -> None:
        frame = pl.read_parquet(
            listings, columns=["row", "status", "program_key", "audience", "confidence"]
        ).filter(pl.col("program_key").is_not_null() & (pl.col("status") == _PUBLISHED))
        members = frame.sort("program_key", "row")
        self._audiences = view_array(members["audience"])
        self._confidences = view_array(members["confidence"])
        self._rows = view_array(members["row"])
        self._spans = _span_programs(members["program_key"])
        self._positions: Mapping[int, int] = {row: at for at, row in enumerate(self._rows)}

    def find_others(self, row: int, *, audiences: Collection[int], min_confidence: float) -> list[int]:
        """The program's other published rows of these audiences and of this confidence at least, in natural order."""
        at = self._positions.get(row)
        if at is None:
            return []
        first, last = self._spans[at]
        return [
            self._rows[other]
            for other in range(first, last)
            if other != at and self._audiences[other] in audiences and self._confidences[other] >= min_confidence
        ]


def _span_programs(keys: pl.Series) -> list[tuple[int, int]]:
    """Of each place in the sorted keys: the first place of its program, and the one after its last."""
    spans: list[tuple[int, int]] = []
    for length in keys.rle().struct.field("len").to_list() if len(keys) else ():
        spans += [(len(spans), len(spans) + length)] * length
    return spans
