"""Where something is."""

from typing import Any

from pipeline.feeds.jsonld.nodes import Node

_VIRTUAL = "VirtualLocation"


def find_places(node: Node) -> list[Node]:
    """The places that a thing says it is at, but for those on the web."""
    return [place for place in node.get_nodes("location") if _VIRTUAL not in place.types]


def is_online(node: Node) -> bool:
    """On the web alone."""
    virtual = any(_VIRTUAL in place.types for place in node.get_nodes("location"))
    return "OnlineEventAttendanceMode" in node.get_words("eventAttendanceMode") or (virtual and not find_places(node))


def find_location(node: Node) -> dict[str, Any]:
    """Of a thing: its first place, address or text."""
    for value in node.get_all("location"):
        if isinstance(value, str):
            known = node.graph.find(value.strip())
            location = describe_place(Node(known, node.graph)) if known is not None else {"address": value}
        elif isinstance(value, Node) and _VIRTUAL not in value.types:
            location = describe_place(value)
        else:
            continue
        if location:
            return location
    return {}


def describe_place(place: Node, *, above: int = 1) -> dict[str, Any]:
    """Of a Place, or of an address that stands in its stead. Its name leads the address, which has no other room. A
    place without an address has that of the one that it is in."""
    address = place if place.get("streetAddress") or place.get("addressLocality") else place.get_node("address")
    parts: dict[str, Any] = {}
    if address is not None:
        names = {
            "street_address": "streetAddress", "city": "addressLocality", "state": "addressRegion",
            "zip": "postalCode",
        }  # fmt: skip
        parts = {name: _find_line(address, member) for name, member in names.items()}
    parts |= _find_point(place)
    written = next(iter(place.get_texts("address")), None) or _join_address(parts)
    around = place.get_node("containedInPlace") or place.get_node("containedIn")
    if above and written is None and around is not None:
        parts = describe_place(around, above=above - 1) | {name: value for name, value in parts.items() if value}
        written = parts.get("address")
    name = _find_line(place, "name")
    if name and name.casefold() not in (written or "").casefold():
        written = f"{name}, {written}" if written else name
    parts["address"] = written
    return {name: value for name, value in parts.items() if value not in (None, "")}


def _find_line(node: Node, name: str) -> str | None:
    """Of a text, or of a node with a name (a region, a country)."""
    value = node.get(name)
    text = value.get_text("name") if isinstance(value, Node) else node.get_text(name)
    return " ".join(text.split()) if text else None


def _join_address(parts: dict[str, Any]) -> str | None:
    region = " ".join(filter(None, (parts.get("state"), parts.get("zip"))))
    joined = ", ".join(filter(None, (parts.get("street_address"), parts.get("city"), region)))
    return joined or None


def _find_point(place: Node) -> dict[str, Any]:
    """0, 0 is what software writes that knows no point."""
    geo = next((node for node in place.get_nodes("geo") if node.get("latitude") is not None), place)
    lat, lng = _read_degrees(geo.get("latitude")), _read_degrees(geo.get("longitude"))
    if lat is None and lng is None:
        return {}
    return {} if lat == lng == 0 else {"lat": lat, "lng": lng}


def _read_degrees(value: Any) -> Any:
    """A text as the number that it is; what is none stays, to be found with other wrong values."""
    if not isinstance(value, str):
        return None if isinstance(value, Node) else value
    try:
        return float(value.strip().replace(",", "."))
    except ValueError:
        return value
