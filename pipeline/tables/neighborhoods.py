"""A metro's neighborhoods: those of its map, and those that its published listings state."""

from collections import Counter
from math import fsum
from typing import Any

import polars as pl

from outings.contract.text import fold_text
from outings.release.tables import NEIGHBORHOODS, PUBLISHED

_STATED = ("neighborhood_slug", "neighborhood")
# Six decimals of a degree are a tenth of a metre.
_DECIMALS = 6


def join_stated(neighborhoods: pl.DataFrame, listings: pl.DataFrame) -> pl.DataFrame:
    """`neighborhoods`: of the map, or of a release before, whose listings are others."""
    mapped = neighborhoods.filter(pl.col("south").is_not_null())
    slugs, keys = mapped["slug"].implode(), mapped["key"].implode()
    is_mapped = pl.col("neighborhood_slug").is_in(slugs) | pl.col("neighborhood_key").is_in(keys)
    stating = listings.filter((pl.col("status") == PUBLISHED) & ~is_mapped).drop_nulls(_STATED)
    grouped = stating.group_by("neighborhood_slug").agg("neighborhood", "lat", "lng")
    stated = [_describe(slug, *columns) for slug, *columns in grouped.iter_rows()]
    return pl.concat([mapped, pl.DataFrame(stated, schema=dict(NEIGHBORHOODS))]).sort("slug")


def _describe(slug: str, names: list[str], lats: list[float | None], lngs: list[float | None]) -> dict[str, Any]:
    """By the name that most of its listings give it, in the middle of them."""
    spelled = Counter(names)
    name = min(spelled, key=lambda each: (-spelled[each], each))
    placed = [(lat, lng) for lat, lng in zip(lats, lngs, strict=True) if lat is not None and lng is not None]
    lat, lng = (_find_mean([each[at] for each in placed]) for at in (0, 1))
    return {"slug": slug, "name": name, "key": fold_text(name), "lat": lat, "lng": lng}


def _find_mean(degrees: list[float]) -> float | None:
    return round(fsum(degrees) / len(degrees), _DECIMALS) if degrees else None
