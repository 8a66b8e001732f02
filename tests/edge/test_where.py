"""`where=`: a condition in SQL, on every route that takes it."""

from collections.abc import Iterator
from random import Random
from threading import Timer
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from edge.app import Edge
from outings.answers.expressions import evaluation
from outings.answers.expressions.parsing import parse_expression
from outings.contract.expression_columns import COPYING, FUNCTIONS, list_columns
from tests.answers.generated import make_request, make_world
from tests.answers.reference import list_items
from tests.answers.worlds import COLLECTIONS, World
from tests.edge.asking import Response, ask_together
from tests.edge.conftest import Clock, Service
from tests.edge.publishing import TODAY, add_keys, publish_worlds
from tests.edge.where_expressions import TERMS, Term, make_expression
from tests.release.memory import MemoryStore

WORLD = make_world(Random(46), size=160)
KEYS: dict[str, dict[str, object]] = {
    "all": {},
    "standard": {"plan": "standard"},
    "granted": {"plan": "standard", "grants": ("where",)},
    "free": {"plan": "free", "grants": ("where",)},
    "events": {"types": ("events",)},
    "places": {"types": ("places",)},
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder, store, clock = tmp_path_factory.mktemp("where"), MemoryStore(), Clock()
    publish_worlds(store, [WORLD, make_world(Random(44), size=30, slug="lakeside")], folder=folder, days=())
    keys = add_keys(store, KEYS)
    edge = Edge(store, cache=folder / "cache", clock=clock)
    edge.poll()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluation, "SECONDS", 60)  # of however loaded a machine
        yield Service(store, edge, keys, folder, clock)
    edge.close()


def send(served: Service, path: str, where: str | None = None, *, kind: str = "all", **params: str) -> Response:
    given = params if where is None else {**params, "where": where}
    # `from_`: that is a word of Python.
    query = urlencode({name.rstrip("_"): value for name, value in given.items()})
    return served.get(f"/v1/harbor/{path}?{query}", kind=kind)


def fetch(served: Service, path: str, where: str | None = None, **params: str) -> dict[str, Any]:
    got = send(served, path, where, **params)
    assert got.status == 200, got.body
    body: dict[str, Any] = got.read_json()
    return body


def list_ids(body: dict[str, Any]) -> list[str]:
    return [item["id"] for item in body["data"]]


EVERYTHING = {"audience": "all", "min_confidence": "0", "limit": "200", "from": "2026-07-01", "to": "2026-09-30"}
OF_PLACES = {name: EVERYTHING[name] for name in ("audience", "min_confidence", "limit")}


def expect(kind: str, term: Term, params: dict[str, str], *, world: World = WORLD) -> list[str]:
    """Return the listings that an expression, in its hand-written meaning, and the other filters keep."""
    params = {**params, **({"where": term.sql} if term.is_of_occurrence else {})}
    items = list_items(
        world, kind, params, today=TODAY, where=lambda value, slot: term.meaning(world, value, slot) is True
    )
    return [item["id"] for item in items]


ALL_TERMS = [(kind, term) for kind, terms in TERMS.items() for term in terms]


@pytest.mark.parametrize(("kind", "term"), ALL_TERMS, ids=lambda it: getattr(it, "sql", it))
def test_a_condition_keeps_what_it_is_true_for(served: Service, kind: str, term: Term) -> None:
    params = OF_PLACES if kind == "place" else EVERYTHING
    assert list_ids(fetch(served, COLLECTIONS[kind], term.sql, **params)) == expect(kind, term, params)


def try_expressions(served: Service, random: Random, *, count: int) -> None:
    for _ in range(count):
        kind = random.choice(list(TERMS))
        params = {**make_request(WORLD, kind, random), "limit": "200"}
        if random.random() < 0.2:
            params["changed_since"] = "2026-07-01T08:00:00Z"
        term = make_expression(kind, random)
        if len(term.sql) > 400:
            continue
        got = send(served, COLLECTIONS[kind], term.sql, **params)
        assert got.status == 200, (term.sql, got.body)
        assert list_ids(got.read_json()) == expect(kind, term, params), (kind, term.sql, params)


def test_random_conditions_keep_what_they_mean_beside_other_filters(served: Service, cases: int) -> None:
    try_expressions(served, Random(), count=cases * 12)


def test_one_and_the_same_date_meets_the_condition_and_the_filters(served: Service) -> None:
    """A Monday morning and a Friday afternoon are no Friday morning."""
    for day in ("monday", "saturday"):
        body = fetch(served, "events", "hour(occurrence.starts_local) < 10", weekday=day, **EVERYTHING)
        alike = fetch(served, "events", "has_time", weekday=day, start_before="10:00", **EVERYTHING)
        midnight = fetch(served, "events", "NOT has_time", weekday=day, **EVERYTHING)
        assert sorted(list_ids(body)) == sorted(list_ids(alike) + list_ids(midnight))
        assert list_ids(alike)


FACETS = "category,weekday,time_block,price_band,age_band,organization"


@pytest.mark.parametrize(
    ("path", "where", "params"),
    [
        ("events", "hour(occurrence.starts_local) >= 9 AND has_time", {"start_after": "09:00"}),
        ("events", "dayname(occurrence.date_on) IN ('Monday', 'Sunday')", {"weekday": "monday,sunday"}),
        ("events", "price.is_free", {"free": "true"}),
        ("events", "occurrence.date_on BETWEEN '2026-08-03' AND '2026-08-21'",
         {"from": "2026-08-03", "to": "2026-08-21"}),
        ("classes", "list_contains(section.schedule.days, 'monday')", {"weekday": "monday"}),
        ("classes", "section.registration.has_spots_available", {"openings": "true"}),
        ("camps", "session.is_overnight", {"overnight": "true"}),
        ("camps", "session.price.min <= 20 OR session.price.is_free", {"max_price": "20"}),
        ("places", "type_hint IN ('museum', 'pool')", {"type_hint": "museum,pool"}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("shape", ["list", "sync", "occurrences", "calendar", "density"])
def test_a_condition_answers_as_the_filter_that_says_the_same(
    served: Service, path: str, where: str, params: dict[str, str], shape: str
) -> None:
    facets = FACETS if path != "places" else "category,age_band"
    base = {**(OF_PLACES if path == "places" else EVERYTHING), "facets": facets}
    if shape == "sync":
        base = {**base, "changed_since": "2026-07-01T08:00:00Z"}
    elif shape == "occurrences":
        base = {**base, "occurrences": "expand", "from": "2026-08-01", "to": "2026-08-31"}
    elif shape == "calendar":
        base = {name: base[name] for name in ("audience", "min_confidence")}
        base |= {"from": "2026-07-30", "to": "2026-08-30"}
    elif shape == "density":
        base = {name: value for name, value in base.items() if name not in ("facets", "limit")}
    if (shape in ("occurrences", "calendar") and path != "events") or (shape == "sync" and "from" in params):
        return
    path = f"{path}/{shape}" if shape in ("calendar", "density") else path
    one, other = fetch(served, path, where, **base), fetch(served, path, **{**base, **params})
    assert one["data"]
    days = [(item["date"], item["count"]) for item in one["data"]] if shape == "calendar" else None
    if days is None:
        assert one["data"] == other["data"]
        assert one.get("facets") == other.get("facets")
    else:
        outside = [count for day, count in days if not params.get("from", "") <= day <= params.get("to", "9999")]
        inside = [item for item in one["data"] if params.get("from", "") <= item["date"] <= params.get("to", "9999")]
        assert not any(outside)
        assert inside == [item for item in other["data"] if item["date"] in {item["date"] for item in inside}]


def test_cursors_and_page_numbers_give_the_whole_list(served: Service) -> None:
    where = "price.min > 1 OR ages.min > 2"
    whole = list_ids(fetch(served, "events", where, **EVERYTHING))
    for name in ("cursor", "page"):
        ids, more = [], {"limit": "7"}
        while True:
            body = fetch(served, "events", where, **{**EVERYTHING, **more})
            ids += list_ids(body)
            if not body["meta"]["has_more"]:
                break
            more["cursor" if name == "cursor" else "page"] = (
                body["meta"]["next_cursor"] if name == "cursor" else str(int(more.get("page", "1")) + 1)
            )
        assert ids == whole
        assert len(ids) > 14


def test_near_a_point_the_condition_holds_for_every_type(served: Service) -> None:
    """A column that a type has not is null there."""
    point = {"lat": "40.0", "lng": "-74.0", "radius_m": "50000", "audience": "all", "min_confidence": "0"}
    limit = {"limit": "200"}
    everything = fetch(served, "nearby", **point, **limit)["data"]
    # Of a program of classes the card is chosen among those that match.
    others = {"types": "events,camps,places"}
    ids = {
        listing["id"]
        for listing in everything
        if (listing["price"] or {}).get("min") == 5 and listing["type"] != "class"
    }
    assert {*list_ids(fetch(served, "nearby", "price.min = 5", **point, **limit, **others))} == ids
    assert len(ids) > 2
    kinds = {item["type"] for item in fetch(served, "nearby", "occurrence.index > 1", **point, **limit)["data"]}
    assert kinds == {"event"}
    kinds = {item["type"] for item in fetch(served, "nearby", "occurrence.index IS NULL", **point, **limit)["data"]}
    assert kinds == {"camp", "class", "place"}
    around = fetch(served, "around", "type = 'place'", lat="40.0", lng="-74.0", radius_m="50000")["data"]
    assert {item["type"] for group in around["results"].values() for item in group["items"]} == {"place"}


def test_what_is_applied_is_canonical_and_means_the_same_when_it_is_sent_back(served: Service) -> None:
    first = send(served, "events", " price.MAX<15   and not List_Contains(categories,'x') ")
    shown = first.read_json()["meta"]["applied_filters"]["where"]
    assert shown == "((price.max < 15) AND (NOT list_contains(categories, 'x')))"
    for spelling in (shown, '"price".max < 15 AND NOT list_contains(categories, $$x$$) -- all of it'):
        again = send(served, "events", spelling)
        assert again.headers["etag"] == first.headers["etag"]
        assert again.read_body() == first.read_body()
    assert send(served, "events", "price.max < 16").headers["etag"] != first.headers["etag"]


@pytest.mark.parametrize(("kind", "term"), ALL_TERMS, ids=lambda it: getattr(it, "sql", it))
def test_a_canonical_text_is_its_own(kind: str, term: Term) -> None:
    once = parse_expression(term.sql, kind)
    assert parse_expression(once.text, kind) == once


@pytest.mark.parametrize(
    ("path", "where", "position", "near"),
    [
        ("events", "prize.max < 15", 1, "price.max"),
        ("events", "ages.min > 3 AND prize.max < 15", 18, "price.max"),
        ("events", "'éé' = name AND pri = 1", 17, None),
        ("events", "price < 15", 1, "price.type"),
        ("events", "occurence.index = 1", 1, "occurrence.index"),
        ("events", "section.ages.min = 1", 1, None),
        ("places", "price.min < 15", 1, None),
        ("events", "lowr(name) = 'x'", 1, "lower"),
        ("events", "ages.min > 3 AND", 17, None),
        ("events", "ages.min > > 3", 12, None),
        ("events", "ages.min > 3 AND lower(ages.min) = 'x'", 18, None),
        ("events", "name < 5", 6, None),
        ("events", "name", 1, None),
        ("events", "ages.min + 1", 1, None),
        ("events", "name LIKE slug", 6, None),
        ("events", "ages.min > (SELECT 1)", 12, None),
        ("events", "name = 'x'; DROP TABLE listings", 1, None),
        ("events", "", 1, None),
    ],
)
def test_an_error_says_where_it_is_and_what_may_be_meant(
    served: Service, path: str, where: str, position: int, near: str | None
) -> None:
    got = send(served, path, where)
    assert got.status == 400, got.body
    details = got.error["details"]
    assert (details["param"], details["reason"]) == ("where", "invalid_value")
    assert details.get("did_you_mean") == near
    if where:
        assert details["position"] == position


HOSTILE = [
    "1 = 1; DROP TABLE listings", "1 = 1; SELECT 1", "1 = 1) OR (1 = 1", "1 = 1 UNION SELECT 1", "1 = 1 LIMIT 1",
    "1 = 1 ORDER BY 1", "1 = 1 GROUP BY 1", "true HAVING true", "true QUALIFY true", "true USING SAMPLE 1",
    "(SELECT true)", "EXISTS (SELECT 1)", "1 IN (SELECT 1)", "'a' = ANY (categories)", "name = ALL (SELECT 'x')",
    "EXISTS (FROM read_csv('/etc/passwd'))", "(SELECT count(*) FROM glob('/**')) > 0",
    "EXISTS (FROM duckdb_settings())", "(WITH RECURSIVE t AS (SELECT 1 UNION ALL SELECT 1 FROM t) SELECT true FROM t)",
    "read_text('/etc/passwd') IS NULL", "getenv('HOME') = 'x'", "current_setting('memory_limit') = 'x'",
    "current_user = 'x'", "version() = 'x'", "current_database() = 'x'", "pg_sleep(100) IS NULL", "sleep_ms(9) IS NULL",
    "random() < 0.5", "now() > created_at", "current_date > starts_local", "uuid() = id", "nextval('x') = 1",
    "count(*) > 0", "sum(price.min) > 0", "list(name) IS NULL", "row_number() OVER () = 1", "max(name) OVER () = 'x'",
    "unnest(categories) = 'x'", "UNNEST([1]) = 1", "COLUMNS(*) IS NULL", "COLUMNS('.*') = 1", "* IS NULL", "#1 = 1",
    "? = 1", "$1 = 1", "$name = 1", "getvariable('x') = 1", "DEFAULT = 1",
    "list_filter(categories, lambda x: x = 'a') = []", "list_reduce([1], lambda x, y: x + y) = 1",
    "repeat('x', 1000000000) = 'x'", "lpad('x', 1000000000, 'x') = 'x'", "len(range(1000000000)) = 1",
    "name || name = 'x'", "concat(name, name) = 'x'", "replace(name, 'a', 'aaaa') = 'x'",
    "format('{:>99999999}', 1) = ''",
    "regexp_matches(name, '((a{1,30}){1,30}){1,30}')", "name SIMILAR TO '(a|b)*c'", "name ~ '(a*)*b'",
    "regexp_replace(name, 'a', 'b') = 'x'", "levenshtein(name, name) = 1", "name GLOB '*'", "array[1] = [1]",
    "name COLLATE NOCASE = 'x'", "row.id = 1", "row = 1", "number = 1", "listings.name = 'x'", "l.row = 1", "rowid = 1",
    "main.listings.name = 'x'", "source.url = 'x'", "source_url IS NULL", "expanded.place.name = 'x'", "status_ = 1",
    "organization.counts.events > 50", "hash = 'x'", "keywords = 'x'", "links.self = 'x'", "system.name = 'x'",
    "CAST(name AS JSON) = 'x'", "CAST(name AS INTEGER[]) = [1]", "CAST(1 AS STRUCT(a INTEGER)).a = 1",
    "system.main.lower(name) = 'x'", "other.lower(name) = 'x'", "lower(name) FILTER (true) = 'x'",
    "lower(DISTINCT name) = 'x'", "lower(name ORDER BY 1) = 'x'", "PRAGMA version", "ATTACH 'x'",
    "COPY (SELECT 1) TO 'x'",
    "INSTALL httpfs", "LOAD httpfs", "SET threads = 9", "CALL pragma_version()", "EXPLAIN SELECT 1", "VALUES (1)",
    "name = 'x", "name = \"x", "/* name", "-- name", ")", "(", "';", "\\", "\u202e", "name = '\x00'", "𝟙 = 𝟙",
    "ｎａｍｅ = 'x'", "nаme = 'x'", "1e999 > price.min", "[1, 2", "{'a': 1}", "MAP {'a': 1}",
    "INTERVAL '1' FORTNIGHT > INTERVAL 1 DAY", "CASE END", "name IN ()", "not", "not " * 124, "(" * 500, "-" * 500,
    "(" * 249 + ")" * 249, "x" * 501, "lower(" * 70 + "name" + ")" * 70, "price.min" + "+1" * 245, "TABLE listings",
]  # fmt: skip


@pytest.mark.parametrize("where", HOSTILE, ids=range(len(HOSTILE)))
def test_whatever_else_is_sent_is_refused_and_reads_nothing(served: Service, where: str) -> None:
    got = send(served, "events", where)
    assert got.status == 400, (where, got.body)
    assert got.error["details"]["reason"] in ("invalid_value", "out_of_range")
    assert "root:" not in got.body.decode()


@pytest.mark.parametrize(
    "where",
    [
        "CAST(name AS INTEGER) = 1", "name = 5 OR slug = 7", "CAST(description AS DATE) > '2026-01-01'",
        "date_trunc(name, starts_local) = starts_local",
        "to_years(9999999) + starts_local > starts_local",
    ],
)  # fmt: skip
def test_a_value_that_fails_is_an_error_that_tells_no_value(served: Service, where: str) -> None:
    got = send(served, "events", where, **EVERYTHING)
    assert got.status == 400, got.body
    shown = got.error["message"].lower()
    assert not [listing["name"] for listing in WORLD.listings if listing["name"].lower() in shown]


def test_a_key_without_the_grant_is_403_whatever_it_sends(served: Service) -> None:
    for where in ("price.min < 5", "(SELECT 1", ""):
        got = send(served, "events", where, kind="standard")
        assert (got.status, got.error["code"]) == (403, "feature_not_in_plan")
        assert got.error["details"] == {
            "param": "where", "feature": "where", "plans": ["partner"], "grantable": ["standard"],
        }  # fmt: skip
    for kind in ("granted", "free"):
        assert send(served, "events", "price.min < 5", kind=kind).status == 200


@pytest.mark.parametrize("where", ["true", "status = 'published'", "NOT (name = 'x')", "id IS NOT NULL"])
def test_what_a_key_may_not_read_is_in_no_answer(served: Service, where: str) -> None:
    """Answers have no draft, no archived listing, and none of another metro or type."""
    shown = {listing["id"] for listing in WORLD.listings if listing["status"] == "published"}
    for kind, collection in COLLECTIONS.items():
        params = OF_PLACES if kind == "place" else EVERYTHING
        assert list_ids(fetch(served, collection, where, **params)) == list_ids(fetch(served, collection, **params))
        assert {*list_ids(fetch(served, collection, where, **params))} <= shown
    assert not list_ids(fetch(served, "events", "status <> 'published' OR metro <> 'harbor'", **EVERYTHING))
    got = send(served, "nearby", where, kind="places", lat="40.0", lng="-74.0", radius_m="50000")
    assert {item["type"] for item in got.read_json()["data"]} == {"place"}
    assert send(served, "events", where, kind="places").status == 403


def test_a_condition_that_takes_too_long_is_refused_with_the_limit(
    served: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Impatient(Timer):
        def start(self) -> None:
            self.function()

    with monkeypatch.context() as patch:
        patch.setattr(evaluation, "Timer", Impatient)
        got = send(served, "events", "name > 'too slow'")
        assert got.status == 400
        assert got.error["details"] == {"param": "where", "reason": "out_of_range", "max": 60}
    assert send(served, "events", "name > 'too slow'").status == 200


@pytest.mark.parametrize(("pattern", "count"), [("%" + "a_" * 9, 9), (f"_%{'_a' * 100}", 99), (f"a%{'é_%' * 20}", 20)])
def test_a_pattern_with_too_many_states_is_refused_with_its_place(served: Service, pattern: str, count: int) -> None:
    for operator in ("LIKE", "NOT LIKE", "ILIKE", "NOT ILIKE"):
        got = send(served, "events", f"has_time AND description {operator} '{pattern}'")
        assert got.status == 400
        assert got.error["message"] == f"where has {count} _ after a % in a pattern; allowed: 8."
        assert got.error["details"]["position"] > len("has_time AND")


@pytest.mark.parametrize(
    ("where", "same"),
    [
        (f"description LIKE '%{'_' * 400}'", "length(description) >= 400"),
        ("name LIKE '_%_%_'", "length(name) >= 3"),
        ("name NOT LIKE '%_____%'", "length(name) < 5"),
        ("name LIKE '____%'", "length(name) >= 4"),
    ],
)
def test_a_pattern_of_wildcards_compares_the_length(served: Service, where: str, same: str) -> None:
    one, other = (list_ids(fetch(served, "events", condition, **EVERYTHING)) for condition in (where, same))
    assert one == other


def test_more_conditions_than_have_a_place_are_503_and_come_again(served: Service) -> None:
    targets = [f"/v1/harbor/events?where={quote(f'ages.min = {number}')}" for number in range(40)]
    got = ask_together(served.edge, targets, key=served.keys["all"])
    refused = [entry for entry in got if entry.status == 503]
    assert {entry.status for entry in got} == {200, 503}
    assert all(entry.headers["retry-after"] == "1" for entry in refused)
    assert send(served, "events", "ages.min = 39").status == 200


@pytest.mark.parametrize("name", ["where", "%77here", "%57here", "wher%65", "%77%68%65%72%65"])
def test_a_condition_that_cannot_be_parsed_waits_for_its_turn_however_its_name_is_spelled(
    served: Service, name: str
) -> None:
    """To parse one on the event loop delays everybody."""
    targets = [f"/v1/harbor/events?{name}={quote(f'ages.min = {number} AND')}" for number in range(40)]
    got = ask_together(served.edge, targets, key=served.keys["all"])
    if name == "%57here":  # another name: there is no parameter "Where"
        assert {entry.error["details"]["reason"] for entry in got} == {"unknown_parameter"}
    else:
        assert {entry.status for entry in got} == {400, 503}


def test_every_column_of_the_contract_can_be_named_on_its_list_and_nowhere_else(served: Service) -> None:
    for kind, collection in COLLECTIONS.items():
        columns = list(list_columns(kind))
        for at in range(0, len(columns), 8):
            where = " AND ".join(f"{path} IS NULL" for path in columns[at : at + 8])
            assert fetch(served, collection, where)["meta"]["count"] >= 0
        for path in list_columns(None).keys() - columns:
            with pytest.raises(Exception, match="has no column"):
                parse_expression(f"{path} IS NULL", kind)


def test_every_function_with_a_result_of_any_size_counts_as_a_copy(served: Service) -> None:
    connection = evaluation.connect()
    rows = connection.execute("SELECT function_name, return_type FROM duckdb_functions()").fetchall()
    growing = {name for name, kind in rows if kind and (kind == "VARCHAR" or "[]" in kind or kind in ("T", "ANY"))}
    assert (growing & FUNCTIONS) - COPYING == {"dayname", "monthname"}
    texts = ["aaaa", "éȺİ字ɐ", "ǅ", "ﬃ" * 9, "ΐΰ", "한글", "\u0344", "x" * 99]
    calls = [f"{name}(text)" for name in ("lower", "upper", "trim", "ltrim", "rtrim", "strip_accents")]
    calls += ["left(text, 9999)", "right(text, 9999)", "substring(text, -9999, 99999)", "nullif(text, 'b')"]
    for call in (*calls, *(f"lower({call})" for call in calls), *(f"upper({call})" for call in calls)):
        sizes = connection.execute(f"SELECT strlen({call}), strlen(text) FROM (SELECT unnest(?) AS text)", [texts])
        assert all(size <= 3 * own for size, own in sizes.fetchall()), call


def test_every_function_is_one_of_duckdb_s(served: Service) -> None:
    rows = evaluation.connect().execute("SELECT DISTINCT function_name FROM duckdb_functions()").fetchall()
    known = {name for (name,) in rows}
    assert not {name for name in FUNCTIONS if name not in known} - {"nullif", "ifnull"}


def test_lists_that_take_no_condition_say_so(served: Service) -> None:
    for path in ("search?q=swim&", "events.ics?", "organizations?"):
        got = served.get(f"/v1/harbor/{path}where=true")
        assert (got.status, got.error["details"]["reason"]) == (400, "parameter_not_supported")


def test_ids_and_a_condition_exclude_each_other(served: Service) -> None:
    got = send(served, "events", "true", ids=WORLD.listings[0]["id"])
    assert (got.status, got.error["details"]["reason"]) == (400, "contradictory")
