"""What a test knows of a stranger's website: its pages, and what a visitor sees on them."""

import json
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple

from tests.pipeline.fetch.web import Page

DAY = datetime.now(UTC).date() + timedelta(days=10)


class Expected(NamedTuple):
    """What a person sees in the site: `count` events, and the first with its local start and the beginning of where."""

    system: str
    count: int
    name: str
    starts: str
    place: str = ""
    lat: float | None = None


class Stranger(NamedTuple):
    metro: tuple[str, ...]
    pages: dict[str, Page | Callable[[str], Page]]
    expected: Expected


def day(number: int = 0) -> date:
    return DAY + timedelta(days=number)


def write_ics(events: list[dict[str, str]], *, head: str = "") -> Page:
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//stranger//EN", *head.split("\n")]
    for event in events:
        lines += ["BEGIN:VEVENT", *(f"{name}:{value}" for name, value in event.items()), "END:VEVENT"]
    body = "\r\n".join([line for line in lines if line] + ["END:VCALENDAR", ""])
    return Page(body.encode(), headers={"Content-Type": "text/calendar; charset=UTF-8"})


def compact(number: int = 0) -> str:
    return day(number).strftime("%Y%m%d")


def ld(*things: Any) -> str:
    return "".join(f'<script type="application/ld+json">{json.dumps(thing)}</script>' for thing in things)


SEATTLE = ("--metro", "Seattle", "--center", "47.6,-122.33")
MADRID = ("--metro", "Madrid", "--center", "40.42,-3.7")
BERLIN = ("--metro", "Berlin", "--center", "52.52,13.4")
PARIS = ("--metro", "Paris", "--center", "48.85,2.35")
CHICAGO = ("--metro", "Chicago", "--center", "41.88,-87.63")
