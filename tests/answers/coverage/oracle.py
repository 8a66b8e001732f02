"""Coverage, listing by listing from the words of docs/readers.md: slow, and sharing no code."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from statistics import median
from typing import Any
from zoneinfo import ZoneInfo

from tests.answers.reference import list_items
from tests.answers.worlds import VERIFICATIONS, World, fold, states_clock, states_date, states_price

Document = dict[str, Any]
COLLECTIONS = {"event": "events", "class": "classes", "camp": "camps", "place": "places"}


def cover(world: World, *, today: date, kinds: Sequence[str], neighborhood: str | None = None) -> Document:
    """Compute all members of `data` except `release`."""
    rows = [item for item in world.listings if item["status"] == "published" and item["type"] in kinds]
    if neighborhood is not None:
        rows = [row for row in rows if is_there(row["location"], neighborhood)]
    start = datetime.combine(today, time(), tzinfo=ZoneInfo(world.timezone)).astimezone(UTC)
    crawled = [at for row in rows if (at := read_instant(world.sources.get(row["id"], {}).get("crawled_at")))]
    verified = [at for row in rows if (at := read_instant(row["verified_at"]))]
    return {
        "metro": world.slug,
        "listings": {
            COLLECTIONS[kind]: {
                "published": sum(row["type"] == kind for row in rows),
                "next_30_days": count_next(world, kind, today=today, neighborhood=neighborhood),
                "dateless": sum(row["type"] == kind != "place" and not states_date(row) for row in rows),
            }
            for kind in kinds
        },
        "freshness": {
            "newest_crawled_at": max(crawled).strftime("%Y-%m-%dT%H:%M:%SZ") if crawled else None,
            "median_age_hours": find_median([max(start - at, timedelta()) for at in crawled]),
            "crawled_7d_share": share(sum(at >= start - timedelta(7) for at in crawled), len(rows)),
            "verified_30d_share": share(sum(at >= start - timedelta(30) for at in verified), len(rows)),
        },
        "quality": {
            "mean_confidence": share(sum(Fraction(str(row["confidence"])) for row in rows), len(rows)),
            "with_coordinates_share": share(sum(row["location"]["lat"] is not None for row in rows), len(rows)),
            "with_price_share": share(sum(map(states_price, rows)), len(rows)),
            "with_ages_share": share(
                sum(row["ages"]["min"] is not None or row["ages"]["max"] is not None for row in rows), len(rows)
            ),
            "with_image_share": share(sum(row["image_url"] is not None for row in rows), len(rows)),
            "with_time_share": share(sum(map(states_clock, rows)), len(rows)),
        },
        "verification": {
            name: sum((world.sources.get(row["id"], {}).get("status") or "unspecified") == name for row in rows)
            for name in (*VERIFICATIONS, "unspecified")
        },
        "neighborhoods": cover_neighborhoods(world, rows, neighborhood),
    }


def is_there(location: Document, text: str) -> bool:
    """The slug, or the name however it is written."""
    name = location["neighborhood"]
    return location["neighborhood_slug"] == text.casefold() or (name is not None and fold(name) == fold(text))


def count_next(world: World, kind: str, *, today: date, neighborhood: str | None) -> int:
    params = {"audience": "all", "min_confidence": "0", "expand": "sessions"}
    if kind != "place":
        params["to"] = (today + timedelta(30)).isoformat()
    if neighborhood is not None:
        params["neighborhood"] = neighborhood
    return len(list_items(world, kind, params, today=today))


def cover_neighborhoods(world: World, rows: Sequence[Document], text: str | None) -> Document:
    named = [item for item in world.neighborhoods if text is None or text.casefold() == item["slug"]
             or fold(text) == fold(item["name"])]  # fmt: skip
    there = [item for item in named if any(is_there(row["location"], item["slug"]) for row in rows)]
    return {"named": len(named), "with_listings": len(there)}


def find_median(ages: Sequence[timedelta]) -> float | None:
    if not ages:
        return None
    hours = median(Fraction(int(age.total_seconds())) for age in ages) / 3600
    return float(_round(hours, "0.1"))


def share(part: Fraction | int, whole: int) -> float | None:
    return float(_round(Fraction(part) / whole, "0.001")) if whole else None


def _round(value: Fraction, step: str) -> Decimal:
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    return exact.quantize(Decimal(step), rounding=ROUND_HALF_UP)


def read_instant(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
