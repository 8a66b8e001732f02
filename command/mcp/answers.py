"""Write an API's answers as short text for an assistant: names, dates, places, prices, ages and links."""

import unicodedata
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from itertools import groupby
from typing import Any

import orjson

Item = Mapping[str, Any]

# Members of a detail that are of no use to a family.
_INTERNAL = frozenset({"confidence", "created_at", "links", "metro", "slug", "status", "updated_at", "image_url"})
# What a listing's link is, the best first. The API's own address needs a key, and is none.
_TO_FAMILIES = (
    ("links", "page"), ("links", "website"),
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


def write_items(body: Item) -> str:
    """Return a line for each item of a list, how many there are in all, and how to get more."""
    lines = [write_item(item) for item in body["data"]] or ["Nothing matches."]
    meta, facets = body["meta"], body.get("facets") or {}
    for name, values in facets.items():
        if isinstance(values, list):
            counts = ", ".join(f"{value['value']} {value['count']}" for value in values if value["count"])
            lines.append(f"All that match by {name}: {counts}")
    total = facets.get("total", meta.get("count_estimate"))
    if meta.get("has_more"):
        of = "" if total is None else f"of {total}, "
        lines.append(f"There is more: {of}ask the same with cursor={meta['next_cursor']}")
    elif total is not None:
        lines.append(f"{total} in all.")
    lines.extend(f"Notice: {notice['message']}" for notice in meta.get("notices", ()))
    return "\n".join(lines)


def write_item(item: Item) -> str:
    """Return one line about a listing, a day of the calendar, or an entry of a directory."""
    if "date" in item:
        words = ", ".join(f"{name} {count}" for name, count in item["categories"].items())
        return f"{write_moment(item['date'])}: {item['count']} events, {item['free_count']} free ({words})"
    if "counts" in item:
        counts = ", ".join(f"{name} {count}" for name, count in item["counts"].items() if count)
        return f"- {item['name']}: {counts} [{'id=' + item['id'] if 'id' in item else 'neighborhood=' + item['slug']}]"
    item = _choose_section(item)
    facts = (
        item.get("section") or "",
        write_dates(item),
        _write_place(item),
        _write_price(item.get("price") or {}),
        _write_ages(item.get("ages") or {}),
        f"{item['distance_m']} m away" if "distance_m" in item else "",
        "sold out" if item.get("is_sold_out") else "",
        item.get("snippet") or "",
    )
    link = next(filter(None, (_find(item, path) for path in _TO_FAMILIES)), "no link")
    kind = item["links"]["self"].split("/")[-2]
    text = "; ".join(filter(None, facts))
    return f"- {item['name']}{': ' if text else ''}{text} [type={kind} id={item['id']}] {link}"


def _choose_section(item: Item) -> Item:
    """Return a class with the members of its first section that has open seats, else of the first; a camp with those
    of its next session. So all that a line says is of one of them."""
    sections = [part for part in item.get("sections") or item.get("sessions") or () if "registration" in part]
    if not sections:
        return item
    chosen = next((part for part in sections if part["registration"].get("has_spots_available")), sections[0])
    tuition = chosen.get("tuition") or {}
    if tuition.get("amount") is not None:
        price = {"min": tuition["amount"], "currency": tuition.get("currency"), "unit": "per_term"}
        chosen = {**chosen, "price": price}
    others = f" (one of {len(sections)})" if len(sections) > 1 else ""
    own = {name: chosen[name] for name in _OF_SECTION if chosen.get(name) is not None}
    link = {"registration": item["registration"]} if "registration" in item else {}
    return {**item, **own, **link, "section": f"{chosen.get('name') or 'section'}{others}"}


# Members of a section or session that replace those of its class or camp.
_OF_SECTION = ("schedule", "term", "ages", "price", "starts_on", "ends_on", "days", "start_time", "end_time")


def write_detail(body: Item) -> str:
    """Return a listing's line, and all of its members that have a value."""
    item = body["data"]
    members = {name: value for name, value in item.items() if name not in _INTERNAL}
    return f"{write_item(item)}\n{orjson.dumps(_drop_empty(members)).decode()}"


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
    starts = occurrence.get("starts_local") or occurrence.get("next_starts_local")
    starts = starts if occurrence else item.get("starts_local")
    parts = []
    if occurrence and not starts:
        parts.append("over: it has no more dates")
    elif starts:
        parts.append(write_moment(starts if item.get("has_time", True) else starts[:10]))
        parts.append(item.get("recurrence_description") or "")
    elif item.get("starts_on"):
        parts.append(f"{item['starts_on']} to {item.get('ends_on') or 'an end that is not stated'}")
    elif "sessions_total" in item or item.get("has_date") is False:
        parts.append("dates not stated")
    term, schedule = item.get("term") or {}, item.get("schedule") or {}
    if term.get("starts_on"):
        parts.append(f"term {term['starts_on']} to {term.get('ends_on') or 'an end that is not stated'}")
    if schedule.get("days"):
        times = "-".join(time[:5] for time in (schedule.get("start_time"), schedule.get("end_time")) if time)
        parts.append(f"{', '.join(schedule['days'])} {times}".rstrip())
    parts.extend(_list_hours(item.get("hours") or {}))
    return ", ".join(filter(None, parts))


def _list_hours(hours: Mapping[str, str | None]) -> Iterable[str]:
    """Yield the stated hours, those of days that follow each other and are alike as one."""
    for time, days in groupby(hours, key=hours.get):
        first, *others = days
        if time:
            yield f"{first}{f' to {others[-1]}' if others else ''} {time}"


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
