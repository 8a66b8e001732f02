"""Requests to the list of events, written from the contract by somebody who had not read the code."""

from tests.contract.requests.written_request import all_items, applied, bad, both, coded, every, has, write

EVENTS = [
    write(
        "/v1/seattle/events",
        200,
        both(all_items(lambda e: e["type"] == "event"), has("starts_local", "occasions", "teams")),
    ),
    write(
        "/v1/seattle/events",
        200,
        lambda a: a.meta["window"] == {"from": a.today, "to": a.days(30), "timezone": "America/Los_Angeles"},
    ),
    write(
        "/v1/seattle/events", 200, lambda a: a.meta["min_confidence"] == 0.7 and a.applied["audience"] == ["not_adults"]
    ),
    write(
        "/v1/seattle/events",
        200,
        lambda a: {"from", "to", "min_confidence", "audience"} <= set(a.meta["defaults_applied"]),
    ),
    write(
        "/v1/seattle/events", 200, lambda a: [e["starts_at"] for e in a.data] == sorted(e["starts_at"] for e in a.data)
    ),
    write(
        "/v1/new-york/events",
        200,
        lambda a: a.meta["metro"] == "new-york" and all(e["metro"] == "new-york" for e in a.data),
    ),
    write("/v1/seattle/events?limit=3", 200, lambda a: len(a.data) == 3 == a.meta["count"] and a.meta["has_more"]),
    write("/v1/seattle/events?limit=201", 400, bad("limit")),
    write("/v1/seattle/events?limit=0", 400, bad("limit")),
    write("/v1/seattle/events?limit=-1", 400, bad("limit")),
    write("/v1/seattle/events?limit=ten", 400, bad("limit")),
    write("/v1/seattle/events?limit=0&facets=category", 200, lambda a: a.data == [] and a.body["facets"]["total"] > 0),
    write(
        "/v1/seattle/events?facets=category,weekday,time_block,price_band,age_band,organization&limit=1",
        200,
        lambda a: (
            {"total", "is_complete", "category", "weekday", "time_block", "price_band", "age_band", "organization"}
            <= set(a.body["facets"])
        ),
    ),
    write(
        "/v1/seattle/events?facets=organization&limit=0",
        200,
        lambda a: {"distinct", "top", "other_count", "unspecified_count"} <= set(a.body["facets"]["organization"]),
    ),
    write("/v1/seattle/events?facets=colour", 400, bad("facets")),
    write("/v1/seattle/events?from={d+0}&to={d+7}", 200, all_items(lambda e: True)),
    write("/v1/seattle/events?from={d+7}&to={d+0}", 400, bad("to")),
    write("/v1/seattle/events?from={d+0}&to={d+366}", 200, all_items(lambda e: True)),
    write("/v1/seattle/events?from={d+0}&to={d+367}", 400, bad("to")),
    write("/v1/seattle/events?from=tomorrow", 400, bad("from")),
    write("/v1/seattle/events?from=2026-02-30", 400, bad("from")),
    write("/v1/seattle/events?from={d+3}", 200, lambda a: a.meta["window"]["to"] == a.days(33)),
    write("/v1/seattle/events?to={d+3}", 200, lambda a: a.meta["window"]["from"] == a.today),
    write("/v1/seattle/events?min_confidence=0", 200, applied(min_confidence=0)),
    write("/v1/seattle/events?min_confidence=0.95", 200, every(lambda e: e["confidence"] >= 0.95)),
    write("/v1/seattle/events?min_confidence=2", 400, bad("min_confidence")),
    write(
        "/v1/seattle/events?category=storytime_books", 200, all_items(lambda e: "storytime_books" in e["categories"])
    ),
    write(
        "/v1/seattle/events?category=storytime_books,music_movement",
        200,
        all_items(lambda e: {"storytime_books", "music_movement"} & set(e["categories"])),
    ),
    write(
        "/v1/seattle/events?category=storytime_books&category=music_movement",
        200,
        all_items(lambda e: {"storytime_books", "music_movement"} & set(e["categories"])),
    ),
    write("/v1/seattle/events?category=cooking", 400, bad("category")),
    write("/v1/seattle/events?audience=all", 200, all_items(lambda e: True)),
    write("/v1/seattle/events?audience=not_adults", 200, all_items(lambda e: e["audience"] != "adults")),
    write("/v1/seattle/events?audience=adults", 200, every(lambda e: e["audience"] == "adults")),
    write("/v1/seattle/events?audience=kids,families", 200, all_items(lambda e: e["audience"] in {"kids", "families"})),
    write("/v1/seattle/events?audience=dogs", 400, bad("audience")),
    write("/v1/seattle/events?season=fall", 200, every(lambda e: "fall" in e["traits"]["seasons"])),
    write("/v1/seattle/events?season=autumn", 400, bad("season")),
    write("/v1/seattle/events?occasion=christmas", 200, every(lambda e: "christmas" in e["occasions"])),
    write("/v1/seattle/events?team=mariners", 200, every(lambda e: "mariners" in e["teams"])),
    write("/v1/seattle/events?team=mariners,kraken", 200, every(lambda e: {"mariners", "kraken"} & set(e["teams"]))),
    write("/v1/seattle/events?team=yankees", 400, lambda a: len(a.error["details"]["allowed"]) == 5),
    write(
        "/v1/seattle/events?age=5",
        200,
        all_items(lambda e: (e["ages"]["min"] or 0) <= 5 and (e["ages"]["max"] is None or e["ages"]["max"] >= 5)),
    ),
    write("/v1/seattle/events?age=-1", 400, bad("age")),
    write("/v1/seattle/events?age=4&age_min=3", 400, bad("age")),
    write("/v1/seattle/events?age_min=8&age_max=4", 400, bad("age_max")),
    write("/v1/seattle/events?age=5.5", 400, bad("age")),
    write(
        "/v1/seattle/events?neighborhood={neighborhood}", 200, all_items(lambda e: bool(e["location"]["neighborhood"]))
    ),
    write("/v1/seattle/events?neighborhood=Atlantis", 200, lambda a: a.data == []),
    write(
        "/v1/seattle/events?lat=47.6062&lng=-122.3321&radius_m=6000",
        200,
        all_items(lambda e: e["location"]["lat"] is not None),
    ),
    write("/v1/seattle/events?lat=47.6062", 400, bad("lng")),
    write("/v1/seattle/events?lng=-122.3321", 400, bad("lat")),
    write("/v1/seattle/events?lat=-122.3321&lng=47.6062", 400, bad("lat")),
    write("/v1/seattle/events?lat=47.6062&lng=-122.3321&radius_m=99", 400, bad("radius_m")),
    write("/v1/seattle/events?lat=47.6062&lng=-122.3321&radius_m=100", 200, every(lambda e: True)),
    # Ruled (0041): the parameter that is missing is named.
    write("/v1/seattle/events?radius_m=500", 400, bad("lat")),
    write("/v1/seattle/events?free=true", 200, all_items(lambda e: e["price"]["is_free"] is True)),
    write("/v1/seattle/events?free=false", 200, all_items(lambda e: e["price"]["is_free"] is False)),
    write("/v1/seattle/events?free=yes", 400, bad("free")),
    write(
        "/v1/seattle/events?max_price=10", 200, all_items(lambda e: e["price"]["is_free"] or e["price"]["min"] <= 10)
    ),
    write("/v1/seattle/events?max_price=cheap", 400, bad("max_price")),
    write("/v1/seattle/events?has_time=true", 200, all_items(lambda e: e["has_time"] and e["start_time"])),
    write("/v1/seattle/events?recurring=true", 200, all_items(lambda e: e["is_recurring"] and "occurrence" in e)),
    write("/v1/seattle/events?recurring=false", 200, all_items(lambda e: not e["is_recurring"])),
    write(
        "/v1/seattle/events?occurrences=expand&from={d+0}&to={d+6}",
        200,
        all_items(lambda e: e["occurrence"]["starts_local"] == e["starts_local"]),
    ),
    write("/v1/seattle/events?occurrences=expand&from={d+0}&to={d+31}", 400, bad("to")),
    write("/v1/seattle/events?occurrences=expand&from={d+0}&to={d+30}", 200, all_items(lambda e: "occurrence" in e)),
    write("/v1/seattle/events?occurrences=all", 400, bad("occurrences")),
    write("/v1/seattle/events?indoor=true", 200, all_items(lambda e: e["is_indoor"] is True)),
    write("/v1/seattle/events?outdoor=true", 200, every(lambda e: e["is_outdoor"] is True)),
    write("/v1/seattle/events?sensory=true", 200, every(lambda e: e["is_sensory_friendly"] is True)),
    write("/v1/seattle/events?weekday=saturday", 200, all_items(lambda e: True)),
    write(
        "/v1/seattle/events?weekday=saturday,sunday&occurrences=expand",
        200,
        all_items(lambda e: e["starts_local"] is not None),
    ),
    write("/v1/seattle/events?weekday=sat", 400, bad("weekday")),
    # Ruled (0041): "allowed values are exact".
    write("/v1/seattle/events?weekday=Saturday", 400, lambda a: a.error["details"]["did_you_mean"] == "saturday"),
    write("/v1/seattle/events?start_after=17:00&recurring=false", 200, every(lambda e: e["start_time"] >= "17:00:00")),
    write(
        "/v1/seattle/events?start_after=09:00&start_before=12:00&recurring=false",
        200,
        every(lambda e: "09:00:00" <= e["start_time"] < "12:00:00"),
    ),
    write("/v1/seattle/events?start_before=25:00", 400, bad("start_before")),
    write("/v1/seattle/events?start_after=9am", 400, bad("start_after")),
    write("/v1/seattle/events?q=storytime", 200, all_items(lambda e: True)),
    write(
        "/v1/seattle/events?q=%22family+storytime%22+-toddler", 200, every(lambda e: "toddler" not in e["name"].lower())
    ),
    write("/v1/seattle/events?q=", 400, bad("q")),
    write(
        "/v1/seattle/events?changed_since=2020-01-01T00:00:00Z",
        200,
        lambda a: [e["updated_at"] for e in a.data] == sorted(e["updated_at"] for e in a.data),
    ),
    write("/v1/seattle/events?changed_since=2020-01-01T00:00:00Z&page=2", 400, bad("page")),
    write("/v1/seattle/events?changed_since=yesterday", 400, bad("changed_since")),
    write(
        "/v1/seattle/events?changed_since=2099-01-01T00:00:00Z", 200, lambda a: a.data == [] and not a.meta["has_more"]
    ),
    write(
        "/v1/seattle/events?fields=name,price.min&limit=2",
        200,
        all_items(lambda e: set(e) == {"id", "type", "name", "price"} and set(e["price"]) == {"min"}),
    ),
    write("/v1/seattle/events?fields=nme", 400, bad("fields")),
    write(
        "/v1/seattle/events?fields=occurrence.next_starts_at&recurring=true&limit=2",
        200,
        all_items(lambda e: set(e) == {"id", "type", "occurrence"}),
    ),
    # Ruled (0041): told by a notice; a request that was answered stays one.
    write("/v1/seattle/events?fields=expanded.place.name", 200, lambda a: a.body["notices"][0]["param"] == "fields"),
    write("/v1/seattle/events?expand=place&limit=5", 200, all_items(lambda e: "expanded" in e)),
    write(
        "/v1/seattle/events?expand=place,organization&limit=5",
        200,
        all_items(lambda e: {"place", "organization"} <= set(e["expanded"])),
    ),
    write("/v1/seattle/events?expand=sessions", 400, bad("expand")),
    write("/v1/seattle/events?expand=venue", 400, bad("expand")),
    write("/v1/seattle/events?page=1", 200, lambda a: a.meta["page"] == 1),
    write("/v1/seattle/events?page=2&limit=2", 200, lambda a: a.meta["page"] == 2 and len(a.data) == 2),
    write("/v1/seattle/events?page=0", 400, bad("page")),
    write("/v1/seattle/events?page=9999", 200, lambda a: a.data == [] and not a.meta["has_more"]),
    write("/v1/seattle/events?cursor=abc", 400, bad("cursor")),
    write("/v1/seattle/events?page=1&cursor=abc", 400, coded("bad_request")),
    write(
        "/v1/seattle/events?ids={event},{event2}",
        200,
        lambda a: [e["id"] for e in a.data] == [a.known["event"], a.known["event2"]] and a.meta["missing_ids"] == [],
    ),
    write(
        "/v1/seattle/events?ids={event2},{event}",
        200,
        lambda a: [e["id"] for e in a.data] == [a.known["event2"], a.known["event"]],
    ),
    write(
        "/v1/seattle/events?ids={place}", 200, lambda a: a.data == [] and a.meta["missing_ids"] == [a.known["place"]]
    ),
    write("/v1/seattle/events?ids=abc", 400, bad("ids")),
    write("/v1/seattle/events?ids={event}&page=1", 400, lambda a: a.error["code"] == "bad_request"),
    write("/v1/seattle/events?place_id={event_place}", 200, all_items(lambda e: e["place"] is not None)),
    write("/v1/seattle/events?place_id=nowhere", 400, bad("place_id")),
    write(
        "/v1/seattle/events?organization_id={event_organization}",
        200,
        all_items(lambda e: e["organization"]["id"] is not None),
    ),
    write("/v1/seattle/events?type_hint=museum", 400, bad("type_hint")),
    write("/v1/seattle/events?year=2026", 400, bad("year")),
    write("/v1/seattle/events?free=true&free=false", 400, bad("free")),
    write("/v1/seattle/events?colour=red", 400, bad("colour")),
    write("/v1/seattle/events?max-price=5", 400, bad("max-price")),
    write(
        "/v1/seattle/events?start_date={d+1}",
        400,
        lambda a: a.error["details"].get("did_you_mean") in {"from", "start_after"},
    ),
    write("/v1/seattle/events?date={d+1}", 400, bad("date")),
    write("/v1/seattle/events?zip=98101", 501, coded("not_implemented")),
    write("/v1/atlantis/events", 404, coded("not_found")),
    write("/v1/Seattle/events", 404, coded("not_found")),
    write("/v1/seattle/events/", 404, coded("not_found")),
]
