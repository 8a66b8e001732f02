"""Write an API's answers as short text for an assistant: names, dates, places, prices, ages and links."""

import unicodedata
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any

import orjson

Item = Mapping[str, Any]

# Members of a detail that are of no use to a family.
_INTERNAL = frozenset({"confidence", "created_at", "links", "metro", "slug", "status", "updated_at", "image_url"})
_TO_FAMILIES = (
    ("ticket_url",), ("registration_url",), ("registration", "url"), ("website_url",), ("source", "url"),
)  # fmt: skip

_JOINERS = "\u200c\u200d"  # of Persian and of emoji


def flatten(value: Any) -> Any:
    """Return a parsed answer in which each text is one line, without characters that control, turn round or hide text.

    Feeds write the texts, and a line is what an assistant takes for a listing or a notice.
    """
    if isinstance(value, dict):
        return {flatten(name): flatten(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [flatten(inner) for inner in value]
    if not isinstance(value, str) or value.isprintable():
        return value
    shown = (sign if sign in _JOINERS or unicodedata.category(sign) != "Cf" else "" for sign in value)
    return " ".join("".join(sign if sign.isprintable() or sign in _JOINERS else " " for sign in shown).split())


def write_items(body: Item, *, url: str) -> str:
    """Return a line for each item of a list, and how to get more."""
    lines = [write_item(item, url=url) for item in body["data"]] or ["Nothing matches."]
    meta = body["meta"]
    if meta.get("has_more"):
        lines.append(f"There is more: ask the same with cursor={meta['next_cursor']}")
    lines.extend(f"Notice: {notice['message']}" for notice in meta.get("notices", ()))
    return "\n".join(lines)


def write_item(item: Item, *, url: str) -> str:
    """Return one line about a listing, or about a day of the calendar."""
    if "date" in item:
        words = ", ".join(f"{name} {count}" for name, count in item["categories"].items())
        return f"{write_moment(item['date'])}: {item['count']} events, {item['free_count']} free ({words})"
    facts = (
        write_dates(item),
        _write_place(item),
        _write_price(item.get("price") or {}),
        _write_ages(item.get("ages") or {}),
        f"{item['distance_m']} m away" if "distance_m" in item else "",
        "sold out" if item.get("is_sold_out") else "",
        item.get("snippet") or "",
    )
    address = item["links"]["self"]
    link = next(filter(None, (_find(item, path) for path in _TO_FAMILIES)), f"{url}{address}")
    kind = address.split("/")[-2]
    text = "; ".join(filter(None, facts))
    return f"- {item['name']}{': ' if text else ''}{text} [type={kind} id={item['id']}] {link}"


def write_detail(body: Item, *, url: str) -> str:
    """Return a listing's line, and all of its members that have a value."""
    item = body["data"]
    members = {name: value for name, value in item.items() if name not in _INTERNAL}
    return f"{write_item(item, url=url)}\n{orjson.dumps(_drop_empty(members)).decode()}"


def write_error(status: int, body: Any, *, retry_after: str | None) -> str:
    """Write an error as text, with the details that say which values are allowed."""
    error = body.get("error", {}) if isinstance(body, dict) else {}
    details = error.get("details")
    return "\n".join(
        [
            f"{status} {error.get('code', '')}: {error.get('message', 'the answer has no JSON of this API')}",
            *([orjson.dumps(details).decode()] if details else []),
            *([f"Ask again in {retry_after} seconds."] if retry_after else []),
        ]
    )


def write_dates(item: Item) -> str:
    """Return when a listing happens next, or when a place is open."""
    occurrence = item.get("occurrence") or {}
    starts = occurrence.get("starts_local") or occurrence.get("next_starts_local") or item.get("starts_local")
    parts = []
    if starts:
        parts.append(write_moment(starts if item.get("has_time", True) else starts[:10]))
        parts.append(item.get("recurrence_description") or "")
    elif item.get("starts_on"):
        parts.append(f"{item['starts_on']} to {item.get('ends_on') or '?'}")
    term, schedule = item.get("term") or {}, item.get("schedule") or {}
    if term.get("starts_on"):
        parts.append(f"term {term['starts_on']} to {term.get('ends_on') or '?'}")
    if schedule.get("days"):
        times = "-".join(time[:5] for time in (schedule.get("start_time"), schedule.get("end_time")) if time)
        parts.append(f"{', '.join(schedule['days'])} {times}".rstrip())
    hours = {day: time for day, time in (item.get("hours") or {}).items() if time}
    parts.extend(f"{day} {time}" for day, time in hours.items())
    return ", ".join(filter(None, parts))


def write_moment(text: str) -> str:
    """Format a local date or time with its day of the week."""
    if len(text) == len("2026-01-01"):
        return f"{date.fromisoformat(text):%a %Y-%m-%d}"
    return f"{datetime.fromisoformat(text):%a %Y-%m-%d %H:%M}"


def _write_place(item: Item) -> str:
    location = item.get("location") or {}
    names = ((item.get("place") or {}).get("name"), location.get("address"), location.get("neighborhood"))
    return ", ".join(filter(None, names))


def _write_price(price: Item) -> str:
    if price.get("is_free"):
        return "free"
    amounts = dict.fromkeys(f"{price[end]:g}" for end in ("min", "max") if price.get(end) is not None)
    if not amounts:
        return price.get("note") or ""
    unit = (price.get("unit") or "").replace("_", " ")
    return " ".join(filter(None, ("-".join(amounts), price.get("currency"), unit, price.get("note"))))


def _write_ages(ages: Item) -> str:
    least, most = ages.get("min"), ages.get("max")
    if least is None and most is None:
        return ages.get("text") or ""
    if most is None:
        return f"ages {least} and up"
    return f"ages {least or 0} to {most}"


def _find(item: Any, path: Iterable[str]) -> Any:
    for name in path:
        item = item.get(name) if isinstance(item, dict) else None
    return item


def _drop_empty(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {name: _drop_empty(inner) for name, inner in value.items()}
        return {name: inner for name, inner in kept.items() if inner not in (None, [], {})}
    return [_drop_empty(inner) for inner in value] if isinstance(value, list) else value
