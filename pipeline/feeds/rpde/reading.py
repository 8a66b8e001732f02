"""The items of a walk → raw records: of each item the last that was said, and a reason for each that can't be read."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from outings.configuration import read_zone
from outings.contract.vocabulary import Vocabulary
from pipeline.feeds.jsonld.event import NodeContext
from pipeline.feeds.jsonld.kinds import READ, find_kind
from pipeline.feeds.jsonld.nodes import Graph, Node
from pipeline.feeds.jsonld.reading import read_node
from pipeline.feeds.ndjson import is_deep, read_lines
from pipeline.feeds.raw import RawRecord
from pipeline.feeds.source_ids import PART

# By which an item says that it is a part of another.
_PARENTS = ("superEvent", "instanceOfCourse")
# Of a removal, whose data are gone: what its kind was most likely.
_TYPES = {"Course": "class", "CourseInstance": "class", "FacilityUse": "place", "IndividualFacilityUse": "place"}


class Item(Struct, frozen=True):
    """`key`: its kind and id, which are those of one thing for ever."""

    line: int
    key: str
    kind: str
    data: dict[str, Any] | None


def read_items(path: Path, *, own: int | None, timezone: str, vocabulary: Vocabulary) -> Iterator[RawRecord]:
    """Lines are items, numbered from 1 through the walk. What is said of an item again counts as merged.

    Behind the `own` lines of the walk (None: all are) are items that stood before: of these, what is a part of anything
    that the walk speaks of is read again.
    """
    latest = _find_latest(path, own)
    shared = _gather_parents(path, latest)
    again = frozenset[int]() if own is None else _find_parts(path, latest, own)
    setting = NodeContext(read_zone(timezone), vocabulary, {})
    for raw in read_lines(path):
        if own is not None and raw.line > own and raw.line not in again:
            continue
        item = _parse_item(raw)
        if isinstance(item, RawRecord):
            yield item
        elif latest[item.key] != item.line:
            yield RawRecord(item.line, None, is_superseded=True)
        elif item.data is None:
            removal = {"type": _TYPES.get(item.kind, "event"), "source_id": item.key, "deleted": True}
            yield RawRecord(item.line, removal, item=item.key)
        else:
            node = Node(item.data, Graph([item.data], beside=shared))
            if find_kind(node.types) is None:
                types = ", ".join(node.types) or "nothing"
                reason = f"unsupported: its type is {types[:100]}; allowed: {READ}"
                yield RawRecord(item.line, item.data, reason, item.key)
                continue
            yield from read_node(node, item.key, setting, line=item.line, item=item.key)


def list_current(path: Path, *, own: int | None, keeps: Callable[[str], bool] = lambda _: True) -> Iterator[bytes]:
    """The items that are current after the walk, as they came, as far as their keys are to be kept."""
    latest = _find_latest(path, own)
    for raw in read_lines(path):
        item = _parse_item(raw)
        if isinstance(item, Item) and item.data is not None and latest[item.key] == item.line and keeps(item.key):
            yield msgspec.json.encode(raw.value)


def _list_items(path: Path) -> Iterator[Item]:
    for raw in read_lines(path):
        item = _parse_item(raw)
        if isinstance(item, Item):
            yield item


def _parse_item(raw: RawRecord) -> Item | RawRecord:
    """The item, or why it can't be read."""
    if raw.reason is not None:
        return raw
    value = raw.value
    if not isinstance(value, dict):
        return raw._replace(reason="wrong_type: expected an item, an object")
    kind, own, state, data = (value.get(name) for name in ("kind", "id", "state", "data"))
    if not isinstance(kind, str) or not kind.strip():
        return raw._replace(reason="missing: expected the item's kind")
    if isinstance(own, bool) or not isinstance(own, str | int) or not str(own).strip():
        return raw._replace(reason="missing: expected the item's id, a text or a whole number")
    key = " ".join(f"{kind.strip()}/{own}".split()).replace(PART, "%23")
    if state not in ("updated", "deleted"):
        return raw._replace(reason="unknown_word: expected the state updated or deleted", source_id=key)
    if state == "updated" and not isinstance(data, dict):
        return raw._replace(reason="missing: expected data, an object", source_id=key)
    if state == "updated" and is_deep(data):
        return RawRecord(raw.line, key, "unreadable: nested too deep", key)
    return Item(raw.line, key, kind.strip(), data if state == "updated" else None)


def _find_latest(path: Path, own: int | None) -> dict[str, int]:
    """The line that says last what each item is: what stood before is older than all that the walk says."""
    latest: dict[str, int] = {}
    for item in _list_items(path):
        if own is None or item.line <= own:
            latest[item.key] = item.line
        else:
            latest.setdefault(item.key, item.line)
    return latest


def _find_parts(path: Path, latest: dict[str, int], own: int) -> frozenset[int]:
    """The lines of what stood before, still stands, and is a part of what the walk speaks of, or a part of a part."""
    spoken: set[str] = set()
    waiting = []
    for item in _list_items(path):
        if item.data is None:
            continue
        names = frozenset(_list_names(item.data))
        if latest[item.key] <= own:  # also as it was before: what is deleted, or has another name now
            spoken |= names
        elif parents := frozenset(_list_parents(item.data)):
            waiting.append((item.line, names, parents))
    lines = set[int]()
    while parts := [part for part in waiting if not spoken.isdisjoint(part[2]) and part[0] not in lines]:
        lines.update(line for line, _, _ in parts)
        spoken = spoken.union(*(names for _, names, _ in parts))
    return frozenset(lines)


def _gather_parents(path: Path, latest: dict[str, int]) -> Graph:
    """The data of those items that others say they are a part of."""
    named = {name for item in _list_items(path) if item.data is not None for name in _list_parents(item.data)}
    if not named:
        return Graph([])
    live = (item.data for item in _list_items(path) if item.data is not None and latest[item.key] == item.line)
    return Graph([data for data in live if named.intersection(_list_names(data))])


def _list_parents(data: dict[str, Any]) -> Iterator[str]:
    for name in _PARENTS:
        value = data.get(name)
        if isinstance(value, str):
            yield value.strip()
        elif isinstance(value, dict):
            yield from _list_names(value)


def _list_names(data: dict[str, Any]) -> Iterator[str]:
    for name in ("@id", "id", "identifier"):
        value = data.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool):
            yield str(value).strip()
