"""When a place is open: schema.org's `openingHoursSpecification` and `openingHours`."""

import re
from collections.abc import Iterable

from outings.contract.vocabulary import WEEKDAYS
from pipeline.feeds.jsonld.moments import parse_clock
from pipeline.feeds.jsonld.nodes import Node

_DAYS = {code: name for name in WEEKDAYS for code in (name, name[:2], name[:3])} | {
    "thurs": "thursday", "tues": "tuesday",
}  # fmt: skip
# `Mo-Fr 09:00-17:00`, `Sa,Su 10:00-14:00`; several with a comma or a semicolon between.
_DAY = rf"(?:{'|'.join(sorted(_DAYS, key=len, reverse=True))})"
_SPAN = rf"(?P<days>{_DAY}(?:\s*[-,]\s*{_DAY})*)\s+(?P<opens>\d{{1,2}}:\d\d)\s*[-–]\s*(?P<closes>\d{{1,2}}:\d\d)"
_PART = re.compile(_SPAN, re.IGNORECASE)
_UNNAMED = re.sub(r"\?P<\w+>", "?:", _SPAN)
_TEXT = re.compile(rf"{_UNNAMED}(?: ?[,;]? ?{_UNNAMED})*[,;]?", re.IGNORECASE)
_MOST_LETTERS = 500


def describe_hours(place: Node) -> dict[str, str]:
    """A line a weekday. What is not of a weekday, or holds for some dates only, is said in `exceptions`, and a text of
    `openingHours` that is not in schema.org's form is quoted in `notes`: a part of it would say something else."""
    spans: dict[str, list[str]] = {}
    exceptions: list[str] = []
    for hours in place.get_nodes("openingHoursSpecification"):
        span = _write_span(hours.get_text("opens"), hours.get_text("closes"))
        days = list(_list_days(hours.get_words("dayOfWeek")))
        dates = " to ".join(filter(None, (hours.get_text("validFrom"), hours.get_text("validThrough"))))
        if dates or "" in days:
            named = ", ".join(day or "public holidays" for day in days)
            exceptions.append(": ".join(filter(None, (f"{dates} {named}".strip(), span))))
        else:
            for day in days or WEEKDAYS:
                spans.setdefault(day, []).append(span)
    unread: list[str] = []
    for text in place.get_texts("openingHours"):
        text = " ".join(text.split())
        if len(text) > _MOST_LETTERS or _TEXT.fullmatch(text) is None:
            unread.append(text)
            continue
        for match in _PART.finditer(text):
            for day in _list_written_days(match["days"]):
                spans.setdefault(day, []).append(_write_span(match["opens"], match["closes"]))
    lines = {day: ", ".join(dict.fromkeys(spans[day])) for day in WEEKDAYS if day in spans}
    quoted = {"exceptions": "\n".join(exceptions), "notes": "\n".join(unread)}
    return lines | {name: value for name, value in quoted.items() if value}


def _write_span(opens: str | None, closes: str | None) -> str:
    begins, ends = (parse_clock(text) if text else None for text in (opens, closes))
    if begins is None or ends is None:
        return "closed" if not opens and not closes else " to ".join(filter(None, (opens, closes)))
    if begins == ends:
        return "closed" if f"{begins:%H:%M}" != "00:00" or opens == closes else "open 24 hours"
    if f"{begins:%H:%M}" == "00:00" and f"{ends:%H:%M}" == "23:59":
        return "open 24 hours"
    return f"{begins:%H:%M}–{ends:%H:%M}"


def _list_days(texts: Iterable[str]) -> Iterable[str]:
    """Weekdays by our names; an empty text for any other day."""
    for text in texts:
        for part in text.split(","):
            yield _DAYS.get(part.strip().lower(), "")


def _list_written_days(text: str) -> list[str]:
    """`Mo-Fr`, `Sa,Su`."""
    days: list[str] = []
    for part in text.split(","):
        first, _, last = (each.strip().lower() for each in part.partition("-"))
        begins, ends = _DAYS.get(first), _DAYS.get(last or first)
        if begins is not None and ends is not None:
            number, until = WEEKDAYS.index(begins), WEEKDAYS.index(ends)
            days += [WEEKDAYS[(number + step) % 7] for step in range((until - number) % 7 + 1)]
    return days
