"""Some 600 requests for every word, place and name of a pair of worlds, and the comparison of the answers."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple
from urllib.parse import quote
from uuid import uuid5

from outings.contract.vocabulary import COLLECTIONS
from pipeline.records.ids import NAMESPACE, make_organization_id
from tests.edge.asking import Response
from tests.edge.paired_worlds import CATEGORIES, METROS, STREETS, WORDS, PairedWorld

# What may differ for the same request, by its member or header: when something was written, by which release, and what
# is bound to it. Who states an id gets 403 where that is a listing outside the key's scope, and else 404: ids that
# are in one of the worlds alone are not asked for.
STAMPS = frozenset(
    (
        "generated_at", "built_at", "release", "version_id", "latest_version_id", "next_cursor", "request_id", "etag",
        "x-release", "x-request-id", "x-trace-id", "content-length", "x-ratelimit-reset", "x-ratelimit-remaining",
        "ratelimit", "ratelimit-reset", "ratelimit-remaining", "x-quota-remaining",
    )
)  # fmt: skip


def make_id(feed: str, kind: str, source_id: str) -> str:
    return str(uuid5(NAMESPACE, f"{feed}/{kind}/{source_id}"))


POINTS = (
    "lat=47.61&lng=-122.33",
    "lat=47.64&lng=-122.3&radius_m=2000",
    "lat=47.2&lng=-122.8&radius_m=50000",
    "lat=47.9&lng=-122.1",
)
_MISSPELLED = ("falconrx", "blaksmith", "zepelin", "velodrme", "puppetri", "watercolour")
_QUESTIONS = (
    "kids in maple hill", "osprey nook", "ages 3-5 kayaking", "camp at granary hall", "glassblowing quarry end",
    "music for toddlers tonight", "mapel hill", "zeppelin society", "city parks", "rowing", "brass band",
    "harbor point", "badger run", "dome oval parade", "workshops and flyovers",
)  # fmt: skip
_FILTERS = {
    "": ("category=swim_water", "category=arts_creative,storytime_books", "audience=all", "age=4", "min_confidence=0",
         "neighborhood=maple-hill", "neighborhood=MAPLE%20HILL!", "neighborhood=osprey-nook", "neighborhood=badger-run",
         "neighborhood=harbor-point", f"organization_id={make_id('seattle', 'organization', 'parks')}",
         "zip=98100,98112", "near_zip=98100", "lat=47.61&lng=-122.33&radius_m=3000", "q=puppetry", "q=falconry",
         "q=zeppelin", "q=-songs", "q=cty%20parks", "limit=2", "limit=3&page=2", "changed_since=2026-08-09T00:00:00Z",
         "expand=organization", "include=source", "facets=category,age_band,organization&limit=0", "fields=name,links"),
    "events": ("from=2026-08-10&to=2026-08-20", "free=true", "weekday=friday", "start_after=10:30", "recurring=true",
               "indoor=true", "occurrences=expand&limit=7", "expand=place", "facets=weekday,time_block,price_band"),
    "classes": ("schedule_day=monday", "expand=sessions", "starts_from=2026-07-01", "facets=weekday&limit=0"),
    "camps": ("from=2026-08-15&to=2026-08-20", "year=2026", "overnight=true"),
    "places": ("type_hint=museum", "type_hint=park", "has_classes=true", "sensory=true"),
}  # fmt: skip


def list_words() -> list[str]:
    """Every word of both worlds, its beginning, and what is spelled wrongly."""
    stated = " ".join(
        (*(word for pair in WORDS.values() for word in pair), "zeppelin barn songs landing badger osprey")
    )
    words = sorted({*stated.split()})
    return [*words, *sorted({word[:-2] for word in words}), *_MISSPELLED]


def list_targets() -> Iterator[str]:
    for metro in METROS:
        yield from _list_of_metro(f"/v1/{metro}", is_first=metro == "seattle")
    for kind, collection in COLLECTIONS.items():
        for number in (1, 2, 3):
            path = f"/v1/{collection}/{make_id('seattle', kind, f'{kind} {number}')}"
            yield from (path, f"{path}?expand=organization&include={'source' if kind == 'place' else 'related,source'}")
            yield f"/v1/listings/{path.rpartition('/')[2]}/versions"
        yield f"/v1/{collection}/slug/{WORDS[kind][0].replace(' ', '-')}-2?metro=seattle"
        yield f"/v1/{collection}/slug/{WORDS[kind][0].replace(' ', '-')}-2-2?metro=seattle"
        yield f"/v1/{collection}/{make_id('seattle', kind, f'draft {kind} 1')}"
        yield f"/v1/changes?type={kind}"
    hall = make_id("seattle", "place", "hall")
    yield from (f"/v1/places/{hall}/{text}" for text in ("events", "classes", "camps"))
    names = [("seattle", "parks"), ("seattle", "club"), ("boston", "club"), ("seattle", "hush")]
    of_drafts = [
        make_organization_id("seattle", name)
        for name in (*(f"Zeppelin Society {kind}" for kind in COLLECTIONS), "Zeppelin Family", "Brass Band")
    ]
    for row_id in (*(make_id(feed, "organization", name) for feed, name in names), *of_drafts):
        yield f"/v1/organizations/{row_id}"
        yield f"/v1/organizations/{row_id}?include_archived=true"
        yield f"/v1/listings/{row_id}/versions"
        yield from (f"/v1/organizations/{row_id}/{collection}?limit=5" for collection in COLLECTIONS.values())
    yield from ("/v1/metros", "/v1/changes", "/v1/changes?limit=3", "/v1/changes?type=organization")
    yield from (
        "/v1/changes?kind=created&metro=seattle",
        "/v1/changes?kind=removed,restored",
        "/v1/changes?metro=boston",
    )
    yield from ("/v1/seattle/events?bogus=1", "/v1/atlantis/events", "/v1/nothing", "/v1/seattle/search?q=the")


def _list_of_metro(base: str, *, is_first: bool) -> Iterator[str]:
    for collection in COLLECTIONS.values():
        yield from (f"{base}/{collection}", f"{base}/{collection}/density", f"{base}/export?types={collection}")
        yield from (f"{base}/export/{collection}.{form}" for form in ("jsonl", "parquet"))
        if is_first:
            yield from (f"{base}/{collection}?{entry}" for entry in (*_FILTERS[""], *_FILTERS[collection]))
    for text in (
        "",
        "?min_count=0",
        "?min_count=0&q=parks",
        "?q=zeppelin&min_count=0",
        "?q=blacksmith",
        "?min_count=3",
    ):
        yield f"{base}/organizations{text}"
    yield from (f"{base}/organizations?min_count=0&category={value}" for pair in CATEGORIES.values() for value in pair)
    yield from (f"{base}/organizations?neighborhood={text}" for text in ("maple-hill", "quarry-end", "badger-run"))
    yield from (f"{base}/neighborhoods{text}" for text in ("", "?sort=count", "?min_count=1", "?limit=2"))
    yield from (f"{base}/neighborhoods?q={text}" for text in ("maple", "osprey", "mapel", "quarry", "badger", "heron"))
    yield from (f"{base}/coverage{text}" for text in ("", "?neighborhood=maple-hill", "?neighborhood=osprey-nook"))
    yield from (f"{base}/{text}" for text in ("export", "export/events.ics", "events.ics", "events.ics?recurring=true"))
    yield from (f"{base}/{name}/calendar?from=2026-08-10&to=2026-09-10" for name in ("events", "classes", "camps"))
    yield f"{base}/events/calendar?from=2026-08-10&to=2026-08-20&category=storytime_books&include=forecast"
    for route in ("around", "nearby", "activity"):
        yield from (f"{base}/{route}?{point}" for point in POINTS)
    yield from (f"{base}/suggest?q={word[:size]}" for word in list_words() for size in (1, 4) if is_first)
    words = [*list_words(), *_QUESTIONS] if is_first else _QUESTIONS[:4]
    yield from (f"{base}/search?q={quote(word)}" for word in words)
    if not is_first:
        return
    yield from (f"{base}/search?q={quote(word)}&match=auto&limit=50" for word in words)
    yield from (f"{base}/search?q=songs&sort={sort}&limit=3" for sort in ("soonest", "newest", "relevance"))
    yield f"{base}/search?q=songs&sort=nearest&lat=47.61&lng=-122.33&match=all_terms,related,partial"
    yield from (f"{base}/organizations?q={quote(word)}&min_count=0" for word in _QUESTIONS)
    yield from (f"{base}/nearby?near_zip={text}" for text in ("98100", "98112"))
    addresses = [f"{number} {street}" for pair in STREETS.values() for street in pair for number in (1, 3)]
    named = ("77 Juniper Street", "Granary Hall", "Observatory Dome 0", "Velodrome Oval 0", "98110", "98100", "98104")
    for address in (*addresses, *named, "Maple Hill", "Osprey Nook", "Harbor Point", "5 Zeppelin Lane", "Badger Run"):
        yield f"{base}/around?address={quote(address)}"


def mask(value: Any) -> Any:
    """Replace values that may differ. Whether they are present is still compared."""
    if isinstance(value, dict):
        return {
            name: entry if entry is None else "a stamp" if name in STAMPS else mask(entry)
            for name, entry in value.items()
        }
    return [*map(mask, value)] if isinstance(value, list) else value


def read_answer(response: Response) -> Any:
    is_json = response.headers["content-type"] == "application/json"
    body = mask(json.loads(response.read_body())) if is_json else response.read_body()
    headers = {name: value for name, value in response.headers.items() if name not in STAMPS}
    headers["link"] = re.sub(r"cursor=[^&>]+", "cursor=", headers.get("link", ""))
    return response.status, headers, body


def find_next(response: Response) -> str | None:
    """The cursor of the next page of a list."""
    if response.status != 200 or response.headers["content-type"] != "application/json":
        return None
    meta = response.read_json().get("meta", {})
    return meta.get("next_cursor") if meta.get("has_more") else None


class Comparison(NamedTuple):
    """`differing`: the targets of which the two answers are not the same."""

    compared: int
    differing: list[str]


def compare(one: PairedWorld, other: PairedWorld, targets: Iterable[str], scope: str) -> Comparison:
    """Each answer, and of a list its next page."""
    compared, differing = 0, []
    for target in targets:
        pages = [target, target]
        while True:
            got = [world.ask(page, scope) for world, page in zip((one, other), pages, strict=True)]
            compared += 1
            if read_answer(got[0]) != read_answer(got[1]):
                differing.append(target)
                break
            cursors = [*map(find_next, got)]
            if None in cursors or pages[0] != target:
                break
            sign = "&" if "?" in target else "?"
            pages = [f"{target}{sign}cursor={cursor}" for cursor in cursors]
    return Comparison(compared, differing)
