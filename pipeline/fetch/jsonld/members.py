"""Convert schema.org properties that listings of all types have, and locations, to the members of a record."""

import re
from collections.abc import Iterable, Iterator
from html import unescape
from typing import Any

from msgspec import Struct

from outings.contract.vocabulary import Vocabulary
from outings.texts.amounts import Amount, read_amount
from pipeline.fetch.formats import sort_words
from pipeline.fetch.jsonld.nodes import Node, is_web, list_type_categories

_VIRTUAL = "VirtualLocation"
_ADDRESS = {
    "street_address": "streetAddress", "city": "addressLocality", "state": "addressRegion", "zip": "postalCode",
}  # fmt: skip


def find_places(node: Node) -> list[Node]:
    """List a node's places, without virtual locations."""
    return [place for place in node.get_nodes("location") if _VIRTUAL not in place.types]


def is_online(node: Node) -> bool:
    """Return True for an event that takes place online alone."""
    virtual = any(_VIRTUAL in place.types for place in node.get_nodes("location"))
    return "OnlineEventAttendanceMode" in node.get_words("eventAttendanceMode") or (virtual and not find_places(node))


def find_location(node: Node) -> dict[str, Any]:
    """Return the location members of a node's first place, address or text."""
    locations = (
        describe_place(value) if isinstance(value, Node) else {"address": value}
        for value in node.get_linked("location")
        if (isinstance(value, Node) and _VIRTUAL not in value.types) or isinstance(value, str)
    )
    return next(filter(None, locations), {})


def describe_place(place: Node, *, above: int = 1) -> dict[str, Any]:
    """Return the location members of a Place or an address. The place's name is put before the address.

    A place without an address has that of the place which contains it. `above`: how many of these are tried.
    """
    address = place if place.get("streetAddress") or place.get("addressLocality") else place.get_node("address")
    parts: dict[str, Any] = {}
    if address is not None:
        parts = {name: _find_line(address, member) for name, member in _ADDRESS.items()}
    region = " ".join(filter(None, (parts.get("state"), parts.get("zip"))))
    joined = ", ".join(filter(None, (parts.get("street_address"), parts.get("city"), region)))
    parts |= _find_point(place)
    written = next(iter(place.get_texts("address")), None) or joined or None
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
    """Return a member in one line: its text, or the name of its node (a region, a country)."""
    value = node.get(name)
    text = value.get_text("name") if isinstance(value, Node) else node.get_text(name)
    return " ".join(text.split()) if text else None


def _find_point(place: Node) -> dict[str, Any]:
    """Return a place's `lat` and `lng`, or {}: also for 0, 0, which software writes if it knows none."""
    geo = next((node for node in place.get_nodes("geo") if node.get("latitude") is not None), place)
    lat, lng = _read_degrees(geo.get("latitude")), _read_degrees(geo.get("longitude"))
    if lat is None and lng is None:
        return {}
    return {} if lat == lng == 0 else {"lat": lat, "lng": lng}


def _read_degrees(value: Any) -> Any:
    """Parse a text as a number. Another text is returned unchanged, so that cleaning reports it."""
    if not isinstance(value, str):
        return None if isinstance(value, Node) else value
    try:
        return float(value.strip().replace(",", "."))
    except ValueError:
        return value


_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)", re.ASCII)
# JSON has whole numbers that no float holds.
_MOST_NUMBER = 10**300
_MOST_DIGITS = 3
_GONE = ("soldout", "outofstock")


class Offers(Struct, frozen=True):
    """The offers of a node. `price`: its members; `url`: where tickets are sold; `is_sold_out`: None if unknown."""

    price: dict[str, Any]
    url: str | None
    is_sold_out: bool | None


def list_members(node: Node, vocabulary: Vocabulary) -> dict[str, Any]:
    """Return the raw members that all types have. Their values are validated later, when the record is cleaned."""
    url = node.get_link("url")
    members: dict[str, Any] = {
        "name": find_text(node, "name", "headline"),
        "description": find_text(node, "description", "disambiguatingDescription"),
        "image_url": next(iter(list_images(node)), None) or node.get_link("image"),
        "source": {"url": url} if url else None,
        "created_at": _find_instant(node, "dateCreated", "datePublished"),
        "verified_at": _find_instant(node, "dateModified", "modified"),
    }
    members |= _sort_words(node, vocabulary)
    return drop_unstated(members)


def find_text(node: Node, *names: str) -> str | None:
    """Return the text of the first member that has one. Tags and entities are unescaped if software escaped HTML for
    JSON."""
    text = next((text for name in names if (text := node.get_text(name))), None)
    return unescape(text) if text is not None and ("&lt;" in text or "&amp;" in text) else text


def drop_unstated(members: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value not in (None, "", {}, [])}


def list_images(node: Node) -> list[str]:
    """List the absolute addresses of a node's images, each once, from texts and ImageObjects."""
    images: dict[str, None] = {}
    for name in ("image", "photo", "logo"):
        for value in node.get_all(name):
            text = value.get_url("contentUrl") or value.get_url("url") or value.id if isinstance(value, Node) else value
            if isinstance(text, str) and is_web(whole := node.graph.resolve(text)):
                images[whole] = None
    return list(images)


def find_organization(node: Node, names: Iterable[str]) -> tuple[str | None, Node | None]:
    """Return the name of the first organization in these members, and its node, if any. Persons are skipped."""
    for name in names:
        for value in node.get_linked(name):
            if isinstance(value, str) and not is_web(value):
                return value, None
            if isinstance(value, Node) and "Person" not in value.types and (text := value.get_text("name")):
                return text, value
    return None, None


def find_ages(node: Node) -> dict[str, Any]:
    """Return the ages of `typicalAgeRange`, OpenActive's `ageRange`, or the audience."""
    for source in (*node.get_nodes("ageRange"), *node.get_nodes("typicalAgeRange")):
        if bounds := _find_bounds(source, "minValue", "maxValue"):
            return bounds
    for text in (*node.get_texts("typicalAgeRange"), *node.get_texts("ageRange")):
        return {"text": " ".join(text.split())}
    for audience in (*node.get_nodes("audience"), node):
        inner = (_find_bounds(age, "minValue", "maxValue") for age in audience.get_nodes("suggestedAge"))
        if bounds := next(filter(None, inner), {}) or _find_bounds(audience, "suggestedMinAge", "suggestedMaxAge"):
            return bounds
    return {}


def find_offers(node: Node) -> Offers:
    """Return a node's offers, with several prices as a range. A price that is not one amount becomes a note."""
    offers = node.get_nodes("offers")
    lows, highs, opens, notes, currency = list[float](), list[float](), list[float](), list[str](), None
    for offer in offers:
        sources = (offer, *offer.get_nodes("priceSpecification"))
        has_most = any(source.get(name) is not None for source in sources for name in ("highPrice", "maxPrice"))
        currency = currency or next(filter(None, (source.get_text("priceCurrency") for source in sources)), None)
        for name, stated in _list_prices(offer):
            amount = _read_amount(stated)
            if amount is None or amount.min is None or amount.min != amount.max or amount.is_swapped:
                notes.append(str(stated))
            if amount is not None:
                is_open = name in ("lowPrice", "minPrice") and not has_most
                # Cleaning puts them right, and reports it.
                low, high = amount[1::-1] if amount.is_swapped and len(offers) == 1 else amount[:2]
                lows += [] if low is None else [low]
                opens += [amount.min or 0.0] if is_open or amount.max is None else []
                highs += [] if high is None or is_open else [high]
    if not lows and not highs and node.is_true("isAccessibleForFree"):
        lows = highs = [0.0]
    price = _make_price(lows, highs, notes, most_open=max(opens, default=0.0))
    available = [word.casefold() for offer in offers for word in offer.get_words("availability")]
    sold_out = all(word in _GONE for word in available) and len(available) == len(offers) if available else None
    if node.get_text("remainingAttendeeCapacity") == "0":
        sold_out = True
    url = next((url for offer in offers if (url := offer.get_link("url"))), None)
    return Offers(price | ({"currency": currency} if currency and price else {}), url, sold_out)


def find_status(node: Node) -> dict[str, str]:
    """Return members that archive a cancelled event, or one that is postponed to no date; {} for others."""
    text = " ".join(node.get_words("eventStatus")).casefold()
    if "cancel" in text:
        return {"status": "archived", "reason": "cancelled"}
    return {"status": "archived", "reason": "unpublished"} if "postpone" in text else {}


def _sort_words(node: Node, vocabulary: Vocabulary) -> dict[str, list[str]]:
    """Return the vocabulary's categories for a node's words and types, and its other words as keywords."""
    words = [part.strip() for text in node.get_texts("keywords") for part in re.split(r"[,;]", text) if part.strip()]
    for name in ("genre", "category", "activity", "about"):
        words += [" ".join(text.split()) for text in node.get_texts(name) if not is_web(text)]
        inner = node.get_nodes(name)
        words += [text for node in inner if (text := node.get_text("prefLabel") or node.get_text("name"))]
    members = sort_words(words, vocabulary)
    return members | {"categories": [*list_type_categories(node.types, vocabulary), *members["categories"]]}


def _find_instant(node: Node, *names: str) -> str | None:
    """Return the first of these members that is a time with an offset."""
    texts = (node.get_text(name) for name in names)
    return next((text for text in texts if text and _INSTANT.fullmatch(text)), None)


def _find_bounds(node: Node, low: str, high: str) -> dict[str, Any]:
    return drop_unstated({"min": _read_age(node.get(low)), "max": _read_age(node.get(high))})


def _read_age(value: Any) -> Any:
    if isinstance(value, Node):
        return None
    if isinstance(value, str):
        return int(value) if value.strip().isdecimal() and len(value.strip()) <= _MOST_DIGITS else None
    return int(value) if isinstance(value, float) and value == int(value) else value


def _list_prices(offer: Node) -> Iterator[tuple[str, Any]]:
    for source in (offer, *offer.get_nodes("priceSpecification"), *offer.get_nodes("offers")):
        for name in ("price", "lowPrice", "highPrice", "minPrice", "maxPrice"):
            for value in source.get_all(name):
                if not isinstance(value, Node | bool):
                    yield name, value


def _read_amount(value: Any) -> Amount | None:
    """Read `12`, `"25.0000"`, `"$1,200"`, `"from 12,50 €"` or `"Free"`; None for anything else."""
    if not isinstance(value, str):
        return Amount(float(value), float(value)) if abs(value) < _MOST_NUMBER else None
    return read_amount(value, decimal=".")  # a database writes "25.000"


def _make_price(lows: list[float], highs: list[float], notes: list[str], *, most_open: float) -> dict[str, Any]:
    """Make the members of a price. `lows`: amounts paid at least, `highs` at most; a plain amount is in both.
    `most_open`: the greatest amount that may be more."""
    note = {"note": "; ".join(dict.fromkeys(notes))} if notes else {}
    if not lows and not highs:
        donation = any((amount := read_amount(note)) and amount.kind == "donation" for note in notes)
        return ({"type": "donation" if donation else "varies"} | note) if notes else {}
    if not lows:
        return {"type": "range", "max": max(highs)} | note
    low, high = min(lows), max(highs, default=None)
    if high is None or most_open > high:
        return {"type": "from", "min": low} | note
    kind = "free" if high == 0 else "fixed" if low == high else "range"
    return {"type": kind, "min": low, "max": high} | note
