"""Requests of every route that needs a key, generated from the contract's tables: most are right, some are wrong."""

from collections.abc import Mapping, Sequence
from random import Random
from urllib.parse import quote

from outings.contract.routes import ROUTES, Route
from outings.contract.values import Parameter
from outings.contract.vocabulary import Vocabulary

_VOCABULARY = Vocabulary()
_DAYS = [f"2026-08-{day:02}" for day in range(8, 14)]
# By kind, or by name where a kind does not say enough.
_VALUES: Mapping[str, Sequence[str]] = {
    "boolean": ("true", "false"),
    "date": (*_DAYS, "2026-09-10", "2027-08-10"),
    "date-time": ("2026-08-01T00:00:00Z", "2026-08-10T12:00:00Z"),
    "clock": ("09:00", "18:30"),
    "minute": ("12:00", "20:15"),
    "text": ("story", "art swim", "harbor", "é"),
    "cursor": ("AAAA",),
    "group-cursor": ("places:10",),
    "path": ("name", "links.self", "place.name", "expanded", "source"),
    "lat": ("40.001", "47.61"),
    "lng": ("-74.002", "-122.33"),
    "radius_m": ("900", "20000", "5000"),
    "limit": ("0", "1", "2", "50"),
    "page": ("1", "2", "3"),
    "min_confidence": ("0", "0.5", "0.70", "1"),
    "metro": ("harbor", "lakeside", "seattle"),
    "year": ("2026",),
}  # fmt: skip
_WRONG = ("", "no-such", "-1", "%FF", "2026-13-40")
# Sent together, as a reader does.
_TOGETHER = (("lat", "lng"), ("from", "to"))
_MOST = 4


def generate_targets(count: int, *, seed: int, paths: Mapping[str, Sequence[str]], ids: Sequence[str]) -> list[str]:
    """`paths`: by the route's name, without a query. `ids`: of listings, for the parameters that take one."""
    random = Random(seed)
    routes = [route for route in ROUTES if route.name in paths]
    return [_generate(random, random.choice(routes), paths=paths, ids=ids) for _ in range(count)]


def _generate(random: Random, route: Route, *, paths: Mapping[str, Sequence[str]], ids: Sequence[str]) -> str:
    names = random.sample(sorted(route.parameters), k=min(len(route.parameters), random.randrange(_MOST)))
    for pair in _TOGETHER:
        if not {*pair}.isdisjoint(names) and {*pair} <= route.parameters.keys():
            names = list(dict.fromkeys((*names, *pair)))
    pairs = [(name, _choose(random, route.parameters[name], ids)) for name in names]
    if random.random() < 0.05:
        pairs.append((random.choice(("colour", "free", "limit")), random.choice(_WRONG)))
    query = "&".join(f"{name}={value}" for name, value in pairs)
    return random.choice(paths[route.name]) + ("?" + query if query else "")


def _choose(random: Random, row: Parameter, ids: Sequence[str]) -> str:
    if random.random() < 0.03:
        return random.choice(_WRONG)
    words = getattr(_VOCABULARY, row.vocabulary) if row.vocabulary else row.allowed
    if not words:
        words = ids if row.kind == "uuid" else _VALUES.get(row.name) or _VALUES.get(row.kind, (row.example,))
    several = random.sample(list(words), k=min(len(words), 2)) if row.array and random.random() < 0.3 else []
    return ",".join(quote(value, safe=":%") for value in several or [random.choice(list(words))])
