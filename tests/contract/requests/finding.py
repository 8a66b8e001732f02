"""Requests to search, the calendar, what is near and the directories, written from the contract alone."""

from tests.contract.requests.written_request import all_items, bad, both, coded, every, has, write

SEARCH = [
    write("/v1/seattle/search?q=swim", 200, has("type", "id", "slug", "name", "snippet", "match", "score")),
    write("/v1/seattle/search?q=swimming", 200, all_items(lambda r: 0 <= r["score"] <= 1 and len(r["snippet"]) <= 180)),
    write("/v1/seattle/search?q=pottery", 200, every(lambda r: r["match"] in {"all_terms", "related"})),
    write(
        "/v1/seattle/search?q=storytime",
        200,
        lambda a: (
            set(a.meta)
            >= {
                "query",
                "applied_filters",
                "defaults_applied",
                "types",
                "ranking",
                "ignored_words",
                "interpreted",
                "match",
                "match_counts",
                "sort",
                "limit",
                "count",
                "count_estimate",
                "capped",
                "has_more",
                "next_cursor",
                "generated_at",
            }
        ),
    ),
    write("/v1/seattle/search?q=storytime", 200, lambda a: a.meta["limit"] == 20 and a.meta["sort"] == "relevance"),
    write(
        "/v1/seattle/search?q=storytime",
        200,
        lambda a: set(a.applied["by_type"]) == {"events", "classes", "camps", "places"},
    ),
    write("/v1/seattle/search?q=storytime", 200, lambda a: a.applied["by_type"]["places"]["min_confidence"] == 0.5),
    write(
        "/v1/seattle/search?q=swim+lessons+5+year+olds",
        200,
        lambda a: a.meta["interpreted"]["age"]["min"] == 5 == a.meta["interpreted"]["age"]["max"],
    ),
    write(
        "/v1/seattle/search?q=music+toddlers",
        200,
        lambda a: (a.meta["interpreted"]["age"]["min"], a.meta["interpreted"]["age"]["max"]) == (1, 3),
    ),
    write("/v1/seattle/search?q=music+for+baby", 200, lambda a: a.meta["interpreted"]["age"]["max"] == 1),
    write("/v1/seattle/search?q=art+teens", 200, lambda a: a.meta["interpreted"]["age"]["min"] == 13),
    write("/v1/seattle/search?q=art+ages+3-5", 200, lambda a: a.meta["interpreted"]["age"]["max"] == 5),
    write(
        "/v1/seattle/search?q=art+teens&age=6", 200, lambda a: a.meta["interpreted"]["age"]["overridden_by"] == "age"
    ),
    write(
        "/v1/seattle/search?q=art+saturday+morning", 200, lambda a: a.meta["ignored_words"] == ["saturday", "morning"]
    ),
    write("/v1/seattle/search?q=cheap+art+for+kids", 200, lambda a: {"cheap", "kids"} <= set(a.meta["ignored_words"])),
    write("/v1/seattle/search?q=kids", 200, lambda a: a.meta["ignored_words"] == []),
    write("/v1/seattle/search?q=seattle", 400, bad("q")),
    write("/v1/seattle/search?q=what+is+there+to+do", 400, bad("q")),
    write("/v1/seattle/search?q=", 400, bad("q")),
    write("/v1/seattle/search", 400, bad("q")),
    write("/v1/seattle/search?q={long}", 400, bad("q")),
    write("/v1/seattle/search?q=xyzzyplugh", 200, lambda a: a.data == [] and a.meta["count_estimate"] == 0),
    write("/v1/seattle/search?q=art&types=classes", 200, all_items(lambda r: r["type"] == "class")),
    write("/v1/seattle/search?q=art&types=classes,camps", 200, all_items(lambda r: r["type"] in {"class", "camp"})),
    write(
        "/v1/seattle/search?q=art&types=classes&types=camps", 200, all_items(lambda r: r["type"] in {"class", "camp"})
    ),
    write("/v1/seattle/search?q=art&types=class", 400, bad("types")),
    write("/v1/seattle/search?q=art&types=organizations", 400, bad("types")),
    write("/v1/seattle/search?q=art&sort=soonest", 200, lambda a: a.meta["sort"] == "soonest"),
    write("/v1/seattle/search?q=art&sort=newest", 200, lambda a: a.meta["sort"] == "newest"),
    write("/v1/seattle/search?q=art&sort=nearest", 400, lambda a: a.error["code"] == "bad_request"),
    write("/v1/seattle/search?q=art&sort=nearest&lat=47.6062&lng=-122.3321", 200, all_items(lambda r: True)),
    write("/v1/seattle/search?q=art&sort=price", 400, bad("sort")),
    write("/v1/seattle/search?q=art+zzzz&match=partial", 200, every(lambda r: r["match"] == "partial")),
    write("/v1/seattle/search?q=art&match=all_terms", 200, all_items(lambda r: r["match"] == "all_terms")),
    write("/v1/seattle/search?q=art&match=exact", 400, bad("match")),
    write("/v1/seattle/search?q=art&match=auto", 200, lambda a: a.meta["match"][:2] == ["all_terms", "related"]),
    write("/v1/seattle/search?q=art&match=auto", 200, lambda a: a.meta["relaxed"] == []),
    write("/v1/seattle/search?q=art&match=auto,partial", 400, bad("match")),
    write("/v1/seattle/search?q=art&limit=50", 200, lambda a: a.meta["limit"] == 50),
    write("/v1/seattle/search?q=art&limit=51", 400, bad("limit")),
    write("/v1/seattle/search?q=art&limit=0", 400, bad("limit")),
    write("/v1/seattle/search?q=art&page=2", 400, bad("page")),
    write("/v1/seattle/search?q=art&facets=category", 400, bad("facets")),
    write("/v1/seattle/search?q=art&cursor=abc", 400, bad("cursor")),
    write("/v1/seattle/search?q=art&team=kraken", 200, every(lambda r: r["type"] == "event")),
    write("/v1/seattle/search?q=art&free=true", 200, lambda a: a.applied["free"] is True),
    write(
        "/v1/seattle/search?q=art&category=music_movement&age=4",
        200,
        lambda a: a.applied["category"] == ["music_movement"],
    ),
    write("/v1/seattle/search?q=art&year=2026&overnight=false", 200, lambda a: a.status == 200),
    write("/v1/seattle/search?q=art&include=related", 400, bad("include")),
    write("/v1/seattle/search?q=%22art%22+-class+OR+music", 200, lambda a: a.status == 200),
    write("/v1/search?q=art", 404, coded("not_found")),
]

CALENDAR = [
    write(
        "/v1/seattle/events/calendar?from={d+0}&to={d+6}",
        200,
        lambda a: [d["date"] for d in a.data] == [a.days(n) for n in range(7)],
    ),
    write("/v1/seattle/events/calendar?from={d+0}&to={d+6}", 200, has("count", "free_count", "categories")),
    write(
        "/v1/seattle/events/calendar?from={d+0}&to={d+6}",
        200,
        lambda a: a.meta["total"] == sum(d["count"] for d in a.data),
    ),
    write("/v1/seattle/events/calendar?from={d+0}&to={d+61}", 200, lambda a: len(a.data) == 62),
    write("/v1/seattle/events/calendar?from={d+0}&to={d+62}", 400, bad("to")),
    write("/v1/seattle/events/calendar", 400, bad("from")),
    write("/v1/seattle/events/calendar?from={d+0}", 400, bad("to")),
    write("/v1/seattle/events/calendar?from={d+6}&to={d+0}", 400, bad("to")),
    write("/v1/seattle/events/calendar?from={d+0}&to={d+0}", 200, lambda a: len(a.data) == 1),
    write(
        "/v1/seattle/events/calendar?from={d+400}&to={d+401}",
        200,
        lambda a: [d["count"] >= 0 for d in a.data] == [True, True],
    ),
    write(
        "/v1/seattle/events/calendar?from={d+0}&to={d+6}&weekday=saturday",
        200,
        lambda a: sum(d["count"] > 0 for d in a.data) <= 1,
    ),
    write(
        "/v1/seattle/events/calendar?from={d+0}&to={d+6}&free=true",
        200,
        all_items(lambda d: d["count"] == d["free_count"]),
    ),
    write("/v1/seattle/events/calendar?from={d+0}&to={d+6}&q=art", 400, bad("q")),
    write("/v1/seattle/events/calendar?from={d+0}&to={d+6}&page=1", 400, bad("page")),
    write("/v1/seattle/events/calendar?from={d+0}&to={d+6}&fields=date", 400, bad("fields")),
    write("/v1/seattle/events/calendar?from={d+0}&to={d+6}&facets=category", 400, bad("facets")),
    write("/v1/seattle/events/calendar?from={d+0}&to={d+6}&include=source", 400, bad("include")),
    write("/v1/seattle/events/calendar?from={d+0}&to={d+6}&include=forecast", 200, lambda a: len(a.data) == 7),
    write("/v1/seattle/places/calendar?from={d+0}&to={d+6}", 404, coded("not_found")),
]

NEAR = [
    write(
        "/v1/seattle/around?lat=47.6062&lng=-122.3321",
        200,
        lambda a: (
            set(a.data["results"]) == {"happening_soon", "recurring_programs", "classes_enrolling", "camps", "places"}
        ),
    ),
    write(
        "/v1/seattle/around?lat=47.6062&lng=-122.3321",
        200,
        lambda a: a.data["location"]["lat"] == 47.6062 and {"score", "percentile"} <= set(a.data["activity"]),
    ),
    write(
        "/v1/seattle/around?lat=47.6062&lng=-122.3321",
        200,
        lambda a: {"by_type", "by_age_band", "by_price", "free_share", "by_distance_ring"} <= set(a.data["facets"]),
    ),
    write(
        "/v1/seattle/around?lat=47.6062&lng=-122.3321",
        200,
        lambda a: {"metro", "radius_m", "window", "limit"} <= set(a.meta),
    ),
    write(
        "/v1/seattle/around?lat=47.6062&lng=-122.3321&limit=2",
        200,
        lambda a: all(g["returned"] == len(g["items"]) <= 2 for g in a.data["results"].values()),
    ),
    write(
        "/v1/seattle/around?lat=47.6062&lng=-122.3321&types=places",
        200,
        lambda a: a.data["results"]["camps"]["total"] == 0,
    ),
    write("/v1/seattle/around?lat=47.6062&lng=-122.3321&ages=toddler", 200, lambda a: a.status == 200),
    write("/v1/seattle/around?lat=47.6062&lng=-122.3321&ages=five", 400, bad("ages")),
    write(
        "/v1/seattle/around?lat=47.6062&lng=-122.3321&free=true",
        200,
        lambda a: a.data["facets"]["by_price"]["paid"] == 0,
    ),
    write(
        "/v1/seattle/around?lat=47.6062&lng=-122.3321&cursor=places:2&limit=2",
        200,
        lambda a: len(a.data["results"]["places"]["items"]) <= 2,
    ),
    write("/v1/seattle/around?lat=47.6062&lng=-122.3321&cursor=parks:2", 400, bad("cursor")),
    write("/v1/seattle/around?lat=47.6062&lng=-122.3321&radius_m=50", 400, bad("radius_m")),
    write("/v1/seattle/around?address=400+Broad+St", 501, coded("not_implemented")),
    write("/v1/seattle/around", 400, lambda a: a.error["code"] == "bad_request"),
    write("/v1/seattle/around?lat=abc&lng=-122.3321", 400, bad("lat")),
    write("/v1/seattle/around?lat=47.6062&lng=-122.3321&from={d+0}&to={d+367}", 400, bad("to")),
    write("/v1/seattle/around?lat=0&lng=0", 200, lambda a: all(g["total"] == 0 for g in a.data["results"].values())),
    write(
        "/v1/seattle/nearby?lat=47.6062&lng=-122.3321",
        200,
        lambda a: [i["distance_m"] for i in a.data] == sorted(i["distance_m"] for i in a.data),
    ),
    write(
        "/v1/seattle/nearby?lat=47.6062&lng=-122.3321",
        200,
        lambda a: "applied_filters" in a.meta and "defaults_applied" in a.meta,
    ),
    write(
        "/v1/seattle/nearby?lat=47.6062&lng=-122.3321&radius_m=2000", 200, all_items(lambda i: i["distance_m"] <= 2000)
    ),
    write("/v1/seattle/nearby", 400, lambda a: a.error["code"] == "bad_request"),
    write("/v1/seattle/nearby?address=400+Broad+St&lat=47.6&lng=-122.3", 400, bad("address")),
    write("/v1/seattle/nearby?near_zip=98101", 501, coded("not_implemented")),
    write(
        "/v1/seattle/activity?lat=47.6062&lng=-122.3321",
        200,
        lambda a: 0 <= a.data["score"] <= 1 and 0 <= a.data["percentile"] <= 100,
    ),
    write("/v1/seattle/activity", 400, lambda a: a.error["code"] == "bad_request"),
    write("/v1/seattle/vibe?lat=47.6062&lng=-122.3321", 404, coded("not_found")),
]

DIRECTORIES = [
    write("/v1/metros", 200, lambda a: {m["slug"] for m in a.data} == {"seattle", "new-york"}),
    write(
        "/v1/metros", 200, both(has("slug", "name", "timezone"), lambda a: "max-age=3600" in a.headers["cache-control"])
    ),
    write("/v1/metros?limit=1", 400, bad("limit")),
    write("/v1/metros/seattle", 404, coded("not_found")),
    write("/v1/seattle", 200, lambda a: a.body["data"]["slug"] == "seattle"),
    write("/v1/seattle/organizations", 200, all_items(lambda o: o["name"] and o["counts"])),
    write(
        "/v1/seattle/organizations?q={organization_name}",
        200,
        lambda a: (
            a.data[0]["id"] == a.known["organization"]
            and a.data[0]["match"] == "exact_name"
            and a.data[0]["score"] == 1
        ),
    ),
    write("/v1/seattle/organizations?q=inc", 200, lambda a: a.data == [] and a.meta["hint"]),
    write("/v1/seattle/organizations?q=qqqqqqqqqq", 200, lambda a: a.data == []),
    write("/v1/seattle/organizations?limit=2&page=2", 200, lambda a: len(a.data) <= 2 and a.meta["page"] == 2),
    write("/v1/seattle/organizations?from={d+0}", 400, bad("from")),
    write("/v1/seattle/neighborhoods", 200, has("slug", "name")),
    write("/v1/seattle/neighborhoods?q=ballard", 200, every(lambda n: "ballard" in n["name"].lower())),
    write("/v1/seattle/neighborhoods?colour=red", 400, bad("colour")),
    write(
        "/v1/seattle/coverage", 200, lambda a: a.data["metro"] in {"seattle"} or a.data["metro"]["slug"] == "seattle"
    ),
    write("/v1/seattle/coverage?from={d+0}", 400, bad("from")),
]

FINDING = SEARCH + CALENDAR + NEAR + DIRECTORIES
