"""Read when a place is open on a day: "10am-5pm", "9–12, 14–18 h", "open 24 hours", "Closed"."""

import re
from collections.abc import Iterator, Mapping, Sequence

from outings.texts.days import read_weekdays
from outings.texts.hours import read_hours
from outings.texts.tokens import fold

DAY = 24 * 60
WEEK = 7 * DAY
_ALL_DAY = re.compile(r"\b24 ?(?:/ ?7|h)\b|\b24 hours\b")


def list_open_minutes(text: str, language: str | None = None) -> Iterator[tuple[int, int]]:
    """Yield the spans of minutes of the day in which a place is open; an end after midnight is beyond 1,440.

    >>> list(list_open_minutes("9:30-12, 14-18"))
    [(570, 720), (840, 1080)]
    """
    rest = fold(text)
    if _ALL_DAY.search(rest):
        yield 0, DAY
        return
    while (hours := read_hours(rest.strip(), language)) is not None:
        rest = rest.strip()[hours.end :]
        if hours.ends is not None:
            begin, end = (clock.hour * 60 + clock.minute for clock in (hours.begins, hours.ends))
            yield begin, end if end > begin else end + DAY


def read_opening(text: str, language: str | None = None) -> list[tuple[tuple[str, ...], str, str]]:
    """Read the hours of a week: `Mo-Fr 09:00-12:00, 14:00-17:00; Sa 10:00-14:00`. Return weekdays (of days.WEEKDAYS)
    with an opening and a closing time; [] if any part of the text says something else.

    >>> read_opening("Sat & Sun 10am-4pm")
    [(('sa', 'su'), '10:00', '16:00')]
    """
    rest, spans = fold(text).strip(), list[tuple[tuple[str, ...], str, str]]()
    days: tuple[str, ...] = ()
    while (hours := read_hours(rest, language)) is not None and hours.ends is not None:
        before = rest[: hours.begin].strip(" ,;:")
        days = read_weekdays(before, language) if before else days
        if not days:
            return []
        closes = "24:00" if "24:00" in rest[hours.begin : hours.end] else f"{hours.ends:%H:%M}"
        spans.append((days, f"{hours.begins:%H:%M}", closes))
        rest = rest[hours.end :].strip()
    return [] if any(map(str.isalnum, rest)) else spans


def write_week(hours: Mapping[str, str | None], weekdays: Sequence[str], language: str | None = None) -> str | None:
    """Write when a place is open as spans of minutes since Monday 00:00, such as `600-1020,2040-2460`; None if no day
    states an hour. `hours`: by the names in `weekdays`, from Monday."""
    spans = [
        f"{number * DAY + begin}-{number * DAY + end}"
        for number, day in enumerate(weekdays)
        for begin, end in list_open_minutes(hours.get(day) or "", language)
    ]
    return ",".join(spans) or None


def read_week(text: str) -> list[tuple[int, int]]:
    """Return the spans of minutes in a text that `write_week` wrote."""
    return [(int(begin), int(end)) for begin, _, end in (span.partition("-") for span in text.split(","))]
