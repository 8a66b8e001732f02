"""Reading an explorer's page in tests, and the filters that they draw."""

import json
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from tests.pages.conftest import Demo, Pages

if TYPE_CHECKING:
    from playwright.sync_api import Page

Params = dict[str, str]

METRO = "seattle"
_DATED = "category,weekday,time_block,price_band"
FACETS = {"places": "category", "events": _DATED, "classes": _DATED, "camps": _DATED}
TIMES = {"": ("", ""), "morning": ("09:00", "12:00"), "evening": ("17:00", "")}
SHOWN = "() => document.querySelector('#view:not([aria-busy]) > *') !== null"


def explore(pages: Pages, params: Mapping[str, str] = MappingProxyType({}), **view: Any) -> "Page":
    """Open the explorer, on events if the parameters name no other type."""
    page = pages.open(f"/explore/?{urlencode({'metro': METRO, 'type': 'events', **params})}", **view)
    page.wait_for_function(SHOWN)
    return page


def settle(page: "Page") -> None:
    page.wait_for_load_state("networkidle")
    page.wait_for_function(SHOWN)


def open_folds(page: "Page") -> None:
    """Unfold what is full, has begun or is over, so that all rows of the page are shown."""
    for summary in page.locator(".fold:not([open]) > summary").all()[::-1]:
        summary.click()


def open_listing(pages: Pages, demo: Demo, kind: str, **view: Any) -> "Page":
    """The first listing of a kind within the explorer, as for readers with a key of their own."""
    first = ask(demo, f"{METRO}/{kind}", {"limit": "1"})["data"][0]
    page = explore(pages, {"type": kind, "listing": first["id"]}, **view)
    page.get_by_role("heading", name=first["name"], exact=True).wait_for()
    return page


def ask(demo: Demo, path: str, params: Params) -> Any:
    request = Request(f"{demo.url}/v1/{path}?{urlencode(params)}", headers={"X-API-Key": demo.key})
    with urlopen(request) as answer:
        return json.load(answer)


def read_total(page: "Page") -> int:
    return int(page.locator("#status").get_attribute("data-total") or "-1")


def read_kind(page: "Page", kind: str) -> str:
    """Return the text beside the type's link."""
    return page.locator(f"[data-type={kind}]").text_content() or ""


def read_counts(page: "Page", name: str) -> dict[str, int]:
    """Return the counts beside the boxes of a filter."""
    counts: dict[str, str] = page.evaluate(
        "name => Object.fromEntries([...document.querySelectorAll(`#${name} label`)].map("
        "label => [label.querySelector('input').value, label.querySelector('.count').textContent]))",
        name,
    )
    return {value: int(text.replace(",", "")) for value, text in counts.items()}


def count(facets: Any, name: str) -> dict[str, int]:
    return {bucket["value"]: bucket["count"] for bucket in facets.get(name, ()) if bucket["value"] != "unspecified"}


def draw_filters(random: Random, kind: str, first: date) -> Params:
    sent: Params = {}
    if random.random() < 0.5:
        words = ["music_movement", "sports_active_play", "arts_creative", "nature_outdoors", "museums_exhibits"]
        sent["category"] = ",".join(sorted(random.sample(words, random.randint(1, 3))))
    if random.random() < 0.3:
        sent["age"] = str(random.randint(0, 12))
    if random.random() < 0.2:
        sent["neighborhood"] = random.choice(["ballard", "fremont", "queen-anne"])
    if random.random() < 0.2:
        sent["q"] = random.choice(["family", "swim", "park"])
    if kind == "places":
        return sent
    if random.random() < 0.3:
        sent |= random.choice([{"free": "true"}, {"max_price": "20"}])
    if random.random() < 0.3:
        sent["weekday"] = ",".join(random.sample(["monday", "saturday", "sunday"], 2))
    after, before = TIMES[random.choice(list(TIMES))]
    sent |= {name: text for name, text in (("start_after", after), ("start_before", before)) if text}
    if random.random() < 0.3:
        start = first + timedelta(days=random.randint(0, 10))
        sent |= {"from": start.isoformat(), "to": (start + timedelta(days=random.randint(0, 25))).isoformat()}
    return sent


def list_days(page: "Page") -> Iterator[tuple[str, int]]:
    for day in page.locator("[data-date]").all():
        yield day.get_attribute("data-date") or "", int(day.get_attribute("data-count") or "-1")
