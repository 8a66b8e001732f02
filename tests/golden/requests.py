"""The requests whose bodies are golden: every parameter of every route, and what people search for."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from urllib.parse import quote

from edge.app import Edge
from outings.contract.routes import ROUTES, Route
from outings.contract.values import Parameter
from outings.contract.vocabulary import COLLECTIONS, Vocabulary
from tests.edge.asking import ask

# The first city gets every value, the second one value of each parameter, the third the plain requests.
_CITIES = {
    "edges": "lat=53.35&lng=-6.26",
    "seattle": "lat=47.6687&lng=-122.3847",
    "new-york": "lat=40.671&lng=-73.9814",
}
_VOCABULARY = Vocabulary()
_VALUES: Mapping[str, Sequence[str]] = {
    "from": ("2026-10-20", "2026-10-25", "2027-03-28", "2026-09-01"),
    "to": ("2026-10-20", "2026-10-31", "2027-10-20"),
    "changed_since": ("2026-10-01T00:00:00Z", "2026-12-01T00:00:00Z"),
    "start_after": ("10:00", "18:30:00"),
    "start_before": ("12:00",),
    "ends_after": ("now", "2026-10-24T11:00"),
    "starts_from": ("2026-10-01",),
    "starts_to": ("2026-11-30",),
    "age": ("0", "4", "17"),
    "max_price": ("0", "20"),
    "min_confidence": ("0", "0.5", "1"),
    "limit": ("1", "7", "50"),
    "page": ("1", "2", "3", "90"),
    "year": ("2026", "2027"),
    "min_count": ("0", "3"),
    "neighborhood": ("north-quay", "North Quay", "Ballard", "nowhere"),
    "q": ("puppets", '"story 1"', "story -2", "pupets", "clay or swim", "museum"),
    "fields": ("name", "links.self,place.name", "price.min,ages"),
    "organization_id": ("3f2b8c1e-5d4a-4b6f-9c7d-0a1b2c3d4e5f",),
    "place_id": ("3f2b8c1e-5d4a-4b6f-9c7d-0a1b2c3d4e5f",),
    "radius_m": ("100", "1500", "50000"),
    "address": ("1 Quay Street", "South Quay", "Ballard", "Museum of Small Things"),
    "order": ("asc", "desc"),
    "cursor": ("0",),
}  # fmt: skip
# Sent together, or with something else that they need.
_WITH = {
    "lat": "",
    "lng": "",
    "near_zip": "",
    "zip": "",
    "include_approximate": "",
    "metro": "",
    "ids": "",
}
_POINT = "{point}"
_NEED = {"radius_m": _POINT, "limit": "", "include_mode": "include=source", "page": "limit=3"}
_QUERIES = (
    "puppets", "story", "storytime", "pupets", "swim", "swimming lessons", "clay", "pottery", "ice hockey",
    "rainy day", "toddler storytime", "things for a 5 year old", "ages 3-5", "baby", "teens",
    "music for babies", "museum of small things", "small museum", "north quay puppets", "puppets south quay",
    "library ballard", "swim lessons green lake", "art capitol hill", "free events this weekend",
    "saturday morning", "cheap camps", "summer camp", "camps", "classes", "kids", "family", "woods waves",
    "obrien", "o'brien sohne", "nobodys club", "creche park", "halloween", "dance", "gymnastics", "soccer",
    "nature walk", "museo", "chess club", "coding", "robotics", "sailing camp", "drum circle", "birthday party",
    "zoo", "playground", "park slope music", "harlem dance", "things to do in ballard", "the", "zzzz",
    "xylophone", "night at the museum",
)  # fmt: skip
# Of searches: when a result happens, and the best of what is one result.
_MOMENTS = (
    "q=story&weekday=saturday&sort=soonest", "q=story&start_after=12:00&sort=soonest", "q=swim&start_before=12:00",
    "q=music&weekday=sunday&match=auto", "q=art&schedule_day=thursday", "q=story+4+year+old&match=auto",
    "q=dance+class+8+year+old&match=auto&sort=soonest", "q=camp+art&start_after=10:00&from=2026-10-01",
    "q=library+open+now&match=auto", "q=outdoor+story+next+week+under+$1&match=auto",
    "q=library&open_at=2026-10-24T11:00",
)  # fmt: skip
_TYPED = (
    "p",
    "pu",
    "pupp",
    "st",
    "sto",
    "story 1",
    "mus",
    "museum of",
    "o'b",
    "north",
    "swi",
    "ball",
    "art",
    "zzz",
    "da",
    "li",
)


def list_requests(edge: Edge, key: str) -> list[str]:
    """Return the requests that succeed, in a fixed order, each once. The world decides which ids are requested."""
    requests = dict.fromkeys(_generate(_Ids(edge, key)))
    return [request for request in requests if ask(edge, request, key=key).status == 200]


class _Ids:
    """The listings of the world, by city and type, in the order of their ids."""

    def __init__(self, edge: Edge, key: str) -> None:
        self.rows: dict[tuple[str, str], list[dict[str, str]]] = {}
        for city, collection in product(_CITIES, COLLECTIONS.values()):
            body = ask(edge, f"/v1/{city}/export/{collection}.jsonl", key=key).read_body()
            rows = [json.loads(line) for line in body.splitlines()]
            self.rows[city, collection] = sorted(rows, key=lambda row: str(row["id"]))

    def select(self, city: str, collection: str, most: int) -> list[dict[str, str]]:
        return self.rows[city, collection][:most]


def _generate(ids: _Ids) -> Iterator[str]:
    for route in ROUTES:
        if not route.needs_key or route.name in ("events.ics.address", "export", "export.file"):
            continue
        for city, (base, values) in product(_CITIES, _list_bases(route, ids)):
            if "{metro}" in base or city == "edges":
                path = base.replace("{metro}", city)
                yield from _vary(route, path, city=city, values=values)
    for city, query in product(_CITIES, _QUERIES):
        yield f"/v1/{city}/search?q={quote(query)}&limit=10"
        yield f"/v1/{city}/search?q={quote(query)}&limit=10&match=auto"
    yield from (f"/v1/{city}/search?{sent}" for city, sent in product(_CITIES, _MOMENTS))
    for city, typed in product(_CITIES, _TYPED):
        yield f"/v1/{city}/suggest?q={quote(typed)}"
    yield from (
        f"/v1/{city}/suggest?q={typed}" for city, typed in product(_CITIES, ("swim%20les", "puppet%20ev", "story%20c"))
    )
    for city, collection in product(_CITIES, COLLECTIONS.values()):
        yield f"/v1/{city}/export/{collection}.jsonl"
    yield from (f"/v1/{city}/export/events.ics" for city in _CITIES)
    yield from (f"/v1/{city}/events/calendar?from=2026-10-{day}&to=2026-12-20" for city in _CITIES for day in (20, 25))
    for kind in ("classes", "camps"):
        yield from (f"/v1/{city}/{kind}/calendar?from=2026-10-25&to=2026-12-20" for city in _CITIES)


def _list_bases(route: Route, ids: _Ids) -> Iterator[tuple[str, int]]:
    """Yield paths, and how many values of each parameter are sent there."""
    if "{id}" in route.path and route.path.startswith("/v1/places/{id}/"):
        yield from ((route.path.replace("{id}", row["id"]), 1) for row in ids.select("edges", "places", 2))
    elif route.path.startswith("/v1/organizations/{id}"):
        row = next(row for row in ids.rows["edges", "places"] if row["slug"] == "museum-of-small-things")
        yield route.path.replace("{id}", str(row["organization"]["id"])), 1  # type: ignore[index]
    elif "{id}" in route.path or "{slug}" in route.path:
        collections = [COLLECTIONS[route.type]] if route.type else COLLECTIONS.values()
        for collection, (city, most) in product(collections, (("edges", 40), ("seattle", 6), ("new-york", 2))):
            for number, row in enumerate(ids.select(city, collection, most)):
                path = route.path.replace("{id}", row["id"]).replace("{slug}", row["slug"])
                yield path + (f"?metro={city}" if "{slug}" in route.path else ""), 9 if number == 0 else 0
    else:
        yield route.path, 9


def _vary(route: Route, path: str, *, city: str, values: int) -> Iterator[str]:
    needed = [f"{name}={_REQUIRED[name]}" for name, row in route.parameters.items() if row.required]
    needed += [_CITIES[city]] if route.needs_centre else []
    yield _join(path, needed)
    most = {"edges": values, "seattle": min(values, 1), "new-york": 0}[city]
    for name, row in route.parameters.items() if most else ():
        if name in _WITH or (row.required and name != "q"):
            continue
        for value in _list_values(row)[:most]:
            extra = _NEED.get(name, "").replace(_POINT, "" if route.needs_centre else _CITIES[city])
            others = [pair for pair in needed if not pair.startswith(f"{name}=")] if name != "address" else []
            yield _join(path, [*others, *([extra] if extra else []), f"{name}={quote(value, safe=',:')}"])


_REQUIRED = {"from": "2026-10-20", "to": "2026-11-20", "q": "puppets"}


def _join(path: str, pairs: Sequence[str]) -> str:
    return path + ("&" if "?" in path else "?") + "&".join(pairs) if pairs else path


def _list_values(row: Parameter) -> Sequence[str]:
    if row.kind == "boolean":
        return "true", "false"
    words = getattr(_VOCABULARY, row.vocabulary) if row.vocabulary else row.allowed
    return tuple(words) if words else _VALUES.get(row.name, (row.example,))
