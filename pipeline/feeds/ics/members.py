"""What a VEVENT says beside its times → the members of a record that say it."""

import re
from typing import Any

from outings.contract.vocabulary import Vocabulary
from pipeline.feeds.ics.lines import Component, Line, split_texts, unescape

# What a changed date of a series says by its series, where it says nothing itself.
INHERITED = ("name", "description", "location", "source", "image_url", "categories", "keywords")

_GEO = re.compile(r"(?:geo:)?\s*([+-]?\d+(?:\.\d+)?)\s*[;,]\s*([+-]?\d+(?:\.\d+)?)\s*", re.IGNORECASE)
_IMAGE = re.compile(r"\.(jpe?g|png|gif|webp|avif)$", re.IGNORECASE)
_STAMP = re.compile(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z?", re.ASCII)
_HIDDEN = ("PRIVATE", "CONFIDENTIAL")


def list_members(event: Component, vocabulary: Vocabulary) -> dict[str, Any]:
    """Raw: what is wrong in them is found with the values of every other feed."""
    members: dict[str, Any] = {
        "name": _get_text(event, "SUMMARY"),
        "description": _get_text(event, "DESCRIPTION") or _get_text(event, "X-ALT-DESC"),
        "location": _find_location(event),
        "source": {"url": url} if (url := _get_text(event, "URL")) else None,
        "image_url": _find_image(event),
        "created_at": _find_instant(event, "CREATED"),
        "verified_at": _find_instant(event, "LAST-MODIFIED"),
    }
    members |= _sort_words(event, vocabulary)
    members |= _find_status(event)
    return {name: value for name, value in members.items() if value}


def _get_text(event: Component, name: str) -> str | None:
    line = event.get(name)
    return unescape(line.value).strip() if line else None


def _find_status(event: Component) -> dict[str, str]:
    """A cancelled event is removed. What is marked as private is not published, though a calendar gave it away."""
    if (_get_text(event, "STATUS") or "").upper() in ("CANCELLED", "CANCELED"):
        return {"status": "archived", "reason": "cancelled"}
    return {"status": "draft"} if (_get_text(event, "CLASS") or "").upper() in _HIDDEN else {}


def _find_location(event: Component) -> dict[str, Any]:
    """LOCATION and GEO; what Apple says of the place where they say nothing."""
    apple = event.get("X-APPLE-STRUCTURED-LOCATION")
    address = _get_text(event, "LOCATION") or _read_apple(apple)
    point = _read_point(event.get_value("GEO")) or _read_point(event.get_value("X-APPLE-STRUCTURED-LOCATION"))
    return ({"address": " ".join(address.split())} if address else {}) | (point or {})


def _read_apple(line: Line | None) -> str | None:
    parts = [line.parameters.get(name) for name in ("X-TITLE", "X-ADDRESS")] if line else []
    return ", ".join(unescape(part).replace("\n", ", ") for part in parts if part) or None


def _read_point(text: str) -> dict[str, float] | None:
    """0, 0 is what software writes that knows no point."""
    match = _GEO.fullmatch(text.replace("\\", ""))
    if match is None or float(match[1]) == float(match[2]) == 0:
        return None
    return {"lat": float(match[1]), "lng": float(match[2])}


def _find_image(event: Component) -> str | None:
    """IMAGE (RFC 7986), or the first attached picture."""
    for line in (*event.get_all("IMAGE"), *event.get_all("ATTACH")):
        url = line.value.strip()
        kind = line.parameters.get("FMTTYPE", "")
        is_image = line.name == "IMAGE" or kind.lower().startswith("image/") or bool(_IMAGE.search(url))
        if is_image and url.startswith(("http://", "https://")):
            return url
    return None


def _sort_words(event: Component, vocabulary: Vocabulary) -> dict[str, list[str]]:
    """Words of CATEGORIES that are the vocabulary's own are categories, the others keywords."""
    words = [word for line in event.get_all("CATEGORIES") for word in split_texts(line.value)]
    folded = {word: "_".join(re.findall(r"[a-z0-9]+", word.lower())) for word in words}
    known = set(vocabulary.categories)
    return {
        "categories": [name for name in folded.values() if name in known],
        "keywords": [word for word, name in folded.items() if name not in known],
    }


def _find_instant(event: Component, name: str) -> str | None:
    """An instant as records write it. These are in UTC whatever they say; the year 0 is Google's for "not known"."""
    match = _STAMP.fullmatch(_get_text(event, name) or "")
    if match is None or int(match[1]) < 1900:
        return None
    return f"{match[1]}-{match[2]}-{match[3]}T{match[4]}:{match[5]}:{match[6]}Z"
