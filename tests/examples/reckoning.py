"""Values that tests compute from the cities' files themselves: ids, points, dates, and the rows that are meant."""

import math
import re
from collections.abc import Iterator
from datetime import date, datetime, time
from itertools import pairwise
from uuid import UUID, uuid5

from tests.examples.cities import Row

NAMESPACE = UUID("6f1f8a0e-5d0a-5c43-9a58-1d5b7c0e4f21")  # docs/feeds.md
ALL = "audience=all&min_confidence=0"


def make_id(feed: str, type_: str, source_id: object) -> str:
    return str(uuid5(NAMESPACE, f"{feed}/{type_}/{source_id}"))


def measure(here: tuple[float, float], there: tuple[float, float]) -> float:
    """Metres of the great circle, by the haversine."""
    (lat, lng), (to_lat, to_lng) = (map(math.radians, point) for point in (here, there))
    chord = math.sin((to_lat - lat) / 2) ** 2
    chord += math.cos(lat) * math.cos(to_lat) * math.sin((to_lng - lng) / 2) ** 2
    return 2 * 6_371_008.8 * math.asin(math.sqrt(chord))


def is_inside(point: tuple[float, float], geometry: Row) -> bool:
    """Return True if a point is inside a geometry. It counts edges west of the point, so that holes are outside."""
    lat, lng = point
    polygons = [geometry["coordinates"]] if geometry["type"] == "Polygon" else geometry["coordinates"]
    crossings = 0
    for ring in (ring for polygon in polygons for ring in polygon):
        for (x1, y1), (x2, y2) in pairwise(ring):
            if (y1 > lat) != (y2 > lat):
                crossings += x1 + (lat - y1) / (y2 - y1) * (x2 - x1) > lng
    return crossings % 2 == 1


def read_point(row: Row) -> tuple[float, float] | None:
    """The first of an event's points; of what is held online none, though it carries the office's."""
    point = re.match(r"(\S+), ([^;]+)", row["coordinates"])
    return (float(point[1]), float(point[2])) if point and row["location"] != "Virtual/Online Events" else None


def read_start(row: Row) -> datetime:
    """The day of one member and the clock of the other."""
    return datetime.strptime(f"{row['startdate']} {row['starttime'][11:]}", "%m/%d/%Y %H:%M:%S")


def read_clock(row: Row) -> time:
    """When a class begins."""
    return datetime.strptime(row["StartingTime"], "%I:%M %p").time()


def read_days(row: Row) -> tuple[date, date]:
    """A class's first day and its last."""
    first, last = (datetime.strptime(row[name], "%m/%d/%Y").date() for name in ("BeginningDate", "EndingDate"))
    return first, last


def list_words(row: Row) -> set[str]:
    return {word.strip() for word in row["categories"].split("|")}


def list_live(rows: list[Row]) -> list[Row]:
    return [row for row in rows if not row["title"].startswith("CANCELED")]


def event_ids(rows: list[Row]) -> list[str]:
    """List the ids of events in the order of a list: by start, then by id."""
    keyed = [(read_start(row), make_id("nyc-events", "event", row["guid"].replace(",", ""))) for row in rows]
    return [id_ for _, id_ in sorted(keyed)]


def ids(items: list[Row]) -> list[str]:
    return [item["id"] for item in items]


def list_cards(cards: list[Row]) -> Iterator[str]:
    """A card's own id and those of the program's other listings under it."""
    for card in cards:
        yield card["id"]
        yield from (session["id"] for session in card["sessions"])


def class_ids(rows: list[Row]) -> set[str]:
    return {make_id("seattle-activities", "class", row["Activity_ID"]) for row in rows}
