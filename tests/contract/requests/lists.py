"""Requests to the lists of classes, camps and places, written from the contract by one who had not read the code."""

from tests.contract.requests.written_request import all_items, any_item, bad, both, every, has, write

CLASSES = [
    write(
        "/v1/seattle/classes",
        200,
        both(
            all_items(lambda c: c["type"] == "class"),
            has("program", "term", "schedule", "tuition", "registration", "sections", "sessions"),
        ),
    ),
    write("/v1/seattle/classes", 200, lambda a: a.meta["window"]["from"] == a.today and a.meta["window"]["to"] is None),
    write(
        "/v1/seattle/classes?schedule_day=monday",
        200,
        all_items(
            lambda c: "monday" in c["schedule"]["days"] or any("monday" in s["schedule"]["days"] for s in c["sections"])
        ),
    ),
    write("/v1/seattle/classes?schedule_day=mon", 400, bad("schedule_day")),
    write(
        "/v1/seattle/classes?enrollment_type=drop_in",
        200,
        all_items(lambda c: c["program"]["enrollment_type"] == "drop_in"),
    ),
    write("/v1/seattle/classes?enrollment_type=walk_in", 400, bad("enrollment_type")),
    write("/v1/seattle/classes?openings=true", 200, all_items(lambda c: True)),
    write("/v1/seattle/classes?starts_from={d+0}", 200, every(lambda c: True)),
    write("/v1/seattle/classes?starts_from={d+0}&starts_to={d+60}", 200, every(lambda c: True)),
    write("/v1/seattle/classes?starts_to={d+0}&starts_from={d+60}", 400, bad("starts_to")),
    write("/v1/seattle/classes?weekday=saturday&start_before=12:00&age=6", 200, every(lambda c: True)),
    write("/v1/seattle/classes?expand=sessions&limit=5", 200, all_items(lambda c: True)),
    write("/v1/seattle/classes?free=true", 200, every(lambda c: c["price"]["is_free"] is True)),
    write("/v1/seattle/classes?team=kraken", 400, bad("team")),
    write("/v1/seattle/classes?recurring=true", 400, bad("recurring")),
    write("/v1/seattle/classes?occurrences=expand", 400, bad("occurrences")),
    write("/v1/seattle/classes?include=forecast", 400, bad("include")),
    write(
        "/v1/seattle/classes?fields=sections.tuition.amount&limit=3",
        200,
        all_items(lambda c: set(c) == {"id", "type", "sections"}),
    ),
    write(
        "/v1/seattle/classes?facets=weekday&limit=0",
        200,
        lambda a: any(b["value"] == "unspecified" for b in a.body["facets"]["weekday"]) or a.body["facets"]["weekday"],
    ),
]

CAMPS = [
    write("/v1/seattle/camps", 200, both(all_items(lambda c: c["type"] == "camp"), has("sessions"))),
    write("/v1/seattle/camps?year=2019", 400, bad("year")),
    write("/v1/seattle/camps?year={year}", 200, every(lambda c: True)),
    write("/v1/seattle/camps?overnight=true", 200, every(lambda c: True)),
    write("/v1/seattle/camps?overnight=1", 400, bad("overnight")),
    write("/v1/seattle/camps?season=summer", 200, every(lambda c: "summer" in c["traits"]["seasons"])),
    write("/v1/seattle/camps?occasion=halloween", 400, bad("occasion")),
    write("/v1/seattle/camps?max_price=500", 200, every(lambda c: c["price"]["is_free"] or c["price"]["min"] <= 500)),
    write("/v1/seattle/camps?indoor=true", 400, bad("indoor")),
    write("/v1/seattle/camps?expand=sessions", 400, bad("expand")),
    write("/v1/seattle/camps?from={d+0}&to={d+366}", 200, all_items(lambda c: True)),
    write(
        "/v1/seattle/camps?facets=price_band&limit=0",
        200,
        lambda a: sum(b["count"] for b in a.body["facets"]["price_band"]) >= a.body["facets"]["total"],
    ),
]

PLACES = [
    write(
        "/v1/seattle/places",
        200,
        both(all_items(lambda p: p["type"] == "place"), has("hours", "admission", "amenities", "images", "links")),
    ),
    write("/v1/seattle/places", 200, lambda a: a.meta["min_confidence"] == 0.5),
    # Ruled (0041): an object is always an object, with null members.
    write("/v1/seattle/places", 200, lambda a: a.meta["window"]["from"] is None and a.meta["window"]["to"] is None),
    write("/v1/seattle/places?type_hint=museum", 200, all_items(lambda p: p["type_hint"] == "museum")),
    write("/v1/seattle/places?place_type=museum", 200, all_items(lambda p: p["type_hint"] == "museum")),
    write("/v1/seattle/places?place_type=museum", 200, any_item(lambda p: True)),
    write("/v1/seattle/places?type_hint=castle", 400, bad("type_hint")),
    write("/v1/seattle/places?has_birthday_parties=true", 200, every(lambda p: p["birthday_parties"]["available"])),
    write("/v1/seattle/places?has_classes=true", 200, every(lambda p: p["classes"]["available"])),
    write("/v1/seattle/places?free=true", 200, lambda a: len(a.data) > 0 and "notices" in a.body),
    write("/v1/seattle/places?sensory=true", 200, every(lambda p: p["is_sensory_friendly"] is True)),
    write("/v1/seattle/places?indoor=true", 200, every(lambda p: p["is_indoor"] is True)),
    write("/v1/seattle/places?good_for_rainy=true", 200, every(lambda p: p["good_for_rainy"] is True)),
    write("/v1/seattle/places?open_at=now", 200, every(lambda p: any(p["hours"].values()))),
    write("/v1/seattle/places?open_at=2026-08-12T11:00", 200, every(lambda p: bool(p["hours"]["wednesday"]))),
    write("/v1/seattle/places?open_at=2026-08-12", 400, bad("open_at")),
    write("/v1/seattle/events?open_at=now", 400, bad("open_at")),
    write("/v1/seattle/events?ends_after=now", 200, all_items(lambda e: e["has_date"])),
    write("/v1/seattle/events?ends_after=tonight", 400, bad("ends_after")),
    write("/v1/seattle/classes?ends_after=now", 400, bad("ends_after")),
    write("/v1/seattle/places?from={d+0}", 400, bad("from")),
    write("/v1/seattle/places?q=library", 200, all_items(lambda p: True)),
    write("/v1/seattle/places?expand=organization&limit=3", 200, all_items(lambda p: "organization" in p["expanded"])),
    write(
        "/v1/seattle/places?facets=category,age_band&limit=0",
        200,
        lambda a: {"category", "age_band"} <= set(a.body["facets"]),
    ),
    write("/v1/seattle/places?facets=weekday", 400, bad("facets")),
    write("/v1/seattle/places?include=related", 400, bad("include")),
    write(
        "/v1/seattle/places?ids={place}&fields=name",
        200,
        lambda a: [set(p) for p in a.data] == [{"id", "type", "name"}],
    ),
]

LISTS = CLASSES + CAMPS + PLACES
