"""A group of `around`: its page of items, best first."""

from typing import Any

import msgspec
import numpy as np
from msgspec import Raw, Struct
from numpy.typing import NDArray

from outings.answers.addons.forecast import ForecastBlocks
from outings.answers.addons.source import SourceBlocks
from outings.answers.documents.identity import NamedDocument
from outings.answers.near.index import open_near
from outings.answers.near.items import format_start, round_metres
from outings.answers.near.parts import NO_PRICE, NULL, ItemSchedule
from outings.answers.near.ranking import ScoredRows
from outings.answers.near.request import Near
from outings.answers.near.starts import Start
from outings.answers.snapshot.distance import find_metres
from outings.answers.snapshot.reader import SnapshotReader
from outings.contract.resources.near import GROUPS
from outings.contract.vocabulary import COLLECTIONS

_MOST_WALKED = 5_000


class Blocks(Struct, frozen=True):
    """Of the add-ons that an item takes."""

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
    best: ScoredRows,
    total: int,
    near: Near,
    opened: SnapshotReader,
    blocks: Blocks,
    limit: int,
    offset: int,
) -> dict[str, Any]:
    """`AroundGroup`. `number`: the group's place in GROUPS; `best`: its first ones at least, and others."""
    end = offset + limit
    index = opened.open_index(open_near)
    places = np.flatnonzero(best.groups >> number & 1)
    page = best.choose(_take_best(best, places, index.id_ranks, end=end)[offset:])
    starts = index.starts.read_starts(page.rows, windows=near.windows, now=near.now)
    metres = round_metres(find_metres(page.squares))
    rows = zip(page.rows.tolist(), metres, page.scores.tolist(), page.groups.tolist(), starts, strict=True)
    items = [
        _make_item(row, opened, metres=metres, score=score / 1000, groups=groups & ~(1 << number), start=start,
                   blocks=blocks)
        for row, metres, score, groups, start in rows
    ]  # fmt: skip
    next_cursor = f"{GROUPS[number]}:{end}" if total > end else None
    return {"total": total, "returned": len(items), "items": items, "next_cursor": next_cursor}


def _take_best(best: ScoredRows, places: NDArray[np.int64], ids: NDArray[np.uint32], *, end: int) -> NDArray[np.int64]:
    """The first ones by score, distance and id: only what scores as well as the last of them is put in order."""
    scores = best.scores[places]
    if end < places.size:
        places = places[scores >= np.partition(scores, places.size - end)[places.size - end]]
    order = np.lexsort((ids[best.rows[places]], best.squares[places], -best.scores[places]))
    return places[order[:end]]


def count_minutes(distance_m: int) -> int | None:
    """On foot: streets are 1.3 times as long as the straight line, and a family walks 80 m a minute."""
    return None if distance_m > _MOST_WALKED else -(-distance_m * 13 // 800)


def _name_groups(groups: int) -> list[str]:
    return [name for number, name in enumerate(GROUPS) if groups >> number & 1]


def _make_item(
    row: int, opened: SnapshotReader, *, metres: int, score: float, groups: int, start: Start, blocks: Blocks
) -> dict[str, Any]:
    """`AroundItem`: what stands in a document is not read. `groups`: others that it is in."""
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
    """Of the add-ons those that there are. A forecast is of an event, at the start that it is shown with."""
    source, forecast = blocks.sources.make(row), None
    if start.instant is not None:
        forecast = blocks.forecasts.make_event(document, row, starts_at=start.instant, ends_at=start.ends_at)
    made = {"source": source, "forecast": forecast}
    return {name: block for name, block in made.items() if block is not None}
