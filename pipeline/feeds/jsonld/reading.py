"""The documents of a file → raw records, in their order, and one reason for each that can't be read."""

from collections.abc import Iterator
from typing import Any

from outings.configuration import read_zone
from outings.contract.vocabulary import Vocabulary
from pipeline.feeds.jsonld.course import make_class
from pipeline.feeds.jsonld.documents import parse_content
from pipeline.feeds.jsonld.event import NodeContext, Record, make_events, refer_organization
from pipeline.feeds.jsonld.kinds import find_kind, find_passed, find_type_hint
from pipeline.feeds.jsonld.members import drop_unstated, list_images, list_members
from pipeline.feeds.jsonld.naming import name_nodes
from pipeline.feeds.jsonld.nodes import Graph, Node, list_roots
from pipeline.feeds.jsonld.opening_hours import describe_hours
from pipeline.feeds.jsonld.place import describe_place
from pipeline.feeds.raw import RawRecord
from pipeline.records.cleaning import explain_fault


def read_documents(
    content: bytes,
    *,
    timezone: str,
    vocabulary: Vocabulary,
    address: str,
    charset: str | None = None,
    lines_before: int = 0,
) -> Iterator[RawRecord]:
    """`address`: of the file, which relative ids are relative to where a page does not say its own. Lines are numbered
    from `lines_before` + 1. ValueError for a file that is neither a page nor JSON."""
    parsed = parse_content(content, charset=charset)
    readable = [document for document in parsed.documents if document.reason is None]
    graph = Graph((document.value for document in readable), address=parsed.address or address)
    nodes: list[tuple[int, Node]] = []
    for document in parsed.documents:
        if document.reason is not None:
            yield RawRecord(document.line + lines_before, document.value, document.reason)
        else:
            for node in list_roots(document.value, graph):
                if find_kind(node.types) is not None:
                    nodes.append((document.line, node))
                elif (type_ := find_passed(node.types)) is not None:
                    yield RawRecord(document.line + lines_before, None, passed_over=type_)
    names = name_nodes(node for _, node in nodes)
    known = {name: kind for (_, node), name in zip(nodes, names, strict=True) if (kind := find_kind(node.types))}
    setting = NodeContext(read_zone(timezone), vocabulary, known)
    for (line, node), name in zip(nodes, names, strict=True):
        yield from read_node(node, name, setting, line=line + lines_before)


def read_node(
    node: Node, source_id: str, setting: NodeContext, *, line: int, item: str | None = None
) -> Iterator[RawRecord]:
    """What one node says, or why it can't be read; nothing for one that is no listing."""
    try:
        records = list(_make_records(node, source_id, setting))
    except Exception as error:  # noqa: BLE001 - whatever it is, the other nodes are read
        yield RawRecord(line, source_id, explain_fault(error), source_id, item)
        return
    for record in records:
        yield RawRecord(line, record, item=item)


def _make_records(node: Node, source_id: str, setting: NodeContext) -> Iterator[Record]:
    kind = find_kind(node.types)
    if kind == "event":
        yield from make_events(node, source_id, setting)
    elif kind == "class":
        yield make_class(node, source_id, setting)
    elif kind == "place":
        yield _make_place(node, source_id, setting)
    elif kind == "organization":
        yield _make_organization(node, source_id, setting)


def _make_place(node: Node, source_id: str, setting: NodeContext) -> Record:
    """A place has an address beside its name; a facility that is for hire has that of where it is."""
    where = node.get_node("location") or node
    location = describe_place(where)
    name = node.get_text("name")
    if where is node and name is not None and str(location.get("address", "")).startswith(name):
        location["address"] = str(location["address"])[len(name) :].lstrip(", ")
    images = list_images(node)
    members: dict[str, Any] = list_members(node, setting.vocabulary) | {
        "type_hint": find_type_hint(node.types, setting.vocabulary), "location": drop_unstated(location),
        "organization": refer_organization(node, setting), "website_url": node.get_url("url"),
        "hours": describe_hours(node), "images": images[1:],
    }  # fmt: skip
    return {"type": "place", "source_id": source_id} | drop_unstated(members)


def _make_organization(node: Node, source_id: str, setting: NodeContext) -> Record:
    members = list_members(node, setting.vocabulary) | {"website_url": node.get_url("url")}
    return {"type": "organization", "source_id": source_id} | drop_unstated(members)
