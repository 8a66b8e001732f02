"""Convert XML files (RSS, a city's own lists) to the JSON document that the reader of JSON tables understands."""

from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
from lxml import etree


def convert_xml(path: Path, *, records: str) -> bytes:
    """Return the document as JSON in one line: an object of the root's children.

    An element that stands several times in one parent is a list in each parent; so is the last step of `records`.
    Namespaces are left out. An attribute beside a text is a member of its own: `<fee currency="EUR">5</fee>` is `fee`
    and `fee_currency`. Raises ValueError.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    try:
        document = etree.parse(path, parser)
    except etree.XMLSyntaxError as error:
        raise ValueError(f"is no XML, or is cut off: {error.msg}") from error
    if document.docinfo.doctype:  # its entities may grow without bound
        raise ValueError("is XML with a DOCTYPE, which is not read; ask its publisher for the data as CSV or JSON")
    lists = {
        (parent.tag, tag)
        for parent in document.iter()
        for tag, count in Counter(child.tag for child in parent).items()
        if count > 1 or _shorten(tag) == records.rpartition(".")[2]
    }
    if not lists:
        raise ValueError("is XML without rows, which are elements of the same name; look at it in a browser")
    return msgspec.json.encode(_convert(document.getroot(), lists))


def _convert(element: Any, lists: set[tuple[str, str]]) -> dict[str, Any]:
    members: dict[str, Any] = {_shorten(name): value for name, value in element.attrib.items()}
    for child in element:
        name, text = _shorten(child.tag), (child.text or "").strip()
        value: Any = _convert(child, lists) if len(child) or (child.attrib and not text) else text or None
        if (element.tag, child.tag) in lists:
            members.setdefault(name, []).append(value)
        else:
            members[name] = value
        if text and not len(child):
            members |= {f"{name}_{_shorten(key)}": own for key, own in child.attrib.items()}
    return members


def _shorten(tag: str) -> str:
    """Return a name without its namespace."""
    return tag.rpartition("}")[2]
