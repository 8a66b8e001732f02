"""Convert XML files (RSS, a city's own lists) to the JSON document that the reader of JSON tables understands."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from lxml import etree


def convert_xml(path: Path, *, records: str) -> bytes:
    """Return the document as JSON in one line: an object of the root's children.

    An element that stands several times in one parent is a list in each parent; so is the last step of `records`.
    A namespace is left out if no other child has the name, else its prefix is kept: `title` and `media_title`. An
    attribute beside a text is a member of its own: `<fee currency="EUR">5</fee>` is `fee` and `fee_currency`. One with
    the name of a child is `id_attribute`. Of a map (KML) return its placemarks as GeoJSON. Raises ValueError.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    try:
        document = etree.parse(path, parser)
    except etree.XMLSyntaxError as error:
        raise ValueError(f"is no XML, or is cut off: {error.msg}") from error
    if document.docinfo.doctype:  # its entities may grow without bound
        raise ValueError("is XML with a DOCTYPE, which is not read; ask its publisher for the data as CSV or JSON")
    if _shorten(document.getroot().tag) == "kml":
        features = [_convert_placemark(element) for element in document.iter("{*}Placemark")]
        return msgspec.json.encode({"type": "FeatureCollection", "features": features})
    lists = {
        (parent.tag, tag)
        for parent in document.iter()
        for tag, count in Counter(child.tag for child in parent).items()
        if count > 1 or _shorten(tag) == records.rpartition(".")[2]
    }
    if not lists:
        raise ValueError("is XML without rows, which are elements of the same name; look at it in a browser")
    return msgspec.json.encode(_convert(document.getroot(), lists, _name_children(document)))


def _convert_placemark(placemark: Any) -> dict[str, Any]:
    """Return a placemark as a GeoJSON feature: its texts, those of its extended data, and its `folder`."""
    properties = {_shorten(child.tag): (child.text or "").strip() or None for child in placemark if not len(child)}
    for stated in placemark.iter("{*}Data", "{*}SimpleData", "{*}when", "{*}begin", "{*}end"):
        value = stated.findtext("{*}value") if len(stated) else stated.text
        properties[stated.get("name") or _shorten(stated.tag)] = (value or "").strip() or None
    folder = next(placemark.iterancestors("{*}Folder"), None)
    if folder is not None:
        properties.setdefault("folder", folder.findtext("{*}name"))
    shapes = [shape for element in placemark.iter(*_SHAPES) if (shape := _convert_shape(element)) is not None]
    geometry = shapes[0] if len(shapes) == 1 else {"type": "GeometryCollection", "geometries": shapes}
    own = {} if placemark.get("id") is None else {"id": placemark.get("id")}
    return {"type": "Feature", **own, "properties": properties, "geometry": geometry if shapes else None}


_SHAPES = "{*}Point", "{*}LineString", "{*}Polygon"


def _convert_shape(element: Any) -> dict[str, Any] | None:
    """Return a point, line or area as GeoJSON; None if its coordinates are no numbers."""
    try:
        lines = [
            [[float(number) for number in pair.split(",")[:2]] for pair in (stated.text or "").split()]
            for stated in element.iter("{*}coordinates")
        ]
    except ValueError:
        return None
    kind = _shorten(element.tag)
    if not lines or not lines[0]:
        return None
    coordinates = lines if kind == "Polygon" else lines[0] if kind == "LineString" else lines[0][0]
    return {"type": kind, "coordinates": coordinates}


def _name_children(document: Any) -> dict[tuple[str, str], str]:
    """Return the name of the member for each child, by the tags of the parent and the child."""
    prefixes: dict[str, dict[str, str | None]] = {}
    for parent in document.iter():
        prefixes.setdefault(parent.tag, {}).update((child.tag, child.prefix) for child in parent)
    names = {}
    for parent_tag, children in prefixes.items():
        taken = set[str]()
        for tag, prefix in sorted(children.items(), key=lambda child: child[1] is not None):
            name = _shorten(tag) if _shorten(tag) not in taken else f"{prefix or 'other'}_{_shorten(tag)}"
            names[parent_tag, tag] = name
            taken.add(name)
    return names


def _convert(element: Any, lists: set[tuple[str, str]], names: Mapping[tuple[str, str], str]) -> dict[str, Any]:
    attributes: dict[str, Any] = {_shorten(name): value for name, value in element.attrib.items()}
    members: dict[str, Any] = {}
    for child in element:
        name, text = names[element.tag, child.tag], (child.text or "").strip()
        value: Any = _convert(child, lists, names) if len(child) or (child.attrib and not text) else text or None
        if (element.tag, child.tag) in lists:
            members.setdefault(name, []).append(value)
        else:
            members[name] = value
        if text and not len(child):
            attributes |= {f"{name}_{_shorten(key)}": own for key, own in child.attrib.items()}
    return {f"{name}_attribute" if name in members else name: value for name, value in attributes.items()} | members


def _shorten(tag: str) -> str:
    """Return a name without its namespace."""
    return tag.rpartition("}")[2]
