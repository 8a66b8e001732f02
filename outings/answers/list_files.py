"""Write the items of a list as CSV or GeoJSON, for spreadsheets and maps."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from typing import Any

import msgspec

from outings.contract.expression_columns import list_members
from outings.contract.query import Query
from outings.contract.routes import Route

Item = dict[str, Any]
# What `fields` always keeps.
_KEPT = ("id", "type")


def write_list_file(data: bytes, query: Query) -> bytes:
    """Return a list's answer, encoded as JSON, in the format of the query's path."""
    body = msgspec.json.decode(data)
    if query.match.format == "geojson":
        return msgspec.json.encode(_make_collection(body))
    return _write_csv(body["data"], _list_columns(query.match.route, body["data"], query.get_words("fields")))


def _make_collection(body: Item) -> Item:
    """Return a collection of features. An item without a known place has no geometry."""
    others = {name: value for name, value in body.items() if name != "data"}
    return {"type": "FeatureCollection", "features": [_make_feature(item) for item in body["data"]], **others}


def _make_feature(item: Item) -> Item:
    location = item.get("location") or {}
    point = [location.get("lng"), location.get("lat")]
    geometry = None if None in point else {"type": "Point", "coordinates": point}
    return {"type": "Feature", "id": item.get("id"), "geometry": geometry, "properties": item}


def _list_columns(route: Route, items: Sequence[Item], wanted: Iterable[str]) -> Sequence[str]:
    """Return the dotted paths of the members that hold one value or a list of texts, the same on each page of a
    request. Those that answers add, such as `occurrence`, have columns where an item has them."""
    columns = [path for path, _ in list_members(route.item, added={*_list_names(items)})]
    kept = (*_KEPT, *wanted)
    if kept == _KEPT:
        return columns
    return [column for column in columns if any(f"{column}.".startswith(f"{path}.") for path in kept)]


def _list_names(value: Any) -> Iterator[str]:
    """Yield the names of all members, at any depth."""
    if isinstance(value, dict):
        yield from value
        value = [*value.values()]
    for inner in value if isinstance(value, list) else ():
        yield from _list_names(inner)


def _write_csv(items: Iterable[Item], columns: Sequence[str]) -> bytes:
    text = StringIO()
    rows = csv.writer(text)
    rows.writerow(columns)
    rows.writerows([_write_cell(item, column.split(".")) for column in columns] for item in items)
    return text.getvalue().encode()


def _write_cell(item: Item, path: Sequence[str]) -> str | float | None:
    """Return a member's value for a cell: texts of a list are joined by `;`, and null is empty."""
    value: Any = item
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    if isinstance(value, list):
        return ";".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else value
