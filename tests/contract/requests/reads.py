"""Requests for one listing, for what belongs to it and for its history, written from the contract alone."""

from tests.contract.requests.written_request import all_items, bad, both, coded, every, has, write

DETAILS = [
    write("/v1/events/{event}", 200, lambda a: a.data["id"] == a.known["event"] and a.data["status"] == "published"),
    write("/v1/events/{EVENT}", 200, lambda a: a.data["id"] == a.known["event"]),
    write("/v1/events/slug/{event_slug}", 400, lambda a: a.error["details"]["metros"] == ["new-york", "seattle"]),
    write("/v1/events/slug/{event_slug}?metro=seattle", 200, lambda a: a.data["slug"] == a.known["event_slug"]),
    write("/v1/events/slug/no-such-slug", 404, coded("not_found")),
    write("/v1/events/00000000-0000-4000-8000-000000000000", 404, coded("not_found")),
    write("/v1/events/abc", 404, coded("not_found")),
    write("/v1/events/{place}", 404, coded("not_found")),
    write("/v1/events/{event}?fields=name", 200, lambda a: set(a.data) == {"id", "type", "name"}),
    write("/v1/events/{event}?fields=name,ages.min", 200, lambda a: set(a.data["ages"]) == {"min"}),
    write("/v1/events/{event}?fields=bogus", 400, bad("fields")),
    write(
        "/v1/events/{event}?expand=place,organization",
        200,
        lambda a: {"place", "organization"} <= set(a.data["expanded"]),
    ),
    write("/v1/events/{event}?include_archived=true", 200, lambda a: a.data["id"] == a.known["event"]),
    write("/v1/events/{event}?include_archived=maybe", 400, bad("include_archived")),
    write(
        "/v1/events/{event}?include=related",
        200,
        lambda a: set(a.data["related"]) == {"similar", "from_organization", "at_place"},
    ),
    write(
        "/v1/events/{event}?include=related",
        200,
        lambda a: all(len(cards) <= 6 for cards in a.data["related"].values()),
    ),
    write(
        "/v1/events/{event}?include=source", 200, lambda a: a.data["source"]["url"] and "crawled_at" in a.data["source"]
    ),
    write("/v1/events/{event}?include=source,related", 200, lambda a: "source" in a.data and "related" in a.data),
    write("/v1/events/{event}?include=weather", 400, bad("include")),
    write("/v1/events/{event}?include_mode=strict", 400, bad("include_mode")),
    write("/v1/events/{event}?limit=3", 400, bad("limit")),
    write("/v1/events/{event}?occurrences=expand", 400, bad("occurrences")),
    write("/v1/events/{series}", 200, lambda a: a.data["is_recurring"] and "next_starts_at" in a.data["occurrence"]),
    write(
        "/v1/classes/{class}",
        200,
        lambda a: a.data["type"] == "class" and a.data["sections_total"] >= len(a.data["sections"]),
    ),
    write("/v1/classes/{class}?include=related", 200, lambda a: "related" in a.data),
    write("/v1/classes/slug/{class_slug}?metro=seattle", 200, lambda a: a.data["type"] == "class"),
    write("/v1/camps/{camp}", 200, lambda a: a.data["type"] == "camp" and isinstance(a.data["sessions"], list)),
    write("/v1/camps/slug/{camp_slug}?metro=seattle", 200, lambda a: a.data["slug"] == a.known["camp_slug"]),
    write("/v1/places/{place}", 200, lambda a: a.data["links"]["events"].startswith("/v1/places/")),
    write("/v1/places/slug/{place_slug}", 200, lambda a: a.data["type"] == "place"),
    write("/v1/places/{place}?include=related", 400, bad("include")),
    # The demo says of no place where it came from.
    write("/v1/places/{place}?include=source", 200, lambda a: a.body["notices"][0]["code"] == "source_unavailable"),
    write(
        "/v1/organizations/{organization}",
        200,
        both(has("id", "name", "slug", "website_url"), lambda a: a.data["id"] == a.known["organization"]),
    ),
    write("/v1/organizations/abc", 404, coded("not_found")),
    write("/v1/organizations/slug/{organization_slug}", 404, coded("not_found")),
    write("/v1/venues/{place}", 404, coded("not_found")),
    write("/v1/organizers/{organization}", 404, coded("not_found")),
    write("/v1/event/{event}", 404, coded("not_found")),
    write("/v2/events/{event}", 404, coded("not_found")),
]

RELATIONS = [
    write("/v1/places/{event_place}/events", 200, all_items(lambda e: e["type"] == "event")),
    write(
        "/v1/places/{event_place}/events",
        200,
        lambda a: all(e["place"]["id"] == a.known["event_place"] for e in a.data),
    ),
    write("/v1/places/{event_place}/events?free=true&limit=2", 200, every(lambda e: e["price"]["is_free"])),
    write("/v1/places/{event_place}/events?organization_id={organization}", 400, bad("organization_id")),
    write("/v1/places/{event_place}/classes", 200, every(lambda c: c["type"] == "class")),
    write("/v1/places/{event_place}/camps", 200, every(lambda c: c["type"] == "camp")),
    write("/v1/places/{event_place}/places", 404, coded("not_found")),
    write("/v1/places/00000000-0000-4000-8000-000000000000/events", 404, coded("not_found")),
    write(
        "/v1/organizations/{event_organization}/events?metro=seattle",
        200,
        lambda a: all(e["organization"]["id"] == a.known["event_organization"] for e in a.data) and a.data,
    ),
    write("/v1/organizations/{event_organization}/classes?metro=seattle", 200, every(lambda c: c["type"] == "class")),
    write("/v1/organizations/{event_organization}/camps?metro=seattle", 200, every(lambda c: c["type"] == "camp")),
    write("/v1/organizations/{event_organization}/places?metro=seattle", 200, every(lambda p: p["type"] == "place")),
    write("/v1/organizations/{event_organization}/places?metro=seattle&from={d+0}", 400, bad("from")),
    write(
        "/v1/organizations/{event_organization}/places?metro=seattle&type_hint=museum",
        200,
        every(lambda p: p["type_hint"] == "museum"),
    ),
    write("/v1/organizations/{event_organization}/events?metro=atlantis", 404, coded("not_found")),
    write(
        "/v1/organizations/{event_organization}/events?metro=seattle&facets=category&limit=0",
        200,
        lambda a: a.body["facets"]["total"] > 0,
    ),
    write("/v1/organizations/{event_organization}/neighborhoods", 404, coded("not_found")),
]

CHANGES = [
    write("/v1/changes", 200, all_items(lambda c: isinstance(c["version_id"], int))),
    write("/v1/changes", 200, lambda a: [c["version_id"] for c in a.data] == sorted({c["version_id"] for c in a.data})),
    write("/v1/changes", 200, lambda a: "no-cache" in a.headers["cache-control"]),
    write("/v1/changes?cursor=0", 200, lambda a: a.data[0]["version_id"] == 1),
    write("/v1/changes?cursor=5", 200, lambda a: a.data[0]["version_id"] == 6),
    write(
        "/v1/changes?limit=2",
        200,
        lambda a: (
            len(a.data) == 2 and a.meta["has_more"] and str(a.meta["next_cursor"]) == str(a.data[-1]["version_id"])
        ),
    ),
    write("/v1/changes?cursor=-1", 400, bad("cursor")),
    write("/v1/changes?cursor=abc", 400, bad("cursor")),
    write("/v1/changes?cursor=999999999", 400, bad("cursor")),
    write("/v1/changes?page=2", 400, bad("page")),
    write("/v1/changes?changed_since=2026-01-01T00:00:00Z", 400, bad("changed_since")),
    write("/v1/changes?metro=seattle&limit=5", 200, every(lambda c: c["metro"] in {"seattle", None})),
    write("/v1/listings/{event}/versions", 200, all_items(lambda v: v["kind"] and v["changed_at"])),
    write("/v1/listings/{place}/versions?limit=1", 200, lambda a: len(a.data) == 1),
    write("/v1/listings/00000000-0000-4000-8000-000000000000/versions", 404, coded("not_found")),
    write("/v1/listings/{event}", 404, coded("not_found")),
    write("/v1/seattle/changes", 404, coded("not_found")),
]

READS = DETAILS + RELATIONS + CHANGES
