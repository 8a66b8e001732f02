"""A group of `around`: its page of items, best first."""

from typing import Any

import msgspec
from msgspec import Raw, Struct

from outings.answers.addons.forecast import ForecastBlocks
from outings.answers.addons.sources import SourceBlocks
from outings.answers.documents.fields import NamedDocument
from outings.answers.near.items import NO_PRICE, NULL, ItemSchedule, format_start, round_metres
from outings.answers.near.scores import ScoredRows
from outings.answers.near.shown import ShownListings
from outings.answers.near.starts import Start
from outings.answers.snapshot.distance import find_metres
from outings.answers.snapshot.reader import SnapshotReader
from outings.contract.resources.finding import GROUPS
from outings.contract.vocabulary import COLLECTIONS

_MOST_WALKED = 5_000


class Blocks(Struct, frozen=True):
    """The blocks of add-ons that an item takes."""

    sources: SourceBlocks
    forecasts: ForecastBlocks


class _Where(Struct, frozen=True):
    lat: Raw
    lng: Raw
    neighborhood: Raw


class _Document(NamedDocument, frozen=True):
    """The members that an item takes from a listing."""

    location: _Where
    ages: Raw
    image_url: Raw
    place: Raw = NULL
    price: Raw = NO_PRICE
    is_indoor: Raw = NULL
    timezone: str | None = None
    schedule: ItemSchedule | None = None


_decoder = msgspec.json.Decoder(_Document)


def make_group(
    number: int,
    *,
    scored: ScoredRows,
    total: int,
    shown: ShownListings,
    opened: SnapshotReader,
    blocks: Blocks,
    limit: int,
    offset: int,
) -> dict[str, Any]:
    """Make an `AroundGroup`. `number`: its place in GROUPS; `scored`: all listings of the circle."""
    end, index = offset + limit, shown.index
    page = scored.choose_best(number, end=end, ids=index.id_ranks).choose(slice(offset, None))
    starts = index.starts.read_starts(page.rows, shown.starts)
    metres = round_metres(find_metres(page.squares))
    rows = zip(page.rows.tolist(), metres, page.scores.tolist(), page.groups.tolist(), starts, strict=True)
    items = [
        _make_item(row, opened, metres=metres, score=score / 1000, groups=groups & ~(1 << number), start=start,
                   blocks=blocks)
        for row, metres, score, groups, start in rows
    ]  # fmt: skip
    next_cursor = f"{GROUPS[number]}:{end}" if total > end else None
    return {"total": total, "returned": len(items), "items": items, "next_cursor": next_cursor}


def count_minutes(distance_m: int) -> int | None:
    """Return the minutes on foot: streets are 1.3 times as long as the straight line, at 80 m a minute."""
    return None if distance_m > _MOST_WALKED else -(-distance_m * 13 // 800)


def _name_groups(groups: int) -> list[str]:
    return [name for number, name in enumerate(GROUPS) if groups >> number & 1]


def _make_item(
    row: int, opened: SnapshotReader, *, metres: int, score: float, groups: int, start: Start, blocks: Blocks
) -> dict[str, Any]:
    """Make an `AroundItem` out of a document's members as they are written. `groups`: the others that it is in."""
    document = opened.read_document(row)
    listing = _decoder.decode(document)
    zone = listing.timezone if listing.schedule is None else listing.schedule.timezone
    starts_local, starts_at, ends_local = format_start(start, zone)
    return {
        "listing_id": listing.id,
        "type": listing.type,
        "name": listing.name,
        "distance_m": metres,
        "walk_minutes": count_minutes(metres),
        "score": score,
        "also_in": _name_groups(groups),
        "slug": listing.slug,
        "starts_at": starts_at,
        "starts_local": starts_local,
        "ends_local": ends_local,
        "timezone": zone,
        "place": listing.place,
        "neighborhood": listing.location.neighborhood,
        "lat": listing.location.lat,
        "lng": listing.location.lng,
        "price": listing.price,
        "ages": listing.ages,
        "image_url": listing.image_url,
        "is_indoor": listing.is_indoor,
        "links": {"self": f"/v1/{COLLECTIONS[listing.type]}/{listing.id}"},
        **_make_blocks(row, document, start=start, blocks=blocks),
    }


def _make_blocks(row: int, document: bytes, *, start: Start, blocks: Blocks) -> dict[str, Any]:
    """Make the blocks of add-ons. A forecast is of an event, at the start that it is shown with."""
    source, forecast = blocks.sources.make(row), None
    if start.instant is not None:
        forecast = blocks.forecasts.make_event(document, row, starts_at=start.instant, ends_at=start.ends_at)
    made = {"source": source, "forecast": forecast}
    return {name: block for name, block in made.items() if block is not None}
