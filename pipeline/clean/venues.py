"""Make a place of each venue that a feed's events name together with its point."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from outings.contract.text import fold_text
from pipeline.fetch.formats import RawRecord
from pipeline.words import merge_words

_AT_VENUES = frozenset({"event", "class", "camp"})
# Degrees between two points of one venue, some 500 m.
_NEAR = 0.005
# What stands in a venue's place: the street and house, or that there is none.
_NO_NAME = re.compile(rf"\d|(tba|tbd|various|{'|'.join(merge_words('words')['online'])})\b|.{{0,2}}$")
_GAPS = re.compile(r"\W+")
_ADDRESS = ("street_address", "city", "state", "zip", "lat", "lng")


def bring_venues(raws: Iterable[RawRecord], *, type_: str) -> Iterator[RawRecord]:
    """Yield raw records, and before the first event at each venue a place. Events there refer to it. A venue's name is
    what stands before the first comma of an address. `type_`: of records that state none."""
    points: dict[str, tuple[float, float]] = {}
    for raw in raws:
        value = raw.value
        named = _name_venue(value, type_) if raw.reason is None and isinstance(value, dict) else None
        if named is None or not isinstance(value, dict):
            yield raw
            continue
        name, lat, lng = named
        own = f"venue-{_GAPS.sub('-', fold_text(name)).strip('-')}"
        if own not in points:
            points[own] = (lat, lng)
            address = {member: value["location"][member] for member in _ADDRESS if member in value["location"]}
            place = {"type": "place", "source_id": own, "name": name, "location": {"address": name, **address}}
            metro = {"metro": value["metro"]} if "metro" in value else {}
            yield raw._replace(value=place | metro, source_id=own, item=None, notes=())
        is_there = max(abs(lat - points[own][0]), abs(lng - points[own][1])) <= _NEAR
        yield raw._replace(value={**value, "place": {"source_id": own}}) if is_there else raw


def _name_venue(value: dict[str, Any], type_: str) -> tuple[str, float, float] | None:
    """Return the name and point of a record's venue, None if it names a place of the feed's, or no venue."""
    where = value.get("location")
    if value.get("type", type_) not in _AT_VENUES or value.get("place") or not isinstance(where, dict):
        return None
    name = " ".join(str(where.get("address") or "").partition(",")[0].split())
    folded = fold_text(name)
    if _NO_NAME.match(folded) or folded in (
        fold_text(str(where.get(member) or "")) for member in ("city", "street_address")
    ):
        return None
    try:
        lat, lng = float(where["lat"]), float(where["lng"])
    except (KeyError, TypeError, ValueError):
        return None
    return (name, lat, lng) if lat and lng else None
