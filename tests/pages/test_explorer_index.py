"""The index that the explorer reads on plain files: the browser answers a request as the API does."""

import json
from datetime import date, timedelta
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from outings.answers.routes import answer
from outings.contract.query import Entitlement
from outings.pages.explorer_index import shorten_slug
from tests.answers.asking import parse
from tests.answers.generated import CATEGORIES, CENTER, PARTS, TODAY, make_world, seeds
from tests.answers.worlds import COLLECTIONS, DAYS, open_release
from tests.pages.node_index import NOW, ask_index

FACETS = {"places": "category,age_band,organization"}
ALL_FACETS = "category,weekday,time_block,price_band,age_band,organization"


def draw_filters(random: Random, collection: str) -> dict[str, str]:
    """Draw filters as the explorer sends them."""
    some: dict[str, str] = {}

    def maybe(name: str, value: str) -> None:
        if random.random() < 0.25:
            some[name] = value

    maybe("category", ",".join(random.sample(CATEGORIES, random.randint(1, 2))))
    maybe("age", str(random.randint(0, 14)))
    part = random.choice(PARTS[1:])
    maybe("neighborhood", random.choice([part, part.lower().replace(" ", "-").replace("ã", "a")]))
    if random.random() < 0.3:
        some |= {"lat": "40.02", "lng": "-74.03", **random.choice([{}, {"radius_m": "9000"}])}
    if collection != "places":
        first = TODAY + timedelta(days=random.choice([0, 0, 1, 5, 70]))
        maybe("from", first.isoformat())
        if "from" in some:
            maybe("to", (first + timedelta(days=random.choice([0, 1, 6, 20]))).isoformat())
        maybe("weekday", ",".join(random.sample(DAYS, 2)))
        maybe("free", random.choice(["true", "false"]))
        maybe("max_price", random.choice(["0", "5", "30"]))
        maybe("start_after", "10:00")
        maybe("start_before", "12:00")
    if collection in ("classes", "camps") and "from" in some:
        maybe("meets", "true")
    if collection == "classes":
        maybe("openings", "true")
    if collection in ("events", "classes"):
        for name in ("indoor", "outdoor", "sensory"):
            maybe(name, random.choice(["true", "false"]))
    return some


def draw_request(random: Random) -> tuple[str, dict[str, str]]:
    collection = random.choice(list(COLLECTIONS.values()))
    filters, kind = draw_filters(random, collection), random.random()
    if kind < 0.2 and collection != "places":
        first = date.fromisoformat(filters.get("from", TODAY.isoformat()))
        filters.pop("meets", None)
        return f"harbor/{collection}/calendar", {
            **filters, "from": first.isoformat(), "to": (first + timedelta(days=34)).isoformat(),
        }  # fmt: skip
    if kind < 0.3:
        return f"harbor/{collection}/density", filters
    if kind < 0.4:
        near = {name: value for name, value in filters.items() if name in ("category", "age", "free", "max_price")}
        return "harbor/nearby", {**near, "lat": str(CENTER[0]), "lng": str(CENTER[1]), "radius_m": "9000"}
    more = {"limit": "5", "facets": FACETS.get(collection, ALL_FACETS)}
    if random.random() < 0.3:
        more["page"] = "2"
    if collection == "events" and random.random() < 0.6:
        more["occurrences"] = "expand"
        if "from" in filters and "to" not in filters:
            filters["to"] = filters["from"]
    return f"harbor/{collection}", {**filters, **more}


def read_essence(path: str, body: Any) -> Any:
    """Return what both answers must agree on."""
    if path.endswith("calendar"):
        return [(day["date"], day["count"]) for day in body["data"]]
    if path.endswith("density"):
        # The index has points to a metre, so a listing on a line may be in the cell beside it.
        return sum(cell["count"] for cell in body["data"])
    if path.endswith("nearby"):
        # Of a class or camp, the page says when the matching section or session is, the API when any is.
        return sorted((item["slug"], item["type"] == "event" and item["starts_local"]) for item in body["data"])
    items = [
        (
            item["slug"],
            item["name"],
            (item.get("occurrence") or {}).get("starts_local"),
            (item.get("occurrence") or {}).get("next_starts_local"),
            # The index does not tell a class with one section from one without any.
            [section["schedule"]["days"] for section in sections if len(sections) > 1],
        )
        for item in body["data"]
        for sections in [item.get("sections", [])]
    ]
    return items, body["facets"], body["meta"]["has_more"]


@given(seeds)
def test_the_browser_and_the_api_give_the_same_ids_counts_and_days_in_the_same_order(tmp_path_factory, seed):
    random = Random(seed)
    folder = tmp_path_factory.mktemp("twins")
    release = open_release([make_world(random, size=120)], folder)
    requests = [draw_request(random) for _ in range(40)]
    spelt = [f"{path}?{'&'.join(f'{name}={value}' for name, value in params.items())}" for path, params in requests]
    bodies = ask_index(release.metros["harbor"], spelt, folder)
    for (path, params), body in zip(requests, bodies, strict=True):
        context = {"dates": {"harbor": TODAY}, "entitlement": Entitlement(), "minute": NOW}
        made = answer(parse(f"/v1/{path}", params), release=release, **context)
        api = json.loads(b"".join(made.parts))
        assert read_essence(path, body) == read_essence(path, api), (path, params)
        if path.endswith("nearby"):
            # The index has points to a metre.
            distances = {item["slug"]: item["distance_m"] for item in api["data"]}
            pairs = [(item["distance_m"], distances[item["slug"]]) for item in body["data"]]
            assert all(abs(own - its) <= 2 for own, its in pairs)
            assert [own for own, _ in pairs] == sorted(own for own, _ in pairs)


@given(st.text(min_size=1), st.text(alphabet="abc-123", min_size=1))
def test_a_slug_is_whole_whatever_the_name_is(name, rest):
    for slug in (rest, f"{name}{rest}"):
        short = shorten_slug(slug, name)
        assert short is None or short.startswith("=") or slug.endswith(short)
